/**
 * The worker process of a run: `amof run-worker ID`, started by {@linkcode startRun} and by nobody else.
 *
 * It holds the lock through its run record, checks once more that what was confirmed is what would
 * happen, acts, and writes down everything it does.
 *
 * @module
 */

import { AmofError, errorObject, EXIT, toAmofError } from "../error.ts";
import { factChanges, fingerprint } from "../policy/fingerprint.ts";
import type { Fields, Mutation, Reporter } from "../spec/mod.ts";
import { Session } from "../spec/session.ts";
import type { NewEvent, RunRecord, Store } from "../store/mod.ts";
import type { App } from "./app.ts";
import { type Caller, executeContext, readContext } from "./context.ts";
import { findCommand } from "./registry.ts";

/** How often the worker says that it lives and looks for a cancellation. */
const HEARTBEAT_MS = 1_000;
/** Lines are written together at most this much later. */
const FLUSH_MS = 50;

/** Collects events and writes them in batches. */
class EventWriter implements Reporter {
  readonly #store: Store;
  readonly #runId: string;
  readonly #now: () => number;
  #pending: NewEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, runId: string, now: () => number) {
    this.#store = store;
    this.#runId = runId;
    this.#now = now;
  }

  log: Reporter["log"] = (level, message, fields = {}) => {
    this.#pending.push({
      at: this.#now(),
      level,
      type: fields.type ?? "log",
      message,
      ...(fields.stream === undefined ? {} : { stream: fields.stream }),
      ...(fields.payload === undefined ? {} : { payload: fields.payload }),
    });
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  };

  progress: Reporter["progress"] = (done, total, message) => {
    this.log("debug", `${done}/${total} ${message}`, {
      type: "progress",
      payload: { done, total },
    });
  };

  /** Writes what is pending. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#pending;
    this.#pending = [];
    this.#store.events.append(this.#runId, events);
  }
}

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
      {
        hint: "This command is for the program's own use",
      },
    );
  }
  const events = new EventWriter(store, runId, () => system.clock.now());
  const abort = new AbortController();
  const stopListening = system.terminal.onInterrupt(() => abort.abort());
  store.runs.setWorker(runId, await system.processes.me(), system.clock.now());
  try {
    store.runs.move(runId, "running", system.clock.now());
  } catch {
    // It was cancelled before it began.
    stopListening();
    return EXIT.interrupted;
  }
  events.log("info", `Started ${run.action}`, { type: "state" });
  const heartbeat = setInterval(() => {
    store.runs.heartbeat(runId, system.clock.now());
    if (store.runs.get(runId)?.cancelRequestedAt) abort.abort();
  }, HEARTBEAT_MS);
  try {
    return await work(app, store, run, command, events, abort.signal);
  } finally {
    clearInterval(heartbeat);
    stopListening();
    events.flush();
  }
}

async function work(
  app: App,
  store: Store,
  run: RunRecord,
  command: Mutation,
  events: EventWriter,
  signal: AbortSignal,
): Promise<number> {
  const { system } = app;
  const ended = (
    status: "success" | "failed" | "cancelled",
    exitCode: number,
    fields: { result?: unknown; error?: AmofError },
  ) => {
    events.log(
      status === "success" ? "info" : "error",
      fields.error === undefined ? `Ended: ${status}` : `Ended: ${status}: ${fields.error.message}`,
      {
        type: "exit",
        payload: { exit_code: exitCode },
      },
    );
    // The log is whole before the status says that it is over.
    events.flush();
    store.runs.move(run.runId, status, system.clock.now(), {
      exitCode,
      ...(fields.result === undefined ? {} : { result: fields.result }),
      ...(fields.error === undefined ? {} : { error: errorObject(fields.error) }),
    });
    return exitCode;
  };
  try {
    const result = await act(app, run, command, events, signal);
    if (result.failure === undefined) return ended("success", EXIT.ok, { result: result.data });
    if (signal.aborted) {
      return ended("cancelled", EXIT.interrupted, { result: result.data, error: result.failure });
    }
    return ended("failed", result.failure.exit, { result: result.data, error: result.failure });
  } catch (thrown) {
    const error = toAmofError(thrown, () => system.ids.hex(8));
    if (error.code === "internal_error") {
      const cause = error.cause instanceof Error
        ? error.cause.stack ?? error.cause.message
        : String(error.cause);
      events.log("error", `${error.message}\n${cause}`, { type: "internal" });
    }
    return signal.aborted
      ? ended("cancelled", EXIT.interrupted, { error })
      : ended("failed", error.exit, { error });
  }
}

async function act(
  app: App,
  run: RunRecord,
  command: Mutation,
  events: EventWriter,
  signal: AbortSignal,
): Promise<{ data: Fields; failure?: AmofError }> {
  const caller: Caller = {
    session: new Session({
      id: run.sessionId ?? "worker",
      owner: "worker",
      mode: "execute",
      maxMode: "execute",
    }),
    door: run.origin,
    client: run.requestedBy,
    signal,
    report: events,
  };
  const target = { root: run.root, ecosystem: run.ecosystem };
  const preview = await command.preview(readContext(app, caller, target), run.args);
  const now = fingerprint({ tool: command.name, args: run.args, ...target, facts: preview.facts });
  if (now !== run.fingerprint) {
    throw new AmofError(
      "confirmation_stale",
      "Things changed between the confirmation and the start; nothing was done",
      {
        hint: "Make the call again to see the present state",
        details: { changed: factChanges(run.preview, preview.facts) },
      },
    );
  }
  return await command.execute(await executeContext(app, caller, target), run.args, preview.facts);
}
