/** Ending a ticket in some of its repositories: those that are named, or whose work is merged (TICKET-17). */

import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { isSelecting, select } from "../../selection/mod.ts";
import {
  isRefusal,
  type Refusal,
  type TicketState,
  unlessRefused,
} from "../../../workspace/mod.ts";
import { mergedAmong } from "../branch_work.ts";
import type { TicketPlace } from "../preflight.ts";
import { type MoveFact, triedMoves } from "../switching.ts";
import type { EndInput } from "./workspace.ts";

/** Whether only what is merged is to end. */
function onlyMerged({ only }: Pick<EndInput, "only">): boolean {
  return only?.join() === "merged";
}

/** The repositories in which a ticket ends; null for all of it. */
export async function partOf(
  ctx: CommandContext,
  place: TicketPlace,
  ticket: TicketState,
  { repos, tags, only }: EndInput,
): Promise<readonly string[] | null> {
  if (!isSelecting({ repos, tags, only })) return null;
  const { manifest, workspace, state } = place;
  const from = { manifest, workspace: workspace.directory, state };
  // Of the branches of a ticket, which need not be checked out, only a look at each tells.
  const isMerged = onlyMerged({ only });
  const selected = await select(ctx, from, isMerged ? { repos, tags } : { repos, tags, only });
  const names = selected.map(({ name }): string => name)
    .filter((name) => Object.hasOwn(ticket.repos, name));
  const part = isMerged ? await mergedAmong(ctx, place, ticket, names) : names;
  return part.length === Object.keys(ticket.repos).length ? null : part;
}

/** Throws where a part of a ticket is meant that goes as a whole. */
export function refusePart({ ticket_id: id, repos, tags, only }: EndInput): void {
  if (!isSelecting({ repos, tags, only })) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot end ${cleanLine(id, 60)} in some repositories: its own workspace goes as a whole`,
    { hint: `Look at it: amof status --ticket ${cleanLine(id, 60)}` },
  );
}

/** How the repositories go back to their base branches, and which of those that are merged stay with their changes. */
export async function movesOf(
  ctx: CommandContext,
  place: TicketPlace,
  { whole, asked, input }: {
    readonly whole: TicketState;
    readonly asked: readonly string[] | null;
    readonly input: EndInput;
  },
): Promise<{ readonly moves: MoveFact[]; readonly held: readonly Refusal[] }> {
  const { ticket_id: id } = input;
  if (place.state.active_ticket !== id) return { moves: [], held: [] };
  const tried = await triedMoves(ctx, place, {
    ticket: null,
    stash: null,
    except: Object.keys(whole.repos).filter((name) => asked?.includes(name) === false),
    isMerged: async (name) => (await mergedAmong(ctx, place, whole, [name])).length > 0,
  });
  const held = tried.filter(isRefusal).filter(({ code }) => code === "repo_dirty");
  const going = (asked ?? Object.keys(whole.repos)).length - held.length;
  // Who ends only what is merged ends what can end.
  const isPart = onlyMerged(input) && held.length > 0 && going > 0;
  const moves = tried.filter((one) => !isPart || !held.some((refused) => refused === one));
  return { moves: unlessRefused<MoveFact>(`end ${id}`, moves), held: isPart ? held : [] };
}

/** Why a merged repository stays in the ticket, and what helps. */
export function heldLine({ repo, problem, fix }: Refusal): string {
  return `${repo} stays, as it ${problem}; ${fix}`;
}
