/**
 * Runs a mutation as a list of small steps, each with its inverse where one exists (design §5).
 *
 * @module
 */

import { AmofError, reasonOf } from "../error.ts";
import type { Reporter } from "../spec/mod.ts";

/** One step of a mutation. */
export interface Step {
  /** What it does, as a log line: "Clone svc1". */
  readonly name: string;
  readonly act: () => Promise<void>;
  /** Takes back what `act` made, and only that. Called only after `act` succeeded. */
  readonly undo?: () => Promise<void>;
}

/**
 * Runs the steps in order: all of them, or none of them.
 *
 * When a step fails, or the signal aborts between two steps, the finished ones are undone in reverse
 * order and the failure is thrown; an undo that fails is logged and named in the error's details under
 * `left_behind`, and the others still run.
 */
export async function runSteps(
  steps: readonly Step[],
  report: Reporter,
  signal: AbortSignal,
): Promise<void> {
  const done: Step[] = [];
  try {
    for (const step of steps) {
      if (signal.aborted) throw new AmofError("cancelled", `Stopped before "${step.name}"`);
      report.log("info", step.name, { type: "step" });
      await step.act();
      done.push(step);
      report.progress(done.length, steps.length, step.name);
    }
  } catch (failure) {
    const leftBehind = await undoSteps(done, report);
    throw leftBehind.length === 0 ? failure : withLeftBehind(failure, leftBehind);
  }
}

/** The failure with what could not be taken back, and what to do about it where that is another thing. */
export function withLeftBehind(
  failure: unknown,
  leftBehind: readonly string[],
  hint?: string,
): AmofError {
  const known = failure instanceof AmofError
    ? failure
    : new AmofError("internal_error", reasonOf(failure));
  return new AmofError(known.code, known.message, {
    hint: hint ?? known.hint,
    details: { ...known.details, left_behind: leftBehind },
    exit: known.exit,
    cause: failure,
  });
}

async function undoSteps(done: readonly Step[], report: Reporter): Promise<string[]> {
  const leftBehind: string[] = [];
  for (const step of done.toReversed()) {
    if (step.undo === undefined) continue;
    report.log("warn", `Undo: ${step.name}`, { type: "undo" });
    try {
      await step.undo();
    } catch (error) {
      const message = reasonOf(error);
      leftBehind.push(`${step.name}: ${message}`);
      report.log("error", `Could not undo "${step.name}": ${message}`, { type: "undo" });
    }
  }
  return leftBehind;
}
