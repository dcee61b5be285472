/** One repository below a workspace, and all of it that is only there. */

import { sha } from "../../base/ids.ts";
import { join } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { AmofError } from "../../base/error.ts";
import type {
  CommitLine,
  Git,
  InProgress,
  LocalBranch,
  Ref,
  RefCommit,
  Repository,
} from "../../git/mod.ts";
import { Releases } from "../../git/write/mod.ts";
import { Everything } from "../../git/read/mod.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import type { System } from "../../base/system/mod.ts";
import { changesDigest } from "../clones/changes.ts";
import { changedFlagged, lfsObjects, repositoriesInside, submoduleWork } from "../clones/hidden.ts";

/** More commits than anybody reads; counting them all would take as long as the history is. */
const MOST_COMMITS = 10_000;
/** How the working copy of the control repository is called among the repositories. */
export const CONTROL = "(workspace)";

const HEADS = "refs/heads/";

/** One repository below a workspace, and all of it that exists nowhere else as far as is known here. */
export interface RepoStock {
  readonly name: string;
  /** Relative to the workspace. */
  readonly path: string;
  readonly readonly: boolean;
  /** Whether the manifest names it. */
  readonly known: boolean;
  readonly branch: string | null;
  readonly head: string | null;
  readonly branches: readonly LocalBranch[];
  readonly uncommitted: readonly string[];
  /** Whether some of them are in conflict. */
  readonly conflicted: boolean;
  /** Newest first; at most ten thousand. */
  readonly unpushed: readonly CommitLine[];
  readonly stashes: readonly CommitLine[];
  /** Refs that are neither branches nor the stash: tags, notes and whatever tools keep. */
  readonly refs: readonly Ref[];
  /** Commits that only those refs hold here, newest first; at most ten thousand. */
  readonly refOnly: readonly RefCommit[];
  /** Commits that only jj has here, newest first; at most ten thousand. */
  readonly jjOnly: readonly CommitLine[];
  /** The newest commits of a head on no branch that was left, and that no ref has. */
  readonly left: readonly CommitLine[];
  /** How many commits only the log of past positions has: amended, rebased or reset away. */
  readonly reflogOnly: number;
  /** How many objects of git-lfs are kept here; nothing here tells which of them the remote has. */
  readonly lfsObjects: number;
  /** Files changed on the disk that git was told to take for unchanged. */
  readonly hidden: readonly string[];
  /** Ignored files and directories, and hooks. */
  readonly ignored: readonly string[];
  /** Repositories inside, at whatever depth. */
  readonly nested: readonly string[];
  /** Where nobody could look for them. */
  readonly unseen: readonly string[];
  /** Work that only its submodules hold, as `path: what`. */
  readonly submodules: readonly string[];
  readonly inProgress: InProgress | null;
  /** Why it could not be read, or null. */
  readonly problem: string | null;
  /** Everything a confirmation must be bound to. */
  readonly digest: string;
}

interface Tools {
  readonly system: System;
  readonly git: Git;
  readonly jobs: number;
}

const EMPTY = {
  branch: null,
  head: null,
  branches: [],
  uncommitted: [],
  conflicted: false,
  unpushed: [],
  stashes: [],
  refs: [],
  refOnly: [],
  jjOnly: [],
  left: [],
  reflogOnly: 0,
  lfsObjects: 0,
  hidden: [],
  ignored: [],
  nested: [],
  unseen: [],
  submodules: [],
  inProgress: null,
  problem: null,
  digest: "",
};

/**
 * The commits of heads on no branch that were left for something else, as the log of past positions tells, and that no
 * ref has. No process where none was left, else one.
 */
async function leftBehind(
  repo: Repository,
  { system, all, known }: {
    readonly system: System;
    readonly all: readonly Pick<Ref, "object">[];
    readonly known: readonly string[];
  },
): Promise<CommitLine[]> {
  const place = await repo.gitDirectory();
  const log = place === null ? null : await system.files.readText(join(place, "logs", "HEAD"));
  const left = new Set(
    Array.from(
      (log ?? "").matchAll(/^[0-9a-f]+ .*\tcheckout: moving from [0-9a-f]{7,64} to /gm),
      ([line]) => line.slice(0, line.indexOf(" ")),
    ),
  );
  return left.size === 0 ? [] : await repo.part(Everything).onlyIn({
    refs: [...left].map((object) => ({ name: object, object })),
    known: [...all.map(({ object }) => object), ...known],
    most: MOST_COMMITS,
  });
}

