/**
 * Processes of the machine.
 *
 * @module
 */

import { defined } from "../../object.ts";
import type { Processes, ProcessIdentity, ProcessRequest, ProcessResult } from "../mod.ts";
import { lineCutter } from "./lines.ts";
import { endMarked } from "./marked.ts";

const DEFAULT_MAX_OUTPUT = 16 * 1024 * 1024;
/** How long a program may take to obey a polite end before it is killed. */
const GRACE_MS = 5_000;
/** How long to wait for streams that a grandchild still holds open after the program ended. */
const DRAIN_MS = 2_000;

/** The argument vector that starts this very program; `deno run` needs the entry module besides. */
function selfArguments(): readonly string[] {
  return Deno.build.standalone
    ? [Deno.execPath()]
    : [Deno.execPath(), "run", "--quiet", "--allow-all", Deno.mainModule];
}

function environment(request: ProcessRequest): { env: Record<string, string>; clearEnv: boolean } {
  const overrides = Object.entries(request.env ?? {});
  const set = Object.fromEntries(
    overrides.filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const removed = overrides.filter(([name, value]) =>
    value === null && Deno.env.get(name) !== undefined
  );
  if (request.clearEnv || removed.length === 0) {
    return { env: set, clearEnv: request.clearEnv ?? false };
  }
  const inherited = Deno.env.toObject();
  for (const [name] of removed) delete inherited[name];
  return { env: { ...inherited, ...set }, clearEnv: true };
}

function startError(
  error: unknown,
  cwd: string | undefined,
): NonNullable<ProcessResult["startError"]> {
  // The system says "not found" for both; only the program may then be what is missing.
  if (cwd !== undefined && !isDirectory(cwd)) return "bad_directory";
  if (error instanceof Deno.errors.NotFound) return "not_found";
  if (error instanceof Deno.errors.PermissionDenied) return "not_allowed";
  if (error instanceof Deno.errors.NotADirectory) return "bad_directory";
  return "other";
}

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

interface Collected {
  text: string;
  bytes: Uint8Array | null;
  truncated: boolean;
}

async function collect(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  stop: AbortSignal,
  onLine: ((line: string) => void) | undefined,
  onBytes: () => void,
  binary: boolean,
): Promise<Collected> {
  const reader = stream.getReader();
  const abandon = () => void reader.cancel().catch(() => {});
  stop.addEventListener("abort", abandon, { once: true });
  // The kept output is cut by bytes, which may split a character; lines therefore need a decoder of their own.
  const decoder = new TextDecoder();
  const lines = new TextDecoder();
  const cutter = onLine === undefined ? null : lineCutter(onLine, () => performance.now());
  const parts: string[] = [];
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let truncated = false;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) break;
      onBytes();
      cutter?.feed(lines.decode(value, { stream: true }));
      const room = Math.max(0, limit - kept);
      const part = value.subarray(0, room);
      if (room > 0) parts.push(decoder.decode(part, { stream: true }));
      if (room > 0 && binary) chunks.push(part);
      kept += value.length;
      truncated ||= kept > limit;
    }
  } catch {
    // An abandoned stream ends here; what was read so far is the answer.
  } finally {
    stop.removeEventListener("abort", abandon);
  }
  parts.push(decoder.decode());
  cutter?.feed(lines.decode());
  cutter?.end();
  return { text: parts.join(""), bytes: binary ? joined(chunks) : null, truncated };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Gives a program its input; answers why that input could not be had, or null. */
async function feed(
  stdin: WritableStream<Uint8Array>,
  input: NonNullable<ProcessRequest["stdin"]>,
): Promise<{ readonly error: unknown } | null> {
  const writer = stdin.getWriter();
  // A program that ends without reading its input is not an error of ours.
  const write = (bytes: Uint8Array) => writer.write(bytes).then(() => true, () => false);
  try {
    if (typeof input === "string") await write(new TextEncoder().encode(input));
    else if (input instanceof Uint8Array) await write(input);
    else for await (const bytes of input) if (!await write(bytes)) break;
  } catch (error) {
    return { error };
  }
  await writer.close().catch(() => {});
  return null;
}

