/**
 * Why a push leaves a repository out, and what would let it go.
 *
 * @module
 */

import type { ErrorCode } from "../error.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";
import { flagsFor, type GuardInput, touchFix, touchText } from "../workspace/mod.ts";
import type { RepoSnapshot } from "../workspace/mod.ts";
import type { Held } from "./push_contents.ts";

/** The remote that is pushed to. */
export const REMOTE = "origin";

/** What a push is asked for. */
export interface PushInput extends GuardInput {
  readonly message?: string | undefined;
  readonly allow_secrets?: readonly string[] | undefined;
  readonly commit: boolean;
  readonly allow_base: boolean;
  readonly repos?: readonly string[] | undefined;
}

/** Why a repository is left out. Those of `BLOCKED` hold back work that was meant to be pushed. */
type SkipReason =
  | "readonly"
  | "missing"
  | "nothing_to_push"
  | "dirty"
  | "base_branch"
  | "wrong_branch"
  | "detached"
  | "in_progress"
  | "conflicted"
  | "diverged"
  | "no_remote"
  | "no_touch"
  | "secret_files"
  | "nested_repository"
  | "unreadable";

/** The reasons that hold work back, with the code of the failure and what would let it go. */
export const BLOCKED: Readonly<
  Partial<Record<SkipReason, { readonly code: ErrorCode; readonly fix: string }>>
> = {
  dirty: {
    code: "repo_dirty",
    fix: "commit the changes; or let the push do it: amof push --commit",
  },
  base_branch: {
    code: "push_refused",
    fix: "work on a feature branch; or push it all the same: amof push --allow-base",
  },
  wrong_branch: { code: "push_refused", fix: "switch to the ticket's branch" },
  detached: { code: "push_refused", fix: "switch to a branch" },
  in_progress: { code: "repo_in_progress", fix: "finish or abort the operation" },
  conflicted: { code: "repo_in_progress", fix: "resolve the conflicts" },
  diverged: { code: "repo_diverged", fix: "integrate the remote's commits first" },
  no_remote: { code: "push_refused", fix: `add the remote "${REMOTE}"` },
  no_touch: { code: "push_refused", fix: "take them out of what is pushed" },
  secret_files: { code: "push_refused", fix: "add them to .gitignore" },
  nested_repository: {
    code: "push_refused",
    fix: "name them in .gitignore, or make them submodules: git submodule add URL PATH",
  },
  unreadable: { code: "git_failed", fix: "look at the error above" },
};

/** A repository that is left out. */
export interface SkipFact {
  readonly name: string;
  readonly branch: string;
  readonly reason: SkipReason;
  readonly detail: string;
  /** Whether work is held back. */
  readonly blocked: boolean;
  /** What would let it go, or null. */
  readonly fix: string | null;
}

/** A repository that is left out for a reason. */
export function skip(
  snapshot: RepoSnapshot,
  why: SkipReason,
  detail: string,
  fix = BLOCKED[why]?.fix ?? null,
): SkipFact {
  return {
    name: snapshot.repo.name,
    branch: snapshot.git?.branch ?? (snapshot.git === null ? "-" : "HEAD"),
    reason: why,
    detail,
    blocked: BLOCKED[why] !== undefined,
    fix,
  };
}

/** Holds a repository back because of repositories inside it that others could not get. */
export function holdNested(snapshot: RepoSnapshot, paths: readonly string[]): SkipFact {
  const shown = paths.slice(0, 3).map((path) => cleanLine(path, 80)).join(", ");
  const rest = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  return skip(
    snapshot,
    "nested_repository",
    `holds repositories that are not submodules: ${shown}${rest}; a commit would only name them`,
  );
}

/** Holds a repository back because of files that must not go. */
export function hold(
  snapshot: RepoSnapshot,
  input: PushInput,
  { reason, paths, touches }: Held,
): SkipFact {
  const again = `push --repo ${snapshot.repo.name}${input.commit ? " --commit" : ""}${
    input.allow_base ? " --allow-base" : ""
  }`;
  if (reason === "no_touch") {
    return skip(
      snapshot,
      reason,
      `no-touch paths: ${touchText(touches)}`,
      touchFix(touches, again),
    );
  }
  const shown = paths.slice(0, 3).map((path) => cleanLine(path, 80)).join(", ");
  return skip(
    snapshot,
    reason,
    `new files that look secret: ${shown}${
      paths.length > 3 ? ` and ${count(paths.length - 3, "more file")}` : ""
    }`,
    `add them to .gitignore; only a person at a terminal can let them go: amof ${again} ${
      flagsFor("--allow-secret", paths)
    }`,
  );
}
