/** The words that configuration files and JSON use: targets, module types, scopes. */

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
