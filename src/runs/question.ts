/**
 * A question of a run to the person who watches it, through its log: the run may be the work of another process
 * (RUN-11).
 */

import type { RunId } from "../base/ids.ts";
import type { RunEvent, Store } from "../state/store/mod.ts";
import type { System } from "../base/system/mod.ts";

/** The types of the two events. */
const QUESTION = "question";
const ANSWER = "answer";
const POLL_MS = 100;
/** How many polls pass between two looks at whether the person is still there: about every 2 seconds. */
const LIVENESS_POLLS = 20;
/** How long a person may think. */
const PATIENCE_MS = 10 * 60_000;

/** A question as the log holds it. */
export interface Question {
  readonly id: string;
  readonly text: string;
}

/** The question of an event; null when it is none. */
export function questionOf(event: RunEvent): Question | null {
  if (event.type !== QUESTION) return null;
  const { id } = (event.payload ?? {}) as { id?: unknown };
  return typeof id === "string" ? { id, text: event.message } : null;
}

/** Writes the answer of a person into the log. */
export function answerQuestion(
  { store, system, runId }: {
    readonly store: Store;
    readonly system: System;
    readonly runId: RunId;
  },
  { id }: Question,
  yes: boolean,
): void {
  store.events.append(runId, [{
    at: system.clock.now(),
    level: "info",
    type: ANSWER,
    message: yes ? "Answered: yes" : "Answered: no",
    payload: { id, yes },
  }]);
}

function answerIn(events: readonly RunEvent[], id: string): boolean | null {
  for (const event of events) {
    const payload = (event.payload ?? {}) as { id?: unknown; yes?: unknown };
    if (event.type === ANSWER && payload.id === id) return payload.yes === true;
  }
  return null;
}

/**
 * Asks the person behind the process `asker` a question that yes or no answers; null when that process is gone, the
 * run is interrupted, or nobody answers for 10 minutes.
 */
export async function askFollower(
  { store, system, runId }: {
    readonly store: Store;
    readonly system: System;
    readonly runId: RunId;
  },
  { asker, text }: {
    readonly asker: number;
    readonly text: string;
  },
  signal: AbortSignal,
): Promise<boolean | null> {
  const { clock, ids, processes } = system;
  const id = ids.hex(8);
  let after = store.runs.get(runId)?.eventCount ?? 0;
  store.events.append(runId, [{
    at: clock.now(),
    level: "warn",
    type: QUESTION,
    message: text,
    payload: { id },
  }]);
  const asked = clock.now();
  for (let poll = 1; !signal.aborted && clock.now() - asked < PATIENCE_MS; poll++) {
    const events = store.events.after(runId, after, 500);
    const answer = answerIn(events, id);
    if (answer !== null) return answer;
    after = events.at(-1)?.seq ?? after;
    if (poll % LIVENESS_POLLS === 0) {
      const there = { pid: asker, startedAt: null, bootId: null };
      if (!await processes.isAlive(there)) return null;
    }
    await clock.sleep(POLL_MS, signal);
  }
  return null;
}
