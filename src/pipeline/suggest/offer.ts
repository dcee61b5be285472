/** What a rule offers, what actions are called, and how an offer becomes one with all a caller needs (NEXT-1). */

import { defined, type Fields } from "../../base/object.ts";
import type { Known } from "../../contract/mod.ts";
import { type Mode, modeRequired, type Safety } from "../../base/policy/mode.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { asRecord, asText, resultOf, runOf, type Situation } from "./answer.ts";
import type { Condition } from "./conditions.ts";
import type { ActionId } from "../../contract/next.ts";
import { DEFINITIONS, toolScope } from "./definitions.ts";

/** A label of at most 30 characters and one short sentence, by the id of the action or of its variant. */
export const WORDS = {
  list_ecosystems: ["List ecosystems", "See which ecosystems there are."],
  get_server_status: ["Server status", "See whether the server is running."],
  get_active_runs: ["Show active runs", "See what is running now."],
  list_runs: ["List runs", "See the newest runs with their ids."],
  get_global_telemetry: ["View telemetry", "See counts and durations of all runs."],
  switch_ecosystem: ["Open ecosystem", "Make this the ecosystem later calls mean."],
  get_ecosystem_status: [
    "Check status",
    "See branch, changes and unpushed work of every repository.",
  ],
  describe_ecosystem: ["Describe ecosystem", "See what the ecosystem consists of."],
  back_to_ecosystem: ["Back to ecosystem", "Return to the ecosystem of the run and see its state."],
  validate_manifest: ["Validate manifest", "Check the manifest for errors."],
  install_ecosystem: ["Install workspace", "Create the workspace with every repository."],
  restore_archive: ["Restore workspace", "Make the workspace that was put away again."],
  sync_ecosystem: ["Sync repos", "Clone what is missing and get the latest commits."],
  push_ecosystem: ["Push changes", "Send local commits to their remotes."],
  ticket_start: [
    "Start ticket",
    "Begin a ticket with a branch in each repository; replace TICKET-ID.",
  ],
  ticket_add: ["Add to ticket", "Take what is on base branches to the branch of the ticket."],
  ticket_list: ["List tickets", "See the tickets of the ecosystem."],
  ticket_switch: ["Switch ticket", "Put every repository on the branch of this ticket."],
  ticket_end: ["End ticket", "Close the ticket, whose work is merged, and delete its branches."],
  ticket_update: [
    "Update ticket",
    "Put what is new on top of the base branch, which has the rest.",
  ],
  spin_status: [
    "Environment status",
    "See what is known about the environment and its provisioner.",
  ],
  get_run_status: ["Refresh status", "See how far the run is."],
  get_run_logs: ["Show logs", "Read what the run has logged."],
  summarize_run: ["View summary", "See outcome, duration and errors of the run."],
  release_status: ["Release status", "See the current version and what can follow it."],
  release_validate: ["Validate release", "Check whether the next release can be made."],
  release_log: ["Release history", "See the releases made so far."],
  release_promote_beta: ["Promote to beta", "Release the current version as beta."],
  release_promote_rc: ["Promote to RC", "Release the current version as release candidate."],
  release_promote_stable: ["Promote to stable", "Release the current version as stable."],
  release_bump_alpha: [
    "Start alpha",
    "Release the new commits as alpha of the next patch version.",
  ],
  release_init: ["First release", "Tag what is there as the first version."],
  release_push: ["Push release", "Send the releases that are only here."],
  pr_open: ["Open pull requests", "Push the ticket's branches and open their pull requests."],
  pr_status: ["Pull request status", "See checks, reviews and what blocks the ticket."],
  pr_update: ["Update pull requests", "Push what is new of the ticket to its pull requests."],
  pr_land: ["Land pull requests", "Merge the pull requests of the ticket in order."],
  campaign_show: ["Show shapes", "See what the commits of the campaign change, by shape."],
  campaign_approve: ["Approve shape", "Let the commits of the shape that was shown be pushed."],
  campaign_push: ["Push campaign", "Push the commits of approved shapes to their branches."],
  campaign_status: ["Campaign status", "See how the repositories of the campaign stand."],
  campaign_update: ["Update campaign", "Run it again where there is no commit yet."],
  campaign_close: ["Close campaign", "End the campaign, whose commits are merged."],
  server_start: ["Start server", "Start the server."],
  server_restart: ["Restart server", "Stop the server and start it again."],
  stocktrim_products: ["List products", "See the products that StockTrim keeps."],
  stocktrim_suppliers: ["List suppliers", "See the suppliers that StockTrim knows."],
  stocktrim_purchase_orders: ["List purchase orders", "See the purchase orders by status."],
  stocktrim_order_plan: ["Show order plan", "See what runs out when, and what to order."],
  confirm: ["Confirm", "Carry out exactly what was previewed, with a person's consent."],
  cancel_confirm: ["Cancel", "Give the request up; nothing is changed."],
  // Other names for some actions, where more is known about the situation.
  complete_it: ["Complete it", "Clone or fetch what is still missing."],
  refresh: ["Refresh", "See how far the run is."],
  stream_logs: ["Stream logs", "Read what the run has logged."],
  show_runs: ["Show runs", "See what is running now."],
  commit_and_push: ["Commit & push", "Commit all changes and send them to their remotes."],
  push_base: ["Push base branch", "Send commits of the base branch to its remote, past the guard."],
  commit_and_push_base: [
    "Commit & push base",
    "Commit all changes on the base branch and send them to its remote, past the guard.",
  ],
  end_deleted: ["End ticket", "Close the ticket, whose branches somebody has deleted."],
  take_base: ["Update ticket", "Bring what is new on base branches into the ticket's."],
  update_on: ["Continue update", "Go on with the update, whose conflicts are resolved."],
  update_back: ["Take update back", "Go back to before the update that has conflicts."],
  changes_back: ["Give changes back", "Bring back the changes of the ticket that were put away."],
  repair_workspace: ["Repair workspace", "Rebuild the damaged state, keeping the old file aside."],
  ask_again: ["Ask again", "Carry it out once a person has approved it."],
  confirm_name: ["Confirm", "Carry it out; a person must type the name."],
} as const satisfies Readonly<Record<string, readonly [label: string, description: string]>>;

