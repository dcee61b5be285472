/**
 * Words that the command line does not take: each is told with what was meant.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { HABIT_HINTS, HABIT_WORDS } from "../../src/pipeline/line/words.ts";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import { writtenLines } from "../../src/pipeline/tool_words.ts";
import { lineProblem } from "../support/spoken.ts";
import { World } from "../support/world.ts";

Deno.test("amof tells an unknown command from the value of a flag before it", async () => {
  await using world = await World.make();
  for (const args of [["-e", "demo", "psh"], ["--mode", "plan", "-e", "demo", "psh"]]) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 2);
    assertStringIncludes(ran.stderr, 'Cannot find the command "psh"; did you mean "push"?');
  }
});

Deno.test("the flag by which git goes elsewhere, and tickets that are none, lead on to what there is", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const there = await world.amof(["-C", "/some where", "status", "--repo", "api"]);
  assertEquals(there.code, 2);
  assertStringIncludes(there.stderr, "Go there first: cd '/some where'");
  assertStringIncludes(there.stderr, "amof --root '/some where' status --repo api");
  for (const args of [["end", "NOPE-1"], ["move", "NOPE-1", "--workspace"], ["update", "NOPE-1"]]) {
    const { stderr } = await world.amof(["ticket", ...args, "--yes"]);
    assertMatch(stderr, /hint: (?:See the tickets: )?amof ticket list/, args.join(" "));
  }
  assertStringIncludes((await world.amof(["ticket", "switch", "NOPE-1"])).stderr, "ticket start");
});

Deno.test("amof refuses values a flag does not take and names those it does", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [["status", "--mode", "exeucte"], /ask, plan or execute/],
    [["status", "--color", "sometimes"], /auto, always or never/],
    [["status", "--jobs", "0"], /from 1 to 999/],
    [["status", "--jobs=many"], /from 1 to 999/],
    [["runs", "list", "--status", "faild"], /"failed"/],
    [["runs", "logs", "ffff", "--tail", "1001"], /1000/],
    [["runs", "logs", "ffff", "--tail", "1.5"], /tail/],
  ];
  for (const [args, message] of wrong) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 2, args.join(" "));
    assertMatch(ran.stderr, message);
  }
});

Deno.test("amof refuses a flag that lacks its value", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  for (
    const [args, flag] of [
      [["status", "--repo"], "--repo"],
      [["status", "--repo="], "--repo"],
      [["status", "--repo", "--json"], "--repo"],
      [["status", "--root"], "--root"],
      [["status", "-e"], "--ecosystem"],
      [["push", "--commit", "-m"], "--message"],
      [["push", "--commit", "-m", "--yes"], "--message"],
    ] as const
  ) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 2, args.join(" "));
    assertStringIncludes(ran.stdout + ran.stderr, `Cannot use ${flag} without a value`);
  }
});

Deno.test("amof takes a single dash behind a flag for its value", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  for (
    const [args, refusal] of [
      [["status", "-e", "-"], '"-"'],
      [["status", "-qe", "-"], '"-"'],
      [["--ecosystem", "-", "status"], '"-"'],
      [["status", "--color", "-"], 'Cannot use color "-"'],
      // Behind a switch it stands alone.
      [["status", "--check", "-"], 'Cannot use "-": amof status takes no arguments'],
    ] as const
  ) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 2, args.join(" "));
    assertStringIncludes(ran.stderr, refusal);
    assertEquals(ran.stderr.includes("without a value"), false, ran.stderr);
  }
});

Deno.test("amof refuses arguments a command does not take", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const none = await world.amof(["status", "demo"]);
  assertEquals(none.code, 2);
  assertStringIncludes(none.stderr, 'Cannot use "demo": amof status takes no arguments');
  assertStringIncludes(
    none.stderr,
    "hint: Name repositories with --repo: amof status --repo demo\nName the ecosystem: amof status --ecosystem demo",
  );
  const two = await world.amof(["sync", "api", "svc-*"]);
  assertStringIncludes(
    two.stderr,
    "hint: Name repositories with --repo: amof sync --repo api,'svc-*'\n",
  );
  const whole = await world.amof(["archive", "demo"]);
  assertStringIncludes(
    whole.stderr,
    "hint: Name the ecosystem with --ecosystem: amof archive --ecosystem demo\n",
  );
  for (const { stderr } of [none, two, whole]) {
    for (const line of writtenLines(stderr.slice(stderr.indexOf("hint: ")))) {
      assertEquals(await lineProblem(line.words), null, stderr);
    }
  }
  const one = await world.amof(["ecosystem", "describe", "demo", "shop"]);
  assertEquals(one.code, 2);
  assertStringIncludes(
    one.stderr,
    'Cannot use "shop": amof ecosystem describe takes only ECOSYSTEM',
  );
});

Deno.test("amof points from the words of git to its own", async () => {
  await using world = await World.make();
  const habits: readonly (readonly [string, string])[] = [
    ["ls", "amof ecosystem list"],
    ["pull", "amof sync"],
    ["fetch", "amof status --fetch"],
    ["init", "amof ecosystem create NAME"],
    ["clone", "amof install"],
    ["checkout", "amof ticket switch ID"],
  ];
  for (const [word, meant] of habits) {
    const ran = await world.amof([word]);
    assertEquals(ran.code, 2);
    assertStringIncludes(ran.stderr, `error: There is no command "${word}"`);
    assertStringIncludes(ran.stderr, meant);
  }
  for (const hint of HABIT_HINTS) {
    for (const line of writtenLines(hint)) assertEquals(await lineProblem(line.words), null, hint);
  }
});

Deno.test("amof names the flag that does not exist, not its value, where a program stands behind --", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ["exec", "--timeout", "5", "--", "true"],
      /Cannot use --timeout: .*\nhint: .*--time-limit 10m/,
    ],
    [
      ["run", "--timeout", "5", "test", "--", "x"],
      /Cannot use --timeout: .*\nhint: .*--time-limit/,
    ],
    [["exec", "--rep", "web", "--", "true"], /Cannot use --rep: .*did you mean --repo\?/],
    [["exec", "ls", "-l"], /Cannot tell what "ls" belongs to: .*\nhint: Write: amof exec -- ls -l/],
  ];
  for (const [args, message] of wrong) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 2, args.join(" "));
    assertMatch(ran.stderr, message);
  }
});

Deno.test("amof knows the words of other programs for many repositories, and none of its own among them", async () => {
  await using world = await World.make();
  for (
    const [word, meant] of [
      ["forall", "amof exec -- PROGRAM"],
      ["ll", "amof status"],
      ["freeze", "amof lock"],
      ["import", "amof ecosystem create NAME --from FILE"],
      ["upload", "amof push"],
    ] as const
  ) {
    const ran = await world.amof([word]);
    assertEquals(ran.code, 2);
    assertStringIncludes(ran.stderr, meant);
  }
  const own = new Set(COMMANDS.filter(({ path }) => path.length === 1).map(({ path }) => path[0]));
  assertEquals(HABIT_WORDS.filter((word) => own.has(word)), []);
});

Deno.test("amof says which flag is meant by --force", async () => {
  await using world = await World.make();
  const meant: readonly (readonly [string, string])[] = [
    ["archive", "amof archive --discard-local"],
    ["discard", "amof discard --confirm-name NAME"],
    ["install", "amof install --repair"],
    ["push", "amof sync"],
  ];
  for (const [word, hint] of meant) {
    for (const flag of ["--force", "-f"]) {
      const ran = await world.amof([word, flag]);
      assertEquals(ran.code, 2);
      assertMatch(ran.stderr, new RegExp(`^hint: (?:.|\n)*${hint}`, "m"));
    }
  }
});
