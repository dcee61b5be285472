/** The decision table: what may follow a call, before anything is filtered (NEXT-5). */

import type { Fields } from "../../base/object.ts";
import {
  aboutReleases,
  afterReleaseChange,
  afterReleaseStatus,
  afterReleaseValidate,
  firstRelease,
} from "./after/release.ts";
import {
  afterCampaign,
  afterChange,
  afterPart,
  afterRun,
  runSet,
  withinLock,
} from "./after/run.ts";
import { afterStatus, toInstall } from "./after/status.ts";
import { asRecord, asRecords, asText, requestToken, runOf, type Situation } from "./answer.ts";
import { holds } from "./conditions.ts";
import type { ActionId, NextRule } from "../../contract/next.ts";
import { inOrder, type Offer, offersOf, switchTo } from "./offer.ts";
import { DEFINITIONS, effectiveScope, statusReader } from "./definitions.ts";
import { AmofError } from "../../base/error.ts";

// What helps after a failure, by its code (NEXT-8).
//
// Repeating the call is never among it: the hint says when that helps (NEXT-8).

type Remedy = (failure: AmofError, situation: Situation) => readonly (ActionId | Offer)[];

function always(...ids: readonly ActionId[]): Remedy {
  return () => ids;
}

/** An action on the run the failure is about, if any, then others and the usual reader. */
function onRun(
  id: "get_run_status" | "get_run_logs",
  ...others: readonly ActionId[]
): Remedy {
  return ({ details }, situation) => {
    // The run the session stands in has nothing to do with a call about something else.
    const own = situation.command.scope === "run" ? runOf(situation) : null;
    const run = asText(details["run_id"]) ?? own;
    return [
      ...(run === null ? [] : [{ id, args: { run_id: run } }]),
      ...others,
      statusReader(situation),
    ];
  };
}

const MOST_TO_OPEN = 3;

/**
 * The offers to go to the first ecosystems, told apart by position (NEXT-5, row 12). Where no session could stand in
 * one, it is described, which leads on.
 */
function toOpen(names: readonly unknown[], { find }: Pick<Situation, "find">): Offer[] {
  const stands = find(DEFINITIONS.switch_ecosystem.tool) !== null;
  const known = names.map(asText).filter((name) => name !== null);
  return known.slice(0, MOST_TO_OPEN).map((name, index) => ({
    id: stands ? "switch_ecosystem" : "describe_ecosystem",
    label: `Open ${name}`,
    args: { ecosystem: name },
    priority: 1,
    ...(index === 0 ? {} : { suffix: String(index + 1) }),
  }));
}

function unnamed({ details }: AmofError, situation: Situation): readonly (ActionId | Offer)[] {
  if (situation.command.scope === "run") return ["list_runs", "get_active_runs"];
  const names = Array.isArray(details["available"]) ? details["available"] : [];
  return ["list_ecosystems", ...toOpen(names, situation)];
}

function knownTicket({ details }: AmofError): readonly (ActionId | Offer)[] {
  if (details["active"] === true) return ["get_ecosystem_status", "ticket_list"];
  const ticket = asText(details["ticket_id"]);
  return [...(ticket === null ? [] : [switchTo(ticket)]), "ticket_list"];
}

function damagedState({ details }: AmofError, situation: Situation): readonly (ActionId | Offer)[] {
  // Only the error about a workspace's state has a `reason`. Without one it is about the database, which no action
  // can repair.
  if (asText(details["reason"]) === null) return [statusReader(situation)];
  return [
    {
      id: "install_ecosystem",
      says: "repair_workspace",
      args: { repair: true },
    },
    "describe_ecosystem",
  ];
}

/** A workspace that is there lacks a clone, which a sync makes. */
function lacking({ details }: AmofError, { installed }: Situation): readonly (ActionId | Offer)[] {
  // Its directory was removed: what it had adopted is used again by a command that is told of its place.
  if (details["repair"] === true) {
    return details["adopted"] === true
      ? ["describe_ecosystem", "validate_manifest"]
      : toInstall().map((offer) =>
        offer.id === "install_ecosystem" ? { ...offer, args: { repair: true } } : offer
      );
  }
  return installed === true ? ["sync_ecosystem", "get_ecosystem_status"] : toInstall();
}

