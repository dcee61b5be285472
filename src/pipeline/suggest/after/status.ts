/** What follows the status of an ecosystem (NEXT-6). */

import type { Fields } from "../../../base/object.ts";
import { asRecord, asRecords, asText, type Situation } from "../answer.ts";
import {
  hasToken,
  holds,
  isAstray,
  isBeyondMerged,
  isOvertaken,
  isPushed,
  isStuck,
  pushOf,
} from "../conditions.ts";
import type { ActionId } from "../../../contract/next.ts";
import { inOrder, type Offer, offersOf, switchTo } from "../offer.ts";
import { about, meaning } from "./selection.ts";

const PADDING: readonly ActionId[] = ["get_ecosystem_status", "sync_ecosystem", "ticket_list"];
const ENOUGH = 4;

/** What an ecosystem without a workspace needs first (NEXT-6). */
export function toInstall(): Offer[] {
  return inOrder([
    { id: "install_ecosystem", condition: "workspace.not_installed" },
    "validate_manifest",
  ]);
}

function activeTicket({ data }: Situation): string | null {
  return asText(asRecord(data["workspace"])?.["active_ticket"]);
}

/** The ticket that is worked on: the active one, or that of the workspace. */
function currentTicket(situation: Situation): string | null {
  return activeTicket(situation) ?? asText(asRecord(situation.data["workspace"])?.["ticket"]);
}

/** Whether it has no commit yet, so that no branch of a ticket can be begun there. */
function isUnborn(repo: Fields): boolean {
  return repo["commit"] === "-";
}

/** Whether all that is changed are repositories in it, with which nothing is committed. */
function isNestedAlone(repo: Fields): boolean {
  const nested = repo["nested_repositories"];
  return Array.isArray(nested) && nested.length > 0 && nested.length === repo["changed_files"];
}

/** Whether a repository has commits on its base branch that are only here. */
function isAheadOnBase(repo: Fields): boolean {
  return isPushed(repo, "ahead") && repo["branch"] === repo["base_branch"];
}

/** What a ticket begins with that takes these along: commits go into no workspace of its own. */
function taking({ data }: Situation, names: readonly unknown[]): Fields {
  const isAhead = asRecords(data["repos"]).some((repo) =>
    names.includes(repo["name"]) && isAheadOnBase(repo)
  );
  const place = isAhead && asRecord(data["workspace"])?.["per_ticket"] === true
    ? { in_place: true }
    : {};
  return { carry: true, repos: [...new Set(names)], ...place };
}

/** A ticket to begin: changes, and commits on base branches that are only here, were meant for it and go along. */
function newTicket(situation: Situation): Offer {
  const repos = asRecords(situation.data["repos"]).filter((repo) =>
    repo["mode"] === "RW" && repo["dirty"] === true && !isUnborn(repo) && !isStuck(repo) &&
      !isNestedAlone(repo) ||
    isAheadOnBase(repo)
  ).map(({ name }) => name);
  return repos.length > 0
    ? { id: "ticket_start", args: taking(situation, repos) }
    : { id: "ticket_start" };
}

/**
 * A ticket that begins with what is in these repositories. All others go back to their base branches then, unless changes
 * on another one do not let them.
 */
function carrying({ data }: Situation, names: readonly unknown[]): Fields {
  const isFree = asRecords(data["repos"]).every(({ name, mode, dirty, branch, base_branch }) =>
    mode !== "RW" || dirty !== true || branch === base_branch || names.includes(name)
  );
  return { carry: true, ...(isFree ? { repos: [...new Set(names)] } : {}) };
}

