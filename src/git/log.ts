/**
 * What git prints while it works, for the log of a run.
 *
 * @module
 */

import type { OnLine } from "./push_outcome.ts";
import { isNoise, isProgress } from "./reason.ts";

/** Takes a line for the log, as reporters do. */
type Log = (
  level: "debug" | "info" | "warn",
  message: string,
  fields: { readonly stream: "stdout" | "stderr" },
) => void;

/** Where the lines of each stream belong; progress is always `debug`. */
export interface LineLevels {
  readonly stdout: "debug" | "info";
  readonly stderr: "debug" | "info" | "warn";
}

/** Writes what git prints into a log, each line behind the name of its repository. */
export function logLines(log: Log, repo: string, levels: LineLevels): OnLine {
  return (stream, line) => {
    const text = line.trimEnd();
    if (text === "" || isNoise(text)) return;
    log(isProgress(text) ? "debug" : levels[stream], `${repo}: ${text}`, { stream });
  };
}
