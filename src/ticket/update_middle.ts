/**
 * Which repositories of a ticket are in the middle of an update, to go on or back (TICKET-8).
 *
 * @module
 */

import { inPool } from "../async/pool.ts";
import type { CommandContext } from "../contract/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count, few, shellWord } from "../text/words.ts";
import { changesDigest, type RepoSnapshot, type TicketState } from "../workspace/mod.ts";
import type { MiddleFact } from "./update_one.ts";
import { baseOf, held, type HeldFact, remoteBase } from "./update_plan.ts";

/** What waits in one repository, or why it is left alone; null where nothing waits. */
async function middleOf(
  ctx: CommandContext,
  ticket: TicketState,
  snapshot: RepoSnapshot,
  step: "continue" | "abort",
): Promise<MiddleFact | HeldFact | null> {
  const { repo, git, directory, inProgress } = snapshot;
  if (inProgress === null || git === null) return null;
  const expected = ticket.repos[repo.name] ?? "";
  const repository = ctx.git.at(directory, repo.name);
  const middle = await repository.joining.middle();
  const ours = middle !== null && (middle.branch ?? git.branch) === expected &&
    await repository.history.isAncestor(middle.other, remoteBase(baseOf(ticket, repo)))
      .catch(() => false);
  if (middle === null || !ours) {
    return held(
      snapshot,
      `a ${inProgress} of something else is in progress`,
      "repo_in_progress",
      `finish or abort it there: git -C ${shellWord(directory)} status`,
    );
  }
  const conflicts = git.changes.filter(({ conflicted }) => conflicted).map(({ path }) => path);
  if (step === "continue" && conflicts.length > 0) {
    const names = few(conflicts.map((path) => cleanLine(path, 80)), 3);
    return held(
      { repo, git: { ...git, branch: expected } },
      `${count(conflicts.length, "file")} with conflicts: ${names}`,
      "repo_in_progress",
      `resolve them and say so: git -C ${shellWord(directory)} add ${
        conflicts.slice(0, 5).map(shellWord).join(" ")
      }`,
    );
  }
  return {
    name: repo.name,
    branch: expected,
    doing: middle.doing,
    head: git.head,
    changes_digest: await changesDigest(ctx, directory, git.changes),
    changed_files: git.changes.length,
  };
}

/** What waits in the repositories that are looked at. */
export async function planMiddle(
  ctx: CommandContext,
  ticket: TicketState,
  snapshots: readonly RepoSnapshot[],
  step: "continue" | "abort",
): Promise<{ readonly waiting: MiddleFact[]; readonly held: HeldFact[] }> {
  const found = await inPool(
    ctx.jobs,
    snapshots,
    (snapshot) => middleOf(ctx, ticket, snapshot, step),
  );
  return {
    waiting: found.filter((fact): fact is MiddleFact => fact !== null && "doing" in fact),
    held: found.filter((fact): fact is HeldFact => fact !== null && "code" in fact),
  };
}