/** Repositories that are not where they should be. */
function misplaced(situation: Situation): Offer[] {
  const ticket = activeTicket(situation);
  const condition = "status.has_wrong_branch";
  const rows = asRecords(situation.data["repos"]);
  // A switch moves what the ticket has a branch in; the others come back to their base branches one by one.
  const isOfTicket = rows.some((repo) =>
    isAstray(repo) &&
    (repo["expected_branch"] === undefined || repo["expected_branch"] !== repo["base_branch"])
  );
  // Nobody goes to a branch that has to be made first, nor past changes that are in the way.
  const isFree = rows.every((repo) =>
    !isAstray(repo) || repo["deleted"] === undefined &&
      asRecords(repo["needs"]).every(({ fix }) =>
        !/ (?:branch -m|switch --create|switch --detach|stash push|ticket switch \S+ --stash)\b/
          .test(
            asText(fix) ?? "",
          )
      )
  );
  // In a workspace of the ticket's own there is nothing to switch.
  const isOwn = asText(asRecord(situation.data["workspace"])?.["ticket"]) !== null;
  const switches = ticket !== null && !isOwn && isFree && isOfTicket;
  return [
    ...(switches ? [{ ...switchTo(ticket), priority: 1, condition } as const] : []),
    ...(holds("status.has_missing", situation)
      ? [{ id: "sync_ecosystem", priority: 1, condition: "status.has_missing" } as const]
      : []),
  ];
}

/**
 * Work that is only here. On a base branch it belongs in a ticket: in the active one, or in a new one that
 * takes it along, as where the active one is `over`.
 */
function unsaved(situation: Situation, over: boolean): Offer[] {
  const { offer: found, names = [] } = pushOf(situation) ?? {};
  if (found === undefined) return [];
  const push: Offer = { id: "push_ecosystem", priority: 1, ...found };
  if ("args" in found && "allow_base" in found.args) {
    const why = { priority: 1, condition: found.condition } as const;
    const rows = asRecords(situation.data["repos"]);
    const taken = rows.filter((repo) =>
      names.includes(asText(repo["name"]) ?? "") && !isUnborn(repo)
    );
    // Where the active ticket was ended, what is new is another one's.
    const its = over ? [] : taken.filter((repo) => repo["ticket_ended"] !== true);
    const adds = its.length > 0 && situation.find("amof_ticket_add") !== null;
    const ticket = adds ? activeTicket(situation) : null;
    const repos = (ticket === null ? taken : its).map(({ name }) => name);
    // In a ticket's own workspace no other one begins.
    const isOwn = asText(asRecord(situation.data["workspace"])?.["ticket"]) !== null;
    if (repos.length === 0 || ticket === null && isOwn) return [push];
    // What follows merged work on another branch goes along, too.
    const more = changedOf(beyondMerged(situation));
    return [
      ticket === null
        // No ticket is left, so that no other repository has to move: it is never about all, which one of them may hinder.
        ? { id: "ticket_start", args: taking(situation, [...repos, ...more]), ...why }
        : { id: "ticket_add", args: { ticket_id: ticket, repos }, ...why },
      push,
    ];
  }
  return push.condition === "status.has_dirty"
    ? [push, ...offersOf("ecosystem.dirty_repos", "status.has_dirty").slice(1)]
    : [push];
}

/** The names of those that have changes. */
function changedOf(repos: readonly Fields[]): readonly unknown[] {
  return repos.filter(({ dirty }) => dirty === true).map(({ name }) => name);
}

/** Repositories with work that follows what is merged, and that can go elsewhere. */
function beyondMerged({ data }: Situation): readonly Fields[] {
  return asRecords(data["repos"]).filter((repo) => isBeyondMerged(repo) && !isStuck(repo));
}

/** Work that follows what is merged: it goes on top of that, or into a ticket of its own. */
function beyond(situation: Situation): Offer[] {
  const ticket = currentTicket(situation);
  const found = beyondMerged(situation);
  const changed = changedOf(found);
  const why = { priority: 1, condition: "status.goes_beyond_merged" } as const;
  // What a remote still has is rewritten where that is said alone.
  const updates = Map.groupBy(found, ({ needs }) => {
    const fixes = asRecords(needs).map(({ fix }) => asText(fix) ?? "");
    const update = fixes.find((fix) => fix.startsWith("amof ticket update "));
    return update === undefined ? null : update.includes(" --rebase");
  });
  return [
    ...[...updates].flatMap(([rebase, repos]) => {
      if (ticket === null || rebase === null) return [];
      const args = {
        ticket_id: ticket,
        repos: repos.map(({ name }) => name),
        ...(rebase ? { how: "rebase" } : {}),
        ...(changedOf(repos).length > 0 ? { stash: true } : {}),
      };
      return [{ id: "ticket_update", args, ...why } as const];
    }),
    ...(changed.length > 0
      ? [{ id: "ticket_start", args: carrying(situation, changed), ...why } as const]
      : []),
  ];
}

