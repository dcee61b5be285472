/** What is taken away from the candidates, and in which order (NEXT-10); what stands for an action where there is no workspace. */

import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { allows } from "../../base/policy/mode.ts";
import type { ScopeName } from "../../contract/place.ts";
import { type Offer, type SuggestedAction, toAction } from "./offer.ts";
import { firstRelease } from "./after/release.ts";
import {
  asRecord,
  asRecords,
  asText,
  continues,
  removes,
  requestToken,
  resultOf,
  runStatusOf,
  type Situation,
} from "./answer.ts";
import { holds } from "./conditions.ts";
import type { ActionId } from "../../contract/next.ts";
import { DEFINITIONS, effectiveScope } from "./definitions.ts";
import type { ErrorCode } from "../../base/error.ts";

/** Whether an action can only fail without a workspace. */
function needsWorkspace(id: ActionId, { find }: Pick<Situation, "find">): boolean {
  return find(DEFINITIONS[id].tool)?.needs === "a workspace";
}

/** What only work on an engine fails with. */
const OF_ENGINES: readonly ErrorCode[] = ["engine_unavailable", "engine_conflict", "plan_refused"];

/** Whether an answer is about work that needs no workspace: on an engine, of a campaign, or whatever a run has done. */
function isElsewhere(situation: Situation): boolean {
  const { command, data, failure } = situation;
  if (command.scope === "run" || command.next === "campaign") return true;
  if (failure !== null && OF_ENGINES.includes(failure.code)) return true;
  const preview = asRecord(data["preview"]) ??
    asRecord(asRecord(data["confirmation"])?.["preview"]);
  return asText(resultOf(situation)["engine"]) !== null || asRecord(preview?.["far"]) !== null;
}

/** What there is to read of the run that an answer names. */
function ofItsRun({ data }: Situation): readonly Offer[] {
  const run = asText(data["run_id"]);
  return run === null ? [] : [{ id: "get_run_logs", priority: 1, args: { run_id: run } }];
}

/** Where a workspace was put away, bringing it back comes before making one anew. */
export function withArchive(offers: readonly Offer[]): readonly Offer[] {
  return offers.flatMap((offer) => {
    const { id, args = {} } = offer;
    return id !== "install_ecosystem" || args["repair"] === true
      ? [offer]
      : [{ ...offer, id: "restore_archive" } as const, offer];
  });
}

/** Where there is no workspace, making one stands for everything that needs it, unless the work was done without one. */
export function withoutWorkspace(
  offers: readonly Offer[],
  situation: Situation,
): readonly Offer[] {
  const first = offers.findIndex((offer) => needsWorkspace(offer.id, situation));
  if (first < 0) return offers;
  // Adopted clones are used again by a command that is told of their place.
  const isAdopted = asText(asRecord(situation.data["removed"])?.["again"]) !== null;
  if (isAdopted || isElsewhere(situation)) {
    const left = offers.filter((offer) => !needsWorkspace(offer.id, situation));
    return left.length > 0 ? left : ofItsRun(situation);
  }
  const install: Offer = {
    id: "install_ecosystem",
    priority: offers[first]?.priority ?? 1,
    condition: "workspace.not_installed",
  };
  return offers.flatMap((offer, index) => {
    if (index === first) return [install];
    return needsWorkspace(offer.id, situation) ? [] : [offer];
  });
}

type Actions = readonly SuggestedAction[];

const MOST = 5;
const MOST_AFTER_QUERY = 3;

/** What to fall back on everywhere: there is a way on from every answer. */
const ANYWHERE: readonly ActionId[] = ["list_ecosystems", "get_server_status", "list_runs"];

/** What to fall back on before that, the first that can be called. */
const FALLBACKS: Readonly<Record<ScopeName, readonly ActionId[]>> = {
  global: [],
  ecosystem: ["ticket_list"],
  server: [],
  release: ["release_log", "release_status"],
  run: ["get_run_status", "summarize_run", "back_to_ecosystem"],
};

/** Whether the call only asked; tools that move the session do not count (NEXT-10, filter 7). */
function isInfoQuery({ command }: Situation): boolean {
  return command.kind === "query";
}

/** Whether the run an answer is about has not ended (RUN-2). */
function isRunActive(situation: Situation): boolean {
  return ["queued", "paused", "running"].includes(runStatusOf(situation) ?? "");
}

/** Filter 1: not the tool just called, except to look at an unfinished run again (NEXT-10). */
export function dropSame(actions: Actions, situation: Situation): Actions {
  const { name } = situation.command;
  const again = isRunActive(situation);
  const reader = DEFINITIONS.get_run_status.tool;
  return actions.filter(({ tool }) => tool !== name || (again && tool === reader));
}

const PARENTS: Readonly<Record<ScopeName, ScopeName | null>> = {
  global: null,
  ecosystem: "global",
  server: "global",
  run: "ecosystem",
  release: "ecosystem",
};

