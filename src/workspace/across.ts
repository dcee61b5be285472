/**
 * Asks the same of many clones and tells which of them could not answer (LOOK-2).
 *
 * @module
 */

import { AmofError, toAmofError } from "../error.ts";
import type { CommandContext } from "../contract/mod.ts";
import type { Repository } from "../git/mod.ts";
import type { Part } from "../text/parts.ts";
import { count, few } from "../text/words.ts";
import type { Repo } from "./manifest/manifest.ts";
import { repoDirectory } from "./workspace.ts";
import { inPoolOf } from "./tally.ts";

/** What one clone answered. */
export interface FromClone<T> {
  readonly repo: Repo;
  /** Absolute. */
  readonly directory: string;
  readonly answer: T;
}

/** A repository without an answer. */
export interface Unread {
  readonly name: string;
  /** `missing` where there is no clone, `failed` where it could not be read. */
  readonly reason: "missing" | "failed";
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What many clones answered, in the order of the manifest. */
export interface Across<T> {
  readonly answers: readonly FromClone<T>[];
  readonly unread: readonly Unread[];
}

/** Whether nothing is where a clone should be. No process. */
async function isMissing(ctx: CommandContext, directory: string): Promise<boolean> {
  const info = await ctx.system.files.stat(directory);
  return info === null ||
    (info.kind === "directory" && (await ctx.system.files.list(directory)).length === 0);
}

async function askOne<T>(
  ctx: CommandContext,
  workspace: string,
  repo: Repo,
  ask: (clone: Repository, repo: Repo, directory: string) => Promise<T>,
): Promise<FromClone<T> | (Unread & { readonly thrown?: AmofError })> {
  let directory: string | null = null;
  try {
    directory = await repoDirectory(ctx.system, workspace, repo);
    const answer = await ask(ctx.git.at(directory, repo.name), repo, directory);
    return { repo, directory, answer };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    // Only where git could not answer it is worth a look whether there is a clone at all.
    if (directory !== null && await isMissing(ctx, directory)) {
      return { name: repo.name, reason: "missing", error: null };
    }
    const thrown = toAmofError(error, () => ctx.system.ids.hex(8));
    // What is wrong with the arguments is wrong everywhere.
    if (thrown.code === "invalid_arguments") throw thrown;
    const { code, message } = thrown;
    return { name: repo.name, reason: "failed", error: { code, message }, thrown };
  }
}

/** Hands things on in their order as soon as all before them are there. */
function inOrder<T>(hand: (item: T) => void): (index: number, item: T) => void {
  const waiting = new Map<number, T>();
  let next = 0;
  return (index, item) => {
    waiting.set(index, item);
    for (let ready = waiting.get(next); ready !== undefined; ready = waiting.get(next)) {
      waiting.delete(next++);
      hand(ready);
    }
  };
}

/**
 * Asks clones in parallel. One that is missing or cannot be read is told and stops no other; where none can be read,
 * the first failure is thrown, and so is `invalid_arguments`. `onAnswer` gets each answer as soon as all before it are
 * there.
 */
export async function askAcross<T>(
  ctx: CommandContext,
  { workspace, repos }: { readonly workspace: string; readonly repos: readonly Repo[] },
  ask: (clone: Repository, repo: Repo, directory: string) => Promise<T>,
  onAnswer: (from: FromClone<T>) => void = () => {},
): Promise<Across<T>> {
  const handOn = inOrder((each: Awaited<ReturnType<typeof askOne<T>>>) => {
    if ("answer" in each) onAnswer(each);
  });
  const places = new Map(repos.map((repo, index) => [repo, index]));
  const found = await ctx.git.together(
    { count: repos.length, jobs: ctx.jobs },
    (git, jobs) =>
      inPoolOf({ ...ctx, jobs }, "reading", repos, async (repo) => {
        const each = await askOne({ ...ctx, git }, workspace, repo, ask);
        handOn(places.get(repo) ?? 0, each);
        return each;
      }),
  );
  const answers = found.flatMap((each) => "answer" in each ? [each] : []);
  const unread = found.flatMap((each) => "answer" in each ? [] : [each]);
  const thrown = unread.flatMap((each) => each.thrown ?? []);
  if (thrown[0] !== undefined && thrown.length === repos.length) throw thrown[0];
  return {
    answers,
    unread: unread.map(({ name, reason, error }) => ({ name, reason, error })),
  };
}

/** What is said of repositories without an answer. */
export function unreadNotes(unread: readonly Unread[]): Part[] {
  const missing = unread.filter(({ reason }) => reason === "missing").map(({ name }) => name);
  return [
    ...unread.flatMap(({ name, error }) => error === null ? [] : [`✗ ${name}: ${error.message}`]),
    ...(missing.length === 0 ? [] : [`⚠ Not cloned: ${few(missing, 5)}; clone them: amof sync`]),
  ];
}

/** The failure of an answer that lacks repositories which could not be read; none where all could. */
export function unreadFailure(
  unread: readonly Unread[],
  total: number,
): { readonly failure?: AmofError } {
  const names = unread.filter(({ reason }) => reason === "failed").map(({ name }) => name);
  if (names.length === 0) return {};
  return {
    failure: new AmofError(
      "partial_failure",
      `Cannot read ${names.length} of ${count(total, "repository", "repositories")}: ${
        few(names, 5)
      }`,
      { hint: "See how they stand: amof status", details: { repos: names } },
    ),
  };
}
