/**
 * `.repos` of vcstool and vcs2l, and the older form of rosinstall.
 *
 * @module
 */

import { type Fields, fieldsOf, isObject } from "../../object.ts";
import {
  droppedNote,
  type Imported,
  lastName,
  type Listed,
  listed,
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

/** Reads `repositories: {PATH: {type, url, version}}`, or rosinstall's list of `{git: {local-name, uri, version}}`. */
export async function importRepos({ text, shown }: Source): Promise<Imported> {
  const root = await yamlOf(text, shown);
  const found: (Listed | string)[] = [];
  const notes: string[] = [];
  if (isObject(root)) {
    if (!isObject(root["repositories"])) throw unreadable(shown, 'it has no "repositories"');
    notes.push(...droppedNote(shown, root, ["repositories"]));
    for (const [path, value] of Object.entries(root["repositories"])) {
      const entry = fieldsOf(value);
      found.push(oneOf(path, textOf(entry["type"]), entry));
      notes.push(...droppedNote(path, entry, KNOWN));
    }
  } else {
    for (const item of root as readonly unknown[]) {
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
