/** Reads the YAML of other tools, with every value as the text it is written as: a version `1.10` stays one. */

import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import { boundedYaml } from "../manifest/document.ts";
import { problemText } from "../manifest/shape.ts";
import {
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
import { cleanLine } from "../../base/text/sanitize.ts";
import { dirname, join } from "@std/path";

/** The mapping or list a text holds. Throws `invalid_arguments`. */
export async function yamlOf(text: string, shown: string): Promise<Fields | readonly unknown[]> {
  const read = await boundedYaml(text, { schema: "failsafe" });
  if ("problems" in read) {
    const [first] = read.problems;
    throw unreadable(shown, first === undefined ? "it is no YAML" : problemText(first));
  }
  const { value } = read;
  if (Array.isArray(value)) return value as readonly unknown[];
  if (isObject(value)) return value;
  throw unreadable(shown, "it holds neither a mapping nor a list");
}

/** Whether a value means yes. */
export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(?:true|yes|on)$/i.test(value));
}

/** A file that another file names, by its place relative to where that one's place is relative to. */
function besideOf(place: string, named: string): string {
  return named.startsWith("/") ? named : join(dirname(place), named).replaceAll("\\", "/");
}

/** Reads projects, also those of the files below `import`, as far as they lie below the directory of the list. */
export async function importMani({ text, shown, include }: Source): Promise<Imported> {
  const repos: Listed[] = [];
  const notes: string[] = [];
  const waiting: { readonly name: string; readonly text: string }[] = [{ name: shown, text }];
  const seen = new Set<string>();
  for (let at = 0; at < waiting.length; at++) {
    const file = waiting[at];
    if (file === undefined) break;
    const root = fieldsOf(await yamlOf(file.text, file.name));
    if (at === 0 && root["projects"] === undefined && root["import"] === undefined) {
      throw unreadable(shown, 'it has no "projects"');
    }
    for (const [name, value] of Object.entries(fieldsOf(root["projects"]))) {
      const project = fieldsOf(value);
      const url = textOf(project["url"]);
      if (url === null) {
        notes.push(`${cleanLine(name, 60)}: it has no url`);
        continue;
      }
      // Relative to the file that has it, as what it imports is.
      const path = textOf(project["path"]) ?? name;
      repos.push(listed({
        what: name,
        name,
        path: at === 0 ? path : besideOf(file.name, path),
        url,
        branch: textOf(project["branch"]),
        version: textOf(project["branch"]),
        tags: textsOf(project["tags"]),
      }));
      notes.push(...droppedNote(name, project, ["url", "path", "branch", "tags", "desc"]));
    }
    if (isObject(root["tasks"])) {
      const tasks = Object.keys(root["tasks"]).map((name) => cleanLine(name, 40));
      notes.push(`tasks, to be written by hand: ${tasks.join(", ")}`);
    }
    notes.push(...droppedNote(file.name, root, ["projects", "import", "tasks"]));
    for (const named of textsOf(root["import"])) {
      // Relative to the file that names it.
      const path = at === 0 ? named : besideOf(file.name, named);
      if (seen.has(path)) continue;
      seen.add(path);
      if (seen.size > MOST_INCLUDES) {
        throw unreadable(shown, `it imports more than ${MOST_INCLUDES} files`);
      }
      waiting.push({ name: path, text: await include(path) });
    }
  }
  return { repos, groups: {}, notes };
}

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
