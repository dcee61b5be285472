/** Brings branches, tags, the checked-out branch and the list of stashes from one checkpoint to another. */

import { AmofError } from "../../base/error.ts";
import { sha } from "../../base/ids.ts";
import type { Runner } from "../call/runner.ts";
import { Stashes } from "../write/stashes.ts";
import { type Checkpoint, differingRefs, sameStashes, type StashOf } from "./checkpoint.ts";

const REASON = "amof undo";

/** Names whose place is neither where one checkpoint has them nor where the other does. */
export function movedNames(from: Checkpoint, to: Checkpoint, now: Checkpoint): string[] {
  return differingRefs(from, to).filter((name) =>
    now.refs[name] !== from.refs[name] && now.refs[name] !== to.refs[name]
  );
}

/** How many stashes at the end of two lists are the same. */
function common(a: readonly StashOf[], b: readonly StashOf[]): number {
  let count = 0;
  while (
    count < Math.min(a.length, b.length) &&
    a[a.length - 1 - count]?.commit === b[b.length - 1 - count]?.commit
  ) count++;
  return count;
}

/** Whether the list of stashes is one that can be on the way from one checkpoint to the other. */
export function stashesBetween(from: Checkpoint, to: Checkpoint, now: Checkpoint): boolean {
  if (sameStashes(from, to)) return true;
  const kept = common(from.stashes, to.stashes);
  return [from, to].some(({ stashes }) =>
    now.stashes.length >= kept && now.stashes.length <= stashes.length &&
    common(now.stashes, stashes) === now.stashes.length
  );
}

/** Brings the list of stashes to where a checkpoint has it. A few processes for each entry that is not the same. */
export async function bringStashes(git: Runner, from: Checkpoint, to: Checkpoint): Promise<void> {
  if (sameStashes(from, to)) return;
  const stashes = new Stashes(git);
  const now = await stashes.list();
  const kept = common(now, to.stashes);
  for (const { commit } of now.slice(0, now.length - kept)) await stashes.drop(commit);
  for (const { commit, subject } of to.stashes.slice(0, to.stashes.length - kept).toReversed()) {
    await stashes.store(sha(commit), subject);
  }
}

/** The lines of a transaction that bring refs from where they are to where a checkpoint has them, if they are still there. */
function linesOf(names: readonly string[], now: Checkpoint, to: Checkpoint): string[] {
  return names.map((name) => {
    const [old, wanted] = [now.refs[name], to.refs[name]];
    return wanted === undefined
      ? `delete ${name} ${old}`
      : old === undefined
      ? `create ${name} ${wanted}`
      : `update ${name} ${wanted} ${old}`;
  });
}

/**
 * Throws `repo_changed` where HEAD was at another commit when it was put on a branch, which no ref has then: somebody has
 * committed without a branch just before. HEAD is there again then.
 */
async function requireUnmoved(git: Runner, commit: string): Promise<void> {
  const { stdout } = await git.run(
    ["rev-parse", "--verify", "--quiet", "HEAD@{1}"],
    { access: "read" },
  );
  const left = stdout.trim();
  if (left === "" || left === commit) return;
  await git.must(
    ["update-ref", "-m", REASON, "--no-deref", "HEAD", left],
    { access: "internal" },
    `go back to ${left.slice(0, 7)} in "${git.name}"`,
  );
  throw new AmofError(
    "repo_changed",
    `Cannot put "${git.name}" in order: HEAD changed since`,
    { details: { repo: git.name, changed: ["HEAD"] } },
  );
}

/**
 * Brings refs and what is checked out from one checkpoint to the other. The commit that is checked out is at any moment
 * that of one of both, and HEAD never leaves a branch but for another one, or for the commit that the checkpoint has checked
 * out: what somebody commits meanwhile is on a branch, and stops this. Harmless to repeat. At most four processes.
 */
export async function bringNames(
  git: Runner,
  { from, to, now }: {
    readonly from: Checkpoint;
    readonly to: Checkpoint;
    readonly now: Checkpoint;
  },
): Promise<void> {
  const transact = async (lines: readonly string[]) => {
    if (lines.length === 0) return;
    await git.must(
      ["update-ref", "-m", REASON, "--stdin"],
      { access: "internal", stdin: [...lines, ""].join("\n") },
      `restore the branches of "${git.name}"`,
    );
  };
  const changing = differingRefs(from, to).filter((name) => now.refs[name] !== to.refs[name]);
  const detach = ["option no-deref", `update HEAD ${to.head} ${now.head ?? ""}`.trimEnd()];
  if (now.branch === to.branch) {
    // A branch that is checked out takes HEAD with it.
    const moves = now.branch === null && now.head !== to.head;
    return await transact([...linesOf(changing, now, to), ...(moves ? detach : [])]);
  }
  const left = now.branch === null ? "HEAD" : `refs/heads/${now.branch}`;
  const unmoved = now.head === null ? [] : [
    ...(left === "HEAD" ? ["option no-deref"] : []),
    `verify ${left} ${now.head}`,
  ];
  await transact([...linesOf(changing.filter((name) => name !== left), now, to), ...unmoved]);
  if (to.branch === null) await transact(detach);
  else {
    await git.must(
      ["symbolic-ref", "-m", REASON, "HEAD", `refs/heads/${to.branch}`],
      { access: "internal" },
      `restore the branches of "${git.name}"`,
    );
    if (left === "HEAD" && now.head !== null) await requireUnmoved(git, now.head);
  }
  await transact(linesOf(changing.filter((name) => name === left), now, to));
}
