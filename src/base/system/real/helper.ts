/** One process that starts programs for this one, one after the other. */

import { defined } from "../../object.ts";
import type { ProcessRequest, ProcessResult } from "../mod.ts";
import {
  DEFAULT_MAX_OUTPUT,
  DRAIN_MS,
  GRACE_MS,
  lineCutter,
  resultOf,
  signal,
  spawn,
} from "./run.ts";

/**
 * Takes a directory as an argument and then reads others, a line each, and runs the command that its other arguments are
 * in each of them. After both streams of a command it prints a line with its marker, the number of the call, and on
 * standard output the exit code and the directory. A directory that cannot be entered has the exit code x. It ends with
 * the call that it is at where nobody reads that.
 */
const SCRIPT = `unset -f cd printf read
amof_marker=$1
amof_directory=$2
shift 2
amof_call=0
while :; do
  amof_call=$((amof_call + 1))
  if cd -P -- "$amof_directory"; then "$@" </dev/null; amof_code=$?; else amof_code=x; fi
  printf '\\n%s %s %s %s\\n' "$amof_marker" "$amof_call" "$amof_code" "$amof_directory" || exit
  printf '\\n%s %s\\n' "$amof_marker" "$amof_call" >&2 || exit
  IFS= read -r amof_directory || exit
done`;

/** From this exit code on a signal may have ended the program, or it could not be started, but for git's own "fatal". */
const DOUBTFUL_CODE = 126;
const FATAL_CODE = 128;

/**
 * How many calls one takes at a time: the next directory is there before it is asked for, so that it does not wait while
 * this process does something else. None waits for a call that may be silent for long.
 */
const depthOf = ({ silenceMs }: ProcessRequest) => silenceMs === undefined ? 2 : 1;

/** Tells of a stream as it comes. */
interface Teller {
  readonly heard: (bytes: Uint8Array) => void;
  readonly end: () => void;
}

/** Tells whoever called of the lines of a stream, and `heard` that there was something. */
function tellerOf(
  { onLine }: ProcessRequest,
  name: "stdout" | "stderr",
  heard: () => void,
): Teller {
  if (onLine === undefined) return { heard, end() {} };
  const decoder = new TextDecoder();
  const cutter = lineCutter((line) => onLine(name, line), () => performance.now());
  return {
    heard(bytes) {
      heard();
      cutter.feed(decoder.decode(bytes, { stream: true }));
    },
    end() {
      cutter.feed(decoder.decode());
      cutter.end();
    },
  };
}

/** A program that runs in one directory after another. */
export class Helper {
  readonly #depth: number;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #marker = crypto.randomUUID();
  readonly #out: Framed;
  readonly #err: Framed;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #calls = 0;
  #taken = 0;
  #isSound = true;
  /** The end of the call that was taken last. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Starts it for the program, the arguments and the environment of a request, which must be the first it is told to
   * run: it begins with that before this process has come to tell it. Throws where that is not possible.
   */
  constructor(request: ProcessRequest & { readonly cwd: string }) {
    const { command, args, env, clearEnv, cwd } = request;
    this.#depth = depthOf(request);
    this.#child = spawn({
      command: "sh",
      args: ["-c", SCRIPT, "sh", this.#marker, cwd, command, ...args],
      ...defined({ env, clearEnv }),
      cwd: "/",
      // The programs that it starts are in its group, and end with it.
      ownGroup: "soon",
      stdin: "",
    });
    this.#input = this.#child.stdin.getWriter();
    this.#out = new Framed(this.#child.stdout);
    this.#err = new Framed(this.#child.stderr);
  }

  /** How many calls it has that have not ended. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether it does what it should; for one that does not there is no way back. */
  get isSound(): boolean {
    return this.#isSound;
  }

  /** Whether it can take another call. */
  get isReady(): boolean {
    return this.#isSound && this.#taken < this.#depth;
  }

  /**
   * Runs the program in the directory of a request, after those that it was given before; null where how that ended is
   * not sure.
   */
  async run(request: ProcessRequest & { readonly cwd: string }): Promise<ProcessResult | null> {
    const head = `${this.#marker} ${++this.#calls}`;
    const before = this.#last;
    this.#taken++;
    if (this.#calls > 1) {
      // A helper that is gone is seen by what it does not answer.
      this.#input.write(new TextEncoder().encode(`${request.cwd}\n`)).catch(() => {});
    }
    const answer = this.#answer(request, head, before).finally(() => this.#taken--);
    this.#last = answer.catch(() => {});
    return await answer;
  }

  /** Waits for the calls before one, and then for its answer. */
  async #answer(
    request: ProcessRequest & { readonly cwd: string },
    head: string,
    before: Promise<unknown>,
  ): Promise<ProcessResult | null> {
    const limit = request.maxOutputBytes ?? DEFAULT_MAX_OUTPUT;
    const why = { timedOut: false, stalled: false, cancelled: false };
    const end = (name: keyof typeof why) => {
      why[name] = true;
      this.#end(request.graceMs ?? GRACE_MS);
    };
    const cancel = () => end("cancelled");
    request.signal?.addEventListener("abort", cancel, { once: true });
    await before;
    const started = performance.now();
    const timer = request.timeoutMs === undefined
      ? undefined
      : setTimeout(() => end("timedOut"), request.timeoutMs);
    let patience: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(patience);
      if (request.silenceMs === undefined) return;
      patience = setTimeout(() => end("stalled"), request.silenceMs);
    };
    heard();
    const [out, err] = await Promise.all([
      this.#read(this.#out, head, limit, tellerOf(request, "stdout", heard)),
      this.#read(this.#err, head, limit, tellerOf(request, "stderr", heard)),
    ]);
    clearTimeout(timer);
    clearTimeout(patience);
    request.signal?.removeEventListener("abort", cancel);
    const [, code = "", directory] = /^ (\w+) (.*)$/s.exec(out.end ?? "") ?? [];
    const isWhole = directory === request.cwd && err.end !== null;
    if (!isWhole) this.#end(0);
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, limit));
    const texts = { stdout: decode(out.bytes), stderr: decode(err.bytes) };
    const { timedOut, stalled, cancelled } = why;
    if (timedOut || stalled || cancelled) {
      return resultOf(request, started, {
        timedOut,
        cancelled,
        ...(stalled ? defined({ stalledMs: request.silenceMs }) : {}),
        ...texts,
        exitCode: 128 + 15,
        signal: "SIGTERM",
      });
    }
    const tooMuch = Math.max(out.bytes.length, err.bytes.length) > limit;
    const isDoubtful = !/^\d+$/.test(code) ||
      (Number(code) >= DOUBTFUL_CODE && Number(code) !== FATAL_CODE);
    if (!isWhole || tooMuch || isDoubtful) return null;
    return resultOf(request, started, {
      ...texts,
      exitCode: Number(code),
      ...(request.binary === true ? { bytes: out.bytes } : {}),
    });
  }

  /** Lets it go when it is idle, and waits until it is gone, whatever it was doing. */
  async close(): Promise<void> {
    await this.#input.close().catch(() => {});
    if (!this.#isSound || this.#taken > 0) this.#end(GRACE_MS);
    await this.#child.status;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#out.abandon();
    this.#err.abandon();
  }

  /** Reads the answer to a call from a stream; a helper that does not answer as it should is ended. */
  async #read(stream: Framed, head: string, limit: number, { heard, end }: Teller): Promise<Frame> {
    const frame = await stream.until(head, limit, heard);
    end();
    if (frame.end === null) this.#end(0);
    return frame;
  }

  /** Ends it and what it runs. What has left its group is not waited for. */
  #end(graceMs: number): void {
    this.#isSound = false;
    const { pid } = this.#child;
    if (!signal(pid, "SIGTERM", true)) signal(pid, "SIGTERM", false);
    const timer = setTimeout(() => {
      signal(pid, "SIGKILL", true);
      this.#out.abandon();
      this.#err.abandon();
    }, Math.min(graceMs, DRAIN_MS));
    this.#timers.add(timer);
  }
}

