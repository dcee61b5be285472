/** How the answer of `amof ticket list` is read. */

import type { Rendered } from "../../../contract/mod.ts";
import type { SetState } from "../../pr/verdict.ts";
import type { TicketRecord } from "../../../workspace/tickets/mod.ts";
import { blocks } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { Brief, type Cell, type Table, table } from "../../../base/text/table.ts";
import { toned } from "../../../base/text/tone.ts";
import { count, few } from "../../../base/text/words.ts";

/** A ticket as the list has it. */
export interface ListedTicket {
  readonly ticket_id: string;
  readonly active: boolean;
  /** Repository to branch. */
  readonly repos: Readonly<Record<string, string>>;
  readonly created_at: string;
  /** Null unless it has ended. */
  readonly ended_at: string | null;
  readonly phase: string;
  /**
   * By repository. Of the active ticket: `ok`, `dirty`, `missing`, `unreadable` or `elsewhere`. Where its branch is no
   * longer here: `remote`, `renamed` or `gone`. Of an ended one: `here`, `remote`, `here and remote`, `gone`, or
   * `missing` without a clone. Of a deleted workspace: `remote` or `gone`.
   */
  readonly states: Readonly<Record<string, string>> | null;
  /** Set where its work is in the base branches, as far as is known without git (WORKSPACE-30). */
  readonly merged?: true;
  /** In how many of the repositories in which it has work that is merged, where in some it is and in others not. */
  readonly partly_merged?: { readonly merged: number; readonly of: number };
  /** How many commits of its branches no remote has, as far as is known; absent where there are none. */
  readonly unpushed?: number;
  /** Repositories of which git could not tell whether its work there is merged; absent where there are none. */
  readonly unread?: readonly string[];
  /** Relative to the control repository, where it has a workspace of its own, else null. */
  readonly workspace: string | null;
  /** Why its record cannot be used, or null. */
  readonly problem: string | null;
  /** Its own workspace was deleted by hand: what the remotes had of its branches, when last fetched. */
  readonly gone?: string;
  /** The ports of its workspace; absent without one. */
  readonly ports?: TicketRecord["env"];
  /** Its pull requests, where they were asked for and its forges answered. */
  readonly change_set?: {
    readonly state: SetState;
    readonly pull_requests: number;
    readonly merged: number;
  };
  readonly change_set_error?: string;
  /** The program that works there now (`amof agent run`); absent where none does. */
  readonly agent?: { readonly run_id: string; readonly since: string };
}

/** The tickets of an ecosystem. */
export interface ListData {
  readonly tickets: readonly ListedTicket[];
  readonly active_ticket: string | null;
  /** Whether these are the ones that have ended. */
  readonly ended: boolean;
  /** How many have ended with branches left. */
  readonly ended_count: number;
  /** Tickets with branches here, or without any ticket also at the remotes, that can be taken up; absent for none. */
  readonly untaken?: readonly Pick<ListedTicket, "ticket_id" | "repos">[];
  /** Repositories that cannot change their branch: on none, or in the middle of a merge or the like; absent for none. */
  readonly held?: readonly string[];
  /** What the answer cannot know; absent when it knows all. */
  readonly warnings?: readonly string[];
}

/** The answer for readers. */
export function renderTickets(
  data: ListData,
  wish: { readonly all?: boolean | undefined; readonly pr?: boolean | undefined },
): Rendered {
  return {
    summary: data.ended
      ? `Found ${
        data.tickets.length === 0 ? "no ended tickets" : count(data.tickets.length, "ended ticket")
      } with branches left.`
      : data.tickets.length === 0
      ? "Found no tickets."
      : `Found ${count(data.tickets.length, "ticket")}, ${data.active_ticket ?? "none"} active.`,
    details: blocks(
      ...(data.warnings ?? []).map((warning) => `⚠ ${warning}`),
      data.held === undefined
        ? null
        : `⚠ ${
          few(data.held, 3)
        }: on no branch or in the middle of something, so that no ticket begins there: amof status`,
      ...data.tickets.flatMap(unreadLine),
      ...data.tickets.flatMap(goneLine),
      ...data.tickets.flatMap(deletedLine),
      data.tickets.length > 0
        ? ticketTable(data, { all: wish.all === true, pr: wish.pr === true })
        : data.ended
        ? null
        : data.held === undefined && data.untaken === undefined
        ? "Start one with: amof ticket start ID"
        : null,
      data.untaken === undefined ? null : data.untaken.map(untakenLine).join("\n"),
      data.ended && data.tickets.length > 0
        ? "Delete the branches of one: amof ticket end ID --cleanup"
        : null,
      !data.ended && data.ended_count > 0
        ? `${count(data.ended_count, "ended ticket")} left branches: amof ticket list --ended`
        : null,
    ),
  };
}

/** How a ticket is taken up whose branches are there. */
function untakenLine({ ticket_id: id, repos }: Pick<ListedTicket, "ticket_id" | "repos">): string {
  const names = Object.keys(repos);
  const branch = cleanLine(Object.values(repos)[0] ?? "", 60);
  return `Take up ${id}, as ${few(names, 3)} ${
    names.length === 1 ? "has" : "have"
  } ${branch}: amof ticket start ${id} --repo ${names.join(",")}`;
}

