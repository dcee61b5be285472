/**
 * How a repository stands: everything that status, checks and releases go by, looked at once.
 *
 * Costs at most eight git processes, one more where the remote is asked.
 */

import { type Guard, type Touch, touchedBy } from "../../workspace/manifest/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { InProgress, PorcelainStatus, Repository, Tag } from "../../git/mod.ts";
import { Releases } from "../../git/write/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { loadConfig, PRESETS, type ReleaseConfig, type VersionFileSpec } from "./config.ts";
import { currentOf } from "./current.ts";
import { type LadderTag, ladderTags, parseVersion, type Version } from "./ladder.ts";
import { RECORD_SUBJECT, recordProblem, RECORDS } from "./record.ts";
import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";

/** The largest file that is edited, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The text of a file, or why it cannot be edited; both null when there is no such file. */
interface RepoFile {
  readonly path: string;
  readonly text: string | null;
  /** "leads out of the repository", to be put behind the name of the file. */
  readonly problem: string | null;
}

/** Reads `path`, relative to `directory`, which is given without symbolic links. */
async function readRepoFile(
  system: System,
  directory: string,
  path: string,
): Promise<RepoFile> {
  const file = join(directory, path);
  const failed = (problem: string): RepoFile => ({ path, text: null, problem });
  const info = await system.files.lstat(file);
  if (info === null) return { path, text: null, problem: null };
  // Git keeps a link and not what it leads to, so nothing behind a link belongs to a release.
  if (info.kind === "symlink" || await system.files.realPath(file) !== file) {
    return failed("is a symbolic link or lies behind one");
  }
  if (info.kind !== "file") return failed("is not a file");
  if (info.size > MAX_BYTES) return failed(`has more than ${MAX_BYTES} bytes`);
  const bytes = await system.files.readBytes(file);
  try {
    return {
      path,
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
        bytes ?? new Uint8Array(),
      ),
      problem: null,
    };
  } catch {
    return failed("is not UTF-8 text");
  }
}

/** The remote that releases go to. */
export const REMOTE = "origin";

/** The most commit subjects that are kept (RELEASE-12). */
const MOST_SUBJECTS = 50;

/** A file that carries the version. */
export interface VersionFile extends RepoFile {
  readonly spec: VersionFileSpec;
  /** The version it says; null when it cannot be found. */
  readonly version: string | null;
}

/** What the remote says; null members where it cannot say. */
interface RemoteState {
  /** Where it is, without credentials; null when there is no such remote. */
  readonly url: string | null;
  /** Branches and tags by full name; null when it could not be reached. */
  readonly refs: ReadonlyMap<string, string> | null;
  /** Why not, or null. */
  readonly error: AmofError | null;
}

/** A repository as it stands. */
export interface ReleaseState {
  readonly name: string;
  /** Absolute, without symbolic links. */
  readonly directory: string;
  readonly branch: string | null;
  readonly head: string | null;
  /** Commits the upstream has and HEAD has not; null without an upstream. */
  readonly behind: number | null;
  /** Changed paths, untracked ones too. */
  readonly changes: readonly string[];
  readonly inProgress: InProgress | null;
  readonly tags: readonly Tag[];
  readonly current: (LadderTag & { readonly commit: string }) | null;
  /** A higher version that the branch does not have, or null. */
  readonly beyond: string | null;
  /** Commits since the current tag, or all; those that only record a release do not count. */
  readonly commits: number;
  /** Whether the history here is cut off before that tag, so that there are more of them. */
  readonly cut: boolean;
  /** Their subjects, newest first, cleaned; at most 50. */
  readonly subjects: readonly string[];
  /** The name of whoever commits here; null when git does not know one. */
  readonly author: string | null;
  readonly config: ReleaseConfig;
  readonly versionFiles: readonly VersionFile[];
  readonly changelog: RepoFile;
  readonly readme: RepoFile;
  /** Those of the files above that git does not track. */
  readonly untracked: readonly string[];
  /** Why the record of a release could not be kept here, or null. */
  readonly recordProblem: string | null;
  /** Null when the remote was not asked. */
  readonly remote: RemoteState | null;
  /** Whether the remote's branch of the same name has commits that HEAD has not; false when it was not asked. */
  readonly remoteAhead: boolean;
  /** Tells which files nobody should change. */
  readonly guard: Guard;
  /** Guarded files in commits that are not on the remote; none where the remote was not asked. */
  readonly touched: readonly Touch[];
}

