/** Pushes a release and records what came of it. Nothing is taken back from here on, and the rest is still done. */

import { dirname, join } from "@std/path";

import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError, toAmofError } from "../../base/error.ts";
import { classifyGitFailure, reason } from "../../git/mod.ts";
import { logLines, OF_HOOKS } from "../../git/changing.ts";
import { Releases } from "../../git/write/mod.ts";
import { sha } from "../../base/ids.ts";
import { operation } from "../../runs/steps/mod.ts";
import { followRemote } from "../../workspace/clones/changing.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { list } from "../../base/text/words.ts";
import {
  type FinalRecord,
  RECORD_SUBJECT,
  recordPath,
  recordProblem,
  recordText,
  type ReleaseRecord,
} from "./record.ts";

/** A record that is committed on a branch; a type alias, so that it counts as plain JSON. */
type Recorded = {
  readonly repo: string;
  readonly directory: string;
  readonly branch: string;
  /** Texts by path relative to the repository; one at least, all in one directory. */
  readonly files: Readonly<Record<string, string>>;
  readonly subject: string;
};

/**
 * Writes records and commits them alone. What they record has happened already, so nothing here may let it
 * fail. A record that cannot be committed stays as a file, and the log says so. Answers the commit, or null.
 */
export async function commitRecord(ctx: ExecuteContext, record: Recorded): Promise<string | null> {
  const { repo, directory, branch, files, subject } = record;
  const paths = Object.keys(files);
  const shown = list(paths);
  // The record of what was done is written also after an interrupt.
  const git = ctx.git.until();
  const warn = (why: string) => {
    ctx.report.log("warn", `${repo}: ${shown} was written but not committed: ${why}`);
    return null;
  };
  for (const path of paths) {
    const misplaced = await recordProblem(ctx.system, directory, dirname(path));
    const file = join(directory, path);
    if (misplaced !== null || (await ctx.system.files.lstat(file))?.kind === "symlink") {
      ctx.report.log("error", `${repo}: ${path} was not written: ${misplaced ?? "it is a link"}`);
      return null;
    }
    const text = files[path] ?? "";
    if (await ctx.system.files.readText(file) !== text) await ctx.system.files.write(file, text);
  }
  const repository = git.at(directory, repo);
  if (await repository.branches.current() !== branch) {
    return warn(`${branch} is not checked out`);
  }
  try {
    const changed: string[] = [];
    const added: string[] = [];
    for (const path of paths) {
      const committed = await repository.commits.fileAt("HEAD", path);
      if (committed === null) added.push(path);
      else if (new TextDecoder().decode(committed) !== files[path]) changed.push(path);
    }
    if (added.length > 0) await repository.commits.paths(added, `${subject}\n`);
    if (changed.length > 0) {
      await repository.part(Releases).commitFiles(
        changed,
        `${subject}\n`,
        logLines(ctx.report.log, repo, OF_HOOKS),
      );
    }
    return await repository.refs.resolve("HEAD");
  } catch (error) {
    if (error instanceof AmofError) return warn(error.message);
    throw error;
  }
}

/** How long a remote may take to say what it has once somebody has asked for the end. */
const ANSWER_SECONDS = 10;

/** A tag that goes to the remote with its branch; a type alias, so that it counts as plain JSON. */
export type Pushed = {
  readonly repo: string;
  readonly directory: string;
  readonly remote: string;
  readonly branch: string;
  readonly tag: string;
  /** The commit the branch is pushed at; null for the tag alone; the tag's own commit when absent. */
  readonly tip?: string | null;
  /** Tags of releases before it that go along; none when absent. */
  readonly earlier?: readonly string[];
};

/**
 * Whether the remote has these very tags: they came with its branch then, in a push whose end was not seen. The
 * branch may have gone on since, which makes pushing it again fail (RELEASE-10).
 */
async function isOnRemote(ctx: ExecuteContext, args: Pushed): Promise<boolean> {
  const { repo, directory, remote, tag, earlier = [] } = args;
  // After an interrupt the remote must still be asked whether the push arrived, but only for a short time.
  const repository = ctx.git.until(
    undefined,
    ...ctx.stop.aborted ? [ANSWER_SECONDS] : [],
  ).at(directory, repo);
  try {
    const there = await repository.remoteRefs.branchesAndTags(remote);
    const here = await repository.part(Releases).tags();
    return [tag, ...earlier].every((one) => {
      const object = here.find(({ name }) => name === one)?.object;
      return object !== undefined && object === there.get(`refs/tags/${one}`);
    });
  } catch (error) {
    if (error instanceof AmofError) return false;
    throw error;
  }
}

/** Makes a branch that follows nothing follow what was pushed; the push stands where that does not work. */
async function followFirst(ctx: ExecuteContext, args: Pushed): Promise<void> {
  const { repo, directory, branch } = args;
  try {
    const { branches } = ctx.git.until().at(directory, repo);
    if (!(await branches.tracking()).has(branch)) await followRemote(ctx.git.until(), args);
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    ctx.report.log("warn", `${repo}: ${error.message}`);
  }
}

