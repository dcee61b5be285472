/** Asks the same of many clones and tells which of them could not answer (LOOK-2). */

import { AmofError, toAmofError } from "../../base/error.ts";
import type { Part } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { Repository } from "../../git/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import { inPoolOf, repoDirectory, type RowError, rowError } from "../../workspace/mod.ts";
import type { MeantClone } from "../selection/mod.ts";
import { labelOf, type OfTicket, type Unreadable } from "../selection/areas.ts";

/** What one clone answered. */
export interface FromClone<T> {
  readonly repo: Repo;
  /** Whose workspace it is in, as answers name it. */
  readonly of: OfTicket;
  /** Absolute. */
  readonly directory: string;
  readonly answer: T;
}

/** A repository without an answer. */
export interface Unread extends OfTicket {
  readonly name: string;
  /** `missing` where there is no clone, `failed` where it could not be read. */
  readonly reason: "missing" | "failed";
  readonly error: RowError | null;
}

/** What an answer lacks. */
export interface Missed {
  readonly unread: readonly Unread[];
  /** Tickets whose workspaces could not be looked for; absent where all could. */
  readonly unreadable?: readonly Unreadable[];
}

/** What many clones answered, in their order. */
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

async function askOne<T, C extends MeantClone>(
  ctx: CommandContext,
  meant: C,
  ask: (clone: Repository, meant: C, directory: string) => Promise<T>,
): Promise<FromClone<T> | (Unread & { readonly thrown?: AmofError })> {
  const { repo, workspace, of } = meant;
  let directory: string | null = null;
  try {
    directory = await repoDirectory(ctx.system, workspace, repo);
    const answer = await ask(
      ctx.git.at(directory, labelOf(of, repo.name)),
      meant,
      directory,
    );
    return { repo, of, directory, answer };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    // Only where git could not answer it is worth a look whether there is a clone at all.
    if (directory !== null && await isMissing(ctx, directory)) {
      return { name: repo.name, ...of, reason: "missing", error: null };
    }
    const thrown = toAmofError(error, () => ctx.system.ids.hex(8));
    // Wrong arguments are wrong in every ecosystem.
    if (thrown.code === "invalid_arguments") throw thrown;
    return { name: repo.name, ...of, reason: "failed", error: rowError(thrown), thrown };
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
 * Asks clones in parallel. One that is missing or cannot be read is reported and stops no other. Where none can
 * be read, the first failure is thrown, and so is `invalid_arguments`. `onAnswer` gets the answers in the order
 * of the clones, each as soon as possible.
 */
export async function askAcross<T, C extends MeantClone>(
  ctx: CommandContext,
  clones: readonly C[],
  ask: (clone: Repository, meant: C, directory: string) => Promise<T>,
  onAnswer: (from: FromClone<T>) => void = () => {},
): Promise<Across<T>> {
  const handOn = inOrder((each: Awaited<ReturnType<typeof askOne<T, C>>>) => {
    if ("answer" in each) onAnswer(each);
  });
  const places = clones.map((clone, index) => ({
    clone,
    index,
    name: labelOf(clone.of, clone.repo.name),
  }));
  const found = await ctx.git.keeping(() =>
    inPoolOf(ctx, "reading", places, async ({ clone, index }) => {
      const each = await askOne(ctx, clone, ask);
      handOn(index, each);
      return each;
    })
  );
  const answers = found.flatMap((each) => "answer" in each ? [each] : []);
  const unread = found.flatMap((each) => "answer" in each ? [] : [each]);
  const thrown = unread.flatMap((each) => each.thrown ?? []);
  if (thrown[0] !== undefined && thrown.length === clones.length) throw thrown[0];
  return { answers, unread: unread.map(({ thrown: _thrown, ...each }) => each) };
}

/** What is said of such tickets. */
function unreadableNotes(unreadable: readonly Unreadable[] = []): string[] {
  return unreadable.map(({ ticket_id, reason }) =>
    `✗ ${ticket_id}: its record cannot be used: ${cleanLine(reason, 200)}`
  );
}

/** What is said of repositories without an answer, and of tickets that could not be looked at. */
export function unreadNotes({ unread, unreadable }: Missed): Part[] {
  const named = unread.map((each) => ({ ...each, label: labelOf(each, each.name) }));
  const missing = named.filter(({ reason }) => reason === "missing").map(({ label }) => label);
  return [
    ...named.flatMap(({ label, error }) => error === null ? [] : [`✗ ${label}: ${error.message}`]),
    ...(missing.length === 0 ? [] : [`⚠ Not cloned: ${few(missing, 5)}. Clone them: amof sync`]),
    ...unreadableNotes(unreadable),
  ];
}

/** What helps wherever something failed; null where that is not the same everywhere. */
function sharedHint(failed: readonly Unread[]): string | null {
  const [first, ...others] = new Set(failed.map(({ error }) => error?.hint));
  return others.length === 0 ? first ?? null : null;
}

/** The failure of an answer that lacks what could not be read; none where all could. */
export function unreadFailure(
  { unread, unreadable = [] }: Missed,
  total: number,
): { readonly failure?: AmofError } {
  const failed = unread.filter(({ reason }) => reason === "failed");
  const names = failed.map((each) => labelOf(each, each.name));
  const tickets = unreadable.map(({ ticket_id }) => ticket_id);
  if (names.length + tickets.length === 0) return {};
  const message = names.length === 0
    ? `Cannot read ${count(tickets.length, "ticket")}: ${few(tickets, 5)}`
    : `Cannot read ${names.length} of ${count(total, "repository", "repositories")}: ${
      few(names, 5)
    }`;
  return {
    failure: new AmofError("partial_failure", message, {
      hint: names.length === 0
        ? "See what is wrong: amof doctor"
        : sharedHint(failed) ?? "See how they stand: amof status",
      details: { repos: names, ...(tickets.length === 0 ? {} : { tickets }) },
    }),
  };
}
