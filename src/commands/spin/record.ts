/**
 * What is known about the environment of an ecosystem: what amof did to it from this machine, and how that ended.
 *
 * Nothing is guessed: a deploy that was cut off leaves an environment of which nobody knows how much exists.
 */

import { isFinal } from "../../runs/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { EnvironmentRecord } from "../../state/store/mod.ts";
import { timestamp } from "../../base/system/mod.ts";

/** What can be done to an environment. */
export type SpinAction = "deploy" | "destroy";

/** How a spin action is called in run records (RUN-1). */
export function runName(action: SpinAction): string {
  return `spin_${action}`;
}

/**
 * Where an environment stands: `none` when nothing was done from here, `uncertain` when the last action did
 * not end well.
 */
export type EnvironmentState =
  | "none"
  | "deploying"
  | "deployed"
  | "destroying"
  | "destroyed"
  | "uncertain";

/** An environment as it is shown. */
export interface EnvironmentView {
  readonly state: EnvironmentState;
  /** One sentence about it, without a final period and without times, which each door says in its own way. */
  readonly detail: string;
  readonly changed_at: string | null;
  readonly run_id: string | null;
  /** The last good deploy that was not destroyed since; null without one. */
  readonly deployed: {
    readonly at: string;
    readonly provisioner: string;
    readonly hash: string;
  } | null;
}

const DOING = { deploy: "deploying", destroy: "destroying" } as const;
const DONE = { deploy: "deployed", destroy: "destroyed" } as const;

/** How the run of an unfinished or failed action ended, in words. */
function howItEnded(
  record: EnvironmentRecord,
  run: { status: string; reason: string | null } | null,
) {
  if (run?.status === "cancelled") return "was cancelled";
  if (record.outcome === "begun") return "was cut off: its worker ended before the provisioner did";
  return "failed";
}

/** Looks up what is known of the environment of a workspace. */
export async function environmentOf(
  ctx: Pick<CommandContext, "store" | "root" | "ecosystem" | "ticket">,
): Promise<EnvironmentView> {
  const store = await ctx.store();
  const record = store.environments.get(ctx);
  if (record === null) {
    return {
      state: "none",
      detail: "Nothing was deployed from this machine",
      changed_at: null,
      run_id: null,
      deployed: null,
    };
  }
  const { action, outcome, changedAt, runId, deployed } = record;
  const at = timestamp(changedAt);
  const run = store.runs.get(runId);
  const works = outcome === "begun" && run !== null && !isFinal(run.status);
  const [state, detail]: readonly [EnvironmentState, string] = outcome === "done"
    ? [DONE[action], `The last ${action} succeeded`]
    : works
    ? [DOING[action], `A ${action} is running`]
    : [
      "uncertain",
      `The last ${action} ${howItEnded(record, run)}; what exists now is not known`,
    ];
  return {
    state,
    detail,
    changed_at: at,
    run_id: runId,
    deployed: deployed === null ? null : {
      at: timestamp(deployed.at),
      provisioner: deployed.provisioner,
      hash: deployed.hash,
    },
  };
}
