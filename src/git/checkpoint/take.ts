/**
 * Takes a checkpoint of a repository, byte for byte, without touching anything there: no filter, no hook and no code of the
 * repository runs, and nothing is made in it.
 *
 * One git process where nothing is uncommitted, one more where there are stashes; one more keeps contents of files, one
 * or two more read what was staged and differs from the files.
 */

import { activityIn } from "../call/activity.ts";
import { isOddName, textOf } from "../odd_names.ts";
import type { Runner } from "../call/runner.ts";
import { Trace } from "../files/signature.ts";
import { parseRecords, type Plan, planPaths, readPlan } from "../work_tree/status.ts";
import { readObjects } from "../work_tree/staging.ts";
import { byPath, type ChangedPath, stagedObjects } from "../work_tree/view.ts";
import { Branches } from "../write/branches.ts";
import { Stashes } from "../write/stashes.ts";
import { join } from "@std/path";
import type { Aside, AsideReason, Checkpoint, Kept, ObjectStore } from "./names.ts";
import type { System } from "../../base/system/mod.ts";
import { commonDirectory, gitDirectory, headText, refsAreFiles } from "../files/directory.ts";

/** What is checked out, and local branches and tags by their full names. */
interface Names {
  readonly head: string | null;
  readonly branch: string | null;
  readonly refs: Readonly<Record<string, string>>;
}

const NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads the refs that have a file of their own; false where one is no plain name of an object. */
async function readLoose(
  { files }: Pick<System, "files">,
  directory: string,
  name: string,
  refs: Map<string, string>,
): Promise<boolean> {
  for (const entry of await files.list(join(directory, name))) {
    const full = `${name}/${entry.name}`;
    if (entry.kind === "directory") {
      if (!await readLoose({ files }, directory, full, refs)) return false;
    } else if (!entry.name.endsWith(".lock")) {
      const text = (await files.readText(join(directory, full)))?.trim();
      if (text === undefined) continue;
      if (!NAME.test(text)) return false;
      refs.set(full, text);
    }
  }
  return true;
}

/**
 * The names of a repository as git's own files have them, for what is asked before and after each run must cost next to
 * nothing; null where only git itself can tell them. No process.
 */
async function namesOnDisk(system: System, directory: string): Promise<Names | null> {
  const { files } = system;
  const own = await gitDirectory(system, directory);
  const common = await commonDirectory(system, directory);
  if (own === null || common === null || !await refsAreFiles(system, common)) return null;
  const head = (await headText(system, own))?.trim() ?? "";
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null;
  if (branch === null && !NAME.test(head)) return null;
  const refs = new Map<string, string>();
  for (const line of (await files.readText(join(common, "packed-refs")))?.split("\n") ?? []) {
    const at = line.indexOf(" ");
    const name = line.slice(at + 1);
    if (/^refs\/(?:heads|tags)\//.test(name) && NAME.test(line.slice(0, at))) {
      refs.set(name, line.slice(0, at));
    }
  }
  for (const kind of ["refs/heads", "refs/tags"]) {
    if (!await readLoose(system, common, kind, refs)) return null;
  }
  const sorted = [...refs].sort(([a], [b]) => a < b ? -1 : 1);
  return {
    head: branch === null ? head : refs.get(`refs/heads/${branch}`) ?? null,
    branch,
    refs: Object.fromEntries(sorted),
  };
}

/** What is kept of files. */
export interface Bounds {
  /** Larger files are not kept. */
  readonly fileBytes: number;
  /** How much is kept in all. */
  readonly allBytes: number;
  /** Whether files are kept that git does not track. */
  readonly untracked: boolean;
  /** Whether a file that git does not track is never kept, by its path. */
  readonly isExcluded: (path: string) => boolean;
}

/** Where contents go, and what is there already. */
export interface Keeping {
  readonly objects: ObjectStore;
  /** Objects that the object store has; those that are added to it are added here, too. */
  readonly known: Set<string>;
}

/** The refs that a checkpoint shows. No process, or one where only git can tell. */
async function refsOf(git: Runner): Promise<Readonly<Record<string, string>>> {
  const names = await namesOnDisk(git.system, git.directory);
  if (names !== null) return names.refs;
  const output = await git.must(
    ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags"],
    { access: "read", depends: "names" },
    `read the refs of "${git.name}"`,
  );
  return Object.fromEntries(
    output.split("\n").filter((line) => line !== "").map((line) => {
      const at = line.indexOf(" ");
      return [line.slice(at + 1), line.slice(0, at)];
    }),
  );
}

/** A name like those of the objects of a repository that may have none. One process. */
async function anyName(git: Runner): Promise<string> {
  const format = await git.read(
    ["rev-parse", "--show-object-format"],
    `read the format of "${git.name}"`,
  );
  return "0".repeat(format.trim() === "sha256" ? 64 : 40);
}

/** Why a file is not kept, as far as that is known without reading it; null where it is. */
async function whyAside(
  git: Runner,
  { record, head }: Plan,
  bounds: Bounds,
): Promise<{ why: AsideReason; bytes: number } | null> {
  const info = await git.system.files.lstat(join(git.directory, record.path));
  if (info === null || info.kind === "directory") return null;
  const bytes = info.size;
  const loose = record.untracked && head === null;
  if (info.kind === "other") return { why: "special", bytes: 0 };
  if (loose && !bounds.untracked) return { why: "untracked", bytes };
  if (loose && bounds.isExcluded(record.path)) return { why: "excluded", bytes };
  return bytes > bounds.fileBytes ? { why: "too_large", bytes } : null;
}