/** What is said of a ticket of which nobody can tell whether it is merged; empty for any other. */
function unreadLine({ ticket_id: id, workspace, unread = [] }: ListedTicket): string[] {
  const where = workspace === null ? "" : ` --ticket ${id}`;
  return unread.length === 0 ? [] : [
    `⚠ ${id}: git cannot tell whether ${few(unread, 3)} is merged: amof status${where} --repo ${
      unread.join(",")
    }`,
  ];
}

/** What is said of a ticket whose branches somebody has deleted, all of them; empty for any other. */
function deletedLine(
  { ticket_id: id, gone, ended_at, states, repos }: ListedTicket,
): string[] {
  const names = Object.keys(repos);
  const isGone = gone === undefined && ended_at === null && names.length > 0 &&
    names.every((name) => states?.[name] === "gone");
  return isGone ? [`⚠ ${id} has no branch any more: amof ticket end ${id}`] : [];
}

/** What is said of a ticket whose own workspace was deleted by hand; empty for any other. */
function goneLine({ ticket_id: id, workspace, gone }: ListedTicket): string[] {
  return gone === undefined ? [] : [
    `⚠ ${workspace} was deleted, and what was only there with it: ${cleanLine(gone, 300)}`,
    `  Make it again out of what is pushed: amof ticket start ${id} --workspace`,
    `  Let go of it: amof ticket end ${id}`,
  ];
}

/** The tickets; of many only the active one, unless those that have ended were asked for. */
function ticketTable(
  { tickets, ended }: ListData,
  { all, pr }: { readonly all: boolean; readonly pr: boolean },
): Table {
  const apart = tickets.some(({ workspace }) => workspace !== null);
  const where = apart ? ["workspace"] : [];
  const shown = table(
    ["ticket", ...(ended ? [] : ["active"]), "phase", ...(pr ? ["pr"] : []), ...where, {
      name: "repos",
      prose: true,
    }],
    tickets.map((ticket) => row(ticket, { all, ended, apart, pr })),
  );
  return all || ended || pr
    ? shown
    : shown.folding((index) => isIdle(tickets[index]), "not active");
}

/** Whether nobody looks for a ticket first: it waits in the base workspace, and all of it is on remotes. */
function isIdle(ticket: ListedTicket | undefined): boolean {
  return (ticket?.unpushed ?? 0) === 0 && ticket?.active !== true &&
    (ticket?.workspace ?? null) === null;
}

/** How many repositories of a ticket are named one by one. */
const NAMED = 4;

/** What is said of the pull requests of a ticket: "ready", "1 of 3 merged". */
function pullRequestsCell({ change_set: set, change_set_error: error }: ListedTicket): Cell {
  if (error !== undefined) return toned("bad", error);
  if (set === undefined || set.state === "none") return "";
  return set.state === "partly_landed"
    ? `${set.merged} of ${set.pull_requests} merged`
    : set.state === "landing"
    ? "in a queue"
    : set.state === "open"
    ? `${set.pull_requests} open`
    : set.state;
}

/** How far a ticket is: "MERGED", "50 of 58 merged", or what its record says; with what is only here: "started ↑2". */
function phaseOf({ merged, partly_merged: part, phase, unpushed = 0 }: ListedTicket): string {
  const how = merged === true
    ? "MERGED"
    : part === undefined
    ? cleanLine(phase, 30)
    : `${part.merged} of ${part.of} merged`;
  return unpushed === 0 ? how : `${how} ↑${unpushed}`;
}

function row(
  ticket: ListedTicket,
  { all, ended, apart, pr }: {
    readonly all: boolean;
    readonly ended: boolean;
    readonly apart: boolean;
    readonly pr: boolean;
  },
): Cell[] {
  const repos = Object.entries(ticket.repos).map(([repo, branch]) => {
    const how = ticket.states?.[repo];
    const state = how === undefined || ["ok", "there"].includes(how) ? "" : ` (${how})`;
    return { repo, branch: cleanLine(branch), state };
  });
  const whole = repos.map(({ repo, branch, state }) => `${repo}:${branch}${state}`).join(", ");
  const branches = [...new Set(repos.map(({ branch }) => branch))];
  const odd = repos.filter(({ state }) => state !== "").map(({ repo, state }) => repo + state);
  const brief = [
    `${count(repos.length, "repo")} on ${few(branches, 2)}`,
    ...(odd.length === 0 ? [] : [few(odd, NAMED)]),
  ].join(": ");
  return [
    ticket.ticket_id,
    ...(ended ? [] : [ticket.active ? toned("good", "✓") : ""]),
    phaseOf(ticket) +
    (ticket.agent === undefined ? "" : `, run ${ticket.agent.run_id.slice(0, 8)} works there`),
    ...(pr ? [pullRequestsCell(ticket)] : []),
    ...(apart ? [ticket.workspace ?? "base"] : []),
    ticket.problem !== null
      ? toned("bad", `its record cannot be used: ${cleanLine(ticket.problem, 200)}`)
      : all || repos.length <= NAMED
      ? whole
      : new Brief(whole, brief),
  ];
}
