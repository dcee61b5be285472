/**
 * Works on a run under its lock and writes down everything about it: used by the worker process, and by the
 * calling process for runs that are `inline`.
 */

import type { RunId } from "../base/ids.ts";
import { defined, type Fields } from "../base/object.ts";
import { AmofError, errorObject, EXIT, type ExitCode, toAmofError } from "../base/error.ts";
import type { ExecuteContext, Known, Locks, Mutation, Reporter, Result } from "../contract/mod.ts";
import type { Lock, NewEvent, RunRecord, Store } from "../state/store/mod.ts";
import { insist, mayBeWritten, writeLater } from "../state/store/sql.ts";
import { noteOrphaned } from "../runs/mod.ts";
import type { System } from "../base/system/mod.ts";
import { WINGS } from "./wings.ts";
import { locksAt } from "../runs/changing.ts";
import type { Target } from "./context.ts";

/** How often a run says that its worker lives, and looks for a cancellation. */
const HEARTBEAT_MS = 1_000;
/** Lines are written together at most this much later. */
const FLUSH_MS = 50;

/** When to try again what could not be written. */
const RETRY_MS = 500;

/** Collects events and writes them in batches. */
class EventWriter implements Reporter {
  readonly #store: Store;
  readonly #runId: RunId;
  readonly #now: () => number;
  #pending: NewEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, runId: RunId, now: () => number) {
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
      ...defined({ stream: fields.stream, payload: fields.payload }),
    });
    if (fields.lasting === true) this.flush(true);
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  };

  progress: Reporter["progress"] = (done, total, message, of = {}) => {
    this.log("debug", `${done}/${total} ${message}`, {
      type: "progress",
      payload: { ...of, done, total },
    });
  };

  /**
   * Writes what is pending. While another program holds the database, or the disk has no space, it is tried again, or
   * thrown with `now`: the work itself may need neither.
   */
  flush(now = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length === 0) return;
    try {
      this.#store.events.append(this.#runId, this.#pending);
      this.#pending = [];
    } catch (error) {
      if (now || !mayBeWritten(error)) throw error;
      this.#timer = setTimeout(() => this.flush(), RETRY_MS);
    }
  }

  /** Stops writing by itself. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

interface RunEnd {
  readonly exit: ExitCode;
  readonly result: Result<Fields> | null;
  /** The failure that ended it, also when there is a result. */
  readonly failure: AmofError | null;
}

interface RunAtWork {
  readonly store: Store;
  readonly system: System;
  readonly runId: RunId;
  /** What the run is called. */
  readonly action: string;
  /** Ends the work early. */
  readonly abort: AbortController;
}

/** The work of a run: gets where to report and what ends it early. */
type RunBody = (report: Reporter, signal: AbortSignal) => Promise<Result<Fields>>;

/**
 * Does the work of a queued run in this process: marks it running, keeps its heartbeat, writes its log, and
 * settles it. A cancellation that somebody asks for ends it early.
 *
 * Never throws for what the work throws; answers null when the run was cancelled before it began. It throws
 * where the store cannot be written, and writes the end of the run as soon as that is possible. Without that,
 * the run would hold its locks as long as a server lives.
 */
export async function workOn(run: RunAtWork, body: RunBody): Promise<RunEnd | null> {
  const { store, system, runId, action, abort } = run;
  const now = () => system.clock.now();
  const events = new EventWriter(store, runId, now);
  let last: LastWord = NOT_BEGUN;
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  try {
    store.runs.setWorker(runId, await system.processes.me(), now());
    if (!begun(run)) return null;
    events.log("info", `Started ${action}`, { type: "state" });
    heartbeat = setInterval(() => beat(run), HEARTBEAT_MS);
    let result: RunEnd["result"] = null;
    let found: AmofError | null;
    try {
      result = await body(events, abort.signal);
      found = result.failure ?? null;
    } catch (thrown) {
      found = failureOf(thrown, events, system);
    }
    last = endedBy(result, found, abort.signal.aborted);
    // A cancellation also ends the started programs, and their failure may be noticed before the cancellation itself.
    if (found !== null && await isCancelled(run)) last = endedBy(result, found, true);
    events.log(...wordsOf(last));
    await insist(system.clock, () => finish(run, events, last));
    return last.end;
  } catch (error) {
    if (mayBeWritten(error)) finishLater(run, events, last);
    throw error;
  } finally {
    clearInterval(heartbeat);
    events.stop();
  }
}

/** Marks a run as one that is worked on; false where somebody has cancelled it before. */
function begun({ store, system, runId }: RunAtWork): boolean {
  try {
    store.runs.move(runId, "running", system.clock.now());
    return true;
  } catch (error) {
    if (error instanceof AmofError && error.code === "invalid_transition") return false;
    throw error;
  }
}

/** Says that the work goes on, and ends it where somebody has asked for that. */
function beat({ store, system, runId, abort }: RunAtWork): void {
  try {
    store.runs.heartbeat(runId, system.clock.now());
    if (store.runs.get(runId)?.cancelRequestedAt) abort.abort();
  } catch (error) {
    // A missed heartbeat does not stop the work; the next one may be written.
    if (!mayBeWritten(error)) throw error;
  }
}

async function isCancelled({ store, system, runId, abort }: RunAtWork): Promise<boolean> {
  return abort.signal.aborted ||
    (await insist(system.clock, () => store.runs.get(runId)))?.cancelRequestedAt !== null;
}

