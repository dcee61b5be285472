/**
 * An answer of the pipeline as the result of a tool call, with its text block (ANSWER-6): breadcrumb and summary,
 * details, next steps.
 */

import { failureSummary, type Outcome } from "../../pipeline/envelope.ts";
import type { Session } from "../../pipeline/session.ts";
import { isStructured, type Revision } from "./features.ts";
import { fit, FRAME, MAX_RESULT } from "./limits.ts";
import type { CallToolResult } from "./sdk.ts";
import type { Mode } from "../../base/policy/mode.ts";
import { plainText } from "../../base/text/parts.ts";
import { shortBreadcrumb } from "../../contract/place.ts";

/** How a text that was cut ends. */
const CUT = "\n… cut";

/** The beginning of a text whose JSON has at most `max` characters. */
export function cutText(text: string, max: number): string {
  if (JSON.stringify(text).length <= max) return text;
  let end = Math.min(text.length, max);
  // The limit counts escaped characters, so the length is found by trying.
  while (JSON.stringify(text.slice(0, end) + CUT).length > max) end = Math.floor(end * 0.97);
  return text.slice(0, end) + CUT;
}

/**
 * Renders an answer as text. Never contains colours; secrets were masked where they came in. `mode` is the
 * session's, which counts for the calls that follow.
 */
export function renderText(outcome: Outcome, mode: Mode = "execute"): string {
  const confirmation = outcome.envelope["confirmation"] as
    | { readonly token: string; readonly typed_value_required: boolean }
    | undefined;
  // The confirming call has the session's mode, not the one that this call named.
  const raised = mode === "execute" ? "" : ', mode="execute"';
  const hint = outcome.hint ?? outcome.envelope["execute_hint"];
  const message = String(outcome.envelope["message"]);
  const cursor = outcome.envelope["next_cursor"];
  const next = outcome.actions.map((action) => `[${action.label}](${action.tool})`).join(" ");
  const parts = [
    `[${shortBreadcrumb(outcome.place)}] ${outcome.summary}`,
    ...(outcome.isError && failureSummary(message) !== outcome.summary
      ? [`ERROR: ${message}`]
      : []),
    ...[outcome.details, outcome.notes].map(plainText).filter((part) => part !== ""),
    ...(confirmation === undefined ? [] : [
      confirmation.typed_value_required
        ? `Confirm: amof_confirm(token="${confirmation.token}"${raised}) with the name the person typed as typed_value`
        : `Confirm: amof_confirm(token="${confirmation.token}"${raised})`,
    ]),
    ...(typeof cursor === "string" ? [`More: repeat the call with cursor="${cursor}"`] : []),
    ...(typeof hint === "string" ? [`Hint: ${hint}`] : []),
    ...(next === "" ? [] : [`Next: ${next}`]),
  ];
  return parts.join("\n\n");
}

/** The result of a call: its text, and for revisions that have structured content the envelope as that. */
export function resultOf(outcome: Outcome, session: Session, revision: Revision): CallToolResult {
  const text = cutText(renderText(outcome, session.mode), MAX_RESULT / 2 - FRAME);
  const rest = MAX_RESULT - FRAME - JSON.stringify(text).length;
  return {
    content: [{ type: "text", text }],
    isError: outcome.isError,
    ...(isStructured(revision) ? { structuredContent: fit(outcome.envelope, rest) } : {}),
  };
}
