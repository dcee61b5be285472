/** What a person is shown who decides about a pending request, wherever they sit (CONFIRM-12, SIGN-3). */

import { maskValue } from "../../base/text/mask.ts";
import type { Part } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { Brief } from "../../base/text/table.ts";
import { type ApprovalRequest, requestFor } from "./approver.ts";
import type { Review } from "./pending.ts";

/** Who asked, for what, and where: what the person is shown before the preview. */
function askerOf({ pending, command }: Review): readonly Part[] {
  const { request } = pending;
  const tool = `Tool       ${command.name} `;
  const args = cleanLine(JSON.stringify(maskValue(request.args)), Infinity);
  const shown = cleanLine(args, 300);
  return [
    `Asked by   ${cleanLine(pending.client, 60)} (${pending.sessionId})`,
    shown === args ? `${tool}${args}` : new Brief(`${tool}${args}`, `${tool}${shown}`),
    `Where      ${cleanLine(pending.root)}${
      request.ecosystem === "" ? "" : `, ecosystem ${request.ecosystem}`
    }`,
  ];
}

/** The question about a request as it stands now. */
export function questionOf(shown: Review, signal: AbortSignal): ApprovalRequest {
  const { request } = shown.pending;
  return requestFor(shown.command, shown.preview, {
    ecosystem: request.ecosystem,
    typed: request.typedValue,
    signal,
    asker: askerOf(shown),
  });
}
