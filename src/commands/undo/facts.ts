/** What an undo is about: what going back would do (UNDO-3, UNDO-4). */

import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { namesThrough, select, type Selecting } from "../selection/mod.ts";
import { changedTickets, type OperationRecord, sameTickets, ticketsIn } from "./record.ts";
import { type DroppedFact, isOfAdded, planDropping } from "./drop.ts";
import { lookAtRepos, othersOf, refused, type UndoFact } from "./plan.ts";
import { type Redo, restOf, undoneIn } from "./find.ts";
import { isOfGone, planRemaking, type RemadeFact } from "./remake.ts";
import { ticketsMoved } from "./steps.ts";
import { isOfMade, planUnmaking, type UnmadeFact } from "./unmake.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { few, shellWord } from "../../base/text/words.ts";
import { fieldsOf } from "../../base/object.ts";
import { requireWorkspace } from "../../workspace/mod.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";

/** The error of names in which a run changed nothing. */
function unchanged(record: OperationRecord, what: string): AmofError {
  const short = record.run_id.slice(0, 8);
  return new AmofError(
    "invalid_arguments",
    `Cannot undo in ${what}: run ${short} changed nothing there`,
    {
      hint: `See what it changed: amof operations ${short}`,
      details: { field: "repos", repos: record.repos.map(({ name }) => name) },
    },
  );
}

/** The error of names in which other runs have taken a run back. */
function undoneThere(
  record: OperationRecord,
  all: readonly OperationRecord[],
  names: readonly string[],
): AmofError {
  const short = record.run_id.slice(0, 8);
  const first = record.repos.find(({ name }) => names.includes(name));
  const by = first === undefined ? null : undoneIn(record, first, all);
  return new AmofError(
    "undo_impossible",
    `Cannot undo run ${short} in ${few(names.map((name) => `"${name}"`), 5)}: run ${
      by?.slice(0, 8)
    } has undone it there`,
    {
      hint: [
        `Undo what is left of it: amof undo ${short}`,
        `See where it stands: amof operations ${short}`,
      ],
      details: { run_id: record.run_id, repos: names },
    },
  );
}

/**
 * The names of the repositories that are selected of those in which the run still stands, in the order of the record. Names are looked up among those that the run
 * changed, also where the manifest has lost them since; tags and how repositories stand in the manifest. Throws
 * `invalid_arguments` for a name that fits none of them, and for words that leave none, and `undo_impossible` where another
 * run has taken back all that is selected. Empty only where `only` leaves
 * none, or where the manifest has lost them.
 */
async function chosenRepos(
  ctx: CommandContext,
  record: OperationRecord,
  all: readonly OperationRecord[],
  { repos, tags, only }: Selecting,
): Promise<string[]> {
  const names = record.repos.map(({ name }) => name);
  const selects = [repos, tags, only].some((words = []) => words.length > 0);
  if (names.length === 0 && !selects) return [];
  const { fits, unknown } = namesThrough(ctx.door, repos, names);
  if (unknown.length > 0) {
    throw unchanged(record, few(unknown.map((name) => `"${cleanLine(name, 60)}"`), 5));
  }
  const named = names.filter(fits);
  if (named.length === 0) throw unchanged(record, "the repositories that are selected");
  const left = restOf(record, all).map(({ name }) => name).filter(fits);
  if (left.length === 0) throw undoneThere(record, all, named);
  return await inManifest(ctx, left, { tags, only });
}

/** Those of some names that tags, and how repositories stand, leave; all without such words. */
async function inManifest(
  ctx: CommandContext,
  names: string[],
  { tags = [], only = [] }: Selecting,
): Promise<string[]> {
  if (tags.length + only.length === 0) return names;
  const manifest = await scopeManifest(ctx);
  const { directory: workspace, state } = await requireWorkspace(ctx, ctx.root, manifest);
  const repos = names.filter((name) =>
    manifest.repos.some((repo) => repo.enabled && repo.name === name)
  );
  if (repos.length === 0) return [];
  const left = await select(ctx, { manifest, workspace, state }, { repos, tags, only });
  return names.filter((name) => left.some((repo) => repo.name === name));
}

