/**
 * Names that must not be mistaken for each other, as types of their own: swapping two of them does not type-check.
 *
 * Each is made in one place, out of any text, by a check. In JSON they are plain strings.
 */

import { isAbsolute } from "@std/path";

declare const brand: unique symbol;

type Branded<Name extends string> = string & { readonly [brand]: Name };

/** The full name of an object of git, such as a commit: 40 or 64 hexadecimal digits. */
export type Sha = Branded<"Sha">;
/** The name of a branch that git accepts, without `refs/heads/`. */
export type BranchName = Branded<"BranchName">;
/** What a manifest calls a repository. */
export type RepoName = Branded<"RepoName">;
/** The id of a run. */
export type RunId = Branded<"RunId">;
/** An absolute path. */
export type AbsPath = Branded<"AbsPath">;

/**
 * What takes one of these or any other text, but none of the others of these.
 *
 * @example
 * ```ts
 * import { absPath, type AbsPath, type Loose, repoName } from "./ids.ts";
 *
 * const parent = (directory: Loose<AbsPath>) => absPath(`${directory}/..`);
 * parent(absPath("/tmp"));
 * parent("/tmp");
 * // @ts-expect-error a name is no path
 * export const wrong = () => parent(repoName("api"));
 * ```
 */
export type Loose<Id extends Branded<string>> = string & { readonly [brand]?: Id[typeof brand] };

/** Names of ecosystems, repositories and provisioners. */
export const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The name that stands for "no ticket": every repository on its base branch. */
export const NO_TICKET = "main";

/** Whether a text can be the id of a ticket. `main` is none: it stands for the base branches, and the base workspace. */
export function isTicketId(text: string): boolean {
  return SLUG.test(text) && text !== "main";
}

/** A run id is a UUID; whatever it is, it can be the name of a file. */
const RUN_ID = /^[^\s/\\]{1,64}$/;

function check<Id extends string>(text: string, holds: boolean, what: string): Id {
  if (!holds) throw new TypeError(`${JSON.stringify(text)} is not ${what}`);
  return text as Id;
}

/** The first digits of a commit, as git shows them to people; nothing where there is no commit. */
export function shortSha(commit: string | null | undefined): string {
  return commit?.slice(0, 7) ?? "";
}

/** The text as the name of an object of git; throws a `TypeError` for what is none. */
export function sha(text: string): Sha {
  return check(text, /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text), "the full name of a commit");
}

/**
 * Whether git would accept this as the name of a branch, by the rules of `git check-ref-format --branch`.
 * Besides, `@`, C1 control characters and more than 244 characters are refused.
 */
export function isBranchName(name: string): name is BranchName {
  return name !== "HEAD" && !name.startsWith("-") && name !== "@" &&
    name.length > 0 && name.length <= 244 &&
    !/[^\P{Cc}]|[ ~^:?*[\\]/u.test(name) &&
    !name.includes("..") && !name.includes("@{") && !name.includes("//") &&
    !name.startsWith("/") && !name.endsWith("/") && !name.endsWith(".") &&
    name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

/** The text as the name of a branch; throws a `TypeError` for what git would not accept. */
export function branchName(text: string): BranchName {
  return check(text, isBranchName(text), "the name of a branch");
}

/** The text as the name of a repository of a manifest; throws a `TypeError` for what cannot be one. */
export function repoName(text: string): RepoName {
  return check(text, SLUG.test(text), "the name of a repository");
}

/** The text as the id of a run; throws a `TypeError` for what is none. */
export function runId(text: string): RunId {
  return check(text, RUN_ID.test(text), "the id of a run");
}

/** The text as an absolute path; throws a `TypeError` for a relative one. */
export function absPath(text: string): AbsPath {
  return check(text, isAbsolute(text), "an absolute path");
}
