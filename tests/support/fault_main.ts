/**
 * The real program, except that it kills itself at a chosen effect: `FAULT_AT` counts the changes it makes to
 * files and repositories, `FAULT_PHASE` says whether it dies before or after that change, `FAULT_IN` whether the
 * worker or the calling process dies.
 *
 * @module
 */

import { runCommandLine } from "../../src/cli/main.ts";
import { isReadOnlyGit } from "../../src/git/mod.ts";
import type { Files, Processes, System } from "../../src/system/mod.ts";
import { realSystem } from "../../src/system/real/mod.ts";

const at = Number(Deno.env.get("FAULT_AT") ?? "0");
const before = Deno.env.get("FAULT_PHASE") !== "after";
const counted = (Deno.args[0] === "run-worker") === (Deno.env.get("FAULT_IN") === "worker");
let effects = 0;

function die(): void {
  Deno.kill(Deno.pid, "SIGKILL");
}

/** Counts a change and dies at the chosen one. */
async function effect<T>(work: () => Promise<T>): Promise<T> {
  const chosen = counted && ++effects === at;
  if (chosen && before) die();
  const result = await work();
  if (chosen && !before) die();
  return result;
}

function faulty(system: System): System {
  const { files, processes } = system;
  const changing: Pick<
    Files,
    "write" | "create" | "makeDirectory" | "rename" | "remove" | "removeTree"
  > = {
    write: (...args) => effect(() => files.write(...args)),
    create: (...args) => effect(() => files.create(...args)),
    makeDirectory: (path) => effect(() => files.makeDirectory(path)),
    rename: (from, to) => effect(() => files.rename(from, to)),
    remove: (path) => effect(() => files.remove(path)),
    removeTree: (path) => effect(() => files.removeTree(path)),
  };
  const run: Processes["run"] = (request) =>
    isReadOnlyGit(request) || request.command === "cat"
      ? processes.run(request)
      : effect(() => processes.run(request));
  return { ...system, files: { ...files, ...changing }, processes: { ...processes, run } };
}

Deno.exit(await runCommandLine(faulty(realSystem()), Deno.args));
