/** Releases that were made and not pushed: finding them, and sending them. */

import { type Guard, touchedBy, touchFix, touchText } from "../../workspace/manifest/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import type { Tag } from "../../git/mod.ts";
import { Releases } from "../../git/write/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, meantText, remedies } from "../../base/text/words.ts";
import { currentTag } from "./ladder.ts";
import { pushRelease, recordPushed } from "./publish.ts";
import { ONLY_TAG, type Outgoing, outgoing } from "./outgoing.ts";
import { readReleaseRecord } from "./record.ts";
import { REMOTE, unreleased } from "./standing.ts";

/** A release that is to be pushed. */
export interface PushFacts extends Outgoing {
  readonly tag: string;
  readonly branch: string;
  readonly commit: string;
  readonly remote: string;
  readonly url: string;
  /** The commit that the remote's branch is at; null when there is none. */
  readonly remote_commit: string | null;
  /** Whether the remote has this very tag already. */
  readonly on_remote: boolean;
  /** Whether the record says so, or there is none that could. */
  readonly recorded: boolean;
}

function notFound(name: string, near: string | null): AmofError {
  return new AmofError(
    "release_not_found",
    `Cannot find the release "${cleanLine(name, 60)}"${meantText(near)}`,
    { hint: "See what is released: amof release log" },
  );
}

/** The release that is meant, the current one when no tag is named. */
async function releaseOf(
  ctx: CommandContext,
  directory: string,
  repo: string,
  name: string | null,
): Promise<Tag> {
  const tags = await ctx.git.at(directory, repo).part(Releases).tags();
  const names = tags.map((tag) => tag.name);
  const wanted = name ?? currentTag(names)?.tag;
  const tag = tags.find((candidate) => candidate.name === wanted);
  if (tag !== undefined) return tag;
  throw name === null
    ? await unreleased(ctx, repo, directory)
    : notFound(name, didYouMean(name, names));
}

/** Where a release goes; throws where that cannot be told. */
async function destinationOf(
  ctx: CommandContext,
  directory: string,
  tag: string,
  recorded: string | undefined,
): Promise<{ readonly branch: string; readonly url: string }> {
  const repository = ctx.git.at(directory);
  const branch = recorded ?? await repository.branches.current();
  const url = await repository.remotes.pushUrl(REMOTE);
  if (branch !== null && url !== null) return { branch, url };
  throw new AmofError(
    "push_refused",
    branch === null
      ? `Cannot push ${tag}: no branch is checked out`
      : `Cannot push ${tag}: there is no remote "${REMOTE}"`,
    { hint: branch === null ? "Switch to a branch" : `Add it: git remote add ${REMOTE} URL` },
  );
}

function guarded(
  tag: string,
  branch: string,
  touched: Awaited<ReturnType<typeof touchedBy>>,
): AmofError {
  return new AmofError(
    "push_refused",
    `Cannot push ${tag}: no-touch paths would change: ${touchText(touched)}`,
    {
      hint: remedies([touchFix(touched, `release push ${tag}`)]),
      details: { tag, branch, no_touch: touched.slice(0, 20) },
    },
  );
}

/** What pushing a release, the current one when no tag is named, would do. Asks the remote. */
export async function pending(
  ctx: CommandContext,
  { directory, repo, name }: {
    readonly directory: string;
    readonly repo: string;
    readonly name: string | null;
  },
  guard: Guard,
): Promise<PushFacts> {
  const tag = await releaseOf(ctx, directory, repo, name);
  const record = await readReleaseRecord(ctx.system, directory, tag.name);
  const { branch, url } = await destinationOf(ctx, directory, tag.name, record?.branch);
  const repository = ctx.git.at(directory, repo);
  const refs = await repository.remoteRefs.branchesAndTags(REMOTE);
  const there = refs.get(`refs/tags/${tag.name}`);
  if (there !== undefined && there !== tag.object) {
    throw new AmofError("push_refused", `Cannot push ${tag.name}: the remote has another one`, {
      hint: "Compare them: git ls-remote --tags origin",
      details: { tag: tag.name, here: tag.object, there },
    });
  }
  const release = { repo, directory, remote: REMOTE, branch, tag: tag.name, commit: tag.commit };
  const goes = there === undefined ? await outgoing(ctx, { ...release, refs }) : ONLY_TAG;
  if ("problem" in goes) {
    throw new AmofError("push_refused", `Cannot push ${tag.name}: ${goes.problem}`, {
      hint: `${goes.fix}\nThen: amof release push ${tag.name}`,
      details: { tag: tag.name, branch, remote: REMOTE },
    });
  }
  const remoteCommit = refs.get(`refs/heads/${branch}`) ?? null;
  const touched = goes.tip === null ? [] : await touchedBy(repository, guard, {
    head: goes.tip,
    // The commits to push are known to contain the remote's branch.
    without: remoteCommit === null ? { remote: REMOTE } : { ref: remoteCommit },
  });
  if (touched.length > 0) throw guarded(tag.name, branch, touched);
  return {
    tag: tag.name,
    branch,
    commit: tag.commit,
    tip: goes.tip,
    commits: goes.commits,
    commit_subjects: goes.commit_subjects,
    remote: REMOTE,
    url: maskSecrets(url),
    remote_commit: remoteCommit,
    on_remote: there !== undefined,
    recorded: record === null || record.pushed,
  };
}

/** Pushes a release and records it; answers why not, or null. */
export async function executePush(
  ctx: ExecuteContext,
  directory: string,
  repo: string,
  facts: PushFacts,
): Promise<string | null> {
  const { tag, branch, remote, tip, remote_commit } = facts;
  const place = { repo, directory, remote, branch, tag, tip };
  const error = facts.on_remote ? null : await pushRelease(ctx, place);
  const record = await readReleaseRecord(ctx.system, directory, tag);
  if (error === null && record !== null && !record.pushed) {
    // After the push the record can only be finished, not undone.
    await ctx.perform([recordPushed.step({ ...place, record, there: tip ?? remote_commit })], 0);
  }
  return error;
}
