/**
 * What goes to which output: one JSON object, colours, quiet, closed pipes, nothing hostile.
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
import { pick } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** Shell scripts are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

// deno-lint-ignore no-control-regex -- control characters are what must not be there
const ESCAPE = /\u001b/;

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
  // Next steps are for people, and this is a pipe.
  assertEquals(loud.stderr, "");
  const quiet = await world.amof(["status", "-q"]);
  assertEquals(quiet.stdout, loud.stdout);
  assertEquals(quiet.stderr, "");
  const push = await world.amof(["push", "--yes", "--quiet"]);
  assertEquals(push.code, 0);
  assertEquals(push.stderr, "");
  assertStringIncludes(push.stdout, "Pushed 1 repo successfully.");
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
