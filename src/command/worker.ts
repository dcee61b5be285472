/**
 * The worker process of a run: `amof run-worker ID`, started by `startRun` and by nobody else.
 *
 * It holds the lock through its run record, checks once more that what was confirmed is what would
 * happen, acts, and writes down everything it does.
 *
 * @module
 */

import { AmofError, EXIT } from "../error.ts";
import { factChanges } from "../policy/changes.ts";
import { isSame } from "../policy/same.ts";
import { fingerprint } from "../policy/fingerprint.ts";
import type { Fields, Mutation, Result } from "../contract/mod.ts";
import { Session } from "./session.ts";
import type { RunRecord } from "../store/mod.ts";
import type { App } from "./app.ts";
import { type Caller, executeContext, readContext } from "./context.ts";
import { findCommand } from "./registry.ts";
import { workOn } from "./run_work.ts";

/** Works on a run to its end; answers the exit code of the process. */
export async function runWorker(app: App, runId: string): Promise<number> {
  const { system } = app;
  const store = await app.store();
  const run = store.runs.get(runId);
  const command = run === null ? null : findCommand(run.tool);
  if (run === null || command?.kind !== "mutation" || run.status !== "queued") {
    throw new AmofError(
      "invalid_transition",
      `Cannot work on run "${runId}": it is not waiting for a worker`,
      { hint: "This command is for the program's own use" },
    );
  }
  const abort = new AbortController();
  const stopListening = system.terminal.onInterrupt(() => abort.abort());
  try {
    const end = await workOn(store, system, runId, run.action, abort, (report, signal) => {
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
    });
    return end?.exit ?? EXIT.interrupted;
  } finally {
    stopListening();
  }
}

/** Acts, if what was confirmed is still what would happen. */
async function act(
  app: App,
  run: RunRecord,
  command: Mutation,
  caller: Caller,
): Promise<Result<Fields>> {
  const target = { root: run.root, ecosystem: run.ecosystem };
  const preview = await command.preview(readContext(app, caller, target), run.args);
  const now = fingerprint({ tool: command.name, args: run.args, ...target, facts: preview.facts });
  if (!isSame(now, run.fingerprint)) {
    throw new AmofError(
      "confirmation_stale",
      "Things changed between the confirmation and the start; nothing was done",
      {
        hint: "Make the call again to see the present state",
        details: { ...factChanges(run.preview, preview.facts) },
      },
    );
  }
  const ctx = await executeContext(app, caller, target, run);
  return await command.execute(ctx, run.args, preview.facts);
}
