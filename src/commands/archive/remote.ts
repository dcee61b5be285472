/** Brings local branches to their remotes, before those are asked whether they have everything. */

import { sha } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { attempt, CONTROL, NOTHING_DELETED } from "../../workspace/removal/mod.ts";
import { inPoolOf, refuseAll } from "../../workspace/mod.ts";
import { gitFailure, reason } from "../../git/mod.ts";
import { logLines } from "../../git/changing.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";

const REMOTE = "origin";

/** A branch that is pushed under its own name. */
export interface PushPlan {
  readonly repo: string;
  readonly branch: string;
  readonly commit: string;
  /** Commits that no remote-tracking branch has. */
  readonly commits: number;
}

/** How a repository is called where its remote is spoken of: the workspace itself has none but that. */
export function calledAt(repo: string): string {
  return repo === CONTROL ? "control repository" : repo;
}

/** Pushes branches, never with force. Throws one error for all that did not go. */
export async function pushAll(
  ctx: ExecuteContext,
  plans: readonly PushPlan[],
  directories: ReadonlyMap<string, string>,
): Promise<void> {
  // The branches of one repository go one after another, so that git never waits for itself.
  const repos = [...new Set(plans.map((plan) => plan.repo))];
  const failures = await inPoolOf(ctx, "pushing", repos, async (repo) => {
    const called = calledAt(repo);
    for (const { branch, commit, commits } of plans.filter((plan) => plan.repo === repo)) {
      if (ctx.signal.aborted) {
        throw new AmofError("cancelled", `Stopped before pushing; ${NOTHING_DELETED}`);
      }
      const failure = await attempt(ctx, called, "push it by hand, then repeat", async () => {
        const directory = directories.get(repo) ?? "";
        const outcome = await ctx.git.at(directory).remotes.push({
          commit: sha(commit),
          branch,
          remote: REMOTE,
          onLine: logLines(ctx.report.log, called, { stdout: "info", stderr: "info" }),
        });
        if (!outcome.ok) {
          const error = gitFailure(outcome.result, `push "${called}"`, called);
          const why = cleanLine(outcome.reason ?? reason(outcome.result));
          return {
            repo: called,
            code: error.code,
            problem: `could not push ${cleanLine(branch, 60)}: ${why}`,
            fix: error.hint ?? "push it by hand, then repeat",
          };
        }
        ctx.report.log("info", `${called}: pushed ${count(commits, "commit")} on ${branch}`, {
          type: "repo",
          payload: { repo, commit },
        });
        return null;
      });
      if (failure !== null) return failure;
    }
    return null;
  });
  refuseAll(
    `archive ${ctx.ecosystem}`,
    failures.filter((failure) => failure !== null),
    NOTHING_DELETED,
  );
}