/** What a confirmation of an undo is bound to. */
export interface UndoFacts {
  /** The run that is taken back. */
  readonly undone: string;
  readonly action: string;
  /** What taking back an undo comes to; null for any other run. */
  readonly deed: Redo | null;
  readonly repos: readonly UndoFact[];
  readonly left_out: readonly string[];
  /** Whether the workspace's tickets go back, too. */
  readonly tickets: boolean;
  /** What stays of tickets where repositories are left out, one sentence each. */
  readonly tickets_stay: readonly string[];
  /** The workspace that the run made, and that goes; null for any other run. */
  readonly made: UnmadeFact | null;
  /** The workspace that the run took away, and that comes back; null for any other run. */
  readonly gone: RemadeFact | null;
  /** The clones that the run brought, and that go; null for any other run. */
  readonly added: DroppedFact | null;
  /** What of the run is not brought back, such as what it did on remotes; null for nothing. */
  readonly lasts: string | null;
  /** Runs that came after it and stay, the newest first. */
  readonly newer: readonly { readonly run_id: string; readonly action: string }[];
}

/** How many repositories a command names. */
const NAMED_REPOS = 4;

/**
 * What stays of tickets where only some repositories of a run go back, one sentence each: tickets are of all of them
 * together. One that ended is not begun again by its branches.
 */
export function ticketsStaying(
  tickets: OperationRecord["tickets"],
  { back, left_out }: { readonly back: readonly string[]; readonly left_out: readonly string[] },
): string[] {
  const is = fieldsOf(tickets.after?.["tickets"]);
  const without = few(left_out.map((name) => cleanLine(name, 60)), NAMED_REPOS);
  return changedTickets(tickets).map((id) => {
    const words = [id, ...back.flatMap((name) => ["--repo", name])].map(shellWord).join(" ");
    return is[id] === undefined && back.length <= NAMED_REPOS
      ? `${id}: ended; take it up again: amof ticket start ${words}`
      : `${id}: as it is, because ${without} ${left_out.length === 1 ? "stays" : "stay"}`;
  });
}

/** Whether tickets are as they were before a run no more, so that they go back; throws where they changed since. */
export async function ticketsGoBack(
  { system }: CommandContext,
  { run_id: runId, workspace, tickets: { before, after } }: OperationRecord,
): Promise<boolean> {
  if (sameTickets(before, after)) return false;
  if (!sameTickets(await ticketsIn(system, workspace), after)) throw ticketsMoved(runId);
  return true;
}

/** What goes back where repositories were changed, and neither workspace nor clone came or went. */
export async function planRepos(
  ctx: CommandContext,
  record: OperationRecord,
  all: readonly OperationRecord[],
  input: Selecting,
): Promise<Pick<UndoFacts, "repos" | "left_out" | "tickets" | "tickets_stay">> {
  const names = await chosenRepos(ctx, record, all, input);
  const looks = await lookAtRepos(ctx, record, names);
  const obstacles = looks.flatMap((one) => "obstacle" in one ? [one.obstacle] : []);
  const repos = looks.flatMap((one) => "fact" in one ? [one.fact] : []);
  if (obstacles.length > 0) throw refused(record, obstacles, othersOf(record, looks));
  // Tickets are of all repositories together: where one is left out, they stay.
  const left_out = restOf(record, all).map(({ name }) => name)
    .filter((name) => !names.includes(name));
  const tickets = left_out.length === 0 && await ticketsGoBack(ctx, record);
  const tickets_stay = left_out.length === 0 ? [] : ticketsStaying(record.tickets, {
    back: names,
    left_out,
  });
  return { repos, left_out, tickets, tickets_stay };
}

/** Throws `invalid_arguments` for words that select repositories: a workspace goes whole. */
function refuseSelecting(
  { run_id: runId }: OperationRecord,
  { repos = [], tags = [], only = [] }: Selecting,
): void {
  if (repos.length + tags.length + only.length === 0) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot undo run ${runId.slice(0, 8)} in some repositories: a workspace goes and comes whole`,
    { hint: "Leave the selection out", details: { field: "repos" } },
  );
}

/** What goes or comes back whole; null for a run that only changed repositories. */
export async function planWhole(
  ctx: CommandContext,
  record: OperationRecord,
  input: Selecting,
): Promise<Partial<Pick<UndoFacts, "made" | "gone" | "added">> | null> {
  if (isOfMade(record) || isOfGone(record) || isOfAdded(record)) refuseSelecting(record, input);
  if (isOfMade(record)) return { made: (await planUnmaking(ctx, record)).fact };
  if (isOfGone(record)) return { gone: await planRemaking(ctx, record) };
  return isOfAdded(record) ? { added: await planDropping(ctx, record) } : null;
}