/** The update of the ticket that stopped: on where its conflicts are resolved, and back in any case. */
function stopped(situation: Situation): Offer[] {
  const ticket = currentTicket(situation);
  const found = asRecords(situation.data["repos"]).filter(({ needs }) =>
    asRecords(needs).some(({ fix }) =>
      asText(fix)?.startsWith("amof ticket update --abort") ?? false
    )
  );
  if (ticket === null || found.length === 0) return [];
  const isResolved = !found.some(({ conflicts }) => Number(conflicts) > 0);
  const args = { ticket_id: ticket, repos: found.map(({ name }) => name) };
  const on = { ...args, step: "continue" };
  const back = { ...args, step: "abort" };
  return [
    ...(isResolved
      ? [{ id: "ticket_update", says: "update_on", args: on, priority: 1 } as const]
      : []),
    { id: "ticket_update", suffix: "back", says: "update_back", args: back, priority: 2 },
  ];
}

/** Changes of the ticket that were put away: before they are back, it does not end. */
function putAway(situation: Situation): Offer[] {
  const ticket = currentTicket(situation);
  const found = asRecords(situation.data["repos"]).filter((repo) =>
    asText(repo["kept"]) !== null && repo["dirty"] !== true && !isStuck(repo)
  );
  return ticket === null || found.length === 0 ? [] : [{
    id: "ticket_update",
    says: "changes_back",
    args: { ticket_id: ticket, step: "continue", repos: found.map(({ name }) => name) },
    priority: 1,
  }];
}

/** Whether the branch that is checked out has one of its own at the remote. */
function isAtRemote(repo: Fields): boolean {
  const [base, upstream] = [asText(repo["base_branch"]), asText(repo["upstream"])];
  // Whichever remote the base branch is at.
  return repo["branch"] !== base && upstream !== null &&
    upstream.slice(upstream.indexOf("/") + 1) !== base;
}

/** Whether the end of a ticket would be refused for a repository: its branch has work at the remote, or cannot be left. */
function isOpen(repo: Fields): boolean {
  if (repo["mode"] !== "RW" || hasToken(repo, "MERGED")) return false;
  return isStuck(repo) || isAtRemote(repo);
}

/** Whether it is on its base branch, as the ticket has no other in it. */
function isAtRest({ branch, base_branch: base, expected_branch: expected }: Fields): boolean {
  return asText(base) !== null && branch === base && (expected === undefined || expected === base);
}

/** The end of a ticket whose work is merged, where nothing is left to be pushed; of its merged part while more is open. */
function merged(situation: Situation): Offer[] {
  const condition = "status.is_merged";
  const own = asText(asRecord(situation.data["workspace"])?.["ticket"]);
  const ticket = activeTicket(situation) ?? own;
  const repos = asRecords(situation.data["repos"]);
  // What is merged of another branch than the ticket's is no word about the ticket.
  const isIts = repos.some((repo) => hasToken(repo, "MERGED") && !isAstray(repo));
  const isOver = isIts && holds(condition, situation) &&
    !repos.some((repo) =>
      !isAtRest(repo) && (isPushed(repo, "ahead") || isPushed(repo, "dirty")) ||
      asText(repo["kept"]) !== null || hasToken(repo, "MERGED") &&
        (isStuck(repo) || isBeyondMerged(repo) || hasToken(repo, "BEHIND") && isAtRemote(repo))
    );
  const isPart = repos.some(isOpen);
  const isSome = Object.keys(situation.selection ?? {}).length > 0;
  // A workspace of the ticket's own goes as a whole.
  if (!isOver || ticket === null || (isPart || isSome) && own !== null) return [];
  return [{
    id: "ticket_end",
    args: {
      ticket_id: ticket,
      cleanup: true,
      ...(isSome ? meaning(situation, []) : {}),
      ...(isPart ? { only: ["merged"] } : {}),
    },
    priority: 1,
    condition,
  }];
}

