/**
 * Lets the person behind the client see what a call would change before it does, if the server was started
 * with `--confirm human`.
 *
 * @module
 */

import { AgentpackError } from "../../../apps/agentpack/mod.ts";
import type { Question } from "../../../pipeline/agentpack/call.ts";
import type { ApprovalDecision } from "../../../pipeline/consent/approver.ts";
import { partsOf } from "../../../base/text/parts.ts";
import { elicitingApprover } from "../elicit.ts";
import type { Exchange } from "../features.ts";

/** Longer previews are cut: a person reads a form, not a book. */
const MAX_PREVIEW = 6_000;

const REASONS: Readonly<Record<Exclude<ApprovalDecision, "accepted">, string>> = {
  declined: "the person declined",
  cancelled: "the person closed the question",
  timed_out: "nobody answered",
  wrong_name: "the person typed something else",
  ask_failed: "the client could not ask",
  unsupported: "this server asks a person, and the client shows no forms",
};

function cut(text: string): string {
  if (text.length <= MAX_PREVIEW) return text;
  const end = text.lastIndexOf("\n", MAX_PREVIEW);
  const shown = text.slice(0, end < 0 ? MAX_PREVIEW : end);
  const more = text.slice(shown.length).split("\n").length - 1;
  return `${shown}\n… and ${more} more lines, which are not shown here; the counts at the top are of everything`;
}

/** Asks the person; throws `E_CONFIRM_REQUIRED` with what became of the question unless they agree. */
export async function askPerson(
  exchange: Pick<Exchange, "elicit" | "signal">,
  question: Question,
): Promise<void> {
  const approval = exchange.elicit === null
    ? { decision: "unsupported" as const }
    : await elicitingApprover(exchange.elicit).ask({
      heading: `agentpack ${question.id}?`,
      deed: question.id,
      kind: "preview",
      summary: question.preview === null ? question.summary : "This is what it would do:",
      details: partsOf(cut(question.preview ?? "")),
      irreversible: null,
      typed: null,
      signal: exchange.signal,
    });
  const { decision } = approval;
  if (decision === "accepted") return;
  throw new AgentpackError(
    "E_CONFIRM_REQUIRED",
    `Nothing was changed by "${question.id}": ${REASONS[decision]}`,
    { command: question.id, decision },
    { reason: `human_${decision}`, next: ["ask_the_person", "retry_command"] },
  );
}
