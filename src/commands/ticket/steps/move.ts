/**
 * The steps by which the work of a ticket goes from one clone of a repository to another one, byte for byte (MOVE-2).
 *
 * Nothing of where it comes from is touched before all of it is where it goes, and what is dropped then is looked for
 * there first.
 */

import { sha } from "../../../base/ids.ts";
import { AmofError } from "../../../base/error.ts";
import { operation } from "../../../runs/steps/mod.ts";
import { snapshotId, Snapshots, stashSubject } from "../../../git/snapshot/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import type { InRepo } from "./kept.ts";

type At = { readonly branch: string; readonly commit: string };

/** Brings a branch, and the uncommitted work that is kept under a name, into a clone that nobody has worked in yet. */
export const bringWork = operation<
  InRepo & At & {
    /** The clone it comes from. */
    readonly from: string;
    /** What its uncommitted work is kept as. */
    readonly name: string;
  }
>({
  name: "bring_work",
  describe: ({ repo, branch }) => `Bring ${branch} of ${repo}`,
  touches: ({ directory }) => [directory],
  async act(ctx, { repo, directory, from, branch, commit, name }) {
    const source = ctx.git.at(from, repo);
    const target = ctx.git.at(directory, repo);
    const kept = await source.stashes.find(name, branch);
    const tip = sha(commit);
    await target.remotes.takeFrom(from, [tip, ...(kept === null ? [] : [kept.commit])]);
    if (await target.refs.resolve("HEAD") !== tip) await target.branches.putAt(branch, tip, null);
    const upstream = `origin/${branch}`;
    if ((await target.refs.list([`refs/remotes/${upstream}`])).size > 0) {
      await target.branches.setUpstream(branch, upstream);
    }
    if (kept === null) return;
    await target.stashes.store(kept.commit, stashSubject({ branch, name }));
    const { conflicts, strangers } = await target.part(Snapshots).apply(kept.commit, "kept");
    if (conflicts.length + strangers.length > 0) {
      ctx.report.log(
        "warn",
        `${repo}: the changes kept as ${name} do not fit ${branch} any more; they stay kept`,
      );
      return;
    }
    await target.stashes.drop(kept.commit);
  },
});

/** Forgets in a clone what has been brought into another one: first what is kept, then the branch. */
export const leaveWork = operation<
  InRepo & At & {
    /** The clone that has it now. */
    readonly now: string;
    readonly name: string;
  }
>({
  name: "leave_work",
  describe: ({ repo, branch }) => `Delete ${branch} in ${repo}, which has gone`,
  touches: ({ directory }) => [directory],
  async act(ctx, { repo, directory, now, branch, commit, name }) {
    const before = ctx.git.at(directory, repo);
    const after = ctx.git.at(now, repo);
    const stays = (what: string) =>
      ctx.report.log("warn", `${repo}: ${what} stays in the base workspace, too`);
    const kept = await before.stashes.find(name, branch);
    if (kept !== null) {
      if (await after.refs.resolve(kept.commit) === null) return stays(name);
      await before.stashes.drop(kept.commit);
    }
    const ref = `refs/heads/${branch}`;
    const there = await before.refs.resolve(ref);
    if (there === null) return;
    const has = await after.refs.resolve(ref) !== null &&
      await after.history.countBeyond(commit, [ref]) === 0;
    if (there !== commit || !has) return stays(branch);
    if (!await before.refs.deleteUnused(ref, sha(commit))) stays(branch);
  },
});

/** What comes home: a branch, uncommitted work, and what was put away. */
type Coming = InRepo & At & {
  readonly from: string;
  /** What the uncommitted work is kept as from now on; `id` tells its snapshot from all others. */
  readonly name: string;
  readonly id: string;
  readonly dirty: boolean;
  /** The commit of the branch where it goes to, or null when it has none. */
  readonly before: string | null;
  /** What is put away where it comes from, oldest first. */
  readonly stashes: readonly { readonly commit: string; readonly subject: string }[];
  /** What is known of the branch at the remote where it comes from, and where it goes to; absent where none is news. */
  readonly tracked?: { readonly commit: string; readonly before: string | null };
};

/** Takes a branch home, with uncommitted work as a snapshot that is put away, and everything else that was. */
export const takeHome = operation<Coming>({
  name: "take_home",
  describe: ({ repo, branch }) => `Take ${branch} of ${repo} back into the base workspace`,
  touches: ({ directory }) => [directory],
  async act(ctx, args) {
    const { repo, directory, from, branch, commit, name, id, dirty, before, stashes, tracked } =
      args;
    const source = ctx.git.at(from, repo);
    const target = ctx.git.at(directory, repo);
    const at = ctx.system.clock.now();
    const taken = dirty ? await source.part(Snapshots).take({ id, branch, name, at }) : null;
    const known = tracked === undefined ? [] : [tracked.commit];
    const wanted = [commit, ...known, ...stashes.map((entry) => entry.commit)]
      .map((each) => sha(each));
    await target.remotes.takeFrom(from, [...wanted, ...(taken === null ? [] : [taken.commit])]);
    for (const entry of stashes) await target.stashes.store(sha(entry.commit), entry.subject);
    if (taken !== null) await target.stashes.store(taken.commit, stashSubject({ branch, name }));
    const ref = `refs/heads/${branch}`;
    const done = before === null ? await target.refs.create(ref, sha(commit)) : before === commit ||
      await target.refs.move(ref, { to: sha(commit), expected: sha(before) });
    if (!done) throw moved(repo, branch);
    if (tracked === undefined) return;
    await target.remotes.track(branch);
    const there = `refs/remotes/origin/${branch}`;
    const arrived = tracked.before === null
      ? await target.refs.create(there, tracked.commit)
      : await target.refs.move(there, {
        to: sha(tracked.commit),
        expected: sha(tracked.before),
      });
    if (arrived && before === null) await target.branches.setUpstream(branch, `origin/${branch}`);
  },
  async undo(ctx, { repo, directory, branch, commit, id, before, stashes, tracked }) {
    const target = ctx.git.at(directory, repo);
    const there = `refs/remotes/origin/${branch}`;
    if (tracked !== undefined && await target.refs.resolve(there) === tracked.commit) {
      if (tracked.before === null) await target.refs.delete(there, tracked.commit);
      else {
        await target.refs.move(there, {
          to: sha(tracked.before),
          expected: sha(tracked.commit),
        });
      }
    }
    const brought = new Set(stashes.map((entry) => entry.commit));
    for (const entry of await target.stashes.list()) {
      if (!brought.has(entry.commit) && snapshotId(entry.message) !== id) continue;
      await target.stashes.drop(entry.commit);
    }
    const ref = `refs/heads/${branch}`;
    if (before === null) await target.refs.deleteUnused(ref, sha(commit));
    else if (await target.refs.resolve(ref) === commit) {
      await target.refs.move(ref, { to: sha(before), expected: sha(commit) });
    }
  },
});

function moved(repo: string, branch: string): AmofError {
  return new AmofError(
    "repo_changed",
    `Cannot take ${
      cleanLine(branch, 60)
    } of "${repo}" back: it has moved in the base workspace meanwhile`,
    { hint: "Look at it there: amof status\nThen repeat", details: { repo, branch } },
  );
}

/** The operations of moving a ticket. */
export const MOVE_OPERATIONS = [bringWork, leaveWork, takeHome];
