/**
 * `amof ticket end`: closes a ticket; its branches stay unless asked otherwise, and can be deleted later (TICKET-6).
 *
 * @module
 */

import { foldingInput } from "../contract/folding.ts";
import { AmofError } from "../error.ts";
import {
  endedTickets,
  type Refusal,
  refuseAll,
  type TicketState,
  withEnded,
} from "../workspace/mod.ts";
import {
  type CommandContext,
  mutation,
  onlyTyped,
  type Preview,
  type Result,
  unlisted,
} from "../contract/mod.ts";
import { timestamp } from "../system/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count } from "../text/words.ts";
import {
  type Cleanup,
  type CleanupFact,
  type CleanupInput,
  cleanupSteps,
  deletionText,
  describeCleanup,
  foldedCleanup,
  isThere,
  keptText,
  planCleanup,
} from "./cleanup.ts";
import { type EndRow, endTable } from "./end_answer.ts";
import {
  endedOf,
  endLasts,
  executeOwnEnd,
  type OwnEndData,
  ownEndDetails,
  ownEndSummary,
  previewOwnEnd,
} from "./end_own.ts";
import {
  executeKeptEnd,
  type KeptEnd,
  type KeptEndData,
  keptEndSummary,
  previewKeptEnd,
} from "./end_kept.ts";
import {
  executeGoneEnd,
  findGone,
  type GoneEnd,
  type GoneEndData,
  goneEndDetails,
  previewGoneEnd,
} from "./end_gone.ts";
import type { EndInput, WorkspaceEnd } from "./end_workspace.ts";
import {
  describeMove,
  foldedMoves,
  type MoveFact,
  passageOf,
  planMoves,
  stashesOf,
} from "./moves.ts";
import { findOwn } from "./own_workspace.ts";
import { performPassages } from "./passage.ts";
import { directoriesOf, stateStep, type TicketPlace, ticketPlace } from "./preflight.ts";
import { requireTicket, stashName } from "./ticket.ts";

interface EndFacts {
  readonly ticket_id: string;
  readonly active: boolean;
  /** Whether it had ended before, so that only its branches are at stake. */
  readonly had_ended: boolean;
  readonly repos: readonly MoveFact[];
  readonly cleanup: readonly CleanupFact[];
  /** Repositories whose branch stays although it was asked for. */
  readonly staying: Cleanup["staying"];
}

interface EndData {
  readonly ticket_id: string;
  readonly active_ticket: string | null;
  readonly repos: readonly EndRow[];
}

/** What an end is bound to and answers: of a ticket in the base workspace, or with one of its own that goes or stays. */
type AnyEnd = EndFacts | WorkspaceEnd | KeptEnd | GoneEnd;
type AnyEndData = EndData | OwnEndData | KeptEndData | GoneEndData;

/** Of a ticket that is worked on in the base workspace, only commits of its branches can be given up or kept. */
function refuseOwn(
  { ticket_id: id, discard_local, keep_workspace }: EndInput & { readonly keep_workspace: boolean },
): void {
  if (keep_workspace) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot keep a workspace: ${cleanLine(id, 60)} has none of its own`,
      { hint: `Its branches stay in any case: amof ticket end ${cleanLine(id, 60)}` },
    );
  }
  if (discard_local !== true) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot lose what is only here: ${cleanLine(id, 60)} has no workspace of its own`,
    {
      hint:
        `End it: amof ticket end ${id}; and give up its branches: amof ticket end ${id} --cleanup --force`,
    },
  );
}

/** The ticket that is to end, or one that has ended and whose branches are to go; throws when there is neither. */
function subjectOf(place: TicketPlace, input: CleanupInput): TicketState {
  const { ticket_id: id } = input;
  const live = Object.hasOwn(place.state.tickets, id) ? place.state.tickets[id] : undefined;
  if (live !== undefined) return live;
  const ended = endedTickets(place.state).get(id);
  if (ended === undefined) {
    requireTicket(place.state, id);
    throw new TypeError(`Nobody knows the ticket "${id}"`);
  }
  if (input.cleanup || input.cleanup_local) return ended;
  throw new AmofError("ticket_not_found", `Cannot end "${id}": it has ended already`, {
    hint:
      `Delete its branches: amof ticket end ${id} --cleanup; see what is left: amof ticket list --ended`,
    details: { ticket_id: id, ended_at: ended.ended_at },
  });
}

/** The branches that are left afterwards, by repository. */
function leftOf(ticket: TicketState, { facts }: Cleanup): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ticket.repos).filter(([name]) =>
      facts.find((fact) => fact.name === name)?.stays_remote ?? true
    ),
  );
}

