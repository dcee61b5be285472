/** Starts a run: a record, its locks, and a worker process that outlives this one (RUN-7). */

import { AmofError, errorObject, toAmofError } from "../base/error.ts";
import type { Lock, NewRun, RunRecord, Store } from "../state/store/mod.ts";
import type { System } from "../base/system/mod.ts";
import { settleIfGone } from "./liveness.ts";
import { endProgramsOf } from "./mark.ts";
import { isFinal } from "./view.ts";
import { sha256 } from "../base/hash.ts";
import type { Locks } from "../contract/mod.ts";

/** What is passed on if it is set (SPIN-5, EXEC-4, ENGINE-5); none of these holds a secret. */
export const USUAL_VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "AMOF_HOME",
];

/** The words behind the program's own name that make it work on a run. */
export const WORKER_COMMAND = "run-worker";

/** What decides whether a run can begin beside others. */
type Wanted = Pick<NewRun, "ecosystem" | "ticket" | "locks">;

/** What a run works on, for messages. */
function nameOf({ ecosystem, ticket }: Pick<NewRun, "ecosystem" | "ticket">): string {
  if (ecosystem === "") return "the control repository";
  return ticket === null ? `"${ecosystem}"` : `ticket ${ticket} of "${ecosystem}"`;
}

/** The error of a second mutation while the first still runs. */
function busy(wanted: Wanted, holder: RunRecord): AmofError {
  const elsewhere = holder.ticket === null || holder.ticket === wanted.ticket
    ? ""
    : ` in ticket ${holder.ticket}`;
  return new AmofError(
    "ecosystem_busy",
    `Cannot change ${nameOf(wanted)}: ${holder.action}${elsewhere} is ${holder.status} as run ${
      holder.runId.slice(0, 8)
    }`,
    {
      hint: `Follow it to its end: amof runs logs ${holder.runId.slice(0, 8)} --follow`,
      details: {
        run_id: holder.runId,
        action: holder.action,
        status: holder.status,
        ...(holder.ticket === null ? {} : { ticket: holder.ticket }),
        requested_by: holder.requestedBy,
      },
    },
  );
}

/** A run that is asked for; who asks is added. */
export type RunRequest = Omit<NewRun, "starter"> & {
  /** Whether it begins also where it gets only some of the workspaces that it asks for. */
  readonly each?: boolean;
};

/** A run without the workspaces that somebody else works in; null where it gets none, or nothing else can be shared. */
function withWhatIsFree<R extends Wanted>(run: R, store: Store): R | null {
  const free = run.locks.filter((lock) => store.runs.holders([lock]).length === 0);
  const shares = run.locks.every((lock) => !lock.shared || free.includes(lock));
  return shares && free.some(({ shared }) => !shared) ? { ...run, locks: free } : null;
}

/**
 * A run as it can begin beside those that are at work: with `each` without what they hold, as long as something is left.
 * Else throws `ecosystem_busy` with the holder's run; holders whose processes are gone are settled.
 */
export async function besideOthers<R extends Wanted>(
  run: R,
  each: boolean,
  { store, system }: { readonly store: Store; readonly system: System },
): Promise<R> {
  for (const holder of store.runs.holders(run.locks)) {
    const now = await settleIfGone(holder, store, system);
    if (now.status !== holder.status) continue;
    const less = each ? withWhatIsFree(run, store) : null;
    if (less === null) throw busy(run, holder);
    return less;
  }
  return run;
}

/**
 * Adds a run and takes its locks, all or none (RUN-6). Throws `ecosystem_busy` with the holder's run when another live
 * run stands in the way; the locks of those that were settled are taken over. With `each` it goes without those that
 * others hold, as long as it gets one.
 */