const BY_GIT_KIND: ReadonlyMap<unknown, readonly ActionId[]> = new Map([
  ["non_fast_forward", ["sync_ecosystem"]],
  ["not_found", ["validate_manifest"]],
  ["not_a_repo", ["validate_manifest"]],
  ["lock", ["get_active_runs"]],
]);

function byGitKind({ details }: AmofError, situation: Situation): readonly ActionId[] {
  return [...BY_GIT_KIND.get(details["kind"]) ?? [], statusReader(situation)];
}

/** Where there is no version yet, making the first one is all that leads on. */
function noRelease(_failure: AmofError, situation: Situation): readonly (ActionId | Offer)[] {
  return firstRelease(situation) ?? ["release_status", "release_log"];
}

/** What was done in part goes on as if all of it had been, where that is possible. */
function partly(_failure: AmofError, situation: Situation): readonly (ActionId | Offer)[] {
  return afterPart(situation.command, situation) ?? ["get_ecosystem_status"];
}

const REMEDIES: ReadonlyMap<string, Remedy> = new Map([
  // Listing runs works without a control repository, but not with one that was named and is none.
  ["root_not_found", ({ details }) => details["source"] === undefined ? ["list_runs"] : []],
  ["ecosystem_not_found", always("list_ecosystems")],
  ["run_not_found", always("list_runs")],
  ["subprocess_failed", onRun("get_run_logs")],
  ["manifest_invalid", () => [
    { id: "validate_manifest", condition: "manifest.invalid" },
    "list_ecosystems",
  ]],
  ["scope_required", unnamed],
  ["ticket_not_found", always("ticket_list")],
  ["ticket_exists", knownTicket],
  ["release_not_found", noRelease],
  ["workspace_not_installed", lacking],
  ["workspace_exists", always("get_ecosystem_status", "sync_ecosystem")],
  ["ecosystem_busy", onRun("get_run_status", "get_active_runs")],
  ["repo_dirty", always("get_ecosystem_status")],
  ["repo_diverged", always("get_ecosystem_status")],
  ["repo_in_progress", always("get_ecosystem_status")],
  // Which push takes the work, if any does, tells the status.
  ["would_lose_work", always("get_ecosystem_status")],
  ["release_blocked", (_failure, situation) => {
    const reader = statusReader(situation);
    return reader === "release_status" ? ["release_validate", reader] : [reader];
  }],
  ["invalid_transition", onRun("get_run_status")],
  ["provisioner_missing", always("describe_ecosystem")],
  ["provisioner_invalid", always("describe_ecosystem", "spin_status")],
  // Only a person at a terminal can approve these, so nothing a caller could do is offered.
  ["provisioner_untrusted", (_failure, situation) => [statusReader(situation)]],
  ["task_untrusted", always("get_ecosystem_status")],
  ["clone_untrusted", always("get_ecosystem_status")],
  ["engine_unavailable", always("get_ecosystem_status")],
  ["engine_conflict", always("get_ecosystem_status")],
  ["plan_refused", always("get_ecosystem_status")],
  ["ticket_scope", always("get_ecosystem_status")],
  ["git_failed", byGitKind],
  ["timeout", onRun("get_run_logs")],
  ["cancelled", onRun("get_run_status")],
  ["interrupted", onRun("get_run_status")],
  ["state_corrupt", damagedState],
  ["ecosystem_exists", ({ details }, situation) => [
    ...toOpen([details["ecosystem"]], situation),
    "list_ecosystems",
  ]],
  ["manifest_not_found", always("list_ecosystems")],
  ["partial_failure", partly],
  ["commit_refused", always("get_ecosystem_status")],
  ["push_refused", always("get_ecosystem_status")],
  ["repo_not_found", always("describe_ecosystem")],
]);

/** The offers after a failure, by default the status of the scope (NEXT-8). */
function recovery(failure: AmofError, situation: Situation): Offer[] {
  // A preview that fails anyhow is not made to work by a higher mode.
  if (failure.code === "mode_insufficient" && failure.cause instanceof AmofError) {
    return recovery(failure.cause, { ...situation, failure: failure.cause });
  }
  const remedy = REMEDIES.get(failure.code);
  const offers = inOrder(remedy?.(failure, situation) ?? [statusReader(situation)]);
  // A ticket with a workspace of its own is ended from elsewhere, where the status knows nothing of its work.
  const ticket = asText(failure.details["workspace_ticket"]);
  return ticket === null
    ? offers
    : offers.map((offer) =>
      offer.id === "get_ecosystem_status" ? { ...offer, args: { ...offer.args, ticket } } : offer
    );
}