/** A stash of the ticket would be forgotten with it. */
async function refuseStashed(ctx: CommandContext, place: TicketPlace, id: string): Promise<void> {
  const directories = await directoriesOf(ctx, place);
  const refusals: Refusal[] = [];
  for (const repo of Object.keys(place.state.tickets[id]?.repos ?? {})) {
    if (!place.manifest.repos.some((entry) => entry.enabled && entry.name === repo)) continue;
    if (await ctx.git.at(directories(repo)).activity() === null) continue;
    if (await ctx.git.at(directories(repo), repo).stashes.find(stashName(id)) === null) continue;
    refusals.push({
      repo,
      code: "would_lose_work",
      problem: `keeps changes of ${id} in the stash ${stashName(id)}`,
      fix: `bring them back: amof ticket switch ${id}`,
    });
  }
  refuseAll(`end ${id}`, refusals);
}

/** `amof ticket end`. */
export const endTicket = mutation({
  name: "amof_ticket_end",
  path: ["ticket", "end"],
  toolset: "ticket",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  asks: {
    deed: "ending",
    verb: "end",
    will: "delete branches of the ticket, or its own workspace",
  },
  runs: "ticket_end",
  inline: true,
  exclusive: true,
  locks: "scope",
  openWorld: true,
  next: ["get_ecosystem_status", "ticket_list"],
  inWorkspace: true,
  title: "End ticket",
  summary: "Close a ticket: back to the base branches; feature branches stay unless cleaned up.",
  description:
    "--cleanup-local deletes the local branches, --cleanup those of the remote too, also of an ended ticket; both refuse work that is not merged, squashed or rebased, unless --force is given. A failure in one repository takes the others back. A workspace of the ticket's own goes only when nothing is only there, as the remotes themselves say, and is asked about; --discard-local gives up what is only there. With --keep-workspace it stays where it is, as plain clones that borrow nothing, and the ticket is no more.",
  positionals: ["ticket_id"],
  examples: [
    "ticket end PROJ-123",
    "ticket end PROJ-123 --cleanup",
    "ticket end PROJ-124 --keep-workspace",
    "ticket end PROJ-124 --discard-local --confirm-name PROJ-124",
  ],
  input: (z) =>
    z.strictObject({
      ticket_id: z.string().describe("The ticket"),
      cleanup: z.boolean().default(false).describe("Delete its branches here and on the remote"),
      cleanup_local: z.boolean().default(false).describe("Delete its local branches"),
      force: z.boolean().default(false).describe(
        "Delete branches whose commits are nowhere else",
      ),
      keep_workspace: unlisted(
        z.boolean().default(false).describe(
          "Leave its own workspace where it is, as plain clones of yours",
        ),
      ),
      discard_local: onlyTyped(
        z.boolean().optional().describe(
          "Lose what is only in its own workspace; asks for typing",
        ),
      ),
      ...foldingInput(z),
    }),
  raised: (input) =>
    input.discard_local === true
      ? { safety: "dangerous-write", confirm: "type" }
      : input.cleanup || input.cleanup_local
      ? { safety: "dangerous-write", confirm: "simple" }
      : null,
  meets: async (at, input) =>
    // A ticket whose workspace is gone still holds ports and mirrors, which are freed under its lock.
    await findOwn(at, input.ticket_id) === null
      ? { locks: { base: true, tickets: [input.ticket_id] } }
      : {
        locks: { tickets: [input.ticket_id] },
        ...(input.discard_local || input.keep_workspace
          ? {}
          : { safety: "dangerous-write", confirm: "simple" }),
      },
  async preview(ctx, input): Promise<Preview<AnyEnd, AnyEndData>> {
    const own = await findOwn(ctx, input.ticket_id);
    if (own !== null) {
      return input.keep_workspace
        ? await previewKeptEnd(ctx, own, input)
        : await previewOwnEnd(ctx, own, input);
    }
    const { ticket_id: id } = input;
    const gone = await findGone(ctx, id);
    if (gone !== null) return previewGoneEnd(gone, input);
    refuseOwn(input);
    const place = await ticketPlace(ctx);
    const ticket = subjectOf(place, input);
    const hadEnded = !Object.hasOwn(place.state.tickets, id);
    const active = place.state.active_ticket === id;
    if (!hadEnded) await refuseStashed(ctx, place, id);
    const moves = active
      ? await planMoves(ctx, place, { ticket: null, stash: null, what: `end ${id}` })
      : [];
    const cleanup = await planCleanup(ctx, place, ticket, input);
    const lost = cleanup.facts.reduce((sum, fact) => sum + fact.unmerged, 0);
    const going = cleanup.facts.filter(isThere);
    const deleted = going.map(describeCleanup);
    const left = Object.keys(leftOf(ticket, cleanup)).length;
    const after = [
      ...cleanup.staying.map(({ name, why }) => `Leave the branch of ${name}: ${why}`),
      left === 0
        ? `Forget ticket ${id}`
        : `${hadEnded ? "Keep" : "End"} ${id}, with branches left in ${count(left, "repo")}`,
    ];
    const facts: EndFacts = {
      ticket_id: id,
      active,
      had_ended: hadEnded,
      repos: moves,
      cleanup: cleanup.facts,
      staying: cleanup.staying,
    };
    return {
      facts,
      subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
      summary: hadEnded
        ? `Would delete ${count(deleted.length, "branch", "branches")} of ${id}, which has ended.`
        : `Would end ${id}${
          deleted.length === 0 ? "" : ` and delete ${count(deleted.length, "branch", "branches")}`
        }.`,
      effects: [...moves.map(describeMove), ...deleted, ...after],
      details: [...foldedMoves(moves, input), ...foldedCleanup(going, input), ...after],
      will: [
        deletionText(cleanup.facts) ?? "delete no branch",
        ...(lost === 0 ? [] : [`lose ${count(lost, "commit")}`]),
      ].join(" and "),
      ...(lost > 0 ? { irreversible: `${count(lost, "commit")} would be lost.` } : {}),
      current: hadEnded
        ? "The ticket has ended"
        : active
        ? "The ticket is active"
        : "The ticket is not active",
      alternatives: ["Keep the branches: the same command without --cleanup"],
    };
  },
  changes: (facts: AnyEnd, input) => ({
    ends: "workspace" in facts ? endedOf(facts, input) : undefined,
    repos: "active" in facts ? [...facts.repos, ...facts.cleanup].map(({ name }) => name) : [],
    what: !("active" in facts) ||
        facts.repos.flatMap(stashesOf).every((stash) => stash === null)
      ? "names"
      : "everything",
  }),
  lasts: (facts, input) =>
    "active" in facts
      ? input.cleanup ? "branches that are deleted on remotes" : null
      : "keeps" in facts
      ? "that the ticket has ended"
      : "gone" in facts
      ? `that the ticket has ended; start it anew: amof ticket start ${facts.ticket_id} --workspace`
      : endedOf(facts, input) === undefined
      ? `the workspace that is removed; make it anew of what is on remotes: amof ticket start ${facts.ticket_id} --workspace`
      : endLasts(facts),
  async execute(ctx, input, facts): Promise<Result<AnyEndData>> {
    if ("gone" in facts) return await executeGoneEnd(ctx, facts);
    if (!("active" in facts)) {
      const own = await findOwn(ctx, input.ticket_id);
      if (own === null) throw new TypeError("The workspace of the ticket is gone");
      return "keeps" in facts
        ? await executeKeptEnd(ctx, own, facts)
        : await executeOwnEnd(ctx, own, { input, facts });
    }
    const place = await ticketPlace(ctx);
    const directories = await directoriesOf(ctx, place);
    const ticket = subjectOf(place, input);
    // The clones stand on their base branches now, so no other ticket can be the active one.
    const active_ticket = facts.active ? null : place.state.active_ticket;
    const left = leftOf(ticket, { facts: facts.cleanup, staying: facts.staying });
    const now = timestamp(ctx.system.clock.now());
    const passages = facts.repos.map((fact) => passageOf(fact, directories(fact.name)));
    await performPassages(ctx, passages, [
      ...facts.cleanup.flatMap((fact) => cleanupSteps(fact, directories(fact.name))),
      await stateStep(ctx, place, {
        ...withEnded(place.state, input.ticket_id, { ticket, left, now }),
        active_ticket,
      }),
    ]);
    return {
      data: {
        ticket_id: input.ticket_id,
        active_ticket,
        repos: Object.entries(ticket.repos).map(([name, branch]) => {
          const fact = facts.cleanup.find((entry) => entry.name === name);
          if (fact === undefined) {
            const why = facts.staying.find((entry) => entry.name === name)?.why ?? null;
            return { name, branch, kept: true, why, lost: 0 };
          }
          const why = keptText(fact);
          return { name, branch, kept: false, why, lost: why === null ? fact.unmerged : 0 };
        }),
      },
    };
  },
  render: (data: AnyEndData, input) => {
    if ("gone" in data) {
      return {
        summary: `Ended ${data.ticket_id}, whose workspace was gone.`,
        details: goneEndDetails(data),
      };
    }
    if ("keeps" in data) {
      return {
        summary: keptEndSummary(data),
        details: [
          table(["repo", "branch"], data.repos.map((row) => [row.name, cleanLine(row.branch)])),
          `Its files: ${data.directory}`,
        ],
      };
    }
    const repos = endTable(data.repos, input.all === true);
    if ("workspace" in data) {
      return { summary: ownEndSummary(data), details: ownEndDetails(data, repos) };
    }
    const fate = data.repos.some((repo) => repo.kept)
      ? "its branches stay"
      : "its branches are gone";
    return { summary: `Ended ${data.ticket_id}; ${fate}.`, details: repos };
  },
});
