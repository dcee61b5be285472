/**
 * Brings index and working copy from one end to another, path by path.
 *
 * Every path is looked at before the first one is touched, and must be as at one of both ends. So what was cut off can be
 * repeated or taken back, and what others wrote meanwhile is never overwritten. Files are moved into place whole.
 */

import { join } from "@std/path";
import type { Runner } from "../call/runner.ts";
import {
  fileOf,
  type Found,
  type Move,
  moveFiles,
  obstructingPaths,
  type OnDisk,
  readPath,
} from "./disk.ts";
import type { Staging } from "./staging.ts";
import { isOurs, readStatus } from "./status.ts";
import { type Entry, GITLINK, type IndexEntry, isPlain, sameIndex } from "./view.ts";
import { writeIndex } from "./write_index.ts";

/** A file at an end: these very bytes, or what git makes of a file of the commit. */
export interface Work extends Entry {
  readonly exact: boolean;
  readonly permissions: number | null;
  /** Where the bytes are, when not in the object of that name. */
  readonly file?: string | null;
}

/** A path at an end. */
export interface PathEnd {
  /** In the commit. */
  readonly head: Entry | null;
  readonly index: IndexEntry;
  readonly work: Work | null;
}

/** A path that is not the same at both ends. */
export interface Crossing {
  readonly path: string;
  readonly from: PathEnd;
  readonly to: PathEnd;
  /** Whether its file stays as it is, whatever that holds; absent for no. */
  readonly stays?: boolean;
}

/** A path that is as in the commit. */
export function committed(head: Entry | null): PathEnd {
  const work = head === null ? null : { ...head, exact: false, permissions: null };
  return { head, index: head, work };
}

/** What git says of the paths as they are now. */
export interface Told {
  readonly index: (crossing: Crossing) => IndexEntry;
  /** Whether git says anything of a path. */
  readonly has: (path: string) => boolean;
  /** Whether the content of a file is kept nowhere, so that it is not touched. */
  readonly isAside?: (path: string) => boolean;
}

/** From where to where, and what is not the same. */
export interface Route {
  /** The commits of both ends; null where there is none. */
  readonly from: string | null;
  readonly to: string | null;
  readonly crossings: readonly Crossing[];
  readonly told: Told;
  /** Reads contents by their names, each once. */
  readonly contents: (
    names: readonly string[],
    each: (name: string, bytes: Uint8Array) => Promise<void>,
  ) => Promise<void>;
  /** Whether git itself was writing the files of the end they come from, and left one half written where it was cut off. */
  readonly torn?: boolean;
}

/** A path on its way, and how it stands. */
interface PathState {
  readonly crossing: Crossing;
  readonly index: IndexEntry;
  readonly found: Found;
  readonly file: OnDisk | null;
  /** Whether the file is as at one of both ends. */
  readonly known: boolean;
  /** Whether the file is as it is to be. */
  readonly there: boolean;
}

function isLink({ work }: PathEnd): boolean {
  return work?.mode === GITLINK;
}

/** Whether git makes the file of an end out of its commit. */
function isMade({ work }: PathEnd): boolean {
  return work !== null && !work.exact && work.mode !== GITLINK;
}

/** Files of a commit as git writes them, made when the first of them is asked for. */
class Made {
  readonly #staging: Staging;
  readonly #commit: string | null;
  readonly #paths: readonly string[];
  #directory: Promise<string> | null = null;

  constructor(staging: Staging, { from, to, crossings }: Route, end: "from" | "to") {
    this.#staging = staging;
    this.#commit = end === "from" ? from : to;
    this.#paths = crossings.filter((one) => one.stays !== true && isMade(one[end]))
      .map(({ path }) => path);
  }

