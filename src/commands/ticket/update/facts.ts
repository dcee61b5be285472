/** What an update of a ticket would do, repository by repository. */

import { inPool } from "../../../base/async/pool.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { inspectSelected, type Selecting } from "../../selection/mod.ts";
import type { RepoSnapshot } from "../../../workspace/clones/mod.ts";
import type { TicketState } from "../../../workspace/mod.ts";
import { baseOf, stashName, ticketWorkspaces } from "../../../workspace/tickets/mod.ts";
import { type TicketPlace, ticketPlace } from "../preflight.ts";
import { requireTicket, SEE_TICKETS } from "../id.ts";
import { decideApart } from "./apart.ts";
import { type MiddleFact, planMiddle } from "./middle.ts";
import {
  behindOwn,
  compareWithBase,
  dirty,
  held,
  type HeldFact,
  type How,
  isHeld,
  refuseKeptTwice,
  retracted,
  skipIntegrated,
  skipShallow,
  trackedChanges,
  unready,
  type UpdateFact,
} from "./plan.ts";

/** What an update is asked for. */
export interface UpdateInput extends Selecting {
  readonly ticket_id?: string | undefined;
  readonly how?: How | undefined;
  readonly step?: "continue" | "abort" | undefined;
  readonly offline: boolean;
  readonly stash: boolean;
}

/** What a confirmation of an update is bound to. */
export interface UpdateFacts {
  readonly ticket_id: string;
  readonly repos_affected: readonly string[];
  /** Repositories that would be updated. */
  readonly repos: readonly UpdateFact[];
  /** Repositories in the middle of an update, which would go on or back. */
  readonly waiting: readonly MiddleFact[];
  readonly held: readonly HeldFact[];
}

/**
 * The ticket that is meant, the active one unless it is named; throws where there is none. One that is not active has
 * nothing in its files to lead on or back. `beside` have workspaces of their own.
 */
function meantTicket(
  { state }: TicketPlace,
  { ticket_id: named, step }: Pick<UpdateInput, "ticket_id" | "step">,
  beside: readonly string[],
): [string, TicketState] {
  const active = state.active_ticket;
  if (named !== undefined) requireTicket(state, named, beside, SEE_TICKETS);
  const id = named ?? active;
  const ticket = state.tickets[id ?? ""];
  if (id === null || ticket === undefined || (step !== undefined && id !== active)) {
    throw new AmofError(
      "invalid_transition",
      named === undefined
        ? "Cannot update a ticket: none is active"
        : `Cannot lead an update of ${named} on or back: it is not the active ticket`,
      {
        hint: `Go to it: amof ticket switch ${named ?? "ID"}`,
        details: { ticket_id: named ?? null, active_ticket: active },
      },
    );
  }
  return [id, ticket];
}

/** Throws where two arguments contradict each other. */
function checkInput({ how, step, offline, stash }: UpdateInput): void {
  if (step === undefined || (how === undefined && !offline && !stash)) return;
  const other = how !== undefined ? `--${how}` : offline ? "--offline" : "--stash";
  throw new AmofError("invalid_arguments", `Cannot use --${step} together with ${other}`, {
    hint: `What was begun goes on as it began: amof ticket update --${step}`,
    details: { field: "step" },
  });
}

/** What would happen to one repository, or why not. */
async function decide(
  ctx: CommandContext,
  place: TicketPlace,
  [id, ticket]: readonly [string, TicketState],
  { snapshot, input }: { readonly snapshot: RepoSnapshot; readonly input: UpdateInput },
): Promise<UpdateFact | HeldFact> {
  const { repo, git, directory } = snapshot;
  const branch = ticket.repos[repo.name] ?? "";
  const base = baseOf(ticket, repo);
  if (id !== place.state.active_ticket && git?.branch !== branch) {
    const { how, offline } = input;
    return await decideApart(ctx, place, snapshot, { ticket: id, branch, base, how, offline });
  }
  const not = unready(snapshot, branch);
  if (not !== null) return not;
  const fact = await compareWithBase(ctx, place, { snapshot, base, asked: input.how });
  const back = await retracted(ctx, snapshot, fact, id);
  if (back !== null) return back;
  const landed = skipIntegrated(snapshot, fact, { ticket: id, state: place.state });
  if (landed !== null) return landed;
  const cut = await skipShallow(ctx, snapshot, fact);
  if (cut !== null) return cut;
  const late = (fact.behind ?? 0) > 0
    ? await behindOwn(ctx, { snapshot, state: place.state })
    : null;
  if (late !== null) return late;
  const files = trackedChanges(git);
  if (files > 0 && (fact.behind ?? 0) > 0) {
    if (!input.stash) return dirty(snapshot, files, fact.behind ?? 0);
    const name = stashName(id);
    const earlier = (git?.stashes ?? 0) > 0 &&
      await ctx.git.at(directory, repo.name).stashes.find(name, branch) !== null;
    return earlier ? refuseKeptTwice(snapshot, name) : { ...fact, aside: git?.changes.length ?? 0 };
  }
  return input.offline && fact.behind === 0 ? { ...held(snapshot, ""), up_to_date: true } : fact;
}

/** Looks at the repositories of the ticket, and decides what would happen to each. */
export async function planUpdate(
  ctx: CommandContext,
  input: UpdateInput,
): Promise<{ facts: UpdateFacts; place: TicketPlace }> {
  checkInput(input);
  const place = await ticketPlace(ctx);
  const { manifest, workspace, state } = place;
  const beside = await ticketWorkspaces(ctx.system, ctx.root, manifest);
  const [id, ticket] = meantTicket(place, input, beside.map(({ id }) => id));
  const from = { manifest, workspace: workspace.directory, state };
  const snapshots = (await inspectSelected(ctx, from, input))
    .filter(({ repo }) => Object.hasOwn(ticket.repos, repo.name));
  const { step } = input;
  if (step !== undefined) {
    const { waiting, held } = await planMiddle(ctx, { id, ticket, step }, snapshots);
    const names = waiting.map(({ name }) => name);
    return { place, facts: { ticket_id: id, repos_affected: names, repos: [], waiting, held } };
  }
  const decided = await inPool(
    ctx.jobs,
    snapshots,
    (snapshot) => decide(ctx, place, [id, ticket], { snapshot, input }),
  );
  const repos = decided.filter((fact): fact is UpdateFact => !isHeld(fact));
  return {
    place,
    facts: {
      ticket_id: id,
      repos_affected: repos.map(({ name }) => name),
      repos,
      waiting: [],
      held: decided.filter(isHeld),
    },
  };
}