/** The id of words. */
type WordId = keyof typeof WORDS;

const LABEL_LENGTH = 30;
const LOWEST_PRIORITY = 5;

/** An action with what is special about it here; its definition says the rest (NEXT-2). */
export interface Offer {
  readonly id: ActionId;
  /** Tells several actions of one id apart: `switch_ecosystem_2`. */
  readonly suffix?: string;
  /** What it is called here; its own words when absent. */
  readonly says?: WordId;
  /** A label with the name of the thing in it. */
  readonly label?: string;
  readonly args?: Fields;
  readonly priority?: number;
  readonly condition?: Condition;
}

/** Offers in the order of their list: the priority is the position (NEXT-3). */
export function inOrder(
  items: readonly (ActionId | Offer)[],
  condition: Condition | null = null,
): Offer[] {
  return items.map((item, index) => ({
    ...(condition === null ? {} : { condition }),
    ...(typeof item === "string" ? { id: item } : item),
    priority: Math.min(index + 1, LOWEST_PRIORITY),
  }));
}

/** Whether a label with this text in it can be shown whole (NEXT-1). */
function fitsLabel(label: string): boolean {
  return cleanLine(label, LABEL_LENGTH) === label;
}

/** Whether a call changes the base workspace alone, which nobody asked about who works in a ticket. */
function isElsewhere(command: Known, { ticket_id: named }: Fields, { ticket }: Situation): boolean {
  return ticket !== null && command.kind === "mutation" && command.needs === "a workspace" &&
    command.inTicket !== "its workspace" && named !== ticket;
}

/** Where a call has to be made that takes away the workspace in which this program stands. */
function placeFor(id: ActionId, { ticket_id: named }: Fields, { inside }: Situation) {
  return id === "ticket_end" && inside !== undefined && named === inside.ticket
    ? { from: inside.root }
    : {};
}

/** What a call may do, and whether it asks for consent, or is one: deleting branches raises both. */
function careOf(command: Known, args: Fields): Pick<SuggestedAction, "safety" | "confirm"> {
  return args["cleanup"] === true ? { safety: "dangerous-write", confirm: true } : {
    safety: command.safety,
    confirm: command.confirm !== "none" || command.kind === "redeem",
  };
}

/** What a call of a command has to name where no session knows it. */
function unsaid(command: Known, { ecosystem }: Fields, { mode }: Situation): Fields {
  return {
    ...(command.scope === "ecosystem" && asText(ecosystem) !== null ? { ecosystem } : {}),
    ...(command.kind === "mutation" || command.kind === "redeem" ? { mode } : {}),
  };
}

/** The ecosystem of an answer: the one it names, such as a run's, or else that of the call. */
function ecosystemOf({ data, ecosystem }: Situation): string | null {
  return asText(data["ecosystem"]) ?? asText(ecosystem);
}

