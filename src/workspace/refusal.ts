/** Refusals of single repositories, told as one: a refusal in one leaves none changed. */

import { AmofError, type ErrorCode } from "../base/error.ts";
import { remediesOf, shellWord } from "../base/text/words.ts";

/** Why a repository cannot take part. */
export interface Refusal {
  readonly repo: string;
  readonly code: ErrorCode;
  readonly problem: string;
  readonly fix: string;
  /** The ticket in whose own workspace it is; null or absent for the one that the call is about. */
  readonly ticket?: string | null;
}

/**
 * Throws one error for all refusals; with none it does nothing.
 *
 * @example
 * ```ts
 * import { assertThrows } from "@std/assert";
 * import { AmofError } from "../base/error.ts";
 * import { refuseAll } from "./refusal.ts";
 *
 * refuseAll("switch to PROJ-1", []);
 * const dirty = { repo: "api", code: "repo_dirty", problem: "has 2 uncommitted files", fix: "commit them" } as const;
 * assertThrows(
 *   () => refuseAll("switch to PROJ-1", [dirty]),
 *   AmofError,
 *   'Cannot switch to PROJ-1: "api" has 2 uncommitted files; nothing was changed',
 * );
 * ```
 */
export function refuseAll(
  what: string,
  refusals: readonly Refusal[],
  unharmed = "nothing was changed",
): void {
  const [first] = refusals;
  if (first === undefined) return;
  const more = refusals.length === 1 ? "" : ` (and ${refusals.length - 1} more)`;
  throw new AmofError(
    first.code,
    `Cannot ${what}: "${first.repo}" ${first.problem}${more}; ${unharmed}`,
    {
      hint: remediesOf(refusals.map(({ repo, fix }) => ({ name: repo, fix }))),
      details: {
        repos: refusals.map(({ repo, code, problem }) => ({ name: repo, code, problem })),
        ...(first.ticket === undefined || first.ticket === null
          ? {}
          : { workspace_ticket: first.ticket }),
      },
    },
  );
}

/** Whether what was found out about a repository is that it cannot take part. */
export function isRefusal(found: object): found is Refusal {
  return "problem" in found;
}

/** Those that can take part; throws one error for all that cannot. */
export function unlessRefused<T extends object>(
  what: string,
  found: readonly (T | Refusal)[],
): T[] {
  refuseAll(what, found.filter(isRefusal));
  return found.filter((entry): entry is T => !isRefusal(entry));
}

/** Why the work in a repository stays where it is, by what is found there. */
export function refusalReason(repo: string): (problem: string, fix: string) => Refusal {
  return (problem, fix) => ({ repo, code: "would_lose_work", problem, fix });
}

/** What makes room for a clone where something else stands in its place, which may be work of somebody. */
export function makeRoom(directory: string, then: string): string {
  return `Move it away: mv ${shellWord(directory)} ${
    shellWord(`${directory}.aside`)
  }\nThen: ${then}`;
}

/** Why something failed, for a line that names the repository already. */
export function whyOf(error: AmofError): string {
  const { reason } = error.details;
  return typeof reason === "string" ? reason : error.message;
}

/** Why a repository has no answer, as a row of an answer tells it. */
export interface RowError {
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

/** An error as a row of an answer tells it. */
export function rowError({ code, message, hint }: AmofError): RowError {
  return { code, message, hint };
}
