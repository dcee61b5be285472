/**
 * Ending a ticket that is worked on in the base workspace, or deleting what one that has ended has left: what is said
 * before, and the work (TICKET-6, TICKET-17).
 */

import { AmofError } from "../../../base/error.ts";
import { defined, fieldsOf } from "../../../base/object.ts";
import { endedTickets, stashName, withEnded } from "../../../workspace/tickets/mod.ts";
import {
  type Refusal,
  refuseAll,
  type TicketState,
  type WorkspaceState,
} from "../../../workspace/mod.ts";
import type {
  CommandContext,
  ExecuteContext,
  Preview,
  Rendered,
  Result,
} from "../../../contract/mod.ts";
import { timestamp } from "../../../base/system/mod.ts";
import type { Table } from "../../../base/text/table.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../../base/text/words.ts";
import {
  type Cleanup,
  type CleanupFact,
  type CleanupInput,
  cleanupSteps,
  deletionText,
  describeCleanup,
  foldedCleanup,
  integratedText,
  isThere,
  nameSince,
  planCleanup,
} from "../cleanup.ts";
import { type EndRow, unnamedIn, unsentIn } from "./answer.ts";
import { type EndInput, unaskedLines } from "./workspace.ts";
import { branchMoveOf, describeMove, foldedMoves, type MoveFact } from "../switching.ts";
import { performBranchMoves } from "../branch_move.ts";
import { directoriesOf, stateStep, type TicketPlace, ticketPlace } from "../preflight.ts";
import { requireTicket, SEE_TICKETS } from "../id.ts";
import { heldLine, movesOf, partOf } from "./part.ts";

/** The ticket with some of its repositories. */
function ticketIn(ticket: TicketState, part: readonly string[] | null): TicketState {
  const repos = Object.entries(ticket.repos).filter(([name]) => part?.includes(name) ?? true);
  return { ...ticket, repos: Object.fromEntries(repos) };
}

