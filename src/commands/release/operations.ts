/**
 * The journaled steps of a release. Each can be repeated, and taken back after an interruption at any point
 * (RELEASE-8); from the push on nothing is taken back, and the rest is still done.
 */

import { sha } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import type { CommitFacts } from "../../git/mod.ts";
import { logLines, OF_HOOKS } from "../../git/changing.ts";
import { Releases } from "../../git/write/mod.ts";
import { operation } from "../../runs/steps/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import { publishRelease, recordPushed } from "./publish.ts";

/** What tells the commit of a release; a type alias, so that it counts as plain JSON. */
export type ReleaseCommit = {
  readonly repo: string;
  readonly directory: string;
  readonly branch: string;
  /** The commit before the release. */
  readonly parent: string;
  /** The first line of its message. */
  readonly subject: string;
  /** The files that are committed; with none there is no commit, and the one before is released. */
  readonly files: readonly string[];
};

/**
 * Whether a commit is the one of this release. A hook may have changed its message: then it still has to speak of the
 * release somewhere, and change no other file.
 */
async function isOurs(
  ctx: ExecuteContext,
  facts: CommitFacts | null,
  release: ReleaseCommit,
): Promise<boolean> {
  const { directory, parent, subject, files } = release;
  if (facts === null || facts.parents.length !== 1 || facts.parents[0] !== parent) return false;
  if (facts.subject === subject) return true;
  const [tag = subject] = subject.split(" ").slice(-1);
  const words = facts.message.toLowerCase().split(/[^\w.+/-]+/)
    .map((word) => word.replace(/[.+/-]+$/, ""));
  if (!words.includes(tag.toLowerCase())) return false;
  const changed = await ctx.git.at(directory).part(Releases).filesBetween(parent, facts.commit);
  return changed.every((file) => files.includes(file));
}

/** The commit that is to be tagged; throws when the branch is anywhere else. */
async function releasedCommit(ctx: ExecuteContext, release: ReleaseCommit): Promise<string> {
  const { directory, branch, parent, files, repo } = release;
  const repository = ctx.git.at(directory);
  const tip = await repository.refs.resolve(`refs/heads/${branch}`);
  if (files.length === 0 && tip === parent) return parent;
  const facts = tip === null ? null : await repository.part(Releases).commitFacts(tip);
  if (facts !== null && await isOurs(ctx, facts, release)) return facts.commit;
  throw moved(repo, branch);
}

function moved(repo: string, branch: string): AmofError {
  return new AmofError(
    "repo_changed",
    `Cannot go on with the release of "${repo}": ${cleanLine(branch, 60)} has moved meanwhile`,
    { hint: "See what happened there: git log", details: { repo, branch } },
  );
}

/**
 * Takes the commit that was just made back, and throws `commit_refused`, where a hook changed its message
 * beyond recognition. Nothing then shows that it is the commit of the release.
 */
async function requireNamed(ctx: ExecuteContext, release: ReleaseCommit): Promise<void> {
  const { repo, directory, branch, parent, subject } = release;
  const repository = ctx.git.until().at(directory, repo);
  const ref = `refs/heads/${branch}`;
  const facts = await repository.part(Releases).commitFacts(ref);
  if (facts?.parents.join() !== parent || await isOurs(ctx, facts, release)) return;
  if (!await repository.refs.move(ref, { to: sha(parent), expected: facts.commit })) {
    throw moved(repo, branch);
  }
  throw new AmofError(
    "commit_refused",
    `Took the release commit of "${repo}" back: a hook made "${
      cleanLine(facts.subject, 60)
    }" of its message, which does not name the release`,
    {
      hint: `Let the hooks of "${repo}" leave "${subject}" in the message`,
      details: { repo, subject: facts.subject },
    },
  );
}

/** Commits the files of a release and nothing else. */
export const commitRelease = operation<ReleaseCommit & { readonly message: string }>({
  name: "commit_release",
  touches: ({ directory }) => [directory],
  describe: ({ repo, subject }) => `Commit "${subject}" in ${repo}`,
  async act(ctx, args) {
    const { repo, directory, branch, parent, message, files } = args;
    const repository = ctx.git.at(directory, repo);
    const tip = await repository.refs.resolve(`refs/heads/${branch}`);
    if (tip !== parent) return void await releasedCommit(ctx, args);
    if (await repository.branches.current() !== branch) throw moved(repo, branch);
    await repository.part(Releases).commitFiles(
      files,
      message,
      logLines(ctx.report.log, repo, OF_HOOKS),
    );
    await requireNamed(ctx, args);
  },
  async undo(ctx, args) {
    const { repo, directory, branch, parent, files } = args;
    const ref = `refs/heads/${branch}`;
    const repository = ctx.git.at(directory, repo);
    const tip = await repository.refs.resolve(ref);
    if (tip !== null && tip !== parent) {
      const facts = await repository.part(Releases).commitFacts(tip);
      // One that was cut off before anybody looked at what a hook had made of its message is ours all the same.
      const isUnread = facts?.parents.join() === parent &&
        await repository.branches.endsInRelease(branch, tip);
      if (!isUnread && !await isOurs(ctx, facts, args)) {
        if (!await repository.history.isAncestor(parent, tip)) return;
        throw new AmofError(
          "would_lose_work",
          `Left the commits of "${repo}" alone: others follow the release commit`,
          {
            hint: `Remove it by hand: git -C ${shellWord(directory)} rebase --interactive ${
              parent.slice(0, 12)
            }`,
          },
        );
      }
      if (!await repository.refs.move(ref, { to: sha(parent), expected: tip })) {
        throw moved(repo, branch);
      }
    }
    // If another branch is checked out, its index does not contain this commit and must be left alone.
    if (await repository.branches.current() === branch) {
      await repository.part(Releases).unstage(files);
    }
  },
});

/** Makes the annotated tag of a release. */
export const tagRelease = operation<
  ReleaseCommit & { readonly tag: string; readonly tagMessage: string }
>({
  name: "tag_release",
  touches: ({ directory }) => [directory],
  describe: ({ repo, tag }) => `Tag ${repo} as ${tag}`,
  async act(ctx, args) {
    const { repo, directory, tag, tagMessage } = args;
    const commit = await releasedCommit(ctx, args);
    const repository = ctx.git.at(directory, repo);
    const there = await repository.refs.resolve(`refs/tags/${tag}`);
    if (there === commit) return;
    if (there !== null) {
      throw new AmofError("release_blocked", `Cannot tag "${repo}": the tag ${tag} exists`, {
        hint: `Look at it: git show ${tag}`,
        details: { repo, tag },
      });
    }
    await repository.part(Releases).tag({
      name: tag,
      commit: sha(commit),
      message: tagMessage,
    });
  },
  async undo(ctx, args) {
    const { repo, directory, tag, parent, files } = args;
    const repository = ctx.git.at(directory, repo);
    const there = (await repository.part(Releases).tags()).find(({ name }) => name === tag);
    if (there === undefined) return;
    const facts = await repository.part(Releases).commitFacts(there.commit);
    // A tag that somebody has moved is no longer ours to delete.
    const ours = files.length === 0 ? there.commit === parent : await isOurs(ctx, facts, args);
    if (ours) await repository.refs.delete(`refs/tags/${tag}`, there.object);
  },
});

/** The operations of this domain. */
export const RELEASE_OPERATIONS = [commitRelease, tagRelease, publishRelease, recordPushed];
