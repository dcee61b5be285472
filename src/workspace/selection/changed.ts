/** Which repositories differ from a branch or commit (SELECT-6). */

import { AmofError } from "../../base/error.ts";
import { inPool } from "../../base/async/pool.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { RepoSnapshot } from "../clones/inspect.ts";

type Tools = Pick<CommandContext, "git" | "jobs">;

/** What may stand for a commit: names and what leads on from them, and nothing that git would search for. */
const REF = /^(?!-)(?!.*\.\.)(?!.*\{\/)[\w@{}~^./+-]{1,250}$/;

/** Commits of HEAD that a place does not have; null where there is no such place. At most one git process. */
async function beyond(
  { git }: Tools,
  { repo, directory, git: status }: RepoSnapshot,
  ref: string,
): Promise<number | null> {
  const history = git.at(directory, repo.name).history;
  if (ref !== "") return await history.countBetween(ref, "HEAD");
  const base = `origin/${repo.branch}`;
  // The status knows it already where the base branch is what HEAD follows.
  if (status?.upstream === base && status.ahead !== null) return status.ahead;
  return await history.countBetween(`refs/remotes/${base}`, "HEAD") ??
    await history.countBetween(`refs/heads/${repo.branch}`, "HEAD");
}

/**
 * The repositories that have uncommitted changes, or commits of HEAD that a place does not have: their base branch at the
 * remote, as last fetched, or what `ref` names. Where there is no such place everything is new.
 *
 * Costs at most two git processes for each that is clean. Throws `invalid_arguments` for what none of them knows.
 */
export async function changedSince(
  ctx: Tools,
  snapshots: readonly RepoSnapshot[],
  ref: string,
): Promise<ReadonlySet<string>> {
  const refuse = (problem: string) =>
    new AmofError(
      "invalid_arguments",
      `Cannot select what changed since "${cleanLine(ref, 60)}": ${problem}`,
      {
        hint: "Name a branch, tag or commit, such as changed=origin/main",
        details: { field: "only" },
      },
    );
  if (ref !== "" && !REF.test(ref)) throw refuse("that names no commit");
  const readable = snapshots.filter(({ git }) => git !== null);
  const found = await inPool(ctx.jobs, readable, async (snapshot) => {
    const dirty = (snapshot.git?.changes.length ?? 0) > 0;
    // A place that is given must be known somewhere, so it is looked for also where the answer is clear.
    if (snapshot.git?.head === null || (dirty && ref === "")) return { dirty, commits: 0 };
    return { dirty, commits: await beyond(ctx, snapshot, ref) };
  });
  if (ref !== "" && readable.length > 0 && found.every(({ commits }) => commits === null)) {
    throw refuse("no repository knows it");
  }
  const isChanged = ({ dirty, commits }: typeof found[number]) => dirty || commits !== 0;
  return new Set(
    readable.filter((_, index) => {
      const one = found[index];
      return one !== undefined && isChanged(one);
    }).map(({ repo }) => repo.name),
  );
}
