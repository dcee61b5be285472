/** Processes of the machine. */

import { defined } from "../../object.ts";
import type { Processes, ProcessIdentity } from "../mod.ts";
import { RealHelpers } from "./helpers.ts";
import { withoutParent } from "./group.ts";
import { hasLiving, inspect } from "./identity.ts";
import { environment, run } from "./run.ts";
import { feed } from "./streams.ts";
import { signal } from "./signal.ts";

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

/** The processes of this machine. */
export const realProcesses: Processes = {
  run,
  signal,
  self: selfArguments,
  helpers: (jobs) => Deno.build.os === "windows" ? null : new RealHelpers(jobs),

  async detach(argv, options) {
    const [command, ...args] = argv;
    if (command === undefined) throw new TypeError("Cannot start a program without a name");
    const apart = withoutParent({ command, args, ...options });
    const { stdout = "" } = apart === null ? {} : await run({ ...options, ...apart });
    const pid = Number(stdout);
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
      if (input !== undefined) await feed(child.stdin, input);
      const { code } = await child.status;
      end?.removeEventListener("abort", stop);
      return code;
    } catch {
      return null;
    }
  },

  me,

  async endOrphans(leader) {
    // While a group has members its number is not given to a new process, so a number without a process that
    // still names a group can only name the old one.
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
