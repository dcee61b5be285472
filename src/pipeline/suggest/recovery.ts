/**
 * What helps after a failure, by its code (NEXT-8).
 *
 * Repeating the call is never among it: the hint says when that helps (NEXT-8).
 */

import { AmofError } from "../../base/error.ts";
import { firstRelease } from "./after/release.ts";
import { afterPart } from "./after/run.ts";
import { toInstall } from "./after/status.ts";
import { asText, runOf } from "./answer.ts";
import type { ActionId } from "../../contract/next.ts";
import { switchTo, toOpen } from "./named.ts";
import { inOrder, type Offer } from "./offer.ts";
import { statusReader } from "./scope.ts";
import type { Situation } from "./situation.ts";

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
function lacking(_failure: AmofError, { installed }: Situation): readonly (ActionId | Offer)[] {
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
export function recovery(failure: AmofError, situation: Situation): Offer[] {
  // A preview that fails anyhow is not made to work by a higher mode.
  if (failure.code === "mode_insufficient" && failure.cause instanceof AmofError) {
    return recovery(failure.cause, { ...situation, failure: failure.cause });
  }
  const remedy = REMEDIES.get(failure.code);
  return inOrder(remedy?.(failure, situation) ?? [statusReader(situation)]);
}
