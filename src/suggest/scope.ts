/**
 * The scope a call leaves the reader in, and which actions belong there (amof.md §6.7 rule 2).
 *
 * @module
 */

import type { ScopeName } from "../spec/session.ts";
import type { SuggestedAction } from "./action.ts";
import { asText, requestToken, runsNamed } from "./answer.ts";
import type { Situation } from "./situation.ts";

const PARENTS: Readonly<Record<ScopeName, ScopeName | null>> = {
  global: null,
  ecosystem: "global",
  server: "global",
  run: "ecosystem",
  release: "ecosystem",
};

/** Failures that say that the thing of the call's scope was not named or does not exist. */
const NOWHERE: ReadonlySet<string> = new Set([
  "ecosystem_not_found",
  "run_not_found",
  "scope_required",
  "root_not_found",
]);

function isWithin(inner: ScopeName, outer: ScopeName): boolean {
  for (let at: ScopeName | null = inner; at !== null; at = PARENTS[at]) {
    if (at === outer) return true;
  }
  return false;
}

/** The scope of the tool just called; a session tool has the session's (amof.md §3.2). */
export function toolScope({ command, session }: Situation): ScopeName {
  // Global in the catalogue, as it can be called from anywhere; what follows is about the server.
  if (command.name === "amof_get_server_status") return "server";
  return command.scope === "session" ? session.place.scope : command.scope;
}

/**
 * The narrower of the session's scope and the scope of the tool just called (amof.md §6.7 rule 2).
 *
 * Where neither holds the other, such as run and server, the tool's counts, because it is what the
 * reader turned to. A call that did not find its thing stands nowhere: only lists help then.
 */
export function effectiveScope(situation: Situation): ScopeName {
  if (situation.failure !== null && NOWHERE.has(situation.failure.code)) return "global";
  const stands = situation.session.place.scope;
  const tool = toolScope(situation);
  return isWithin(stands, tool) ? stands : tool;
}

/** Whether the answer is about a run that made a release, which stands in no ecosystem. */
function isReleaseRun({ data }: Situation): boolean {
  return asText(data["run_id"]) !== null &&
    (asText(data["action"])?.startsWith("release_") ?? false);
}

/**
 * Whether an action belongs to the effective scope or its parent (amof.md §6.7 rule 2).
 *
 * What the answer itself names, its run or its confirmation request, is at hand in every scope.
 */
export function isInScope(action: SuggestedAction, situation: Situation): boolean {
  const { run_id: run, token } = action.args;
  if (action.scope === "run" && runsNamed(situation).has(asText(run) ?? "")) return true;
  if (token !== undefined && token === requestToken(situation)) return true;
  if (action.scope === "release" && isReleaseRun(situation)) return true;
  const here = effectiveScope(situation);
  return action.scope === here || action.scope === PARENTS[here];
}
