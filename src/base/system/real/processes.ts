/** Processes of the machine. */

import { defined } from "../../object.ts";
import type { Processes, ProcessIdentity, ProcessRequest } from "../mod.ts";
import { feed, run, signal } from "./run.ts";
import { fileOf } from "./posix_spawn.ts";
import { environment, inputOf } from "./spawn.ts";
import { procText } from "./stamps.ts";

/** The argument vector that starts this very program; `deno run` needs the entry module besides. */
function selfArguments(): readonly string[] {
  return Deno.build.standalone
    ? [Deno.execPath()]
    : [Deno.execPath(), "run", "--quiet", "--allow-all", Deno.mainModule];
}

/** Who this process is, or the question for it that is under way. */
let myself: Promise<ProcessIdentity> | undefined;

/** Asked once: it does not change, and asking takes a program. */
function me(): Promise<ProcessIdentity> {
  myself ??= inspect(Deno.pid).then((found) =>
    found ?? { pid: Deno.pid, startedAt: null, bootId: null }
  );
  return myself;
}

/**
 * Starts a program in a process group of its own whose parent is none of our processes. A host may end all that
 * descends from its server. Answers its number; 0 where the system has no way to do so.
 */
async function startedApart(
  argv: readonly string[],
  options: Pick<ProcessRequest, "cwd" | "env" | "clearEnv">,
): Promise<number> {
  const setsid = Deno.build.os === "linux" ? fileOf({ command: "setsid", args: [] }) : null;
  if (setsid === null) return 0;
  // Who writes to a pipe that nobody reads any more is ended by it.
  const words = ["/bin/sh", "-c", 'echo $$; exec "$@" >/dev/null 2>&1', "sh", ...argv];
  const { stdout } = await run({ ...options, command: setsid, args: ["--fork", "--", ...words] });
  return Number(stdout);
}

/** The processes of this machine. */
export const realProcesses: Processes = {
  run,
  signal,
  self: selfArguments,

  async detach(argv, options) {
    const [command, ...args] = argv;
    if (command === undefined) throw new TypeError("Cannot start a program without a name");
    const pid = await startedApart(argv, options);
    if (pid > 0) return await inspect(pid) ?? { pid, startedAt: null, bootId: null };
    const child = new Deno.Command(command, {
      args,
      cwd: options.cwd,
      env: { ...options.env },
      clearEnv: options.clearEnv ?? false,
      detached: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const identity = await inspect(child.pid);
    child.unref();
    return identity ?? { pid: child.pid, startedAt: null, bootId: null };
  },

  async attach(argv, { input, cwd, signal: end, ...options } = {}) {
    const [command, ...args] = argv;
    if (command === undefined) return null;
    try {
      const child = new Deno.Command(command, {
        args,
        ...environment(options),
        ...defined({ cwd }),
        stdin: input === undefined ? "inherit" : "piped",
        stdout: "inherit",
        stderr: "inherit",
      }).spawn();
      const stop = () => void signal(child.pid, "SIGTERM", false);
      end?.addEventListener("abort", stop, { once: true });
      if (input !== undefined) await feed(inputOf(child.stdin), input);
      const { code } = await child.status;
      end?.removeEventListener("abort", stop);
      return code;
    } catch {
      return null;
    }
  },

  me,

  async endOrphans(leader) {
    // While a group has members, the system gives its number to no new process. So a number without a process
    // that still names a group can only name the old one.
    const mine = await me();
    const sameBoot = leader.bootId === null || mine.bootId === null ||
      leader.bootId === mine.bootId;
    if (!sameBoot || await inspect(leader.pid) !== null) return;
    // Killed processes take a moment to go; whoever asked may rely on their being gone.
    for (let turn = 0; turn < 40 && signal(leader.pid, "SIGKILL", true); turn++) {
      if (!await hasLiving(leader.pid)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  },

  async findMarked(mark) {
    const { findMarked } = await import("./marked.ts");
    return await findMarked(mark, { run, inspect });
  },

  async endMarked(mark, how = {}) {
    const { endMarked } = await import("./marked.ts");
    return await endMarked(mark, how, { run, signal });
  },

  async isAlive(identity) {
    const now = identity.pid === Deno.pid ? await me() : await inspect(identity.pid);
    if (now === null) return false;
    const same = (a: string | null, b: string | null) => a === null || b === null || a === b;
    return same(identity.bootId, now.bootId) && same(identity.startedAt, now.startedAt);
  },
};

// Which process a number stands for, and whether it still does.

/** Start time and boot of a process, as far as the platform tells; null when there is no such process. */
export async function inspect(pid: number): Promise<ProcessIdentity | null> {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (Deno.build.os === "linux") {
    const [bootId, stat] = [
      procText("/proc/sys/kernel/random/boot_id"),
      procText(`/proc/${pid}/stat`),
    ];
    if (bootId !== "") {
      // The name in parentheses may hold anything, also a line break; the fields are counted after the last one.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).trim().split(" ");
      if (stat === "" || fields[0] === "Z" || fields[0] === "X") return null;
      return { pid, startedAt: fields[19] ?? null, bootId: bootId.trim() };
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
async function hasLiving(group: number): Promise<boolean> {
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
