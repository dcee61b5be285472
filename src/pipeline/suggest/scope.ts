/** The scope an answer is about, which actions belong there, and which shows how its thing stands (NEXT-9). */

import type { ScopeName } from "../../contract/place.ts";
import { asText, continues, hasRemoved, type Situation } from "./answer.ts";
import { DEFINITIONS } from "./definitions.ts";
import type { ActionId } from "../../contract/next.ts";

const READERS: Readonly<Record<ScopeName, ActionId>> = {
  global: "list_ecosystems",
  ecosystem: "get_ecosystem_status",
  run: "get_run_status",
  release: "release_status",
  server: "get_server_status",
};

/** The read-only status of the scope of the tool just called (NEXT-9). */
export function statusReader(situation: Situation): ActionId {
  // The status of a workspace that is not there can only fail; the description says so.
  const { command, find } = situation;
  if (command.kind === "mutation" && command.readies === "after_install") {
    return "describe_ecosystem";
  }
  // Before the first version there is a history, of none, and no status.
  if (command.name === DEFINITIONS.release_init.tool) return "release_log";
  if (command.next === "campaign") return "campaign_status";
  const ofEnvironment = find(DEFINITIONS.spin_status.tool) !== null;
  if (command.about === "environment" && ofEnvironment) return "spin_status";
  // Its commands are about nothing that amof itself keeps: each says what shows how things stand.
  if (command.about === "stocktrim" && typeof command.next === "object") {
    return command.next[0] ?? "stocktrim_products";
  }
  return READERS[toolScope(situation)];
}

/** Failures that say that the thing of the call's scope was not named or does not exist. */
const NOWHERE: ReadonlySet<string> = new Set([
  "ecosystem_not_found",
  "run_not_found",
  "scope_required",
  "root_not_found",
]);

/** The scope of the tool just called; one that moves the session, or is about it, has the session's. */
export function toolScope({ command, session, data }: Situation): ScopeName {
  // It can be called from anywhere; what follows is about the server.
  if (command.about === "server") return "server";
  // Data of a service belongs to no ecosystem.
  if (command.about === "stocktrim") return "global";
  if (command.kind === "navigation" || command.scope === "session") return session.place.scope;
  // A question about all of them may have been asked about one.
  const narrowed = command.scope === "global" && command.kind === "query" &&
    asText(data["ecosystem"]) !== null;
  return narrowed ? "ecosystem" : command.scope;
}

/**
 * The scope an answer is about, which is that of the call and not of the place the session stands in. A call
 * that did not find its thing stands nowhere: only lists help then. A run that made an ecosystem ready, or took
 * something of it away, leads there.
 */
export function effectiveScope(situation: Situation): ScopeName {
  if (situation.failure !== null && NOWHERE.has(situation.failure.code)) return "global";
  const leads = continues(situation) !== null || hasRemoved(situation);
  return leads ? "ecosystem" : toolScope(situation);
}
