/**
 * Brings index and working copy of a repository from one checkpoint to another, path by path.
 *
 * Every path is looked at before the first one is touched, and must be as one of both checkpoints has it. So what was
 * cut off can be repeated or taken back, and what others wrote meanwhile is never overwritten. Files are moved into
 * place whole.
 */

import { join } from "@std/path";
import type { Runner } from "../call/runner.ts";
import { EMPTY_TREES } from "../read/files.ts";
import {
  type Found,
  type Move,
  moveFiles,
  obstructingPaths,
  type OnDisk,
  readPath,
} from "../snapshot/disk.ts";
import { Staging } from "../snapshot/staging.ts";
import {
  type ChangedPath,
  type Entry,
  type IndexEntry,
  isPlain,
  sameIndex,
} from "../snapshot/view.ts";
import { writeIndex } from "../snapshot/write_index.ts";
import type { Aside, Checkpoint, ObjectStore } from "./names.ts";
import { differences } from "../snapshot/stream.ts";

/** What is on the disk at a path: these very bytes, or what git makes of a file of the commit. */
interface Work extends Entry {
  readonly exact: boolean;
  readonly permissions: number | null;
}

/** A path as one of both checkpoints has it. */
interface PathState {
  /** In the commit. */
  readonly head: Entry | null;
  readonly index: IndexEntry;
  readonly work: Work | null;
}

/** A path that is not the same in both. */
export interface Crossing {
  readonly path: string;
  readonly from: PathState;
  readonly to: PathState;
  /** Whether its file stays as it is: one checkpoint did not keep it, and the other has it as it was committed. */
  readonly stays: boolean;
}

/** The mode of an entry that stands for another repository. */
const GITLINK = "160000";

function stateOf(entry: ChangedPath | undefined, tree: Entry | null): PathState {
  if (entry === undefined) {
    const work = tree === null ? null : { ...tree, exact: false, permissions: null };
    return { head: tree, index: tree, work };
  }
  const work = entry.work === null
    ? null
    : { ...entry.work, exact: true, permissions: entry.permissions };
  return { head: tree, index: entry.index, work };
}

/** The same file, which a checkpoint did not keep, with what its index has of it. */
function withIndex(state: PathState, { index = null }: Aside): PathState {
  return { ...state, index };
}

function sameWork(a: Work | null, b: Work | null): boolean {
  if (a === null || b === null) return a === b;
  return a.oid === b.oid && a.mode === b.mode && a.exact === b.exact &&
    (!a.exact || a.permissions === b.permissions);
}

/** The paths that are not the same in both checkpoints, sorted. At most one process. */
export async function crossings(
  git: Runner,
  from: Checkpoint,
  to: Checkpoint,
): Promise<Crossing[]> {
  const any = from.head ?? to.head;
  const empty = EMPTY_TREES[any?.length ?? 40] ?? "";
  const changed = from.head === to.head
    ? []
    : await differences(git, from.head ?? empty, to.head ?? empty);
  const trees = new Map(changed.map((entry) => [entry.path, entry]));
  const before = new Map(from.paths.map((entry) => [entry.path, entry]));
  const after = new Map(to.paths.map((entry) => [entry.path, entry]));
  const names = new Set([...trees.keys(), ...before.keys(), ...after.keys()]);
  const [left, right] = [from, to].map(({ aside }) =>
    new Map(aside.flatMap((one) => one.index === undefined ? [] : [[one.path, one]]))
  );
  return [...names].sort().flatMap((path): Crossing[] => {
    const tree = trees.get(path);
    const known = before.get(path)?.head ?? after.get(path)?.head ?? null;
    const crossing = {
      path,
      from: stateOf(before.get(path), tree === undefined ? known : tree.from),
      to: stateOf(after.get(path), tree === undefined ? known : tree.to),
    };
    const { from: a, to: b } = crossing;
    const [out, home] = [left?.get(path), right?.get(path)];
    if (home !== undefined && out === undefined && a.work !== null && !before.has(path)) {
      return [{ ...crossing, to: { ...withIndex(a, home), head: b.head }, stays: true }];
    }
    if (out !== undefined && home === undefined && b.work !== null && !after.has(path)) {
      return [{ ...crossing, from: { ...withIndex(b, out), head: a.head }, stays: true }];
    }
    return sameIndex(a.index, b.index) && sameWork(a.work, b.work)
      ? []
      : [{ ...crossing, stays: false }];
  });
}

/** A path on its way, and how it stands. */
interface CrossingState {
  readonly crossing: Crossing;
  readonly found: Found;
  readonly file: OnDisk | null;
  /** Whether the file is as it is to be. */
  readonly there: boolean;
  readonly indexed: boolean;
  /** Where git made the file of the commit that it is to be. */
  readonly made: string | null;
}