/** The campaign an answer is about: the one it names or previews. */
function campaignOf(situation: Situation): string | null {
  const { data } = situation;
  return asText(resultOf(situation)["campaign"]) ??
    asText(asRecord(data["preview"])?.["campaign"]) ??
    asText(asRecord(asRecord(data["confirmation"])?.["preview"])?.["campaign"]);
}

/**
 * The action of an offer. Null when its tool is not offered here or an argument it needs is not known, so that
 * none is about an ecosystem that nobody named (NEXT-2).
 */
export function toAction(offer: Offer, situation: Situation): SuggestedAction | null {
  const definition = DEFINITIONS[offer.id];
  const command = situation.find(definition.tool);
  if (command === null || isElsewhere(command, offer.args ?? {}, situation)) return null;
  const known: Fields = {
    ecosystem: ecosystemOf(situation),
    run_id: runOf(situation),
    campaign: campaignOf(situation),
    ...offer.args,
  };
  if (definition.needs.some((name) => asText(known[name]) === null)) return null;
  const needed = Object.fromEntries(definition.needs.map((name) => [name, known[name]]));
  const { ticket } = situation;
  if (ticket !== null && command.inTicket === "its workspace") needed["ticket"] = ticket;
  // Whoever has no session is told all that the next call has to say.
  if (!situation.session.lasts) Object.assign(needed, unsaid(command, known, situation));
  const args = { ...needed, ...definition.args, ...offer.args };
  const care = careOf(command, args);
  const [label, description] = WORDS[offer.says ?? offer.id];
  return {
    id: offer.suffix === undefined ? offer.id : `${offer.id}_${offer.suffix}`,
    label: cleanLine(offer.label ?? label, LABEL_LENGTH),
    tool: definition.tool,
    args,
    ...placeFor(offer.id, args, situation),
    // A tool of the session applies to the scope of the tool that was just called.
    scope: command.scope === "session" ? toolScope(situation) : command.scope,
    mode_required: modeRequired(care.safety),
    ...care,
    priority: offer.priority ?? definition.priority,
    description,
    ...defined({ condition: offer.condition }),
  };
}

// Offers whose label names the thing they are about.

/** The offer to work on a ticket, under its name where that fits (NEXT-1). */
export function switchTo(ticket: string): Offer {
  const label = `Switch to ${ticket}`;
  return {
    id: "ticket_switch",
    args: { ticket_id: ticket },
    ...(fitsLabel(label) ? { label } : {}),
  };
}

// The predefined sets of actions; the priority is the position (NEXT-3).

const SETS = {
  "global.default": [
    "list_ecosystems",
    "get_server_status",
    "get_active_runs",
    "get_global_telemetry",
  ],
  "ecosystem.after_install": ["get_ecosystem_status", "sync_ecosystem", "ticket_start"],
  "ecosystem.after_sync": [
    "get_ecosystem_status",
    // A sync does not tell what there is to push; the status does.
    { id: "get_active_runs", says: "show_runs" },
  ],
  "ecosystem.after_commit": ["push_ecosystem", "get_ecosystem_status"],
  "ecosystem.dirty_repos": [
    // A push commits nothing unless it is told to, and then dirty repositories would stay behind.
    { id: "push_ecosystem", says: "commit_and_push", args: { commit: true } },
    "get_ecosystem_status",
    "sync_ecosystem",
  ],
  "ecosystem.no_ticket": ["ticket_start", "ticket_list"],
  "ecosystem.default": ["get_ecosystem_status", "sync_ecosystem", "ticket_list"],
  "run.queued": ["get_run_status"],
  "run.paused": ["get_run_status"],
  "run.running": [
    { id: "get_run_status", says: "refresh" },
    { id: "get_run_logs", says: "stream_logs" },
  ],
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
  async_started: ["get_run_status", { id: "get_run_logs", says: "stream_logs" }],
} as const satisfies Readonly<Record<string, readonly (ActionId | Offer)[]>>;

/** The name of a set of NEXT-3. */
export type SetName = keyof typeof SETS;

/** The offers of a set, each with the condition for which the set was chosen (NEXT-3). */
export function offersOf(name: SetName, condition: Condition | null = null): Offer[] {
  return inOrder(SETS[name], condition);
}

/** A next step offered with an answer. */
export interface SuggestedAction {
  readonly id: string;
  /** At most 30 characters. */
  readonly label: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The directory in which it has to be called, where the one of this program would be in its way. */
  readonly from?: string;
  readonly scope: "global" | "ecosystem" | "run" | "release" | "server";
  readonly mode_required: Mode;
  readonly safety: Safety;
  readonly confirm: boolean;
  /** 1 is the highest, 5 the lowest. */
  readonly priority: number;
  readonly description: string;
  readonly condition?: string;
}
