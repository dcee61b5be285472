/**
 * The ports through which everything outside this program is reached.
 *
 * Two worlds implement {@linkcode System}: the real one, and a read-only one that wraps another and
 * throws on every write, which is what ask and plan run on (CALL-3). Tests have one in memory.
 */

import type { Files } from "./files.ts";
import type { Http, Loopback } from "./network.ts";
import type { Processes } from "./processes.ts";

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
export type {
  Http,
  HttpFailure,
  HttpRequest,
  HttpResult,
  Listener,
  Loopback,
  PortHolder,
} from "./network.ts";
export type {
  Helpers,
  Processes,
  ProcessIdentity,
  ProcessRequest,
  ProcessResult,
} from "./processes.ts";

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
