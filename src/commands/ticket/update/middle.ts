/** Which repositories of a ticket are in the middle of an update, to go on or back (TICKET-8). */

import { inPool } from "../../../base/async/pool.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import type { Middle } from "../../../git/mod.ts";
import { Joining } from "../../../git/write/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../../base/text/words.ts";
import { changesDigest, type RepoSnapshot } from "../../../workspace/clones/mod.ts";
import { type TicketState } from "../../../workspace/mod.ts";
import { finishThere, isEdited } from "../../advice/clone.ts";
import { baseOf, stashName, updateWaiting } from "../../../workspace/tickets/mod.ts";
import { held, type HeldFact } from "./plan.ts";

/** A repository that is in the middle of an update. */
export interface MiddleFact {
  readonly name: string;
  readonly branch: string;
  /** `return` where the update is complete and only the changes wait that stood aside. */
  readonly doing: Middle["doing"] | "return";
  readonly head: string | null;
  /** Ties a consent to what was resolved so far. */
  readonly changes_digest: string;
  readonly changed_files: number;
  /** From how many of them going back takes what was done since it stopped, which is kept as a stash. */
  readonly changed_since: number;
  /** The commit of the changes that stand aside, or null. */
  readonly kept: string | null;
  /** Where the branch goes back to so that they fit; null where it stays. */
  readonly back_to: string | null;
  /** Commits that are nowhere else and would be lost. */
  readonly lost: number;
}

/** Which ticket is asked about, and where it is to go. */
interface Asked {
  readonly id: string;
  readonly ticket: TicketState;
  readonly step: "continue" | "abort";
}

/**
 * Changes that still stand aside although nothing is in progress, because they did not go together with what was brought
 * in; null where there are none. Back is only possible while the update is the last thing that happened to the branch.
 */
async function leftKept(
  ctx: CommandContext,
  { id, ticket, step }: Asked,
  snapshot: RepoSnapshot,
): Promise<MiddleFact | HeldFact | null> {
  const { repo, git, directory } = snapshot;
  const branch = ticket.repos[repo.name] ?? "";
  if (git === null || git.head === null || git.stashes === 0 || git.branch !== branch) return null;
  const repository = ctx.git.at(directory, repo.name);
  const name = stashName(id);
  const kept = await repository.stashes.find(name, branch);
  if (kept === null) return null;
  const fact: MiddleFact = {
    name: repo.name,
    branch,
    doing: "return",
    head: git.head,
    changes_digest: await changesDigest(ctx, directory, git.changes),
    changed_files: git.changes.length,
    changed_since: 0,
    kept: kept.commit,
    back_to: null,
    lost: 0,
  };
  if (step === "continue") return fact;
  const before = await repository.refs.resolve(`${kept.commit}^1`);
  if (before === git.head) return fact;
  if (before !== null && before === await repository.refs.resolve(`refs/heads/${branch}@{1}`)) {
    const base = await repository.refs.base(baseOf(ticket, repo));
    const lost = await repository.part(Joining).lostByAbort(base.ref, before);
    return { ...fact, back_to: before, lost };
  }
  return held(
    snapshot,
    `more happened on ${cleanLine(branch, 60)} since its changes were kept as ${name}`,
    "repo_diverged",
    `bring them back by hand: git -C ${shellWord(directory)} stash pop stash@{${kept.number}}`,
  );
}

/** What follows what is resolved or staged. */
const GO_ON = "go on: amof ticket update --continue";

/** What waits in one repository, or why it is left alone; null where nothing waits. */
async function middleOf(
  ctx: CommandContext,
  asked: Asked,
  snapshot: RepoSnapshot,
): Promise<MiddleFact | HeldFact | null> {
  const { repo, git, directory, inProgress } = snapshot;
  if (git === null) return null;
  if (inProgress === null) return await leftKept(ctx, asked, snapshot);
  const { id, ticket, step } = asked;
  const expected = ticket.repos[repo.name] ?? "";
  const repository = ctx.git.at(directory, repo.name);
  const middle = await updateWaiting(repository, ticket, { repo, branch: git.branch });
  const conflicts = git.changes.filter(({ conflicted }) => conflicted).map(({ path }) => path);
  if (middle === null) {
    const conflicted = conflicts.length > 0;
    return held(
      snapshot,
      `a ${inProgress} of something else is in progress`,
      "repo_in_progress",
      finishThere({ name: repo.name, directory, inProgress, updating: null, conflicted }),
    );
  }
  if (step === "continue" && conflicts.length > 0) {
    const names = few(conflicts.map((path) => cleanLine(path, 80)), 3);
    return held(
      { repo, git: { ...git, branch: expected } },
      `${count(conflicts.length, "file")} with conflicts: ${names}`,
      "repo_in_progress",
      `resolve them and say so: git -C ${shellWord(directory)} add ${
        conflicts.slice(0, 5).map(shellWord).join(" ")
      }\n${GO_ON}`,
    );
  }
  if (step === "continue" && middle.doing === "rebase" && isEdited(git.changes)) {
    return held(
      { repo, git: { ...git, branch: expected } },
      "what was edited is not staged",
      "repo_in_progress",
      `stage it: git -C ${shellWord(directory)} add --update\n${GO_ON}`,
    );
  }
  // Git takes any file that was added for resolved.
  const marked = step === "continue"
    ? await repository.part(Joining).withMarks(git.changes.map(({ path }) => path))
    : [];
  if (marked.length > 0) {
    const at = `git -C ${shellWord(directory)}`;
    return held(
      { repo, git: { ...git, branch: expected } },
      `${count(marked.length, "file")} with marks of a conflict left (<<<<<<<): ${
        few(marked.map((path) => cleanLine(path, 80)), 3)
      }`,
      "repo_in_progress",
      `take them out, and say so: ${at} add ${
        marked.slice(0, 5).map(shellWord).join(" ")
      }\ngo on as it is: ${at} ${middle.doing} --continue`,
    );
  }
  const program = step === "continue" && middle.doing === "rebase"
    ? await repository.part(Joining).programInList()
    : null;
  if (program !== null) {
    return held(
      { repo, git: { ...git, branch: expected } },
      `the rebase has a line in its list that amof did not write: ${program}`,
      "clone_untrusted",
      `look at it, and go on or back there: git -C ${shellWord(directory)} rebase --edit-todo`,
    );
  }
  return {
    name: repo.name,
    branch: expected,
    doing: middle.doing,
    head: git.head,
    changes_digest: await changesDigest(ctx, directory, git.changes),
    changed_files: git.changes.length,
    changed_since: step === "abort"
      ? (await repository.part(Joining).changedSince(middle.doing)).size
      : 0,
    kept: git.stashes === 0
      ? null
      : (await repository.stashes.find(stashName(id), expected))?.commit ?? null,
    back_to: null,
    lost: step === "abort" && middle.doing === "rebase"
      ? await repository.part(Joining).lostByAbort(middle.other)
      : 0,
  };
}

/** What waits in the repositories that are looked at. */
export async function planMiddle(
  ctx: CommandContext,
  asked: Asked,
  snapshots: readonly RepoSnapshot[],
): Promise<{ readonly waiting: MiddleFact[]; readonly held: HeldFact[] }> {
  const found = await inPool(
    ctx.jobs,
    snapshots,
    (snapshot) => middleOf(ctx, asked, snapshot),
  );
  return {
    waiting: found.filter((fact): fact is MiddleFact => fact !== null && "doing" in fact),
    held: found.filter((fact): fact is HeldFact => fact !== null && "code" in fact),
  };
}
