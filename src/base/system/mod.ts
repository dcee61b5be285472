/**
 * The ports through which everything outside this program is reached.
 *
 * Two worlds implement {@linkcode System}: the real one, and a read-only one that wraps another and
 * throws on every write, which is what ask and plan run on (CALL-3). Tests have one in memory.
 */

import type { Files } from "./files.ts";

/** Standard streams. */
export interface Terminal {
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** How wide the terminal is now; 80 where none says. */
  readonly columns: number;
  /** How large the terminal is now, in characters; 80 by 24 where nothing tells. */
  size(): { readonly columns: number; readonly rows: number };
  /** Writes to standard output. Throws `BrokenPipe` when the reader is gone. */
  out(text: string): void;
  /** Writes to standard error; a vanished reader is ignored. */
  err(text: string): void;
  /**
   * Writes a question to standard error and reads the line that a person types from then on; null at the end of input.
   * What they typed before it was shown is no answer and is dropped, except on Windows, which offers no way to it.
   */
  ask(question: string): Promise<string | null>;
  /**
   * Gives what is typed, key by key and not shown, until the answer is called: the keyboard is as before then. What
   * is typed while a call goes on waits for its end, so that a program it starts gets all of it.
   */
  keys(callback: (text: string) => Promise<void>): () => void;
  /** The raw bytes of standard input, as they come. */
  input(): AsyncIterable<Uint8Array>;
  /** From now on nothing but `out` reaches standard output: libraries that print are sent to standard error. */
  guardOutput(): void;
  /** Calls back on interrupts, which are typed, and on other requests to end; returns the way to stop listening. */
  onInterrupt(callback: (how: "typed" | "asked") => void): () => void;
  /**
   * Calls back when the terminal has another size, and when this program goes on after it was stopped; returns the
   * way to stop listening.
   */
  onDisplay(callback: (what: "resized" | "resumed") => void): () => void;
}

export { type FileInfo, type FileLock, type Files, STAMP_LENGTH } from "./files.ts";

/** Time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits; ends early when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Identifiers. */
export interface Ids {
  /** A random UUID, version 4. */
  uuid(): string;
  /** Random lower-case hexadecimal digits. */
  hex(digits: number): string;
}

/** The environment this process was started in. */
export interface Environment {
  get(name: string): string | undefined;
  /** The names of all variables. */
  names(): readonly string[];
  /** The name this program was started under, without directories: a link may give it another. */
  readonly program: string;
  readonly cwd: string;
  /** The home directory; null where the environment names none that is absolute. */
  readonly home: string | null;
  readonly user: string;
  readonly platform: "linux" | "darwin" | "windows";
  /** Logical processors. */
  readonly cpus: number;
  /** The name of this machine, or null where it has none or does not tell. */
  hostname(): string | null;
}

/** Everything a command may touch. */
export interface System {
  readonly files: Files;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly env: Environment;
  readonly terminal: Terminal;
  readonly http: Http;
  readonly loopback: Loopback;
}

/**
 * UTC time with milliseconds and `Z` (ANSWER-7).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { timestamp } from "./mod.ts";
 *
 * assertEquals(timestamp(0), "1970-01-01T00:00:00.000Z");
 * ```
 */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

// HTTP to servers elsewhere, and between programs of this machine.

/** One request to a server. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  /** These may be secret: nothing about them is in what comes back. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the server only answers, or changes something. */
  readonly access: "read" | "write";
  /** After this many milliseconds it is given up, whole answer or not. */
  readonly timeoutMs: number;
  /** No more bytes of the answer are read. */
  readonly maxBytes: number;
  /** Gives it up when it aborts. */
  readonly signal?: AbortSignal;
}

/** Why no answer came, or none to its end. */
export type HttpFailure =
  /** Nothing was sent: there is no such host, nobody listens there, or its certificate is not trusted. */
  | "not_connected"
  /** This program may not go there. Nothing was sent. */
  | "not_allowed"
  /** The connection broke, or what came is no HTTP. What was sent may have arrived. */
  | "interrupted"
  | "timed_out"
  | "cancelled";

/** How a request ended. Redirects are answers as others: nobody follows them. */
export type HttpResult =
  | {
    readonly answered: true;
    readonly status: number;
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** Why the body ends before its end; null where it is whole. */
    readonly cut: HttpFailure | "too_large" | null;
  }
  | { readonly answered: false; readonly failure: HttpFailure; readonly reason: string };

/** Servers that are spoken to by HTTP. */
export interface Http {
  /** Sends a request, once. Resolves also when it fails. */
  send(request: HttpRequest): Promise<HttpResult>;
  /** Gives up the network, for the rest of this process where that is possible. */
  forgo(): void;
}

/** Who has a port. */
export interface PortHolder {
  readonly pid: number;
  /** The name of the program; null where it is not told. */
  readonly command: string | null;
}

/** A port of this machine on which this process answers. */
export interface Listener {
  readonly port: number;
  /** Takes no more requests; what is still open after so many milliseconds is cut off. */
  close(graceMs: number): Promise<void>;
}

