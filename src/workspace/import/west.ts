/**
 * `west.yml` of west.
 *
 * @module
 */

import { type Fields, fieldsOf, isObject } from "../../object.ts";
import {
  depthOf,
  droppedNote,
  type Imported,
  type Listed,
  listed,
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
];
/** What west takes for a revision that nobody gives. */
const USUAL_REVISION = "master";

/** Whether west would fetch a project: not where all of its groups are switched off. */
function isActive(groups: readonly string[], off: ReadonlySet<string>): boolean {
  return groups.length === 0 || groups.some((group) => !off.has(group));
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

/** Reads remotes, defaults, projects and which groups are switched off. */
export async function importWest({ text, shown }: Source): Promise<Imported> {
  const root = fieldsOf(await yamlOf(text, shown));
  if (!isObject(root["manifest"])) throw unreadable(shown, 'it has no "manifest"');
  const manifest = root["manifest"];
  const defaults = fieldsOf(manifest["defaults"]);
  const list = (value: unknown) => (Array.isArray(value) ? value.map(fieldsOf) : []);
  const remotes = new Map(
    list(manifest["remotes"]).flatMap((remote) => {
      const [name, base] = [textOf(remote["name"]), textOf(remote["url-base"])];
      return name === null || base === null ? [] : [[name, base] as const];
    }),
  );
  const off = switchedOff(textsOf(manifest["group-filter"]));
  const repos: Listed[] = [];
  const notes = droppedNote("manifest", manifest, [
    "version",
    "remotes",
    "defaults",
    "projects",
    "self",
    "group-filter",
  ]);
  for (const project of list(manifest["projects"])) {
    const name = textOf(project["name"]);
    if (name === null) {
      notes.push("A project without a name");
      continue;
    }
    const url = addressOf(project, remotes, textOf(defaults["remote"]));
    if (url === null) {
      notes.push(`${name}: it has neither a url nor a known remote`);
      continue;
    }
    const own = fieldsOf(fieldsOf(project["userdata"])["amof"]);
    const groups = textsOf(project["groups"]);
    const revision = textOf(project["revision"]) ?? textOf(defaults["revision"]);
    repos.push(listed({
      what: name,
      name,
      path: textOf(project["path"]) ?? name,
      url,
      version: revision ?? USUAL_REVISION,
      branch: textOf(own["branch"]),
      readonly: isTrue(own["readonly"]),
      enabled: isActive(groups, off),
      tags: groups,
      dependsOn: textsOf(own["depends_on"]),
      depth: depthOf(project["clone-depth"]),
    }));
    notes.push(...droppedNote(name, project, CARRIED));
  }
  const self = droppedNote("self", fieldsOf(manifest["self"]), ["path", "description"]);
  return { repos, groups: {}, notes: [...notes, ...self] };
}