  /** The file of a path, and where it is; null where the commit has none. */
  async at(path: string): Promise<{ file: OnDisk; place: string } | null> {
    if (this.#commit === null) return null;
    this.#directory ??= this.#staging.checkOut(this.#commit, this.#paths);
    const directory = await this.#directory;
    const { system } = this.#staging.git;
    const file = fileOf(await readPath(system, directory, path, this.#commit));
    return file === null ? null : { file, place: join(directory, path) };
  }
}

/** Whether the permissions of a file are those it is to have, as far as anybody knows. */
function hasPermissions({ permissions: now }: OnDisk, { exact, permissions }: Work): boolean {
  return !exact || permissions === null || now === null || now === permissions;
}

/** Whether a path is as at one end. */
async function isAt(
  { path, from, to }: Crossing,
  { work, index: wanted }: PathEnd,
  { found, file, index, told, made }: Pick<PathState, "found" | "file" | "index"> & {
    readonly told: Told;
    readonly made: Made;
  },
): Promise<boolean> {
  if (work === null) return file === null;
  if (work.mode === GITLINK) return true;
  if (file === null) {
    // Where git misses no file that is not there, a sparse checkout leaves it out.
    return !work.exact && found === null && !(isMade(from) && isMade(to)) &&
      !told.has(path) && sameIndex(index, wanted);
  }
  if (file.oid === work.oid && file.mode === work.mode) return true;
  // Some file systems know no permissions, and some repositories were told to overlook them.
  if (work.exact) {
    return file.oid === work.oid && file.mode !== "120000" && work.mode !== "120000" &&
      [null, work.permissions].includes(file.permissions);
  }
  const out = await made.at(path);
  return out?.file.oid === file.oid && out.file.mode === file.mode;
}

/** Whether a file is what git leaves when it is cut off while it writes another one: nothing, or the beginning. */
async function isTorn(
  { files }: Runner["system"],
  file: OnDisk | null,
  whole: Work | null,
): Promise<boolean> {
  if (file === null) return true;
  const bytes = whole?.file ? await files.readBytes(whole.file) : null;
  return bytes !== null && file.bytes.length <= bytes.length &&
    file.bytes.every((byte, at) => byte === bytes[at]);
}

/** Those paths of which git says that nothing changed, without having been told to overlook them. Two processes. */
async function unchangedPaths(git: Runner): Promise<(path: string) => boolean> {
  const tagged = await git.read(["ls-files", "-v", "-z"], `read the index of "${git.name}"`);
  const tracked = new Set(
    tagged.split("\0").filter((line) => line.startsWith("H ")).map((line) => line.slice(2)),
  );
  const changed = new Set((await readStatus(git)).records.map(({ path }) => path));
  return (path) => tracked.has(path) && !changed.has(path) && !isOurs(path);
}

/** How all paths stand, and those that are as at neither end. */
export async function lookAtPaths(
  staging: Staging,
  route: Route,
): Promise<{ standing: PathState[]; strangers: string[]; goal: Made }> {
  const { git } = staging;
  const { told, torn, crossings } = route;
  const like = route.to ?? route.from ?? "";
  const [source, goal] = [new Made(staging, route, "from"), new Made(staging, route, "to")];
  const seen: PathState[] = [];
  for (const crossing of crossings) {
    const { path, from, to, stays } = crossing;
    const index = told.index(crossing);
    if (stays === true) {
      seen.push({ crossing, index, found: null, file: null, known: true, there: true });
      continue;
    }
    const found = await readPath(git.system, git.directory, path, like);
    const file = fileOf(found);
    const now = { found, file, index, told };
    const atGoal = await isAt(crossing, to, { ...now, made: goal });
    const known = atGoal || await isAt(crossing, from, { ...now, made: source }) ||
      torn === true && await isTorn(git.system, file, from.work);
    const there = atGoal && (file === null || to.work === null || hasPermissions(file, to.work));
    seen.push({ crossing, index, found, file, known, there });
  }
  // Filters may write one content in several ways: then git says whether the file has changed.
  const isAs = (end: PathEnd, index: IndexEntry) => isMade(end) && sameIndex(index, end.index);
  const unsure = ({ known, file, index, crossing: { path, from, to } }: PathState) =>
    !known && file !== null && !told.has(path) && [from, to].some((end) => isAs(end, index));
  const isUnchanged = seen.some(unsure) ? await unchangedPaths(git) : () => false;
  const standing = seen.map((one) =>
    unsure(one) && isUnchanged(one.crossing.path)
      ? { ...one, known: true, there: isAs(one.crossing.to, one.index) }
      : one
  );
  const strangers = standing.filter(({ crossing: { path, from, to, stays }, ...now }) => {
    const indexed = [from, to].some((end) => sameIndex(now.index, end.index));
    // A repository does not make room for a file, nor a file for a repository.
    const traded = isLink(from) !== isLink(to) && from.work !== null && to.work !== null;
    return !now.known || !indexed || traded || now.found === "other" ||
      stays !== true && told.isAside?.(path) === true;
  });
  return { standing, strangers: strangers.map(({ crossing: { path } }) => path), goal };
}

function moveOf({ crossing: { path, to }, found, file, there }: PathState): Move {
  return { path, found, file, wanted: to.work !== null, there };
}

/** Makes the files that are to be written; answers where each is. */
async function prepared(
  staging: Staging,
  { contents }: Route,
  { writing, goal }: { readonly writing: readonly PathState[]; readonly goal: Made },
): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  const wanted = new Map<string, { path: string; work: Work }[]>();
  for (const { crossing: { path, to: { work } }, file } of writing) {
    if (work === null || work.mode === GITLINK) continue;
    if (work.file) {
      places.set(path, work.file);
      continue;
    }
    if (work.exact) {
      wanted.set(work.oid, [...wanted.get(work.oid) ?? [], { path, work }]);
      continue;
    }
    const made = await goal.at(path);
    if (made === null) throw new TypeError(`Nothing was made for ${path}`);
    // Permissions beyond what git knows stay as they are.
    const bits = file?.permissions ?? null;
    const executable = bits !== null && (bits & 0o100) !== 0;
    const isKept = bits !== null && work.mode !== "120000" &&
      executable === (work.mode === "100755");
    places.set(path, isKept ? await staging.file(made.file.bytes, bits) : made.place);
  }
  await contents([...wanted.keys()], async (oid, bytes) => {
    for (const { path, work } of wanted.get(oid) ?? []) {
      const place = work.mode === "120000"
        ? await staging.link(new TextDecoder().decode(bytes))
        : await staging.file(bytes, work.permissions ?? (work.mode === "100755" ? 0o755 : null));
      places.set(path, place);
    }
  });
  return places;
}

/** Whether a file was written anew beside an entry of the index that stays, by which git would judge it. */
function isRewritten({ crossing: { to }, there }: PathState): boolean {
  return !there && to.work !== null && isPlain(to.index) && to.index.mode !== GITLINK;
}

/** Whether a path is one of some, or lies below one. */
export function isAmong(paths: readonly string[], path: string): boolean {
  return paths.some((one) => one === path || path.startsWith(`${one}/`));
}

/** How a route is gone. */
interface Going {
  /** Whether paths that nobody knows are left, and all others brought; else they stop everything. */
  readonly others?: boolean;
  /** Called with what the index is to get, before anything is touched. */
  readonly before?: (entries: readonly PathEnd[]) => Promise<void>;
}

/**
 * Brings index and working copy to the end of a route. Answers the paths that are as at neither end, or in the way;
 * nothing was touched then, unless `others` says to bring all but these. Harmless to repeat. At most eight processes.
 */
export async function walk(
  staging: Staging,
  route: Route,
  { others = false, before }: Going = {},
): Promise<string[]> {
  const { git } = staging;
  const { standing: all, strangers, goal } = await lookAtPaths(staging, route);
  const found = [
    ...new Set([...strangers, ...await obstructingPaths(git, all.map(moveOf))]),
  ].sort();
  if (found.length > 0 && !others) return found;
  const standing = all.filter(({ crossing: { path } }) => !isAmong(found, path));
  const isIndexed = ({ index, crossing: { to } }: PathState) => sameIndex(index, to.index);
  const writing = standing.filter(({ crossing: { to }, there }) => to.work !== null && !there);
  const places = await prepared(staging, route, { writing, goal });
  await before?.(standing.filter((one) => !isIndexed(one)).map(({ crossing: { to } }) => to));
  const moving = standing.filter(({ crossing: { stays, from, to } }) =>
    stays !== true && !isLink(from) && !isLink(to)
  );
  await moveFiles(staging, moving.map(moveOf), places);
  const changing = standing.filter((one) => !isIndexed(one) || isRewritten(one));
  await writeIndex(
    git,
    route.to ?? route.from ?? "0".repeat(40),
    changing.map(({ crossing: { path, to } }) => ({ path, entry: to.index })),
  );
  return found;
}
