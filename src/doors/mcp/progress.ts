/**
 * What a client hears while a call goes on: progress and log messages by their levels (RFC 5424). Progress is
 * as the protocol wants it, with rising values and none after the answer (MCP-4).
 */

/** From the least to the most serious. */
export const LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
/** One of {@linkcode LOG_LEVELS}. */
export type LogLevel = typeof LOG_LEVELS[number];

/** Whether a message of a level is told to who wants those from another on. */
export function isWanted(level: LogLevel, from: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(from);
}

/** Passes on what rises until it is told to stop. */
export class Progress {
  #last = -1;
  #stopped = false;

  constructor(
    private readonly send: (done: number, total: number, message: string) => void,
  ) {}

  /** Tells how far the work is; what does not rise, or comes after the end, is left out. */
  report(done: number, total: number, message: string): void {
    if (this.#stopped || done <= this.#last) return;
    this.#last = done;
    this.send(done, total, message);
  }

  /** Lets nothing pass any more. */
  stop(): void {
    this.#stopped = true;
  }
}
