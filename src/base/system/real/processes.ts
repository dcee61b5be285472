/** Processes of the machine. */

import { defined } from "../../object.ts";
import type { Helpers, Processes, ProcessIdentity, ProcessRequest, ProcessResult } from "../mod.ts";
import { withoutParent } from "./group.ts";
import { environment, feed, run, signal } from "./run.ts";
import { Slots } from "../../async/pool.ts";
import { Helper } from "./helper.ts";

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

// Which process a number stands for, and whether it still does.

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

// Small processes that start programs for this one. This process takes about a millisecond to start another, because
// the system copies the tables of a large memory for that, and it starts one after the other. A shell takes a
// fraction of it, and several do it at the same time. Each runs one fixed script: what is run was given to it as its
// arguments, where is a line of its input, and neither is ever read as part of a script.

/** The most helpers of one kind of call. What is more at once, this process starts itself. */
const MOST = 8;
/**
 * Names that every shell hands on to the programs it starts, functions, which it may, and the one that a task of Deno
 * leaves behind, which nobody reads.
 */
const HANDED_ON = /^(?:[A-Za-z_][A-Za-z0-9_]*|BASH_FUNC_.*|\?)$/;
/** Variables by which a shell would do something else than its script says. */
const TURNING = /^(?:SHELLOPTS|BASHOPTS|amof_.*)$/;

type Environment = NonNullable<ProcessRequest["env"]>;

/** The helpers for calls that differ only in where they run. */
interface Family {
  /** The first call of the kind. */
  readonly like: ProcessRequest;
  /** Whether a shell hands its environment on as it is. */
  readonly isHandedOn: boolean;
  helpers: Helper[];
  /** Whether it is known that there is more than one call of the kind. */
  isLarge: boolean;
}

/** Whether a helper can run it: it needs to be told the directory alone, by a line. */
function isSimple(request: ProcessRequest): request is ProcessRequest & { readonly cwd: string } {
  const { cwd, stdin } = request;
  return cwd !== undefined && cwd.startsWith("/") && !cwd.includes("\n") && cwd.isWellFormed() &&
    stdin === undefined;
}

/** Whether two calls differ only in where they run. Asked for each call, so nothing is made for it. */
function isAlike(one: ProcessRequest, other: ProcessRequest): boolean {
  return one.command === other.command && one.clearEnv === other.clearEnv &&
    one.args.length === other.args.length &&
    one.args.every((argument, index) => argument === other.args[index]) &&
    hasSame(one.env ?? {}, other.env ?? {});
}

function hasSame(one: Environment, other: Environment): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && one[name] === other[name]);
}

/** Whether a shell hands a variable on as it is, and does what it would do without. */
function isHandedOn(name: string): boolean {
  return HANDED_ON.test(name) && !TURNING.test(name);
}

/** Helpers of this process. */
class RealHelpers implements Helpers {
  /** How many calls can be given to these at once, so that as many run as were asked for and none waits for this process. */
  readonly lanes: number;
  readonly #most: number;
  /** Turns for what this process starts itself. */
  readonly #own: Slots;
  readonly #families: Family[] = [];
  readonly #all: Helper[] = [];
  #usable = Object.keys(Deno.env.toObject()).every(isHandedOn);

  /** For at most `jobs` programs at once. */
  constructor(jobs: number) {
    const most = Math.max(1, jobs);
    this.#most = Math.min(MOST, most);
    this.lanes = most + this.#most;
    this.#own = new Slots(most);
  }

  async run(request: ProcessRequest): Promise<ProcessResult | null> {
    if (!this.#usable || !isSimple(request) || request.signal?.aborted) return null;
    const family = this.#familyOf(request);
    if (!family.isHandedOn) return null;
    const [free] = family.helpers.filter(({ isReady }) => isReady)
      .sort((one, other) => one.taken - other.taken);
    const helper = free?.taken === 0 ? free : this.#start(family, request) ?? free;
    return await helper?.run(request) ?? null;
  }

  turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#own.turn(work);
  }

  async close(): Promise<void> {
    this.#usable = false;
    await Promise.all(this.#all.map((helper) => helper.close()));
  }

  #familyOf(request: ProcessRequest): Family {
    const known = this.#families.find(({ like }) => isAlike(like, request));
    if (known !== undefined) {
      known.isLarge = true;
      return known;
    }
    const family: Family = {
      like: request,
      isHandedOn: Object.keys(request.env ?? {}).every(isHandedOn),
      helpers: [],
      // The first question of a process is asked of all repositories; others may be asked once only.
      isLarge: this.#families.length === 0,
    };
    this.#families.push(family);
    return family;
  }

  #start(
    family: Family,
    request: ProcessRequest & { readonly cwd: string },
  ): Helper | null {
    family.helpers = family.helpers.filter(({ isSound }) => isSound);
    if (!family.isLarge || family.helpers.length >= this.#most) return null;
    try {
      const helper = new Helper(request);
      family.helpers.push(helper);
      this.#all.push(helper);
      return helper;
    } catch {
      // Where no shell can be started, this process starts all programs itself.
      this.#usable = false;
      return null;
    }
  }
}
