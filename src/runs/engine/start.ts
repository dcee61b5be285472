/**
 * Starts a run: a record, the ecosystem's lock, and a worker process that outlives this one (RUN-7).
 *
 * @module
 */

import { sha256 } from "../../hash.ts";
import { AmofError, errorObject, toAmofError } from "../../error.ts";
import type { NewRun, RunRecord, Store } from "../../store/mod.ts";
import type { System } from "../../system/mod.ts";
import { settleIfGone } from "./liveness.ts";

/** The words behind the program's own name that make it work on a run. */
export const WORKER_COMMAND = "run-worker";

/** The key under which mutations of one ecosystem of one control repository exclude each other. */
export function lockKey(root: string, ecosystem: string): string {
  return `${sha256(root).slice(0, 16)}/${ecosystem}`;
}

/** What a run works on, for messages. */
function nameOf({ ecosystem }: Pick<NewRun, "ecosystem">): string {
  return ecosystem === "" ? "the control repository" : `"${ecosystem}"`;
}

/** The error of a second mutation while the first still runs. */
function busy(holder: RunRecord): AmofError {
  return new AmofError(
    "ecosystem_busy",
    `Cannot change ${nameOf(holder)}: ${holder.action} is ${holder.status} as run ${
      holder.runId.slice(0, 8)
    }`,
    {
      hint: `Wait for it, or follow it: amof runs logs ${holder.runId.slice(0, 8)} --follow`,
      details: {
        run_id: holder.runId,
        action: holder.action,
        status: holder.status,
        requested_by: holder.requestedBy,
      },
    },
  );
}

/** A run that is asked for; who asks is added. */
export type RunRequest = Omit<NewRun, "starter">;

/**
 * Adds a run and takes its lock (RUN-6). Throws `ecosystem_busy` with the holder's run when another live run has
 * it; a holder whose process is gone is settled and its lock taken over.
 */
export async function claim(request: RunRequest, store: Store, system: System): Promise<void> {
  const run: NewRun = { ...request, starter: await system.processes.me() };
  // Each turn either succeeds, throws, or follows the settling of one dead holder.
  for (let turn = 0; turn < 10; turn++) {
    if (store.runs.add(run)) return;
    const holder = run.lockKey === null ? null : store.runs.holder(run.lockKey);
    if (holder === null) continue;
    const now = await settleIfGone(holder, store, system);
    if (now.status === holder.status) throw busy(holder);
  }
  throw new AmofError(
    "ecosystem_busy",
    `Cannot change ${nameOf(run)}: its lock changes hands too fast`,
    {
      hint: "Repeat in a moment",
    },
  );
}

/** What a worker is told besides its run. */
export interface WorkerOptions {
  /** How many repositories it works on at once, or null for the default. */
  readonly jobs: number | null;
  /** How long one transfer may take, in seconds, or null for as long as it makes progress. */
  readonly timeout: number | null;
  /** The process whose person it may ask, or null. */
  readonly asker: number | null;
}

/** The arguments of a worker. */
function workerArguments({ jobs, timeout, asker }: WorkerOptions): string[] {
  const flags = { jobs, timeout, asker };
  return Object.entries(flags).flatMap(([name, value]) =>
    value === null ? [] : [`--${name}`, String(value)]
  );
}

/** Adds a run and starts its worker; resolves as soon as the worker process exists. */
export async function startRun(
  run: RunRequest,
  store: Store,
  system: System,
  options: WorkerOptions,
): Promise<void> {
  await claim(run, store, system);
  const log = (message: string, level: "info" | "error" = "info") =>
    store.events.append(run.runId, [{ at: system.clock.now(), level, type: "state", message }]);
  log(`Queued ${run.action} of ${run.ecosystem || "the control repository"}`);
  try {
    const worker = await system.processes.detach(
      [
        ...system.processes.self(),
        WORKER_COMMAND,
        run.runId,
        ...workerArguments(options),
      ],
      { cwd: run.root },
    );
    // The worker may have written itself down already; the same identity is written twice then.
    store.runs.setWorker(run.runId, worker, system.clock.now());
  } catch (thrown) {
    const error = toAmofError(thrown, () => system.ids.hex(8));
    log(`Could not start the worker: ${error.message}`, "error");
    store.runs.move(run.runId, "failed", system.clock.now(), {
      exitCode: 1,
      error: errorObject(error),
    });
    throw error;
  }
}
