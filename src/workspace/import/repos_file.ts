/** `.repos` of vcstool and vcs2l, and the older form of rosinstall. */

import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import {
  besideOf,
  droppedNote,
  type Imported,
  lastName,
  type Listed,
  listed,
  MOST_INCLUDES,
  type Source,
  textOf,
  textsOf,
  unreadable,
} from "./imported.ts";
import { isTrue, yamlOf } from "./yaml.ts";

const KNOWN = ["type", "url", "version", "branch", "tags", "readonly", "depends_on"];

function oneOf(path: string, type: string | null, entry: Fields): Listed | string {
  const url = textOf(entry["url"] ?? entry["uri"]);
  if (type !== "git") return `${path}: its type is ${type ?? "missing"}, not git`;
  if (url === null) return `${path}: it has no url`;
  return listed({
    what: path,
    name: lastName(path),
    path,
    url,
    version: textOf(entry["version"]),
    branch: textOf(entry["branch"]),
    readonly: isTrue(entry["readonly"]),
    tags: textsOf(entry["tags"]),
    dependsOn: textsOf(entry["depends_on"]),
  });
}

/** A list that waits to be read: its place relative to the one that was named, and the lists that extend it. */
interface Waiting {
  readonly place: string;
  readonly text: string;
  readonly way: readonly string[];
}

/** Entries by their paths, of a list and of those it extends: it has the last word, and of those the last one. */
async function extended(
  { place, text, way }: Waiting,
  include: Source["include"],
  notes: string[],
): Promise<Map<string, Fields> | readonly unknown[]> {
  const root = await yamlOf(text, place);
  if (!isObject(root)) return root;
  const wider = textsOf(root["extends"]);
  if (!isObject(root["repositories"]) && wider.length === 0) {
    throw unreadable(place, 'it has no "repositories"');
  }
  notes.push(...droppedNote(place, root, ["repositories", "extends"]));
  const entries = new Map<string, Fields>();
  for (const named of wider) {
    // Relative to the list that names it, which is itself relative to the first one.
    const next = way.length === 0 ? named : besideOf(place, named);
    if (way.includes(next) || way.length >= MOST_INCLUDES) {
      throw unreadable(place, `it extends ${cleanLine(next, 60)} in a circle or too many lists`);
    }
    const inner = { place: next, text: await include(next), way: [...way, next] };
    const found = await extended(inner, include, notes);
    if (found instanceof Map) { for (const [path, entry] of found) entries.set(path, entry); }
  }
  for (const [path, value] of Object.entries(fieldsOf(root["repositories"]))) {
    entries.set(path, fieldsOf(value));
  }
  return entries;
}

/**
 * Reads `repositories: {PATH: {type, url, version}}`, also those of lists that it `extends`, or rosinstall's list of
 * `{git: {local-name, uri, version}}`.
 */
export async function importRepos(source: Source): Promise<Imported> {
  const notes: string[] = [];
  const found: (Listed | string)[] = [];
  const root = await extended(
    { place: source.shown, text: source.text, way: [] },
    source.include,
    notes,
  );
  if (root instanceof Map) {
    for (const [path, entry] of root) {
      found.push(oneOf(path, textOf(entry["type"]), entry));
      notes.push(...droppedNote(path, entry, KNOWN));
    }
  } else {
    for (const item of root) {
      const [type = "", value] = Object.entries(fieldsOf(item))[0] ?? [];
      const entry = fieldsOf(value);
      const path = textOf(entry["local-name"]);
      if (path === null) found.push("An entry without local-name");
      else found.push(oneOf(path, type, entry));
    }
  }
  return {
    repos: found.filter((one) => typeof one !== "string"),
    groups: {},
    notes: [...found.filter((one) => typeof one === "string"), ...notes],
  };
}
