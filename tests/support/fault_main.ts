/**
 * The real program, except that a chosen effect goes wrong.
 *
 * - `FAULT_AT` chooses one of the changes it makes to files and repositories, counted from 1.
 * - `FAULT_PHASE` says how the chosen change goes wrong. `before` and `after`: the program dies then. `within`:
 *   it dies while another program makes the change, and that one goes on. `full`: the disk is full for that one
 *   change.
 * - `FAULT_IN` says whether the worker or the calling process is meant.
 * - `FAULT_ON` counts only changes whose program, or path, has these words.
 * - `FAULT_TALLY` is a file to which the number of changes of that process is written, if it is named.
 *
 * @module
 */

import { runCommandLine } from "../../src/doors/cli/start.ts";
import { isReadOnlyGit } from "../../src/git/mod.ts";
import type { Files, Processes, ProcessRequest, System } from "../../src/base/system/mod.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";

const at = Number(Deno.env.get("FAULT_AT") ?? "0");
const phase = Deno.env.get("FAULT_PHASE") ?? "before";
const words = Deno.env.get("FAULT_ON") ?? "";
const counted = (Deno.args[0] === "run-worker") === (Deno.env.get("FAULT_IN") === "worker");
let effects = 0;

function die(): void {
  Deno.kill(Deno.pid, "SIGKILL");
}

const FULL = "No space left on device";

/** How long a program is let work before its caller dies, in milliseconds: it has begun by then. */
const WITHIN_MS = 8;

/** Counts a change and lets the chosen one go wrong; `full` is how it fails without room on the disk. */
async function effect<T>(
  what: string,
  work: () => Promise<T>,
  full: (() => Promise<T>) | null,
): Promise<T> {
  const chosen = counted && what.includes(words) && ++effects === at;
  if (chosen && phase === "before") die();
  if (chosen && phase === "within") setTimeout(die, full === null ? 0 : WITHIN_MS);
  if (chosen && phase === "full" && full !== null) return await full();
  const result = await work();
  if (chosen && phase === "after") die();
  return result;
}

function change<T>(path: string, work: () => Promise<T>): Promise<T> {
  return effect(
    path,
    work,
    () => Promise.reject(Object.assign(new Error(`${FULL} (os error 28)`), { code: "ENOSPC" })),
  );
}

function spoken({ command, args }: ProcessRequest): string {
  return [command, ...args].join(" ");
}

function faulty(system: System): System {
  const { files, processes } = system;
  const changing: Pick<
    Files,
    | "write"
    | "create"
    | "append"
    | "duplicate"
    | "makeDirectory"
    | "rename"
    | "remove"
    | "removeTree"
    | "symlink"
  > = {
    write: (...args) => change(args[0], () => files.write(...args)),
    create: (...args) => change(args[0], () => files.create(...args)),
    duplicate: (...args) => change(args[0], () => files.duplicate(...args)),
    append: (...args) => change(args[0], () => files.append(...args)),
    makeDirectory: (...args) => change(args[0], () => files.makeDirectory(...args)),
    rename: (from, to) => change(to, () => files.rename(from, to)),
    remove: (path) => change(path, () => files.remove(path)),
    removeTree: (path) => change(path, () => files.removeTree(path)),
    symlink: (target, path) => change(path, () => files.symlink(target, path)),
  };
  const run: Processes["run"] = (request) =>
    isReadOnlyGit(request) || request.command === "cat"
      ? processes.run(request)
      : effect(spoken(request), () => processes.run(request), async () => ({
        ...await processes.run({ command: "false", args: [] }),
        exitCode: 128,
        stderr: `fatal: write error: ${FULL}`,
      }));
  const detach: Processes["detach"] = (argv, options) =>
    effect(argv.join(" "), () => processes.detach(argv, options), null);
  return { ...system, files: { ...files, ...changing }, processes: { ...processes, run, detach } };
}

const code = await runCommandLine(faulty(realSystem()), Deno.args);
const tally = Deno.env.get("FAULT_TALLY");
if (tally !== undefined && counted) Deno.writeTextFileSync(tally, String(effects));
Deno.exit(code);
