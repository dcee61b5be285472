/**
 * How the C library starts programs.
 *
 * To give a program a process group of its own the runtime copies itself, which takes it as long as starting another
 * one, and nothing else is started meanwhile.
 */

import process from "node:process";
import { isAbsolute, join } from "@std/path";
import { cString, inherited, programCalls as calls } from "./libc.ts";
import type { Child, Ended, Input, StartRequest, StreamName } from "./spawn.ts";
import { isThere } from "./stamps.ts";

// What the library needs, by Linux' numbers.

const CLOSE_ON_EXEC = 0o2000000;
const NON_BLOCKING = 0o4000;
const SET_FLAGS = 4;
const OPEN_PROCESS = 434n;
const READABLE = 1;
const WRITABLE = 4;
const PROGRAM_ENDED = 17;
const BROKEN_PIPE = 13;
const IGNORED = 1n;
/** As the runtime does it: no signal is held back, and a broken pipe ends a program. */
const USUAL_SIGNALS = 0x04 | 0x08;
const OWN_SESSION = 0x80;
/** How a program ended whose end nobody was told: exit code 255. */
const UNKNOWN = 0xff00;
/** Room for what the library keeps in places of ours, in bytes; it takes less than half of that. */
const ROOM = 1_024;

type Calls = NonNullable<typeof calls>;
type Bytes = Uint8Array<ArrayBuffer>;

/** For what is handed on before anything else is read. */
const buffer = new Uint8Array(64 * 1024);

/** Which descriptors can be read or written, asked of the system for all programs at once. */
class Watch {
  readonly #calls: Calls;
  readonly #waiting = new Map<number, { events: number; resolve: (events: number) => void }>();
  /** Readable when there is something new to wait for. */
  readonly #news: number;
  #state: "idle" | "asking" | "told" | "telling" = "idle";

  constructor(calls: Calls, news: number) {
    this.#calls = calls;
    this.#news = news;
  }

