/**
 * Files that git ignores and a ticket needs all the same, such as `.env`: which they are, and copies of them
 * (TICKET-14).
 */

import { dirname, join, resolve } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { isBelow } from "../../../base/paths.ts";
import type { Files } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, sizeText } from "../../../base/text/words.ts";

/** The file in a repository that says which ignored files go along: patterns as in `.gitignore`. */
const INCLUDE = ".worktreeinclude";
/** What is carried without being asked for: more is a mistake more often than a wish. */
const MOST_BYTES = 2 ** 30;
const MOST_FILES = 50_000;
/** How many files of a repository a preview names. */
const NAMED = 20;

interface Carried {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Where a link leads, as it says it; null for a file. */
  readonly link: string | null;
}

/** What of one repository is carried. Never what the files hold. */
export interface CarriedFact {
  readonly repo: string;
  readonly files: number;
  readonly bytes: number;
  /** The first of them by path. */
  readonly named: readonly { readonly path: string; readonly bytes: number }[];
  /** What is asked for and stays behind, one sentence each. */
  readonly left: readonly string[];
}

/** A repository whose files are carried. */
export interface CarryPlace {
  readonly name: string;
  /** Its clone in the base workspace, absolute. */
  readonly directory: string;
  /** Patterns besides those of its own file. */
  readonly patterns: readonly string[];
}

/** Why a link does not go along, or null: only what leads to something in the same repository does. */
async function linkProblem(
  files: Files,
  directory: string,
  path: string,
  target: string,
): Promise<string | null> {
  const away = "is a link that leads out of the repository";
  const place = join(directory, path);
  if (target.startsWith("/") || !isBelow(directory, resolve(dirname(place), target))) return away;
  const real = await files.realPath(place);
  const base = await files.realPath(directory);
  return real !== null && base !== null && !isBelow(base, real) ? away : null;
}

/** Looks up what is carried from a clone. Two git processes where something says what, else none. */
async function find(
  ctx: CommandContext,
  { name, directory, patterns }: CarryPlace,
): Promise<{ readonly found: readonly Carried[]; readonly left: readonly string[] }> {
  const { files } = ctx.system;
  const include = join(directory, INCLUDE);
  const asks = (await files.lstat(include))?.kind === "file";
  if (!asks && patterns.length === 0) return { found: [], left: [] };
  if (await files.stat(join(directory, ".git")) === null) return { found: [], left: [] };
  const listed = await ctx.git.at(directory, name).files
    .ignoredMatching({ patterns, from: asks ? INCLUDE : null });
  const found: Carried[] = [];
  const left: string[] = [];
  for (const path of listed.toSorted()) {
    const info = await files.lstat(join(directory, path));
    const stays = (why: string) => left.push(`${name}: ${cleanLine(path, 120)} ${why}`);
    if (path.endsWith("/")) stays("is a repository of its own");
    else if (/[\r\n]/.test(path)) stays("has a name of more than one line");
    else if (info?.kind === "file") {
      found.push({ path, bytes: info.size, link: null });
    } else if (info?.kind === "symlink") {
      const link = await files.readLink(join(directory, path)) ?? "";
      const problem = await linkProblem(files, directory, path, link);
      if (problem === null) found.push({ path, bytes: 0, link });
      else stays(problem);
    } else stays("is no file, or its name cannot be read");
  }
  return { found, left };
}

/** What is carried, by repository; those of which nothing is are left out. At most two git processes for each. */
export async function findCarried(
  ctx: CommandContext,
  places: readonly CarryPlace[],
): Promise<CarriedFact[]> {
  const facts: CarriedFact[] = [];
  for (const place of places) {
    const { found, left } = await find(ctx, place);
    if (found.length + left.length === 0) continue;
    facts.push({
      repo: place.name,
      files: found.length,
      bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
      named: found.slice(0, NAMED).map(({ path, bytes }) => ({ path, bytes })),
      left,
    });
  }
  return facts;
}

/** Throws for more than goes along without being asked for. */
export function refuseLarge(facts: readonly CarriedFact[], ticket: string): void {
  const sum = (of: (fact: CarriedFact) => number) => facts.reduce((all, fact) => all + of(fact), 0);
  const [files, bytes] = [sum((fact) => fact.files), sum((fact) => fact.bytes)];
  if (files <= MOST_FILES && bytes <= MOST_BYTES) return;
  const [largest] = facts.toSorted((a, b) => b.bytes - a.bytes);
  throw new AmofError(
    "invalid_arguments",
    `Cannot start ${ticket}: ${count(files, "ignored file")} with ${
      sizeText(bytes)
    } would be copied into it, most of it from "${largest?.repo ?? ""}"`,
    {
      hint:
        "Copy them all the same: the same command with --carry-large\nCopy none of them: the same command with --no-carry",
      details: {
        files,
        bytes,
        repos: facts.map(({ repo, files, bytes }) => ({ repo, files, bytes })),
      },
    },
  );
}

/** What is carried from a repository, for a list of effects. */
export function carriedLines({ repo, files, bytes, named, left }: CarriedFact): string[] {
  const names = named.map((file) => `${cleanLine(file.path, 120)} (${sizeText(file.bytes)})`);
  const more = files > named.length ? ` and ${files - named.length} more` : "";
  return [
    ...(files === 0 ? [] : [
      `Copy ${count(files, "ignored file")} of ${repo}, ${sizeText(bytes)}: ${
        names.join(", ")
      }${more}`,
    ]),
    ...left.map((line) => `Leave ${line}`),
  ];
}

/** Whether a file may be made at a place: every directory on the way is one, and nothing is there. */
async function isFree(files: Files, base: string, path: string): Promise<boolean> {
  const steps = path.split("/");
  for (let n = 1; n < steps.length; n++) {
    const above = await files.lstat(join(base, ...steps.slice(0, n)));
    if (above === null) return true;
    // A link in the branch of the ticket could lead anywhere.
    if (above.kind !== "directory") return false;
  }
  return await files.lstat(join(base, path)) === null;
}

/**
 * Makes a clone ignore what was carried into it and is not ignored there. The clone it comes from ignores it by
 * a file that is not committed, or not on this branch yet. Else it would wait to be committed. One git process.
 */
async function ignoreCarried(ctx: ExecuteContext, name: string, clone: string): Promise<void> {
  const seen = await ctx.git.at(clone, name).files.unknown();
  if (seen.length === 0) return;
  const file = join(clone, ".git", "info", "exclude");
  const kept = await ctx.system.files.readText(file) ?? "";
  const lines = seen.map((path) => `/${path.replace(/[\\*?[\]]| $/g, "\\$&")}`);
  const gap = kept === "" || kept.endsWith("\n") ? "" : "\n";
  await ctx.system.files.write(file, `${kept}${gap}${lines.join("\n")}\n`);
}

/** Copies what is carried from one clone into another; what is there already stays as it is. */
export async function carryInto(
  ctx: ExecuteContext,
  place: CarryPlace,
  clone: string,
): Promise<void> {
  const { files } = ctx.system;
  const { found } = await find(ctx, place);
  for (const { path, link } of found) {
    const target = join(clone, path);
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped while files were copied");
    if (!await isFree(files, clone, path)) continue;
    if (link !== null) {
      await files.makeDirectory(dirname(target));
      await files.symlink(link, target);
      continue;
    }
    await files.duplicate(join(place.directory, path), target);
  }
  if (found.length > 0) await ignoreCarried(ctx, place.name, clone);
}
