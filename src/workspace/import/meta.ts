/** `.meta` of meta: JSON with the paths of repositories and their addresses. */

import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import {
  droppedNote,
  type Imported,
  lastName,
  listed,
  type Source,
  textOf,
  textsOf,
  unreadable,
} from "./imported.ts";

function parse(text: string, shown: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(shown, "it is not valid JSON");
  }
  return fieldsOf(value);
}

/** Reads `projects: {PATH: URL}`; newer files have a mapping with `repo` and `tags` in the place of the address. */
export function importMeta({ text, shown }: Source): Imported {
  const root = parse(text, shown);
  if (!isObject(root["projects"])) throw unreadable(shown, 'it has no "projects"');
  const notes: string[] = [];
  const repos = Object.entries(root["projects"]).flatMap(([path, value]) => {
    const entry = fieldsOf(value);
    const url = textOf(value) ?? textOf(entry["repo"] ?? entry["url"]);
    notes.push(...droppedNote(path, entry, ["repo", "url", "tags"]));
    if (url === null) {
      notes.push(`${path}: it has no address`);
      return [];
    }
    return [listed({ what: path, name: lastName(path), path, url, tags: textsOf(entry["tags"]) })];
  });
  notes.push(...droppedNote(shown, root, ["projects", "ignore"]));
  return { repos, groups: {}, notes };
}
