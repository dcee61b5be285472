/**
 * The engine that every machine has: shards are processes of this one, a few at once (ENGINE-3).
 *
 * They outlive whoever started them; who watches begins the next ones.
 */

import { join } from "@std/path";
import type { ProcessIdentity, System } from "../../base/system/mod.ts";
import {
  ARRAY_VARIABLE,
  type Cancelled,
  type Collector,
  type Engine,
  type Handle,
  isFinal,
  type Limits,
  otherPlan,
  passedOn,
  shardArguments,
  type ShardView,
  type Submission,
} from "../port.ts";
import { ResultFiles } from "../shard/line.ts";
import { EXIT } from "../../base/error.ts";

/** The variable that marks what one of its shards has started. */
const SHARD_MARK = "AMOF_ARRAY_SHARD";

/** How long a process that was found alive counts as that, in milliseconds: to ask takes a program. */
const ALIVE_MS = 2_000;

/** The file that says that no shard is to be begun any more. */
const CLOSED = "cancelled";

/** What is noted of a shard that was begun. In its file, a process that is null was to be started, and may have been. */
interface Begun {
  readonly process: ProcessIdentity | null;
  readonly starts: number;
}

/** One array. What it knows is read from its directory, so that any process can go on with it. */
class LocalArray {
  /** Where it notes what it began, absolute. */
  readonly directory: string;
  /** Where shards put their lines, absolute. */
  readonly results: string;
  readonly #system: System;
  readonly #submission: Submission;
  readonly #lines: ResultFiles;
  /** The exit codes that shards have told, by their indexes. */
  readonly #ends = new Map<number, number>();
  /** When the processes of shards were last found alive, by their indexes. */
  readonly #alive = new Map<number, number>();
  /** What was begun, null for what was not: who holds the array is the only one who begins anything. */
  readonly #begun = new Map<number, Begun | null>();

  constructor(system: System, submission: Submission) {
    this.#system = system;
    this.#submission = submission;
    this.directory = join(submission.directory, "local");
    this.results = join(submission.directory, "results");
    this.#lines = new ResultFiles(system, this.results, submission.run);
  }

  /** The file that names the plan of the array, absolute. */
  get planFile(): string {
    return join(this.directory, "plan");
  }

  /** The mark as NAME=VALUE. */
  get mark(): string {
    return `${ARRAY_VARIABLE}=${this.#submission.run}`;
  }

  /** How all shards stand. */
  async look(): Promise<ShardView[]> {
    // A shard that tells its end after this is seen as running once more, not as gone.
    const isClosed = await this.#system.files.stat(join(this.directory, CLOSED)) !== null;
    const views: ShardView[] = [];
    const alive = new Map<number, boolean>();
    for (let index = 0; index < this.#submission.shards; index++) {
      if (!this.#ends.has(index)) alive.set(index, await this.#isAlive(index));
    }
    for await (const line of this.#lines.next()) {
      if (line.type === "end") this.#ends.set(line.shard, line.exit);
    }
    for (let index = 0; index < this.#submission.shards; index++) {
      views.push(this.#view(index, { isClosed, isAlive: alive.get(index) === true }));
    }
    return views;
  }

  #view(
    index: number,
    { isClosed, isAlive }: { readonly isClosed: boolean; readonly isAlive: boolean },
  ): ShardView {
    const view = { index, reason: null, exitCode: null, node: null, note: null };
    const exitCode = this.#ends.get(index);
    if (exitCode === EXIT.ok) return { ...view, state: "succeeded", exitCode };
    if (exitCode === EXIT.interrupted) return { ...view, state: "cancelled", exitCode };
    if (exitCode !== undefined) {
      const reason = exitCode === EXIT.timeout ? "timeout" : "exit";
      return { ...view, state: "failed", reason, exitCode };
    }
    if (isAlive) return { ...view, state: "running" };
    if (isClosed) return { ...view, state: "cancelled" };
    const starts = this.#begun.get(index)?.starts ?? 0;
    return starts >= this.#submission.profile.attempts
      ? { ...view, state: "failed", reason: "vanished" }
      : { ...view, state: "waiting" };
  }

  async #isAlive(index: number): Promise<boolean> {
    const now = this.#system.clock.now();
    const seen = this.#alive.get(index);
    if (seen !== undefined && now >= seen && now - seen < ALIVE_MS) return true;
    const known = this.#begun.get(index);
    const begun = known === undefined ? await this.#read(index) : known;
    const process = begun?.process ?? null;
    const isAlive = process !== null && await this.#system.processes.isAlive(process);
    if (isAlive) this.#alive.set(index, now);
    else this.#alive.delete(index);
    return isAlive;
  }

