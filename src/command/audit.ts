/**
 * Writes down every decision about a call that could change something.
 *
 * @module
 */

import type { AmofError } from "../error.ts";
import type { Command } from "../spec/mod.ts";
import { maskValue } from "../text/mask.ts";
import type { App } from "./app.ts";
import type { Answer, Call, Progress } from "./call.ts";

/** Whether calls of a command can change something. */
export function isMutating(command: Command): boolean {
  return command.kind === "mutation" || command.kind === "redeem";
}

/** What the audit log calls a failure. */
export function decisionOf(failure: AmofError | undefined): string {
  switch (failure?.code) {
    case "mode_insufficient":
      return "refused_mode";
    case "confirmation_required":
    case "confirmation_expired":
    case "confirmation_stale":
      return failure.code === "confirmation_required" ? "requested" : failure.code;
    case "confirmation_declined":
      return String(failure.details["decision"] ?? "declined");
    case "confirmation_invalid":
    case "type_to_confirm_failed":
      return failure.code;
    default:
      return "failed";
  }
}

/** Notes the decision; reads are not noted, changes of the mode are. */
export async function audit(
  app: App,
  call: Call,
  command: Command,
  progress: Progress,
  answer: Answer,
): Promise<void> {
  if (!isMutating(command) && !["amof_set_mode", "amof_cancel_confirm"].includes(command.name)) {
    return;
  }
  const { failure } = answer;
  const elicited = failure?.details["way"];
  try {
    (await app.store()).audit.add({
      at: app.system.clock.now(),
      door: call.door,
      client: call.client,
      sessionId: call.session.id,
      root: progress.target.root,
      ecosystem: progress.target.ecosystem,
      tool: command.name,
      args: maskValue(call.args),
      mode: progress.mode,
      decision: progress.decision,
      way: typeof elicited === "string" ? elicited : progress.way,
      fingerprint: progress.fingerprint,
      outcome: failure?.code ?? "ok",
      runId: answer.runId ?? null,
    });
  } catch (error) {
    // The work is done and its answer must arrive; that it could not be noted is said aloud.
    call.report.log(
      "error",
      `The audit log could not be written: ${
        error instanceof Error ? error.message : String(error)
      }`,
    );
  }
}
