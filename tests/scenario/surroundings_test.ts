/**
 * What the environment of a call decides: where files are kept, and whether text is painted.
 *
 * @module
 */

import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { program, World } from "../support/world.ts";

/** A shell, and `script` of util-linux. */
const LINUX = Deno.build.os === "linux";
// deno-lint-ignore no-control-regex
const ESCAPE = /\u001b\[/;

const HOMES: readonly (readonly [string, Record<string, string>])[] = [
  ["HOME is empty", { HOME: "" }],
  ["HOME is relative", { HOME: "here" }],
  ["XDG variables are relative or empty", {
    HOME: "",
    XDG_STATE_HOME: "here",
    XDG_CONFIG_HOME: "",
    XDG_DATA_HOME: "./here",
    XDG_CACHE_HOME: "here",
  }],
];

for (const [what, env] of HOMES) {
  Deno.test(`amof keeps nothing in the working directory where ${what}`, async () => {
    await using world = await World.withEcosystem({ repos: ["api"] });
    const before = await world.fingerprint();
    const without = { ...env, AMOF_HOME: "" };
    const ran = await world.amof(["install", "--yes", "--json"], { env: without });
    assertEquals([ran.code, pick(ran.json(), "error")], [2, "invalid_arguments"], ran.stdout);
    assertStringIncludes(String(pick(ran.json(), "message")), "HOME is not set to an absolute");
    assertStringIncludes(String(pick(ran.json(), "hint")), "AMOF_HOME");
    const { stderr } = await world.amof(["doctor"], { env: without });
    assertEquals(stderr.split("HOME is not set").length, 2, stderr);
    for (const command of ["init", "status"]) {
      const pack = await world.amof(["agentpack", command, "--yes", "--json"], { env: without });
      assertEquals(pack.code, 1, pack.stdout);
      const [error] = rows(pack.json(), "errors");
      assertEquals(pick(error, "code"), "E_IO_INVALID_PATH");
      assertStringIncludes(String(pick(error, "details", "hint")), "AGENTPACK_HOME and AMOF_HOME");
    }
    assertEquals(await world.changesSince(before), []);
  });
}

Deno.test("amof needs no HOME where AMOF_HOME or one XDG directory is enough", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const state = join(world.directory, "elsewhere");
  for (const env of [{ HOME: "" }, { HOME: "", AMOF_HOME: "", XDG_STATE_HOME: state }]) {
    const ran = await world.amof(["audit", "--json"], { env });
    assertEquals(ran.code, 0, ran.stdout);
  }
  assertEquals((await world.amof(["--version"], { env: { HOME: "", AMOF_HOME: "" } })).code, 0);
});

const WRONG: readonly (readonly string[])[] = [
  ["agentpack", "nonsense"],
  ["agentpack", "status", "--nonsense"],
  ["agentpack", "help", "--nonsense"],
  ["agentpack", "status"],
  ["nonsense"],
];

Deno.test("amof paints no complaint of either command line in a pipe", async () => {
  await using world = await World.make();
  for (const args of WRONG) {
    const ran = await world.amof(args, { env: { NO_COLOR: "" } });
    assertMatch(ran.stderr, /^error: /m);
    assertNotMatch(ran.stderr + ran.stdout, ESCAPE, args.join(" "));
  }
});

Deno.test({
  name: "amof paints at a terminal unless it is told not to, or the terminal cannot show it",
  ignore: !LINUX,
  async fn() {
    await using world = await World.make();
    const file = join(world.directory, "errors");
    const screen = async (args: readonly string[], env: Record<string, string>, after = "") => {
      const line = `${[...program(), ...args].map((word) => `'${word}'`).join(" ")}${after}`;
      const vector = ["--quiet", "--return", "--command", line, "/dev/null"];
      const ran = await world.command("script", vector, {
        env: { SHELL: "/bin/sh", TERM: "xterm", NO_COLOR: "", ...env },
      });
      return ran.stdout;
    };
    for (const args of WRONG) {
      assertMatch(await screen(args, {}), ESCAPE, args.join(" "));
      assertNotMatch(await screen(args, { TERM: "dumb" }), ESCAPE, args.join(" "));
      assertNotMatch(await screen(args, { NO_COLOR: "1" }), ESCAPE, args.join(" "));
      for (const color of [["--color", "never"], ["--color=never"]]) {
        assertNotMatch(await screen([...args, ...color], {}), ESCAPE, args.join(" "));
      }
      await screen(args, {}, ` 2>'${file}'`);
      const written = await Deno.readTextFile(file);
      assertMatch(written, /error: /);
      assertNotMatch(written, ESCAPE, args.join(" "));
    }
  },
});
