/** What a commit and a push do alike in a repository for which they were agreed to. */

import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { Sha } from "../../base/ids.ts";
import { type Guard, type Manifest, touchedBy, touchText } from "../../workspace/manifest/mod.ts";
import { repoDirectory } from "../../workspace/mod.ts";

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
