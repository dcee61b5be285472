/**
 * Brings an array to its end (ENGINE-7). It submits it in two steps, each of which may be cut off, watches it,
 * collects and cancels. It goes on watching while its engine does not answer.
 */

import { defined } from "../base/object.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import type { ProcessRequest, System } from "../base/system/mod.ts";
import {
  type Cancelled,
  type Engine,
  type Handle,
  isFinal,
  type Limits,
  type Profile,
  type ShardView,
  type Submission,
} from "./port.ts";
import type { SubmissionRecord, Submissions } from "./record.ts";
import { better, type ItemEnd, type ShardLine } from "./shard/line.ts";
import { AmofError } from "../base/error.ts";
import type { EngineKind } from "../state/settings/mod.ts";
import { KubernetesEngine } from "./kubernetes/engine.ts";
import { LocalEngine } from "./local/engine.ts";
import { SlurmEngine } from "./slurm/engine.ts";

const ALWAYS = () => true;

const OF_KUBECTL: ReadonlySet<string | undefined> = new Set(["get", "version", "logs", "auth"]);

/** The programs of each kind of engine, with the arguments that make them a question. */
const QUESTIONS: Readonly<
  Record<EngineKind, Readonly<Record<string, (args: readonly string[]) => boolean>>>
> = {
  local: {},
  slurm: {
    squeue: ALWAYS,
    sinfo: ALWAYS,
    sacct: ALWAYS,
    scontrol: ([verb]) => verb === "show",
    sbatch: ([first]) => first === "--test-only",
  },
  kubernetes: {
    kubectl: (args) => OF_KUBECTL.has(args.find((word) => !word.startsWith("-"))),
  },
};

/** Whether a program asks an engine how it stands. */
export function isEngineQuestion({ command, args }: ProcessRequest): boolean {
  return Object.values(QUESTIONS).some((programs) =>
    Object.hasOwn(programs, command) && programs[command]?.(args) === true
  );
}

const ENGINES: Readonly<Record<EngineKind, (system: System) => Engine>> = {
  local: (system) => new LocalEngine(system),
  kubernetes: (system) => new KubernetesEngine(system),
  slurm: (system) => new SlurmEngine(system),
};

/** The engine of a kind. */
export function engineOf(system: System, kind: EngineKind): Engine {
  return ENGINES[kind](system);
}

/** What the engine of a profile has; throws `engine_unavailable` with what mends it where something is missing. */
export async function requireEngine(system: System, profile: Profile): Promise<Limits> {
  const limits = await engineOf(system, profile.kind).probe(profile);
  const [problem] = limits.problems;
  if (problem === undefined) return limits;
  throw new AmofError(
    "engine_unavailable",
    `Cannot use engine "${profile.name}": ${problem.message}`,
    { hint: problem.fix, details: { engine: profile.name, problems: limits.problems } },
  );
}

/** How long an engine that does not answer is asked again, and how long is waited in between, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 30_000;

/** An array that runs. */
interface Running {
  readonly engine: Engine;
  readonly submission: Submission;
  readonly handle: Handle;
  /** Reads what shards have told since then. */
  readonly collect: () => Promise<void>;
}

/**
 * How the shards stand, again and again, with what they have told until then. An engine that is restarted does not
 * answer for a while, and its shards run on meanwhile.
 */
async function* watched(
  { system, signal, follower }: {
    readonly system: System;
    readonly signal: AbortSignal;
    readonly follower: { silent(why: string): void };
  },
  { engine, submission, handle, collect }: Running,
): AsyncGenerator<readonly ShardView[]> {
  for (let since: number | null = null, pause = FIRST_PAUSE_MS;;) {
    try {
      for await (const views of engine.watch(submission, handle, signal)) {
        await collect();
        since = null;
        pause = FIRST_PAUSE_MS;
        yield views;
      }
      return;
    } catch (error) {
      if (!(error instanceof AmofError) || error.code !== "engine_unavailable") throw error;
      // Cancelling the array also ends the question under way.
      if (signal.aborted) return;
      const now = system.clock.now();
      if (since === null) follower.silent(error.message);
      since ??= now;
      if (now - since > PATIENCE_MS) throw error;
    }
    await system.clock.sleep(pause, signal);
    pause = Math.min(MOST_PAUSE_MS, pause * 2);
  }
}

