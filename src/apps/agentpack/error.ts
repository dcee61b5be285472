/** The error codes of the agentpack contract and the one class that carries them (PACK-41). */

import { rootCause } from "../../base/error.ts";

/** What to do next about each code. Codes are never removed or renamed. */
const NEXT_ACTIONS = {
  E_CONFIRM_REQUIRED: ["retry_with_yes"],
  E_CONFIRM_TOKEN_REQUIRED: ["call_deploy", "retry_deploy_apply"],
  E_CONFIRM_TOKEN_EXPIRED: ["call_deploy", "retry_deploy_apply"],
  E_CONFIRM_TOKEN_MISMATCH: ["call_deploy", "retry_deploy_apply"],
  E_ADOPT_CONFIRM_REQUIRED: ["retry_with_adopt"],
  E_TTY_REQUIRED: ["retry_in_tty", "retry_without_guided"],
  E_IMPORT_CONFLICT: ["resolve_import_conflict", "retry_import_apply"],
  E_CONFIG_MISSING: ["run_init", "retry_with_repo", "retry_command"],
  E_CONFIG_INVALID: ["fix_config", "retry_command"],
  E_CONFIG_UNSUPPORTED_VERSION: ["upgrade_agentpack", "fix_config_version", "retry_command"],
  E_LOCKFILE_MISSING: ["run_lock", "run_update", "retry_command"],
  E_LOCKFILE_INVALID: ["regenerate_lockfile", "retry_command"],
  E_LOCKFILE_UNSUPPORTED_VERSION: ["upgrade_agentpack", "regenerate_lockfile", "retry_command"],
  E_TARGET_UNSUPPORTED: ["inspect_help_json", "retry_with_supported_target"],
  E_DESIRED_STATE_CONFLICT: ["resolve_desired_state_conflict", "retry_command"],
  E_SHARED_FILE_INVALID: ["fix_shared_file", "retry_command"],
  E_PROGRAM_NOT_ALLOWED: ["allow_program", "retry_command"],
  E_OVERLAY_NOT_FOUND: ["run_overlay_edit", "retry_command"],
  E_OVERLAY_BASELINE_MISSING: ["run_overlay_edit", "retry_command"],
  E_OVERLAY_BASELINE_UNSUPPORTED: [
    "init_git_repo",
    "commit_or_stash",
    "run_overlay_edit",
    "retry_command",
  ],
  E_OVERLAY_REBASE_CONFLICT: ["resolve_overlay_conflicts", "retry_overlay_rebase"],
  E_OVERLAY_PATCH_APPLY_FAILED: ["regenerate_patch", "switch_to_dir_overlay", "retry_command"],
  E_GIT_REPO_REQUIRED: ["init_git_repo", "retry_command"],
  E_GIT_WORKTREE_DIRTY: ["commit_or_stash", "retry_command"],
  E_GIT_DETACHED_HEAD: ["checkout_branch", "retry_command"],
  E_GIT_REMOTE_MISSING: ["set_git_remote", "retry_command"],
  E_GIT_NOT_FOUND: ["install_git", "retry_command"],
  E_POLICY_VIOLATIONS: ["fix_policy_violations", "retry_policy_lint"],
  E_POLICY_CONFIG_MISSING: ["create_policy_config", "retry_command"],
  E_POLICY_CONFIG_INVALID: ["fix_policy_config", "retry_command"],
  E_POLICY_CONFIG_UNSUPPORTED_VERSION: [
    "upgrade_agentpack",
    "fix_policy_config_version",
    "retry_command",
  ],
  E_IO_PERMISSION_DENIED: ["fix_permissions", "retry_command"],
  E_IO_INVALID_PATH: ["fix_path", "retry_command"],
  E_IO_PATH_TOO_LONG: ["shorten_path", "enable_long_paths", "retry_command"],
  E_IO_NO_SPACE: ["free_space", "retry_command"],
  E_INTERRUPTED: ["retry_command"],
  E_UNEXPECTED: [],
  E_SNAPSHOT_NOT_FOUND: ["list_snapshots", "retry_command"],
  E_SNAPSHOT_INVALID: ["list_snapshots", "retry_command"],
  E_LOCK_HELD: ["retry_later"],
  E_PLAN_STALE: ["retry_command"],
  E_MODE_INSUFFICIENT: ["raise_mode", "retry_command"],
  E_USAGE: ["inspect_help_json"],
  E_INVALID_ARGUMENTS: ["fix_arguments", "retry_command"],
} as const satisfies Record<string, readonly string[]>;

