/**
 * The action that shows how the thing of a scope stands (NEXT-9).
 *
 * @module
 */

import type { ScopeName } from "../contract/place.ts";
import type { ActionId } from "./definitions.ts";
import { toolScope } from "./scope.ts";
import type { Situation } from "./situation.ts";

const READERS: Readonly<Record<ScopeName, ActionId>> = {
  global: "list_ecosystems",
  ecosystem: "get_ecosystem_status",
  run: "get_run_status",
  release: "release_status",
  server: "get_server_status",
};

/** Tools that act on the environment of an ecosystem instead of its repositories. */
const ON_ENVIRONMENT: ReadonlySet<string> = new Set([
  "amof_spin_deploy",
  "amof_spin_destroy",
  "amof_spin_trust",
]);

/** The read-only status of the scope of the tool just called (NEXT-9). */
export function statusReader(situation: Situation): ActionId {
  // The status of a workspace that is not there can only fail; the description says so.
  if (situation.command.name === "amof_install_ecosystem") return "describe_ecosystem";
  const environment = ON_ENVIRONMENT.has(situation.command.name) &&
    situation.find("amof_spin_status") !== null;
  if (environment) return "spin_status";
  return READERS[toolScope(situation)];
}
