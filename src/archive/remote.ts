/**
 * Brings local branches to their remotes and asks the remotes whether they have them: what must be certain
 * before a clone may go.
 *
 * @module
 */

import { sha } from "../ids.ts";
import { AmofError, toAmofError } from "../error.ts";
import { CONTROL, inPoolOf, type Refusal, refuseAll } from "../workspace/mod.ts";
import { gitFailure, type LocalBranch, logLines, reason, type Ref } from "../git/mod.ts";
import type { CommandContext, ExecuteContext } from "../contract/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";

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

const NOTHING_DELETED = "nothing was deleted";

/** Turns what went wrong in one repository into a line of the common refusal. */
async function attempt(
  ctx: ExecuteContext,
  repo: string,
  fix: string,
  work: () => Promise<Refusal | null>,
): Promise<Refusal | null> {
  try {
    return await work();
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    return { repo, code: error.code, problem: `failed: ${error.message}`, fix: error.hint ?? fix };
  }
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

/** What only tags and other refs of a clone hold, and that is lost by consent. */
export interface GivenUp {
  readonly commits: readonly string[];
  /** Annotated tags, by full name. */
  readonly tags: readonly string[];
}

/** A clone whose branches must be on its remote. */
export interface Verifiable {
  readonly name: string;
  readonly directory: string;
  /** The commit that is checked out where no branch is; null otherwise. */
  readonly detached: string | null;
  readonly branches: readonly LocalBranch[];
  /** Its other refs: tags, notes and whatever tools keep. */
  readonly refs: readonly Ref[];
  /** What of those is lost by consent. */
  readonly givenUp: GivenUp;
}

/** What the remote of a clone has, as it says itself: what lies beside branches and tags only where it is of use. */
export function refsThere(
  ctx: CommandContext,
  { name, directory, refs }: Pick<Verifiable, "name" | "directory" | "refs">,
): Promise<ReadonlyMap<string, string>> {
  const repository = ctx.git.at(directory, name);
  return refs.every((ref) => ref.name.startsWith("refs/tags/"))
    ? repository.remoteRefs.branchesAndTags(REMOTE)
    : repository.remoteRefs.all(REMOTE);
}

/**
 * Asks every remote for its own refs and throws unless they hold every local branch and every other ref. Two git
 * processes per repository, one of them over the network.
 */
export async function verifyRemotes(
  ctx: ExecuteContext,
  repos: readonly Verifiable[],
): Promise<void> {
  const failures = await inPoolOf(
    ctx,
    "asking",
    repos,
    (repo) =>
      attempt(ctx, repo.name, "repeat when the remote can be reached", async () => {
        if (ctx.signal.aborted) {
          throw new AmofError("cancelled", `Stopped before asking the remotes; ${NOTHING_DELETED}`);
        }
        const there = await refsThere(ctx, repo);
        const tags = repo.refs.filter(({ annotated, name, object }) =>
          annotated && there.get(name) !== object && !repo.givenUp.tags.includes(name)
        );
        if (tags.length > 0) {
          return {
            repo: repo.name,
            code: "would_lose_work",
            problem: `has ${count(tags.length, "annotated tag")} that its remote does not have`,
            fix: "push the tags: git push origin --tags",
          };
        }
        const refs = repo.refs.filter(({ leadsTo }) => leadsTo === "commit");
        const tips = [
          ...repo.branches.map((branch) => branch.commit),
          ...(repo.detached === null ? [] : [repo.detached]),
          ...refs.map(({ object }) => object),
        ];
        const uncovered = tips.length === 0
          ? 0
          : await ctx.git.at(repo.directory, repo.name).history.countUncovered(tips, [
            ...there.values(),
            ...repo.givenUp.commits,
          ]);
        if (uncovered === 0) {
          ctx.report.log("info", `${repo.name}: everything is on the remote`, { type: "repo" });
          return null;
        }
        return {
          repo: repo.name,
          code: "would_lose_work",
          // Where the remote has moved on, only a fetch can tell.
          problem: `has ${
            count(uncovered, "commit")
          } that its remote does not have as far as is known here`,
          fix: "fetch what it has: amof sync; then push what is missing: amof push",
        };
      }),
  );
  refuseAll(
    `archive ${ctx.ecosystem}`,
    failures.filter((failure) => failure !== null),
    NOTHING_DELETED,
  );
}
