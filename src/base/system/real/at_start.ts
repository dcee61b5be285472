/** What is asked of the world before the rest of it is loaded, and light for that. */

import type { Clock } from "../mod.ts";

/** The clock of this machine. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
    }),
};

/** What the process was started with. */
export interface Surroundings {
  /** The variable of a name. */
  get(name: string): string | undefined;
  readonly names: readonly string[];
  /** Whether something is at a path, or may be there. */
  mayBeThere(path: string): boolean;
}

function mayBeThere(path: string): boolean {
  const { stackTraceLimit } = Error;
  // What is never shown need not be traced back, which takes longer than the look.
  Error.stackTraceLimit = 0;
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What this process was started with. */
export function surroundings(): Surroundings {
  const variables = Deno.env.toObject();
  return { get: (name) => variables[name], names: Object.keys(variables), mayBeThere };
}