/** The end of a ticket whose branches somebody has deleted, with nothing that is only here. */
function deleted(situation: Situation): Offer[] {
  const ticket = currentTicket(situation);
  const its = asRecords(situation.data["repos"]).filter((repo) =>
    repo["mode"] === "RW" && repo["expected_branch"] !== repo["base_branch"]
  );
  // The rest was not looked at, so that nothing is known of it.
  const isSome = situation.selection !== undefined || its.length === 0;
  return ticket === null || isSome || its.some((repo) => repo["deleted"] !== 0) ? [] : [{
    id: "ticket_end",
    says: "end_deleted",
    args: { ticket_id: ticket },
    priority: 1,
    condition: "status.has_wrong_branch",
  }];
}

/** Work that has no ticket. */
function ticketless(situation: Situation): Offer[] {
  if (!holds("workspace.no_active_ticket", situation)) return [];
  return holds("workspace.no_tickets", situation)
    ? [{ ...newTicket(situation), priority: 1, condition: "workspace.no_tickets" }]
    : [{ id: "ticket_list", priority: 2, condition: "workspace.no_active_ticket" }];
}

/** The update of a ticket whose branches are behind their base branches. */
function late(situation: Situation): Offer[] {
  const ticket = currentTicket(situation);
  const isLate = asRecords(situation.data["repos"]).some(({ behind_base: behind }) =>
    Number(behind) > 0
  );
  return ticket === null || !isLate
    ? []
    : [{ id: "ticket_update", says: "take_base", args: { ticket_id: ticket }, priority: 1 }];
}

/** What the remotes were found to have, where work of the same branches could not be pushed before that is here. */
function overtaken({ data }: Situation): Offer[] {
  const isAny = asRecords(data["repos"]).some(isOvertaken);
  return isAny ? [{ id: "sync_ecosystem", priority: 1 }] : [];
}

/** What is offered where nothing calls for attention. */
function quiet(situation: Situation): Offer[] {
  return [
    ...late(situation),
    { id: "sync_ecosystem" },
    activeTicket(situation) === null
      ? { ...newTicket(situation), priority: 3 }
      : { id: "push_ecosystem", priority: 3 },
  ];
}

/** Whether all repositories must take part: a ticket that begins in named ones is theirs alone. */
function isForAll({ id, args }: Offer): boolean {
  return id === "ticket_switch" || id === "ticket_start" && args?.["repos"] === undefined;
}

/** What is not refused: while a repository cannot change its branch, or none may, nothing that all must take part in. */
function around({ data }: Situation, offers: readonly Offer[]): readonly Offer[] {
  const repos = asRecords(data["repos"]);
  const isNone = "repos" in data && !repos.some((repo) => repo["mode"] === "RW");
  return isNone || repos.some(isStuck) ? offers.filter((offer) => !isForAll(offer)) : offers;
}

/** Where some are at rest at the commit of the lock, a sync is about others that something calls for, or is not offered. */
function besidesLock({ data }: Situation, offers: readonly Offer[]): Offer[] {
  const rows = asRecords(data["repos"]);
  const isPinned = (repo: Fields) => repo["pinned"] === true;
  if (!rows.some(isPinned)) return [...offers];
  const repos = rows.filter((repo) =>
    !isPinned(repo) &&
    (hasToken(repo, "MISSING") || hasToken(repo, "BEHIND") || repo["remote"] === "changed")
  ).map(({ name }) => name);
  return offers.flatMap((offer) =>
    offer.id !== "sync_ecosystem"
      ? [offer]
      : repos.length === 0
      ? []
      : [{ ...offer, args: { ...offer.args, repos } }]
  );
}

/** Fills up to four, so that something is left in every mode. */
function padded(offers: readonly Offer[]): Offer[] {
  const absent = PADDING.filter((id) => offers.every((offer) => offer.id !== id));
  return [
    ...offers,
    ...absent.slice(0, Math.max(0, ENOUGH - offers.length)).map((id) => ({ id })),
  ];
}

