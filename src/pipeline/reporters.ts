/** Who hears what a command says while it works. */

import type { Reporter } from "../contract/mod.ts";

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
