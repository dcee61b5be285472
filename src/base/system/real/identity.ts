/** Which process a number stands for, and whether it still does. */

import type { ProcessIdentity } from "../mod.ts";
import { run } from "./run.ts";

/** Start time and boot of a process, as far as the platform tells; null when there is no such process. */
export async function inspect(pid: number): Promise<ProcessIdentity | null> {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  // Reading /proc directly would need the permission for everything; `cat` needs only the one to run programs.
  if (Deno.build.os === "linux") {
    // One program for both files: it goes on when the second is gone.
    const { startError, stdout } = await run({
      command: "cat",
      args: ["/proc/sys/kernel/random/boot_id", `/proc/${pid}/stat`],
      timeoutMs: 5_000,
    });
    const [bootId = "", stat = ""] = stdout.split("\n");
    if (startError === null && bootId !== "") {
      // The name in parentheses may hold anything, also a line break; the fields are counted after the last one.
      const fields = stdout.slice(stdout.lastIndexOf(")") + 2).trim().split(" ");
      if (stat === "" || fields[0] === "Z" || fields[0] === "X") return null;
      return { pid, startedAt: fields[19] ?? null, bootId };
    }
  }
  if (Deno.build.os === "darwin") {
    const started = await run({
      command: "ps",
      args: ["-o", "lstart=", "-p", String(pid)],
      env: { LC_ALL: "C" },
      timeoutMs: 5_000,
    });
    if (started.exitCode !== 0 || started.stdout.trim() === "") return null;
    const boot = await run({
      command: "sysctl",
      args: ["-n", "kern.bootsessionuuid"],
      timeoutMs: 5_000,
    });
    return { pid, startedAt: started.stdout.trim(), bootId: boot.stdout.trim() || null };
  }
  return exists(pid) ? { pid, startedAt: null, bootId: null } : null;
}

function exists(pid: number): boolean {
  try {
    Deno.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Deno.errors.PermissionDenied;
  }
}

/** Whether a process group has a member that is not merely waiting to be collected; true where nobody can tell. */
export async function hasLiving(group: number): Promise<boolean> {
  const listed = await run({
    command: "ps",
    args: ["-e", "-o", "pgid=", "-o", "stat="],
    timeoutMs: 5_000,
  });
  if (listed.exitCode !== 0) return true;
  return listed.stdout.split("\n").some((line) => {
    const [pgid, state = "Z"] = line.trim().split(/\s+/);
    return Number(pgid) === group && !/^[ZX]/.test(state);
  });
}