/** A failure as what it is once somebody has asked for the end: a cancellation. */
export function asCancelled(failure: AmofError): AmofError {
  if (failure.code === "cancelled") return failure;
  // What an interrupt leaves unread looks like a change.
  if (failure.code === "confirmation_stale") {
    return new AmofError("cancelled", "Stopped on request; nothing was done", { cause: failure });
  }
  return new AmofError("cancelled", `Stopped on request: ${failure.message}`, {
    ...("left_behind" in failure.details ? { hint: failure.hint } : {}),
    details: { ...failure.details, failed_with: failure.code },
    cause: failure,
  });
}

/** What the work of a run threw, as its failure; where the program is to blame, its log has the rest. */
function failureOf(thrown: unknown, events: Reporter, system: System): AmofError {
  const failure = toAmofError(thrown, () => system.ids.hex(8));
  if (failure.code === "internal_error") {
    const { cause } = failure;
    const stack = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
    events.log("error", `${failure.message}\n${stack}`, { type: "internal" });
  }
  return failure;
}

/** What is written of a run at its very end. */
interface LastWord {
  readonly status: "success" | "failed" | "cancelled";
  readonly reason?: string;
  readonly end: RunEnd;
}

const NOT_BEGUN: LastWord = {
  status: "failed",
  reason: "interrupted",
  end: {
    exit: EXIT.failed,
    result: null,
    failure: new AmofError(
      "interrupted",
      "The work could not be noted as begun; nothing was done",
      { hint: "Repeat it" },
    ),
  },
};

function endedBy(
  result: RunEnd["result"],
  found: AmofError | null,
  asked: boolean,
): LastWord {
  if (found === null) return { status: "success", end: { exit: EXIT.ok, result, failure: null } };
  if (!asked) return { status: "failed", end: { exit: found.exit, result, failure: found } };
  const failure = result === null ? asCancelled(found) : found;
  return { status: "cancelled", end: { exit: EXIT.interrupted, result, failure } };
}

function wordsOf({ status, end: { exit, failure } }: LastWord): Parameters<Reporter["log"]> {
  const how = failure === null ? status : `${status}: ${failure.message}`;
  return [failure === null ? "info" : "error", `Ended: ${how}`, {
    type: "exit",
    payload: { exit_code: exit },
  }];
}

/** Writes the end of a run, all of its events before its status becomes final. */
function finish({ store, system, runId }: RunAtWork, events: EventWriter, last: LastWord): void {
  const { status, reason, end: { exit, result, failure } } = last;
  events.flush(true);
  store.runs.move(runId, status, system.clock.now(), {
    exitCode: exit,
    ...defined({ reason }),
    ...(result === null ? {} : { result: result.data }),
    ...(failure === null ? {} : { error: errorObject(failure) }),
  });
}

/** Writes the end of a run, and what was agreed to, when the store takes it again. */
function finishLater(run: RunAtWork, events: EventWriter, last: LastWord): void {
  writeLater(async () => {
    finish(run, events, last);
    await noteOrphaned(run.runId, run.store, run.system);
  });
}

/** The work of a run that was agreed to, with what the wings put around it. */
export async function workWithWings(
  ctx: ExecuteContext,
  command: Mutation,
  input: Fields,
  facts: Fields,
): Promise<() => Promise<Result<Fields>>> {
  const work = { command, input, facts, tickets: ticketsTaken({ command, input }) };
  let act = () => command.execute(ctx, input, facts);
  for (const { around } of WINGS) {
    const outer = await around?.(ctx, work) ?? null;
    if (outer === null) continue;
    const inner = act;
    act = () => outer(inner);
  }
  return act;
}

// What a call takes while it works (RUN-6).

/** A mutation with its input, which may decide what it takes. */
interface Call {
  readonly command: Pick<Mutation, "locks">;
  readonly input: Fields;
}

function declared({ command: { locks = null }, input }: Call): Locks | null {
  return typeof locks === "function" ? locks(input) : locks;
}

/** The locks of a call; none for a command that excludes nothing. */
export function locksOf(call: Call, target: Target): readonly Lock[] {
  const locks = declared(call);
  return locks === null ? [] : locksAt(locks, target);
}

/** Whether a call begins also where it gets only some of its locks. */
export function takesEach(call: Call): boolean {
  const locks = declared(call);
  return typeof locks === "object" && locks?.each === true;
}

/** The ticket under which the run of a call is kept: the one it works in, or that it alone is about. */
export function ticketOfRun(call: Call, target: Target): string | null {
  if (target.ticket !== null) return target.ticket;
  const locks = declared(call);
  if (locks === null || typeof locks === "string" || locks.base === true) return null;
  const [only = null, second] = locks.tickets ?? [];
  return second === undefined ? only : null;
}

/** The tickets whose own workspaces a call takes, besides the one it is called in. */
function ticketsTaken(call: Call): readonly string[] {
  const locks = declared(call);
  return typeof locks === "object" ? locks?.tickets ?? [] : [];
}

/** The ticket in whose workspace a run works: not that of a run that only makes one, or takes it away. */
export function ticketIn(
  command: Pick<Known, "inTicket"> | null,
  { ticket }: Pick<RunRecord, "ticket">,
): string | null {
  return command?.inTicket === "its workspace" ? ticket : null;
}
