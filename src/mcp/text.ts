/**
 * The text block of an answer (amof.md §7.2): breadcrumb and summary, details, next steps.
 *
 * @module
 */

import type { Outcome } from "../command/envelope.ts";
import { type Place, shortBreadcrumb } from "../spec/session.ts";

/** Longer texts are cut; the structured content holds the rest (mcp.md §6). */
const MAX_TEXT = 40_000;

/** Renders an answer as text. Never contains colours; secrets were masked where they came in. */
export function renderText(outcome: Outcome, place: Place): string {
  const confirmation = outcome.envelope["confirmation"] as
    | { readonly token: string; readonly typed_value_required: boolean }
    | undefined;
  const next = outcome.actions.map((action) => `[${action.label}](${action.tool})`).join(" ");
  const parts = [
    `[${shortBreadcrumb(place)}] ${outcome.summary}`,
    ...(outcome.isError && outcome.envelope["message"] !== outcome.summary
      ? [`ERROR: ${String(outcome.envelope["message"])}`]
      : []),
    ...(outcome.details === "" ? [] : [outcome.details]),
    ...(confirmation === undefined ? [] : [
      confirmation.typed_value_required
        ? `Confirm: amof_confirm with token "${confirmation.token}" and the name the person typed`
        : `Confirm: amof_confirm(token="${confirmation.token}")`,
    ]),
    ...(outcome.hint === null ? [] : [`Hint: ${outcome.hint}`]),
    ...(next === "" ? [] : [`Next: ${next}`]),
  ];
  const text = parts.join("\n\n");
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT - 40)}\n… cut, see the structured content`;
}