interface Follower {
  /** Each line that shards tell, once; no further one is read before this is done with it. */
  line(line: ShardLine): void | Promise<void>;
  /** The engine does not answer, and why; it is asked again. Called once for each time it falls silent. */
  silent(why: string): void;
  /** Nothing runs, and the engine's own word for why; called once for each word that it has said twice. */
  waits(why: string): void;
}

/** How an array ended. */
export interface ArrayEnd {
  /** How its shards stand, by their indexes. */
  readonly views: readonly ShardView[];
  /** How its items ended, by their numbers; those are missing of which no shard told an end. */
  readonly items: ReadonlyMap<number, ItemEnd>;
  /** Why shards refused the whole plan, by their indexes. */
  readonly refused: ReadonlyMap<number, string>;
  /** The numbers of the items that were begun. */
  readonly begun: ReadonlySet<number>;
  /** The indexes of shards of which it is known what they began: their first line was read. */
  readonly told: ReadonlySet<number>;
  /** The indexes of shards that have run, as far as they or their engine say. */
  readonly ran: ReadonlySet<number>;
  /** How the cancellation ended; null where there was none. */
  readonly cancelled: Cancelled | null;
}

/** What is kept of a line that says how an item ended, for as long as the array goes on. */
function endOf(line: ItemEnd): ItemEnd {
  const { i, repo, state, exit_code, signal, seconds, why, commit, tail, change } = line;
  return {
    ...{ i, repo, state, exit_code, signal, seconds, why, commit },
    // Of what went well only the last line is ever told.
    tail: state === "ok" ? tail.slice(-1) : tail,
    ...defined({ change }),
  };
}

class Collected {
  readonly items = new Map<number, ItemEnd>();
  readonly refused = new Map<number, string>();
  readonly begun = new Set<number>();
  readonly told = new Set<number>();
  readonly ran = new Set<number>();
  readonly #follower: Follower;

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  async take(line: ShardLine): Promise<void> {
    if (line.type === "begin") this.begun.add(line.i);
    if (line.type === "refused") this.refused.set(line.shard, line.why);
    if (line.type === "start") {
      // A start that was let through counts more than one that was refused before it.
      this.refused.delete(line.shard);
      this.told.add(line.shard);
      this.ran.add(line.shard);
    }
    if (line.type === "item") {
      const known = this.items.get(line.i);
      const best = better(known, line);
      if (best !== known) this.items.set(line.i, endOf(line));
    }
    await this.#follower.line(line);
  }

  look(views: readonly ShardView[]): void {
    for (const { index, state, reason } of views) {
      const ended = reason !== "vanished" && reason !== "unstartable";
      const over = state === "failed" && ended || state === "succeeded";
      if (state === "running" || over) this.ran.add(index);
    }
  }
}

/** Why nothing of an array runs, told once it has been so for two looks. */
class Waiting {
  readonly #follower: Follower;
  readonly #told = new Set<string>();
  #last = "";

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  look(views: readonly ShardView[]): void {
    const runs = views.some(({ state }) => state === "running");
    const notes = new Set(views.filter((view) => !isFinal(view)).map(({ note }) => note ?? ""));
    const why = runs ? "" : [...notes].filter(Boolean).sort().join(", ");
    if (why !== "" && why === this.#last && !this.#told.has(why)) {
      this.#told.add(why);
      this.#follower.waits(why);
    }
    this.#last = why;
  }
}

interface ArrayWork {
  readonly system: System;
  readonly submissions: Submissions;
  readonly record: SubmissionRecord;
  readonly follower: Follower;
  /** Cancels the array. */
  readonly signal: AbortSignal;
}

/**
 * Brings an array to its end, from wherever it is: also one that another process submitted, which is gone. Throws
 * `engine_unavailable` where the engine cannot be reached; the array goes on then, and the same can be asked again.
 */
export async function followArray(work: ArrayWork): Promise<ArrayEnd> {
  const lock = await work.submissions.hold(work.record.run);
  try {
    return await followHeld(work);
  } finally {
    await lock.release();
  }
}

