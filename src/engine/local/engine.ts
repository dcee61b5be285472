/**
 * The engine that every machine has: shards are processes of this one, a few at once (ENGINE-3).
 *
 * They outlive whoever started them; who watches begins the next ones.
 */

import type { System } from "../../base/system/mod.ts";
import { otherPlan } from "../conflict.ts";
import {
  type Cancelled,
  type Collector,
  type Engine,
  type Handle,
  isFinal,
  type Limits,
  type ShardView,
  type Submission,
} from "../port.ts";
import { ResultFiles } from "../shard/read.ts";
import { LocalArray } from "./array.ts";

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
