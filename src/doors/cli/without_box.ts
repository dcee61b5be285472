/** Asks the person at the terminal whether a program may run without the box that cannot be made (BOX-7). */

import type { App } from "../../pipeline/app.ts";
import type { Call } from "../../pipeline/call.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { writeError } from "./colors.ts";
import { terminalApprover } from "./prompt.ts";

/** Whether nothing was run because no box could be made. */
export function lacksBox({ envelope }: Outcome): boolean {
  return envelope["error"] === "box_unavailable";
}

/**
 * Makes the call again without a box, which shows what that means and asks. `--yes` consents to what was typed, which was
 * a box, so the person is asked in any case.
 */
export async function withoutBox(
  app: App,
  call: Call,
  outcome: Outcome,
  flags: GlobalFlags,
): Promise<Outcome> {
  if (app.settings.boxAlways || call.args["no_box"] === true) return outcome;
  const { terminal, env } = app.system;
  writeError(terminal, `${String(outcome.envelope["message"])}.\n`);
  return await carryOut(app, {
    ...call,
    args: { ...call.args, no_box: true },
    approver: terminalApprover(terminal, env, { ...flags, yes: false, confirmName: null }),
  });
}
