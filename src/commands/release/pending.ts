/** Releases that were made and not pushed: finding them, and sending them. */

import { type Guard, touchedBy, touchText } from "../../workspace/manifest/mod.ts";
import { touchFix } from "../advice/command_lines.ts";
import { AmofError } from "../../base/error.ts";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import type { Tag } from "../../git/mod.ts";
import { Releases } from "../../git/write/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, meantText, remedies, shellWord } from "../../base/text/words.ts";
import { currentOf } from "./current.ts";
import { pushRecords, pushRelease, recordPushed } from "./publish.ts";
import { ONLY_TAG, type Outgoing, outgoing, recordsOf } from "./outgoing.ts";
import { commitRecords } from "./gates.ts";
import { openRecords, readReleaseRecord, recordPath, recordsInOrder } from "./record.ts";
import { REMOTE, unreleased } from "./state.ts";

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
  /** Tags of releases before it that the remote lacks, and that go along. */
  readonly earlier: readonly string[];
  /** Releases before it that the remote has then, and whose records do not say so. */
  readonly to_record: readonly string[];
  /** Tags of releases before it that stay here, with the reason. */
  readonly left: readonly { readonly tag: string; readonly reason: string }[];
}

/** What a record waits for, and what brings it there; a type alias, so that it counts as plain JSON. */
export type Waiting = { readonly problem: string; readonly fix: string };

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
  const repository = ctx.git.at(directory, repo);
  const tags = await repository.part(Releases).tags();
  const names = tags.map((tag) => tag.name);
  const wanted = name ??
    (await currentOf(ctx.system, repository, { directory, tags, ref: "HEAD" })).current?.tag;
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

/**
 * The releases that were made here before the current one: which go along to a remote that lacks them, and which stay.
 * A git process for each that it lacks.
 */
async function before(
  ctx: CommandContext,
  { directory, repo, tag, tip, refs }: {
    readonly directory: string;
    readonly repo: string;
    readonly tag: Tag;
    /** What the branch of the remote has then. */
    readonly tip: string;
    readonly refs: ReadonlyMap<string, string>;
  },
): Promise<Pick<PushFacts, "earlier" | "to_record" | "left">> {
  const repository = ctx.git.at(directory, repo);
  const tags = await repository.part(Releases).tags();
  const earlier: string[] = [];
  const toRecord: string[] = [];
  const left: { tag: string; reason: string }[] = [];
  for (const record of await recordsInOrder(ctx.system, directory)) {
    const one = tags.find(({ name }) => name === record.tag);
    if (one === undefined || one.name === tag.name) continue;
    const there = refs.get(`refs/tags/${one.name}`);
    const reason = there === one.object
      ? null
      : there !== undefined
      ? "the remote has another one"
      : await repository.history.isAncestor(one.commit, tip)
      ? null
      : "its commit is not among those that go";
    if (reason !== null) left.push({ tag: one.name, reason });
    else {
      if (there === undefined) earlier.push(one.name);
      if (!record.pushed) toRecord.push(one.name);
    }
  }
  return { earlier, to_record: toRecord, left };
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
      hint: `Compare them: git -C ${shellWord(directory)} ls-remote --tags ${REMOTE}`,
      details: { tag: tag.name, here: tag.object, there },
    });
  }
  const own = { repo, directory, remote: REMOTE, branch, tag: tag.name, commit: tag.commit };
  const release = { ...own, refs };
  const itself = there === undefined ? await outgoing(ctx, release) : ONLY_TAG;
  // Whoever names one release means that one; else records go along where the branch has nothing else to send.
  const goes = !("problem" in itself) && itself.tip === null && name === null
    ? await recordsOf(ctx, release)
    : itself;
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
  const along = name !== null
    ? { earlier: [], to_record: [], left: [] }
    : await before(ctx, { directory, repo, tag, tip: goes.tip ?? tag.commit, refs });
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
    ...along,
  };
}

/** What the record of a release that the remote has still waits for; null for nothing. */
export async function waitingRecord(
  ctx: CommandContext,
  directory: string,
  { tag, branch, commit, remote, remote_commit }: PushFacts,
): Promise<Waiting | null> {
  const file = recordPath(tag);
  if ((await openRecords(ctx)).includes(file)) {
    const fix = `${commitRecords(directory, [file])}\nThen: amof release push`;
    return { problem: "its record is not committed", fix };
  }
  const refs = new Map(remote_commit === null ? [] : [[`refs/heads/${branch}`, remote_commit]]);
  const goes = await recordsOf(ctx, {
    repo: directory,
    directory,
    remote,
    branch,
    tag,
    commit,
    refs,
  });
  return goes.tip === null
    ? null
    : { problem: "its record is not pushed", fix: "amof release push" };
}

/** Pushes a release and records it; answers why not, or null. */
export async function executePush(
  ctx: ExecuteContext,
  directory: string,
  repo: string,
  facts: PushFacts,
): Promise<string | null> {
  const { tag, branch, remote, tip, remote_commit, earlier } = facts;
  const place = { repo, directory, remote, branch, tag, tip, earlier };
  const error = !facts.on_remote || earlier.length > 0
    ? await pushRelease(ctx, place)
    : tip === null
    ? null
    : await pushRecords(ctx, place, tip);
  const records = (await recordsInOrder(ctx.system, directory)).filter((one) => !one.pushed);
  const [newest, ...rest] = records.filter((one) =>
    one.tag === tag || facts.to_record.includes(one.tag)
  );
  if (error === null && newest !== undefined) {
    // After the push the records can only be finished, not undone.
    const step = { ...place, tag: newest.tag, record: newest, there: tip ?? remote_commit };
    await ctx.perform([recordPushed.step({ ...step, before: rest })], 0);
  }
  return error;
}
