/** `amof ticket switch`: goes to the branches of another ticket, or of none (TICKET-3, TICKET-4). */

import { NO_TICKET } from "../../base/ids.ts";
import { foldingInput } from "../../contract/input.ts";
import { type CommandContext, mutation, type Preview, type Rendered } from "../../contract/mod.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { type TicketWorkspace, ticketWorkspaces } from "../../workspace/tickets/mod.ts";
import { type Table, table } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";
import {
  branchMoveOf,
  describeMove,
  foldedMoves,
  type MoveFact,
  planMoves,
  stashesOf,
} from "./switching.ts";
import { performBranchMoves } from "./branch_move.ts";
import { directoriesOf, findOwn, stateStep, ticketPlace } from "./preflight.ts";
import { requireTicket } from "./id.ts";
import { basePlace } from "./workspace/plan.ts";

interface SwitchFacts {
  readonly ticket_id: string;
  readonly from: string | null;
  readonly repos: readonly MoveFact[];
}

interface SwitchData {
  readonly active_ticket: string | null;
  readonly previous_ticket: string | null;
  /** The directory of the ticket, where it has a workspace of its own: nothing changes there or here. */
  readonly directory?: string;
  readonly ticket_id?: string;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly stashed: boolean;
    readonly restored: boolean;
  }[];
}

/** To go to a ticket with a workspace of its own is to know where it is. */
async function previewGoing(
  ctx: CommandContext,
  { directory, record: { ticket_id: id } }: TicketWorkspace,
): Promise<Preview<SwitchFacts, SwitchData>> {
  const active = (await basePlace(ctx)).state?.active_ticket ?? null;
  const data = {
    active_ticket: active,
    previous_ticket: active,
    repos: [],
    ticket_id: id,
    directory,
  };
  return {
    facts: { ticket_id: id, from: active, repos: [] },
    summary: `Would change nothing: ${id} has a workspace of its own.`,
    effects: [],
    details: `Go there: cd "$(amof ticket path ${id})"`,
    current: `${id} is at ${directory}`,
    alternatives: ["See the tickets: amof ticket list"],
    settled: { data },
  };
}

/** `amof ticket switch`. */
export const switchTicket = mutation({
  name: "amof_ticket_switch",
  path: ["ticket", "switch"],
  toolset: "ticket",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  idempotent: true,
  runs: "ticket_switch",
  inline: true,
  locks: "scope",
  next: ["get_ecosystem_status", "ticket_list"],
  needs: "a workspace",
  title: "Switch ticket",
  summary: "Check out the branches of another ticket, or the base branches with main: all or none.",
  description:
    "Repositories must be clean unless --stash keeps their changes under the ticket's name; they come back when you return to it. A failure in one repository takes the others back.",
  positionals: ["ticket_id"],
  examples: ["ticket switch PROJ-124", "ticket switch main --stash"],
  input: (z) => ({
    ticket_id: z.string().describe("The ticket, or main for none"),
    stash: z.boolean().default(false).describe(
      "Stash changes for their ticket",
    ),
    ...foldingInput(z),
  }),
  // To go to a ticket with a workspace of its own changes nothing, so that nobody is in its way.
  meets: async (at, input) => await findOwn(at, input.ticket_id) === null ? null : { locks: null },
  enters: (data: SwitchData) => data.directory === undefined ? null : data.ticket_id,
  async preview(ctx, input): Promise<Preview<SwitchFacts, SwitchData>> {
    const target = input.ticket_id === NO_TICKET ? null : input.ticket_id;
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const own = await findOwn(ctx, input.ticket_id);
    if (own !== null) return await previewGoing(ctx, own);
    const place = await ticketPlace(ctx);
    if (target !== null) {
      const others = await ticketWorkspaces(ctx.system, ctx.root, manifest);
      requireTicket(place.state, target, others.map(({ id }) => id));
    }
    const moves = await planMoves(ctx, place, {
      ticket: target,
      stash: input.stash,
      what: `switch to ${input.ticket_id}`,
    });
    const facts: SwitchFacts = {
      ticket_id: input.ticket_id,
      from: place.state.active_ticket,
      repos: moves,
    };
    const done = place.state.active_ticket === target && moves.length === 0;
    return {
      facts,
      summary: done
        ? `Would stay on ${target ?? "the base branches"}: nothing has to be switched.`
        : `Would switch ${count(moves.length, "repo")} to ${target ?? "the base branches"}.`,
      effects: moves.map(describeMove),
      details: foldedMoves(moves, input),
      current: place.state.active_ticket === null
        ? "No ticket is active"
        : `Ticket ${place.state.active_ticket} is active`,
      alternatives: ["See the tickets: amof ticket list"],
      ...(done
        ? { settled: { data: { active_ticket: target, previous_ticket: target, repos: [] } } }
        : {}),
    };
  },
  undo: {
    changes: (facts: SwitchFacts) => ({
      repos: facts.repos.map(({ name }) => name),
      what: facts.repos.flatMap(stashesOf).some((stash) => stash !== null) ? "everything" : "names",
    }),
  },
  async execute(ctx, input, facts) {
    const place = await ticketPlace(ctx);
    const target = input.ticket_id === NO_TICKET ? null : input.ticket_id;
    const directories = await directoriesOf(ctx, place);
    await performBranchMoves(
      ctx,
      facts.repos.map((fact) => branchMoveOf(fact, directories(fact.name))),
      [await stateStep(ctx, place, { ...place.state, active_ticket: target })],
    );
    return {
      data: {
        active_ticket: target,
        previous_ticket: facts.from,
        repos: facts.repos.map((fact) => ({
          name: fact.name,
          branch: fact.to,
          stashed: fact.save !== null,
          restored: fact.restore !== null,
        })),
      },
    };
  },
  render: (data: SwitchData, input) =>
    data.directory === undefined ? renderMoved(data, input.all === true) : {
      summary: `${data.ticket_id ?? ""} has a workspace of its own; nothing had to be switched.`,
      details: `${data.directory}\nGo there: cd "$(amof ticket path ${data.ticket_id ?? ""})"`,
    },
});

function renderMoved(data: SwitchData, all: boolean): Rendered {
  return {
    summary: data.repos.length === 0 && data.active_ticket === data.previous_ticket
      ? `Stayed on ${data.active_ticket ?? "the base branches"}.`
      : `Switched to ${data.active_ticket ?? "the base branches"}, ${
        count(data.repos.length, "repo")
      } moved.`,
    details: data.repos.length === 0 ? "" : moveTable(data.repos, all),
  };
}

/** Where each repository went; of many a person is only told those whose changes were put away or brought back. */
function moveTable(repos: SwitchData["repos"], all: boolean): Table {
  const shown = table(
    ["repo", "branch", "changes"],
    repos.map((repo) => [
      repo.name,
      repo.branch,
      [...(repo.stashed ? ["stashed"] : []), ...(repo.restored ? ["restored"] : [])].join(", "),
    ]),
  );
  const isPlain = (repo: SwitchData["repos"][number] | undefined) =>
    repo !== undefined && !repo.stashed && !repo.restored;
  return all ? shown : shown.folding((index) => isPlain(repos[index]), "moved without changes");
}
