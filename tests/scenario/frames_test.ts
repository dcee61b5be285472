/**
 * How many functions stand between a command line and the git that it starts in the end. One that only hands on costs
 * every reader of a stack trace a line.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { bundle } from "../support/bundle.ts";
import { newDirectory } from "../support/place.ts";
import { World } from "../support/world.ts";

/** The program, which notes how the work of a push comes to start git: through the runtime, or the C library. */
const TRACED = `
Error.stackTraceLimit = Infinity;
const note = () => {
  const stack = new Error().stack ?? "";
  if (!/execute .*[/]push-/.test(stack)) return;
  Deno.writeTextFileSync(new URL("stack", import.meta.url), stack);
};
const { Command, dlopen } = Deno;
Deno.Command = class extends Command {
  constructor(...given) {
    super(...given);
    note();
  }
};
Deno.dlopen = (name, functions) => {
  const { symbols } = dlopen(name, functions);
  const { posix_spawn: spawn } = symbols;
  if (spawn === undefined) return { symbols };
  return { symbols: { ...symbols, posix_spawn: (...given) => (note(), spawn(...given)) } };
};
await import("./main.js");
`;

Deno.test({
  name: "at most 22 frames stand between amof push and git push",
  ignore: Deno.env.get("AMOF_BIN") !== undefined || Deno.build.os === "windows",
  async fn() {
    const directory = newDirectory();
    await bundle(fromFileUrl(new URL("../../main.ts", import.meta.url)), directory);
    await Deno.writeTextFile(join(directory, "traced.js"), TRACED);
    await using world = await World.installed();
    const clone = world.clone("api");
    await Deno.writeTextFile(join(clone, "new.txt"), "new");
    await world.git(clone, "add", ".");
    await world.git(clone, "commit", "--quiet", "-m", "New");
    const flags = [
      "--quiet",
      "--allow-all",
      "--no-config",
      "--no-lock",
      "--unstable-worker-options",
    ];
    const push = ["push", "--repo", "api", "--allow-base", "--yes"];
    const ran = await world.command(
      Deno.execPath(),
      ["run", ...flags, join(directory, "traced.js"), ...push],
      { cwd: world.control },
    );
    assertEquals(ran.code, 0, ran.stderr);
    const stack = await Deno.readTextFile(join(directory, "stack"));
    const frames = stack.split("\n").filter((line) => /^ +at /.test(line)).slice(2);
    assert(frames.at(-1)?.includes("/main.js") === true, `the stack is cut off:\n${stack}`);
    assert(frames.length <= 22, `${frames.length} frames:\n${stack}`);
  },
});
