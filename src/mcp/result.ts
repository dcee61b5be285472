/**
 * An answer of the pipeline as the result of a tool call.
 *
 * @module
 */

import type { Outcome } from "../command/envelope.ts";
import type { Session } from "../spec/session.ts";
import { NEWEST_REVISION, type Revision } from "./features.ts";
import { fit, FRAME, MAX_RESULT } from "./limits.ts";
import type { CallToolResult } from "./sdk.ts";
import { cutText, renderText } from "./text.ts";

/** The result of a call: text for every client, the envelope for those whose revision has structured content. */
export function resultOf(outcome: Outcome, session: Session, revision: Revision): CallToolResult {
  const structured = revision === NEWEST_REVISION;
  const rendered = renderText(outcome, session.mode);
  const text = cutText(rendered, (structured ? MAX_RESULT / 2 : MAX_RESULT) - FRAME);
  const rest = MAX_RESULT - FRAME - JSON.stringify(text).length;
  return {
    content: [{ type: "text", text }],
    isError: outcome.isError,
    ...(structured ? { structuredContent: fit(outcome.envelope, rest) } : {}),
  };
}
