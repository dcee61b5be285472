/**
 * Runs as tasks of the protocol's extension (MCP-21): for clients without a session that declare it, a call that starts
 * a run is answered with a task, which any process can be asked about.
 *
 * @module
 */

import type { Approver } from "../../pipeline/consent/approver.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { ownCommand } from "../../pipeline/registry.ts";
import { Session } from "../../pipeline/session.ts";
import type { Fields } from "../../base/object.ts";
import { timestamp } from "../../base/system/mod.ts";
import { type Door, offered } from "./door.ts";
import type { Exchange, Started, TaskFeature } from "./features.ts";
import { lookUp } from "./look_up.ts";
import { resultOf } from "./result.ts";

/** The tools by which runs are looked at and ended. */
const STATUS_TOOL = "amof_get_run_status";
const CANCEL_TOOL = "amof_cancel_run";

/** What a client may do again after so many milliseconds. */
const POLL_MS = 2_000;

/** The statuses of runs in the words of the extension; a run that failed has a result that says so. */
const STATUSES: Readonly<Record<string, string>> = {
  queued: "working",
  paused: "working",
  running: "working",
  success: "completed",
  failed: "completed",
  cancelled: "cancelled",
};

/** Who was given a task may end it. */
const GIVEN: Approver = { ask: () => Promise.resolve({ decision: "accepted", way: "flag" }) };

/** What is told of a task at any time. */
function taskOf(id: string, status: string, { created, updated, message }: {
  readonly created: string;
  readonly updated: string;
  readonly message: string;
}): Fields {
  return {
    taskId: id,
    status,
    statusMessage: message,
    createdAt: created,
    lastUpdatedAt: updated,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

/** The answer to a call that started a run, as a task. */
export function startedTask({ runId, envelope, summary }: Outcome): Started {
  const created = String(envelope["created_at"]);
  const task = taskOf(String(runId), "working", { created, updated: created, message: summary });
  return { ...task, resultType: "task" };
}

/** The tasks of a door; null where it does not offer to look at runs. */
export function taskFeature(door: Door): TaskFeature | null {
  if (offered(door, STATUS_TOOL) === null) return null;
  const { app } = door;
  const lookAt = async (id: string, exchange: Exchange): Promise<Outcome | null> => {
    const outcome = await lookUp(door, STATUS_TOOL, { run_id: id }, exchange);
    // Other tools take the beginning of an id.
    return outcome.isError || outcome.envelope["run_id"] !== id ? null : outcome;
  };
  return {
    async get(id, exchange) {
      const outcome = await lookAt(id, exchange);
      if (outcome === null) return null;
      const { envelope, summary } = outcome;
      const run = String(envelope["status"]);
      const status = STATUSES[run] ?? "working";
      const ended = envelope["finished_at"];
      const task = taskOf(id, status, {
        created: String(envelope["created_at"]),
        updated: typeof ended === "string" ? ended : timestamp(app.system.clock.now()),
        message: summary,
      });
      if (status !== "completed") return task;
      const result = resultOf({ ...outcome, isError: run === "failed" }, door.session());
      return { ...task, result: { resultType: "complete", ...result } };
    },

    async cancel(id, exchange) {
      if (await lookAt(id, exchange) === null) return false;
      const { id: sessionId, owner, maxMode, bound } = door.session();
      // Where nothing may be changed, it is acknowledged and has no effect.
      if (offered(door, CANCEL_TOOL) === null || maxMode !== "execute") return true;
      await carryOut(app, {
        command: await ownCommand(CANCEL_TOOL),
        args: { run_id: id, mode: "execute", confirm: true },
        session: new Session({
          id: sessionId,
          owner,
          mode: "execute",
          maxMode,
          bound,
          lasts: false,
        }),
        door: "mcp",
        client: exchange.client,
        signal: exchange.signal,
        report: { log: () => {}, progress: () => {} },
        approver: GIVEN,
        confirmBy: "token",
        offers: () => false,
      });
      return true;
    },
  };
}
