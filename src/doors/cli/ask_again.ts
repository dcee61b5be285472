/**
 * What a person at the terminal is asked before a refused call is made again: to approve a provisioner, or to do without
 * the box that cannot be made (BOX-7).
 */

import type { Call } from "../../pipeline/preview.ts";
import type { App } from "../../pipeline/app.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { ownCommand } from "../../pipeline/registry.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import { terminalApprover } from "./prompt.ts";
import { writeError } from "./colors.ts";

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

/** The command that approves a provisioner. */
const TRUST = "amof_spin_trust";

/** Whether a call was refused because nobody has approved its provisioner. */
export function needsApproval(outcome: Outcome): boolean {
  return outcome.envelope["error"] === "provisioner_untrusted" && outcome.command?.name !== TRUST;
}

/**
 * Asks for the approval and, once it is given, makes the call again. Answers why not, otherwise.
 *
 * `--yes` consents to the call but not to a script that nobody has read, so the person is asked in any case.
 */
export async function approveFirst(
  app: App,
  call: Call,
  refused: Outcome,
  flags: GlobalFlags,
): Promise<Outcome> {
  const { ecosystem } = refused.envelope["_context"] as { readonly ecosystem: string };
  const asking = { ...flags, yes: false, confirmName: null };
  const approval = await carryOut(app, {
    ...call,
    command: await ownCommand(TRUST),
    // This is the ecosystem of the refused call, which may have come from a token.
    args: { ecosystem },
    approver: terminalApprover(app.system.terminal, app.system.env, asking),
  });
  return approval.isError ? approval : await carryOut(app, call);
}