/** Branches that the ticket has left in repositories in which it ended before. */
function leftBefore(ticket: TicketState): Record<string, string> {
  const left = Object.entries(fieldsOf(ticket["left"]));
  return Object.fromEntries(
    left.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** The state in which a ticket goes on in the rest of its repositories, and remembers what it has left in the others. */
function withPart(
  state: WorkspaceState,
  id: string,
  { whole, rest, left }: {
    readonly whole: TicketState;
    readonly rest: readonly string[];
    readonly left: Readonly<Record<string, string>>;
  },
): WorkspaceState {
  const all = { ...leftBefore(whole), ...left };
  const ticket = {
    ...ticketIn(whole, rest),
    ...(Object.keys(all).length === 0 ? {} : { left: all }),
  };
  return { ...state, tickets: { ...state.tickets, [id]: ticket } };
}

/** What such an end is bound to. */
export interface EndFacts {
  /** Repositories that stay in the ticket, because it ends in others only. */
  readonly rest: readonly string[];
  readonly ticket_id: string;
  readonly active: boolean;
  /** Whether it had ended before, so that only its branches are at stake. */
  readonly had_ended: boolean;
  readonly repos: readonly MoveFact[];
  readonly cleanup: readonly CleanupFact[];
  /** Repositories whose branch stays although it was asked for. */
  readonly staying: Cleanup["staying"];
  /** What is said of repositories that are merged and stay in the ticket with their changes; absent where none does. */
  readonly held?: readonly string[];
  /** What is said of stashes of somebody's own that were made on its branches; absent for none. */
  readonly stashes?: readonly string[];
}

/** What became of the ticket. */
export interface EndData {
  readonly ticket_id: string;
  readonly active_ticket: string | null;
  readonly repos: readonly EndRow[];
  /** Repositories in which the ticket goes on. */
  readonly rest: readonly string[];
  /** What is said of repositories that are merged and stay in the ticket with their changes; absent where none does. */
  readonly held?: readonly string[];
  /** What is said of stashes of somebody's own that were made on its branches, and stay; absent for none. */
  readonly stashes?: readonly string[];
  /** Those whose remotes did not answer; absent where all did, or none was asked. */
  readonly unasked?: readonly string[];
  /** What is said of clones that left the manifest with commits which no remote has; absent where there are none. */
  readonly warnings?: readonly string[];
}

/** The ticket that is to end, or one that has ended and whose branches are to go; throws when there is neither. */
function subjectOf(place: TicketPlace, input: CleanupInput): TicketState {
  const { ticket_id: id } = input;
  const live = Object.hasOwn(place.state.tickets, id) ? place.state.tickets[id] : undefined;
  if (live !== undefined) return live;
  const ended = endedTickets(place.state).get(id);
  if (ended === undefined) {
    requireTicket(place.state, id, [], SEE_TICKETS);
    throw new TypeError(`Nobody knows the ticket "${id}"`);
  }
  if (input.cleanup || input.cleanup_local) return ended;
  throw new AmofError("ticket_not_found", `Cannot end "${id}": it has ended already`, {
    hint: [
      "See what is left of it: amof ticket list --ended",
      `Take it up again: amof ticket start ${id}`,
    ],
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

/** Stashes of somebody's own that were made on a branch of the ticket, and stay. */
interface OwnStashes {
  readonly repo: string;
  readonly branch: string;
  readonly directory: string;
  readonly many: number;
}

/** What is said of them, with what lists them. */
function stashLine({ repo, branch, directory, many }: OwnStashes): string {
  return `${repo} keeps ${count(many, "stash", "stashes")} made on ${
    cleanLine(branch, 60)
  }: git -C ${shellWord(directory)} stash list`;
}

/**
 * Throws where a repository keeps a stash of the ticket, which would be forgotten with it; answers those that somebody
 * has made there by hand.
 */
async function stashesIn(
  ctx: CommandContext,
  place: TicketPlace,
  id: string,
  { repos }: TicketState,
): Promise<readonly OwnStashes[]> {
  const directories = await directoriesOf(ctx, place);
  const refusals: Refusal[] = [];
  const own: OwnStashes[] = [];
  for (const [repo, branch] of Object.entries(repos)) {
    if (!place.manifest.repos.some((entry) => entry.enabled && entry.name === repo)) continue;
    const directory = directories(repo);
    if (await ctx.git.at(directory).activity() === null) continue;
    const all = await ctx.git.at(directory, repo).stashes.list();
    const on = [`On ${branch}: `, `WIP on ${branch}: `];
    const made = all.filter(({ subject }) => on.some((words) => subject.startsWith(words)));
    const kept = `${on[0]}${stashName(id)}`;
    const many = made.filter(({ subject }) => subject !== kept).length;
    if (many > 0) own.push({ repo, branch, directory, many });
    if (many === made.length) continue;
    refusals.push({
      repo,
      code: "would_lose_work",
      problem: `keeps changes of ${id} in the stash ${stashName(id)}`,
      fix: `bring them back: amof ticket switch ${id}`,
    });
  }
  refuseAll(`end ${id}`, refusals);
  return own;
}

/** The branches of a ticket that somebody has deleted here, which cannot stay. No process. */
async function goneBranches(
  ctx: CommandContext,
  place: TicketPlace,
  ticket: TicketState,
): Promise<CleanupFact[]> {
  const directories = await directoriesOf(ctx, place);
  const gone: CleanupFact[] = [];
  for (const [name, branch] of Object.entries(ticket.repos)) {
    if (!place.manifest.repos.some((repo) => repo.enabled && repo.name === name)) continue;
    const clone = ctx.git.at(directories(name));
    if (await clone.activity() === null) continue;
    const [here, there] = [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
    const known = await clone.refs.peek([here, there]);
    if (known.has(here)) continue;
    gone.push({
      name,
      branch,
      local: null,
      remote: null,
      stays_remote: known.has(there),
      unmerged: 0,
      kept_as: "absent",
      in_branch: null,
      as_commit: null,
      ...await nameSince(clone, branch),
    });
  }
  return gone;
}

/** What is said before such an end. */
export async function previewEnd(
  ctx: CommandContext,
  input: EndInput & { readonly all?: boolean | undefined },
): Promise<Preview<EndFacts, EndData>> {
  const { ticket_id: id } = input;
  const place = await ticketPlace(ctx);
  const whole = subjectOf(place, input);
  const hadEnded = !Object.hasOwn(place.state.tickets, id);
  const active = place.state.active_ticket === id;
  const asked = await partOf(ctx, place, whole, input);
  const stashes = hadEnded ? [] : await stashesIn(ctx, place, id, ticketIn(whole, asked));
  const { moves, held } = await movesOf(ctx, place, { whole, asked, input });
  const part = held.length === 0
    ? asked
    : (asked ?? Object.keys(whole.repos)).filter((name) => !held.some(({ repo }) => repo === name));
  const ticket = ticketIn(whole, part);
  const names = Object.keys(ticket.repos);
  const ownStashes = stashes.filter(({ repo }) => names.includes(repo)).map(stashLine);
  const rest = Object.keys(whole.repos).filter((name) => !names.includes(name));
  const cleanup = input.cleanup || input.cleanup_local
    ? await planCleanup(ctx, place, ticket, input)
    : { facts: await goneBranches(ctx, place, ticket), staying: unnamedIn(place, ticket) };
  const warnings = await unsentIn(ctx, place, ticket);
  const lost = cleanup.facts.reduce((sum, fact) => sum + fact.unmerged, 0);
  const going = cleanup.facts.filter(isThere);
  const deleted = going.map(describeCleanup);
  const left = Object.keys(leftOf(ticket, cleanup)).length;
  const after = [
    ...cleanup.staying.map(({ name, why }) => `Leave the branch of ${name}: ${why}`),
    ...cleanup.facts.filter((fact) => !isThere(fact)).map((fact) =>
      `Find ${cleanLine(fact.branch, 60)} of ${fact.name} ${integratedText(fact)}`
    ),
    ...held.map(heldLine),
    ...ownStashes.map((line) => `⚠ ${line}`),
    ...unaskedLines(ctx),
    rest.length > 0
      ? hadEnded
        ? `Keep ${id}, with branches left in ${few(rest, 3)}`
        : `Go on with ${id} in ${few(rest, 3)}`
      : left === 0
      ? `Forget ticket ${id}`
      : `${hadEnded ? "Keep" : "End"} ${id}, with branches left in ${count(left, "repo")}`,
  ];
  const facts: EndFacts = {
    rest,
    ticket_id: id,
    active,
    had_ended: hadEnded,
    repos: moves,
    cleanup: cleanup.facts,
    staying: cleanup.staying,
    ...defined({
      held: held.length === 0 ? undefined : held.map(heldLine),
      stashes: ownStashes.length === 0 ? undefined : ownStashes,
    }),
  };
  return {
    facts,
    subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
    summary: hadEnded
      ? `Would delete ${count(deleted.length, "branch", "branches")} of ${id}, which has ended.`
      : `Would end ${id}${rest.length === 0 ? "" : ` in ${count(names.length, "repo")}`}${
        deleted.length === 0 ? "" : ` and delete ${count(deleted.length, "branch", "branches")}`
      }.`,
    effects: [...moves.map(describeMove), ...deleted, ...after],
    details: [
      ...foldedMoves(moves, input),
      ...foldedCleanup(going, input),
      ...after,
      ...warnings.map((line) => `⚠ ${line}`),
    ],
    will: [
      deletionText(cleanup.facts) ?? "delete no branch",
      ...(lost === 0 ? [] : [`lose ${count(lost, "commit")}`]),
    ].join(" and "),
    ...(lost > 0
      ? { irreversible: `${count(lost, "commit")} would be lost.`, confirm: "type" }
      : {}),
    ...(part?.length === 0
      ? {
        settled: { data: { ticket_id: id, active_ticket: active ? id : null, repos: [], rest } },
      }
      : {}),
    current: hadEnded
      ? "The ticket has ended"
      : active
      ? "The ticket is active"
      : "The ticket is not active",
    alternatives: ["Keep the branches: the same command without --cleanup"],
  };
}

/** Ends the ticket, where it is to end. */
export async function executeEnd(
  ctx: ExecuteContext,
  input: EndInput,
  facts: EndFacts,
): Promise<Result<EndData>> {
  const place = await ticketPlace(ctx);
  const directories = await directoriesOf(ctx, place);
  const whole = subjectOf(place, input);
  const ending = Object.keys(whole.repos).filter((name) => !facts.rest.includes(name));
  const ticket = ticketIn(whole, ending);
  // The clones stand on their base branches now, so no other ticket can be the active one.
  const goesOn = facts.rest.length > 0 && !facts.had_ended;
  const active_ticket = facts.active && !goesOn ? null : place.state.active_ticket;
  const left = leftOf(facts.had_ended ? whole : ticket, {
    facts: facts.cleanup,
    staying: facts.staying,
  });
  const now = timestamp(ctx.system.clock.now());
  const moves = facts.repos.map((fact) => branchMoveOf(fact, directories(fact.name)));
  await performBranchMoves(ctx, moves, [
    ...facts.cleanup.flatMap((fact) => cleanupSteps(fact, directories(fact.name))),
    await stateStep(ctx, place, {
      ...(goesOn
        ? withPart(place.state, input.ticket_id, { whole, rest: facts.rest, left })
        : withEnded(place.state, input.ticket_id, {
          ticket: whole,
          left: { ...leftBefore(whole), ...left },
          now,
        })),
      active_ticket,
    }),
  ]);
  const warnings = await unsentIn(ctx, place, ticket);
  return {
    data: {
      ticket_id: input.ticket_id,
      active_ticket,
      rest: facts.rest,
      ...(warnings.length === 0 ? {} : { warnings }),
      ...defined({ held: facts.held, stashes: facts.stashes }),
      ...defined({ unasked: ctx.unasked?.length === 0 ? undefined : ctx.unasked }),
      repos: Object.entries(ticket.repos).map(([name, branch]) => {
        const fact = facts.cleanup.find((entry) => entry.name === name);
        if (fact === undefined) {
          const why = facts.staying.find((entry) => entry.name === name)?.why ?? null;
          return { name, branch, kept: true, why, lost: 0 };
        }
        const why = integratedText(fact);
        return { name, branch, kept: false, why, lost: why === null ? fact.unmerged : 0 };
      }),
    },
  };
}

/** What a reader is told of it; `repos` are its rows as a table. */
export function renderEnd(data: EndData, repos: Table): Rendered {
  const fate = data.repos.some((repo) => repo.kept) ? "its branches stay" : "its branches are gone";
  const told = unaskedLines(data);
  if (data.repos.length === 0) {
    return {
      summary: `Kept ${data.ticket_id} as it is: no repository is as asked.`,
      details: told,
    };
  }
  const rest = data.rest.length === 0 ? [] : [`${data.ticket_id} goes on in ${few(data.rest, 5)}.`];
  return {
    summary: rest.length === 0
      ? `Ended ${data.ticket_id}; ${fate}.`
      : `Ended ${data.ticket_id} in ${count(data.repos.length, "repo")}, not in ${
        count(data.rest.length, "repo")
      }.`,
    details: [
      repos,
      ...rest,
      ...[...data.held ?? [], ...data.stashes ?? [], ...data.warnings ?? []].map((line) =>
        `⚠ ${line}`
      ),
      ...told,
    ],
  };
}