  /** Resolves when a descriptor can be read or written, or its other end is gone; to 0 where it is forgotten. */
  ready(descriptor: number, events: number): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.set(descriptor, { events, resolve });
      this.#changed();
    });
  }

  /** Waits for a descriptor no longer. */
  forget(descriptor: number): void {
    this.#waiting.get(descriptor)?.resolve(0);
    if (this.#waiting.delete(descriptor)) this.#changed();
  }

  #changed(): void {
    if (this.#state === "idle") void this.#run();
    else if (this.#state === "asking") {
      this.#state = "told";
      this.#calls.write(this.#news, new BigUint64Array([1n]), 8n);
    }
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      const waiting = [...this.#waiting];
      // A descriptor, what it is waited for, and behind that what came of it.
      const asked = new Int32Array(new ArrayBuffer(8 * (waiting.length + 1)));
      asked.set([
        this.#news,
        READABLE,
        ...waiting.flatMap(([descriptor, { events }]) => [descriptor, events]),
      ]);
      this.#state = "asking";
      await this.#calls.poll(asked, BigInt(waiting.length + 1), -1);
      if (asked[1] !== READABLE) this.#calls.read(this.#news, new BigUint64Array(1), 8n);
      this.#state = "telling";
      for (const [index, [descriptor, each]] of waiting.entries()) {
        const events = (asked[2 * index + 3] ?? 0) >>> 16;
        if (events === 0 || this.#waiting.get(descriptor) !== each) continue;
        this.#waiting.delete(descriptor);
        each.resolve(events);
      }
      // Whoever was told asks for the next before all are asked for again.
      await null;
    }
    this.#state = "idle";
  }
}

function isProgram(file: string): boolean {
  // What is not there is told without an error, which most directories would cause.
  if (!isThere(file)) return false;
  try {
    const { isFile, mode } = Deno.statSync(file);
    return isFile && ((mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** Where programs were found, by what they were looked for, and until when that counts. */
const FOUND = new Map<string, { readonly file: string; readonly until: number }>();
/** How long it counts, in milliseconds: a directory may get a program that was found in a later one. */
const FOUND_FOR = 1_000;

/** The file of the program of a request; null where it is nowhere, or depends on the directory. */
export function fileOf({ command, env, clearEnv }: StartRequest): string | null {
  if (command.includes("/")) return isAbsolute(command) ? command : null;
  const given = env?.["PATH"];
  const path = given === undefined && clearEnv !== true ? Deno.env.get("PATH") : given;
  const key = `${path}\0${command}`;
  const [found, now] = [FOUND.get(key), performance.now()];
  if (found !== undefined && found.until > now && isThere(found.file)) return found.file;
  for (const directory of path?.split(":") ?? []) {
    if (!isAbsolute(directory)) return null;
    const file = join(directory, command);
    if (!isProgram(file)) continue;
    FOUND.set(key, { file, until: now + FOUND_FOR });
    return file;
  }
  return null;
}

/** What the library is given of a request. */
interface Vectors {
  /** All texts, each with a zero byte behind it; the first is the file of the program. */
  readonly texts: Bytes;
  /** Where the arguments stand, and behind a null the variables. */
  readonly places: BigUint64Array<ArrayBuffer>;
  /** How many places there are before those of the variables. */
  readonly variables: number;
}

/** Null where a text has a zero byte within. */
function vectorsOf(calls: Calls, file: string, request: StartRequest): Vectors | null {
  const { command, args, env = {}, clearEnv } = request;
  const set = Object.entries(env).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${value}`]
  );
  const all = [file, command, ...args, ...set];
  if (all.some((text) => text.includes("\0"))) return null;
  const text = cString(all.join("\0"));
  // What has a buffer of its own stays where it is; small arrays are moved about.
  const texts = new Uint8Array(new ArrayBuffer(text.length));
  texts.set(text);
  const begin = calls.placeOf(texts, texts[0] ?? 0, 1n);
  const places: bigint[] = [];
  for (let at = 0; at < texts.length; at = texts.indexOf(0, at) + 1) {
    places.push(begin + BigInt(at));
  }
  const variables = 2 + args.length;
  const vectors = [
    ...places.slice(1, variables),
    0n,
    ...places.slice(variables),
    ...(clearEnv === true ? [] : inherited(calls, env)),
    0n,
  ];
  const numbers = new BigUint64Array(new ArrayBuffer(8 * vectors.length));
  numbers.set(vectors);
  return { texts, places: numbers, variables };
}

/** How a program is started; with `detached` it leads a session, and so a group, of its own. */
function attributesOf(calls: Calls, detached: boolean): Bytes {
  const made = new Uint8Array(ROOM);
  const restored = new Uint8Array(ROOM);
  restored[(BROKEN_PIPE - 1) >> 3] = 1 << ((BROKEN_PIPE - 1) & 7);
  calls.posix_spawnattr_init(made);
  calls.posix_spawnattr_setsigdefault(made, restored);
  calls.posix_spawnattr_setsigmask(made, new Uint8Array(ROOM));
  calls.posix_spawnattr_setflags(made, USUAL_SIGNALS | (detached ? OWN_SESSION : 0));
  return made;
}

/** Two ends of a pipe, which no program inherits: the one that is read, and the one that is written to. */
function pipeOf(calls: Calls): readonly [number, number] | null {
  const ends = new Int32Array(2);
  return calls.pipe2(ends, CLOSE_ON_EXEC) === 0 ? [ends[0] ?? -1, ends[1] ?? -1] : null;
}

/** What all programs that the library starts have in common. */
interface Shared {
  readonly calls: Calls;
  readonly watch: Watch;
  readonly attributes: {
    readonly own: Bytes;
    readonly same: Bytes;
  };
}

let shared: Shared | null | undefined;

/** Null where the system does not give what is needed. */
function sharedBy(calls: Calls): Shared | null {
  if (shared !== undefined) return shared;
  const news = calls.eventfd(0, CLOSE_ON_EXEC | NON_BLOCKING);
  if (news < 0) return shared = null;
  // Whoever started this process with no interest in how programs end has it not told, either.
  const action = new BigUint64Array(ROOM / 8);
  calls.sigaction(PROGRAM_ENDED, null, action);
  if (action[0] === IGNORED) calls.sigaction(PROGRAM_ENDED, action.fill(0n), null);
  return shared = {
    calls,
    watch: new Watch(calls, news),
    attributes: { own: attributesOf(calls, true), same: attributesOf(calls, false) },
  };
}

/** Starts a program with these standard streams; its number, or null where that is not possible. */
async function numberOf(
  { calls, attributes }: Shared,
  { texts, places, variables }: Vectors,
  { cwd, detached, streams }: {
    readonly cwd: string | undefined;
    readonly detached: boolean;
    readonly streams: readonly (number | undefined)[];
  },
): Promise<number | null> {
  const actions = new Uint8Array(ROOM);
  const number = new Int32Array(new ArrayBuffer(4));
  calls.posix_spawn_file_actions_init(actions);
  const failures = [
    cwd === undefined
      ? 0
      : calls.posix_spawn_file_actions_addchdir_np?.(actions, cString(cwd)) ?? -1,
    ...streams.map((descriptor, stream) =>
      descriptor === undefined
        ? calls.posix_spawn_file_actions_addopen(actions, stream, cString("/dev/null"), 0, 0)
        : calls.posix_spawn_file_actions_adddup2(actions, descriptor, stream)
    ),
  ];
  // What the library reads meanwhile must not be collected.
  const held: Bytes[] = [texts, new Uint8Array(places.buffer), new Uint8Array(number.buffer)];
  const failure = failures.find((each) => each !== 0) ?? await calls.posix_spawn(
    number,
    texts,
    actions,
    detached ? attributes.own : attributes.same,
    places,
    places.subarray(variables),
  );
  calls.posix_spawn_file_actions_destroy(actions);
  held.length = 0;
  return failure === 0 ? number[0] ?? null : null;
}

/**
 * Starts a program; with `detached` it leads a process group, and a session, of its own. Null where that is not possible;
 * the runtime then says why.
 */
export async function startedByLibrary(
  request: StartRequest,
  detached: boolean,
): Promise<Child | null> {
  const { cwd, stdin } = request;
  const common = calls === null ? null : sharedBy(calls);
  const file = fileOf(request);
  if (calls === null || common === null || file === null || cwd?.includes("\0")) return null;
  const vectors = vectorsOf(calls, file, request);
  if (vectors === null) return null;
  const pipes = [pipeOf(calls), pipeOf(calls), stdin === undefined ? null : pipeOf(calls)];
  const [output, errors, input] = pipes;
  const streams = [input?.[0], output?.[1], errors?.[1]];
  const isWhole = output && errors && (input || stdin === undefined);
  const pid = isWhole ? await numberOf(common, vectors, { cwd, detached, streams }) : null;
  // A program that was started has these ends.
  for (const end of streams) if (end !== undefined) calls.close(end);
  const ours = [output?.[0], errors?.[0], input?.[1]] as const;
  if (pid !== null) return new Started(common, pid, ours);
  for (const end of ours) if (end !== undefined) calls.close(end);
  return null;
}

/** A program that the library has started. */
class Started implements Child {
  readonly pid: number;
  readonly status: Promise<Ended>;
  readonly input: Input | null;
  readonly #calls: Calls;
  readonly #watch: Watch;
  /** Open descriptors. */
  readonly #open: Map<StreamName | "stdin", number>;

  constructor(
    { calls, watch }: Shared,
    pid: number,
    [stdout = -1, stderr = -1, stdin]: readonly (number | undefined)[],
  ) {
    this.#calls = calls;
    this.#watch = watch;
    this.pid = pid;
    this.#open = new Map([["stdout", stdout], ["stderr", stderr]]);
    this.input = stdin === undefined ? null : {
      write: (bytes) => this.#write(bytes),
      close: () => Promise.resolve(this.#close("stdin")),
    };
    if (stdin !== undefined) {
      calls.fcntl(stdin, SET_FLAGS, NON_BLOCKING);
      this.#open.set("stdin", stdin);
    }
    this.status = this.#ended();
  }

  async read(name: StreamName, heard: (bytes: Uint8Array) => void): Promise<void> {
    try {
      for (;;) {
        const descriptor = this.#open.get(name);
        const events = descriptor === undefined ? 0 : await this.#watch.ready(descriptor, READABLE);
        if (descriptor === undefined || events === 0) return;
        const length = Number(this.#calls.read(descriptor, buffer, BigInt(buffer.length)));
        if (length > 0) heard(buffer.subarray(0, length));
        else if (length === 0 || (events & READABLE) === 0) return;
      }
    } finally {
      this.#close(name);
    }
  }

  abandon(): void {
    for (const descriptor of this.#open.values()) this.#watch.forget(descriptor);
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    for (let at = 0; at < bytes.length;) {
      const descriptor = this.#open.get("stdin");
      if (descriptor === undefined) return false;
      const length = Number(
        this.#calls.write(descriptor, bytes.subarray(at), BigInt(bytes.length - at)),
      );
      if (length > 0) at += length;
      // Nobody reads any more, or there is no room now.
      else if (await this.#watch.ready(descriptor, WRITABLE) !== WRITABLE) return false;
    }
    return true;
  }

  #close(name: StreamName | "stdin"): void {
    const descriptor = this.#open.get(name);
    if (this.#open.delete(name) && descriptor !== undefined) this.#calls.close(descriptor);
  }

  async #ended(): Promise<Ended> {
    const { pid } = this;
    const ended = new Int32Array(new ArrayBuffer(4)).fill(UNKNOWN);
    const descriptor = this.#calls.openProcess(OPEN_PROCESS, pid, 0);
    if (descriptor < 0) await this.#calls.ended(pid, ended, 0);
    else {
      await this.#watch.ready(descriptor, READABLE);
      this.#calls.close(descriptor);
      this.#calls.waitpid(pid, ended, 0);
    }
    // Whoever still has the other end does not read it for this program.
    const input = this.#open.get("stdin");
    if (input !== undefined) this.#watch.forget(input);
    const [word = UNKNOWN] = ended;
    const signal = word & 0x7f;
    return signal === 0
      ? { code: (word >> 8) & 0xff, signal: null }
      : { code: 128 + signal, signal: nameOf(signal) };
  }
}

function nameOf(signal: number): string | null {
  const { signals } = process.getBuiltinModule("node:os").constants;
  return Object.entries(signals).find(([, number]) => number === signal)?.[0] ?? null;
}
