/**
 * Writes down every decision about a call that could change something.
 *
 * @module
 */

import type { AmofError } from "../error.ts";
import type { Command, Reporter } from "../spec/mod.ts";
import type { AuditEntry } from "../store/mod.ts";
import { maskValue } from "../text/mask.ts";
import type { App } from "./app.ts";
import type { Answer, Call, Progress } from "./call.ts";

/** Whether calls of a command can change something. */
export function isMutating(command: Command): boolean {
  return command.kind === "mutation" || command.kind === "redeem";
}

/** What the audit log calls a failure: what the gate decided, or that the work itself failed. */
export function decisionOf(failure: AmofError | undefined): string {
  switch (failure?.code) {
    case "mode_insufficient":
      return "refused_mode";
    case "confirmation_required":
    case "confirmation_expired":
    case "confirmation_declined":
      return String(failure.details["decision"]);
    case "approval_pending":
      return "pending";
    case "confirmation_stale":
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
  const tried = failure?.details["way"];
  // Giving up a request is one of the ways in which a confirmation ends.
  const gaveUp = command.name === "amof_cancel_confirm" && answer.data?.["cancelled"] === true;
  await note(app, call.report, {
    at: app.system.clock.now(),
    door: call.door,
    client: call.client,
    sessionId: call.session.id,
    root: progress.target.root,
    ecosystem: progress.target.ecosystem,
    tool: command.name,
    args: maskValue(call.args),
    mode: progress.mode,
    decision: gaveUp ? "cancelled" : progress.decision,
    way: typeof tried === "string" ? tried : gaveUp ? "token" : progress.way,
    fingerprint: progress.fingerprint,
    outcome: failure?.code ?? "ok",
    runId: answer.runId ?? null,
  });
}

/** Adds an entry. The work is done and its answer must arrive, so a failure to do so is said aloud and no more. */
export async function note(app: App, report: Reporter, entry: AuditEntry): Promise<void> {
  try {
    (await app.store()).audit.add(entry);
  } catch (error) {
    report.log(
      "error",
      `The audit log could not be written: ${
        error instanceof Error ? error.message : String(error)
      }`,
    );
  }
}