async function run(request: ProcessRequest): Promise<ProcessResult> {
  const started = performance.now();
  const ended = (fields: Partial<ProcessResult>): ProcessResult => ({
    command: request.command,
    args: request.args,
    exitCode: -1,
    signal: null,
    timedOut: false,
    cancelled: false,
    startError: null,
    stdout: "",
    stderr: "",
    truncated: false,
    durationMs: performance.now() - started,
    ...fields,
  });
  if (request.signal?.aborted) return ended({ cancelled: true, exitCode: 130 });

  const group = request.ownGroup === true && Deno.build.os !== "windows";
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(request.command, {
      args: [...request.args],
      ...environment(request),
      ...defined({ cwd: request.cwd }),
      ...(group ? { detached: true } : {}),
      stdin: request.stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    return ended({ startError: startError(error, request.cwd), stderr: String(error) });
  }

  let timedOut = false;
  let stalled = false;
  let cancelled = false;
  let killTimer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    signal(child.pid, "SIGTERM", group);
    killTimer ??= setTimeout(
      () => signal(child.pid, "SIGKILL", group),
      request.graceMs ?? GRACE_MS,
    );
  };
  const onAbort = () => {
    cancelled = true;
    end();
  };
  request.signal?.addEventListener("abort", onAbort, { once: true });
  const timeout = request.timeoutMs === undefined ? undefined : setTimeout(() => {
    timedOut = true;
    end();
  }, request.timeoutMs);

  // Pushed back by whatever the program prints.
  let patience: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  const wait = () => {
    if (request.silenceMs === undefined || over) return;
    clearTimeout(patience);
    patience = setTimeout(() => {
      stalled = true;
      end();
    }, request.silenceMs);
  };
  wait();

  const abandon = new AbortController();
  const limit = request.maxOutputBytes ?? DEFAULT_MAX_OUTPUT;
  const lines = (stream: "stdout" | "stderr") =>
    request.onLine === undefined ? undefined : (line: string) => request.onLine?.(stream, line);
  const streams = Promise.all([
    collect(child.stdout, limit, abandon.signal, lines("stdout"), wait, request.binary === true),
    collect(child.stderr, limit, abandon.signal, lines("stderr"), wait, false),
  ]);
  const broken = request.stdin === undefined ? null : await feed(child.stdin, request.stdin);
  if (broken !== null) end();

  const status = await child.status;
  over = true;
  clearTimeout(timeout);
  clearTimeout(patience);
  clearTimeout(killTimer);
  request.signal?.removeEventListener("abort", onAbort);
  // What the program left behind in its group goes with it when it was ended by us.
  if (group && (timedOut || stalled || cancelled)) signal(child.pid, "SIGKILL", true);
  const drain = setTimeout(() => abandon.abort(), DRAIN_MS);
  const [stdout, stderr] = await streams;
  clearTimeout(drain);
  if (broken !== null) throw broken.error;
  return ended({
    exitCode: status.code,
    signal: status.signal,
    timedOut,
    ...(stalled && request.silenceMs !== undefined ? { stalledMs: request.silenceMs } : {}),
    cancelled,
    stdout: stdout.text,
    stderr: stderr.text,
    ...(stdout.bytes === null ? {} : { bytes: stdout.bytes }),
    truncated: stdout.truncated || stderr.truncated,
  });
}

function signal(pid: number, name: "SIGTERM" | "SIGKILL", group: boolean): boolean {
  // Zero and negative numbers would mean other groups, or every process of the user.
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    Deno.kill(group && Deno.build.os !== "windows" ? -pid : pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Start time and boot of a process, as far as the platform tells; null when there is no such process. */
async function inspect(pid: number): Promise<ProcessIdentity | null> {
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

let myself: ProcessIdentity | undefined;

/** The processes of this machine. */
export const realProcesses: Processes = {
  run,
  signal,
  self: selfArguments,

  async detach(argv, options) {
    const [command, ...args] = argv;
    if (command === undefined) throw new TypeError("Cannot start a program without a name");
    const child = new Deno.Command(command, {
      args,
      cwd: options.cwd,
      env: { ...options.env },
      detached: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const identity = await inspect(child.pid);
    child.unref();
    return identity ?? { pid: child.pid, startedAt: null, bootId: null };
  },

  async attach(argv) {
    const [command, ...args] = argv;
    if (command === undefined) return null;
    try {
      const child = new Deno.Command(command, {
        args,
        stdin: "inherit",
        stdout: "inherit",
        stderr: "inherit",
      }).spawn();
      return (await child.status).code;
    } catch {
      return null;
    }
  },

  async me() {
    // It does not change, and asking takes two programs.
    myself ??= await inspect(Deno.pid) ?? { pid: Deno.pid, startedAt: null, bootId: null };
    return myself;
  },

  async endOrphans(leader) {
    // While a group has members its number is not given to a new process, so a number without a process that
    // still names a group can only name the old one.
    const mine = await inspect(Deno.pid);
    const sameBoot = leader.bootId === null || mine === null || leader.bootId === mine.bootId;
    if (!sameBoot || await inspect(leader.pid) !== null) return;
    // Killed processes take a moment to go; whoever asked may rely on their being gone.
    for (let turn = 0; turn < 40 && signal(leader.pid, "SIGKILL", true); turn++) {
      if (!await hasLiving(leader.pid)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  },

  endMarked: (mark, how = {}) => endMarked(mark, how, { run, signal }),

  async isAlive(identity) {
    const now = await inspect(identity.pid);
    if (now === null) return false;
    const same = (a: string | null, b: string | null) => a === null || b === null || a === b;
    return same(identity.bootId, now.bootId) && same(identity.startedAt, now.startedAt);
  },
};
