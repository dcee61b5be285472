/** Does the work of a run that was agreed to, with what the wings do around it; and who hears what it says meanwhile. */

import type { Fields } from "../base/object.ts";
import type { ExecuteContext, Mutation, Reporter, Result } from "../contract/mod.ts";
import { ticketsTaken } from "./locks.ts";
import { WINGS } from "./wings.ts";

/** Writes down what happens, and shows the caller how far the work is, with the log where they hear it. */
export function forwarding(log: Reporter, watcher: Reporter): Reporter {
  return {
    ...(watcher.print === undefined ? {} : { print: watcher.print, folds: watcher.folds === true }),
    log(level, message, fields) {
      log.log(level, message, fields);
      if (fields?.type === "progress" || fields?.type === "step") {
        watcher.log("debug", message, fields);
      } else if (watcher.hearsLog === true) watcher.log(level, message, fields);
    },
    progress(done, total, message, of) {
      log.progress(done, total, message, of);
      watcher.progress(done, total, message, of);
    },
  };
}

/** Says everything but how far the work is. */
export function withoutProgress(report: Reporter): Reporter {
  return {
    log(level, message, fields) {
      if (fields?.type !== "progress") report.log(level, message, fields);
    },
    progress() {},
  };
}

/** Does what was agreed to. */
export async function carryOutRun(
  ctx: ExecuteContext,
  command: Mutation,
  input: Fields,
  facts: Fields,
): Promise<Result<Fields>> {
  const work = { command, input, facts, tickets: ticketsTaken({ command, input }) };
  const act = WINGS.reduce(
    (inner, { around }) => around === undefined ? inner : () => around(ctx, work, inner),
    () => command.execute(ctx, input, facts),
  );
  return await act();
}
