/**
 * The ports through which everything outside this program is reached.
 *
 * Two worlds implement {@linkcode System}: the real one, and a read-only one that wraps another and
 * throws on every write, which is what ask and plan run on (CALL-3). Tests have one in memory.
 */

import type { Files } from "./files.ts";
import type { Http, Loopback } from "./network.ts";
import type { Processes } from "./processes.ts";
import type { Terminal } from "./terminal.ts";

export type { FileInfo, FileLock, Files } from "./files.ts";
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
export type { Terminal } from "./terminal.ts";

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
