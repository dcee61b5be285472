/**
 * The one error class and the one table of error codes.
 *
 * Everything that can go wrong in a way a caller may act on is an {@linkcode AmofError} with a code
 * of this table. Anything else that is thrown is a defect and is reported as `internal_error`.
 *
 * @module
 */

import { stripUnsafe } from "./text/sanitize.ts";

/** Exit codes of the command line (design §3). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  checkFailed: 3,
  refused: 4,
  partial: 5,
  busy: 6,
  timeout: 124,
  interrupted: 130,
} as const;

/** One of the exit codes in {@linkcode EXIT}. */
export type ExitCode = typeof EXIT[keyof typeof EXIT];

/** What the code table says about one code. */
interface CodeFacts {
  /** The HTTP status of the category; 0 where the table gives none. */
  readonly http: number;
  /** The category a person reads. */
  readonly category: string;
  /** The exit code of the command line. */
  readonly exit: ExitCode;
}

function facts(http: number, category: string, exit: ExitCode): CodeFacts {
  return { http, category, exit };
}

/**
 * Every error code with its HTTP status, category and exit code.
 *
 * The first block is amof.md §8, the second is ours where the table is silent.
 */
export const ERROR_CODES = {
  ecosystem_not_found: facts(404, "Ecosystem not found", EXIT.usage),
  run_not_found: facts(404, "Run not found", EXIT.usage),
  confirmation_required: facts(403, "Confirmation required", EXIT.refused),
  type_to_confirm_failed: facts(403, "Confirmation required", EXIT.refused),
  mode_insufficient: facts(403, "Mode insufficient", EXIT.refused),
  subprocess_failed: facts(500, "Subprocess failed", EXIT.failed),
  manifest_invalid: facts(422, "Manifest invalid", EXIT.usage),
  invalid_arguments: facts(400, "Invalid arguments", EXIT.usage),
  unknown_tool: facts(404, "Unknown tool", EXIT.usage),
  scope_required: facts(400, "Scope required", EXIT.usage),
  ticket_not_found: facts(404, "Ticket not found", EXIT.usage),
  ticket_exists: facts(409, "Ticket exists", EXIT.failed),
  workspace_not_installed: facts(409, "Workspace not installed", EXIT.failed),
  workspace_exists: facts(409, "Workspace exists", EXIT.failed),
  ecosystem_busy: facts(409, "Ecosystem busy", EXIT.busy),
  repo_dirty: facts(409, "Repository dirty", EXIT.failed),
  repo_diverged: facts(409, "Repository diverged", EXIT.failed),
  repo_in_progress: facts(409, "Repository in progress", EXIT.failed),
  would_lose_work: facts(409, "Would lose work", EXIT.failed),
  invalid_transition: facts(409, "Invalid transition", EXIT.failed),
  confirmation_invalid: facts(403, "Confirmation invalid", EXIT.refused),
  confirmation_expired: facts(403, "Confirmation expired", EXIT.refused),
  confirmation_stale: facts(403, "Confirmation stale", EXIT.refused),
  provisioner_missing: facts(422, "Provisioner missing", EXIT.usage),
  git_failed: facts(502, "Git failed", EXIT.failed),
  remote_unreachable: facts(502, "Remote unreachable", EXIT.failed),
  auth_failed: facts(502, "Authentication failed", EXIT.failed),
  timeout: facts(504, "Timeout", EXIT.timeout),
  cancelled: facts(499, "Cancelled", EXIT.interrupted),
  state_corrupt: facts(500, "State corrupt", EXIT.failed),
  internal_error: facts(500, "Internal error", EXIT.failed),

  approval_not_found: facts(404, "Approval not found", EXIT.usage),
  approval_pending: facts(403, "Confirmation required", EXIT.refused),
  check_failed: facts(409, "Check failed", EXIT.checkFailed),
  confirmation_declined: facts(403, "Confirmation declined", EXIT.refused),
  ecosystem_exists: facts(409, "Ecosystem exists", EXIT.failed),
  interrupted: facts(500, "Interrupted", EXIT.failed),
  manifest_not_found: facts(404, "Manifest not found", EXIT.usage),
  partial_failure: facts(502, "Partly done", EXIT.partial),
  provisioner_invalid: facts(422, "Provisioner invalid", EXIT.usage),
  provisioner_untrusted: facts(403, "Provisioner not approved", EXIT.refused),
  push_refused: facts(409, "Push refused", EXIT.failed),
  repo_not_found: facts(404, "Repository not found", EXIT.usage),
  root_not_found: facts(404, "Control repository not found", EXIT.usage),
  tool_not_available: facts(403, "Tool not available", EXIT.refused),
} as const satisfies Record<string, CodeFacts>;

/** A stable code of {@linkcode ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** What an {@linkcode AmofError} may carry besides its code and message. */
export interface AmofErrorOptions {
  /** What to do next, best a command the reader can paste. */
  readonly hint?: string;
  /** Machine-readable facts: plain JSON values. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** An exit code other than the table's. */
  readonly exit?: ExitCode;
  /** The error behind this one. */
  readonly cause?: unknown;
}

/**
 * A failure the caller can act on.
 *
 * The message says what was tried and what was found, starts in upper case and has no final period;
 * the hint says what to do (style.md, habits 10 to 12).
 */
export class AmofError extends Error {
  override readonly name = "AmofError";
  /** The stable code. */
  readonly code: ErrorCode;
  /** What to do next, if something is known. */
  readonly hint: string | undefined;
  /** Facts about the failure. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The exit code of the command line. */
  readonly exit: ExitCode;

  constructor(code: ErrorCode, message: string, options: AmofErrorOptions = {}) {
    // Messages repeat what callers and repositories say; none of it may move a cursor or hide a word.
    super(stripUnsafe(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint === undefined ? undefined : stripUnsafe(options.hint);
    this.details = options.details ?? {};
    this.exit = options.exit ?? ERROR_CODES[code].exit;
  }
}

/** An error as the envelope and run records hold it (amof.md §8.1). */
export interface ErrorObject {
  readonly error: ErrorCode;
  readonly message: string;
  readonly http: number;
  readonly category: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The serialisable form of an error, fields of amof.md §8.1. */
export function errorObject(error: AmofError): ErrorObject {
  const { http, category } = ERROR_CODES[error.code];
  return {
    error: error.code,
    message: error.message,
    http,
    category,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(Object.keys(error.details).length === 0 ? {} : { details: error.details }),
  };
}

/**
 * Turns whatever was thrown into an {@linkcode AmofError}.
 *
 * A foreign error becomes `internal_error` with the id under which the log holds its stack; the
 * stack itself never reaches the caller (amof.md §8.2).
 */
export function toAmofError(thrown: unknown, id: () => string): AmofError {
  if (thrown instanceof AmofError) return thrown;
  const incident = id();
  return new AmofError("internal_error", `Unexpected failure, recorded as incident ${incident}`, {
    hint: "Run the command again with -v and report the incident id with what stderr says",
    details: { incident },
    cause: thrown,
  });
}
