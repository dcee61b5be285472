/**
 * The suggested next actions, row by row (NEXT-5).
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { parseInvocation } from "../../src/command/line/parse.ts";
import { takeWords } from "../../src/command/line/words.ts";
import { actionLine } from "../../src/cli/render.ts";
import { parseArguments } from "../../src/command/common.ts";
import { commandOfRun, COMMANDS, findCommand } from "../../src/command/registry.ts";
import { AmofError, type ErrorCode, EXIT } from "../../src/error.ts";
import { type Mode, modeRequired } from "../../src/policy/mode.ts";
import type { Command, Fields } from "../../src/contract/mod.ts";
import { Session } from "../../src/command/session.ts";
import { type Place } from "../../src/contract/place.ts";
import { type Condition, holds } from "../../src/suggest/conditions.ts";
import type { ActionId } from "../../src/contract/next.ts";
import { type Definition, DEFINITIONS } from "../../src/suggest/definitions.ts";
import {
  deduplicate,
  dropAfterQuery,
  dropSame,
  fallBack,
  filterAll,
  gateMode,
  gateScope,
  limit,
  sortByPriority,
} from "../../src/suggest/filters.ts";
import { type Situation, suggest, type SuggestedAction } from "../../src/suggest/mod.ts";
import { toAction } from "../../src/suggest/offer.ts";
import { effectiveScope } from "../../src/suggest/scope.ts";
import { offersOf, type SetName } from "../../src/suggest/sets.ts";
import { WORDS } from "../../src/suggest/words.ts";
import { TOOLS } from "../support/tools.ts";

const RUN = "4e8c1d72-0000-4000-8000-000000000001";
const OTHER_RUN = "9b2f6a10-0000-4000-8000-000000000002";
const TOKEN = "3f0c6f4e-8a39-4a57-9d0f-2f6f6f7f8a90";

function tool(name: string): Command {
  const command = TOOLS.get(name);
  assert(command !== undefined, `There is no tool ${name}`);
  return command;
}

function findAny(name: string): Command | null {
  return TOOLS.get(name) ?? null;
}

/** Words for actions of other ids. */
const VARIANTS = [
  "complete_it",
  "refresh",
  "stream_logs",
  "show_runs",
  "commit_and_push",
  "commit_push_first",
  "repair_workspace",
  "ask_again",
  "confirm_name",
];

/** Where a session can stand. */
const PLACES: Readonly<Record<Place["scope"], Place>> = {
  global: { scope: "global", ecosystem: null, runId: null, releaseTag: null },
  ecosystem: { scope: "ecosystem", ecosystem: "demo", runId: null, releaseTag: null },
  run: { scope: "run", ecosystem: "demo", runId: RUN, releaseTag: null },
  release: { scope: "release", ecosystem: "demo", runId: null, releaseTag: "v1.0.3-rc.1" },
  server: { scope: "server", ecosystem: null, runId: null, releaseTag: null },
};

/** A situation in short: what is left out is a plain answer in execute mode inside "demo". */
interface Given {
  readonly tool: string;
  readonly phase?: Situation["phase"];
  readonly data?: Fields;
  readonly code?: string;
  readonly details?: Fields;
  readonly mode?: Mode;
  readonly at?: Place["scope"];
  readonly installed?: boolean;
  readonly find?: Situation["find"];
}

function failureOf(code: string, details: Fields = {}): AmofError {
  // Some codes are not in the table yet; with exit code and hint given the error does not look there.
  return new AmofError(code as ErrorCode, "Cannot do it", {
    exit: EXIT.failed,
    hint: "Do something else",
    details,
  });
}

function situation(given: Given): Situation {
  const mode = given.mode ?? "execute";
  const place = PLACES[given.at ?? "ecosystem"];
  const session = new Session({ id: "sess_1", owner: "test", mode, maxMode: "execute" });
  session.enter(place);
  return {
    command: tool(given.tool),
    phase: given.phase ?? (given.code === undefined ? "result" : "refused"),
    data: given.data ?? {},
    failure: given.code === undefined ? null : failureOf(given.code, given.details),
    session,
    mode,
    ecosystem: place.ecosystem,
    installed: given.installed ?? null,
    ofRun: commandOfRun,
    find: given.find ?? findAny,
  };
}

function ids(actions: readonly SuggestedAction[]): string[] {
  return actions.map((action) => action.id);
}

interface Case {
  readonly that: string;
  readonly given: Given;
  readonly ids: readonly string[];
}

const repo = (fields: Fields) => ({
  name: "api",
  mode: "RW",
  status: "OK",
  dirty: false,
  unpushed: false,
  ...fields,
});

function status(workspace: Fields, ...repos: Fields[]): Given {
  return {
    tool: "amof_get_ecosystem_status",
    data: {
      workspace: { ecosystem: "demo", active_ticket: "PROJ-1", ticket_count: 1, ...workspace },
      repos,
    },
  };
}

const TICKETLESS = { active_ticket: null, ticket_count: 0 };
const REQUEST = { token: TOKEN, type: "simple", typed_value_required: false };

function runAnswer(tool: string, status: string, action = "push"): Given {
  return { tool, at: "run", data: { run_id: RUN, ecosystem: "demo", action, status } };
}