export async function claim(
  { each = false, ...request }: RunRequest,
  store: Store,
  system: System,
): Promise<void> {
  let run: NewRun = { ...request, starter: await system.processes.me() };
  // Each turn either succeeds, throws, or follows the settling of dead holders.
  for (let turn = 0; turn < 10; turn++) {
    if (store.runs.add(run)) return;
    run = await besideOthers(run, each, { store, system });
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
interface WorkerOptions {
  /** How many repositories it works on at once, or null for the default. */
  readonly jobs: number | null;
  /** How long one transfer may take, in seconds, or null for as long as it makes progress. */
  readonly timeout: number | null;
  /** The process whose person it may ask, or null. */
  readonly asker: number | null;
}

function workerArguments({ jobs, timeout, asker }: WorkerOptions): string[] {
  const flags = { jobs, timeout, asker };
  return Object.entries(flags).flatMap(([name, value]) =>
    value === null ? [] : [`--${name}`, String(value)]
  );
}

/**
 * Starts the worker of a run that is claimed, unless `options` is null, where the caller is that; resolves as soon as
 * the worker process exists. A run that cannot be started has failed, and holds nothing.
 */
export async function startRun(
  run: Pick<RunRequest, "runId" | "action" | "ecosystem" | "root">,
  store: Store,
  system: System,
  options: WorkerOptions | null,
): Promise<void> {
  const log = (message: string, level: "info" | "error" = "info") =>
    store.events.append(run.runId, [{ at: system.clock.now(), level, type: "state", message }]);
  try {
    log(`Queued ${run.action} of ${run.ecosystem || "the control repository"}`);
    if (options === null) return;
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
    store.runs.move(run.runId, "failed", system.clock.now(), {
      exitCode: 1,
      error: errorObject(error),
    });
    log(`Could not start the worker: ${error.message}`, "error");
    throw error;
  }
}

// Ends a run: politely, so that it takes back in order what it began, then with its whole process group.

/** How long a worker may wind down before its group is killed. */
const GRACE_MS = 5_000;
/** The same for one that has steps to take back: killed, it would leave them to the next command. */
const UNDO_GRACE_MS = 30_000;
const POLL_MS = 50;

/**
 * Asks a run to end and waits until it has. The worker gets SIGTERM, ends what it waits for and takes back what
 * it journaled. After 5 seconds, 30 while its journal is open, it gets SIGKILL with its whole process group.
 * Programs that it leaves are ended after it. A run that has ended already is returned as it is.
 */
export async function cancelRun(
  run: RunRecord,
  { store, system, least = 0 }: {
    readonly store: Store;
    readonly system: System;
    /** It gets at least so long, in milliseconds. */
    readonly least?: number;
  },
): Promise<RunRecord> {
  const { clock, processes } = system;
  if (!store.runs.requestCancel(run.runId, clock.now())) return store.runs.get(run.runId) ?? run;
  store.events.append(run.runId, [
    { at: clock.now(), level: "warn", type: "state", message: "Cancellation was requested" },
  ]);
  let current = store.runs.get(run.runId) ?? run;
  // The process of an inline run also does other work, so it is not signalled; it polls for the request.
  const reachable = current.worker !== null && !current.inline;
  if (current.worker !== null && reachable && await processes.isAlive(current.worker)) {
    // It ends its programs by itself, but for those it needs to finish or take back what it has begun.
    processes.signal(current.worker.pid, "SIGTERM", false);
  }
  let killed = false;
  const asked = clock.now();
  const grace = Math.max(least, store.journal.isOpen(run.runId) ? UNDO_GRACE_MS : GRACE_MS);
  // Bounded: patience, and five seconds more for the kernel to clear up after the kill.
  while (!isFinal(current.status) && clock.now() - asked < grace + GRACE_MS) {
    await clock.sleep(POLL_MS);
    current = await settleIfGone(store.runs.get(run.runId) ?? current, store, system);
    if (
      !killed && !isFinal(current.status) && reachable && current.worker !== null &&
      clock.now() - asked >= grace
    ) {
      killed = processes.signal(current.worker.pid, "SIGKILL", true);
    }
  }
  if (isFinal(current.status)) {
    // The worker has written its result; programs of its group that ignored SIGTERM are killed.
    while (
      reachable && current.worker !== null && await processes.isAlive(current.worker) &&
      clock.now() - asked < grace + GRACE_MS
    ) {
      await clock.sleep(POLL_MS);
    }
    await endProgramsOf(current, system);
  }
  return current;
}

// The locks that keep runs apart: on the ecosystem, its base workspace, the workspaces of its tickets (RUN-6).
//
// A run in one workspace locks that for itself, and shares the lock of the ecosystem with runs in others. A run
// that needs the whole ecosystem locks it for itself. The table in the rule says what each command takes.

interface LockPlace {
  readonly root: string;
  /** Empty for the control repository itself. */
  readonly ecosystem: string;
  /** The ticket in whose own workspace it works; null for the base workspace. */
  readonly ticket: string | null;
}

/** The key of an ecosystem of a control repository. */
function ecosystemKey({ root, ecosystem }: Pick<LockPlace, "root" | "ecosystem">): string {
  return `${sha256(root).slice(0, 16)}/${ecosystem}`;
}

/** The key of a ticket's own workspace; some file systems take ids that differ in case for one. */
function ticketKey(ecosystem: string, ticket: string): string {
  return `${ecosystem}@${ticket.toLowerCase()}`;
}

/**
 * The locks that stand for what a command takes.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { locksAt } from "./start.ts";
 *
 * const place = { root: "/control", ecosystem: "shop", ticket: "PROJ-1" };
 * const shown = (locks: ReturnType<typeof locksAt>) =>
 *   locks.map(({ key, shared }) => `${key.slice(17)}${shared ? " shared" : ""}`);
 * assertEquals(shown(locksAt("ecosystem", place)), ["shop"]);
 * assertEquals(shown(locksAt("scope", place)), ["shop shared", "shop@proj-1"]);
 * assertEquals(shown(locksAt("scope", { ...place, ticket: null })), ["shop shared", "shop#base"]);
 * ```
 */
export function locksAt(locks: Locks, place: LockPlace): readonly Lock[] {
  const ecosystem = ecosystemKey(place);
  if (locks === "ecosystem" || place.ecosystem === "") return [{ key: ecosystem, shared: false }];
  const { base = false, tickets = [] } = locks !== "scope"
    ? locks
    : place.ticket === null
    ? { base: true }
    : { tickets: [place.ticket] };
  const keys = [
    ...(base ? [`${ecosystem}#base`] : []),
    ...tickets.map((ticket) => ticketKey(ecosystem, ticket)),
  ];
  return [
    { key: ecosystem, shared: true },
    ...[...new Set(keys)].map((key) => ({ key, shared: false })),
  ];
}

/** Whether two runs cannot hold these at the same time. */
function conflict(one: readonly Lock[], other: readonly Lock[]): boolean {
  return one.some(({ key, shared }) =>
    other.some((lock) => lock.key === key && !(shared && lock.shared))
  );
}

/**
 * Whether a caller that takes some locks first settles what a run left that held others. A call in a ticket
 * settles what was left there. One in the base workspace also settles what was left of the whole ecosystem. One
 * that needs the whole ecosystem settles everything.
 */
export function concerns(taken: readonly Lock[], left: readonly Lock[]): boolean {
  const own = taken.filter(({ shared }) => !shared).map(({ key }) => key);
  const meets = own.some((key) => left.some((lock) => lock.key === key));
  const isBase = own.some((key) => key.endsWith("#base"));
  return meets || (isBase && conflict(taken, left));
}

/** All of several locks, each once: for itself where one of them is so. */
export function together(locks: readonly Lock[]): readonly Lock[] {
  const byKey = Map.groupBy(locks, ({ key }) => key);
  return [...byKey].map(([key, same]) => ({ key, shared: same.every(({ shared }) => shared) }));
}
