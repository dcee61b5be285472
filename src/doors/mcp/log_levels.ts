/** The levels of log messages in the words of the protocol (RFC 5424). */

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
