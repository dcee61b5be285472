/**
 * Commits what was agreed to in one repository.
 *
 * @module
 */

import { AmofError, type ErrorCode, toAmofError } from "../error.ts";
import { logLines, tail } from "../git/mod.ts";
import type { ExecuteContext } from "../contract/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";
import {
  type Guard,
  type Manifest,
  repoDirectory,
  touchedBy,
  touchText,
} from "../workspace/mod.ts";
import { commitAgreed } from "./commit_files.ts";
import { BLOCKED, type CommitFact } from "./commit_plan.ts";
import type { SkipFact } from "./skip.ts";

/** What came of one repository. */
export interface CommitRow {
  readonly name: string;
  readonly result: "committed" | "skipped" | "failed";
  readonly branch: string;
  readonly files: number;
  readonly commit: string | null;
  readonly detail: string;
  readonly code: ErrorCode | null;
  readonly fix: string | null;
  /** The last lines that git and the hooks printed where it failed. */
  readonly last_lines: readonly string[];
}

/** Lines that are kept of what hooks print. */
const MOST_LINES = 10;

/** The row of a repository that was left out. */
export function skippedRow(fact: SkipFact): CommitRow {
  return {
    name: fact.name,
    result: "skipped",
    branch: fact.branch,
    files: 0,
    commit: null,
    detail: fact.detail,
    code: BLOCKED[fact.reason]?.code ?? null,
    fix: fact.fix,
    last_lines: [],
  };
}

/** The row of a repository for whose commit nobody has given a message. */
export function namelessRow({ name, branch, commit_files }: CommitFact): CommitRow {
  return {
    name,
    result: "skipped",
    branch,
    files: commit_files,
    commit: null,
    detail: "no message",
    code: "invalid_arguments",
    fix: "give it a message: amof commit -m TEXT",
    last_lines: [],
  };
}

/** What a commit of all repositories was agreed to. */
export interface AgreedCommit {
  readonly manifest: Manifest;
  /** Absolute. */
  readonly workspace: string;
  readonly staged: boolean;
  readonly guard: Guard;
  /** No-touch paths or globs that somebody let go. */
  readonly allowed: readonly string[];
}

/** Throws when a hook has put guarded files into a commit. */
async function refuseGuarded(
  ctx: ExecuteContext,
  { directory, fact, head }: {
    readonly directory: string;
    readonly fact: CommitFact;
    readonly head: string;
  },
  { guard, allowed }: AgreedCommit,
): Promise<void> {
  if (guard.isEmpty) return;
  const without = fact.head === null ? { remote: "origin" } : { ref: fact.head };
  const found = await touchedBy(
    ctx.git.until().at(directory, fact.name),
    guard,
    { head, without },
    allowed,
  );
  if (found.length === 0) return;
  throw new AmofError(
    "commit_refused",
    `Took the commit back: a hook has changed no-touch paths: ${touchText(found)}`,
  );
}

/** Why a commit failed, in one line: what git said, without the words around it. */
function whyNot(error: AmofError): string {
  const { reason } = error.details;
  return typeof reason === "string" && reason !== "" ? reason : error.message;
}

/** Commits in one repository. Never throws: what failed is in the row. */
export async function commitOne(
  ctx: ExecuteContext,
  agreed: AgreedCommit,
  fact: CommitFact,
): Promise<CommitRow> {
  const said: string[] = [];
  const row = { name: fact.name, branch: fact.branch, files: fact.commit_files, fix: null };
  const failed = (error: AmofError): CommitRow => {
    ctx.report.log("error", `${fact.name}: ${error.message}`, {
      type: "repo",
      payload: { repo: fact.name, code: error.code },
    });
    return {
      ...row,
      result: "failed",
      commit: null,
      detail: error.code === "cancelled" ? "cancelled" : cleanLine(whyNot(error), 300),
      code: error.code,
      last_lines: tail(said.join("\n"), MOST_LINES),
    };
  };
  try {
    // A cancellation takes effect between repositories; a commit that has begun is ended by git.
    if (ctx.signal.aborted) {
      return failed(new AmofError("cancelled", "Stopped before this repository"));
    }
    const repo = agreed.manifest.repos.find(({ name }) => name === fact.name);
    if (repo === undefined || fact.message === null) {
      throw new AmofError("repo_not_found", `Cannot find "${fact.name}" in the manifest`);
    }
    const directory = await repoDirectory(ctx.system, agreed.workspace, repo);
    const log = logLines(ctx.report.log, fact.name, { stdout: "info", stderr: "warn" });
    const commit = await commitAgreed(ctx, directory, fact, {
      message: fact.message,
      staged: agreed.staged,
      onLine: (stream, line) => {
        said.push(line);
        if (said.length > 4 * MOST_LINES) said.shift();
        log(stream, line);
      },
      check: (head) => refuseGuarded(ctx, { directory, fact, head }, agreed),
    });
    ctx.report.log("info", `${fact.name}: committed ${count(fact.commit_files, "file")}`, {
      type: "repo",
      payload: { repo: fact.name, commit },
    });
    const subject = cleanLine(fact.message.trim().split("\n")[0] ?? "", 72);
    return {
      ...row,
      result: "committed",
      commit,
      detail: `${commit?.slice(0, 7) ?? ""} ${subject}`.trim(),
      code: null,
      last_lines: [],
    };
  } catch (thrown) {
    return failed(toAmofError(thrown, () => ctx.system.ids.hex(8)));
  }
}