/** What a confirmation is bound to in one repository, and what it is computed from. */
async function look(tools: Tools, directory: string, name: string) {
  const repo = tools.git.at(directory, name);
  const activity = await repo.activity();
  if (activity === null) throw new AmofError("git_failed", "it is not a git repository");
  const status = await repo.status("all");
  // The refs of the control repository stay where they are.
  const own = name !== CONTROL;
  const all = own ? await repo.part(Everything).refs() : [];
  const stashes = own && status.stashes > 0 ? await repo.stashes.list() : [];
  const branches = all.flatMap(({ name: ref, object, upstream }): LocalBranch[] =>
    ref.startsWith(HEADS) ? [{ name: ref.slice(HEADS.length), commit: sha(object), upstream }] : []
  );
  // `refs/stash` without a log does not appear among the stashes, so it is listed here.
  const refs = all.filter(({ name: ref }) =>
    !ref.startsWith(HEADS) && (ref !== "refs/stash" || stashes.length === 0)
  );
  const { branch, head, changes } = status;
  const { inProgress } = activity;
  const { gitlinks, flagged } = await repo.part(Everything).index();
  const { work: submodules, places } = await submoduleWork(tools, directory, gitlinks);
  const hidden = await changedFlagged(tools, directory, name, flagged);
  const known = [...stashes.map(({ commit }) => commit), ...(head === null ? [] : [head])];
  const jjOnly = own ? await repo.part(Everything).onlyInJj(known, MOST_COMMITS) : [];
  const left = own ? await leftBehind(repo, { system: tools.system, all, known }) : [];
  const digest = sha256(canonicalJson({
    branch,
    head,
    branches,
    refs,
    jjOnly,
    left,
    stashes,
    submodules,
    hidden,
    inProgress,
    changes: await changesDigest(tools, directory, changes),
  }));
  return {
    facts: {
      branch,
      head,
      branches,
      refs,
      jjOnly,
      left,
      stashes,
      submodules,
      inProgress,
      hidden: hidden.map(({ path }) => path),
      uncommitted: changes.map((change) => change.path),
      conflicted: changes.some((change) => change.conflicted),
      digest,
    },
    places,
  };
}

/**
 * The digest of one repository as it is now, to be compared with that of its {@linkcode RepoStock}. At most five git
 * processes, and seven more per submodule.
 */
export async function digestOf(tools: Tools, directory: string, name: string): Promise<string> {
  return (await look(tools, directory, name)).facts.digest;
}

/** The commits of a working copy that stands on no branch, and that no ref has. */
async function detachedOnly(
  { git }: Tools,
  directory: string,
  name: string,
  head: string,
): Promise<CommitLine[]> {
  const repository = git.at(directory, name);
  const known = (await repository.part(Everything).refs()).map(({ object }) => object);
  return await repository.part(Everything).onlyIn({
    refs: [{ name: head, object: head }],
    known,
    most: MOST_COMMITS,
  });
}

/** Hooks of the user's own, which lie in the git directory and go with it. */
async function hooksOf({ system, git }: Tools, directory: string): Promise<string[]> {
  const own = await git.at(directory).gitDirectory();
  if (own === null) return [];
  return (await system.files.list(join(own, "hooks")))
    .filter(({ name, kind }) => kind !== "directory" && !name.endsWith(".sample"))
    .map(({ name }) => `.git/hooks/${name}`);
}

/** Which repository a stock is of, and what the manifest says of it. */
export type RepoIdentity = Pick<RepoStock, "name" | "path" | "readonly" | "known">;

/** Which of the repositories in a working copy are nested ones: neither reported as changes, nor tracked. */
async function nestedAmong(
  repo: Repository,
  repositories: readonly string[],
  uncommitted: readonly string[],
): Promise<string[]> {
  const nested: string[] = [];
  for (const path of repositories) {
    if (uncommitted.some((changed) => path.startsWith(changed))) continue;
    // A project may track the files of a repository as test data; then it is not a nested repository.
    if ((await repo.part(Releases).tracked([`${path}HEAD`])).length === 0) {
      nested.push(path);
    }
  }
  return nested;
}

/** Looks at one repository. Never throws for what is wrong with the repository itself. */
export async function stockOf(
  tools: Tools,
  directory: string,
  who: RepoIdentity,
): Promise<RepoStock> {
  const { git, system } = tools;
  const { name } = who;
  const repository = git.at(directory, name);
  try {
    const { facts: found, places } = await look(tools, directory, name);
    const { head, branch, branches, refs, stashes, uncommitted } = found;
    const detached = branch === null ? head : null;
    if (name === CONTROL) {
      const unpushed = detached === null
        ? []
        : await detachedOnly(tools, directory, name, detached);
      return { ...who, ...EMPTY, ...found, unpushed };
    }
    const ignored = await repository.files.ignored();
    const inside = await repositoriesInside(system, directory, places);
    const nested = await nestedAmong(repository, inside.repositories, uncommitted);
    const known = [...stashes.map(({ commit }) => commit), ...(head === null ? [] : [head])];
    const commits = refs.filter(({ leadsTo }) => leadsTo === "commit");
    return {
      ...who,
      ...EMPTY,
      ...found,
      unpushed: branches.length === 0 && detached === null
        ? []
        : await repository.history.localOnlyCommits({
          head: detached,
          most: MOST_COMMITS,
        }),
      ignored: [...ignored, ...await hooksOf(tools, directory)],
      refOnly: commits.length === 0 ? [] : await repository.part(Everything).onlyIn({
        refs: commits,
        known,
        most: MOST_COMMITS,
      }),
      reflogOnly: head === null ? 0 : (await repository.part(Everything).onlyInReflog(
        [...stashes, ...found.left].map(({ commit }) => commit),
      )).length,
      lfsObjects: await lfsObjects(system, await repository.gitDirectory() ?? directory),
      nested,
      unseen: inside.unseen,
    };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return { ...who, ...EMPTY, problem: error.message };
  }
}
