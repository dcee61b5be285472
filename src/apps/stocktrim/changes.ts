/**
 * What a change does to each stored value: how it stands, and how it would.
 *
 * @module
 */

import { shown } from "./shown.ts";

/** One value that would change. */
export interface Change {
  readonly what: string;
  readonly from: string | number | boolean | null;
  readonly to: string | number | boolean;
}

/** The changes among values that are wanted; what is not wanted, or stands so already, is none. */
export function changesOf(
  wanted: readonly (readonly [
    what: string,
    from: Change["from"],
    to: Change["to"] | undefined,
  ])[],
): readonly Change[] {
  return wanted.flatMap(([what, from, to]) =>
    to === undefined || to === from ? [] : [{ what, from, to }]
  );
}

function value(of: Change["from"]): string {
  if (typeof of === "string") return `"${shown(of, "")}"`;
  if (typeof of === "boolean") return of ? "yes" : "no";
  return of === null ? "not set" : String(of);
}

/** A change in one line: the stored value, and what takes its place. */
export function changeLine({ what, from, to }: Change): string {
  return `${what}: ${value(from)} → ${value(to)}`;
}
