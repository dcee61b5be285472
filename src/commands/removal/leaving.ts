/** What must be certain before clones may go: that their remotes have what they hold, as the remotes themselves say. */

import { AmofError, toAmofError } from "../../base/error.ts";
import type { LocalBranch, Ref } from "../../git/mod.ts";
import { Everything } from "../../git/read/mod.ts";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { type Loss, refLosses, tagLosses } from "./losses.ts";
import { inPoolOf, type Refusal, refuseAll } from "../../workspace/mod.ts";
import type { RepoStock } from "../../workspace/removal/mod.ts";

const REMOTE = "origin";
/** More commits of one repository than anybody reads. */
const MOST_COMMITS = 10_000;
/** What is said of clones that stay because something could not be made certain. */
export const NOTHING_DELETED = "nothing was deleted";

/** Turns what went wrong in one repository into a line of the common refusal. */
export async function attempt(
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
function refsThere(
  ctx: CommandContext,
  { name, directory, refs }: Pick<Verifiable, "name" | "directory" | "refs">,
): Promise<ReadonlyMap<string, string>> {
  const repository = ctx.git.at(directory, name);
  return refs.every((ref) => ref.name.startsWith("refs/tags/"))
    ? repository.remoteRefs.branchesAndTags(REMOTE)
    : repository.remoteRefs.all(REMOTE);
}

/**
 * Asks every remote for its own refs. Throws unless they hold every local branch and every other ref. `what` is
 * the words of the error, such as "archive shop", and `scope` the flag its hint needs. Two git processes per
 * repository, one of them over the network.
 */
export async function verifyRemotes(
  ctx: ExecuteContext,
  { what, scope = "" }: { readonly what: string; readonly scope?: string },
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
            fix: `push the tags: git -C ${shellWord(repo.directory)} push origin --tags`,
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
          fix: `fetch what it has: amof sync${scope}\nthen push what is missing: amof push${scope}`,
        };
      }),
  );
  refuseAll(
    what,
    failures.filter((failure) => failure !== null),
    NOTHING_DELETED,
  );
}

/**
 * What only tags and other refs of a repository hold, the remote not having them either. The remote is asked where there
 * is any, because nothing here tells which of them it has; one that does not answer has none.
 */
export async function splitRefs(
  ctx: CommandContext,
  directory: string,
  repo: RepoStock,
): Promise<{ losses: Loss[] } & GivenUp> {
  const things = repo.refs.filter(({ leadsTo }) => leadsTo !== "commit");
  const annotated = repo.refs.some((ref) => ref.annotated);
  if (repo.refOnly.length === 0 && things.length === 0 && !annotated) {
    return { losses: [], commits: [], tags: [] };
  }
  let answered = true;
  let there: ReadonlyMap<string, string> = new Map();
  try {
    there = await refsThere(ctx, { name: repo.name, directory, refs: repo.refs });
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    answered = false;
  }
  const left = repo.refs.filter(({ name, object }) => there.get(name) !== object);
  const commits = left.filter(({ leadsTo }) => leadsTo === "commit");
  const known = [
    ...there.values(),
    ...repo.stashes.map(({ commit }) => commit),
    ...(repo.head === null ? [] : [repo.head]),
  ];
  const rest = commits.length === 0 || repo.refOnly.length === 0
    ? []
    : await ctx.git.at(directory, repo.name).part(Everything).onlyIn({
      refs: commits,
      known,
      most: MOST_COMMITS,
    });
  return {
    losses: [
      ...refLosses(repo.name, rest, left),
      // Of a remote that does not answer nobody can say that it has none of these; it is asked again before anything goes.
      ...answered ? tagLosses(repo.name, "tags", rest, left) : [],
    ],
    commits: rest.map(({ commit }) => commit),
    tags: answered ? left.filter((ref) => ref.annotated).map(({ name }) => name) : [],
  };
}
