/** `west.yml` of west. */

import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import {
  depthOf,
  droppedNote,
  type Imported,
  type Listed,
  listed,
  MOST_INCLUDES,
  type Source,
  textOf,
  textsOf,
  unreadable,
} from "./imported.ts";
import { isTrue, yamlOf } from "./yaml.ts";

const CARRIED = [
  "name",
  "url",
  "remote",
  "repo-path",
  "revision",
  "path",
  "groups",
  "clone-depth",
  "userdata",
  "import",
  "submodules",
];
/** What west takes for a revision that nobody gives. */
const USUAL_REVISION = "master";
/** The list that is imported where none is named. */
const USUAL_FILE = "west.yml";

/** Whether a value means no. */
function isFalse(value: unknown): boolean {
  return value === false || typeof value === "string" && /^(?:false|no|off)$/i.test(value);
}

/** The groups that `group-filter` leaves switched off; later words win. */
function switchedOff(filter: readonly string[]): Set<string> {
  const off = new Set<string>();
  for (const word of filter) {
    if (word.startsWith("-")) off.add(word.slice(1));
    else off.delete(word.replace(/^\+/, ""));
  }
  return off;
}

function addressOf(
  project: Fields,
  remotes: ReadonlyMap<string, string>,
  usual: string | null,
): string | null {
  const url = textOf(project["url"]);
  if (url !== null) return url;
  const base = remotes.get(textOf(project["remote"]) ?? usual ?? "");
  if (base === undefined) return null;
  return `${base.replace(/\/+$/, "")}/${textOf(project["repo-path"]) ?? textOf(project["name"])}`;
}

/** What was read of a list and of those that it imports out of its own repository. */
interface Read {
  readonly projects: {
    readonly project: Fields;
    readonly url: string;
    readonly revision: string;
  }[];
  readonly filter: string[];
  readonly notes: string[];
}

/** The files that `self: import` names, with what it filters of them. */
function importsOf(
  value: unknown,
): { readonly file: string; readonly filters: readonly string[] }[] {
  if (Array.isArray(value)) return value.flatMap(importsOf);
  const { file, ...filters } = fieldsOf(value);
  const path = textOf(isObject(value) ? file ?? USUAL_FILE : value);
  return path === null ? [] : [{ file: path, filters: Object.keys(filters) }];
}

/** Reads one list; what it imports out of its own repository counts before it, as for west. */
async function readOne(
  text: string,
  shown: string,
  { from, into, files }: {
    readonly from: Pick<Source, "include" | "within">;
    readonly into: Read;
    readonly files: string[];
  },
): Promise<void> {
  const root = fieldsOf(await yamlOf(text, shown));
  if (!isObject(root["manifest"])) throw unreadable(shown, 'it has no "manifest"');
  const manifest = root["manifest"];
  const self = fieldsOf(manifest["self"]);
  const named = await Promise.all(
    importsOf(self["import"]).map(async ({ file, filters }) => {
      const inside = await from.within?.(file).catch(() => null) ?? null;
      const lists = inside?.filter((path) => /\.ya?ml$/.test(path)) ?? [file];
      return lists.map((list) => ({ file: list, filters }));
    }),
  );
  for (const { file, filters } of named.flat()) {
    if (files.includes(file) || files.length >= MOST_INCLUDES) {
      throw unreadable(shown, `it imports ${cleanLine(file, 60)} in a circle, or too many files`);
    }
    files.push(file);
    if (filters.length > 0) {
      into.notes.push(`${cleanLine(file, 60)}: ${cleanLine(filters.join(", "), 80)} of its import`);
    }
    const inner = await from.include(file).catch(() => null);
    if (inner !== null) await readOne(inner, file, { from, into, files });
    else into.notes.push(`${cleanLine(file, 60)}: it cannot be read, so its projects are missing`);
  }
  // What a list imports has the last word about groups, the first import before the others.
  into.filter.unshift(...textsOf(manifest["group-filter"]));
  const known = ["version", "remotes", "defaults", "projects", "self", "group-filter"];
  into.notes.push(...droppedNote("manifest", manifest, known));
  into.notes.push(...droppedNote("self", self, ["path", "description", "import"]));
  readProjects(manifest, into);
}

function readProjects(manifest: Fields, { projects, notes }: Read): void {
  const defaults = fieldsOf(manifest["defaults"]);
  const list = (value: unknown) => (Array.isArray(value) ? value.map(fieldsOf) : []);
  const remotes = new Map(
    list(manifest["remotes"]).flatMap((remote) => {
      const [name, base] = [textOf(remote["name"]), textOf(remote["url-base"])];
      return name === null || base === null ? [] : [[name, base] as const];
    }),
  );
  for (const project of list(manifest["projects"])) {
    const name = textOf(project["name"]);
    if (name === null) {
      notes.push("A project without a name");
      continue;
    }
    // The first one of a name counts.
    if (projects.some((other) => textOf(other.project["name"]) === name)) continue;
    const url = addressOf(project, remotes, textOf(defaults["remote"]));
    if (url === null) {
      notes.push(`${name}: it has neither a url nor a known remote`);
      continue;
    }
    const revision = textOf(project["revision"]) ?? textOf(defaults["revision"]) ?? USUAL_REVISION;
    projects.push({ project, url, revision });
    if (project["import"] !== undefined && !isFalse(project["import"])) {
      notes.push(`${name}: the projects that its own list names are missing (import)`);
    }
    if (Array.isArray(project["submodules"])) {
      notes.push(`${name}: submodules are all of them, and not some`);
    }
    notes.push(...droppedNote(name, project, CARRIED));
  }
}

/** Reads remotes, defaults, projects and which groups are switched off, also of files that the list imports. */
export async function importWest({ text, shown, ...from }: Source): Promise<Imported> {
  const into: Read = { projects: [], filter: [], notes: [] };
  await readOne(text, shown, { from, into, files: [] });
  const off = switchedOff(into.filter);
  const repos = into.projects.map(({ project, url, revision }): Listed => {
    const name = textOf(project["name"]) ?? "";
    const own = fieldsOf(fieldsOf(project["userdata"])["amof"]);
    const groups = textsOf(project["groups"]);
    return listed({
      what: name,
      name,
      path: textOf(project["path"]) ?? name,
      url,
      version: revision,
      branch: textOf(own["branch"]),
      readonly: isTrue(own["readonly"]),
      // Not where all of its groups are switched off.
      enabled: groups.length === 0 || groups.some((group) => !off.has(group)),
      tags: groups,
      dependsOn: textsOf(own["depends_on"]),
      depth: depthOf(project["clone-depth"]),
      submodules: Array.isArray(project["submodules"]) || isTrue(project["submodules"]),
    });
  });
  return { repos, groups: {}, notes: into.notes };
}
