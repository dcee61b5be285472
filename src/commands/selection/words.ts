/**
 * The words that select repositories by what the manifest says: names, patterns, tags and groups (SELECT-2, SELECT-3).
 */

import { AmofError } from "../../base/error.ts";
import type { Door } from "../../base/policy/mode.ts";
import type { System } from "../../base/system/mod.ts";
import { isBelow } from "../../base/paths.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { fits, isWildcard } from "../../base/text/wildcard.ts";
import { didYouMean, few, meantText, shellWord } from "../../base/text/words.ts";
import type { Manifest, Repo } from "../../workspace/manifest/mod.ts";
import { repoDirectory } from "../../workspace/mod.ts";

type Member = "repos" | "tags" | "only";

const FLAGS: Readonly<Record<Member, string>> = { repos: "--repo", tags: "--tag", only: "--only" };

/** What a member is called at a door. */
export function field(door: Door, member: Member): string {
  return door === "cli" ? FLAGS[member] : member;
}

/** How many names a hint lists. */
const MOST_LISTED = 30;

/** One word of a selection. */
export interface Word {
  readonly text: string;
  /** Whether what it fits is left out. */
  readonly excludes: boolean;
}

/** The repository one stands in. */
const CURRENT = ".";

/** The words of one member: several may stand in one text, between commas. Throws `invalid_arguments` for none. */
export function wordsOf(name: string, given: readonly string[] | undefined): Word[] {
  return (given ?? []).flatMap((text) => text.split(",")).map((part) => {
    const written = part.trim();
    const excludes = written.startsWith("!");
    const text = excludes ? written.slice(1).trim() : written;
    if (text !== "") return { text, excludes };
    throw new AmofError("invalid_arguments", `Cannot use an empty word in ${name}`, {
      hint: "Name what is meant, or leave it out",
      details: { field: name },
    });
  });
}

/** What was given, as it is typed or as a tool receives it. */
export function shownWords(
  door: Door,
  given: Partial<Record<Member, readonly string[] | undefined>>,
): string {
  return Object.entries(given).flatMap(([member, words]) => {
    if (words === undefined || words.length === 0) return [];
    const name = field(door, member as Member);
    const said = cleanLine(words.join(","), 100);
    return [door === "cli" ? `${name} ${shellWord(said)}` : `${name} "${said}"`];
  }).join(" with ");
}

/** Whether words let something through: any of those that include, and none of those that exclude. */
export function through<W extends Word>(words: readonly W[], fit: (word: W) => boolean): boolean {
  const including = words.filter((word) => !word.excludes);
  return (including.length === 0 || including.some(fit)) &&
    !words.some((word) => word.excludes && fit(word));
}

interface Named {
  readonly manifest: Manifest;
  /** The directory of the workspace, or null where there is none. */
  readonly workspace: string | null;
  /** Whether what a name fits may be elsewhere: in another workspace of the ecosystem. */
  readonly part?: boolean;
}

/** The repository whose clone holds the working directory; throws `repo_not_found` where none does. */
async function currentRepo(
  { system, door }: { readonly system: System; readonly door: Door },
  { manifest, workspace }: Named,
): Promise<string> {
  if (door !== "cli") {
    throw new AmofError(
      "invalid_arguments",
      'Cannot use "." in repos: a server stands in no repository',
      { hint: "Name it\nSee the names: amof ecosystem describe", details: { field: "repos" } },
    );
  }
  const cwd = await system.files.realPath(system.env.cwd) ?? system.env.cwd;
  for (const repo of workspace === null ? [] : manifest.repos) {
    const directory = await repoDirectory(system, workspace ?? "", repo).catch(() => null);
    if (directory !== null && (directory === cwd || isBelow(directory, cwd))) return repo.name;
  }
  throw new AmofError(
    "repo_not_found",
    `Cannot use "." as a repository of "${manifest.name}": ${
      cleanLine(cwd, 200)
    } lies in none of its clones`,
    { hint: "Go into one, or name it: the same command with --repo NAME", details: { cwd } },
  );
}

/** Whether a text has a word for the repository one stands in. */
export function meansCurrent(text: unknown): boolean {
  return typeof text === "string" && text.split(",").some((word) => /^\s*!?\s*\.\s*$/.test(word));
}

/** Texts with the name of the repository one stands in, in place of `.`; throws as {@linkcode byName} does. */
export async function namingCurrent(
  at: { readonly system: System; readonly door: Door },
  named: Named,
  texts: readonly string[],
): Promise<string[]> {
  const here = await currentRepo(at, named);
  return texts.map((text) =>
    text.split(",").map((word) => meansCurrent(word) ? word.replace(CURRENT, here) : word).join(",")
  );
}

/** Whether a word fits the name of a repository. */
function fitsName(text: string, name: string): boolean {
  return isWildcard(text) ? fits(text, name) : text === name;
}

/** Tells which names the words of a selection let through; `.` is a name like any other. */
export function nameFits(words: readonly Word[]): (name: string) => boolean {
  return (name) => through(words, ({ text }) => fitsName(text, name));
}

