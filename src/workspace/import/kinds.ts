/** The lists of repositories that can be read, and which one a file is. */

import { importCodeWorkspace } from "./code_workspace.ts";
import { importGita } from "./gita.ts";
import type { Importer } from "./imported.ts";
import { importLock } from "./lock_file.ts";
import { importMani } from "./mani.ts";
import { importMeta } from "./meta.ts";
import { importRepoXml } from "./repo_xml.ts";
import { importRepos } from "./repos_file.ts";
import { importWest } from "./west.ts";

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
] as const;
/** One of {@linkcode LIST_KINDS}. */
export type ListKind = typeof LIST_KINDS[number];

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
};

const BY_NAME: readonly (readonly [RegExp, ListKind])[] = [
  [/\.(?:repos|rosinstall)$/i, "repos"],
  [/^west\.ya?ml$/i, "west"],
  [/\.xml$/i, "repo-xml"],
  [/^mani\.ya?ml$/i, "mani"],
  [/\.meta$/i, "meta"],
  [/\.csv$/i, "gita"],
  [/\.code-workspace$/i, "code-workspace"],
];

const BY_CONTENT: readonly (readonly [RegExp, ListKind])[] = [
  [/^\s*</, "repo-xml"],
  [/^\s*\{[\s\S]*"ecosystem"\s*:/, "amof"],
  [/^\s*\{[\s\S]*"folders"\s*:/, "code-workspace"],
  [/^\s*\{[\s\S]*"projects"\s*:/, "meta"],
  [/^repositories\s*:/m, "repos"],
  [/^manifest\s*:/m, "west"],
  [/^projects\s*:/m, "mani"],
  [/^[^\s,:]+:?\/*[^,\n]+,[^,\n]+/, "gita"],
];

/** The kind of a list by its name or else by what it holds; null when neither tells. */
export function kindOfList(name: string, text: string): ListKind | null {
  const plain = text.replace(/^\uFEFF/, "");
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ??
    BY_CONTENT.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}