/** HTTP between programs of this machine, which nothing of leaves it. Hosts are 127.0.0.1 or ::1. */
export interface Loopback {
  /** Whether this process may use it; one that has given up the network may not. */
  isAllowed(): boolean;
  /** Answers requests until it is closed; null when the port is taken. Port 0 is any free one. */
  listen(host: string, port: number, answer: (request: Request) => Promise<Response>): Promise<
    Listener | null
  >;
  /** Whether a port could be listened on now; `refused` where this process may not, or the machine has no such host. */
  stateOf(host: string, port: number): "free" | "taken" | "refused";
  /** Who listens on a port; null where nobody does, or the platform does not tell. */
  holder(port: number): Promise<PortHolder | null>;
  /** What a program of this machine answers to a GET; null when it gives no whole answer in time. */
  get(host: string, port: number, path: string, timeoutMs: number): Promise<
    { readonly status: number; readonly body: string } | null
  >;
}

// Programs that this one starts, waits for and ends.

/** A program to run: an argument vector, never a shell line. */
export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to the inherited environment, or the whole of it with `clearEnv`. A null value removes a variable. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly clearEnv?: boolean;
  /** Whether it is work of amof's own although its environment is cleared: it is found as such when its run is over. */
  readonly ours?: boolean;
  /**
   * Written to standard input, which is then closed. Absent means closed from the start. Where parts of it cannot be
   * had the program is ended, and that failure is thrown.
   */
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** After this many milliseconds the program is ended. */
  readonly timeoutMs?: number;
  /** After this many milliseconds without a byte of output the program is ended. */
  readonly silenceMs?: number;
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal;
  /** Gives the program a process group of its own, so that its whole tree can be ended. */
  readonly ownGroup?: boolean;
  /** How many milliseconds it may take to obey a polite end before it is killed; 5 seconds when absent. */
  readonly graceMs?: number;
  /** Bytes kept of each stream; the rest is dropped and the result says so. */
  readonly maxOutputBytes?: number;
  /** Keeps standard output as bytes in the result besides its text. */
  readonly binary?: boolean;
  /**
   * Called for each complete line as it arrives. Of text that carriage returns write over again and again only the
   * last is a line, and now and then one while it goes on.
   */
  readonly onLine?: (stream: "stdout" | "stderr", line: string) => void;
}

/** How a program ended. Causes are fields; nothing has to be read out of text. */
export interface ProcessResult {
  readonly command: string;
  readonly args: readonly string[];
  /** The exit code; 128 + n when signal n ended it; −1 when it could not be started. */
  readonly exitCode: number;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** How many milliseconds it had printed nothing when it was ended for that; absent when it was not. */
  readonly stalledMs?: number;
  readonly cancelled: boolean;
  /** Why the program could not be started, or null. */
  readonly startError: "not_found" | "not_allowed" | "bad_directory" | "other" | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as it came, when `binary` was asked for. */
  readonly bytes?: Uint8Array;
  /** Whether a stream was longer than `maxOutputBytes`. */
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** Who a running process is: enough to tell it from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a form only compared for equality; null where the platform does not tell. */
  readonly startedAt: string | null;
  /** Which boot of the machine it belongs to; null where the platform does not tell. */
  readonly bootId: string | null;
}

/** How a program gets the terminal. */
interface AttachOptions {
  readonly input?: string;
  readonly cwd?: string;
  /** Added to the inherited environment, or the whole of it with `clearEnv`. A null value removes a variable. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly clearEnv?: boolean;
  /** Asks the program to end when it aborts. */
  readonly signal?: AbortSignal;
}

/** Processes. */
export interface Processes {
  /** Runs a program to its end. Resolves also when it fails or cannot be started. */
  run(request: ProcessRequest): Promise<ProcessResult>;
  /** Starts a program that outlives this one, in a process group of its own, with no open streams. */
  detach(argv: readonly string[], options: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Whether `env` is the whole of its environment. */
    readonly clearEnv?: boolean;
  }): Promise<ProcessIdentity>;
  /**
   * Runs a program on the terminal of this process, such as an editor; answers its exit code, or null when it
   * could not be started. With `input` it reads that instead of what is typed, as far as it wants to.
   */
  attach(argv: readonly string[], options?: AttachOptions): Promise<number | null>;
  /** The argument vector that starts this program again. */
  self(): readonly string[];
  /** The identity of this process. */
  me(): Promise<ProcessIdentity>;
  /** Whether that very process is still running. */
  isAlive(identity: ProcessIdentity): Promise<boolean>;
  /** Kills what a dead leader of a process group left running in its group. */
  endOrphans(leader: ProcessIdentity): Promise<void>;
  /**
   * The processes of this user that were started with `mark`, a NAME=VALUE, in their environment, without what these
   * have started themselves. None where the platform does not tell what others were started with.
   */
  findMarked(mark: string): Promise<readonly ProcessIdentity[]>;
  /**
   * Ends every process of this user that was started with `mark`, a NAME=VALUE, in its environment, and waits
   * until they are gone. That includes processes that left their group and session. Does nothing where the
   * platform does not tell what others were started with.
   */
  endMarked(mark: string, how?: {
    /** How many milliseconds they may take to obey a polite end before they are killed; 0 when absent. */
    readonly graceMs?: number;
    /** Leaves alone what made itself independent and is no git: agents and the like that others rely on. */
    readonly spareDaemons?: boolean;
  }): Promise<void>;
  /** Sends a signal to a process, or with `group` to its whole group; false when it is gone. */
  signal(pid: number, signal: "SIGTERM" | "SIGKILL", group: boolean): boolean;
}
