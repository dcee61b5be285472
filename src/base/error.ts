/**
 * The one error class.
 *
 * Everything that can go wrong in a way a caller may act on is an {@linkcode AmofError} with a code
 * of the table in `error_codes.ts`. Anything else that is thrown is a defect and is reported as `internal_error`.
 */

import { ERROR_CODES, type ErrorCode, type ExitCode } from "./error_codes.ts";
import { ioErrorFacts, ioErrorWords } from "./io_error.ts";
import { NEXT_ACTIONS } from "./next_actions.ts";
import { cleanLine } from "./text/sanitize.ts";

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

/** What the details of every error say to a program, in the form that agentpack's errors have, too. */
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
