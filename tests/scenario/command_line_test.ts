/**
 * The command line itself: words, flags, help, output streams and exit codes, from outside.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { ENTRIES } from "../../src/cli/entries.ts";
import { parseInvocation } from "../../src/command/line/parse.ts";
import { takeWords } from "../../src/command/line/words.ts";
import { parseArguments } from "../../src/command/common.ts";
import { HABIT_HINTS } from "../../src/command/line/habits.ts";
import { writtenLines } from "../../src/command/line/written.ts";
import { VERSION } from "../../src/version.ts";
import { pick } from "../support/answers.ts";
import { lineProblem } from "../support/spoken.ts";
import { World } from "../support/world.ts";

/** Shell scripts are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

// deno-lint-ignore no-control-regex -- control characters are what must not be there
const ESCAPE = /\u001b/;

/** The words of a command line as a shell would split them; quotes only. */
function split(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) =>
    match[1] ?? match[2] ?? match[3] ?? ""
  );
}

Deno.test("amof --json prints exactly one JSON object, whatever happens", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "api.away"));
  const calls: readonly (readonly [number, readonly string[]])[] = [
    [0, ["ecosystem", "list", "--json"]],
    [0, ["--json", "manifest", "validate"]],
    [0, ["install", "--dry-run", "--json"]],
    [1, ["status", "--json"]],
    [1, ["install", "--yes", "--json"]],
    [2, ["--json"]],
    [2, ["--json", "runs"]],
    [2, ["nonsense", "--json"]],
    [2, ["status", "--nonsense", "--json"]],
    [2, ["status", "--mode", "never", "--json"]],
    [2, ["status", "--root", "--json"]],
    [2, ["status", "extra", "--json"]],
    [2, ["-e", "unknown", "status", "--json"]],
    [2, ["--root", "/nowhere/at/all", "status", "--json"]],
    [2, ["runs", "logs", "--tail", "none", "--json"]],
    [2, ["runs", "list", "--limit", "many", "--json"]],
    [4, ["install", "--json"]],
    [4, ["install", "--mode", "ask", "--json"]],
    [4, ["confirm", "wrong", "--json"]],
  ];
  for (const [code, args] of calls) {
    const ran = await world.amof(args);
    const words = args.join(" ");
    assertEquals(ran.code, code, words);
    assertMatch(ran.stdout, /^\{.*\}\n$/, words);
    const answer = ran.json();
    assertEquals("error" in answer, code !== 0, words);
    assertEquals(typeof answer["summary"], "string", words);
    assertEquals(typeof pick(answer, "_context", "session_id"), "string", words);
    assert(Array.isArray(answer["suggested_actions"]), words);
    if (code !== 0) assertEquals(typeof answer["message"], "string", words);
    assertEquals(ran.stderr, "", words);
  }
});

Deno.test("amof prints errors without data on standard error alone", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const calls = [
    ["nonsense"],
    ["status", "--nonsense"],
    ["status"],
    ["-e", "unknown", "status"],
    ["install"],
    ["install", "--mode", "ask"],
    ["confirm", "wrong"],
    ["runs", "status", "ffffffff"],
    ["ecosystem", "create", "demo"],
  ];
  for (const args of calls) {
    const ran = await world.amof(args);
    assert(ran.code !== 0, args.join(" "));
    assertEquals(ran.stdout, "", args.join(" "));
    assertMatch(ran.stderr, /^error: \S.*[^.]$/m, args.join(" "));
    assertNotMatch(ran.stderr, /^\s+at /m, args.join(" "));
  }
});

Deno.test("amof prints nothing on standard output for a run that failed without a result", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "api.away"));
  const ran = await world.amof(["install", "--yes"]);
  assertEquals(ran.code, 1);
  assertMatch(ran.stderr, /^error: Cannot clone "api": /m);
  assertEquals(ran.stdout, "");
});

