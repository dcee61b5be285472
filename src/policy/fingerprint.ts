/**
 * The canonical hash that ties a confirmation to what was previewed (CONFIRM-4).
 *
 * @module
 */

import { sha256 } from "../hash.ts";

/**
 * JSON with sorted keys and without members that are undefined: equal values give equal texts.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { canonicalJson } from "./fingerprint.ts";
 *
 * assertEquals(canonicalJson({ b: 1, a: [true, undefined], c: undefined }), '{"a":[true,null],"b":1}');
 * ```
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** What a confirmation is bound to. */
export interface Bound {
  readonly tool: string;
  /** The command's own arguments, validated and with defaults applied. */
  readonly args: unknown;
  readonly root: string;
  readonly ecosystem: string;
  /** The preview's facts. */
  readonly facts: unknown;
}

/** The hash of everything a confirmation is bound to. */
export function fingerprint(bound: Bound): string {
  return sha256(canonicalJson(bound));
}