/** Pushes the branch at a commit that has the release, and its tag with those before it, all or none (RELEASE-9); answers why not, or null. */
export async function pushRelease(ctx: ExecuteContext, args: Pushed): Promise<string | null> {
  const { repo, directory, remote, branch, tag } = args;
  // From here on nothing is taken back: a release that was not pushed can be pushed later.
  if (ctx.stop.aborted) return "cancelled before the push";
  const commit = await ctx.git.at(directory).refs.resolve(`refs/tags/${tag}`);
  if (commit === null) return `the tag ${tag} is gone`;
  const outcome = await ctx.git.until(ctx.stop).at(directory).part(Releases).push({
    commit: args.tip === undefined ? commit : args.tip === null ? null : sha(args.tip),
    branch,
    tags: [tag, ...args.earlier ?? []],
    remote,
    onLine: logLines(ctx.report.log, repo, OF_HOOKS),
  });
  if (outcome.ok || await isOnRemote(ctx, args)) {
    if (args.tip !== null) await followFirst(ctx, args);
    return null;
  }
  const kind = classifyGitFailure(outcome.result);
  const ended = kind === "cancelled" || kind !== "timeout" && outcome.result.signal !== null;
  const why = ended ? "ended during the push" : cleanLine(outcome.reason ?? reason(outcome.result));
  ctx.report.log("error", `${repo}: ${tag} was not pushed: ${why}`, {
    type: "repo",
    payload: { repo, tag },
  });
  return why;
}

/** Pushes a branch at a commit before which nothing but records lies; answers why not, or null. */
export async function pushRecords(
  ctx: ExecuteContext,
  { repo, directory, remote, branch }: Pushed,
  commit: string,
): Promise<string | null> {
  const outcome = await ctx.git.until(ctx.stop).at(directory).remotes.push({
    commit: sha(commit),
    branch,
    remote,
    onLine: logLines(ctx.report.log, repo, OF_HOOKS),
  });
  return outcome.ok ? null : cleanLine(outcome.reason ?? reason(outcome.result));
}

/**
 * Writes and commits the record of one release. It is pushed, too, where nothing else lies between it and the
 * commit of the remote's branch. Commits that nobody was shown must not be pushed along.
 */
async function recordRelease(
  ctx: ExecuteContext,
  args: Pushed,
  record: ReleaseRecord,
  { pushed, pushError, there, before = [] }: {
    readonly pushed: boolean;
    readonly pushError: string | null;
    readonly there: string | null;
    /** Records of releases before it that are on the remote now. */
    readonly before?: readonly FinalRecord[];
  },
): Promise<void> {
  const git = ctx.git.until();
  const { repo, directory, branch, tag } = args;
  const repository = git.at(directory);
  const final: FinalRecord = {
    ...record,
    release_commit: await repository.refs.resolve(`refs/tags/${tag}`) ?? "",
    pushed,
    push_error: pushError,
  };
  const commit = await commitRecord(ctx, {
    repo,
    directory,
    branch,
    files: Object.fromEntries(
      [final, ...before.map((one) => ({ ...one, pushed: true, push_error: null }))]
        .map((one) => [recordPath(one.tag), recordText(one)]),
    ),
    subject: `${RECORD_SUBJECT}${tag}${before.length === 0 ? "" : ` and ${before.length} before`}`,
  });
  if (commit === null || !pushed) return;
  const parents = (await repository.part(Releases).commitFacts(commit))?.parents ?? [];
  if (there === null || parents.length !== 1 || parents[0] !== there) {
    ctx.report.log("info", `${repo}: the record of ${tag} goes to the remote with the next push`);
    return;
  }
  const why = await pushRecords(ctx, args, commit);
  if (why !== null) {
    ctx.report.log(
      "warn",
      `${repo}: the record of ${tag} did not go (${why}); send it: amof release push`,
    );
  }
}

/** Records a release that nothing takes back; where that fails, the error says that it stands. */
async function recorded(
  ctx: ExecuteContext,
  { tag, pushed }: { readonly tag: string; readonly pushed: boolean },
  record: () => Promise<void>,
): Promise<void> {
  try {
    await record();
  } catch (thrown) {
    const { code, message, hint, details, exit } = toAmofError(
      thrown,
      () => ctx.system.ids.hex(8),
    );
    throw new AmofError(
      code,
      `Released ${tag}${
        pushed ? " and pushed it" : " here"
      }, but its record is not written: ${message}`,
      { hint, details, exit, cause: thrown },
    );
  }
}

/** Pushes a release, if it is to be pushed, and then records what came of it. There is no way back from here. */
export const publishRelease = operation<
  Pushed & { readonly push: boolean; readonly record: ReleaseRecord }
>({
  name: "publish_release",
  touches: ({ directory }) => [directory],
  describe: ({ tag, remote, push }) => push ? `Push ${tag} to ${remote}` : `Record ${tag}`,
  async act(ctx, args) {
    const error = args.push ? await pushRelease(ctx, args) : null;
    const there = await ctx.git.until().at(args.directory).refs.resolve(`refs/tags/${args.tag}`);
    const pushed = args.push && error === null;
    await recorded(
      ctx,
      { tag: args.tag, pushed },
      () => recordRelease(ctx, args, args.record, { pushed, pushError: error, there }),
    );
  },
});

/** Notes in the record of a release that it is on the remote now, whose branch is at `there`. */
export const recordPushed = operation<
  Pushed & {
    readonly record: ReleaseRecord;
    readonly there?: string | null;
    readonly before?: readonly FinalRecord[];
  }
>({
  name: "record_pushed",
  touches: ({ directory }) => [directory],
  describe: ({ tag }) => `Record that ${tag} is pushed`,
  act: (ctx, args) =>
    recorded(ctx, { tag: args.tag, pushed: true }, () =>
      recordRelease(ctx, args, args.record, {
        pushed: true,
        pushError: null,
        there: args.there ?? null,
        before: args.before ?? [],
      })),
});
