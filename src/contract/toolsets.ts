/**
 * The groups of commands that a server offers or leaves out.
 *
 * @module
 */

/** Groups of commands that a server can offer or leave out. */
export const TOOLSETS = [
  "ecosystem",
  "ticket",
  "run",
  "release",
  "spin",
  "exec",
  "telemetry",
  "session",
  "server",
  "train",
  "stocktrim",
] as const;
/** One of {@linkcode TOOLSETS}. */
export type Toolset = typeof TOOLSETS[number];

/** The toolset with a contract of its own, which is a server of its own when it stands alone. */
export const AGENTPACK = "agentpack";

/** Everything that can be said for a toolset. */
export const TOOLSET_WORDS: readonly string[] = [...TOOLSETS, "all", "default", AGENTPACK];
