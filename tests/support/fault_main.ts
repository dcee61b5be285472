/**
 * The real program, except that a chosen effect goes wrong: `FAULT_AT` counts the changes it makes to files and
 * repositories, `FAULT_PHASE` says whether it dies `before` or `after` that change or whether the disk is `full`
 * from then on for that one change, `FAULT_IN` whether the worker or the calling process is meant. How many changes that
 * process made is written to the file `FAULT_TALLY`, if one is named.
 *
 * @module
 */

import { runCommandLine } from "../../src/cli/main.ts";
import { isReadOnlyGit } from "../../src/git/mod.ts";
import type { Files, Processes, System } from "../../src/system/mod.ts";
import { realSystem } from "../../src/system/real/mod.ts";

const at = Number(Deno.env.get("FAULT_AT") ?? "0");
const phase = Deno.env.get("FAULT_PHASE") ?? "before";
const counted = (Deno.args[0] === "run-worker") === (Deno.env.get("FAULT_IN") === "worker");
let effects = 0;

function die(): void {
  Deno.kill(Deno.pid, "SIGKILL");
}

const FULL = "No space left on device";

/** Counts a change and lets the chosen one go wrong; `full` is how it fails without room on the disk. */
async function effect<T>(work: () => Promise<T>, full: () => Promise<T>): Promise<T> {
  const chosen = counted && ++effects === at;
  if (chosen && phase === "before") die();
  if (chosen && phase === "full") return await full();
  const result = await work();
  if (chosen && phase === "after") die();
  return result;
}

function change<T>(work: () => Promise<T>): Promise<T> {
  return effect(
    work,
    () => Promise.reject(Object.assign(new Error(`${FULL} (os error 28)`), { code: "ENOSPC" })),
  );
}

function faulty(system: System): System {
  const { files, processes } = system;
  const changing: Pick<
    Files,
    | "write"
    | "create"
    | "duplicate"
    | "makeDirectory"
    | "rename"
    | "remove"
    | "removeTree"
    | "symlink"
  > = {
    write: (...args) => change(() => files.write(...args)),
    create: (...args) => change(() => files.create(...args)),
    duplicate: (...args) => change(() => files.duplicate(...args)),
    makeDirectory: (path) => change(() => files.makeDirectory(path)),
    rename: (from, to) => change(() => files.rename(from, to)),
    remove: (path) => change(() => files.remove(path)),
    removeTree: (path) => change(() => files.removeTree(path)),
    symlink: (target, path) => change(() => files.symlink(target, path)),
  };
  const run: Processes["run"] = (request) =>
    isReadOnlyGit(request) || request.command === "cat"
      ? processes.run(request)
      : effect(() => processes.run(request), async () => ({
        ...await processes.run({ command: "false", args: [] }),
        exitCode: 128,
        stderr: `fatal: write error: ${FULL}`,
      }));
  return { ...system, files: { ...files, ...changing }, processes: { ...processes, run } };
}

const code = await runCommandLine(faulty(realSystem()), Deno.args);
const tally = Deno.env.get("FAULT_TALLY");
if (tally !== undefined && counted) Deno.writeTextFileSync(tally, String(effects));
Deno.exit(code);