Deno.test("amof answers an unknown command with the nearest one", async () => {
  await using world = await World.make();
  const near: readonly (readonly [readonly string[], string])[] = [
    [["statsu"], 'Cannot find the command "statsu"; did you mean "status"?'],
    [
      ["ecosystem", "lst"],
      'Cannot find the command "ecosystem lst"; did you mean "ecosystem list"?',
    ],
    [["run", "list"], 'Cannot find the command "run"; did you mean "runs"?'],
  ];
  for (const [args, message] of near) {
    for (const asked of [args, [...args, "--help"], ["help", ...args]]) {
      const ran = await world.amof(asked, { env: { NO_COLOR: "" } });
      assertEquals(ran.code, 2);
      assertStringIncludes(ran.stderr, message);
      // Output into a pipe has no colours.
      assert(!ran.stderr.includes("\x1b"), ran.stderr);
    }
  }
  const far = await world.amof(["frobnicate"]);
  assertEquals(far.code, 2);
  assertNotMatch(far.stderr, /did you mean/);
  assertStringIncludes(far.stderr, "amof --help");
});

Deno.test("amof tells an unknown command from the value of a flag before it", async () => {
  await using world = await World.make();
  for (const args of [["-e", "demo", "psh"], ["--mode", "plan", "-e", "demo", "psh"]]) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 2);
    assertStringIncludes(ran.stderr, 'Cannot find the command "psh"; did you mean "push"?');
  }
});

Deno.test("amof answers an unknown flag with the nearest one", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const near: readonly (readonly [readonly string[], string])[] = [
    [["push", "--comit"], "Cannot use --comit: amof push has no such flag; did you mean --commit?"],
    [["status", "--repos=api"], "did you mean --repo?"],
    [["status", "--ecosytem", "demo"], "did you mean --ecosystem?"],
    [["runs", "list", "--limt=3"], "did you mean --limit?"],
  ];
  for (const [args, message] of near) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 2);
    assertEquals(ran.stdout, "");
    assertStringIncludes(ran.stderr, message);
  }
  for (const flag of ["--frobnicate", "-x", "--mirror"]) {
    const ran = await world.amof(["push", flag]);
    assertEquals(ran.code, 2);
    assertStringIncludes(ran.stderr, `Cannot use ${flag}: amof push has no such flag`);
    assertStringIncludes(ran.stderr, "amof push --help");
  }
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

Deno.test("amof refuses arguments a command does not take", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const none = await world.amof(["status", "demo"]);
  assertEquals(none.code, 2);
  assertStringIncludes(none.stderr, 'Cannot use "demo": amof status takes no arguments');
  const one = await world.amof(["ecosystem", "describe", "demo", "shop"]);
  assertEquals(one.code, 2);
  assertStringIncludes(
    one.stderr,
    'Cannot use "shop": amof ecosystem describe takes only ECOSYSTEM',
  );
});

Deno.test("amof takes flags before, between and after its words", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const orders = [
    ["--json", "ecosystem", "list"],
    ["ecosystem", "--json", "list"],
    ["ecosystem", "list", "--json"],
    ["--root", world.control, "ecosystem", "list", "--json"],
    ["ecosystem", `--root=${world.control}`, "list", "--json"],
    ["-q", "ecosystem", "list", "-v", "--json"],
    ["--include-retired", "ecosystem", "list", "--json"],
  ];
  for (const args of orders) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 0, args.join(" "));
    assertEquals(pick(ran.json(), "ecosystems", 0, "name"), "demo");
  }
});

Deno.test("amof takes everything behind -- for words, never for flags", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const described = await world.amof(["ecosystem", "describe", "--json", "--", "demo"]);
  assertEquals(described.code, 0);
  assertEquals((await world.amof(["--", "ecosystem", "list"])).code, 0);
  const dashed = await world.amof(["ecosystem", "describe", "--json", "--", "--json"]);
  assertEquals(dashed.code, 2);
  assertEquals(pick(dashed.json(), "error"), "ecosystem_not_found");
  const extra = await world.amof(["status", "--", "--check"]);
  assertEquals(extra.code, 2);
  assertStringIncludes(extra.stderr, 'Cannot use "--check": amof status takes no arguments');
});

