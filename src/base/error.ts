/**
 * The one error class.
 *
 * Everything that can go wrong in a way a caller may act on is an {@linkcode AmofError} with a code of the
 * table in `error_codes.ts`. Anything else that is thrown is a defect and is reported as `internal_error`.
 *
 * All errors carry `reason_code` and `next_actions` in their details, those of other contracts too, with the same
 * words for the same things. So a program that drives a model handles one form.
 */

import { ERROR_CODES, type ErrorCode, type ExitCode } from "./error_codes.ts";
import { ioErrorFacts, ioErrorWords } from "./io_error.ts";
import { cleanLine } from "./text/sanitize.ts";

/** The next actions of every code, the best first, in lower case with underscores. */
export const NEXT_ACTIONS = {
  ecosystem_not_found: ["list_ecosystems", "retry_command"],
  run_not_found: ["list_runs", "retry_command"],
  confirmation_required: ["ask_the_person", "spend_token"],
  type_to_confirm_failed: ["ask_the_person", "retry_with_name"],
  mode_insufficient: ["raise_mode", "retry_command"],
  subprocess_failed: ["read_run_log", "retry_command"],
  manifest_invalid: ["validate_manifest", "fix_manifest", "retry_command"],
  invalid_arguments: ["fix_arguments", "retry_command"],
  unknown_tool: ["list_tools"],
  scope_required: ["name_ecosystem", "retry_command"],
  ticket_not_found: ["list_tickets", "retry_command"],
  ticket_scope: ["fix_arguments", "ask_the_person"],
  ticket_exists: ["switch_ticket"],
  workspace_not_installed: ["install_ecosystem", "retry_command"],
  workspace_exists: ["check_status"],
  workspace_in_use: ["leave_workspace", "retry_command"],
  ecosystem_busy: ["check_run", "retry_later"],
  box_unavailable: ["ask_the_person"],
  repo_dirty: ["commit_or_stash", "retry_command"],
  repo_diverged: ["integrate_remote", "retry_command"],
  repo_in_progress: ["finish_or_abort", "retry_command"],
  operation_not_found: ["list_operations", "retry_command"],
  undo_stale: ["check_operation", "leave_repository_out"],
  undo_impossible: ["check_operation", "leave_repository_out"],
  would_lose_work: ["push_work", "retry_command"],
  invalid_transition: ["check_status"],
  confirmation_invalid: ["retry_command"],
  confirmation_expired: ["ask_the_person", "spend_token"],
  confirmation_stale: ["ask_the_person", "spend_token"],
  confirmation_declined: ["ask_the_person"],
  confirmation_cancelled: ["ask_the_person"],
  confirmation_timed_out: ["ask_the_person", "retry_command"],
  confirmation_failed: ["ask_the_person", "retry_command"],
  provisioner_missing: ["describe_ecosystem", "fix_manifest", "retry_command"],
  provisioner_invalid: ["describe_ecosystem", "fix_provisioner", "retry_command"],
  provisioner_untrusted: ["ask_the_person", "retry_command"],
  clone_untrusted: ["ask_the_person", "retry_command"],
  engine_unavailable: ["check_engine", "retry_later"],
  engine_conflict: ["ask_the_person"],
  plan_refused: ["retry_command"],
  task_untrusted: ["ask_the_person", "retry_command"],
  git_failed: ["check_status", "retry_command"],
  remote_unreachable: ["check_network", "retry_later"],
  auth_failed: ["fix_credentials", "retry_command"],
  mirror_missing: ["repair", "retry_command"],
  program_missing: ["check_configuration", "retry_command"],
  forge_failed: ["check_pull_requests", "retry_later"],
  forge_limited: ["retry_later"],
  change_not_found: ["check_pull_requests", "retry_command"],
  change_moved: ["check_pull_requests", "ask_the_person"],
  change_blocked: ["check_pull_requests", "retry_command"],
  release_blocked: ["validate_release", "retry_command"],
  release_not_found: ["list_releases", "init_release"],
  timeout: ["read_run_log", "retry_command"],
  cancelled: ["check_status"],
  interrupted: ["repair", "retry_command"],
  state_corrupt: ["repair", "retry_command"],
  state_busy: ["retry_later"],
  internal_error: ["retry_command", "report_incident"],
  approval_not_found: ["list_approvals"],
  approval_pending: ["ask_the_person", "retry_later"],
  archive_not_found: ["list_archives", "retry_command"],
  check_failed: ["fix_findings", "retry_command"],
  ecosystem_exists: ["list_ecosystems"],
  settings_invalid: ["ask_the_person", "retry_command"],
  file_failed: ["fix_permissions", "retry_command"],
  manifest_not_found: ["create_ecosystem", "list_ecosystems"],
  partial_failure: ["check_status", "retry_command"],
  commit_refused: ["check_status", "retry_command"],
  push_refused: ["check_status", "retry_command"],
  repo_changed: ["check_status", "retry_command"],
  repo_not_found: ["describe_ecosystem", "retry_command"],
  root_not_found: ["name_root", "retry_command"],
  stocktrim_auth_failed: ["fix_credentials", "retry_command"],
  stocktrim_exists: ["look_first", "retry_with_update"],
  stocktrim_failed: ["retry_later", "check_network"],
  stocktrim_not_configured: ["ask_the_person", "retry_command"],
  stocktrim_not_found: ["search_first", "retry_command"],
  stocktrim_outcome_unknown: ["look_first", "ask_the_person"],
  stocktrim_refused: ["fix_arguments", "retry_command"],
  tool_not_available: ["ask_the_person"],
  port_taken: ["choose_port", "retry_command"],
  server_failed: ["check_status", "retry_command"],
  server_unproven: ["ask_the_person"],
  token_required: ["read_token_file", "retry_command"],
  origin_refused: ["fix_arguments", "retry_command"],
  csrf_refused: ["ask_the_person"],
  person_required: ["ask_the_person"],
  passkey_required: ["ask_the_person"],
  sign_in_refused: ["ask_the_person"],
  request_too_large: ["fix_arguments", "retry_command"],
  route_not_found: ["list_routes", "retry_command"],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

export {
  ERROR_CODES,
  type ErrorCode,
  EXIT,
  type ExitCode,
  type ProgramExit,
} from "./error_codes.ts";

/** What an {@linkcode AmofError} may carry besides its code and message. */
interface AmofErrorOptions {
  /** What to do next, each line at most one command that can be pasted whole; the table's when absent. */
  readonly hint?: string | readonly string[];
  /** Machine-readable facts: plain JSON values. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** An exit code other than the table's. */
  readonly exit?: ExitCode;
  /** The error behind this one. */
  readonly cause?: unknown;
}

/** Longer messages are cut; details hold what is worth more room. */
const LONGEST_MESSAGE = 1000;

/**
 * A failure the caller can act on.
 *
 * The message says what was tried and what was found, starts in upper case and has no final period;
 * the hint says what to do (ERROR-1).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { AmofError, EXIT } from "./error.ts";
 *
 * const error = new AmofError("run_not_found", 'Cannot find run "4e8c"', {
 *   details: { run_id: "4e8c" },
 * });
 * assertEquals(error.hint, "List them: amof runs list");
 * assertEquals(error.exit, EXIT.usage);
 * ```
 */
export class AmofError extends Error {
  override readonly name = "AmofError";
  /** The stable code. */
  readonly code: ErrorCode;
  /** What to do next. */
  readonly hint: string;
  /** Facts about the failure. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The exit code of the command line. */
  readonly exit: ExitCode;

  constructor(code: ErrorCode, message: string, options: AmofErrorOptions = {}) {
    // Messages repeat what callers and repositories say; none of it may move a cursor, hide a word or begin a
    // line that looks like one of ours.
    super(
      cleanLine(message, LONGEST_MESSAGE),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.hint = [options.hint ?? ERROR_CODES[code].hint].flat()
      .flatMap((text) => text.split("\n"))
      .map((line) => cleanLine(line, LONGEST_MESSAGE)).join("\n");
    this.details = options.details ?? {};
    this.exit = options.exit ?? ERROR_CODES[code].exit;
  }
}

/** What the details of every error say to a program, in the form that those of other contracts have, too. */
interface ErrorDetails {
  readonly [field: string]: unknown;
  /** The code, or a finer word where there is one. */
  readonly reason_code: string;
  /** Words for what to do next, the best first. */
  readonly next_actions: readonly string[];
}

/** An error as the envelope and run records hold it (ERROR-1). */
export interface ErrorObject {
  readonly error: ErrorCode;
  readonly message: string;
  readonly http: number;
  readonly category: string;
  readonly hint: string;
  readonly details: ErrorDetails;
}

/** No code is without a way on. */
const WAYS_ON: Readonly<Record<ErrorCode, readonly string[]>> = NEXT_ACTIONS;

/** The serialisable form of an error, with the members of ERROR-1 and ERROR-2. */
export function errorObject(error: AmofError): ErrorObject {
  const { http, category } = ERROR_CODES[error.code];
  return {
    error: error.code,
    message: error.message,
    http,
    category,
    hint: error.hint,
    details: {
      reason_code: reasonCode(error),
      next_actions: WAYS_ON[error.code],
      ...error.details,
    },
  };
}

/** The code, or for a failure of git the kind of it. */
function reasonCode({ code, details }: AmofError): string {
  const { kind } = details;
  return code === "git_failed" && typeof kind === "string" && kind !== "other"
    ? `git_${kind}`
    : code;
}

/** Why something failed, as a part of a sentence that any caller may read: never where on the machine a file lies. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof AmofError || !(thrown instanceof Error)) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  const io = ioErrorFacts(thrown);
  return io === null ? thrown.message : ioErrorWords(thrown, io);
}

/**
 * Turns whatever was thrown into an {@linkcode AmofError}.
 *
 * An error of the file system becomes `file_failed`. Any other foreign error becomes `internal_error` with the id
 * under which the log holds its stack; the stack itself never reaches the caller (ERROR-4).
 */
export function toAmofError(thrown: unknown, id: () => string): AmofError {
  if (thrown instanceof AmofError) return thrown;
  const io = ioErrorFacts(thrown);
  if (io !== null && thrown instanceof Error) {
    return new AmofError("file_failed", `The file system refused: ${ioErrorWords(thrown, io)}`, {
      details: { kind: io.kind },
      cause: thrown,
    });
  }
  const incident = id();
  return new AmofError("internal_error", `Unexpected failure, recorded as incident ${incident}`, {
    hint: "Report the incident with what standard error says about it",
    details: { incident },
    cause: thrown,
  });
}

/** The innermost message of an error: outer ones only say where it happened. */
export function rootCause(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof Error ? at.message : String(at);
}
