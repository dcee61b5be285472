/** Writes down every decision about a call that could change something. */

import { type AmofError, reasonOf } from "../base/error.ts";
import type { Command, Known, Reporter } from "../contract/mod.ts";
import { type Decision, DECISIONS, type NewAuditEntry, WAYS } from "../state/store/mod.ts";
import { mayBeWritten, writeLater } from "../state/store/sql.ts";
import { maskValue } from "../base/text/mask.ts";
import type { App } from "./app.ts";
import type { Answer, Call, Progress } from "./preview.ts";

/** Whether calls of a command can change something. */
export function isMutating(command: Known): boolean {
  return command.kind === "mutation" || command.kind === "redeem";
}

function known<T>(values: readonly T[], value: unknown): T | undefined {
  return values.find((each) => each === value);
}

/** What the audit log calls a failure: what the gate decided, or that the work itself failed. */
export function decisionOf(failure: AmofError | undefined): Decision {
  switch (failure?.code) {
    case "mode_insufficient":
      return "refused_mode";
    case "confirmation_required":
    case "confirmation_expired":
    case "confirmation_declined":
    case "confirmation_cancelled":
    case "confirmation_timed_out":
    case "confirmation_failed":
      return known(DECISIONS, failure.details["decision"]) ?? "declined";
    case "provisioner_untrusted":
    case "task_untrusted":
    case "clone_untrusted":
      return "refused_trust";
    case "approval_pending":
      return "pending";
    case "confirmation_stale":
    case "confirmation_invalid":
      return failure.code;
    case "type_to_confirm_failed":
      return "wrong_name";
    default:
      return "failed";
  }
}

/** Notes the decision; reads are not noted, but what a navigation decides is. */
export async function audit(
  app: App,
  call: Call,
  { command, progress, answer }: {
    readonly command: Command;
    readonly progress: Progress;
    readonly answer: Answer;
  },
): Promise<void> {
  const decides = command.kind === "navigation" ? command.decides : undefined;
  if (!isMutating(command) && decides === undefined) return;
  const { failure } = answer;
  // Giving up a request is one of the ways in which a confirmation ends.
  const decided = answer.data === undefined ? null : decides?.(answer.data) ?? null;
  // What kept the whole command from its files is its error already.
  const log: Reporter["log"] = (level, message) => {
    if (message !== unwritten(failure?.message)) call.report.log(level, message);
  };
  await note(app, { log }, {
    at: app.system.clock.now(),
    door: call.door,
    client: call.client,
    sessionId: call.session.id,
    root: progress.target.root,
    ecosystem: progress.target.ecosystem,
    ticket: progress.target.ticket,
    tool: command.name,
    args: maskValue(call.args),
    mode: progress.mode,
    decision: decided ?? progress.decision,
    way: known(WAYS, failure?.details["way"]) ?? (decided === null ? progress.way : "token"),
    fingerprint: progress.fingerprint,
    outcome: failure?.code ?? "ok",
    runId: progress.runId,
  });
}

/**
 * Adds an entry. The work is done and its answer must arrive, so a failure to write is a warning. A process that lives
 * on adds later what a full disk or another program kept from the log.
 */
export async function note(
  app: Pick<App, "store">,
  report: Pick<Reporter, "log">,
  entry: NewAuditEntry,
): Promise<void> {
  const add = async () => {
    const { audit } = await app.store();
    audit.add(entry);
  };
  try {
    await add();
  } catch (error) {
    if (mayBeWritten(error)) {
      writeLater(async () => {
        // The end of its run may have been noted meanwhile, and with it what was agreed to.
        const { audit } = await app.store();
        const { runId } = entry;
        if (runId === null) audit.add(entry);
        else audit.addOwed({ ...entry, runId });
      });
    }
    report.log("error", unwritten(reasonOf(error)));
  }
}

function unwritten(reason: string | undefined): string {
  return `The audit log could not be written: ${reason}`;
}
