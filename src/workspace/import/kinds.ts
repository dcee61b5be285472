/** The lists of repositories that can be read, and which one a file is. */

import { importGita } from "./gita.ts";
import { importGitmodules } from "./gitmodules.ts";
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
import { importMani, importRepos } from "./yaml.ts";
import { importRepoXml } from "./repo_xml.ts";
import { importWest } from "./west.ts";
import { readLock } from "../lock/lock.ts";
import { type Fields, fieldsOf, isObject, jsonIn } from "../../base/object.ts";

function parse(text: string, shown: string): Fields {
  const value = jsonIn(text);
  if (value === undefined) throw unreadable(shown, "it is not valid JSON");
  return fieldsOf(value);
}

/** Reads `projects: {PATH: URL}`; newer files have a mapping with `repo` and `tags` in the place of the address. */
function importMeta({ text, shown }: Source): Imported {
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
  notes.push(...droppedNote(shown, root, ["projects"]));
  return { repos, groups: {}, notes };
}

/** Reads the folders; each is asked for its address. */
async function importCodeWorkspace({ text, shown }: Source): Promise<Imported> {
  const { parse } = await import("jsonc-parser");
  const root = fieldsOf(parse(text, [], { allowTrailingComma: true }));
  const folders = root["folders"];
  if (!Array.isArray(folders)) throw unreadable(shown, 'it has no "folders"');
  const notes = droppedNote(shown, root, ["folders"]);
  const repos = folders.flatMap((value) => {
    const folder = fieldsOf(value);
    const path = textOf(folder["path"]);
    if (path === null) {
      notes.push("A folder without a path");
      return [];
    }
    return [listed({ what: path, name: lastName(path), clone: path })];
  });
  return { repos, groups: {}, notes };
}

/** Reads the repositories of a lock: each at its branch, and its commit where it has one. */
function importLock({ text, shown }: Source): Imported {
  const lock = readLock(text);
  if (typeof lock === "string") throw unreadable(shown, lock);
  const repos = lock.repos.map((repo) =>
    listed({
      what: repo.name,
      name: repo.name,
      path: repo.path ?? null,
      url: repo.url,
      version: repo.commit ?? repo.branch ?? null,
      branch: repo.branch ?? null,
      readonly: repo.readonly ?? false,
      tags: repo.tags ?? [],
      dependsOn: repo.depends_on ?? [],
    })
  );
  return { repos, groups: lock.groups ?? {}, notes: [] };
}

/** The kinds of lists, as they are named on the command line. */
export const LIST_KINDS = [
  "amof",
  "repos",
  "west",
  "repo-xml",
  "mani",
  "meta",
  "gita",
  "code-workspace",
  "gitmodules",
] as const;
/** One of {@linkcode LIST_KINDS}. */
export type ListKind = typeof LIST_KINDS[number];

/** Reads a list; throws `invalid_arguments` for what is none. */
type Importer = (source: Source) => Imported | Promise<Imported>;

/** The reader of each kind. */
export const IMPORTERS: Readonly<Record<ListKind, Importer>> = {
  amof: importLock,
  repos: importRepos,
  west: importWest,
  "repo-xml": importRepoXml,
  mani: importMani,
  meta: importMeta,
  gita: importGita,
  "code-workspace": importCodeWorkspace,
  gitmodules: importGitmodules,
};

const BY_NAME: readonly (readonly [RegExp, ListKind])[] = [
  [/\.(?:repos|rosinstall)$/i, "repos"],
  [/^west\.ya?ml$/i, "west"],
  [/\.xml$/i, "repo-xml"],
  [/^mani\.ya?ml$/i, "mani"],
  [/\.meta$/i, "meta"],
  [/\.csv$/i, "gita"],
  [/\.code-workspace$/i, "code-workspace"],
  [/^\.gitmodules$/, "gitmodules"],
];

const BY_CONTENT: readonly (readonly [RegExp, ListKind])[] = [
  [/^\s*</, "repo-xml"],
  [/^\s*\{[\s\S]*"ecosystem"\s*:/, "amof"],
  [/^\s*\{[\s\S]*"folders"\s*:/, "code-workspace"],
  [/^\s*\{[\s\S]*"projects"\s*:/, "meta"],
  [/^\[submodule\s+"/m, "gitmodules"],
  [/^repositories\s*:/m, "repos"],
  [/^manifest\s*:/m, "west"],
  [/^projects\s*:/m, "mani"],
  [/^[^\s,:]+:?\/*[^,\n]+,[^,\n]+/, "gita"],
];

/** What the text of a list looks like in its form alone, and the kinds that are written so. */
const BY_FORM: readonly (readonly [RegExp, readonly ListKind[]])[] = [
  [/^\s*[{[]\s*(?:["}\]]|\/)/, ["amof", "meta", "code-workspace"]],
  // Sections of an INI file that are no submodules are in no list that can be read.
  [/^\s*(?:[#;][^\n]*\n\s*)*\[[^\n]*\]\s*$/m, []],
  [/^[^\s:,]+\s*:(?:\s|$)/m, ["repos", "west", "mani"]],
  [/^-\s/m, ["repos"]],
];

/** The kinds of which a list can be whose kind is not known. */
export function kindsThatFit(text: string): readonly ListKind[] {
  return BY_FORM.find(([pattern]) => pattern.test(text.replace(/^\uFEFF/, "")))?.[1] ?? [];
}

/** The kind of a list by its name or else by what it holds; null when neither tells. */
export function kindOfList(name: string, text: string): ListKind | null {
  const plain = text.replace(/^\uFEFF/, "");
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ??
    BY_CONTENT.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}
