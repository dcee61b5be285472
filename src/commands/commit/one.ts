/** Commits what was agreed to in one repository. */

import { AmofError, toAmofError } from "../../base/error.ts";
import { tail } from "../../git/mod.ts";
import { logLines, OF_HOOKS } from "../../git/changing.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import type { RepoRow } from "../../contract/outcome.ts";
import { type Agreed, nextDirectory, noteFailure, refuseTouched } from "../outgoing/agreed.ts";
import { commitAgreed } from "../outgoing/files.ts";
import { BLOCKED, type CommitFact } from "./plan.ts";
import { type SkipFact, skipped, told } from "../outgoing/skip.ts";

/** What came of one repository. */
export interface CommitRow extends RepoRow {
  readonly result: "committed" | "skipped" | "failed";
  readonly branch: string;
  /** Whether that is the base branch, which a push leaves alone unless told to take it. */
  readonly on_base: boolean;
  /** Set where it follows work that is in the base branch in another form: it has to go on top of that to be pushed. */
  readonly beyond_merged?: true;
  readonly files: number;
  readonly commit: string | null;
  /** The last lines that git and the hooks printed where it failed. */
  readonly last_lines: readonly string[];
  /** Set where work of it is held back, which is no failure of this commit. */
  readonly held?: true;
}

/** Lines that are kept of what hooks print. */
const MOST_LINES = 10;

/** The row of a repository that was left out. */
export function skippedRow(fact: SkipFact): CommitRow {
  const row = {
    ...skipped(fact, BLOCKED),
    on_base: fact.reason === "base_branch",
    files: 0,
    commit: null,
    last_lines: [],
  };
  return fact.blocked && fact.elsewhere === true ? told(row) : row;
}

/** The row of a repository for whose commit nobody has given a message. */
export function namelessRow({ name, branch, on_base, commit_files }: CommitFact): CommitRow {
  return {
    name,
    result: "skipped",
    branch,
    on_base,
    files: commit_files,
    commit: null,
    detail: "no message",
    code: "invalid_arguments",
    fix: "give it a message: amof commit -m TEXT",
    last_lines: [],
  };
}

/** What a commit of all repositories was agreed to. */
export interface AgreedCommit extends Agreed {
  readonly staged: boolean;
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
  const { message } = fact;
  if (message === null) return namelessRow(fact);
  const said: string[] = [];
  const { name, branch, on_base, beyond_merged } = fact;
  const row = {
    name,
    branch,
    on_base,
    ...(beyond_merged ? { beyond_merged } : {}),
    files: fact.commit_files,
    fix: null,
  };
  const failed = (error: AmofError): CommitRow => {
    noteFailure(ctx, fact.name, error);
    return {
      ...row,
      result: "failed",
      commit: null,
      detail: error.code === "cancelled" ? "cancelled" : cleanLine(whyNot(error), 300),
      code: error.code,
      fix: error.hint ?? null,
      last_lines: tail(said.join("\n"), MOST_LINES),
    };
  };
  try {
    const directory = await nextDirectory(ctx, agreed, fact.name);
    const log = logLines(ctx.report.log, fact.name, OF_HOOKS);
    const commit = await commitAgreed(ctx, directory, fact, {
      message,
      staged: agreed.staged,
      onLine: (stream, line) => {
        said.push(line);
        if (said.length > 4 * MOST_LINES) said.shift();
        log(stream, line);
      },
      // Not ended by an interrupt: only what is in the commit decides whether it is taken back.
      check: (made) =>
        refuseTouched(
          { git: ctx.git.until() },
          { directory, name: fact.name, before: fact.head, made },
          agreed,
          (why) => new AmofError("commit_refused", `Took the commit back: ${why}`),
        ),
    });
    ctx.report.log("info", `${fact.name}: committed ${count(fact.commit_files, "file")}`, {
      type: "repo",
      payload: { repo: fact.name, commit },
    });
    const subject = cleanLine(message.trim().split("\n")[0] ?? "", 72);
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
