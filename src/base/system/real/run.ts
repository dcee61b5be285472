/** Runs a program to its end, however it ends. */

import { defined } from "../../object.ts";
import type { ProcessRequest, ProcessResult } from "../mod.ts";
import { inOwnGroup } from "./group.ts";

/** How many bytes of a stream are kept where the request does not say. */
export const DEFAULT_MAX_OUTPUT = 16 * 1024 * 1024;
/** How long a program may take to obey a polite end before it is killed. */
export const GRACE_MS = 5_000;
/** How long to wait for streams that a grandchild still holds open after the program ended. */
export const DRAIN_MS = 2_000;

/** The environment of a request, as the runtime wants it. */
export function environment(
  request: Pick<ProcessRequest, "env" | "clearEnv">,
): { env: Record<string, string>; clearEnv: boolean } {
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

/** Whether the program gets a process group of its own. */
function hasGroup(request: ProcessRequest): boolean {
  return (request.ownGroup ?? false) !== false && Deno.build.os !== "windows";
}

/** Starts the program of a request. Throws where that is not possible. */
export function spawn(request: ProcessRequest): Deno.ChildProcess {
  const { command, args, detached } = hasGroup(request) && request.ownGroup === "soon"
    ? inOwnGroup(request)
    : { ...request, detached: hasGroup(request) };
  return new Deno.Command(command, {
    args: [...args],
    ...environment(request),
    ...defined({ cwd: request.cwd }),
    ...(detached ? { detached } : {}),
    stdin: request.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
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

interface Collecting {
  /** How many bytes are kept. */
  readonly limit: number;
  /** Stops reading; what was read so far is the answer. */
  readonly stop: AbortSignal;
  readonly onLine: ((line: string) => void) | undefined;
  /** Told whenever something came. */
  readonly onBytes: () => void;
  /** Whether the bytes themselves are kept, besides the text. */
  readonly binary: boolean;
}

/** Reads a stream to its end. */
async function collect(
  stream: ReadableStream<Uint8Array>,
  { limit, stop, onLine, onBytes, binary }: Collecting,
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

/** Reads both streams of a program; `stop` gives up on what somebody else holds open. */
function outputOf(
  child: Deno.ChildProcess,
  request: ProcessRequest,
  stop: AbortSignal,
  onBytes: () => void,
): Promise<[Collected, Collected]> {
  const limit = request.maxOutputBytes ?? DEFAULT_MAX_OUTPUT;
  const read = (name: "stdout" | "stderr", binary: boolean) =>
    collect(child[name], {
      limit,
      stop,
      onBytes,
      binary,
      onLine: request.onLine === undefined
        ? undefined
        : (line: string) => request.onLine?.(name, line),
    });
  return Promise.all([read("stdout", request.binary === true), read("stderr", false)]);
}

/** How a program ended that was begun at `started`, by the clock of this process; `fields` is what is to be told. */
export function resultOf(
  request: ProcessRequest,
  started: number,
  fields: Partial<ProcessResult>,
): ProcessResult {
  return {
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
  };
}

/** Carries out a request; only input that cannot be had throws, everything else is part of the result. */
export async function run(request: ProcessRequest): Promise<ProcessResult> {
  const { helpers } = request;
  if (helpers === undefined) return await start(request);
  return await helpers.run(request) ?? await helpers.turn(() => start(request));
}

/** Carries out a request by starting the program from this process. */
async function start(request: ProcessRequest): Promise<ProcessResult> {
  const started = performance.now();
  const ended = (fields: Partial<ProcessResult>) => resultOf(request, started, fields);
  if (request.signal?.aborted) return ended({ cancelled: true, exitCode: 130 });

  let child: Deno.ChildProcess;
  try {
    child = spawn(request);
  } catch (error) {
    return ended({ startError: startError(error, request.cwd), stderr: String(error) });
  }
  const deadline = new Deadline(child.pid, request);
  const abandon = new AbortController();
  const streams = outputOf(child, request, abandon.signal, () => deadline.heard());
  const broken = request.stdin === undefined ? null : await feed(child.stdin, request.stdin);
  if (broken !== null) deadline.end();

  const status = await child.status;
  deadline.lift();
  const drain = setTimeout(() => abandon.abort(), DRAIN_MS);
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
 * Makes a cutter. A carriage return begins the line again, as progress displays do: of such a burst only the last
 * text is delivered, and while it goes on one every second, later every 5 seconds. `now` answers milliseconds.
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
