/**
 * Help and version: everything is explained, and nothing is done meanwhile.
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
import { parseArguments } from "../../src/pipeline/common.ts";
import { parseInvocation } from "../../src/pipeline/line/parse.ts";
import { takeWords } from "../../src/pipeline/line/words.ts";
import { VERSION } from "../../src/base/version.ts";
import { World } from "../support/world.ts";
import { split } from "./_command_line.ts";
import { ENTRIES } from "../support/loaded.ts";

Deno.test("amof answers an unknown command with the nearest one", async () => {
  await using world = await World.make();
  const near: readonly (readonly [readonly string[], string])[] = [
    [["statsu"], 'Cannot find the command "statsu"; did you mean "status"?'],
    [
      ["ecosystem", "lst"],
      'Cannot find the command "ecosystem lst"; did you mean "ecosystem list"?',
    ],
    [["rums", "list"], 'Cannot find the command "rums"; did you mean "runs"?'],
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

Deno.test("amof answers an unknown flag with the nearest one", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const near: readonly (readonly [readonly string[], string])[] = [
    [["push", "--comit"], "Cannot use --comit: amof push has no such flag; did you mean --commit?"],
    [["status", "--rep=api"], "did you mean --repo?"],
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
  for (const words of [["deploy", "--engine", "cluster"], ["destroy", "--shards=2"]]) {
    const ran = await world.amof(["spin", ...words]);
    assertEquals(ran.code, 2);
    assertStringIncludes(ran.stderr, "hint: No engine makes environments");
  }
});

Deno.test("amof without a command, or with half of one, shows what there is", async () => {
  await using world = await World.make();
  assertEquals(await world.amof([]).then(({ code, stderr }) => [code, stderr]), [0, ""]);
  assertEquals((await world.amof(["-e", "demo"])).stdout, (await world.amof([])).stdout);
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

Deno.test("amof alone says what to begin with by how far somebody has come", async () => {
  await using empty = await World.make();
  await using listed = await World.withEcosystem({ repos: ["api"] });
  await using installed = await World.installed({ repos: ["api"] });
  const page = async (world: World) => {
    const ran = await world.amof([]);
    assertEquals([ran.code, ran.stderr], [0, ""]);
    assertStringIncludes(ran.stdout, "\nEvery day:\n");
    return ran.stdout;
  };
  assertMatch(
    await page(empty),
    /To begin:\n(?: .*\n)* {2}amof ecosystem create NAME --commit --from DIR /,
  );
  assertMatch(await page(listed), /To begin:\n {2}amof install {2,}/);
  assertNotMatch(await page(installed), /To begin:/);
  // A list that is broken is none that could be installed, and no reason not to answer.
  await listed.write("control/ecosystems/demo/ecosystem.yaml", "repos: [");
  assertMatch(await page(listed), /To begin:/);
});

Deno.test("a page of help that is asked for as JSON is a member of it", async () => {
  await using world = await World.make();
  for (const line of ["help", "help status", "status --help", "help flags"]) {
    const [plain, json] = [
      await world.amof(line.split(" ")),
      await world.amof([...line.split(" "), "--json"]),
    ];
    assertEquals([json.code, json.json()], [0, { help: plain.stdout }], line);
  }
});

Deno.test("amof help TOPIC explains what is the same for all commands", async () => {
  await using world = await World.make();
  const overview = (await world.amof(["help"])).stdout;
  for (const topic of ["flags", "exit-codes", "modes", "environment", "json", "confirmation"]) {
    const ran = await world.amof(["help", topic]);
    assertEquals([ran.code, ran.stderr], [0, ""], topic);
    assert(ran.stdout.split("\n").length > 4, topic);
    assertStringIncludes(overview, `help ${topic} `);
  }
  const near = await world.amof(["help", "exit-code"]);
  assertEquals(near.code, 2);
  assertStringIncludes(near.stderr, 'did you mean "exit-codes"?');
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
    assertStringIncludes(ran.stderr, `See: amof ${hint} --help`);
    assertNotMatch(ran.stderr, /ticket_id|expected|received|Invalid/);
    const names = args.join(" ") === "ticket switch";
    assertEquals(ran.stderr.includes("and which is active: amof ticket list\n"), names);
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

Deno.test("amof --help lists every command that a person can call, or the page that does", async () => {
  await using world = await World.make();
  const below = await world.amof(["stocktrim", "--help"]);
  for (const args of [["--help"], ["-h"], ["help"]]) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 0);
    assertEquals(ran.stderr, "");
    assertMatch(ran.stdout, /^ {2}stocktrim … /m);
    for (const entry of ENTRIES) {
      const page = entry.path[0] === "stocktrim" ? below : ran;
      const shown = new RegExp(`^  ${entry.path.join(" ")} `, "m").test(page.stdout);
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

Deno.test({
  name: "the binary keeps nothing of its own in the directory of temporary files",
  // From source the runtime keeps what it has compiled in a place of its own.
  ignore: Deno.env.get("AMOF_BIN") === undefined || Deno.build.os === "windows",
  async fn() {
    await using world = await World.installed({ repos: ["a"] });
    const TMPDIR = join(world.directory, "temporary");
    await Deno.mkdir(TMPDIR);
    // What a start finds there, the next one could run.
    for (const args of [["--version"], ["--help"], ["status"], ["status"]]) {
      assertEquals((await world.amof(args, { env: { TMPDIR } })).code, 0);
      assertEquals(await Array.fromAsync(Deno.readDir(TMPDIR)), [], args.join(" "));
    }
  },
});

Deno.test("amof --version --json tells version, commit, build and runtime, or the fields that are named", async () => {
  await using world = await World.make();
  const ran = await world.amof(["--version", "--json"], { env: { AMOF_DISTRIBUTION: "npm" } });
  assertEquals([ran.code, ran.stderr], [0, ""]);
  const { version, commit, build, distribution, runtime, platform } = ran.json();
  assertEquals([version, distribution], [VERSION, "npm"]);
  assertEquals(build, Deno.env.get("AMOF_BIN") ? "binary" : "source");
  if (build === "source") assertEquals(commit, null);
  else assertMatch(String(commit), /^[0-9a-f]{40,64}(?:-changed)?$/);
  // A binary has a runtime of its own.
  if (build === "source") assertEquals(runtime, navigator.userAgent);
  else assertMatch(String(runtime), /^Deno\/\d+\.\d+\.\d+$/);
  assertEquals(platform, Deno.build.os);
  const some = await world.amof(["status", "-V", "--json=version,build"]);
  assertEquals(some.json(), { version: VERSION, build });
  const wrong = await world.amof(["--version", "--json=colour"]);
  assertEquals([wrong.code, wrong.json()["error"]], [2, "invalid_arguments"]);
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
