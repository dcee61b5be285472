/**
 * The steps by which uncommitted work is put away and brought back. Each can be repeated and taken back after an
 * interruption at any point, and none overwrites what it does not know (TICKET-5).
 *
 * The work is kept as a snapshot, which stands in the list of stashes under the ticket's name from before anything is
 * touched until all is done. Where somebody has taken it from that list, it counts as brought back by hand.
 */

import { sha } from "../../../base/ids.ts";
import { AmofError } from "../../../base/error.ts";
import type { StashEntry } from "../../../git/changing.ts";
import { type Hindrance, snapshotId, Snapshots, stashSubject } from "../../../git/snapshot/mod.ts";
import { Everything } from "../../../git/read/mod.ts";
import { NothingTouched, operation } from "../../../runs/steps/mod.ts";
import { changedFlagged } from "../../../workspace/clones/changing.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { list, shellWord } from "../../../base/text/words.ts";

/** Arguments that name a repository; a type alias, so that it counts as plain JSON. */
export type InRepo = { readonly repo: string; readonly directory: string };

/** Work that is put away on a branch under a name; `id` tells its snapshot from all others. */
type Keeping = InRepo & { readonly branch: string; readonly name: string; readonly id: string };

/** Work that comes back on a branch: the commit of its snapshot, or of a stash. */
type Returning = InRepo & {
  readonly branch: string;
  readonly name: string;
  readonly stash: string;
};

const touches = ({ directory }: InRepo) => [directory];

function inRepo(directory: string, words: string): string {
  return `git -C ${shellWord(directory)} ${words}`;
}

function shown(paths: readonly string[]): string {
  return list(paths.slice(0, 5).map((path) => cleanLine(path, 80))) +
    (paths.length > 5 ? ` and ${paths.length - 5} more` : "");
}

/** Throws unless a snapshot was applied; says what a person does about it. Nothing was touched then. */
function requireApplied(
  { conflicts, strangers }: Hindrance,
  { repo, directory, name }: Pick<Keeping, "repo" | "directory" | "name">,
  entry: StashEntry,
): void {
  if (conflicts.length > 0) throw conflicting({ repo, directory, name, conflicts }, entry);
  if (strangers.length === 0) return;
  const words = strangers.slice(0, 20).map(shellWord).join(" ");
  throw new NothingTouched(
    "would_lose_work",
    `Left "${repo}" alone: ${shown(strangers)} would be overwritten, and is in no snapshot`,
    {
      hint: `Put it aside: ${inRepo(directory, `stash push --all -- ${words}`)}`,
      details: { repo, paths: strangers },
    },
  );
}

/** The error of files that somebody wrote between the look at them and the moment they were to be put away. */
function writtenSince(
  { repo }: Pick<Keeping, "repo">,
  strangers: readonly string[],
): NothingTouched {
  return new NothingTouched(
    "would_lose_work",
    `Left "${repo}" alone: ${shown(strangers)} changed while it was put away`,
    { hint: "Repeat when nothing else writes there", details: { repo, paths: strangers } },
  );
}

/** How a person brings back what does not fit any more, a line each. */
function byHand(directory: string, stash: string): string[] {
  return [
    `Bring them back by hand: ${inRepo(directory, `stash pop ${stash}`)}`,
    `When that is resolved, drop what was kept: ${inRepo(directory, `stash drop ${stash}`)}`,
  ];
}

function conflicting(
  { repo, directory, name, conflicts }: {
    readonly repo: string;
    readonly directory: string;
    readonly name: string;
    readonly conflicts: readonly string[];
  },
  { number }: StashEntry,
): AmofError {
  const stash = `stash@{${number}}`;
  return new NothingTouched(
    "would_lose_work",
    `Cannot bring back the changes of "${repo}" kept as ${name}: commits made since changed ${
      shown(conflicts)
    }, too`,
    {
      hint: byHand(directory, stash),
      details: { repo, paths: conflicts, stash },
    },
  );
}

async function requireBranch(
  ctx: ExecuteContext,
  { repo, directory, branch }: InRepo & { readonly branch: string },
): Promise<void> {
  const current = await ctx.git.at(directory).branches.current();
  if (current === branch) return;
  throw new AmofError(
    "would_lose_work",
    `Left "${repo}" alone: it is on ${cleanLine(current ?? "no branch", 60)} instead of ${branch}`,
    { hint: inRepo(directory, `switch ${shellWord(branch)}`), details: { repo } },
  );
}

