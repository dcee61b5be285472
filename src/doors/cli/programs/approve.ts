/**
 * `amof approve`: a person approves a pending request (CONFIRM-12).
 *
 * Approving takes a person at a terminal: no flag, no pipe and no JSON stands in for one.
 */

import type { ZodObject, ZodString } from "zod";
import {
  decide,
  findPending,
  questionOf,
  requirePasskey,
  review,
  terminalUser,
} from "../../../pipeline/consent/pending.ts";
import { AmofError, EXIT } from "../../../base/error.ts";
import type { ZodNamespace } from "../../../contract/mod.ts";
import type { PendingApproval } from "../../../state/store/mod.ts";
import { askPerson, isInteractive } from "../prompt.ts";
import { program, type ProgramContext } from "../../../pipeline/line/program.ts";
import { answerWith } from "../answer.ts";
import { stderrReporter } from "../session.ts";

/** Which request is meant. */
export const requestInput = (z: ZodNamespace): ZodObject<{ id: ZodString }> =>
  z.strictObject({
    id: z.string().max(200).describe("Id of the request, or its first 4 or more characters"),
  });

/** Tells what was decided; answers the exit code. */
export function tellDecision(
  ctx: ProgramContext,
  pending: PendingApproval,
  summary: string,
  decision: string,
): Promise<number> {
  return answerWith(ctx, {
    summary,
    data: { id: pending.id, decision, tool: pending.request.tool },
    ecosystem: pending.request.ecosystem,
  });
}

/** Why a request is not approved. */
const REFUSED = {
  declined: "was declined",
  cancelled: "was left undecided",
  wrong_name: "was not approved: the name did not match",
  timed_out: "was not decided in time",
  ask_failed: "could not be shown",
  unsupported: "could not be decided",
};

function undecided(
  id: string,
  decision: keyof typeof REFUSED,
  interrupted: boolean,
): AmofError {
  const code = decision === "cancelled" ? "confirmation_cancelled" : "confirmation_declined";
  return new AmofError(code, `Request ${id} ${REFUSED[decision]}`, {
    ...(decision === "cancelled"
      ? { hint: [`Approve it later: amof approve ${id}`, `Refuse it: amof deny ${id}`] }
      : {}),
    details: { id, decision, way: "human" },
    ...(interrupted ? { exit: EXIT.interrupted } : {}),
  });
}

/** `amof approve`. */
export const approveProgram = program({
  path: ["approve"],
  answers: true,
  summary: "Show what a waiting request would do now and, once you agree, let it happen.",
  description:
    "Needs a terminal with a person at it: --yes, --json, --no-input, a pipe or CI approve nothing. What you approve is what is shown; if anything changes before it is carried out, nothing happens.",
  positionals: ["id"],
  acts: true,
  examples: ["approve 3f0c6f4e"],
  input: requestInput,
  async main(ctx, { id }) {
    const { app, flags } = ctx;
    const { terminal, env } = app.system;
    const report = stderrReporter(app.system, flags);
    const by = terminalUser(app);
    const pending = await findPending(app, id);
    if (flags.yes || flags.confirmName !== null || !isInteractive(terminal, env, flags)) {
      await decide(app, pending, { decision: "unsupported", by, report });
      throw new AmofError(
        "confirmation_required",
        `Cannot approve request ${pending.id}: only a person at a terminal can`,
        {
          hint: `Run in a terminal, without other flags: amof approve ${pending.id}`,
          details: { id: pending.id, decision: "unsupported", way: "human" },
        },
      );
    }
    await requirePasskey(app, pending.id, by);
    const abort = new AbortController();
    const stopListening = terminal.onInterrupt(() => abort.abort());
    try {
      const shown = await review(app, pending, abort.signal, report);
      const { decision } = await askPerson(terminal, questionOf(shown, abort.signal));
      await decide(app, pending, { decision, by, report });
      if (decision === "accepted") {
        return await tellDecision(
          ctx,
          pending,
          `Approved ${shown.command.title.toLowerCase()}; it is carried out when asked for again.`,
          decision,
        );
      }
      throw undecided(pending.id, decision, abort.signal.aborted);
    } finally {
      stopListening();
    }
  },
});
