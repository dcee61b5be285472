/** `west.yml` of west. */

import { globToRegExp } from "@std/path";
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

/** What an import says that is carried over. */
const IMPORT_KEYS = [
  "file",
  "path-prefix",
  ...["name-allowlist", "path-allowlist", "name-blocklist", "path-blocklist"],
];

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
    readonly path: string;
    readonly url: string;
    readonly revision: string;
  }[];
  readonly filter: string[];
  readonly notes: string[];
}

/** Whether a pattern matches the end of a path, name by name, as `Path.match` of Python does. */
function matchesEnd(path: string, pattern: string): boolean {
  const [names, globs] = [path, pattern].map((text) =>
    text.split("/").filter((name) => name !== "")
  );
  return globs !== undefined && globs.length > 0 && !pattern.startsWith("/") &&
    globs.every((glob, at) => {
      const name = names?.at(at - globs.length);
      return name !== undefined && globToRegExp(glob, { globstar: false }).test(name);
    });
}

/** Which projects an import takes: what one of its lists allows, and without such lists what none of them blocks. */
function takenBy(map: Fields): Taking["takes"] {
  return (name, path) => {
    const isIn = (list: string) =>
      textsOf(map[`name-${list}`]).includes(name) ||
      textsOf(map[`path-${list}`]).some((pattern) => matchesEnd(path, pattern));
    const allows = textsOf([map["name-allowlist"], map["path-allowlist"]].flat()).length > 0;
    return isIn("allowlist") || !allows && !isIn("blocklist");
  };
}

/** What is taken of a list, and below which directory it lies. */
interface Taking {
  readonly prefix: string;
  readonly takes: (name: string, path: string) => boolean;
}

/** The files that `self: import` names, with what it takes of them. */
function importsOf(value: unknown): (Taking & { readonly file: string; readonly map: Fields })[] {
  if (Array.isArray(value)) return value.flatMap(importsOf);
  const map = fieldsOf(value);
  const file = textOf(isObject(value) ? map["file"] ?? USUAL_FILE : value);
  const prefix = textOf(map["path-prefix"]) ?? "";
  return file === null ? [] : [{ file, prefix, takes: takenBy(map), map }];
}

/** Reads one list; what it imports out of its own repository counts before it, as for west. */
async function readOne(
  text: string,
  shown: string,
  { from, into, files, ...taking }: Taking & {
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
    importsOf(self["import"]).map(async ({ file, ...own }) => {
      const inside = await from.within?.(file).catch(() => null) ?? null;
      const lists = inside?.filter((path) => /\.ya?ml$/.test(path)) ?? [file];
      return lists.map((list) => ({ ...own, file: list }));
    }),
  );
  for (const { file, map, prefix, takes } of named.flat()) {
    if (files.includes(file) || files.length >= MOST_INCLUDES) {
      throw unreadable(shown, `it imports ${cleanLine(file, 60)} in a circle, or too many files`);
    }
    files.push(file);
    into.notes.push(...droppedNote(`import of ${file}`, map, IMPORT_KEYS));
    const inner = await from.include(file).catch(() => null);
    const both = {
      prefix: [taking.prefix, prefix].filter((part) => part !== "").join("/"),
      takes: (name: string, path: string) => taking.takes(name, path) && takes(name, path),
    };
    if (inner !== null) await readOne(inner, file, { from, into, files, ...both });
    else into.notes.push(`${cleanLine(file, 60)}: it cannot be read, so its projects are missing`);
  }
  // What a list imports has the last word about groups, the first import before the others.
  into.filter.unshift(...textsOf(manifest["group-filter"]));
  const known = ["version", "remotes", "defaults", "projects", "self", "group-filter"];
  into.notes.push(...droppedNote("manifest", manifest, known));
  into.notes.push(...droppedNote("self", self, ["description", "import"]));
  readProjects(manifest, into, taking);
}

function readProjects(
  manifest: Fields,
  { projects, notes }: Read,
  { prefix, takes }: Taking,
): void {
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
    const own = textOf(project["path"]) ?? name;
    const path = prefix === "" ? own : `${prefix}/${own}`;
    // The first one of a name counts.
    if (!takes(name, path) || projects.some((other) => textOf(other.project["name"]) === name)) {
      continue;
    }
    const url = addressOf(project, remotes, textOf(defaults["remote"]));
    if (url === null) {
      notes.push(`${name}: it has neither a url nor a known remote`);
      continue;
    }
    const revision = textOf(project["revision"]) ?? textOf(defaults["revision"]) ?? USUAL_REVISION;
    projects.push({ project, path, url, revision });
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
  await readOne(text, shown, { from, into, files: [], prefix: "", takes: () => true });
  const off = switchedOff(into.filter);
  const repos = into.projects.map(({ project, path, url, revision }): Listed => {
    const name = textOf(project["name"]) ?? "";
    const own = fieldsOf(fieldsOf(project["userdata"])["amof"]);
    const groups = textsOf(project["groups"]);
    return listed({
      what: name,
      name,
      path,
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
