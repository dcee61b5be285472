/** Watches a run until it ends, for the command line's foreground and `runs logs --follow`. */

import type { RunId } from "../base/ids.ts";
import { defined, isObject } from "../base/object.ts";
import { wordingFor } from "./wording.ts";
import { AmofError, type ErrorObject, type ProgramExit } from "../base/error.ts";
import { durationSeconds, isFinal, runView, settleIfGone, statusPhrase } from "../runs/mod.ts";
import { answerQuestion, type Question, questionOf } from "../runs/changing.ts";
import type { Mutation } from "../contract/mod.ts";
import type { Session } from "./session.ts";
import type { RunEvent, RunRecord } from "../state/store/mod.ts";
import { suggest } from "./suggest/mod.ts";
import { blocks } from "../base/text/parts.ts";
import { duration } from "../base/text/words.ts";
import { repoLines } from "./answer.ts";
import type { App } from "./app.ts";
import { cancelWithArray } from "./operations.ts";
import { makeOutcome, type Outcome } from "./envelope.ts";
import { placeOf } from "./pipeline.ts";
import { commandOfRun, findCommand, loadCommand } from "./registry.ts";

const POLL_MS = 60;
/** How many empty polls pass between two looks at whether the worker is alive: about every 2 seconds. */
const LIVENESS_POLLS = 32;

interface FollowOptions {
  /** Begin behind this event. */
  readonly after: number;
  readonly onEvent: (event: RunEvent) => void;
  /** What an interrupt does: cancel the run, or only stop watching. */
  readonly onInterrupt: "cancel" | "leave";
  /** Whether an interrupt has come already, before anybody followed. */
  readonly interrupted?: boolean;
  /** The work on the run, where this process does it. */
  readonly working?: Promise<unknown> | undefined;
  /** Answers a question of the run; null when nobody does. Absent where questions are only shown. */
  readonly onQuestion?: (text: string, signal: AbortSignal) => Promise<boolean | null>;
}

/** Delivers the events of a run as they are written; resolves when it has ended, or was left. */
export async function followRun(
  app: App,
  runId: RunId,
  options: FollowOptions,
): Promise<RunRecord> {
  const { system } = app;
  const store = await app.store();
  let after = options.after;
  let interrupted = options.interrupted ?? false;
  const working = options.working === undefined ? [] : [options.working];
  const asking = new AbortController();
  const questions: Question[] = [];
  const stopListening = system.terminal.onInterrupt(() => {
    interrupted = true;
    asking.abort();
  });
  const drain = () => {
    const batch = store.events.after(runId, after, 500);
    for (const event of batch) {
      after = event.seq;
      const question = options.onQuestion === undefined ? null : questionOf(event);
      if (question === null) options.onEvent(event);
      else questions.push(question);
    }
    return batch.length;
  };
  try {
    for (let quiet = 0;; quiet++) {
      // The record first: what was logged before it said "final" is then read for certain.
      let run = store.runs.get(runId);
      if (run === null) {
        throw new AmofError(
          "run_not_found",
          `Cannot follow run "${runId}": no such run is recorded`,
        );
      }
      if (drain() > 0) quiet = 0;
      if (quiet > 0 && quiet % LIVENESS_POLLS === 0) run = await settleIfGone(run, store, system);
      if (isFinal(run.status)) {
        while (drain() > 0);
        return run;
      }
      for (const question of questions.splice(0)) {
        const yes = await options.onQuestion?.(question.text, asking.signal) ?? null;
        if (!interrupted) answerQuestion({ store, system, runId }, question, yes === true);
      }
      if (interrupted) {
        if (options.onInterrupt === "leave") return run;
        await cancelWithArray(app, run);
        interrupted = false;
      }
      // What this process does itself is over when it is done, and not a moment later.
      await Promise.race([system.clock.sleep(POLL_MS), ...working]);
    }
  } finally {
    stopListening();
  }
}

/** The answer of a mutation whose run has ended: the run's fields, its result, and its error if it has one. */
export function finishedOutcome(
  session: Session,
  run: RunRecord,
  command: Mutation,
  now: number,
): Outcome {
  const view = runView(run);
  const failure = run.error === null
    ? run.status === "success" ? undefined : lost(run)
    : revive(run.error, run);
  const rendered = run.result === null || typeof run.result !== "object"
    ? {
      summary: failure?.message ??
        `Ended ${run.action}: it ${statusPhrase(run.status, run.error)}.`,
      details: failure === undefined ? "" : repoLines(failure).join("\n"),
    }
    : command.render(run.result as Record<string, unknown>, run.args, wordingFor("cli", now));
  const seconds = durationSeconds(run);
  const { args: _args, run_error: _error, ...fields } = view;
  return makeOutcome({
    session,
    mode: "execute",
    now,
    command,
    place: placeOf(command, session, run, {}),
    summary: rendered.summary,
    details: blocks(
      rendered.details ?? null,
      seconds === null ? null : `Duration: ${duration(seconds)}`,
    ),
    // How it can be undone stands where the answer of any run has it.
    data: {
      ...fields,
      ...defined({ undo: isObject(run.result) ? run.result["undo"] : undefined }),
    },
    ...defined({ failure }),
    actions: suggest({
      command,
      phase: "finished",
      data: { ...view },
      failure: failure ?? null,
      session,
      mode: "execute",
      ecosystem: run.ecosystem,
      ticket: run.ticket,
      installed: null,
      ofRun: commandOfRun,
      find: findCommand,
    }),
    runId: run.runId,
    answered: run.result !== null,
  });
}

function lost(run: RunRecord): AmofError {
  return new AmofError(
    run.status === "cancelled" ? "cancelled" : "interrupted",
    `${run.action} ${statusPhrase(run.status, run.error)}`,
    {
      hint: `See its log: amof runs logs ${run.runId.slice(0, 8)}`,
    },
  );
}

/** The error a worker wrote down, as an error again, with the exit code the run ended with. */
function revive(error: ErrorObject, run: RunRecord): AmofError {
  // A program's own code may be any; 0 is none of a failure.
  const exit = run.exitCode === null || run.exitCode === 0
    ? undefined
    : run.exitCode as ProgramExit;
  return new AmofError(run.status === "cancelled" ? "cancelled" : error.error, error.message, {
    hint: error.hint,
    ...defined({ details: error.details, exit }),
  });
}

/** The command that made a run; throws when this program no longer has it. */
export async function commandOf(run: RunRecord): Promise<Mutation> {
  const command = await loadCommand(run.tool);
  if (command?.kind === "mutation") return command;
  throw new AmofError(
    "internal_error",
    `Cannot show run "${run.runId}": its command ${run.tool} is unknown here`,
  );
}