/** The command that makes the first version: where there is no remote, nothing can be pushed. */
export function firstRelease(hasRemote: boolean): string {
  return `amof release init${hasRemote ? "" : " --no-push"}`;
}

/** The current version; throws `release_not_found` where there is none. */
export async function requireCurrent(
  ctx: CommandContext,
  { name, directory, current }: ReleaseState,
): Promise<NonNullable<ReleaseState["current"]>> {
  if (current !== null) return current;
  throw await unreleased(ctx, name, directory);
}

/** That there is no release yet, with the way to the first one. A git process. */
export async function unreleased(
  ctx: CommandContext,
  name: string,
  directory: string,
): Promise<AmofError> {
  const hasRemote = await ctx.git.at(directory, name).remotes.pushUrl(REMOTE) !== null;
  return new AmofError(
    "release_not_found",
    `Cannot find a release of "${name}": it has no tag such as v0.1.0`,
    {
      hint: `Make the first one: ${firstRelease(hasRemote)}`,
      details: { repo: name, has_remote: hasRemote },
    },
  );
}

/** The highest version of the remote that is not here: whether the branch has it cannot be told. */
export function newestOnRemote(
  { remote, tags }: Pick<ReleaseState, "remote" | "tags">,
): LadderTag | null {
  const here = new Set(tags.map(({ name }) => `refs/tags/${name}`));
  const names = [...remote?.refs?.keys() ?? []].filter((ref) =>
    ref.startsWith("refs/tags/") && !ref.endsWith("^{}") && !here.has(ref)
  ).map((ref) => ref.slice("refs/tags/".length));
  return ladderTags(names)[0] ?? null;
}

/** Looks at a repository; `askRemote` also at its remote, which is no failure when it cannot be reached. */
export async function releaseStateOf(
  ctx: CommandContext,
  directory: string,
  name: string,
  { askRemote, guard, branch }: {
    readonly askRemote: boolean;
    readonly guard: Guard;
    /** The branch whose version counts, whatever is checked out; what is checked out when absent. */
    readonly branch?: string;
  },
): Promise<ReleaseState> {
  const real = await ctx.system.files.realPath(directory) ?? directory;
  const repo = ctx.git.at(real, name);
  const releases = repo.part(Releases);
  const [status, tags, activity, config, remote, author] = await Promise.all([
    repo.status(),
    releases.tags(),
    repo.activity(),
    loadConfig(ctx.system, real),
    askRemote ? lookAtRemote(ctx, real, name) : null,
    releases.author(),
  ]);
  const ref = branch === undefined ? "HEAD" : `refs/heads/${branch}`;
  const { current: ladder, beyond } = await currentOf(ctx.system, repo, {
    directory: real,
    tags,
    ref,
    head: branch === undefined || branch === status.branch ? status.head : null,
  });
  const tag = tags.find((candidate) => candidate.name === ladder?.tag);
  const current = ladder === null || tag === undefined ? null : { ...ladder, commit: tag.commit };
  const since = current === null ? null : `refs/tags/${current.tag}`;
  const except = `^${RECORD_SUBJECT}`;
  const empty = status.head === null;
  const cut = current !== null && status.head !== null && await repo.history.isShallowHere() &&
    !await repo.history.isAncestor(current.commit, status.head);
  const [commits, subjects, files] = await Promise.all([
    empty ? 0 : releases.countSince(since, except),
    empty ? [] : releases.subjectsSince({ from: since, except, limit: MOST_SUBJECTS }),
    lookAtFiles(ctx, real, name, config),
  ]);
  const there = remote?.refs?.get(`refs/heads/${status.branch ?? ""}`);
  return {
    name,
    directory: real,
    remoteAhead: there !== undefined && status.head !== null && there !== status.head &&
      !await repo.history.isAncestor(there, status.head),
    guard,
    touched: askRemote ? await unsentTouches(repo, status, guard) : [],
    branch: status.branch,
    head: status.head,
    behind: status.behind ?? await behindRemote(repo, status),
    changes: await withRecords(ctx, real, status.changes.map((change) => change.path)),
    inProgress: activity?.inProgress ?? null,
    tags,
    current,
    beyond: beyond?.tag ?? null,
    commits,
    cut,
    subjects: subjects.map((subject) => cleanLine(subject)),
    author,
    config,
    ...files,
    recordProblem: await recordProblem(ctx.system, real),
    remote,
  };
}