// A stream in which the answers of one call after the other stand, each ended by a line that nobody can guess.

const NEWLINE = 0x0a;
/** The bytes that there is room for at first. */
const ROOM = 16 * 1024;

/** What was read of a call. */
interface Frame {
  /** What stands before the line that ends it; all there is where there is none. */
  readonly bytes: Uint8Array;
  /** That line behind its beginning, without the newline; null where the stream ended before, or was too long. */
  readonly end: string | null;
}

/** Reads such a stream. */
export class Framed {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** What was read and belongs to no answer yet is what stands in it from `#from` to `#to`. */
  #buffer = new Uint8Array(ROOM);
  #from = 0;
  #to = 0;
  /** Whether an answer had no end: what follows could be the rest of it, and is the answer to nothing. */
  #isLost = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /**
   * Reads up to the line that begins with `head`. More than `limit` bytes are not waited for, and after such an answer
   * there is no other. What stands behind that line is for the next call of this. `onBytes` gets what stands before it
   * as it comes.
   */
  async until(
    head: string,
    limit: number,
    onBytes: (bytes: Uint8Array) => void = () => {},
  ): Promise<Frame> {
    if (this.#isLost) return { bytes: new Uint8Array(), end: null };
    const mark = new TextEncoder().encode(`\n${head}`);
    // A mark that begins in the last bytes may end in the next.
    for (let sure = 0;;) {
      const data = this.#buffer.subarray(this.#from, this.#to);
      const at = find(data, mark, sure);
      const close = at < 0 ? -1 : data.indexOf(NEWLINE, at + mark.length);
      const told = sure;
      sure = at < 0 ? Math.max(told, data.length - mark.length) : at;
      if (sure > told) onBytes(data.subarray(told, sure));
      if (close >= 0) {
        this.#from += close + 1;
        const end = new TextDecoder().decode(data.subarray(at + mark.length, close));
        return { bytes: data.slice(0, at), end };
      }
      const value = data.length > limit ? null : await this.#next();
      if (value === null) {
        onBytes(data.subarray(sure));
        this.#isLost = true;
        return { bytes: data.slice(), end: null };
      }
      this.#add(value);
    }
  }

  /** Gives up on what somebody else holds open: whoever waits for it gets what there is. */
  abandon(): void {
    void this.#reader.cancel().catch(() => {});
  }

  #add(value: Uint8Array): void {
    const length = this.#to - this.#from;
    if (this.#to + value.length > this.#buffer.length) {
      const room = Math.max(this.#buffer.length, 2 * (length + value.length));
      const moved = new Uint8Array(room);
      moved.set(this.#buffer.subarray(this.#from, this.#to));
      [this.#buffer, this.#from, this.#to] = [moved, 0, length];
    }
    this.#buffer.set(value, this.#to);
    this.#to += value.length;
  }

  async #next(): Promise<Uint8Array | null> {
    try {
      return (await this.#reader.read()).value ?? null;
    } catch {
      return null;
    }
  }
}

/** Where a newline and what follows it stand in some bytes, from a position on; -1 where nowhere. */
function find(data: Uint8Array, mark: Uint8Array, from: number): number {
  for (let at = data.indexOf(NEWLINE, from); at >= 0; at = data.indexOf(NEWLINE, at + 1)) {
    if (at + mark.length > data.length) return -1;
    let same = 1;
    while (same < mark.length && data[at + same] === mark[same]) same++;
    if (same === mark.length) return at;
  }
  return -1;
}