type Rule = (situation: Situation) => Offer[];

interface Candidates {
  readonly offers: readonly Offer[];
  /** Nothing is added to these and only the mode takes from them: rows 3 and 5 (NEXT-10). */
  readonly absolute: boolean;
}

/** Row 2. */
function afterRequest(token: string, situation: Situation): Offer[] {
  const args = { token };
  // The refused call may have named a mode of its own; the next call has the session's again.
  const act = situation.session.mode === "execute" ? args : { ...args, mode: "execute" };
  const pending = asRecord(asRecord(situation.data["confirmation"])?.["approval"]) !== null;
  const typed = asRecord(situation.data["confirmation"])?.["typed_value_required"] === true;
  return inOrder([
    {
      id: "confirm",
      args: act,
      // The name itself is left out: offering it ready-made would make typing it worthless.
      ...(pending ? { says: "ask_again" } : typed ? { says: "confirm_name" } : {}),
    },
    { id: "cancel_confirm", args },
    statusReader(situation),
  ]);
}

/** Row 5. */
function afterStart({ data }: Situation): Offer[] {
  const run = asText(data["run_id"]);
  // Without its id the actions would be about another run, the one the session happens to stand in.
  if (run === null) return [];
  return offersOf("async_started");
}

/** Row 7, and rows 1, 3 and 10 where they match, for a run that the caller waited for. */
function afterFinish(situation: Situation): Candidates {
  const { command, data, failure } = situation;
  if (failure !== null) {
    const run = asText(data["run_id"]);
    const logs: Offer[] = run === null ? [] : [{ id: "get_run_logs", args: { run_id: run } }];
    return open(inOrder([...recovery(failure, situation), ...logs]));
  }
  if (command.next === "removed") return absolute(offersOf("post_destructive"));
  return open(
    command.next === "release_changed" ? afterReleaseChange(situation) : afterRun(situation),
  );
}

/** Row 12. */
function afterList(situation: Situation): Offer[] {
  return [
    ...toOpen(asRecords(situation.data["ecosystems"]).map((entry) => entry["name"]), situation),
    { id: "get_server_status", priority: 2 },
    { id: "get_active_runs", priority: 3 },
  ];
}

/** Row 13. */
function afterSwitch(situation: Situation): Offer[] {
  const offers = offersOf("ecosystem.default");
  return holds("workspace.not_installed", situation)
    ? inOrder([{ id: "install_ecosystem", condition: "workspace.not_installed" }, ...offers])
    : offers;
}

/** Row 14. */
function afterDescribe(situation: Situation): Offer[] {
  return holds("workspace.not_installed", situation)
    ? inOrder(["install_ecosystem"], "workspace.not_installed")
    : inOrder(["get_ecosystem_status", "sync_ecosystem"]);
}

/** Row 16. */
function afterTicketList(situation: Situation): Offer[] {
  // A ticket that has ended cannot be switched to, and the data does not say whether there are others.
  if (situation.data["ended"] === true) return inOrder(["get_ecosystem_status", "sync_ecosystem"]);
  // Where a repository cannot change its branch, both a start and a switch would be refused.
  if (situation.data["held"] !== undefined) return inOrder(["get_ecosystem_status"]);
  if (holds("workspace.no_tickets", situation)) {
    return offersOf("ecosystem.no_ticket", "workspace.no_tickets");
  }
  const tickets = asRecords(situation.data["tickets"]);
  // What has no branch left anywhere can only end.
  const isGone = ({ phase, states, repos }: Fields) => {
    const names = Object.keys(asRecord(repos) ?? {});
    return phase !== "gone" && names.length > 0 &&
      names.every((name) => asRecord(states)?.[name] === "gone");
  };
  const ended = asText(tickets.find(isGone)?.["ticket_id"]);
  const inactive = tickets.find((ticket) =>
    ticket["active"] !== true && asText(ticket["ticket_id"]) !== null && !isGone(ticket)
  );
  const ticket = asText(inactive?.["ticket_id"]);
  return inOrder([
    ...(ended === null
      ? []
      : [{ id: "ticket_end", says: "end_deleted", args: { ticket_id: ended } } as const]),
    ...(ticket === null ? [] : [switchTo(ticket)]),
    "get_ecosystem_status",
  ]);
}

