/**
 * How values of the service, and changes of them, are shown to a person. Others wrote them. So each stays on
 * its line, and is short enough to leave the rest of a question in sight (STOCKTRIM-10).
 */

import { cleanLine } from "../../base/text/sanitize.ts";

/** No more of one value is shown. */
const LONGEST = 120;

/** A text of the service; `otherwise` where there is none. */
export function shown(text: string | null, otherwise = "unknown"): string {
  const line = cleanLine(text ?? "", LONGEST);
  return line === "" ? otherwise : line;
}

/** A number of pieces, with at most one decimal. */
export function quantity(value: number | null): string {
  return value === null
    ? "unknown"
    : value.toLocaleString("en-US", { maximumFractionDigits: 1, useGrouping: true });
}

/** An amount in the currency of the account, which the service does not tell. */
export function money(value: number | null): string {
  return value === null ? "Unknown" : value.toLocaleString("en-US", {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
}

/** A supplier or the like by name and code: "Acme (S-1)". */
export function named(name: string | null, code: string | null): string {
  if (code === null || code === name) return shown(name ?? code);
  return name === null ? shown(code) : `${shown(name)} (${shown(code)})`;
}

/** The sum of what is known; null where nothing is. */
export function total(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** What so many cost at so much each; null where either is unknown. */
export function amount(pieces: number | null, each: number | null): number | null {
  return pieces === null || each === null ? null : pieces * each;
}

/** The day of a moment as the service writes it, which is mostly without a zone. */
export function day(moment: string | null): string {
  return /^\d{4}-\d\d-\d\d/.exec(moment ?? "")?.[0] ?? shown(moment);
}

/** One value that would change. */
export interface FieldChange {
  readonly what: string;
  readonly from: string | number | boolean | null;
  readonly to: string | number | boolean;
}

/** The changes among values that are wanted; what is not wanted, or stands so already, is none. */
export function changesOf(
  wanted: readonly (readonly [
    what: string,
    from: FieldChange["from"],
    to: FieldChange["to"] | undefined,
  ])[],
): readonly FieldChange[] {
  return wanted.flatMap(([what, from, to]) =>
    to === undefined || to === from ? [] : [{ what, from, to }]
  );
}

function value(of: FieldChange["from"]): string {
  if (typeof of === "string") return `"${shown(of, "")}"`;
  if (typeof of === "boolean") return of ? "yes" : "no";
  return of === null ? "not set" : String(of);
}

/** A change in one line: the stored value, and what takes its place. */
export function changeLine({ what, from, to }: FieldChange): string {
  return `${what}: ${value(from)} → ${value(to)}`;
}
