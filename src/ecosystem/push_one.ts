/**
 * Pushes one repository, after committing what was agreed to.
 *
 * @module
 */

import { sha } from "../ids.ts";
import { AmofError, type ErrorCode, toAmofError } from "../error.ts";
import { classifyGitFailure, gitFailure, logLines, type OnLine, reason } from "../git/mod.ts";
import type { ExecuteContext } from "../contract/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";
import {
  followRemote,
  type Guard,
  type Manifest,
  repoDirectory,
  touchedBy,
  touchText,
} from "../workspace/mod.ts";
import { commitAgreed } from "./commit_files.ts";
import type { PushFact } from "./push_plan.ts";
import { BLOCKED } from "./push_skip.ts";
import type { SkipFact } from "./skip.ts";

/** What came of one repository. */
export interface PushRow {
  readonly name: string;
  readonly result: "pushed" | "skipped" | "failed";
  readonly branch: string;
  readonly commits: number;
  readonly commit: string | null;
  readonly detail: string;
  readonly code: ErrorCode | null;
  readonly fix: string | null;
}

/** The row of a repository that was left out. */
export function skippedRow(fact: SkipFact): PushRow {
  return {
    name: fact.name,
    result: "skipped",
    branch: fact.branch,
    commits: 0,
    commit: null,
    detail: fact.detail,
    code: BLOCKED[fact.reason]?.code ?? null,
    fix: fact.fix,
  };
}

/**
 * Makes the branch follow what was pushed; answers a remark for the row when that did not work. The push
 * itself stands then, and must be reported as what it is. Not ended by an interrupt, for the same reason.
 */
async function follow(
  ctx: ExecuteContext,
  directory: string,
  fact: PushFact,
  onLine: OnLine,
): Promise<string> {
  try {
    const { name: repo, remote, branch } = fact;
    await followRemote(ctx.git.until(), { repo, directory, remote, branch });
    return "";
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    onLine("stderr", thrown.message);
    return "; its upstream could not be set";
  }
}

/** What a push of all repositories was agreed to. */
export interface Agreed {
  readonly manifest: Manifest;
  /** Absolute. */
  readonly workspace: string;
  /** The message of commits that are made first, or null. */
  readonly message: string | null;
  readonly guard: Guard;
  /** No-touch paths or globs that somebody let go. */
  readonly allowed: readonly string[];
}

/** Throws when a hook has put guarded files into the commit that was just made. */
async function checkCommit(
  ctx: ExecuteContext,
  { directory, fact, head }: {
    readonly directory: string;
    readonly fact: PushFact;
    readonly head: string;
  },
  { guard, allowed }: Agreed,
): Promise<void> {
  const without = fact.head === null ? { remote: fact.remote } : { ref: fact.head };
  const found = await touchedBy(
    ctx.git.at(directory, fact.name),
    guard,
    { head, without },
    allowed,
  );
  if (found.length === 0) return;
  throw new AmofError(
    "push_refused",
    `Committed, but not pushed: a hook has changed no-touch paths: ${touchText(found)}`,
  );
}

/** The directory of a repository that the manifest still names. */
async function directoryOf(
  ctx: ExecuteContext,
  { manifest, workspace }: Agreed,
  name: string,
): Promise<string> {
  const repo = manifest.repos.find((entry) => entry.name === name);
  if (repo === undefined) {
    throw new AmofError("repo_not_found", `Cannot find "${name}" in the manifest`);
  }
  return await repoDirectory(ctx.system, workspace, repo);
}

/** Notes a push that went well; answers what the row says of it. */
function pushed(
  ctx: ExecuteContext,
  fact: PushFact,
  commit: string,
  note: string,
): Pick<PushRow, "commits" | "commit" | "result" | "detail" | "code"> {
  const commits = fact.ahead + (commit === fact.head ? 0 : 1);
  const place = `${fact.remote}/${fact.branch}`;
  ctx.report.log("info", `${fact.name}: pushed ${count(commits, "commit")} to ${place}`, {
    type: "repo",
    payload: { repo: fact.name, commit },
  });
  return {
    commits,
    commit,
    result: "pushed",
    detail: `${place}${fact.new_branch ? " (new branch)" : ""}${note}`,
    code: null,
  };
}

/** Pushes one repository. Never throws: what failed is in the row. */
export async function pushOne(
  ctx: ExecuteContext,
  agreed: Agreed,
  fact: PushFact,
): Promise<PushRow> {
  const { message } = agreed;
  const row = {
    name: fact.name,
    branch: fact.branch,
    commits: fact.ahead,
    commit: fact.head,
    fix: null,
  };
  const failed = (error: AmofError): PushRow => {
    ctx.report.log("error", `${fact.name}: ${error.message}`, {
      type: "repo",
      payload: { repo: fact.name, code: error.code },
    });
    return { ...row, result: "failed", detail: error.message, code: error.code };
  };
  try {
    // A cancellation takes effect between repositories; a push that has begun is ended by git.
    if (ctx.signal.aborted) {
      return failed(new AmofError("cancelled", "Stopped before this repository"));
    }
    const directory = await directoryOf(ctx, agreed, fact.name);
    const onLine = logLines(ctx.report.log, fact.name, { stdout: "info", stderr: "warn" });
    let head = fact.head;
    if (fact.commit_files > 0 && message !== null) {
      head = await commitAgreed(ctx, directory, fact, { message, staged: false, onLine });
      if (head !== null) await checkCommit(ctx, { directory, fact, head }, agreed);
    }
    if (head === null) return failed(new AmofError("git_failed", "It has no commit to push"));
    const outcome = await ctx.git.at(directory).remotes.push({
      commit: sha(head),
      branch: fact.branch,
      remote: fact.remote,
      onLine,
    });
    if (!outcome.ok) {
      const error = gitFailure(outcome.result, `push "${fact.name}"`, fact.name);
      const kind = classifyGitFailure(outcome.result);
      const why = cleanLine(outcome.reason ?? reason(outcome.result));
      return { ...failed(error), commit: head, detail: kind === "cancelled" ? "cancelled" : why };
    }
    const note = await follow(ctx, directory, fact, onLine);
    return { ...row, ...pushed(ctx, fact, head, note) };
  } catch (thrown) {
    return failed(toAmofError(thrown, () => ctx.system.ids.hex(8)));
  }
}