/** What a branch that follows nothing lacks of its namesake at the remote, as last fetched; null where none was. */
async function behindRemote(
  repo: Repository,
  { head, branch, upstream }: Pick<PorcelainStatus, "head" | "branch" | "upstream">,
): Promise<number | null> {
  if (head === null || branch === null || upstream !== null) return null;
  return await repo.history.countBetween(head, `refs/remotes/${REMOTE}/${branch}`);
}

/** Guarded files in the commits that the branch of the remote does not have, as far as is known here. */
async function unsentTouches(
  repo: Repository,
  { head, branch }: Pick<PorcelainStatus, "head" | "branch">,
  guard: Guard,
): Promise<readonly Touch[]> {
  if (head === null || guard.isEmpty) return [];
  const ref = `refs/remotes/${REMOTE}/${branch ?? ""}`;
  const known = await repo.refs.resolve(ref) !== null;
  const without = known ? { ref } : { remote: REMOTE };
  return await touchedBy(repo, guard, { head, without });
}

async function lookAtRemote(
  ctx: CommandContext,
  directory: string,
  name: string,
): Promise<RemoteState> {
  const repository = ctx.git.at(directory, name);
  const url = await repository.remotes.pushUrl(REMOTE);
  if (url === null) return { url, refs: null, error: null };
  try {
    return {
      url: maskSecrets(url),
      refs: await repository.remoteRefs.branchesAndTags(REMOTE),
      error: null,
    };
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return { url: maskSecrets(url), refs: null, error };
  }
}

/** Changed paths, with what lies in the directory of records where git names that as a whole, since all of it is new. */
async function withRecords(
  { system }: CommandContext,
  directory: string,
  paths: readonly string[],
): Promise<string[]> {
  const whole = `${RECORDS}/`;
  if (!paths.includes(whole)) return [...paths];
  const inside = await system.files.list(join(directory, RECORDS));
  return paths.flatMap((path) => path === whole ? inside.map(({ name }) => whole + name) : [path]);
}

async function lookAtFiles(
  ctx: CommandContext,
  directory: string,
  name: string,
  config: ReleaseConfig,
): Promise<Pick<ReleaseState, "versionFiles" | "changelog" | "readme" | "untracked">> {
  const read = (path: string) => readRepoFile(ctx.system, directory, path);
  const specs = config.versionFiles ?? PRESETS.map((path) => ({ path, pattern: null }));
  const versionFiles: VersionFile[] = [];
  for (const spec of specs) {
    const found = await versionFile(spec, await read(spec.path), config.versionFiles !== null);
    if (found !== null) versionFiles.push(found);
  }
  const changelog = await read(config.changelog);
  const readme = await read(config.readme);
  const paths = [...versionFiles, changelog, readme].filter((file) => file.text !== null)
    .map((file) => file.path);
  const tracked = paths.length === 0
    ? []
    : await ctx.git.at(directory, name).part(Releases).tracked(paths);
  return {
    versionFiles,
    changelog,
    readme,
    untracked: paths.filter((path) => !tracked.includes(path)),
  };
}

/** One version file; null for one that nobody named and that carries no version. */
async function versionFile(
  spec: VersionFileSpec,
  file: RepoFile,
  named: boolean,
): Promise<VersionFile | null> {
  if (file.text === null) {
    if (!named && file.problem === null) return null;
    return { ...file, spec, version: null, problem: file.problem ?? "does not exist" };
  }
  const { findVersion, VersionFileProblem } = await import("./version_file.ts");
  try {
    const { version } = await findVersion(spec, file.text);
    return { ...file, spec, version };
  } catch (error) {
    if (!(error instanceof VersionFileProblem)) throw error;
    // A package.json without a version, as private packages have it, takes no part unless it was asked to.
    return named ? { ...file, spec, version: null, problem: error.message } : null;
  }
}

/** Whether a file says the current version, in whatever spelling. */
export function agrees(file: VersionFile, current: LadderTag): boolean {
  return says(file.version, current.version);
}

/** Whether what a file says is a version, in whatever spelling. */
export function says(found: string | null, version: Version): boolean {
  const parsed = parseVersion(found ?? "");
  return parsed !== null && JSON.stringify(parsed) === JSON.stringify(version);
}