Deno.test("amof without a command, or with half of one, shows what there is", async () => {
  await using world = await World.make();
  assertEquals(await world.amof([]).then(({ code, stderr }) => [code, stderr]), [0, ""]);
  assertEquals((await world.amof([])).stdout, (await world.amof(["--help"])).stdout);
  assertEquals((await world.amof(["-e", "demo"])).stdout, (await world.amof(["--help"])).stdout);
  const half = await world.amof(["ecosystem"]);
  assertEquals([half.code, half.stderr], [0, ""]);
  assertEquals(half.stdout, (await world.amof(["ecosystem", "--help"])).stdout);
  // A flag that does not exist is no question, and a program is told that this is no command.
  const wrong = await world.amof(["--nonsense"]);
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
  const program = await world.amof(["ecosystem", "--json"]);
  assertEquals(program.code, 2);
  assertStringIncludes(String(program.json()["message"]), '"ecosystem" needs another word');
});

Deno.test("amof help TOPIC explains what is the same for all commands", async () => {
  await using world = await World.make();
  const overview = (await world.amof(["help"])).stdout;
  for (const topic of ["exit-codes", "modes", "environment", "json", "confirmation"]) {
    const ran = await world.amof(["help", topic]);
    assertEquals([ran.code, ran.stderr], [0, ""], topic);
    assert(ran.stdout.split("\n").length > 4, topic);
    assertStringIncludes(overview, `help ${topic} `);
  }
  const near = await world.amof(["help", "exit-code"]);
  assertEquals(near.code, 2);
  assertStringIncludes(near.stderr, 'did you mean "exit-codes"?');
});

Deno.test("amof points from the words of git to its own", async () => {
  await using world = await World.make();
  const habits: readonly (readonly [string, string])[] = [
    ["ls", "amof ecosystem list"],
    ["pull", "amof sync"],
    ["fetch", "amof status --fetch"],
    ["commit", "amof push --commit"],
    ["init", "amof ecosystem create NAME"],
    ["clone", "amof install"],
    ["config", "amof manifest show"],
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
      assertMatch(ran.stderr, new RegExp(`^hint: .*${hint}`, "m"));
    }
  }
});

Deno.test("amof tells a wrong value in the words of the command line", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  for (
    const [args, message, hint] of [
      [
        ["runs", "list", "--limit", "100000"],
        "amof runs list: --limit must be at most 200",
        "runs list",
      ],
      [["ticket", "switch"], "amof ticket switch: TICKET_ID is missing", "ticket switch"],
      [["mcp", "config", "nano"], "amof mcp config: HOST must be one of", "mcp config"],
      [["ecosystem", "create", "a b"], "amof ecosystem create: NAME must be", "ecosystem create"],
    ] as const
  ) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 2);
    assertStringIncludes(ran.stderr, `Cannot run ${message}`);
    assertStringIncludes(ran.stderr, `hint: See: amof ${hint} --help`);
    assertNotMatch(ran.stderr, /ticket_id|expected|received|Invalid/);
  }
});

Deno.test("amof help COMMAND is amof COMMAND --help, of groups as well", async () => {
  await using world = await World.make();
  for (const words of [["push"], ["ticket"], ["agentpack"]]) {
    const ran = await world.amof(["help", ...words]);
    assertEquals(ran, { ...(await world.amof([...words, "--help"])), json: ran.json });
    assertStringIncludes(ran.stdout, `Usage: amof ${words.join(" ")}`);
  }
});

Deno.test("amof --help lists every command that a person can call", async () => {
  await using world = await World.make();
  for (const args of [["--help"], ["-h"], ["help"]]) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 0);
    assertEquals(ran.stderr, "");
    for (const entry of ENTRIES) {
      const shown = new RegExp(`^  ${entry.path.join(" ")} `, "m").test(ran.stdout);
      assertEquals(
        shown,
        !(entry.kind === "program" && entry.hidden === true),
        entry.path.join(" "),
      );
    }
  }
});