/** What calls for attention, the most urgent first. */
const URGENT = [
  "status.has_wrong_branch",
  "status.has_missing",
  "status.has_unpushed",
  "status.has_dirty",
  "status.goes_beyond_merged",
  "status.is_merged",
] as const;

/**
 * Of the status of every workspace the part about one. That is the first workspace with the most urgent
 * condition, or the base workspace where nothing is urgent. Null for a status of one workspace.
 */
function mostUrgent(situation: Situation): { part: Situation; ticket: string | null } | null {
  const rows = asRecords(situation.data["repos"]);
  if (!rows.some((row) => "ticket" in row)) return null;
  const parts = [...new Set(rows.map((row) => asText(row["ticket"])))].map((ticket) => {
    const repos = rows.filter((row) => asText(row["ticket"]) === ticket);
    const workspace = ticket === null ? situation.data["workspace"] : { active_ticket: ticket };
    return { ticket, part: { ...situation, data: { ...situation.data, workspace, repos } } };
  });
  for (const condition of URGENT) {
    const found = parts.find(({ part }) => holds(condition, part));
    if (found !== undefined) return found;
  }
  return parts.find(({ ticket }) => ticket === null) ?? null;
}

/** What can be done in the workspace of a ticket from elsewhere. */
const FROM_ELSEWHERE: ReadonlySet<ActionId> = new Set([
  "push_ecosystem",
  "sync_ecosystem",
  "get_ecosystem_status",
]);

/** What names its ticket itself, or is about all of them. */
const OF_THE_TICKET: ReadonlySet<ActionId> = new Set([
  "ticket_list",
  "ticket_end",
  "ticket_update",
]);

/** Offers about the workspace of a ticket, made from elsewhere; as they are for the base workspace. */
function inTicket(offers: Offer[], ticket: string | null): Offer[] {
  if (ticket === null) return offers;
  return offers.flatMap((offer) => {
    if (OF_THE_TICKET.has(offer.id)) return [offer];
    return FROM_ELSEWHERE.has(offer.id) ? [{ ...offer, args: { ...offer.args, ticket } }] : [];
  });
}

/** Whether all that the ticket has is merged. */
function isMerged({ data }: Situation): boolean {
  const its = asRecords(data["repos"]).filter((repo) => repo["mode"] === "RW" && !isAtRest(repo));
  return its.length > 0 && its.every((repo) => hasToken(repo, "MERGED"));
}

/** The run that is at work on the ecosystem, which refuses all that changes something until it has ended. */
function runAtWork({ data }: Situation): Offer[] {
  const run = asText(asRecord(data["running"])?.["run_id"]);
  if (run === null) return [];
  const args = { run_id: run };
  return inOrder([{ id: "get_run_status", args }, { id: "get_run_logs", args }]);
}

/** The offers after the status of an ecosystem (NEXT-6). */
export function afterStatus(situation: Situation): Offer[] {
  if (holds("workspace.not_installed", situation)) return toInstall();
  const busy = runAtWork(situation);
  if (busy.length > 0) return [...busy, { id: "get_ecosystem_status" }];
  const urgent = mostUrgent(situation);
  return urgent === null ? afterOne(situation) : inTicket(afterOne(urgent.part), urgent.ticket);
}

/** The offers after the status of one workspace. */
function afterOne(situation: Situation): Offer[] {
  const halted = stopped(situation);
  const ends = merged(situation);
  const over = ends.some(({ args }) => args !== undefined && !("only" in args));
  const found = [
    ...deleted(situation),
    ...misplaced(situation),
    ...overtaken(situation),
    ...(over ? ends : []),
    // What is new on a merged branch keeps its ticket from its end, and is no reason to go on with that.
    ...unsaved(situation, over || isMerged(situation)),
    ...beyond(situation),
    ...putAway(situation),
    ...ends,
    ...ticketless(situation),
  ].filter(({ id }, at, all) =>
    [...halted, ...all].findIndex((offer) => offer.id === id) === at + halted.length
  );
  const offers = [...halted, ...found];
  return besidesLock(
    situation,
    padded(around(situation, offers.length === 0 ? quiet(situation) : offers))
      .map((offer) => about(situation, offer)),
  );
}