/** A stable code of {@linkcode AGENTPACK_CODES}. */
export type AgentpackCode = keyof typeof NEXT_ACTIONS;

/** The reasons that are not their code in small letters. */
const REASONS: Partial<Readonly<Record<AgentpackCode, string>>> = {
  E_LOCKFILE_INVALID: "lockfile_invalid_json",
  E_TARGET_UNSUPPORTED: "target_filter_unsupported",
  E_UNEXPECTED: "",
};

/** What a code says to a machine: why, and what to do next. */
interface CodeFacts {
  readonly reason: string;
  readonly next: readonly string[];
}

function factsOf(code: AgentpackCode): CodeFacts {
  return { reason: REASONS[code] ?? code.slice(2).toLowerCase(), next: NEXT_ACTIONS[code] };
}

/** Every code with the `reason_code` and `next_actions` of its details; `E_UNEXPECTED` has none. */
export const AGENTPACK_CODES: Readonly<Record<AgentpackCode, CodeFacts>> = Object.fromEntries(
  Object.keys(NEXT_ACTIONS).map((code) => [code, factsOf(code as AgentpackCode)]),
) as Record<AgentpackCode, CodeFacts>;

/** Facts about a failure: plain JSON values. */
export type Details = Readonly<Record<string, unknown>>;

/** What an {@linkcode AgentpackError} may say differently from the table. */
interface AgentpackErrorOptions {
  readonly reason?: string;
  readonly next?: readonly string[];
  /** The error behind this one. */
  readonly cause?: unknown;
}

/** A failure as the envelope shows it; `details` has `reason_code` and `next_actions` but for `E_UNEXPECTED`. */
export class AgentpackError extends Error {
  override readonly name = "AgentpackError";
  /** The stable code. */
  readonly code: AgentpackCode;
  /** Facts about the failure; null for `E_UNEXPECTED`. */
  readonly details: Details | null;

  constructor(
    code: AgentpackCode,
    message: string,
    details: Details = {},
    options: AgentpackErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    const { reason, next } = AGENTPACK_CODES[code];
    this.details = code === "E_UNEXPECTED" ? null : {
      ...details,
      reason_code: options.reason ?? reason,
      next_actions: options.next ?? next,
    };
  }
}

/** An `E_CONFIG_INVALID`: the code for everything that a person has to mend in the config repo. */
export function configInvalid(message: string, details: Details): AgentpackError {
  return new AgentpackError("E_CONFIG_INVALID", message, details);
}

/**
 * The refusal of a mutating call that nobody approved; `command` is the command id (PACK-39), `how`
 * the way in which the door takes an approval.
 */
export function confirmRequired(command: string, how = "--yes"): AgentpackError {
  return new AgentpackError(
    "E_CONFIRM_REQUIRED",
    `Cannot run "${command}" without approval: pass ${how}`,
    { command },
  );
}

/** The failure of a call that was interrupted. */
export function interrupted(cause?: unknown): AgentpackError {
  return new AgentpackError(
    "E_INTERRUPTED",
    "Interrupted before the end; nothing was changed, or what was begun has been taken back",
    {},
    cause === undefined ? {} : { cause },
  );
}

/**
 * Turns whatever was thrown into an {@linkcode AgentpackError}; a foreign error becomes `E_UNEXPECTED` and
 * its message holds the root cause.
 */
export function toAgentpackError(thrown: unknown): AgentpackError {
  if (thrown instanceof AgentpackError) return thrown;
  // Git says so of itself when its call is interrupted.
  if (thrown instanceof Error && "code" in thrown && thrown.code === "cancelled") {
    return interrupted();
  }
  const outer = thrown instanceof Error ? thrown.message : String(thrown);
  const inner = rootCause(thrown);
  const message = outer.includes(inner) ? outer : `${outer}: ${inner}`;
  return new AgentpackError("E_UNEXPECTED", message, {}, { cause: thrown });
}
