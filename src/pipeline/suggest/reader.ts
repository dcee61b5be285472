/** The action that shows how the thing of a scope stands (NEXT-9). */

import type { ScopeName } from "../../contract/place.ts";
import type { ActionId } from "../../contract/next.ts";
import { DEFINITIONS } from "./definitions.ts";
import { toolScope } from "./scope.ts";
import type { Situation } from "./situation.ts";

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
