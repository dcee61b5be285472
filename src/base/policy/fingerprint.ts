/** The canonical hash that ties a confirmation to what was previewed (CONFIRM-4). */

import type { Pieces } from "../async/pool.ts";
import { hasher, sha256 } from "../hash.ts";

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

/** The texts that {@linkcode canonicalJson} consists of: the items of the outermost lists one by one. */
function* canonicalTexts(value: unknown): Generator<string, void> {
  if (Array.isArray(value)) {
    yield "[";
    for (const [at, item] of value.entries()) {
      yield `${at === 0 ? "" : ","}${canonicalJson(item ?? null)}`;
    }
    yield "]";
  } else if (value !== null && typeof value === "object") {
    const members = Object.entries(value).filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    yield "{";
    for (const [at, [key, item]] of members.entries()) {
      yield `${at === 0 ? "" : ","}${JSON.stringify(key)}:`;
      yield* canonicalTexts(item);
    }
    yield "}";
  } else yield canonicalJson(value);
}

/** The SHA-256 of the {@linkcode canonicalJson} of a value that may hold long lists, in pieces. */
export function* canonicalHash(value: unknown): Pieces<string> {
  const digest = hasher("sha256");
  for (const text of canonicalTexts(value)) {
    digest.update(text);
    yield;
  }
  return digest.digest("hex");
}

/** What a confirmation is bound to. */
export interface Bound {
  readonly tool: string;
  /** The command's own arguments, validated and with defaults applied. */
  readonly args: unknown;
  readonly root: string;
  readonly ecosystem: string;
  /** The ticket in whose own workspace it works; null for the base workspace. */
  readonly ticket?: string | null | undefined;
  /** The preview's facts. */
  readonly facts: unknown;
}

/** The hash of everything a confirmation is bound to. */
export function fingerprint(bound: Bound): string {
  // For the base workspace the hash stays the one from before tickets had workspaces of their own.
  return sha256(canonicalJson({ ...bound, ticket: bound.ticket ?? undefined }));
}
