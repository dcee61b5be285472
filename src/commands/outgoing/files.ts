/** Commits exactly what somebody has agreed to in one repository: what `amof commit` and `amof push --commit` share. */

import { GIT_HINTS } from "../../base/error_codes.ts";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import type { Sha } from "../../base/ids.ts";
import { type ChangedPath, type CommitLine, type OnLine, type Unknown } from "../../git/mod.ts";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { recheck } from "../../base/policy/changes.ts";
import { changesDigest } from "../../workspace/clones/mod.ts";
import { committable } from "./contents.ts";
import { type Guard, type Manifest, touchedBy, touchText } from "../../workspace/manifest/mod.ts";
import { repoDirectory } from "../../workspace/mod.ts";

interface AgreedFiles {
  readonly name: string;
  readonly branch: string;
  readonly head: string | null;
  readonly changes_digest: string | null;
  readonly unknown: Unknown | null;
}

/** What is told where git does not know who commits, and what mends it. */
export const UNKNOWN: Readonly<Record<Unknown, readonly [detail: string, mend: string]>> = {
  name: ["git does not know your name", "Tell it: git config --global user.name NAME"],
  email: ["git does not know your address", "Tell it: git config --global user.email EMAIL"],
  both: [
    "git does not know who you are",
    GIT_HINTS.identity,
  ],
};

/** What stands behind a repository in a preview, where git does not know who commits. */
export function unknownText(unknown: Unknown | null): string {
  return unknown === null ? "" : `; ⚠ ${UNKNOWN[unknown][0]}, so nothing can be committed`;
}

interface CommitTerms {
  readonly message: string;
  /** Whether only what is staged is committed. */
  readonly staged: boolean;
  readonly onLine: OnLine;
  /** Looks at the new commit; where it throws, the commit is taken back. */
  readonly check?: (made: Sha) => Promise<void>;
}

/** The staged part of changes, as if nothing else had changed. */
function stagedPart(changes: readonly ChangedPath[]): ChangedPath[] {
  return changes.filter(({ code }) => code !== "??" && code[0] !== ".")
    .map((change) => ({ ...change, code: `${change.code[0]}.` }));
}

/** The changes that a commit would take: all but temporary files of this program, or only what is staged. */
export function toCommit(changes: readonly ChangedPath[], staged: boolean): ChangedPath[] {
  const all = committable(changes);
  return staged ? stagedPart(all) : all;
}

/** What ties a confirmation to these changes; of staged ones the contents count and not the files. */
export async function digestOf(
  ctx: CommandContext,
  directory: string,
  changes: readonly ChangedPath[],
  staged: boolean,
): Promise<string> {
  if (!staged) return await changesDigest(ctx, directory, changes);
  return sha256(
    changes.map(({ code, path, from, raw }) => {
      // "1 XY sub mH mI mW hH hI path": mode and object in the index.
      const fields = raw.split(" ");
      return [code, fields[4], fields[7], path, from ?? ""].join("\t");
    }).join("\n"),
  );
}

/** Commits what was previewed, and nothing that came since; answers the new commit as hooks left it. Throws where it failed. */
export async function commitAgreed(
  ctx: ExecuteContext,
  directory: string,
  fact: AgreedFiles,
  { message, staged, onLine, check }: CommitTerms,
): Promise<CommitLine> {
  if (fact.unknown !== null) {
    const [detail, hint] = UNKNOWN[fact.unknown];
    throw new AmofError("git_failed", detail, { hint });
  }
  const repository = ctx.git.at(directory, fact.name);
  const now = await repository.status("all");
  const changes = toCommit(now.changes, staged);
  recheck(
    { fingerprint: canonicalJson([fact.head, fact.branch, fact.changes_digest]) },
    {
      fingerprint: canonicalJson([
        now.head,
        now.branch,
        await digestOf(ctx, directory, changes, staged),
      ]),
    },
    "Its files changed since the preview",
  );
  await repository.commits.changes(changes, message, {
    head: fact.head,
    onLine,
    ...(check === undefined ? {} : { check }),
  });
  return await repository.history.last();
}

// What a commit and a push do alike in a repository for which they were agreed to.

/** What was agreed to for all repositories. */
export interface Agreed {
  readonly manifest: Manifest;
  /** Absolute. */
  readonly workspace: string;
  readonly guard: Guard;
  /** No-touch paths or globs that somebody let go. */
  readonly allowed: readonly string[];
}

/**
 * Where a repository is that is next. Throws `cancelled` when the work was interrupted, which takes effect between
 * repositories only, and `repo_not_found` when the manifest no longer names it.
 */
export async function nextDirectory(
  ctx: ExecuteContext,
  { manifest, workspace }: Agreed,
  name: string,
): Promise<string> {
  if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
  const repo = manifest.repos.find((entry) => entry.name === name);
  if (repo === undefined) {
    throw new AmofError("repo_not_found", `Cannot find "${name}" in the manifest`);
  }
  return await repoDirectory(ctx.system, workspace, repo);
}

/** Notes in the log what failed in a repository. */
export function noteFailure(ctx: ExecuteContext, name: string, { code, message }: AmofError): void {
  ctx.report.log("error", `${name}: ${message}`, { type: "repo", payload: { repo: name, code } });
}

/** Throws the error of these words when a hook has put guarded files into a commit that was just made. */
export async function refuseTouched(
  { git }: Pick<ExecuteContext, "git">,
  { directory, name, before, made }: {
    readonly directory: string;
    readonly name: string;
    /** The commit below it; null where it is the first. */
    readonly before: string | null;
    readonly made: Sha;
  },
  { guard, allowed }: Agreed,
  error: (touched: string) => AmofError,
): Promise<void> {
  const without = before === null ? { remote: "origin" } : { ref: before };
  const found = await touchedBy(git.at(directory, name), guard, { head: made, without }, allowed);
  if (found.length > 0) throw error(`a hook has changed no-touch paths: ${touchText(found)}`);
}
