/**
 * The ports through which everything outside this program is reached.
 *
 * Two worlds implement {@linkcode System}: the real one, and a read-only one that wraps another and
 * throws on every write, which is what ask and plan run on (CALL-3). Tests have one in memory.
 *
 * @module
 */

/** What kind of thing a path names; symbolic links are not followed by `lstat`. */
export interface FileInfo {
  readonly kind: "file" | "directory" | "symlink" | "other";
  /** Size in bytes. */
  readonly size: number;
  /** POSIX permission bits, or null where the platform has none. */
  readonly mode: number | null;
  /** Last modification in milliseconds since the epoch, or null where unknown. */
  readonly modifiedMs: number | null;
}

/** Files. Every path is absolute. */
export interface Files {
  /** The text of a file; null when it does not exist. */
  readText(path: string): Promise<string | null>;
  /**
   * The bytes of a file; null when it does not exist. `size` is what the caller knows already of a plain
   * file, about how large it is.
   */
  readBytes(path: string, size?: number): Promise<Uint8Array | null>;
  /**
   * At most so many bytes of a file from one of its bytes on, fewer where it ends before; null when it does not exist.
   */
  readPiece(path: string, from: number, most: number): Promise<Uint8Array | null>;
  /** The SHA-256 of a file, hexadecimal, without holding all of it in memory; null when it does not exist. */
  hash(path: string): Promise<string | null>;
  /** Facts about what the path leads to; null when there is nothing. */
  stat(path: string): Promise<FileInfo | null>;
  /** Facts about the path itself; null when there is nothing. */
  lstat(path: string): Promise<FileInfo | null>;
  /** Names in a directory with their kinds, sorted by name; empty when it does not exist. */
  list(
    path: string,
  ): Promise<readonly { readonly name: string; readonly kind: FileInfo["kind"] }[]>;
  /** The path with every symbolic link resolved; null when it does not exist. */
  realPath(path: string): Promise<string | null>;
  /** The target of a symbolic link; null when it does not exist. */
  readLink(path: string): Promise<string | null>;
  /** Replaces a file in one step: temporary file, flush, rename. Creates missing parents. */
  write(
    path: string,
    content: string | Uint8Array,
    options?: { readonly mode?: number },
  ): Promise<void>;
  /**
   * Creates a file; throws `AlreadyExists` if there is one. It is flushed to the disk unless `flush` is
   * false. `modifiedMs` is when it says that it was written, in milliseconds since the epoch.
   */
  create(
    path: string,
    content: string | Uint8Array,
    options?: {
      readonly mode?: number;
      readonly flush?: boolean;
      readonly modifiedMs?: number;
    },
  ): Promise<void>;
  /**
   * Adds to the end of a file in one write, which is not mixed with those of other processes; creates it with `mode`.
   * Nothing is flushed to the disk.
   */
  append(path: string, content: string, options?: { readonly mode?: number }): Promise<void>;
  /**
   * Creates a file with what another one holds, without holding all of it in memory; answers the SHA-256 of that.
   * Otherwise as {@linkcode create}.
   */
  copy(
    from: string,
    path: string,
    options?: { readonly mode?: number; readonly flush?: boolean },
  ): Promise<string>;
  /** Makes a directory and its parents, each new one with `mode`; true when it did not exist before. */
  makeDirectory(path: string, options?: { readonly mode?: number }): Promise<boolean>;
  /** Renames a file or directory. */
  rename(from: string, to: string): Promise<void>;
  /** Removes one file, symbolic link or empty directory; false when there was nothing. */
  remove(path: string): Promise<boolean>;
  /** Removes a directory with everything below it, never following links; false when there was nothing. */
  removeTree(path: string): Promise<boolean>;
  /** Gives a file another name; false when there is none, or the file system gives it no other names. */
  link(file: string, path: string): Promise<boolean>;
  /** Makes a symbolic link. */
  symlink(target: string, path: string): Promise<void>;
  /** Whether this process may write there, asked of the permissions and not tried. */
  isWritable(path: string): Promise<boolean>;
  /** Whether what is there lies on a file system that is mounted read-only, where permissions do not count. */
  isReadOnly(path: string): Promise<boolean>;
  /**
   * Calls back after something in these directories themselves, not below them, has changed; answers how to stop. It
   * may miss changes, and sees none where the system tells of none.
   */
  watch(directories: readonly string[], callback: () => void): () => void;
  /**
   * Does work with a private directory outside of everything that anybody keeps, which begins with these files and
   * directories (their names end in a slash), and is gone afterwards. A process that is killed leaves it to the system, and to
   * the next one that needs such a directory a day later.
   */
  scratch<T>(
    content: Readonly<Record<string, string>>,
    work: (directory: string) => Promise<T>,
  ): Promise<T>;
  /** Flushes a directory to the disk, so that a rename in it survives a loss of power. */
  flushDirectory(path: string): Promise<void>;
  /**
   * Takes the exclusive lock of a lock file, creating it, and writes the number of this process into it;
   * null when another holds it. The machine lets go of it when the process ends in whatever way; the file
   * stays.
   */
  lock(path: string): Promise<FileLock | null>;
}

