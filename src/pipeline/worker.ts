/**
 * The worker process of a run: `amof run-worker ID`, started by `startRun` and by nobody else.
 *
 * It holds the lock through its run record, checks once more that what was confirmed is what would
 * happen, acts, and writes down everything it does.
 */

import { type Fields, fieldsOf } from "../base/object.ts";
import { AmofError, EXIT } from "../base/error.ts";
import { recheck } from "../base/policy/changes.ts";
import type { Mutation, Reporter, Result } from "../contract/mod.ts";
import { Session } from "./session.ts";
import { noteOrphaned } from "../runs/mod.ts";
import type { RunRecord } from "../state/store/mod.ts";
import type { App } from "./app.ts";
import { type Caller, executeContext } from "./context.ts";
import { ticketIn, workOn, workWithWings } from "./run_work.ts";
import { makePreview, nothingLeft } from "./preview.ts";
import { loadCommand } from "./registry.ts";

/** Works on a run to its end; answers the exit code of the process. */
export async function runWorker(app: App, id: string): Promise<number> {
  const { system } = app;
  const store = await app.store();
  const run = store.runs.get(id);
  const command = run === null ? null : await loadCommand(run.tool);
  if (run === null || command?.kind !== "mutation" || run.status !== "queued") {
    throw new AmofError(
      "invalid_transition",
      `Cannot work on run "${id}": it is not waiting for a worker`,
      { hint: "This command is for the program's own use" },
    );
  }
  const { runId } = run;
  const abort = new AbortController();
  const stopListening = system.terminal.onInterrupt(() => abort.abort());
  try {
    const end = await workOn(
      { store, system, runId, action: run.action, abort },
      (report, signal) => {
        const session = new Session({
          id: run.sessionId ?? "worker",
          owner: "worker",
          mode: "execute",
          maxMode: "execute",
        });
        return act(app, run, command, {
          session,
          door: run.origin,
          client: run.requestedBy,
          signal,
          report,
        });
      },
    );
    await noteOrphaned(runId, store, system);
    return end?.exit ?? EXIT.interrupted;
  } finally {
    stopListening();
  }
}

/** Says everything but how far the work is. */
function withoutProgress(report: Reporter): Reporter {
  return {
    log(level, message, fields) {
      if (fields?.type !== "progress") report.log(level, message, fields);
    },
    progress() {},
  };
}

/** Acts, if what was confirmed is still what would happen. */
async function act(
  app: App,
  run: RunRecord,
  command: Mutation,
  caller: Caller,
): Promise<Result<Fields>> {
  const target = { root: run.root, ecosystem: run.ecosystem, ticket: ticketIn(command, run) };
  const now = await makePreview({
    app,
    // The log of a run begins with the work: what was looked at before that is known to whoever asked.
    caller: { ...caller, report: withoutProgress(caller.report) },
    target,
    command,
    input: run.args,
    agreed: fieldsOf(run.preview),
  });
  const idle = nothingLeft(now.preview);
  if (idle !== null) return idle;
  recheck({ fingerprint: run.fingerprint, facts: run.preview }, now);
  const ctx = await executeContext(app, caller, target, run);
  const work = await workWithWings(ctx, command, run.args, now.facts);
  return await work();
}