Deno.test("amof COMMAND --help explains every command, outside of every control repository too", async () => {
  await using world = await World.make();
  for (const entry of ENTRIES) {
    const words = entry.path.join(" ");
    const ran = await world.amof([...entry.path, "--help"]);
    assertEquals(ran.code, 0, words);
    assertEquals(ran.stderr, "", words);
    assertStringIncludes(ran.stdout, `Usage: amof ${words}`, words);
    assertStringIncludes(ran.stdout, entry.summary, words);
    for (const example of entry.examples) assertStringIncludes(ran.stdout, `  amof ${example}`);
  }
});

Deno.test("amof GROUP --help lists the commands of the group", async () => {
  await using world = await World.make();
  const groups = new Set(
    ENTRIES.filter((entry) => entry.path.length > 1).map((entry) => entry.path[0] ?? ""),
  );
  for (const group of groups) {
    const ran = await world.amof([group, "--help"]);
    assertEquals(ran.code, 0, group);
    for (const entry of ENTRIES.filter((candidate) => candidate.path[0] === group)) {
      if (entry.kind === "program" && entry.hidden) continue;
      assertStringIncludes(ran.stdout, entry.path.join(" "));
    }
  }
});

Deno.test("amof parses every example of every command", async () => {
  const words: string[] = [];
  for (const entry of ENTRIES) {
    for (const example of entry.examples) {
      const taken = takeWords(split(example), ENTRIES);
      assertEquals(taken.words, entry.path, example);
      words.push(example);
      // What is behind its words is a command line of its own.
      if (entry.kind === "program" && entry.delegate !== undefined) continue;
      const invocation = await parseInvocation(entry, taken.rest);
      // Throws when the arguments do not fit the schema.
      if (entry.kind !== "program") await parseArguments(entry, invocation.args, "cli");
    }
  }
  assert(words.length >= ENTRIES.length - 1);
});

Deno.test("amof --version prints the version", async () => {
  await using world = await World.make();
  for (const args of [["--version"], ["-V"]]) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 0);
    assertEquals(ran.stdout, `amof ${VERSION}\n`);
    assertEquals(ran.stderr, "");
  }
});

Deno.test("amof COMMAND --version prints the version and does not act", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const before = await world.fingerprint();
  for (const flag of ["--version", "-V"]) {
    const ran = await world.amof(["ecosystem", "create", "shop", flag]);
    assertEquals(ran.code, 0);
    assertEquals(ran.stdout, `amof ${VERSION}\n`);
  }
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof COMMAND --help explains and does not act", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const before = await world.fingerprint();
  for (const flag of ["--help", "-h"]) {
    const ran = await world.amof(["ecosystem", "create", "shop", flag]);
    assertEquals(ran.code, 0);
    assertStringIncludes(ran.stdout, "Usage: amof ecosystem create");
  }
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof paints only when it may", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const list = ["ecosystem", "list"];
  const plain = { NO_COLOR: "" };
  assertMatch((await world.amof([...list, "--color", "always"], { env: plain })).stdout, ESCAPE);
  assertNotMatch((await world.amof([...list, "--color=never"], { env: plain })).stdout, ESCAPE);
  // A pipe is no terminal.
  assertNotMatch((await world.amof(list, { env: plain })).stdout, ESCAPE);
  const json = await world.amof([...list, "--json", "--color=always"], { env: plain });
  assertNotMatch(json.stdout, ESCAPE);
  assertEquals(pick(json.json(), "ecosystems", 0, "name"), "demo");
});

Deno.test("amof --quiet says nothing but the answer", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  const loud = await world.amof(["status"]);
  assertMatch(loud.stderr, /^Next:$/m);
  const quiet = await world.amof(["status", "-q"]);
  assertEquals(quiet.stdout, loud.stdout);
  assertEquals(quiet.stderr, "");
  const push = await world.amof(["push", "--yes", "--quiet"]);
  assertEquals(push.code, 0);
  assertEquals(push.stderr, "");
  assertStringIncludes(push.stdout, "Pushed 1 repo successfully.");
});

