/** The words that configuration files and JSON use: targets, module types, scopes. */

import type { Clock } from "../../base/system/mod.ts";

/** Every target, in the order of help. */
export const TARGET_NAMES = [
  "codex",
  "claude_code",
  "cursor",
  "vscode",
  "jetbrains",
  "zed",
  "gemini",
  "windsurf",
  "export_dir",
] as const;
/** One of {@linkcode TARGET_NAMES}. */
export type TargetName = typeof TARGET_NAMES[number];

/** Every type of module. */
export const MODULE_TYPES = [
  "instructions",
  "skill",
  "prompt",
  "command",
  "subagent",
  "mcp_server",
  "hook",
] as const;
/** One of {@linkcode MODULE_TYPES}. */
export type ModuleType = typeof MODULE_TYPES[number];

/** Where a target writes: below the home directory, into the project, or both. */
export const SCOPES = ["user", "project", "both"] as const;
/** One of {@linkcode SCOPES}. */
export type Scope = typeof SCOPES[number];

/** The scopes of overlays, from the lowest precedence to the highest. */
export const OVERLAY_SCOPES = ["global", "machine", "project"] as const;
/** One of {@linkcode OVERLAY_SCOPES}. */
export type OverlayScope = typeof OVERLAY_SCOPES[number];

/** How an overlay changes its module: with whole files or with patches. */
export const OVERLAY_KINDS = ["dir", "patch"] as const;
/** One of {@linkcode OVERLAY_KINDS}. */
export type OverlayKind = typeof OVERLAY_KINDS[number];

/** Whether a text names a target. */
export function isTargetName(text: string): text is TargetName {
  return TARGET_NAMES.some((name) => name === text);
}

// Times as the files of agentpack hold them: nanoseconds in ids, RFC 3339 in records.

/** Nanoseconds since the epoch; the clock counts milliseconds, the rest is zero. */
export function nowNanos(clock: Clock): bigint {
  return BigInt(clock.now()) * 1_000_000n;
}

/** UTC with nine digits of the second: `2026-02-03T08:15:30.123456789Z`. */
export function formatNanos(nanos: bigint): string {
  const ms = Number(nanos / 1_000_000n);
  const fraction = (nanos % 1_000_000_000n).toString().padStart(9, "0");
  return `${new Date(ms).toISOString().slice(0, 19)}.${fraction}Z`;
}

/** UTC to the second: `2026-02-03T08:15:30Z`. */
export function formatSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
