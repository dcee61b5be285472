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

/** What is at a path, as far as that can be told at once. */
type Found = "nothing" | "file" | "directory" | "else";

/** What the process was started with. */
export interface Surroundings {
  /** The variable of a name. */
  get(name: string): string | undefined;
  readonly names: readonly string[];
  /** What is at a path; a link is `else`, and so is what cannot be looked at. */
  look(path: string): Found;
  /** The directories in a directory, by name. */
  directories(path: string): readonly string[];
}

function look(path: string): Found {
  const { stackTraceLimit } = Error;
  // What is never shown need not be traced back, which takes longer than the look.
  Error.stackTraceLimit = 0;
  try {
    const { isFile, isDirectory } = Deno.lstatSync(path);
    return isFile ? "file" : isDirectory ? "directory" : "else";
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "nothing" : "else";
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function directories(path: string): readonly string[] {
  try {
    return [...Deno.readDirSync(path)].filter((entry) => entry.isDirectory).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** What this process was started with. */
export function surroundings(): Surroundings {
  const variables = Deno.env.toObject();
  return { get: (name) => variables[name], names: Object.keys(variables), look, directories };
}
