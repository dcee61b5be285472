/** Who holds the state database, where a call failed because somebody does. */

import { AmofError } from "../base/error.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import type { App } from "./app.ts";

/** The inodes of the files of the database, as text. */
async function inodes(app: App): Promise<Set<string>> {
  const { database } = app.layout;
  const told = await app.system.processes.run({
    command: "stat",
    args: ["-c", "%i", database, `${database}-shm`, `${database}-wal`],
    timeoutMs: 2_000,
  });
  return new Set(told.stdout.split("\n").filter((line) => line !== ""));
}

/** The process that has a write lock on the database, with its name; null where the platform does not tell. */
async function holder(app: App): Promise<{ pid: number; program: string } | null> {
  const { env, processes } = app.system;
  if (env.platform !== "linux") return null;
  const cat = (path: string) => processes.run({ command: "cat", args: [path], timeoutMs: 2_000 });
  const files = await inodes(app);
  const me = await processes.me();
  for (const line of (await cat("/proc/locks")).stdout.split("\n")) {
    // "1: POSIX  ADVISORY  WRITE 4242 fe:00:131 120 120"; those who wait have an arrow behind the number.
    const [, , , kind, pid, place] = line.split(/\s+/);
    if (kind !== "WRITE" || !files.has(place?.split(":")[2] ?? "")) continue;
    if (Number(pid) <= 0 || Number(pid) === me.pid) continue;
    const program = (await cat(`/proc/${pid}/comm`)).stdout.trim();
    if (program !== "") return { pid: Number(pid), program: cleanLine(program, 40) };
  }
  return null;
}

/** What was thrown, with the program that is in the way where the state database was held. */
export async function withDatabaseHolder(app: App, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof AmofError) || thrown.code !== "state_busy") return thrown;
  const found = await holder(app);
  if (found === null) return thrown;
  const { pid, program } = found;
  return new AmofError(
    "state_busy",
    `Cannot use the state database: "${program}" (process ${pid}) holds it and does not let go`,
    {
      hint: `Repeat in a moment, or end that program: process ${pid}`,
      details: { pid, program },
      cause: thrown,
    },
  );
}