  async #read(index: number): Promise<Begun | null> {
    const text = await this.#system.files.readText(this.#file(index));
    // Written in one step by this program.
    const begun = text === null ? null : await this.#found(index, JSON.parse(text) as Begun);
    this.#begun.set(index, begun);
    return begun;
  }

  /** Looks for the process of a shard whose starter was killed before it could note it. */
  async #found(index: number, noted: Begun): Promise<Begun> {
    if (noted.process !== null) return noted;
    const [found] = await this.#system.processes.findMarked(this.#shardMark(index).join("="));
    // A start that nobody can tell of does not count.
    return found === undefined
      ? { process: null, starts: noted.starts - 1 }
      : { process: found, starts: noted.starts };
  }

  #shardMark(index: number): readonly [string, string] {
    return [SHARD_MARK, `${this.#submission.run}/${index}`];
  }

  #file(index: number): string {
    return join(this.directory, `${index}.json`);
  }

  /** Begins a shard once more. */
  async begin(index: number): Promise<void> {
    const { files, processes, env } = this.#system;
    const submission = this.#submission;
    const starts = (this.#begun.get(index)?.starts ?? 0) + 1;
    const note = async (begun: Begun) => {
      this.#begun.set(index, begun);
      await files.write(this.#file(index), JSON.stringify(begun), { mode: 0o600 });
    };
    await note({ process: null, starts });
    const [name, value] = this.#shardMark(index);
    const process = await processes.detach([
      ...processes.self(),
      ...shardArguments(submission, {
        plan: submission.plan.path,
        results: this.results,
        index: String(index),
        start: String(starts),
      }),
    ], {
      cwd: submission.directory,
      clearEnv: true,
      env: {
        ...passedOn(env, submission.profile.env),
        [ARRAY_VARIABLE]: submission.run,
        [name]: value,
      },
    });
    await note({ process, starts });
  }

  /** From now on no shard is begun, whoever watches. */
  async close(): Promise<void> {
    await this.#system.files.write(join(this.directory, CLOSED), "", { mode: 0o600 });
  }
}

/** How often it is looked whether a shard has ended, in milliseconds: from the first to the second, the longer none has. */
const FIRST_LOOK_MS = 100;
const MOST_LOOK_MS = 500;
const MOST_SHARDS = 1_000;
/** How long shards may take to end when they are asked to, in milliseconds. */
const GRACE_MS = 10_000;

/** The processes of this machine as an engine. */
export class LocalEngine implements Engine {
  readonly #system: System;

  constructor(system: System) {
    this.#system = system;
  }

  probe(): Promise<Limits> {
    const { cpus } = this.#system.env;
    return Promise.resolve({
      shards: MOST_SHARDS,
      found: `this machine, ${cpus} processor${cpus === 1 ? "" : "s"}`,
      problems: [],
    });
  }

  async prepare(submission: Submission): Promise<Handle> {
    const there = await this.find(submission);
    if (there !== null) return there;
    await this.#system.files.write(this.#array(submission).planFile, submission.plan.sha256);
    return { engine: "local", ref: submission.run };
  }

  async find(submission: Submission): Promise<Handle | null> {
    const plan = await this.#system.files.readText(this.#array(submission).planFile);
    if (plan === null) return null;
    if (plan === submission.plan.sha256) return { engine: "local", ref: submission.run };
    throw otherPlan(submission.run, "this machine");
  }

  /** Nothing has to be let go: the one who watches begins shards. */
  async start(): Promise<void> {}

  async *watch(
    submission: Submission,
    _handle: Handle,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ShardView[]> {
    const array = this.#array(submission);
    let before = "";
    for (let wait = FIRST_LOOK_MS; !signal.aborted;) {
      const views = await array.look();
      const states = views.map(({ state }) => state).join();
      wait = states === before ? Math.min(MOST_LOOK_MS, wait * 1.1) : FIRST_LOOK_MS;
      before = states;
      const running = views.filter(({ state }) => state === "running").length;
      const free = Math.max(0, submission.profile.parallel - running);
      const next = views.filter(({ state }) => state === "waiting").slice(0, free);
      for (const { index } of next) await array.begin(index);
      yield views;
      if (views.every(isFinal)) return;
      await this.#system.clock.sleep(wait, signal);
    }
  }

  collect(submission: Submission): Collector {
    return new ResultFiles(this.#system, this.#array(submission).results, submission.run);
  }

  async cancel(submission: Submission): Promise<Cancelled> {
    const array = this.#array(submission);
    await array.close();
    await this.#system.processes.endMarked(array.mark, { graceMs: GRACE_MS });
    return { confirmed: true, unreachable: [], told: [] };
  }

  async remove(submission: Submission): Promise<void> {
    const { directory, results } = this.#array(submission);
    await this.#system.files.removeTree(directory);
    await this.#system.files.removeTree(results);
  }

  #array(submission: Submission): LocalArray {
    return new LocalArray(this.#system, submission);
  }
}
