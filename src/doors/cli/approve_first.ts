/** Asks a person at the terminal to approve a provisioner when a call could not run it otherwise. */

import type { Call } from "../../pipeline/call.ts";
import type { App } from "../../pipeline/app.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { ownCommand } from "../../pipeline/registry.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import { terminalApprover } from "./prompt.ts";

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