async function ownEntry(ctx: ExecuteContext, args: Keeping): Promise<StashEntry | null> {
  const all = await ctx.git.at(args.directory, args.repo).stashes.list();
  return all.find((entry) => entry.title === args.name && snapshotId(entry.message) === args.id) ??
    null;
}

/** Throws where work that comes back would change files with changes that git was told to overlook. */
export async function requireSeen(
  ctx: ExecuteContext,
  { repo, directory }: InRepo,
  name: string,
  stash: string,
): Promise<void> {
  const repository = ctx.git.at(directory, repo);
  const { flagged } = await repository.part(Everything).index();
  if (flagged.length === 0) return;
  const { view } = await repository.part(Snapshots).read(stash);
  const kept = new Set(view.paths.map(({ path }) => path));
  const theirs = flagged.filter(({ path }) => kept.has(path));
  const paths = (await changedFlagged(ctx, directory, repo, theirs)).map(({ path }) => path);
  if (paths.length === 0) return;
  const words = paths.slice(0, 20).map(shellWord).join(" ");
  throw new AmofError(
    "would_lose_work",
    `Cannot bring back the changes of "${repo}" kept as ${name}: ${
      shown(paths)
    } would be overwritten, with changes that git was told to overlook`,
    {
      hint: `Let git see them, then put them away or commit them: ${
        inRepo(directory, `update-index --no-skip-worktree --no-assume-unchanged -- ${words}`)
      }`,
      details: { repo, paths },
    },
  );
}

/** Makes sure, before anything is touched, that work which comes back fits the branch it comes back to. */
export const checkReturn = operation<
  Returning & { readonly target: string }
>({
  name: "check_return",
  describe: ({ repo, name }) => `Check that ${name} fits ${repo}`,
  touches,
  phase: "prepare",
  async act(ctx, { repo, directory, branch, name, stash, target }) {
    await requireSeen(ctx, { repo, directory }, name, stash);
    const conflicts = await ctx.git.at(directory, repo).part(Snapshots).conflicts(stash, target);
    if (conflicts.length === 0) return;
    const entry = await entryOf(ctx, directory, repo, stash);
    const number = `stash@{${entry?.number ?? 0}}`;
    throw new AmofError(
      "would_lose_work",
      `Cannot bring back the changes of "${repo}" kept as ${name}: commits made since on ${branch} changed ${
        shown(conflicts)
      }, too; every repository is as it was`,
      {
        hint: [
          `Go to ${cleanLine(branch, 60)}: ${inRepo(directory, `switch ${shellWord(branch)}`)}`,
          ...byHand(directory, number),
        ],
        details: { repo, paths: conflicts, stash: number },
      },
    );
  },
});

/** Keeps uncommitted work as a snapshot, without touching it. */
export const keepChanges = operation<Keeping>({
  name: "keep_changes",
  describe: ({ repo, name }) => `Keep the changes of ${repo} as ${name}`,
  touches,
  phase: "prepare",
  async act(ctx, args) {
    const { repo, directory, branch, name, id } = args;
    if (await ownEntry(ctx, args) !== null) return;
    const at = ctx.system.clock.now();
    const repository = ctx.git.at(directory, repo);
    const taken = await repository.part(Snapshots).take({ id, branch, name, at });
    if (taken === null) return;
    await repository.stashes.store(taken.commit, stashSubject({ branch, name }));
  },
  // This is reached only after the work has been put back into its place.
  async undo(ctx, args) {
    const entry = await ownEntry(ctx, args);
    if (entry !== null) await ctx.git.at(args.directory, args.repo).stashes.drop(entry.commit);
  },
});

