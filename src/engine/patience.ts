/** Watches an array also through times in which its engine does not answer (ENGINE-7). */

import { AmofError } from "../base/error.ts";
import type { System } from "../base/system/mod.ts";
import type { Engine, Handle, ShardView, Submission } from "./port.ts";

/** How long an engine that does not answer is asked again, and how long is waited in between, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 30_000;

/** An array that runs. */
export interface Running {
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
export async function* watched(
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
