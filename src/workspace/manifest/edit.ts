/**
 * Edits the text of a manifest for one repository: comments, order and the way everything else is written stay
 * (WORKSPACE-22).
 */

import { isObject } from "../../base/object.ts";
import {
  addScalar,
  appendItems,
  removeItem,
  replaceScalar,
  type YamlPath,
} from "../../base/text/yaml_edit.ts";
import { yamlList, yamlScalar } from "../../base/text/plain_yaml.ts";
import { parse } from "@std/yaml";

/** A repository that is to be added. Members that are null or empty are left out. */
interface AddedRepo {
  readonly name: string;
  readonly url: string;
  readonly branch: string;
  readonly path: string | null;
  readonly tags: readonly string[];
  readonly depends_on: readonly string[];
  readonly readonly: boolean;
}

/** The manifest with one more repository, the last one. */
export function withRepo(text: string, repo: AddedRepo): string {
  return appendItems(text, "repos", [[
    `name: ${yamlScalar(repo.name)}`,
    // An address is plain as soon as it holds no sign that YAML would read.
    `url: ${/^[A-Za-z][\w@.:/~+-]*$/.test(repo.url) ? repo.url : JSON.stringify(repo.url)}`,
    `branch: ${yamlScalar(repo.branch)}`,
    ...(repo.path === null ? [] : [`path: ${yamlScalar(repo.path)}`]),
    ...(repo.readonly ? ["readonly: true"] : []),
    ...(repo.tags.length === 0 ? [] : [`tags: ${yamlList(repo.tags)}`]),
    ...(repo.depends_on.length === 0 ? [] : [`depends_on: ${yamlList(repo.depends_on)}`]),
  ]]);
}

/** The manifest with a branch for a repository, in the place of the one that it had. */
export function withBranch(text: string, name: string, branch: string): string {
  const document = parse(text);
  const index = indexOf(document, name);
  return entryAt(document, index)?.["branch"] === undefined
    ? addScalar(text, ["repos", index], "branch", branch)
    : replaceScalar(text, ["repos", index, "branch"], branch);
}

function entryAt(document: unknown, index: number): Readonly<Record<string, unknown>> | null {
  const repos = isObject(document) ? document["repos"] : null;
  const entry: unknown = Array.isArray(repos) ? repos[index] : null;
  return isObject(entry) ? entry : null;
}

function indexOf(document: unknown, name: string): number {
  const repos = isObject(document) ? document["repos"] : null;
  const index = Array.isArray(repos)
    ? repos.findIndex((repo) => isObject(repo) && repo["name"] === name)
    : -1;
  if (index < 0) throw new TypeError(`Cannot edit "${name}": the manifest has no such repository`);
  return index;
}

/** Where a list of names in the document names the repository. */
function namedIn(list: unknown, at: YamlPath, name: string): YamlPath[] {
  return Array.isArray(list)
    ? list.flatMap((item, index) => item === name ? [[...at, index]] : [])
    : [];
}

/** Every place outside of its own entry where a manifest names a repository: groups, dependencies, tasks. */
export function references(document: unknown, name: string): YamlPath[] {
  if (!isObject(document)) return [];
  const { repos, groups, tasks } = document;
  return [
    ...(Array.isArray(repos) ? repos : []).flatMap((repo: unknown, index) =>
      isObject(repo) ? namedIn(repo["depends_on"], ["repos", index, "depends_on"], name) : []
    ),
    ...(isObject(groups) ? Object.entries(groups) : []).flatMap(([group, members]) =>
      namedIn(members, ["groups", group], name)
    ),
    ...(isObject(tasks) ? Object.entries(tasks) : []).flatMap(([task, facts]) =>
      isObject(facts) ? namedIn(facts["repos"], ["tasks", task, "repos"], name) : []
    ),
  ];
}

/** The manifest without a repository, and without what names it elsewhere. */
export function withoutRepo(text: string, name: string): string {
  let edited = text;
  // The last reference first, so that the places of the others stay.
  for (const path of references(parse(text), name).toReversed()) edited = removeItem(edited, path);
  return removeItem(edited, ["repos", indexOf(parse(edited), name)]);
}

/**
 * The manifest with another name for a repository, wherever it is named. Its clones stay where they are: the path
 * that followed from the old name is written down.
 */
export function withRenamed(text: string, from: string, to: string): string {
  const document = parse(text);
  const index = indexOf(document, from);
  let edited = replaceScalar(text, ["repos", index, "name"], to);
  for (const path of references(document, from)) edited = replaceScalar(edited, path, to);
  return entryAt(document, index)?.["path"] === undefined
    ? addScalar(edited, ["repos", index], "path", `repos/${from}`)
    : edited;
}