/** Tells which of some names words let through, and names the words that fit none of them. */
export function namesThrough(
  door: Door,
  given: readonly string[] | undefined,
  names: readonly string[],
): { readonly fits: (name: string) => boolean; readonly unknown: readonly string[] } {
  const words = wordsOf(field(door, "repos"), given);
  const unknown = words.map(({ text }) => text)
    .filter((text) => !names.some((name) => fitsName(text, name)));
  return { fits: nameFits(words), unknown };
}

/** The error of names that no repository has. */
function unknownNames(door: Door, manifest: Manifest, unknown: readonly string[]): AmofError {
  const known = manifest.repos.filter((repo) => repo.enabled).map((repo): string => repo.name);
  const first = unknown[0] ?? "";
  const shown = cleanLine(first, 60);
  const disabled = manifest.repos.some((repo) => fitsName(first, repo.name));
  const message = disabled
    ? `Cannot use repository "${shown}": ${
      manifest.ticket === undefined
        ? `the manifest of "${manifest.name}" disables it`
        : `ticket ${manifest.ticket} does not have it`
    }`
    : isWildcard(first)
    ? `Cannot find a repository that fits "${shown}" in "${manifest.name}"`
    : `Cannot find repository "${shown}" in "${manifest.name}"${
      meantText(didYouMean(first, known))
    }`;
  const isTag = tagsOf(manifest).includes(first);
  return new AmofError("repo_not_found", message, {
    hint: isTag && door === "cli"
      ? "It is a tag: give it with --tag NAME instead"
      : isTag
      ? `It is a tag: give it in tags`
      : `Available: ${few(known, MOST_LISTED) || "none"}`,
    details: { unknown, available: known },
  });
}

/**
 * The enabled repositories of some names, or all without any; one text may have several between commas. Throws
 * `repo_not_found` for a name that is none of them.
 */
export function selectRepos(manifest: Manifest, given: readonly string[] | undefined): Repo[] {
  const names = wordsOf("the names", given).map(({ text, excludes }) =>
    excludes ? `!${text}` : text
  );
  return names.length === 0
    ? manifest.repos.filter((repo) => repo.enabled)
    : namedRepos(manifest, names);
}

/** The enabled repositories of exactly these names. Throws `repo_not_found` for one that is none of them. */
export function namedRepos(manifest: Manifest, names: readonly string[]): Repo[] {
  const enabled = manifest.repos.filter((repo) => repo.enabled);
  const unknown = names.filter((name) => !enabled.some((repo) => repo.name === name));
  if (unknown.length > 0) throw unknownNames("cli", manifest, unknown);
  return enabled.filter((repo) => names.includes(repo.name));
}

/**
 * Tells which repositories the names of a selection let through. Throws `repo_not_found` for a word that fits none: one
 * that was misspelt must not widen what a command touches, which a forgotten exclusion would do.
 */
export async function byName(
  at: { readonly system: System; readonly door: Door },
  named: Named,
  given: readonly Word[],
): Promise<(repo: Repo) => boolean> {
  const { manifest, part = false } = named;
  const here = given.some(({ text }) => text === CURRENT) ? await currentRepo(at, named) : "";
  const words = given.map((word) => word.text === CURRENT ? { ...word, text: here } : word);
  const unknown = words.filter(({ text, excludes }) =>
    !manifest.repos.some((repo) => (repo.enabled || excludes || part) && fitsName(text, repo.name))
  );
  if (unknown.length > 0) throw unknownNames(at.door, manifest, unknown.map(({ text }) => text));
  const isNamed = nameFits(words);
  return ({ name }) => isNamed(name);
}

/** All tags and groups of a manifest, in alphabetical order. */
function tagsOf(manifest: Manifest): string[] {
  const tags = manifest.repos.flatMap((repo) => repo.tags);
  return [...new Set([...tags, ...Object.keys(manifest.groups)])].sort();
}

function fitsTag({ groups }: Manifest, text: string, repo: Repo): boolean {
  const group = Object.hasOwn(groups, text) ? groups[text] ?? [] : [];
  return repo.tags.includes(text) || group.includes(repo.name);
}

/** Tells which repositories the tags of a selection let through. Throws `repo_not_found` for one that none has. */
export function byTag(
  door: Door,
  manifest: Manifest,
  words: readonly Word[],
): (repo: Repo) => boolean {
  const known = tagsOf(manifest);
  const isKnown = (text: string) =>
    known.some((tag) => isWildcard(text) ? fits(text, tag) : tag === text);
  const unknown = words.map(({ text }) => text).filter((text) => !isKnown(text));
  if (unknown.length > 0) {
    const first = unknown[0] ?? "";
    const near = didYouMean(first, known);
    throw new AmofError(
      "repo_not_found",
      `Cannot find a repository with the tag "${cleanLine(first, 60)}" in "${manifest.name}"${
        meantText(near)
      }`,
      {
        hint: known.length === 0
          ? "The manifest has neither tags nor groups\nChoose by name: amof ecosystem describe"
          : `Available: ${few(known, MOST_LISTED)}`,
        details: { unknown, available: known, field: field(door, "tags") },
      },
    );
  }
  return (repo) =>
    through(
      words,
      ({ text }) =>
        isWildcard(text)
          ? known.some((tag) => fits(text, tag) && fitsTag(manifest, tag, repo))
          : fitsTag(manifest, text, repo),
    );
}