async function followHeld(work: ArrayWork): Promise<ArrayEnd> {
  const { system, submissions, signal } = work;
  const engine = engineOf(system, work.record.profile.kind);
  const submission = submissions.submission(work.record);
  const record = await submitted(work, engine, submission);
  const { handle } = record;
  if (handle === null) throw new TypeError("Cannot follow an array without a handle");
  const collected = new Collected(work.follower);
  const collector = engine.collect(submission);
  const collect = async () => {
    for await (const line of collector.next()) await collected.take(line);
  };
  let views: readonly ShardView[] = [];
  if (record.phase === "started") {
    const waiting = new Waiting(work.follower);
    for await (views of watched(work, { engine, submission, handle, collect })) {
      collected.look(views);
      waiting.look(views);
    }
    // What the engine will never begin would wait there for ever.
    if (views.some(({ reason }) => reason === "unstartable")) {
      await cancelHeld(submissions, record, { engine, submission, handle, collect });
    }
  } else if (record.phase === "settled") {
    // The process that followed the array to its end was killed before it used the results.
    await collect();
  }
  const ends = signal.aborted || record.phase === "cancelling";
  const cancelled = ends
    ? await cancelHeld(submissions, record, { engine, submission, handle, collect })
    : null;
  for (const line of cancelled?.told ?? []) await collected.take(line);
  if (cancelled !== null) {
    for await (views of engine.watch(submission, handle, AbortSignal.timeout(CANCELLED_LOOK_MS))) {
      break;
    }
    await collect();
  }
  if (cancelled === null || cancelled.confirmed) {
    await submissions.put({ ...record, phase: "settled" });
  }
  const { items, refused, begun, told, ran } = collected;
  return { views, items, refused, begun, told, ran, cancelled };
}

/** Ends an array; `submissions` says so before its engine is asked to. */
async function cancelHeld(
  submissions: Submissions,
  record: SubmissionRecord,
  { engine, submission, handle, collect }: Running,
): Promise<Cancelled> {
  // Some engines forget with an array what it has told.
  await collect();
  await submissions.put({ ...record, handle, phase: "cancelling" });
  return await engine.cancel(submission, handle);
}

/**
 * Ends the array of a run that nobody follows any more, wherever it is, and reads what its shards have told. Throws
 * `engine_unavailable` where the engine cannot be reached, and `state_busy` where somebody follows it.
 */
export async function endArray(
  { system, submissions, record, line }: {
    readonly system: System;
    readonly submissions: Submissions;
    readonly record: SubmissionRecord;
    /** Each line that was told. */
    readonly line: (line: ShardLine) => void;
  },
): Promise<Cancelled> {
  const lock = await submissions.hold(record.run);
  try {
    const engine = engineOf(system, record.profile.kind);
    const submission = submissions.submission(record);
    const handle = record.handle ?? await engine.find(submission);
    const collector = engine.collect(submission);
    const collect = async () => {
      for await (const told of collector.next()) line(told);
    };
    const cancelled = handle === null
      ? { confirmed: true, unreachable: [], told: [] }
      : await cancelHeld(submissions, record, { engine, submission, handle, collect });
    cancelled.told.forEach(line);
    await collect();
    if (cancelled.confirmed) await submissions.put({ ...record, handle, phase: "settled" });
    return cancelled;
  } finally {
    await lock.release();
  }
}

/** How long the last look at a cancelled array may take, in milliseconds. */
const CANCELLED_LOOK_MS = 10_000;

/** Brings a submission so far that it runs; each step is written down before and after. */
async function submitted(
  { submissions, record }: ArrayWork,
  engine: Engine,
  submission: Submission,
): Promise<SubmissionRecord> {
  let now = record;
  const put = async (change: Partial<SubmissionRecord>) => {
    now = { ...now, ...change };
    await submissions.put(now);
  };
  if (now.phase === "preparing") {
    // An earlier process may have reached the engine, which then has part or all of the array under this name.
    const handle = await engine.prepare(submission);
    await put({ phase: "prepared", handle });
  }
  if (now.phase === "prepared" && now.handle !== null) {
    await engine.start(submission, now.handle);
    await put({ phase: "started" });
  }
  return now;
}

/** What a person is told while nothing of an array runs. */
export function waitsText(engine: string, why: string): string {
  return `Nothing runs yet on engine ${engine}, which says: ${cleanLine(why, 200)}`;
}