/** What is needed besides the checkpoints. */
interface Means {
  readonly git: Runner;
  readonly objects: ObjectStore;
  /** How the repository stands now. */
  readonly now: Checkpoint;
}

function isLink(state: PathState): boolean {
  return state.work?.mode === GITLINK;
}

/** Files of a commit as git writes them, made when the first of them is asked for. */
class Renditions {
  readonly #staging: Staging;
  readonly #commit: string | null;
  readonly #paths: readonly string[];
  #directory: Promise<string> | null = null;

  constructor(staging: Staging, commit: string | null, paths: readonly string[]) {
    this.#staging = staging;
    this.#commit = commit;
    this.#paths = paths;
  }

  /** The file of a path, and where it is; null where the commit has none. */
  async at(path: string, like: string): Promise<{ file: OnDisk; place: string } | null> {
    if (this.#commit === null) return null;
    this.#directory ??= this.#staging.checkOut(this.#commit, this.#paths);
    const directory = await this.#directory;
    const file = await readPath(this.#staging.git.system, directory, path, like);
    return file === null || typeof file === "string"
      ? null
      : { file, place: join(directory, path) };
  }
}

function renditions(
  staging: Staging,
  { head }: Checkpoint,
  states: readonly { readonly path: string; readonly state: PathState }[],
): Renditions {
  const paths = states.filter(({ state }) =>
    state.work !== null && !state.work.exact && state.work.mode !== GITLINK
  ).map(({ path }) => path);
  return new Renditions(staging, head, paths);
}

function sameFile(file: OnDisk, other: OnDisk | Work): boolean {
  return file.oid === other.oid && file.mode === other.mode;
}

/** Whether what is on the disk is what a checkpoint has there; null for a file that only git can make again. */
function isAs(file: OnDisk | null, work: Work | null): boolean | null {
  if (work === null) return file === null;
  if (work.mode === GITLINK) return true;
  if (file === null) return false;
  const same = file.oid === work.oid &&
    (file.mode === work.mode || work.exact && file.permissions === work.permissions);
  return same ? true : work.exact ? false : null;
}

/** How all paths stand, and those that are as neither checkpoint has them. */
async function crossingStates(
  { git, now }: Means,
  staging: Staging,
  { from, to, crossing: all }: Route,
): Promise<{ standing: CrossingState[]; strangers: string[] }> {
  const like = to.head ?? from.head ?? "";
  const here = new Map(now.paths.map((entry) => [entry.path, entry]));
  const aside = new Map(now.aside.map((one) => [one.path, one]));
  const moving = all.filter(({ stays }) => !stays);
  const source = renditions(
    staging,
    from,
    moving.map(({ path, from: state }) => ({ path, state })),
  );
  const goal = renditions(staging, to, moving.map(({ path, to: state }) => ({ path, state })));
  const standing: CrossingState[] = [];
  const strangers: string[] = [];
  for (const crossing of all) {
    const { path } = crossing;
    if (crossing.stays) {
      const index = aside.get(path)?.index ?? here.get(path)?.index ??
        (aside.has(path) ? null : (now.head === from.head ? crossing.from : crossing.to).head);
      const indexed = sameIndex(index, crossing.to.index);
      if (!indexed && !sameIndex(index, crossing.from.index)) strangers.push(path);
      standing.push({ crossing, found: null, file: null, there: true, indexed, made: null });
      continue;
    }
    const found = await readPath(git.system, git.directory, path, like);
    const file = found === null || typeof found === "string" ? null : found;
    const entry = here.get(path);
    const index = entry === undefined
      ? (now.head === from.head ? crossing.from : crossing.to).head
      : entry.index;
    const made = crossing.to.work?.exact === false && !isLink(crossing.to)
      ? await goal.at(path, like)
      : null;
    const atGoal = isAs(file, crossing.to.work) ??
      (file !== null && made !== null && sameFile(file, made.file));
    let known = atGoal;
    known ||= isAs(file, crossing.from.work) ?? false;
    if (!known && file !== null && crossing.from.work?.exact === false) {
      const old = await source.at(path, like);
      known = old !== null && sameFile(file, old.file);
    }
    // Filters may write one content in several ways: then git says whether the file has changed.
    known ||= file !== null && entry === undefined && crossing.from.work?.exact === false &&
      sameIndex(index, crossing.from.index);
    const indexed = sameIndex(index, crossing.to.index);
    const whole = indexed || sameIndex(index, crossing.from.index);
    // A repository does not make room for a file, nor a file for a repository.
    const traded = isLink(crossing.from) !== isLink(crossing.to) &&
      crossing.from.work !== null && crossing.to.work !== null;
    if (!known || !whole || traded || found === "other" || aside.has(path)) strangers.push(path);
    const { work } = crossing.to;
    const there = atGoal && (file === null || work === null || !work.exact ||
      work.permissions === null || work.permissions === file.permissions);
    standing.push({ crossing, found, file, there, indexed, made: made?.place ?? null });
  }
  return { standing, strangers };
}

/** From where to where, and what is not the same. */
interface Route {
  readonly from: Checkpoint;
  readonly to: Checkpoint;
  readonly crossing: readonly Crossing[];
}

function moveOf({ crossing: { path, to }, found, file, there }: CrossingState): Move {
  return { path, found, file, wanted: to.work !== null, there };
}

/** Makes the files that are to be written; answers where each is. */
async function prepared(
  { objects, git }: Means,
  staging: Staging,
  writing: readonly CrossingState[],
): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  const wanted = new Map<string, { path: string; work: Work }[]>();
  for (const { crossing: { path, to: { work } }, made, file } of writing) {
    if (work === null) continue;
    if (work.exact) {
      wanted.set(work.oid, [...wanted.get(work.oid) ?? [], { path, work }]);
      continue;
    }
    if (made === null) throw new TypeError(`Nothing was made for ${path}`);
    places.set(path, made);
    // Permissions beyond what git knows stay as they are.
    const bits = file?.permissions ?? null;
    const executable = bits !== null && (bits & 0o100) !== 0;
    if (bits === null || work.mode === "120000" || executable !== (work.mode === "100755")) {
      continue;
    }
    const bytes = await git.system.files.readBytes(made);
    if (bytes !== null) places.set(path, await staging.file(bytes, bits));
  }
  await objects.read([...wanted.keys()], async (oid, bytes) => {
    for (const { path, work } of wanted.get(oid) ?? []) {
      const place = work.mode === "120000"
        ? await staging.link(new TextDecoder().decode(bytes))
        : await staging.file(bytes, work.permissions ?? (work.mode === "100755" ? 0o755 : null));
      places.set(path, place);
    }
  });
  return places;
}

/** Puts objects back that only the index had, where the repository has forgotten them. At most three processes. */
async function returnObjects(
  { git, objects }: Means,
  standing: readonly CrossingState[],
): Promise<void> {
  const names = standing.flatMap(({ crossing: { to: { index, head } }, indexed }) =>
    indexed || index === null || index === "intent_to_add"
      ? []
      : ("oid" in index ? [index] : [...index]).filter(({ oid, mode }) =>
        oid !== head?.oid && mode !== GITLINK
      ).map(({ oid }) => oid)
  );
  if (names.length === 0) return;
  const what = `restore the index of "${git.name}"`;
  const said = await git.must(
    ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    { access: "read", stdin: names.map((name) => `${name}\n`).join("") },
    what,
  );
  const gone = said.split("\n").filter((line) => line.endsWith(" missing"))
    .map((line) => line.slice(0, line.indexOf(" ")));
  await objects.read([...new Set(gone)], async (_oid, bytes) => {
    await git.must(
      ["hash-object", "-w", "--no-filters", "--stdin"],
      { access: "internal", stdin: bytes.slice() },
      what,
    );
  });
}

/** Whether a file was written anew beside an entry of the index that stays, by which git would judge it. */
function isRewritten({ crossing: { to }, there }: CrossingState): boolean {
  return !there && to.work !== null && isPlain(to.index) && to.index.mode !== GITLINK;
}

/**
 * Brings index and working copy to the end of a route. Answers the paths that are as neither checkpoint has them, or in
 * the way; nothing was touched then. Harmless to repeat. At most ten processes.
 */
export async function walk(means: Means, route: Route): Promise<string[]> {
  if (route.crossing.length === 0) return [];
  const { git } = means;
  await using staging = await Staging.open(git);
  const { standing, strangers } = await crossingStates(means, staging, route);
  const found = [...strangers, ...await obstructingPaths(git, standing.map(moveOf))];
  if (found.length > 0) return [...new Set(found)].sort();
  const writing = standing.filter(({ crossing: { to }, there }) => to.work !== null && !there);
  const places = await prepared(means, staging, writing);
  await returnObjects(means, standing);
  await moveFiles(
    staging,
    standing.filter(({ crossing }) =>
      !crossing.stays && !isLink(crossing.from) && !isLink(crossing.to)
    ).map(moveOf),
    places,
  );
  const changing = standing.filter((entry) => !entry.indexed || isRewritten(entry));
  const like = route.to.head ?? route.from.head ?? "0".repeat(40);
  await writeIndex(
    git,
    like,
    changing.map(({ crossing: { path, to } }) => ({ path, entry: to.index })),
  );
  // Git remembers what it has seen of files that are as the index has them, so that it need not read them again.
  await git.run(["update-index", "-q", "--refresh"], { access: "internal", patient: true });
  return [];
}
