/**
 * Brings branches, tags, the checked-out branch and the list of stashes from one picture to another.
 *
 * @module
 */

import { sha } from "../../ids.ts";
import type { Runner } from "../runner.ts";
import { Stashes } from "../stashes.ts";
import { differingRefs, type Picture, sameStashes, type StashOf } from "./picture.ts";

const REASON = "amof undo";

/** Names whose place is neither where one picture has them nor where the other does. */
export function movedNames(from: Picture, to: Picture, now: Picture): string[] {
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

/** Whether the list of stashes is one that can be on the way from one picture to the other. */
export function stashesBetween(from: Picture, to: Picture, now: Picture): boolean {
  if (sameStashes(from, to)) return true;
  const kept = common(from.stashes, to.stashes);
  return [from, to].some(({ stashes }) =>
    now.stashes.length >= kept && now.stashes.length <= stashes.length &&
    common(now.stashes, stashes) === now.stashes.length
  );
}

/** Brings the list of stashes to where a picture has it. A few processes for each entry that is not the same. */
export async function bringStashes(git: Runner, from: Picture, to: Picture): Promise<void> {
  if (sameStashes(from, to)) return;
  const stashes = new Stashes(git);
  const now = await stashes.list();
  const kept = common(now, to.stashes);
  for (const { commit } of now.slice(0, now.length - kept)) await stashes.drop(commit);
  for (const { commit, subject } of to.stashes.slice(0, to.stashes.length - kept).toReversed()) {
    await stashes.store(sha(commit), subject);
  }
}

/**
 * Brings refs and what is checked out from one picture to the other. The commit that is checked out is at any moment
 * that of one of both; harmless to repeat. At most three processes.
 */
export async function bringNames(
  git: Runner,
  { from, to, now }: { readonly from: Picture; readonly to: Picture; readonly now: Picture },
): Promise<void> {
  const what = `restore the branches of "${git.name}"`;
  const call = { access: "internal" } as const;
  const changing = differingRefs(from, to).filter((name) => now.refs[name] !== to.refs[name]);
  const there = now.branch === to.branch && now.head === to.head;
  if (changing.length === 0 && there) return;
  const lines = changing.map((name) => {
    const [old, wanted] = [now.refs[name], to.refs[name]];
    return wanted === undefined
      ? `delete ${name} ${old}`
      : old === undefined
      ? `create ${name} ${wanted}`
      : `update ${name} ${wanted} ${old}`;
  });
  const whole = !there && from.head !== null && to.head !== null;
  if (whole && now.branch !== null && now.head !== null) {
    // Without a branch, commit and branches can change in one transaction.
    await git.must(
      ["update-ref", "-m", REASON, "--no-deref", "HEAD", now.head, now.head],
      call,
      what,
    );
  }
  const head = whole && now.head !== to.head
    ? [`option no-deref`, `update HEAD ${to.head} ${now.head}`]
    : [];
  if (lines.length + head.length > 0) {
    await git.must(
      ["update-ref", "-m", REASON, "--stdin"],
      { ...call, stdin: [...lines, ...head, ""].join("\n") },
      what,
    );
  }
  if (!there && to.branch !== null) {
    await git.must(["symbolic-ref", "-m", REASON, "HEAD", `refs/heads/${to.branch}`], call, what);
  }
}