/** Row 1 of NEXT-5 with the codes of ERROR-5, each after a call that can end so. */
const RECOVERY: readonly Case[] = [
  {
    that: "offers the list after ecosystem_not_found, wherever the session stands",
    given: {
      tool: "amof_get_ecosystem_status",
      at: "run",
      code: "ecosystem_not_found",
      details: { available: ["demo"] },
    },
    ids: ["list_ecosystems"],
  },
  {
    that: "offers the runs after run_not_found, wherever the session stands",
    given: {
      tool: "amof_get_run_logs",
      at: "run",
      code: "run_not_found",
      details: { run_id: "4e8c" },
    },
    ids: ["list_runs"],
  },
  {
    that: "offers the status after a confirmation_required without a request",
    given: { tool: "amof_push_ecosystem", code: "confirmation_required" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the status after type_to_confirm_failed",
    given: { tool: "amof_discard_ecosystem", code: "type_to_confirm_failed" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the status after mode_insufficient",
    given: { tool: "amof_push_ecosystem", mode: "ask", code: "mode_insufficient" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the description after a refused install, whose workspace may not be there yet",
    given: { tool: "amof_install_ecosystem", mode: "ask", code: "mode_insufficient" },
    ids: ["describe_ecosystem"],
  },
  {
    that: "offers the logs after subprocess_failed",
    given: { tool: "amof_spin_deploy", code: "subprocess_failed", details: { run_id: RUN } },
    ids: ["get_run_logs", "spin_status"],
  },
  {
    that: "offers the validation after manifest_invalid",
    given: { tool: "amof_get_ecosystem_status", code: "manifest_invalid" },
    ids: ["validate_manifest", "list_ecosystems"],
  },
  {
    that: "offers the status after invalid_arguments",
    given: { tool: "amof_push_ecosystem", code: "invalid_arguments" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers list and known ecosystems after scope_required",
    given: {
      tool: "amof_get_ecosystem_status",
      at: "global",
      code: "scope_required",
      details: { available: ["demo", "shop"] },
    },
    ids: ["list_ecosystems", "switch_ecosystem", "switch_ecosystem_2"],
  },
  {
    that: "offers the runs after scope_required of a run tool",
    given: { tool: "amof_get_run_status", at: "global", code: "scope_required" },
    ids: ["list_runs", "get_active_runs"],
  },
  {
    that: "offers the tickets after ticket_not_found",
    given: { tool: "amof_ticket_switch", code: "ticket_not_found" },
    ids: ["ticket_list"],
  },
  {
    that: "offers to switch after ticket_exists",
    given: {
      tool: "amof_ticket_start",
      code: "ticket_exists",
      details: { ticket_id: "PROJ-1" },
    },
    ids: ["ticket_switch", "ticket_list"],
  },
  {
    that: "offers the releases after release_not_found",
    given: { tool: "amof_release_promote", at: "release", code: "release_not_found" },
    ids: ["release_status", "release_log"],
  },
  {
    that: "offers to install after workspace_not_installed",
    given: { tool: "amof_get_ecosystem_status", code: "workspace_not_installed" },
    ids: ["install_ecosystem", "validate_manifest"],
  },
  {
    that: "offers status and sync after workspace_exists",
    given: { tool: "amof_install_ecosystem", code: "workspace_exists" },
    ids: ["get_ecosystem_status", "sync_ecosystem"],
  },
  {
    that: "offers the run that holds the lock after ecosystem_busy",
    given: { tool: "amof_push_ecosystem", code: "ecosystem_busy", details: { run_id: RUN } },
    ids: ["get_run_status", "get_active_runs", "get_ecosystem_status"],
  },
  ...["repo_dirty", "repo_diverged", "repo_in_progress"].map((code) => ({
    that: `offers the status after ${code}`,
    given: { tool: "amof_sync_ecosystem", code },
    ids: ["get_ecosystem_status"],
  })),
  {
    that: "offers to push after would_lose_work",
    given: { tool: "amof_archive_ecosystem", code: "would_lose_work" },
    ids: ["push_ecosystem", "get_ecosystem_status"],
  },
  {
    that: "offers the checks after release_blocked",
    given: { tool: "amof_release_promote", at: "release", code: "release_blocked" },
    ids: ["release_validate", "release_status"],
  },
  {
    that: "offers the run after an invalid_transition of it",
    given: {
      tool: "amof_cancel_run",
      at: "global",
      code: "invalid_transition",
      details: { run_id: RUN, status: "success" },
    },
    ids: ["get_run_status"],
  },
  {
    that: "offers the release status after an invalid_transition of a release",
    given: { tool: "amof_release_promote", at: "release", code: "invalid_transition" },
    ids: ["release_status"],
  },
  ...["confirmation_invalid", "confirmation_declined", "remote_unreachable", "auth_failed"].map(
    (code) => ({
      that: `offers the status after ${code}`,
      given: { tool: "amof_push_ecosystem", code },
      ids: ["get_ecosystem_status"],
    }),
  ),
  {
    that: "offers the description after provisioner_missing",
    given: { tool: "amof_spin_deploy", code: "provisioner_missing" },
    ids: ["describe_ecosystem"],
  },
  {
    that: "offers description and environment after provisioner_invalid",
    given: { tool: "amof_spin_deploy", code: "provisioner_invalid" },
    ids: ["describe_ecosystem", "spin_status"],
  },
  {
    that: "offers only to look after provisioner_untrusted: a person approves",
    given: { tool: "amof_spin_deploy", code: "provisioner_untrusted" },
    ids: ["spin_status"],
  },
  {
    that: "offers to sync when git refused a push as not fast-forward",
    given: {
      tool: "amof_push_ecosystem",
      code: "git_failed",
      details: { kind: "non_fast_forward" },
    },
    ids: ["sync_ecosystem", "get_ecosystem_status"],
  },
  {
    that: "offers the validation when git found no repository",
    given: { tool: "amof_sync_ecosystem", code: "git_failed", details: { kind: "not_a_repo" } },
    ids: ["validate_manifest", "get_ecosystem_status"],
  },
  {
    that: "offers the active runs when git found a lock",
    given: { tool: "amof_sync_ecosystem", code: "git_failed", details: { kind: "lock" } },
    ids: ["get_active_runs", "get_ecosystem_status"],
  },
  {
    that: "offers the status after any other failure of git",
    given: { tool: "amof_sync_ecosystem", code: "git_failed", details: { kind: "conflict" } },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the logs of the run after timeout",
    given: { tool: "amof_get_run_status", at: "run", code: "timeout" },
    ids: ["get_run_logs"],
  },
  {
    that: "offers no logs after a timeout that no run is known to have had",
    given: { tool: "amof_push_ecosystem", at: "run", code: "timeout" },
    ids: ["get_ecosystem_status"],
  },
  ...["cancelled", "interrupted"].map((code) => ({
    that: `offers the status of the run after ${code}`,
    given: { tool: "amof_push_ecosystem", code, details: { run_id: RUN } },
    ids: ["get_run_status", "get_ecosystem_status"],
  })),
  {
    that: "offers to repair a damaged workspace state",
    given: {
      tool: "amof_get_ecosystem_status",
      code: "state_corrupt",
      details: { reason: "it is not valid JSON" },
    },
    ids: ["install_ecosystem", "describe_ecosystem"],
  },
  {
    that: "offers no repair for a damaged database",
    given: {
      tool: "amof_push_ecosystem",
      code: "state_corrupt",
      details: { path: "/state/amof.db" },
    },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the status after internal_error",
    given: { tool: "amof_push_ecosystem", code: "internal_error" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers to open the ecosystem after ecosystem_exists",
    given: {
      tool: "amof_create_ecosystem",
      at: "global",
      code: "ecosystem_exists",
      details: { ecosystem: "demo" },
    },
    ids: ["switch_ecosystem", "list_ecosystems"],
  },
  {
    that: "offers the list after manifest_not_found",
    given: { tool: "amof_describe_ecosystem", code: "manifest_not_found" },
    ids: ["list_ecosystems"],
  },
  ...["partial_failure", "push_refused"].map((code) => ({
    that: `offers the status after ${code}`,
    given: { tool: "amof_push_ecosystem", code },
    ids: ["get_ecosystem_status"],
  })),
  {
    that: "offers the description after repo_not_found",
    given: { tool: "amof_get_ecosystem_status", code: "repo_not_found" },
    ids: ["describe_ecosystem"],
  },
];

for (const mode of ["ask", "plan", "execute"] as const) {
  Deno.test(`suggest() offers a confirm that works in a session in mode ${mode}`, () => {
    const [confirm] = suggest(situation({
      tool: "amof_push_ecosystem",
      mode,
      code: "confirmation_required",
      data: { confirmation: REQUEST },
    }));
    assertEquals(confirm?.args, {
      token: TOKEN,
      ...(mode === "execute" ? {} : { mode: "execute" }),
    });
  });
}

Deno.test("suggest() offers to ask again for a request that waits for a person", () => {
  const approval = { id: "3f0c6f4e", command: "amof approve 3f0c6f4e" };
  for (const code of ["confirmation_required", "approval_pending"]) {
    const [again] = suggest(situation({
      tool: "amof_discard_ecosystem",
      code,
      data: { confirmation: { ...REQUEST, approval } },
    }));
    assertEquals([again?.id, again?.label], ["confirm", "Ask again"]);
  }
});

/** Runs that the caller waited for, as the command line does: rows 1, 3 and 7 of NEXT-5. */
const FINISHED: readonly Case[] = [
  {
    that: "looks at the run after a push that was waited for",
    given: { ...runAnswer("amof_push_ecosystem", "success"), phase: "finished" },
    ids: ["summarize_run", "get_run_logs", "back_to_ecosystem"],
  },
  {
    that: "goes on after an install that was waited for",
    given: {
      ...runAnswer("amof_install_ecosystem", "success", "install"),
      phase: "finished",
      at: "ecosystem",
    },
    ids: [
      "get_ecosystem_status",
      "sync_ecosystem",
      "ticket_start",
      "summarize_run",
      "get_run_logs",
    ],
  },
  ...["amof_discard_ecosystem", "amof_spin_destroy"].map((tool): Case => ({
    that: `offers only the list after a ${tool} that was waited for`,
    given: { ...runAnswer(tool, "success", "discard"), phase: "finished" },
    ids: ["list_ecosystems"],
  })),
  {
    that: "offers history and status after a release that was waited for",
    given: {
      ...runAnswer("amof_release_bump", "success", "release_bump"),
      at: "release",
      phase: "finished",
    },
    ids: ["release_log", "release_status"],
  },
  {
    that: "offers what helps and the logs after a failure that was waited for",
    given: {
      ...runAnswer("amof_sync_ecosystem", "failed", "sync"),
      at: "ecosystem",
      phase: "finished",
      code: "partial_failure",
    },
    ids: ["get_ecosystem_status", "get_run_logs"],
  },
];

/** Rows 2 to 5 of NEXT-5. */
const OUTCOMES: readonly Case[] = [
  {
    that: "offers confirm, cancel and status for a confirmation request",
    given: {
      tool: "amof_push_ecosystem",
      code: "confirmation_required",
      data: { confirmation: REQUEST },
    },
    ids: ["confirm", "cancel_confirm", "get_ecosystem_status"],
  },
  {
    that: "offers to confirm the fresh request of an expired one",
    given: {
      tool: "amof_push_ecosystem",
      code: "confirmation_expired",
      data: { confirmation: REQUEST },
    },
    ids: ["confirm", "cancel_confirm", "get_ecosystem_status"],
  },
  {
    that: "offers to confirm the fresh request of a stale one",
    given: {
      tool: "amof_push_ecosystem",
      code: "confirmation_stale",
      data: { confirmation: REQUEST },
    },
    ids: ["confirm", "cancel_confirm", "get_ecosystem_status"],
  },
  {
    that: "offers to confirm in every mode and from every scope",
    given: {
      tool: "amof_create_ecosystem",
      at: "run",
      mode: "ask",
      code: "confirmation_required",
      data: { confirmation: REQUEST },
    },
    ids: ["confirm", "cancel_confirm", "list_ecosystems"],
  },
  {
    that: "offers the status of the run whose end is to be confirmed",
    given: {
      tool: "amof_cancel_run",
      at: "global",
      code: "confirmation_required",
      data: { confirmation: { ...REQUEST, preview: { run_id: RUN } } },
    },
    ids: ["confirm", "cancel_confirm", "get_run_status"],
  },
  {
    that: "offers only the list after a finished discard",
    given: { tool: "amof_discard_ecosystem" },
    ids: ["list_ecosystems"],
  },
  {
    that: "offers its run first after a started discard, from another run as well",
    given: {
      tool: "amof_discard_ecosystem",
      phase: "started",
      at: "run",
      data: { run_id: RUN },
    },
    ids: ["get_run_status", "get_run_logs", "list_ecosystems"],
  },
  {
    that: "offers its run first after a started spin_destroy",
    given: { tool: "amof_spin_destroy", phase: "started", data: { run_id: RUN } },
    ids: ["get_run_status", "get_run_logs", "list_ecosystems"],
  },
  {
    that: "adds nothing after a discard where the list is not offered",
    given: {
      tool: "amof_discard_ecosystem",
      find: (name) => name === "amof_list_ecosystems" ? null : findAny(name),
    },
    ids: [],
  },
  {
    that: "treats a failed discard as a failure",
    given: { tool: "amof_discard_ecosystem", code: "would_lose_work" },
    ids: ["push_ecosystem", "get_ecosystem_status"],
  },
  {
    that: "offers the status after a preview of discard",
    given: { tool: "amof_discard_ecosystem", phase: "preview", mode: "plan" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the state of the environment after a preview of spin_deploy",
    given: { tool: "amof_spin_deploy", phase: "preview", mode: "plan" },
    ids: ["spin_status"],
  },
  {
    that: "offers the status after a preview in ecosystem scope",
    given: { tool: "amof_push_ecosystem", phase: "preview", mode: "plan" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the status, not the tool again, after a dry run in execute mode",
    given: { tool: "amof_push_ecosystem", phase: "preview", mode: "execute" },
    ids: ["get_ecosystem_status"],
  },
  {
    that: "offers the description after a preview of install",
    given: { tool: "amof_install_ecosystem", phase: "preview", mode: "plan" },
    ids: ["describe_ecosystem"],
  },
  {
    that: "offers the list after a preview in global scope",
    given: { tool: "amof_create_ecosystem", phase: "preview", mode: "plan", at: "global" },
    ids: ["list_ecosystems"],
  },
  {
    that: "offers the run status after a preview in run scope",
    given: {
      tool: "amof_cancel_run",
      phase: "preview",
      mode: "plan",
      at: "global",
      data: { preview: { run_id: RUN } },
    },
    ids: ["get_run_status"],
  },
  {
    that: "offers the release status after a preview in release scope",
    given: { tool: "amof_release_bump", phase: "preview", mode: "plan", at: "release" },
    ids: ["release_status"],
  },
  {
    that: "offers the server status after a preview in server scope",
    given: { tool: "amof_server_stop", phase: "preview", mode: "plan", at: "global" },
    ids: ["get_server_status"],
  },
  {
    that: "offers only status and logs of a run that was started",
    given: {
      tool: "amof_install_ecosystem",
      phase: "started",
      data: { run_id: RUN, action: "install", status: "queued" },
    },
    ids: ["get_run_status", "get_run_logs"],
  },
  {
    that: "offers status and logs of a started archive, which is no row of its own",
    given: { tool: "amof_archive_ecosystem", phase: "started", data: { run_id: RUN } },
    ids: ["get_run_status", "get_run_logs"],
  },
  {
    that: "offers nothing of another run when a started one has no id",
    given: { tool: "amof_push_ecosystem", phase: "started", at: "run" },
    ids: [],
  },
];

/** Row 6 of NEXT-5 with NEXT-6. */
const AFTER_STATUS: readonly Case[] = [
  {
    that: "offers to switch to the active ticket when a branch is wrong",
    given: status({}, repo({ status: "WRONG_BRANCH+DIRTY" })),
    ids: ["ticket_switch", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no switch for a wrong branch without a ticket",
    given: status(TICKETLESS, repo({ status: "WRONG_BRANCH" })),
    ids: ["ticket_start", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to sync when a repository is missing",
    given: status({}, repo({ status: "MISSING" })),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to push when something is unpushed",
    given: status({}, repo({ status: "DIRTY+UNPUSHED", dirty: true, unpushed: true })),
    ids: ["push_ecosystem", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers no push for a read-only repository",
    given: status({}, repo({ status: "UNPUSHED", mode: "RO", unpushed: true })),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to commit and push when something is only dirty",
    given: status({}, repo({ status: "DIRTY", dirty: true })),
    ids: ["push_ecosystem", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to start a ticket when there is none",
    given: status(TICKETLESS, repo({})),
    ids: ["ticket_start", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "puts a ticket before what is less urgent when something is dirty",
    given: status(TICKETLESS, repo({ status: "DIRTY", dirty: true })),
    ids: ["push_ecosystem", "ticket_start", "sync_ecosystem"],
  },
  {
    that: "offers the tickets when none is active",
    given: status({ active_ticket: null, ticket_count: 2 }, repo({})),
    ids: ["ticket_list", "sync_ecosystem"],
  },
  {
    that: "offers to install, then the validation, when the answer says that nothing is installed",
    given: { tool: "amof_get_ecosystem_status", data: { workspace: null, repos: [] } },
    ids: ["install_ecosystem", "validate_manifest"],
  },
  {
    that: "offers to sync when nothing calls for attention; a push waits for something to push",
    given: status({}, repo({})),
    ids: ["sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers sync and a ticket when the answer tells nothing of tickets",
    given: { tool: "amof_get_ecosystem_status", data: {} },
    ids: ["sync_ecosystem", "ticket_start", "ticket_list"],
  },
  {
    that: "leaves ask mode the tickets, whatever was found",
    given: {
      ...status(TICKETLESS, repo({ dirty: true, unpushed: true }), repo({ status: "MISSING" })),
      mode: "ask",
    },
    ids: ["ticket_list"],
  },
  {
    that: "keeps the urgent three when everything is found",
    given: status(
      {},
      repo({ status: "WRONG_BRANCH+UNPUSHED", unpushed: true }),
      repo({ status: "MISSING" }),
    ),
    ids: ["ticket_switch", "sync_ecosystem", "push_ecosystem"],
  },
  {
    that: "takes a check that found something for the answer it carries",
    given: {
      ...status({}, repo({ status: "UNPUSHED", unpushed: true })),
      phase: "result",
      code: "check_failed",
    },
    ids: ["push_ecosystem", "sync_ecosystem", "ticket_list"],
  },
];

/** Row 7 of NEXT-5. */
const AFTER_RUN: readonly Case[] = [
  ...["queued", "paused"].map((status) => ({
    that: `offers to look again at a ${status} run`,
    given: runAnswer("amof_get_run_status", status),
    ids: ["get_run_status"],
  })),
  {
    that: "offers status and logs of a running run",
    given: runAnswer("amof_get_run_status", "running"),
    ids: ["get_run_status", "get_run_logs"],
  },
  {
    that: "offers summary, logs and the way back after a successful run",
    given: runAnswer("amof_get_run_status", "success"),
    ids: ["summarize_run", "get_run_logs", "back_to_ecosystem"],
  },
  ...["failed", "cancelled"].map((status) => ({
    that: `offers logs, summary and the way back after a ${status} run`,
    given: runAnswer("amof_get_run_status", status),
    ids: ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  })),
  {
    that: "leads from the run of a release to the history of releases",
    given: {
      tool: "amof_get_run_status",
      at: "run",
      data: { run_id: RUN, ecosystem: "", action: "release_bump", status: "success" },
    },
    ids: ["summarize_run", "get_run_logs", "release_log"],
  },
  {
    that: "leads back to no workspace after the run of a discard",
    given: runAnswer("amof_get_run_status", "success", "discard"),
    ids: ["summarize_run", "get_run_logs"],
  },
  {
    that: "leads from the failed run of an environment to the environment",
    given: runAnswer("amof_get_run_status", "failed", "spin_deploy"),
    ids: ["get_run_logs", "summarize_run", "spin_status"],
  },
  {
    that: "offers the status after the logs of a running run",
    given: runAnswer("amof_get_run_logs", "running"),
    ids: ["get_run_status"],
  },
  {
    that: "offers the summary after the logs of a failed run",
    given: runAnswer("amof_get_run_logs", "failed"),
    ids: ["summarize_run", "back_to_ecosystem"],
  },
  {
    that: "offers the logs after the summary of a successful run",
    given: runAnswer("amof_summarize_run", "success"),
    ids: ["get_run_logs", "back_to_ecosystem"],
  },
  {
    that: "leads from the run of an environment back where its state is not offered",
    given: {
      ...runAnswer("amof_get_run_status", "success", "spin_deploy"),
      find: (name) => name === "amof_spin_status" ? null : findAny(name),
    },
    ids: ["summarize_run", "get_run_logs", "back_to_ecosystem"],
  },
  ...["amof_summarize_run", "amof_get_run_status", "amof_get_run_logs"].map((tool): Case => ({
    that: `goes on when ${tool} tells that an install succeeded`,
    given: runAnswer(tool, "success", "install"),
    ids: ["get_ecosystem_status", "sync_ecosystem", "ticket_start"],
  })),
  {
    that: "goes on after an install with what can be asked in mode ask",
    given: { ...runAnswer("amof_summarize_run", "success", "install"), mode: "ask" },
    ids: ["get_ecosystem_status", "get_run_logs"],
  },
  {
    that: "does not go on when an install failed",
    given: runAnswer("amof_summarize_run", "failed", "install"),
    ids: ["get_run_logs", "back_to_ecosystem"],
  },
  {
    that: "goes on when a sync succeeded",
    given: runAnswer("amof_summarize_run", "success", "sync"),
    ids: ["get_ecosystem_status", "push_ecosystem", "get_active_runs"],
  },
  {
    that: "goes on after a sync with what mode plan allows",
    given: { ...runAnswer("amof_get_run_status", "success", "sync"), mode: "plan" },
    ids: ["get_ecosystem_status", "get_active_runs", "summarize_run"],
  },
  {
    that: "offers the status when logs do not tell it",
    given: { tool: "amof_get_run_logs", at: "run", data: { run_id: RUN } },
    ids: ["get_run_status"],
  },
  {
    that: "offers no way back from a run without an ecosystem",
    given: {
      ...runAnswer("amof_get_run_status", "success"),
      at: "global",
      data: { run_id: RUN, ecosystem: "", status: "success" },
    },
    ids: ["summarize_run", "get_run_logs"],
  },
];

function release(data: Fields, tool = "amof_release_status"): Given {
  return { tool, at: "release", data };
}

/** Rows 8 to 11 of NEXT-5. */
const AFTER_RELEASE: readonly Case[] = [
  {
    that: "offers beta for an alpha",
    given: release({ stage: "alpha" }),
    ids: ["release_promote_beta", "release_validate"],
  },
  {
    that: "offers a release candidate for a beta",
    given: release({ stage: "beta" }),
    ids: ["release_promote_rc", "release_validate", "release_log"],
  },
  {
    that: "offers stable for a release candidate",
    given: release({ stage: "rc" }),
    ids: ["release_promote_stable", "release_validate", "release_log"],
  },
  {
    that: "offers the history for a stable release",
    given: release({ stage: "stable", commits_since_tag: 0 }),
    ids: ["release_log"],
  },
  {
    that: "offers an alpha for a stable release with new commits",
    given: release({ stage: "stable", commits_since_tag: 4 }),
    ids: ["release_log", "release_bump_alpha"],
  },
  {
    that: "offers no new alpha for one that has new commits",
    given: release({ stage: "alpha", commits_since_tag: 4 }),
    ids: ["release_promote_beta", "release_validate"],
  },
  {
    that: "reads the stage from the version when it is not named",
    given: release({ version: "v2.0.0-beta.3" }),
    ids: ["release_promote_rc", "release_validate", "release_log"],
  },
  {
    that: "offers the history for a version of no known stage",
    given: release({ version: "2.0.0-nightly.3" }),
    ids: ["release_log"],
  },
  {
    that: "offers to push first when the release tree is dirty",
    given: release({ stage: "alpha", dirty: true }),
    ids: ["push_ecosystem", "release_promote_beta", "release_validate"],
  },
  {
    that: "offers the checks early when versions drift",
    given: release({ stage: "rc", version_drift: true }),
    ids: ["release_validate", "release_promote_stable", "release_log"],
  },
  {
    that: "offers the status after checks that failed",
    given: release({ ok: false, stage: "rc" }, "amof_release_validate"),
    ids: ["release_status"],
  },
  ...([["alpha", "beta"], ["beta", "rc"], ["rc", "stable"]] as const).map(([stage, next]) => ({
    that: `offers ${next} after the checks of an ${stage} passed`,
    given: release({ ok: true, stage }, "amof_release_validate"),
    ids: [`release_promote_${next}`, "release_status", "release_log"],
  })),
  {
    that: "offers no promotion after the checks of a stable release",
    given: release({ ok: true, stage: "stable" }, "amof_release_validate"),
    ids: ["release_status", "release_log"],
  },
  ...["amof_release_bump", "amof_release_promote"].flatMap((tool) => [
    {
      that: `offers history and status after an executed ${tool}`,
      given: release({}, tool),
      ids: ["release_log", "release_status"],
    },
    {
      that: `offers status and checks after a dry run of ${tool}`,
      given: { ...release({}, tool), phase: "preview" } as const,
      ids: ["release_status", "release_validate"],
    },
  ]),
  {
    that: "offers the promotion of what was released",
    given: {
      tool: "amof_get_run_status",
      at: "release",
      data: {
        run_id: RUN,
        ecosystem: "",
        action: "release_promote",
        status: "success",
        result: { tag: "v1.1.0-beta.1" },
      },
    },
    ids: ["release_promote_rc", "summarize_run", "get_run_logs"],
  },
  {
    that: "offers promotion and status after the history, by the newest release",
    given: release(
      { releases: [{ tag: "v1.1.0-alpha.2" }, { tag: "v1.0.0" }] },
      "amof_release_log",
    ),
    ids: ["release_promote_beta", "release_status"],
  },
  {
    that: "offers only the status after the history of a stable release",
    given: release({ releases: [{ tag: "v1.0.0" }] }, "amof_release_log"),
    ids: ["release_status"],
  },
];

function listing(...names: string[]): Given {
  return {
    tool: "amof_list_ecosystems",
    at: "global",
    data: { ecosystems: names.map((name) => ({ name })) },
  };
}

/** Rows 12 to 22 of NEXT-5. */
const OTHERS: readonly Case[] = [
  {
    that: "offers the newest run after spin_status",
    given: { tool: "amof_spin_status", phase: "result", data: { runs: [{ run_id: RUN }] } },
    ids: ["get_run_status", "get_ecosystem_status", "describe_ecosystem"],
  },
  {
    that: "offers to open the only ecosystem",
    given: listing("demo"),
    ids: ["switch_ecosystem", "get_server_status", "get_active_runs"],
  },
  {
    that: "offers to open the first three ecosystems",
    given: listing("demo", "shop", "blog", "more"),
    ids: ["switch_ecosystem", "switch_ecosystem_2", "switch_ecosystem_3"],
  },
  {
    that: "offers server and runs when there is no ecosystem",
    given: listing(),
    ids: ["get_server_status", "get_active_runs"],
  },
  {
    that: "offers the default set after a switch",
    given: { tool: "amof_switch_ecosystem", data: { active_ecosystem: "demo" } },
    ids: ["get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers to install first after a switch to what is not installed",
    given: { tool: "amof_switch_ecosystem", data: { installed: false } },
    ids: ["install_ecosystem", "get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers status and sync after a description",
    given: { tool: "amof_describe_ecosystem", data: { installed: true } },
    ids: ["get_ecosystem_status", "sync_ecosystem"],
  },
  {
    that: "offers to install after the description of what is not installed",
    given: { tool: "amof_describe_ecosystem", data: { installed: false } },
    ids: ["install_ecosystem"],
  },
  {
    that: "offers status and description after a validation",
    given: { tool: "amof_validate_manifest", data: { valid: true } },
    ids: ["get_ecosystem_status", "describe_ecosystem"],
  },
  {
    that: "offers a ticket after an empty list of tickets",
    given: { tool: "amof_ticket_list", data: { tickets: [], active_ticket: null } },
    ids: ["ticket_start"],
  },
  {
    that: "offers the first inactive ticket after a list of tickets",
    given: {
      tool: "amof_ticket_list",
      data: {
        tickets: [{ ticket_id: "A-1", active: true }, { ticket_id: "A-2", active: false }],
      },
    },
    ids: ["ticket_switch", "get_ecosystem_status"],
  },
  {
    that: "offers only the status when every ticket is active",
    given: {
      tool: "amof_ticket_list",
      data: { tickets: [{ ticket_id: "A-1", active: true }] },
    },
    ids: ["get_ecosystem_status"],
  },
  ...["amof_ticket_start", "amof_ticket_switch", "amof_ticket_end"].map((tool) => ({
    that: `offers status and tickets after ${tool}`,
    given: { tool },
    ids: ["get_ecosystem_status", "ticket_list"],
  })),
  {
    that: "offers to restart a running server",
    given: { tool: "amof_get_server_status", at: "global", data: { running: true } },
    ids: ["server_restart", "list_ecosystems"],
  },
  {
    that: "offers to start a stopped server, from an ecosystem as well",
    given: { tool: "amof_get_server_status", data: { running: false } },
    ids: ["server_start", "list_ecosystems"],
  },
  {
    that: "offers the list when the server does not tell how it is",
    given: { tool: "amof_get_server_status", at: "global" },
    ids: ["list_ecosystems"],
  },
  ...["amof_server_start", "amof_server_stop", "amof_server_restart"].map((tool) => ({
    that: `offers server status and list after ${tool}`,
    given: { tool },
    ids: ["get_server_status", "list_ecosystems"],
  })),
  {
    that: "offers the status after a journal entry",
    given: { tool: "amof_create_journal" },
    ids: ["get_ecosystem_status"],
  },
  ...["amof_list_runs", "amof_get_active_runs"].map((tool) => ({
    that: `offers the newest run, then the default, after ${tool}`,
    given: { tool, data: { runs: [{ run_id: RUN }, { run_id: OTHER_RUN }] } },
    ids: ["get_run_status", "list_ecosystems", "get_server_status"],
  })),
  {
    that: "offers the newest run, then the default of the ecosystem whose runs were listed",
    given: { tool: "amof_list_runs", data: { ecosystem: "demo", runs: [{ run_id: RUN }] } },
    ids: ["get_run_status", "get_ecosystem_status", "sync_ecosystem"],
  },
  {
    that: "offers the newest run from the global scope",
    given: { tool: "amof_list_runs", at: "global", data: { runs: [{ run_id: RUN }] } },
    ids: ["get_run_status", "list_ecosystems", "get_server_status"],
  },
  {
    that: "offers the default after an empty list of runs",
    given: { tool: "amof_list_runs", at: "global", data: { runs: [] } },
    ids: ["list_ecosystems", "get_server_status", "get_active_runs"],
  },
  {
    that: "offers the global set by default",
    given: { tool: "amof_set_mode", at: "global" },
    ids: ["list_ecosystems", "get_server_status", "get_active_runs", "get_global_telemetry"],
  },
  {
    that: "offers the ecosystem set by default",
    given: { tool: "amof_set_mode" },
    ids: ["get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  },
  {
    that: "offers promotion and the release set by default",
    given: { tool: "amof_scope_info", at: "release" },
    ids: ["release_promote_stable", "release_status", "release_log"],
  },
  {
    that: "offers the server set by default",
    given: { tool: "amof_scope_info", at: "server" },
    ids: ["get_server_status", "list_ecosystems"],
  },
  {
    that: "offers to look at the run by default",
    given: { tool: "amof_scope_info", at: "run", data: { scope: "run", run_id: RUN } },
    ids: ["get_run_status"],
  },
  {
    that: "offers what follows a cancelled run after cancel_run, from the global scope as well",
    given: {
      tool: "amof_cancel_run",
      at: "global",
      data: { run_id: RUN, ecosystem: "demo", status: "cancelled" },
    },
    ids: ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  },
];

const CASES = [
  ...FINISHED,
  ...RECOVERY,
  ...OUTCOMES,
  ...AFTER_STATUS,
  ...AFTER_RUN,
  ...AFTER_RELEASE,
  ...OTHERS,
];

for (const entry of CASES) {
  Deno.test(`suggest() ${entry.that}`, () => {
    assertEquals(ids(suggest(situation(entry.given))), [...entry.ids]);
  });
}

Deno.test("suggest() offers only calls that the registered tools accept", async () => {
  const checked = new Set<string>();
  for (const { given } of CASES) {
    for (const action of suggest(situation(given))) {
      const command = findCommand(action.tool);
      if (command === null) continue;
      await parseArguments(command, action.args);
      checked.add(action.tool);
    }
  }
  assert(checked.has("amof_push_ecosystem") && checked.has("amof_confirm"));
});

Deno.test("suggest() offers only calls that can be pasted as command lines and mean the same", async () => {
  const entries = COMMANDS.filter((command) => command.only !== "mcp");
  const pasted = new Set<string>();
  for (const { given } of CASES) {
    for (const action of suggest(situation(given))) {
      const line = actionLine(action.tool, action.args);
      if (line === null) continue;
      const { words, rest } = takeWords(line.split(" ").slice(1), entries);
      const entry = entries.find((command) => command.path.join(" ") === words.join(" "));
      assert(entry !== undefined, line);
      assertEquals(entry.name, findCommand(action.tool)?.name, line);
      const { args, flags } = await parseInvocation(entry, rest);
      const { ecosystem, mode, ...own } = action.args;
      assertEquals([flags.ecosystem ?? args["ecosystem"], flags.mode], [
        ecosystem,
        mode ?? null,
      ], line);
      const { ecosystem: _ecosystem, ...given } = args;
      assertEquals(given, own, line);
      pasted.add(action.id);
    }
  }
  assert(pasted.size > 15, [...pasted].join(", "));
});

Deno.test("actionLine() repeats the flag of a list and quotes what a shell would read", () => {
  const line = actionLine("amof_push_ecosystem", {
    message: "it's $HOME; rm",
    repos: ["api", "web"],
    commit: true,
    allow_base: false,
  });
  assertEquals(
    line,
    "amof push --message 'it'\\''s $HOME; rm' --repo api --repo web --commit",
  );
});

Deno.test("suggest() offers nothing whose tool is not offered here", () => {
  for (const { given } of CASES) {
    const none = suggest(situation({ ...given, find: () => null }));
    assertEquals(none, []);
  }
});

function first(given: Given): SuggestedAction {
  const [action] = suggest(situation(given));
  assert(action !== undefined);
  return action;
}

Deno.test("suggest() fills an action in completely", () => {
  const given = status({}, repo({ status: "UNPUSHED", unpushed: true }));
  assertEquals(first(given), {
    id: "push_ecosystem",
    label: "Push changes",
    tool: "amof_push_ecosystem",
    args: { ecosystem: "demo" },
    scope: "ecosystem",
    mode_required: "execute",
    safety: "dangerous-write",
    confirm: true,
    priority: 1,
    description: "Send local commits to their remotes.",
    condition: "status.has_unpushed",
  });
});

Deno.test("suggest() leaves the condition out where there is none", () => {
  assertEquals(Object.hasOwn(first({ tool: "amof_create_journal" }), "condition"), false);
});

Deno.test("suggest() tells a push of dirty repositories to commit", () => {
  const action = first(status({}, repo({ status: "DIRTY", dirty: true })));
  assertEquals(action.label, "Commit & push");
  assertEquals(action.args, { ecosystem: "demo", commit: true });
  assertEquals(action.condition, "status.has_dirty");
});

Deno.test("suggest() tells a push before a release to commit", () => {
  const action = first(release({ stage: "alpha", dirty: true }));
  assertEquals(action.label, "Commit/push first");
  assertEquals(action.args, { ecosystem: "demo", commit: true });
  assertEquals(action.condition, "release.dirty");
});

Deno.test("suggest() offers a dirty release no push without an ecosystem", () => {
  const dirty = situation(release({ stage: "stable", dirty: true }));
  assertEquals(ids(suggest({ ...dirty, ecosystem: null })), ["release_log"]);
});

Deno.test("suggest() confirms with the token of the request and nothing else", () => {
  const confirmation = { token: TOKEN, type: "type", typed_value_required: true };
  const action = first({
    tool: "amof_discard_ecosystem",
    code: "confirmation_required",
    data: { confirmation },
  });
  assertEquals(action.args, { token: TOKEN });
  assertEquals(action.scope, "ecosystem");
  // The action carries out what was confirmed, so hosts must not take it for one that only reads.
  assertEquals(
    [action.safety, action.mode_required, action.confirm],
    ["dangerous-write", "execute", true],
  );
  assertEquals(action.description, "Carry it out; a person must type the ecosystem name.");
});

Deno.test("suggest() asks about the run that holds the lock", () => {
  const action = first({
    tool: "amof_push_ecosystem",
    at: "run",
    code: "ecosystem_busy",
    details: { run_id: OTHER_RUN },
  });
  assertEquals(action.args, { run_id: OTHER_RUN });
});

Deno.test("suggest() goes back to the ecosystem of the run, not to that of the session", () => {
  const given = runAnswer("amof_summarize_run", "success");
  const back = suggest(situation({ ...given, data: { ...given.data, ecosystem: "shop" } }))
    .find((action) => action.id === "back_to_ecosystem");
  assertEquals(back?.args, { ecosystem: "shop" });
});

Deno.test("suggest() names the ticket and shortens to the plain label where it does not fit", () => {
  const list = (ticket_id: string): Given => ({
    tool: "amof_ticket_list",
    data: { tickets: [{ ticket_id, active: false }] },
  });
  assertEquals(first(list("PROJ-123")).label, "Switch to PROJ-123");
  assertEquals(first(list("PROJ-123-with-a-long-tail")).label, "Switch ticket");
});

Deno.test("suggest() cuts the name of an ecosystem to the length of a label", () => {
  const action = first(listing("an-ecosystem-with-a-rather-long-name"));
  assertEquals(action.label, "Open an-ecosystem-with-a-rath…");
  assertEquals(action.args, { ecosystem: "an-ecosystem-with-a-rather-long-name" });
});

Deno.test("suggest() repairs instead of installing anew when the state is damaged", () => {
  const action = first({
    tool: "amof_get_ecosystem_status",
    code: "state_corrupt",
    details: { reason: "its tickets are damaged" },
  });
  assertEquals(action.label, "Repair workspace");
  assertEquals(action.args, { ecosystem: "demo", repair: true });
});

/** The sets of NEXT-3. */
const SETS: Readonly<Record<SetName, readonly ActionId[]>> = {
  "global.default": [
    "list_ecosystems",
    "get_server_status",
    "get_active_runs",
    "get_global_telemetry",
  ],
  "ecosystem.after_install": ["get_ecosystem_status", "sync_ecosystem", "ticket_start"],
  "ecosystem.after_sync": ["get_ecosystem_status", "push_ecosystem", "get_active_runs"],
  "ecosystem.dirty_repos": ["push_ecosystem", "get_ecosystem_status", "sync_ecosystem"],
  "ecosystem.no_ticket": ["ticket_start", "ticket_list"],
  "ecosystem.default": ["get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  "run.queued": ["get_run_status"],
  "run.paused": ["get_run_status"],
  "run.running": ["get_run_status", "get_run_logs"],
  "run.success": ["summarize_run", "get_run_logs", "back_to_ecosystem"],
  "run.failed": ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  "run.cancelled": ["get_run_logs", "summarize_run", "back_to_ecosystem"],
  "release.alpha": ["release_promote_beta", "release_status", "release_validate"],
  "release.beta": ["release_promote_rc", "release_validate", "release_log"],
  "release.rc": ["release_promote_stable", "release_validate", "release_log"],
  "release.stable": ["release_log", "release_status"],
  "release.default": ["release_status", "release_log"],
  "server.default": ["get_server_status", "list_ecosystems"],
  post_destructive: ["list_ecosystems"],
  async_started: ["get_run_status", "get_run_logs"],
};

for (const [name, expected] of Object.entries(SETS)) {
  Deno.test(`offersOf() gives the set ${name} with priorities by position`, () => {
    const offers = offersOf(name as SetName);
    assertEquals(offers.map((offer) => offer.id), [...expected]);
    assertEquals(offers.map((offer) => offer.priority), expected.map((_, index) => index + 1));
  });
}

Deno.test("offersOf() labels what a running run offers", () => {
  const labels = (name: SetName) => offersOf(name).map((offer) => WORDS[offer.says ?? offer.id][0]);
  assertEquals(labels("run.running"), ["Refresh", "Stream logs"]);
  assertEquals(labels("async_started")[1], "Stream logs");
  assertEquals(labels("ecosystem.after_sync")[2], "Show runs");
});

for (const [id, definition] of Object.entries<Definition>(DEFINITIONS)) {
  Deno.test(`DEFINITIONS describes ${id} as a known tool`, () => {
    assert(TOOLS.has(definition.tool), `"${definition.tool}" is no tool`);
    assert(definition.priority >= 1 && definition.priority <= 5);
  });
}

Deno.test("WORDS has for every action, and for nothing else, few words", () => {
  const said = [...Object.keys(DEFINITIONS), ...VARIANTS];
  assertEquals(Object.keys(WORDS).toSorted(), said.toSorted());
  for (const [id, [label, description]] of Object.entries(WORDS)) {
    assert(label.length <= 30, id);
    assert(/^[A-Z][^.]*\.$/.test(description), description);
  }
});

Deno.test("toAction() offers no ecosystem-scoped action without an ecosystem", () => {
  const nowhere = situation({ tool: "amof_set_mode", at: "global" });
  for (const id of Object.keys(DEFINITIONS) as ActionId[]) {
    const action = toAction({ id, args: { run_id: RUN, token: TOKEN, ticket_id: "A-1" } }, nowhere);
    assertEquals(
      action === null,
      tool(DEFINITIONS[id].tool).scope === "ecosystem" || id === "switch_ecosystem",
    );
  }
});

const TRUTHS: Readonly<Record<Condition, readonly [Fields, Fields]>> = {
  "status.has_unpushed": [
    { repos: [repo({}), repo({ unpushed: true })] },
    { repos: [repo({ mode: "RO", unpushed: true })] },
  ],
  "status.has_dirty": [{ repos: [repo({ mode: "RO", dirty: true })] }, { repos: [repo({})] }],
  "status.has_missing": [{ repos: [repo({ status: "MISSING" })] }, { repos: [repo({})] }],
  "status.has_wrong_branch": [
    { repos: [repo({ status: "WRONG_BRANCH+DIRTY" })] },
    { repos: [repo({ status: "DIRTY" })] },
  ],
  "workspace.not_installed": [{ installed: false }, { installed: true }],
  "workspace.no_active_ticket": [
    { workspace: { active_ticket: null } },
    { workspace: { active_ticket: "A-1" } },
  ],
  "workspace.no_tickets": [
    { workspace: { ticket_count: 0 } },
    { workspace: { ticket_count: 1 }, tickets: [{}] },
  ],
  "run.running": [{ run_id: RUN, status: "running" }, { run_id: RUN, status: "queued" }],
  "run.success": [{ run_id: RUN, status: "success" }, { status: "success" }],
  "run.failed": [{ run_id: RUN, status: "failed" }, { run_id: RUN, status: "cancelled" }],
  "release.stage_alpha": [{ stage: "alpha" }, { version: "1.0.0" }],
  "release.stage_beta": [{ tag: "v1.0.0-beta.2" }, { tag: "v1.0.0-beta-2" }],
  "release.stage_rc": [{ version: "1.0.0-rc" }, { stage: "alpha", version: "1.0.0-rc.1" }],
  "release.stage_stable": [{ version: "v1.0.0" }, { version: "1.0" }],
  "release.dirty": [{ dirty: true }, { dirty: "yes" }],
  "release.version_drift": [{ version_drift: true }, {}],
  "release.has_unreleased": [{ commits_since_tag: 1 }, { commits_since_tag: 0 }],
  "server.running": [{ running: true }, {}],
  "server.stopped": [{ running: false }, {}],
  "manifest.invalid": [{ valid: false }, { valid: true }],
};

for (const [name, [yes, no]] of Object.entries(TRUTHS)) {
  Deno.test(`holds() tells when ${name}`, () => {
    const condition = name as Condition;
    const given = { tool: "amof_agent_stats" };
    assertEquals(holds(condition, situation({ ...given, data: yes })), true);
    assertEquals(holds(condition, situation({ ...given, data: no })), false);
    assertEquals(holds(condition, situation(given)), false);
  });
}

Deno.test("effectiveScope() is the tool's, wherever the session stands", () => {
  const scope = (tool: string, at: Place["scope"], code?: string, data: Fields = {}) =>
    effectiveScope(situation({ tool, at, data, ...(code === undefined ? {} : { code }) }));
  assertEquals(scope("amof_list_ecosystems", "global"), "global");
  assertEquals(scope("amof_list_ecosystems", "run"), "global");
  assertEquals(scope("amof_push_ecosystem", "global"), "ecosystem");
  assertEquals(scope("amof_push_ecosystem", "release"), "ecosystem");
  assertEquals(scope("amof_release_status", "run"), "release");
  assertEquals(scope("amof_server_stop", "run"), "server");
  assertEquals(scope("amof_list_runs", "server"), "global");
  assertEquals(scope("amof_list_runs", "run", undefined, { ecosystem: "demo" }), "ecosystem");
  assertEquals(scope("amof_set_mode", "run"), "run");
  assertEquals(scope("amof_switch_ecosystem", "ecosystem"), "ecosystem");
  assertEquals(scope("amof_get_server_status", "global"), "server");
  assertEquals(scope("amof_get_run_status", "run", "run_not_found"), "global");
  const { data } = runAnswer("amof_get_run_status", "success", "install");
  assertEquals(scope("amof_get_run_status", "run", undefined, data), "ecosystem");
});

function action(fields: Partial<SuggestedAction>): SuggestedAction {
  const safety = fields.safety ?? "read-only";
  return {
    id: fields.id ?? fields.tool ?? "x",
    label: "X",
    tool: "amof_x",
    args: {},
    scope: "global",
    mode_required: modeRequired(safety),
    safety,
    confirm: safety === "dangerous-write",
    priority: 1,
    description: "X.",
    ...fields,
  };
}

Deno.test("dropSame() drops the tool just called whatever its arguments", () => {
  const actions = [action({ tool: "amof_list_runs", args: { limit: 1 } }), action({ id: "y" })];
  assertEquals(ids(dropSame(actions, situation({ tool: "amof_list_runs" }))), ["y"]);
});

Deno.test("dropSame() keeps get_run_status only while the run has not ended", () => {
  const again = [action({ id: "again", tool: "amof_get_run_status" })];
  const left = (status: string) =>
    ids(dropSame(again, situation(runAnswer("amof_get_run_status", status))));
  for (const status of ["queued", "paused", "running"]) assertEquals(left(status), ["again"]);
  for (const status of ["success", "failed", "cancelled", "odd"]) assertEquals(left(status), []);
});

Deno.test("gateScope() keeps the effective scope and its parent", () => {
  const scopes = ["global", "ecosystem", "run", "release", "server"] as const;
  const actions = scopes.map((scope) => action({ id: scope, scope }));
  const kept = (at: Place["scope"]) =>
    ids(gateScope(actions, situation({ tool: "amof_set_mode", at })));
  assertEquals(kept("global"), ["global"]);
  assertEquals(kept("ecosystem"), ["global", "ecosystem"]);
  assertEquals(kept("run"), ["ecosystem", "run"]);
  assertEquals(kept("release"), ["ecosystem", "release"]);
  assertEquals(kept("server"), ["global", "server"]);
});

Deno.test("gateScope() keeps an action on a run that the answer carries, and on no other", () => {
  const actions = [RUN, OTHER_RUN].map((run_id) =>
    action({ id: run_id, scope: "run", args: { run_id } })
  );
  const given = { tool: "amof_list_runs", at: "global" } as const;
  const listed = situation({ ...given, data: { runs: [{ run_id: RUN }] } });
  assertEquals(ids(gateScope(actions, listed)), [RUN]);
  const started = situation({ ...given, data: { run_id: OTHER_RUN } });
  assertEquals(ids(gateScope(actions, started)), [OTHER_RUN]);
});

Deno.test("gateMode() drops what the mode does not allow", () => {
  const actions = (["read-only", "safe-write", "dangerous-write"] as const)
    .map((safety) => action({ id: safety, safety }));
  const kept = (mode: Mode) => ids(gateMode(actions, situation({ tool: "amof_set_mode", mode })));
  assertEquals(kept("ask"), ["read-only"]);
  assertEquals(kept("plan"), ["read-only", "safe-write"]);
  assertEquals(kept("execute"), ["read-only", "safe-write", "dangerous-write"]);
});

const AFTER_QUERY = [
  "amof_discard_ecosystem",
  "amof_spin_destroy",
  "amof_archive_ecosystem",
  "amof_push_ecosystem",
  "amof_sync_ecosystem",
].map((tool) => action({ tool, id: tool }));

Deno.test("dropAfterQuery() drops what destroys, and a push without anything to push", () => {
  const clean = situation(status({}, repo({})));
  assertEquals(ids(dropAfterQuery(AFTER_QUERY, clean)), ["amof_sync_ecosystem"]);
});

Deno.test("dropAfterQuery() keeps a push when something is unpushed, dirty, or dirty for a release", () => {
  const kept = ["amof_push_ecosystem", "amof_sync_ecosystem"];
  for (
    const given of [
      status({}, repo({ unpushed: true })),
      status({}, repo({ dirty: true })),
      release({ dirty: true }),
    ]
  ) {
    assertEquals(ids(dropAfterQuery(AFTER_QUERY, situation(given))), kept);
  }
});

Deno.test("dropAfterQuery() drops nothing after a deed or a move of the session", () => {
  for (const tool of ["amof_sync_ecosystem", "amof_switch_ecosystem"]) {
    assertEquals(dropAfterQuery(AFTER_QUERY, situation({ tool })).length, AFTER_QUERY.length);
  }
});

Deno.test("deduplicate() keeps the most urgent of an id, and of equal ones the first", () => {
  const actions = [
    action({ id: "a", priority: 3, label: "late" }),
    action({ id: "b", tool: "amof_b", label: "first" }),
    action({ id: "a", priority: 1, label: "early" }),
    action({ id: "b", tool: "amof_b", label: "second" }),
  ];
  assertEquals(deduplicate(actions).map((entry) => entry.label), ["first", "early"]);
});

Deno.test("deduplicate() keeps one of two ids that make the same call", () => {
  const actions = [
    action({ id: "a", priority: 2, args: { x: 1, y: 2 } }),
    action({ id: "b", priority: 1, args: { y: 2, x: 1 } }),
    action({ id: "c", priority: 3, args: { x: 2 } }),
  ];
  assertEquals(ids(deduplicate(actions)), ["b", "c"]);
});

Deno.test("sortByPriority() keeps the order of equal priorities", () => {
  const actions = [["a", 2], ["b", 1], ["c", 2], ["d", 1]] as const;
  const sorted = sortByPriority(actions.map(([id, priority]) => action({ id, priority })));
  assertEquals(ids(sorted), ["b", "d", "a", "c"]);
});

Deno.test("limit() allows three after a question and five after anything else", () => {
  const actions = Array.from({ length: 7 }, (_, index) => action({ id: String(index) }));
  assertEquals(limit(actions, situation({ tool: "amof_list_runs" })).length, 3);
  assertEquals(limit(actions, situation({ tool: "amof_sync_ecosystem" })).length, 5);
  assertEquals(limit(actions, situation({ tool: "amof_scope_info" })).length, 5);
});

Deno.test("fallBack() offers one thing of the scope when nothing is left", () => {
  const left = (given: Given) => ids(fallBack([], situation(given)));
  assertEquals(left({ tool: "amof_set_mode" }), ["ticket_list"]);
  assertEquals(left({ tool: "amof_ticket_list" }), ["list_ecosystems"]);
  assertEquals(left({ tool: "amof_set_mode", at: "release" }), ["release_log"]);
  assertEquals(left({ tool: "amof_set_mode", at: "run" }), ["get_run_status"]);
  assertEquals(left({ ...runAnswer("amof_get_run_status", "success") }), ["summarize_run"]);
  assertEquals(left({ tool: "amof_set_mode", at: "global" }), ["list_ecosystems"]);
  assertEquals(left({ tool: "amof_set_mode", at: "server" }), ["list_ecosystems"]);
  assertEquals(left({ tool: "amof_list_ecosystems", at: "global" }), ["get_server_status"]);
});

Deno.test("fallBack() offers the next best where a tool is not offered here", () => {
  const find = (name: string) => name === "amof_ticket_list" ? null : findAny(name);
  assertEquals(ids(fallBack([], situation({ tool: "amof_set_mode", find }))), ["list_ecosystems"]);
});

Deno.test("fallBack() offers nothing that needs a workspace where there is none", () => {
  const given = { tool: "amof_set_mode", installed: false };
  assertEquals(ids(fallBack([], situation(given))), ["list_ecosystems"]);
});

Deno.test("suggest() offers to install instead of everything that needs a workspace where there is none", () => {
  const offered = (given: Given) => ids(suggest(situation({ ...given, installed: false })));
  assertEquals(offered({ tool: "amof_validate_manifest" }), [
    "install_ecosystem",
    "describe_ecosystem",
  ]);
  assertEquals(offered({ tool: "amof_set_mode" }), ["install_ecosystem"]);
  assertEquals(offered({ tool: "amof_validate_manifest", mode: "ask" }), ["describe_ecosystem"]);
  assertEquals(offered({ tool: "amof_set_mode", mode: "ask" }), ["list_ecosystems"]);
});

Deno.test("fallBack() adds nothing to what is left", () => {
  assertEquals(ids(fallBack([action({ id: "a" })], situation({ tool: "amof_set_mode" }))), ["a"]);
});

Deno.test("filterAll() sorts before it counts", () => {
  const actions = [5, 4, 3, 2, 1].map((priority) =>
    action({ id: String(priority), tool: `amof_${priority}`, priority })
  );
  const after = situation({ tool: "amof_list_runs", at: "global" });
  assertEquals(ids(filterAll(actions, after)), ["1", "2", "3"]);
});

Deno.test("filterAll() removes duplicates before it counts", () => {
  const actions = [
    action({ id: "a", tool: "amof_a" }),
    action({ id: "a", tool: "amof_a" }),
    action({ id: "b", tool: "amof_b" }),
    action({ id: "c", tool: "amof_c" }),
  ];
  const after = situation({ tool: "amof_list_runs", at: "global" });
  assertEquals(ids(filterAll(actions, after)), ["a", "b", "c"]);
});

Deno.test("filterAll() falls back after every other rule", () => {
  const tooBold = [action({ id: "a", safety: "dangerous-write" })];
  const asked = situation({ tool: "amof_set_mode", mode: "ask" });
  assertEquals(ids(filterAll(tooBold, asked)), ["ticket_list"]);
});