/** Reads the files of changed paths, one after the other, and hands over what is worth keeping. */
async function* readFiles(
  git: Runner,
  { plans, like, bounds }: {
    readonly plans: readonly Plan[];
    readonly like: string;
    readonly bounds: Bounds;
  },
  { paths, aside }: { readonly paths: ChangedPath[]; readonly aside: Aside[] },
): AsyncGenerator<Kept> {
  let sum = 0;
  for (const plan of plans) {
    const { record, loose, index } = plan;
    const { path } = record;
    const looked = record.work !== null || loose;
    const out = looked ? await whyAside(git, plan, bounds) : null;
    if (out !== null) {
      aside.push({ path, ...out, index });
      continue;
    }
    const { file, changed } = await readPlan(git, plan, like);
    sum += file?.bytes.length ?? 0;
    if (file !== null && sum > bounds.allBytes) {
      sum -= file.bytes.length;
      aside.push({ path, bytes: file.bytes.length, why: "too_large", index });
      continue;
    }
    paths.push(changed);
    if (file !== null) yield { oid: file.oid, bytes: file.bytes };
  }
}

/** What these looks are called among others. */
const KIND = "checkpoint";

/**
 * Takes a checkpoint; with `keeping` the contents of changed files are kept. Every change while it is taken is a change
 * after it. No process where there are none, and nothing has changed since the last one.
 */
export async function takeCheckpoint(
  git: Runner,
  bounds: Bounds,
  keeping: Keeping | null = null,
): Promise<Checkpoint> {
  const last = await git.lastLook(KIND);
  if (last !== null) return JSON.parse(last.text);
  const trace = new Trace(git.system);
  const found = await takenNow(git.traced(trace), bounds, keeping);
  const isClean = found.paths.length + found.aside.length === 0;
  if (isClean) await git.keepLook(trace, { kind: KIND, key: "", found });
  return found;
}

async function takenNow(
  git: Runner,
  bounds: Bounds,
  keeping: Keeping | null,
): Promise<Checkpoint> {
  const output = textOf(
    await git.mustBytes(
      [
        "status",
        "--porcelain=v2",
        "--branch",
        "--show-stash",
        "--no-renames",
        "--untracked-files=all",
        "-z",
      ],
      { access: "read", depends: "files" },
      `read the status of "${git.name}"`,
    ),
  );
  const status = parseRecords(output);
  const refs = await refsOf(git);
  const stashes = /(?:^|\0)# stash \d/.test(output) ? await new Stashes(git).list() : [];
  const activity = await activityIn(git);
  const like = status.head ?? Object.values(refs)[0] ?? await anyName(git);
  const kept = status.records.filter(({ path, repository }) => !repository && !isOddName(path));
  const paths: ChangedPath[] = [];
  const aside: Aside[] = status.records.filter((record) => !kept.includes(record))
    .map(({ path, repository, index }) =>
      repository ? { path, bytes: 0, why: "repository" } : { path, bytes: 0, why: "name", index }
    );
  const plans = await planPaths(git, { ...status, records: kept }, like);
  const files = readFiles(git, { plans, like, bounds }, { paths, aside });
  if (keeping === null) { for await (const _ of files); }
  else await keep(git, keeping, files, { paths, like });
  return {
    head: status.head,
    branch: status.branch,
    inProgress: activity?.inProgress ?? null,
    refs,
    stashes: stashes.map(({ commit, subject }) => ({ commit, subject })),
    paths: byPath(paths),
    aside: byPath(aside),
  };
}

/** Puts contents into the object store: those of files, and those that were staged and differ from them. */
async function keep(
  git: Runner,
  { objects, known }: Keeping,
  files: AsyncGenerator<Kept>,
  { paths, like }: { readonly paths: readonly ChangedPath[]; readonly like: string },
): Promise<void> {
  async function* missing(): AsyncGenerator<Kept> {
    for await (const one of files) {
      if (known.has(one.oid)) continue;
      known.add(one.oid);
      yield one;
    }
    const staged: Kept[] = [];
    const names = stagedObjects(paths).filter((oid) => !known.has(oid));
    await readObjects(git, names, (oid, bytes) => {
      known.add(oid);
      staged.push({ oid, bytes: bytes.slice() });
      return Promise.resolve();
    });
    yield* staged;
  }
  await objects.add(missing(), like, `keep the changes of "${git.name}"`);
}

/** The same as git says them; no commit has to be there. Two processes, three where no branch is checked out. */
async function namesAsked(git: Runner): Promise<Names> {
  const refs = await refsOf(git);
  const branch = await new Branches(git).current();
  if (branch !== null) return { head: refs[`refs/heads/${branch}`] ?? null, branch, refs };
  const { stdout } = await git.run(["rev-parse", "--verify", "--quiet", "HEAD"], {
    access: "read",
  });
  return { head: stdout.trim() || null, branch, refs };
}

/**
 * Takes a checkpoint of names alone: what is checked out, branches and tags; it shows no uncommitted work and no stashes.
 * No process, or some where only git can tell.
 */
export async function takeNames(git: Runner): Promise<Checkpoint> {
  const names = await namesOnDisk(git.system, git.directory) ?? await namesAsked(git);
  const activity = await activityIn(git);
  return { ...names, ...NO_WORK, inProgress: activity?.inProgress ?? null };
}

const NO_WORK = { stashes: [], paths: [], aside: [] } as const;