/** Whether the answer is about a run that made a release, which stands in no ecosystem. */
function isReleaseRun({ data }: Situation): boolean {
  return asText(data["run_id"]) !== null &&
    (asText(data["action"])?.startsWith("release_") ?? false);
}

/** Every run id that an answer carries. */
function runsNamed({ data, failure }: Situation): ReadonlySet<string> {
  const ids = [
    data["run_id"],
    failure?.details["run_id"],
    asRecord(data["running"])?.["run_id"],
    ...asRecords(data["runs"]).map((run) => run["run_id"]),
  ];
  return new Set(ids.map(asText).filter((id) => id !== null));
}

/**
 * Whether an action belongs to the effective scope or its parent.
 *
 * What the answer itself names, its run or its confirmation request, is at hand in every scope.
 */
function isInScope(action: SuggestedAction, situation: Situation): boolean {
  const { run_id: run, token } = action.args;
  if (action.scope === "run" && runsNamed(situation).has(asText(run) ?? "")) return true;
  if (token !== undefined && token === requestToken(situation)) return true;
  if (action.scope === "release" && isReleaseRun(situation)) return true;
  const here = effectiveScope(situation);
  // Its description is the way into an ecosystem where there is no session to stand in one.
  if (here === "global" && action.tool === DEFINITIONS.describe_ecosystem.tool) return true;
  return action.scope === here || action.scope === PARENTS[here];
}

/** Filter 2: only what belongs to the scope or its parent (NEXT-10). */
export function gateScope(actions: Actions, situation: Situation): Actions {
  return actions.filter((action) => isInScope(action, situation));
}

/** Filter 3: nothing above the mode, but for what settles the request that was just made (NEXT-10). */
export function gateMode(actions: Actions, { mode }: Situation): Actions {
  return actions.filter(({ id, mode_required }) => id === "confirm" || allows(mode, mode_required));
}

/** Filter 4: after a query nothing that destroys, and no push of nothing (NEXT-10). */
export function dropAfterQuery(actions: Actions, situation: Situation): Actions {
  if (!isInfoQuery(situation)) return actions;
  // Of what was committed the answer does not tell whether it is on the remote, so push stays offered.
  const pushable = holds("status.has_unpushed", situation) ||
    holds("status.has_dirty", situation) || continues(situation) === "after_commit";
  return actions.filter(({ tool }) =>
    !removes(situation.find(tool)) &&
    (pushable || tool !== DEFINITIONS.push_ecosystem.tool)
  );
}

function firstByKey(actions: Actions, key: (action: SuggestedAction) => string): Actions {
  const best = new Map<string, SuggestedAction>();
  for (const action of actions) {
    const of = key(action);
    const known = best.get(of);
    if (known === undefined || action.priority < known.priority) best.set(of, action);
  }
  const left = new Set(best.values());
  return actions.filter((action) => left.has(action));
}

/** Filter 5: each id once, then each call once, the more urgent one (NEXT-10). */
export function deduplicate(actions: Actions): Actions {
  const distinct = firstByKey(actions, (action) => action.id);
  return firstByKey(distinct, (action) => canonicalJson([action.tool, action.args]));
}

/** Filter 6: by priority, equal ones in the order in which they were offered (NEXT-10). */
export function sortByPriority(actions: Actions): Actions {
  return actions.toSorted((a, b) => a.priority - b.priority);
}

/** Filter 7: at most three after a query, else five (NEXT-10). */
export function limit(actions: Actions, situation: Situation): Actions {
  return actions.slice(0, isInfoQuery(situation) ? MOST_AFTER_QUERY : MOST);
}

/** Filter 8: one action where nothing is left (NEXT-10). */
export function fallBack(actions: Actions, situation: Situation): Actions {
  // Without a control repository the rest fails alike.
  if (actions.length > 0 || situation.failure?.code === "root_not_found") return actions;
  // Before the first version nothing there is to read of releases.
  const near = firstRelease(situation) === null ? FALLBACKS[effectiveScope(situation)] : [];
  for (const id of [...near, ...ANYWHERE]) {
    if (situation.installed === false && needsWorkspace(id, situation)) continue;
    const action = toAction({ id, priority: 1 }, situation);
    if (action !== null && action.tool !== situation.command.name) return [action];
  }
  return [];
}

const FILTERS: readonly ((actions: Actions, situation: Situation) => Actions)[] = [
  dropSame,
  gateScope,
  gateMode,
  dropAfterQuery,
  deduplicate,
  sortByPriority,
  limit,
  fallBack,
];

/** Applies every filter in its order (NEXT-10). */
export function filterAll(actions: Actions, situation: Situation): Actions {
  return FILTERS.reduce((left, filter) => filter(left, situation), actions);
}
