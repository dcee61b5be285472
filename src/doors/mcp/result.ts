/** An answer of the pipeline as the result of a tool call. */

import type { Outcome } from "../../pipeline/envelope.ts";
import type { Session } from "../../pipeline/session.ts";
import { isStructured, type Revision } from "./features.ts";
import { fit, FRAME, MAX_RESULT } from "./limits.ts";
import type { CallToolResult } from "./sdk.ts";
import { cutText, renderText } from "./text.ts";

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
