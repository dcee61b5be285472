/**
 * An answer of the pipeline as the result of a tool call, with its text block (ANSWER-6): breadcrumb and summary,
 * details, next steps.
 */

import { failureSummary, type Outcome } from "../../pipeline/envelope.ts";
import type { Session } from "../../pipeline/session.ts";
import { isStructured, type Revision } from "./features.ts";
import type { CallToolResult } from "./sdk.ts";
import type { Mode } from "../../base/policy/mode.ts";
import { plainText } from "../../base/text/parts.ts";
import { shortBreadcrumb } from "../../contract/place.ts";

/** How a text that was cut ends. */
const ELLIPSIS = "\n… cut";

/** The beginning of a text whose JSON has at most `max` characters. */
export function truncateText(text: string, max: number): string {
  if (JSON.stringify(text).length <= max) return text;
  let end = Math.min(text.length, max);
  // The limit counts escaped characters, so the length is found by trying.
  while (JSON.stringify(text.slice(0, end) + ELLIPSIS).length > max) end = Math.floor(end * 0.97);
  return text.slice(0, end) + ELLIPSIS;
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
  const text = truncateText(renderText(outcome, session.mode), MAX_RESULT / 2 - FRAME);
  const rest = MAX_RESULT - FRAME - JSON.stringify(text).length;
  return {
    content: [{ type: "text", text }],
    isError: outcome.isError,
    ...(isStructured(revision) ? { structuredContent: fit(outcome.envelope, rest) } : {}),
  };
}

// Keeps answers within what hosts pass on to a model (MCP-6).

/** The most characters one result may have, text and structured content together. */
export const MAX_RESULT = 40_000;

/** A list or text of which only the beginning is shown. */
export interface Truncated {
  /** Where it stands: `preview.repos`. */
  readonly path: string;
  readonly shown: number;
  readonly total: number;
}

/** Shorter lists and texts are left alone. */
const MIN_ITEMS = 4;
const MIN_TEXT = 400;

/** A list or text inside a value that could be shorter. */
interface Candidate {
  readonly path: string;
  readonly value: string | readonly unknown[];
  readonly size: number;
  replace(shorter: unknown): void;
}

function candidates(value: unknown, path: string): Candidate[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, item]): Candidate[] => {
    const here = Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    const below = candidates(item, here);
    const cuttable = Array.isArray(item)
      ? item.length > MIN_ITEMS
      : typeof item === "string" && item.length > MIN_TEXT;
    if (!cuttable) return below;
    const replace = (shorter: unknown) => {
      (value as Record<string, unknown>)[key] = shorter;
    };
    return [...below, { path: here, value: item, size: JSON.stringify(item).length, replace }];
  });
}

/** How many items of a list have a chance in `max` characters; at least one. */
function mostItems(list: readonly unknown[], max: number): number {
  let left = max;
  const tooMany = list.findIndex((item) => (left = leftAfter(item, left - 1)) < 0);
  return tooMany < 0 ? list.length : Math.max(1, tooMany);
}

/** A copy in which no text and no list alone is longer than `max`: more of it would be cut anyway. */
function shortCopy(
  value: unknown,
  path: string,
  max: number,
  cuts: Map<string, Truncated>,
): unknown {
  const shorten = <T extends string | readonly unknown[]>(whole: T, shown: number): T => {
    if (shown < whole.length) cuts.set(path, { path, shown, total: whole.length });
    return whole.slice(0, shown) as T;
  };
  if (typeof value === "string") return shorten(value, max);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    return shorten<readonly unknown[]>(value, mostItems(value, max))
      .map((item, at) => shortCopy(item, `${path}[${at}]`, max, cuts));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      shortCopy(item, path === "" ? key : `${path}.${key}`, max, cuts),
    ]),
  );
}

/**
 * Cuts the largest lists and texts of an object until its JSON has at most `max` characters; what was cut
 * stands in `truncated`. An object that fits is answered as it is.
 */
export function fit(
  object: Readonly<Record<string, unknown>>,
  max: number,
): Readonly<Record<string, unknown>> {
  if (leftAfter(object, max) >= 0 && JSON.stringify(object).length <= max) return object;
  const cuts = new Map<string, Truncated>();
  const copy = shortCopy(object, "", max, cuts) as Record<string, unknown>;
  for (;;) {
    const whole = { ...copy, truncated: [...cuts.values()] };
    const excess = JSON.stringify(whole).length - max;
    if (excess <= 0) return whole;
    const [chosen] = candidates(copy, "").sort((a, b) => b.size - a.size);
    if (chosen === undefined) return whole;
    const { length } = chosen.value;
    const share = Math.max(0.5, 1 - (excess + 200) / chosen.size);
    const shown = Math.max(1, Math.min(length - 1, Math.floor(length * share)));
    cuts.set(chosen.path, {
      path: chosen.path,
      shown,
      total: cuts.get(chosen.path)?.total ?? length,
    });
    chosen.replace(chosen.value.slice(0, shown));
  }
}

/** What the members around text and structured content take. */
const FRAME = 200;

/** The characters of a result that carries an object both as JSON text and as structured content. */
function sizeOfBoth(object: Readonly<Record<string, unknown>>): number {
  const json = JSON.stringify(object);
  return json.length + JSON.stringify(json).length + FRAME;
}

/** What is left of a number of characters after the JSON of a value, which is at least so long; below 0 it stops. */
function leftAfter(value: unknown, left: number): number {
  if (typeof value === "string") return left - value.length;
  if (value === null || typeof value !== "object") return left;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    left = leftAfter(item, left - 1);
    if (left < 0) break;
  }
  return left;
}

/** Whether an object may stand in a result twice as it is. */
export function isWithin(object: Readonly<Record<string, unknown>>): boolean {
  // A result that is far too long is recognised without writing all of it as text.
  return leftAfter(object, MAX_RESULT / 2) >= 0 && sizeOfBoth(object) <= MAX_RESULT;
}

/** Cuts an object like {@linkcode fit}, so that it may stand in a result twice: as text and as it is. */
export function fitBoth(
  object: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let fitted = object;
  for (let max = MAX_RESULT / 2; sizeOfBoth(fitted) > MAX_RESULT && max > FRAME; max *= 0.9) {
    fitted = fit(object, Math.floor(max));
  }
  return fitted;
}
