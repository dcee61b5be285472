/** Finds and ends processes by what stands in their environment. */

import type { Processes, ProcessIdentity } from "../mod.ts";

/** How long to wait between two looks. */
const TURN_MS = 25;
/** How many looks are taken after the kill before whatever is left counts as immortal: one second. */
const KILL_TURNS = 40;

type Tools = Pick<Processes, "run" | "signal">;

/** The processes with a NAME=VALUE in their environment; none where the platform hides it. */
async function marked(mark: string, { run }: Pick<Tools, "run">): Promise<number[]> {
  if (Deno.build.os === "linux") {
    // Reading /proc directly would need the permission for everything; these programs need only the one to be
    // run. Each looks only at what the user owns, and complains about the rest, which is not wanted.
    const found = await run({
      command: "find",
      args: [
        "/proc",
        "-maxdepth",
        "2",
        "-path",
        "/proc/[0-9]*/environ",
        "-exec",
        "grep",
        "-lszxF",
        "-e",
        mark,
        "{}",
        "+",
      ],
      timeoutMs: 10_000,
    });
    return [...found.stdout.matchAll(/^\/proc\/(\d+)\/environ$/gm)].map((match) => Number(match[1]))
      .filter((pid) => pid !== Deno.pid);
  }
  if (Deno.build.os === "darwin") {
    const listed = await run({
      command: "ps",
      args: ["-x", "-E", "-ww", "-o", "pid=", "-o", "command="],
      timeoutMs: 10_000,
    });
    return listed.stdout.split("\n").filter((line) => ` ${line} `.includes(` ${mark} `))
      .map((line) => Number.parseInt(line, 10)).filter((pid) => pid > 1 && pid !== Deno.pid);
  }
  return [];
}

/** Those of some processes that are neither daemons nor waiting to be collected; all where nobody can tell. */
async function withoutDaemons(pids: readonly number[], { run }: Tools): Promise<number[]> {
  const listed = await run({
    command: "ps",
    args: ["-o", "pid=,pgid=,comm=", "-p", pids.join(",")],
    timeoutMs: 5_000,
  });
  if (listed.startError !== null) return [...pids];
  return listed.stdout.split("\n").flatMap((line) => {
    const [pid = "", group, ...command] = line.trim().split(/\s+/);
    const name = command.join(" ").replace(/^.*\//, "");
    // A git that was started by us leads a group, too; everything else that does made it itself.
    return pid === "" || (pid === group && !name.startsWith("git")) ? [] : [Number(pid)];
  });
}

/** Finds marked processes, as {@linkcode Processes.findMarked} says. */
export async function findMarked(
  mark: string,
  { run, inspect }: Pick<Tools, "run"> & {
    readonly inspect: (pid: number) => Promise<ProcessIdentity | null>;
  },
): Promise<readonly ProcessIdentity[]> {
  const pids = await marked(mark, { run });
  if (pids.length === 0) return [];
  const listed = await run({
    command: "ps",
    args: ["-o", "pid=,ppid=", "-p", pids.join(",")],
    timeoutMs: 5_000,
  });
  const parents = new Map(
    listed.stdout.split("\n").map((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      return [pid, parent];
    }),
  );
  const first = pids.filter((pid) => !pids.includes(parents.get(pid) ?? 0));
  const found = await Promise.all(first.map(inspect));
  return found.filter((process) => process !== null);
}

/** Ends marked processes, as {@linkcode Processes.endMarked} says. */
export async function endMarked(
  mark: string,
  how: { readonly graceMs?: number; readonly spareDaemons?: boolean },
  tools: Tools,
): Promise<void> {
  const graceMs = how.graceMs ?? 0;
  const asked = new Set<number>();
  const begun = performance.now();
  // A dying process may have started another; and whoever asked may rely on all of them being gone.
  for (let kills = 0; kills < KILL_TURNS;) {
    const found = await marked(mark, tools);
    const pids = how.spareDaemons && found.length > 0 ? await withoutDaemons(found, tools) : found;
    if (pids.length === 0) return;
    // By the clock: on a machine with much to do a look takes longer than the time between two.
    const isOver = performance.now() - begun >= graceMs;
    if (isOver) kills++;
    for (const pid of pids) {
      if (isOver) tools.signal(pid, "SIGKILL", false);
      else if (!asked.has(pid)) tools.signal(pid, "SIGTERM", false);
      asked.add(pid);
    }
    await new Promise((resolve) => setTimeout(resolve, TURN_MS));
  }
}
