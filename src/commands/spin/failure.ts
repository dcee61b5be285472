/** Why a provisioner did not run, or did not end well. */

import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError, type ProgramExit } from "../../base/error.ts";
import { duration } from "../../base/text/words.ts";
import type { Provisioner } from "./provisioner.ts";
import type { SpinAction } from "./record.ts";
import type { ScriptEnd } from "./script.ts";

/** The error of a provisioner nobody has approved; `before` is how many other contents of it were. */
export function untrusted(ecosystem: string, provisioner: Provisioner, before: number): AmofError {
  const { script, hash, name } = provisioner;
  return new AmofError(
    "provisioner_untrusted",
    before > 0
      ? `Cannot run ${script}: it changed since it was approved on this machine`
      : `Cannot run ${script}: nobody has approved it on this machine`,
    {
      hint: `A person reads it and approves it in a terminal: amof -e ${ecosystem} spin trust`,
      details: { provisioner: name, script, hash, changed: before > 0 },
    },
  );
}

/** Why a script did not end well, or null when it did. */
export function failureOf(
  ctx: ExecuteContext,
  { action, provisioner, timeout }: {
    readonly action: SpinAction;
    readonly provisioner: Provisioner;
    readonly timeout: number;
  },
  { result, tail }: ScriptEnd,
): AmofError | null {
  const { script } = provisioner;
  const hint = ctx.runId === null ? {} : { hint: `See its log: amof runs logs ${ctx.runId}` };
  const details = {
    provisioner: provisioner.name,
    script,
    exit_code: result.exitCode,
    log_tail: tail,
  };
  if (result.startError !== null) {
    return new AmofError(
      "subprocess_failed",
      result.startError === "not_found"
        ? `Cannot start ${script}: the program that runs it is not installed`
        : `Cannot start ${script}: the system does not let its copy run`,
      {
        hint: result.startError === "not_found"
          ? "Check its first line, or install bash"
          : `Check that programs may run from ${ctx.layout.state}`,
        details: { ...details, cause: result.startError },
      },
    );
  }
  if (result.cancelled) {
    return new AmofError(
      "cancelled",
      `The ${action} was cancelled; what ${script} had done until then stays as it is`,
      { ...hint, details },
    );
  }
  if (result.timedOut) {
    return new AmofError(
      "timeout",
      `${script} was ended after ${duration(timeout)}; what it had done until then stands`,
      {
        hint: `Allow it more: amof -e ${ctx.ecosystem} spin ${action} --timeout ${
          Math.max(2 * Math.round(timeout), 10)
        }`,
        details,
      },
    );
  }
  if (result.exitCode === 0) return null;
  return new AmofError(
    "subprocess_failed",
    `${script} ${action} ended with exit status ${result.exitCode}`,
    // The command ends as the script did, so that whoever called it can tell one end from another.
    { ...hint, details, exit: result.exitCode as ProgramExit },
  );
}
