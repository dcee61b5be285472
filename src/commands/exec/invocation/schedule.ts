/** Works on many things, a few at once, each when those it needs are done. */

/** Why one was not begun. */
export interface NotBegun {
  /**
   * `needs`: one that it needs did not end well; `failed`: another one failed and nothing more was to begin;
   * `stopped`: the whole was ended.
   */
  readonly reason: "needs" | "failed" | "stopped";
  /** The one that is the cause, or null. */
  readonly repo: string | null;
}

/** What is to be worked on, and how. */
interface Schedule<R> {
  /** What there is, in order, each with the names of those that must end well before. */
  readonly needs: ReadonlyMap<string, readonly string[]>;
  /** How many at once. */
  readonly jobs: number;
  /** Begins also what needs one that did not end well. */
  readonly keepGoing: boolean;
  /** Begins nothing more after one that did not end well. */
  readonly failFast: boolean;
  /** Whether nothing more is to begin. */
  readonly stopped: () => boolean;
  readonly work: (name: string) => Promise<R>;
  readonly isGood: (result: R) => boolean;
}

/** How one ended: what its work answered, or why it was not begun. */
export type TaskOutcome<R> = { readonly result: R } | { readonly not: NotBegun };

/**
 * Works on everything; answers in the order of `needs`. What work throws is thrown once everything that was begun has
 * ended.
 */
export async function inOrder<R>(
  schedule: Schedule<R>,
): Promise<ReadonlyMap<string, TaskOutcome<R>>> {
  const { needs, jobs, keepGoing, failFast, stopped, work, isGood } = schedule;
  const waiting = new Set(needs.keys());
  const ended = new Map<string, TaskOutcome<R>>();
  const under = new Set<Promise<void>>();
  const thrown: unknown[] = [];
  let firstBad: string | null = null;
  const endedWell = (name: string) => {
    const outcome = ended.get(name);
    return outcome !== undefined && "result" in outcome && isGood(outcome.result);
  };
  const hindrance = (name: string): NotBegun | null => {
    if (stopped() || thrown.length > 0) return { reason: "stopped", repo: null };
    if (failFast && firstBad !== null) return { reason: "failed", repo: firstBad };
    const bad = (needs.get(name) ?? []).find((one) => ended.has(one) && !endedWell(one));
    return keepGoing || bad === undefined ? null : { reason: "needs", repo: bad };
  };
  const begin = (name: string) => {
    waiting.delete(name);
    const working = work(name).then((result) => {
      ended.set(name, { result });
      if (!isGood(result)) firstBad ??= name;
    }, (error: unknown) => {
      thrown.push(error);
    }).finally(() => under.delete(working));
    under.add(working);
  };
  while (waiting.size > 0) {
    let moved = false;
    for (const name of waiting) {
      const not = hindrance(name);
      if (not !== null) {
        waiting.delete(name);
        ended.set(name, { not });
        moved = true;
      } else if (under.size < jobs && (needs.get(name) ?? []).every((one) => ended.has(one))) {
        begin(name);
      }
    }
    if (under.size > 0) await Promise.race(under);
    else if (!moved) break;
  }
  await Promise.all(under);
  if (thrown.length > 0) throw thrown[0];
  return new Map([...needs.keys()].flatMap((name) => {
    const outcome = ended.get(name);
    return outcome === undefined ? [] : [[name, outcome] as const];
  }));
}