/** A lock that is held. */
export interface FileLock {
  /** Lets go of it and empties the file. Further calls do nothing. */
  release(): Promise<void>;
}

/** A program to run: an argument vector, never a shell line. */
export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to the inherited environment, or the whole of it with `clearEnv`. A null value removes a variable. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly clearEnv?: boolean;
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
  /**
   * Gives the program a process group of its own, so that its whole tree can be ended. With `soon` starting it costs
   * less, but for a moment it has no group yet: an interrupt typed at the terminal then reaches it, too.
   */
  readonly ownGroup?: boolean | "soon";
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
  /** Those who may start it for this process. Only for a program that can be run once more without harm. */
  readonly helpers?: Helpers;
}

/** Small processes that start programs for this one, which costs less where there are many. */
export interface Helpers {
  /** How many calls are best made at once: those that run, and those that follow as soon as one has ended. */
  readonly lanes: number;
  /**
   * Runs a program by one of them; null where it is to be run in the ordinary way: it is not one for them, or how it
   * ended is not sure.
   */
  run(request: ProcessRequest): Promise<ProcessResult | null>;
  /** Does what they did not, in its turn. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  /** Lets them go, and waits for that. Nothing they run goes on. */
  close(): Promise<void>;
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
export interface AttachOptions {
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
  /**
   * Helpers for requests that differ only in their directories, of which they run `jobs` at once; null where there are
   * none. Whoever asks closes them.
   */
  helpers(jobs: number): Helpers | null;
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
   * Ends every process of this user that was started with `mark`, a NAME=VALUE, in its environment, also one
   * that left its group and session, and waits until they are gone. Does nothing where the platform does not tell
   * what others were started with.
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
  /** Reads one line from a person; null at the end of input. */
  readLine(): Promise<string | null>;
  /**
   * Gives what is typed, key by key and not shown, until the answer is called: the keyboard is as before then. What
   * is typed while a call goes on waits for its end, so that a program it starts gets all of it.
   */
  keys(callback: (text: string) => Promise<void>): () => void;
  /** The raw bytes of standard input, as they come. */
  input(): AsyncIterable<Uint8Array>;
  /** From now on nothing but `out` reaches standard output: libraries that print are sent to standard error. */
  guardOutput(): void;
  /**
   * Calls back on interrupts, which are typed, and on other requests to end; returns the way to stop listening.
   */
  onInterrupt(callback: (how: "typed" | "asked") => void): () => void;
  /**
   * Calls back when the terminal has another size, and when this program goes on after it was stopped; returns the
   * way to stop listening.
   */
  onDisplay(callback: (what: "resized" | "resumed") => void): () => void;
}

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