/** Row 18. */
function afterServerStatus(situation: Situation): Offer[] {
  if (holds("server.running", situation)) {
    return inOrder([{ id: "server_restart", condition: "server.running" }, "list_ecosystems"]);
  }
  if (holds("server.stopped", situation)) {
    return inOrder([{ id: "server_start", condition: "server.stopped" }, "list_ecosystems"]);
  }
  return inOrder(["list_ecosystems"]);
}

/** As row 21, for the runs of an environment. */
function afterSpinStatus(situation: Situation): Offer[] {
  return inOrder([...newestRun(situation), "get_ecosystem_status", "describe_ecosystem"]);
}

/** The newest of the runs an answer lists, to look at. */
function newestRun({ data }: Situation): Offer[] {
  const ids = asRecords(data["runs"]).map((run) => asText(run["run_id"]));
  const newest = ids.find((id) => id !== null);
  return newest === undefined || newest === null
    ? []
    : [{ id: "get_run_status", args: { run_id: newest } }];
}

/** Row 21. */
function afterRunList(situation: Situation): Offer[] {
  return inOrder([...newestRun(situation), ...defaults(situation)]);
}

/** Row 24. */
function defaults(situation: Situation): Offer[] {
  const scope = effectiveScope(situation);
  if (scope === "run") return runSet(situation);
  return scope === "release"
    ? aboutReleases(situation)
    : withinLock(situation, offersOf(`${scope}.default`));
}

const RULES: Readonly<Record<NextRule, Rule>> = {
  // What they make ready, or take away, is told behind their runs.
  after_install: defaults,
  after_sync: defaults,
  after_commit: defaults,
  removed: defaults,
  archived: defaults,
  ecosystems: afterList,
  switched: afterSwitch,
  described: afterDescribe,
  status: afterStatus,
  tickets: afterTicketList,
  environment: afterSpinStatus,
  campaign: afterCampaign,
  change: afterChange,
  server: afterServerStatus,
  server_changed: () => offersOf("server.default"),
  run: afterRun,
  runs: afterRunList,
  release_status: afterReleaseStatus,
  release_validate: afterReleaseValidate,
  release_changed: afterReleaseChange,
  releases: aboutReleases,
  // It may be about any release, and only the current one can be promoted.
  any_release: () => offersOf("release.default"),
};

/** What a command's own declaration says that follows. */
function declared(situation: Situation): Offer[] {
  const { next } = situation.command;
  if (next === undefined) return defaults(situation);
  return typeof next === "string" ? RULES[next](situation) : inOrder(next);
}

function isRowFour({ command, phase, mode }: Situation): boolean {
  // Row 10 speaks of dry runs of releases, which only those in execute mode can reach.
  return phase === "preview" && !(mode === "execute" && command.next === "release_changed");
}

function open(offers: readonly Offer[]): Candidates {
  return { offers, absolute: false };
}

function absolute(offers: readonly Offer[]): Candidates {
  return { offers, absolute: true };
}

/**
 * The offers of the first row that matches (NEXT-5).
 *
 * Row 2 is looked at before row 1, because a confirmation request arrives as an error. A check that found
 * something is an answer like any other, hence not row 1.
 */
export function candidates(situation: Situation): Candidates {
  const { command, phase, failure } = situation;
  const token = requestToken(situation);
  if (token !== null) return open(afterRequest(token, situation));
  if (phase === "finished") return afterFinish(situation);
  if (failure !== null && failure.code !== "check_failed") {
    return open(recovery(failure, situation));
  }
  // Only the run will tell whether the thing was removed.
  if (phase === "started") return absolute(inOrder(afterStart(situation)));
  if (command.next === "removed" && phase === "result") {
    return absolute(offersOf("post_destructive"));
  }
  if (isRowFour(situation)) return open(inOrder([statusReader(situation)]));
  return open(declared(situation));
}