/** Takes work that is kept out of the working copy. */
export const clearChanges = operation<Keeping>({
  name: "clear_changes",
  describe: ({ repo }) => `Take the changes of ${repo} out of the way`,
  touches,
  phase: "change",
  async act(ctx, args) {
    const entry = await ownEntry(ctx, args);
    if (entry === null) return;
    const { repo, directory } = args;
    const snapshots = ctx.git.at(directory, repo).part(Snapshots);
    const { conflicts, strangers } = await snapshots.apply(entry.commit, "head");
    if (strangers.length > 0) throw writtenSince(args, strangers);
    requireApplied({ conflicts, strangers }, args, entry);
  },
  async undo(ctx, args) {
    const entry = await ownEntry(ctx, args);
    if (entry === null) return;
    await requireBranch(ctx, args);
    const { repo, directory, branch, name } = args;
    const clone = ctx.git.at(directory, repo);
    const { conflicts, strangers } = await clone.part(Snapshots).apply(entry.commit, "kept", true);
    requireApplied({ conflicts, strangers: [] }, args, entry);
    if (strangers.length === 0) return;
    // What somebody has written since stays, and how these files were before is listed for them alone.
    await clone.stashes.retitle(entry.commit, stashSubject({ branch, name: formerName(name) }));
    warn(ctx, repo, strangers, "it stays, and as it was before");
  },
});

/** The entry of a commit in the list of stashes, or null. */
async function entryOf(
  ctx: ExecuteContext,
  directory: string,
  repo: string,
  stash: string,
): Promise<StashEntry | null> {
  const all = await ctx.git.at(directory, repo).stashes.list();
  return all.find((entry) => entry.commit === stash) ?? null;
}

/** The name of a stash for what was there when a command that was cut off was taken back. */
function formerName(name: string): string {
  return `before ${name} was put back`;
}

/** Puts everything uncommitted away under a name of its own, where somebody has gone on with work that came back. */
async function putElsewhere(
  ctx: ExecuteContext,
  args: Returning,
  strangers: readonly string[],
): Promise<void> {
  const { repo, directory, branch } = args;
  const clone = ctx.git.at(directory, repo);
  const snapshots = clone.part(Snapshots);
  const name = formerName(args.name);
  const at = ctx.system.clock.now();
  const taken = await snapshots.take({ id: ctx.system.ids.hex(16), branch, name, at });
  if (taken === null) return;
  await clone.stashes.store(taken.commit, stashSubject({ branch, name }));
  const entry = await entryOf(ctx, directory, repo, taken.commit);
  if (entry === null) return;
  requireApplied(await snapshots.apply(taken.commit, "head"), { repo, directory, name }, entry);
  warn(ctx, repo, strangers, "as it was then");
}

/** Says where to find what somebody wrote while a command was cut off. */
function warn(
  ctx: ExecuteContext,
  repo: string,
  strangers: readonly string[],
  state: string,
): void {
  ctx.report.log(
    "warn",
    `${cleanLine(repo, 80)}: ${
      shown(strangers)
    } changed since the command was cut off; ${state}: git stash list`,
    { type: "undo", payload: { repo, changed: strangers } },
  );
}

/** Brings kept work back into the working copy; it stays kept. */
export const bringBack = operation<Returning>({
  name: "bring_back",
  describe: ({ repo, name }) => `Bring the changes of ${repo} back from ${name}`,
  touches,
  phase: "change",
  async act(ctx, args) {
    const { repo, directory, name, stash } = args;
    const entry = await entryOf(ctx, directory, repo, stash);
    if (entry === null) {
      throw new AmofError(
        "would_lose_work",
        `Cannot bring back the changes of "${repo}": ${name} was dropped meanwhile`,
        { hint: inRepo(directory, `stash store -m ${shellWord(name)} ${stash}`) },
      );
    }
    requireApplied(
      await ctx.git.at(directory, repo).part(Snapshots).apply(stash, "kept"),
      args,
      entry,
    );
  },
  async undo(ctx, args) {
    const { repo, directory, stash } = args;
    const entry = await entryOf(ctx, directory, repo, stash);
    if (entry === null) return;
    await requireBranch(ctx, args);
    const found = await ctx.git.at(directory, repo).part(Snapshots).apply(stash, "head");
    if (found.strangers.length === 0) requireApplied(found, args, entry);
    else await putElsewhere(ctx, args, found.strangers);
  },
});

/** Forgets kept work that was brought back; the last thing that is done, and never taken back. */
export const forgetKept = operation<InRepo & { readonly name: string; readonly stash: string }>({
  name: "forget_kept",
  describe: ({ repo, name }) => `Forget ${name} of ${repo}`,
  touches,
  phase: "finish",
  act: (ctx, { repo, directory, stash }) => ctx.git.at(directory, repo).stashes.drop(sha(stash)),
});

/** The operations of kept work. */
export const KEPT_OPERATIONS = [checkReturn, keepChanges, clearChanges, bringBack, forgetKept];