Deno.test("amof suggests commands that can be pasted", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  const ran = await world.amof(["status"]);
  const suggested = ran.stderr.split("\n").filter((line) => line.startsWith("  amof "));
  assert(suggested.length > 0);
  for (const line of suggested) {
    const taken = takeWords(split(line.slice("  amof ".length)), ENTRIES);
    const entry = ENTRIES.find((candidate) => candidate.path.join(" ") === taken.words.join(" "));
    if (entry === undefined) throw new Error(`There is no such command: ${line}`);
    await parseInvocation(entry, taken.rest);
  }
});

Deno.test("amof takes a closed output for no failure", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  for (const args of [["ecosystem", "list"], ["ecosystem", "list", "--json"], ["--help"]]) {
    const child = world.start(args);
    const errors = new Response(child.stderr).text();
    await child.stdout.cancel();
    const { code } = await child.status;
    assertEquals(code, 0, args.join(" "));
    assertNotMatch(await errors, /error|BrokenPipe|EPIPE|^\s+at /im);
  }
});

Deno.test({
  name: "amof in a pipe to head is no failure",
  ignore: !POSIX, // a shell pipe
  async fn() {
    await using world = await World.withEcosystem({ repos: [] });
    const ran = await world.command("sh", [
      "-c",
      // The exit code of the program itself, behind a reader that goes away at once.
      '{ "$@" ecosystem list --json; echo "code $?" >&2; } | head -c 1',
      "sh",
      ...(await import("../support/world.ts")).program(),
    ]);
    assertEquals(ran.stdout, "{");
    assertEquals(ran.stderr, "code 0\n");
  },
});

Deno.test("amof cleans a hostile commit message before it shows it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/T-1");
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
  const message = "--message=Fine \u001b[31mred\u001b]0;title\u0007 \u202egnp\u200b";
  const planned = await world.amof(["push", "--commit", message, "--dry-run"]);
  assertStringIncludes(planned.stdout, "Commit message: Fine red gnp");
  const pushed = await world.amof(["push", "--commit", message, "--yes", "--verbose"]);
  assertEquals(pushed.code, 0);
  for (const { stdout, stderr } of [planned, pushed]) {
    // deno-lint-ignore no-control-regex -- control characters are what must not be there
    assertNotMatch(stdout + stderr, /[\u001b\u0007\u202e\u200b]/);
  }
});

const EVIL = "\u001b[2J\u202egnp";

/** Calls that repeat a hostile argument in their error, by who reads the argument. */
const HOSTILE: readonly (readonly [string, readonly (readonly string[])[]])[] = [
  ["words and flags", [["status", EVIL], ["status", `--${EVIL}`]]],
  ["names", [
    ["-e", EVIL, "status"],
    ["--root", EVIL, "status"],
    ["-e", "demo", "status", "--repo", EVIL],
    ["ecosystem", "create", EVIL],
    ["ecosystem", "create", "shop", "--repo", EVIL],
    ["confirm", EVIL],
  ]],
  ["commands", [[EVIL], ["runs", EVIL]]],
  ["values of flags", [
    ["status", "--mode", EVIL],
    ["status", "--color", EVIL],
    ["status", "--jobs", EVIL],
    ["runs", "list", "--status", EVIL],
  ]],
];

for (const [what, calls] of HOSTILE) {
  Deno.test(`amof repeats nothing hostile of ${what} it was given`, async () => {
    await using world = await World.installed({ repos: [] });
    for (const args of calls) {
      const ran = await world.amof(args);
      assert(ran.code !== 0);
      // deno-lint-ignore no-control-regex -- control characters are what must not be there
      assertNotMatch(ran.stdout + ran.stderr, /[\u001b\u202e]/, JSON.stringify(args));
    }
  });
}
