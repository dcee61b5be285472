/** Runs a program to its end, however it ends. */

import { defined } from "../../object.ts";
import type { ProcessRequest, ProcessResult } from "../mod.ts";
import { startedByLibrary } from "./posix_spawn.ts";
import { type Child, type Input, startedByRuntime } from "./spawn.ts";

/** How many bytes of a stream are kept where the request does not say. */
const DEFAULT_MAX_OUTPUT = 16 * 1024 * 1024;
/** How long a program may take to obey a polite end before it is killed. */
const GRACE_MS = 5_000;
/** How long to wait for streams that a grandchild still holds open after the program ended. */
const DRAIN_MS = 2_000;

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

/** Whether the program gets a process group of its own. */
function hasGroup(request: ProcessRequest): boolean {
  return request.ownGroup === true && Deno.build.os !== "windows";
}

/** Ends a program that takes too long, is silent for too long, or is no longer wanted. */
class Deadline {
  timedOut = false;
  stalled = false;
  cancelled = false;
  readonly #request: ProcessRequest;
  readonly #pid: number;
  readonly #timeout: ReturnType<typeof setTimeout> | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #killTimer: ReturnType<typeof setTimeout> | undefined;
  #over = false;

  constructor(pid: number, request: ProcessRequest) {
    this.#pid = pid;
    this.#request = request;
    request.signal?.addEventListener("abort", this.#cancel, { once: true });
    // It may have aborted while the program was being started.
    if (request.signal?.aborted) this.#cancel();
    this.#timeout = request.timeoutMs === undefined ? undefined : setTimeout(() => {
      this.timedOut = true;
      this.end();
    }, request.timeoutMs);
    this.heard();
  }

  readonly #cancel = () => {
    this.cancelled = true;
    this.end();
  };

  /** Asks the program to end, and kills it when it does not. */
  end(): void {
    const group = hasGroup(this.#request);
    // For a moment after its start a program has no group yet.
    if (!signal(this.#pid, "SIGTERM", group)) signal(this.#pid, "SIGTERM", false);
    this.#killTimer ??= setTimeout(
      () => signal(this.#pid, "SIGKILL", group),
      this.#request.graceMs ?? GRACE_MS,
    );
  }

  /** The program printed something, which gives it time to be silent again. */
  heard(): void {
    const { silenceMs } = this.#request;
    if (silenceMs === undefined || this.#over) return;
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => {
      this.stalled = true;
      this.end();
    }, silenceMs);
  }

  /** The program has ended. */
  lift(): void {
    this.#over = true;
    clearTimeout(this.#timeout);
    clearTimeout(this.#patience);
    clearTimeout(this.#killTimer);
    this.#request.signal?.removeEventListener("abort", this.#cancel);
    // When this program ended the other one, the rest of its group is killed as well.
    if (hasGroup(this.#request) && (this.timedOut || this.stalled || this.cancelled)) {
      signal(this.#pid, "SIGKILL", true);
    }
  }
}

/** What one stream of a program gave. */
interface Collected {
  readonly text: string;
  readonly bytes: Uint8Array | null;
  readonly truncated: boolean;
}

/** Pieces of a stream as one. */
function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Reads a stream of a program to its end; `onBytes` is told whenever something came. */
async function collect(
  child: Child,
  name: "stdout" | "stderr",
  { maxOutputBytes = DEFAULT_MAX_OUTPUT, onLine, binary }: ProcessRequest,
  onBytes: () => void,
): Promise<Collected> {
  const keepsBytes = binary === true && name === "stdout";
  // The kept output is cut by bytes, which may split a character; lines therefore need a decoder of their own.
  const decoder = new TextDecoder();
  const lines = new TextDecoder();
  const cutter = onLine === undefined
    ? null
    : lineCutter((line) => onLine(name, line), () => performance.now());
  const parts: string[] = [];
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let truncated = false;
  await child.read(name, (value) => {
    onBytes();
    cutter?.feed(lines.decode(value, { stream: true }));
    const room = Math.max(0, maxOutputBytes - kept);
    const part = value.subarray(0, room);
    if (room > 0) parts.push(decoder.decode(part, { stream: true }));
    if (room > 0 && keepsBytes) chunks.push(part.slice());
    kept += value.length;
    truncated ||= kept > maxOutputBytes;
  });
  parts.push(decoder.decode());
  cutter?.feed(lines.decode());
  cutter?.end();
  return { text: parts.join(""), bytes: keepsBytes ? joined(chunks) : null, truncated };
}

/** Carries out a request; only input that cannot be had throws, everything else is part of the result. */
export async function run(request: ProcessRequest): Promise<ProcessResult> {
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

  let child: Child;
  try {
    const detached = hasGroup(request);
    child = await startedByLibrary(request, detached) ?? startedByRuntime(request, detached);
  } catch (error) {
    return ended({ startError: startError(error, request.cwd), stderr: String(error) });
  }
  const deadline = new Deadline(child.pid, request);
  const heard = () => deadline.heard();
  const streams = Promise.all([
    collect(child, "stdout", request, heard),
    collect(child, "stderr", request, heard),
  ]);
  // What fails there is thrown below.
  streams.catch(() => {});
  const broken = child.input === null || request.stdin === undefined
    ? null
    : await feed(child.input, request.stdin);
  if (broken !== null) deadline.end();

  const status = await child.status;
  deadline.lift();
  const drain = setTimeout(() => child.abandon(), DRAIN_MS);
  const [stdout, stderr] = await streams;
  clearTimeout(drain);
  if (broken !== null) throw broken.error;
  const { timedOut, stalled, cancelled } = deadline;
  return ended({
    exitCode: status.code,
    signal: status.signal,
    timedOut,
    ...(stalled ? defined({ stalledMs: request.silenceMs }) : {}),
    cancelled,
    stdout: stdout.text,
    stderr: stderr.text,
    ...(stdout.bytes === null ? {} : { bytes: stdout.bytes }),
    truncated: stdout.truncated || stderr.truncated,
  });
}

/** Sends a signal to a process or its group; whether there was somebody to send it to. */
export function signal(pid: number, name: "SIGTERM" | "SIGKILL", group: boolean): boolean {
  // Zero and negative numbers would mean other groups, or every process of the user.
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    Deno.kill(group && Deno.build.os !== "windows" ? -pid : pid, name);
    return true;
  } catch {
    return false;
  }
}

// What goes into a program and comes out of it.

/** A line longer than this is delivered in pieces, so that a stream without newlines cannot fill memory. */
const LONGEST = 64 * 1024;
/**
 * A line that is written over again and again is delivered at most this often, in milliseconds: each second for whoever
 * watches, and later less often, because logs keep it.
 */
const PROGRESS_MS = 1_000;
const LATER_MS = 5_000;

/** Takes text as it arrives and calls back for each line. */
interface LineCutter {
  feed(text: string): void;
  /** Delivers what is left, which no newline ended. */
  end(): void;
}

/**
 * Makes a cutter. A carriage return begins the line again, as progress displays do. Of such a burst only the
 * last text is delivered. While it goes on, one text is delivered every second, later every 5 seconds. `now`
 * answers milliseconds.
 */
export function lineCutter(onLine: (line: string) => void, now: () => number): LineCutter {
  let pending = "";
  /** What a carriage return ended and nothing has written over yet. */
  let shown: string | null = null;
  const begun = now();
  let lastProgress = begun;
  const deliver = (line: string) => {
    shown = null;
    onLine(line);
  };
  const overwrite = (text: string) => {
    if (text.trim() !== "") shown = text;
    const at = now();
    const pause = lastProgress - begun < LATER_MS ? PROGRESS_MS : LATER_MS;
    if (shown === null || at - lastProgress < pause) return;
    lastProgress = at;
    deliver(shown);
  };
  return {
    feed(text) {
      pending += text;
      let begin = 0;
      // A carriage return at the very end may be the first half of a line end.
      for (const match of pending.matchAll(/\r?\n|\r(?=[^])/g)) {
        const line = pending.slice(begin, match.index);
        begin = match.index + match[0].length;
        if (match[0] === "\r") overwrite(line);
        else deliver(line === "" && shown !== null ? shown : line);
      }
      pending = pending.slice(begin);
      if (pending.length > LONGEST) {
        deliver(pending);
        pending = "";
      }
    },
    end() {
      const rest = pending.replace(/\r$/, "");
      pending = "";
      if (rest !== "") deliver(rest);
      else if (shown !== null) deliver(shown);
    },
  };
}

/** Gives a program its input; answers why that input could not be had, or null. */
export async function feed(
  to: Input,
  input: NonNullable<ProcessRequest["stdin"]>,
): Promise<{ readonly error: unknown } | null> {
  try {
    // A program that ends without reading its input is not an error of ours.
    if (typeof input === "string") await to.write(new TextEncoder().encode(input));
    else if (input instanceof Uint8Array) await to.write(input);
    else for await (const bytes of input) if (!await to.write(bytes)) break;
  } catch (error) {
    return { error };
  } finally {
    await to.close();
  }
  return null;
}
