/** What changed between the facts a person reviewed and those of the present preview (CONFIRM-11). */

import { cleanLine } from "../text/sanitize.ts";
import { canonicalJson } from "./fingerprint.ts";
import { defined } from "../object.ts";
import { AmofError } from "../error.ts";
import { isSame } from "./consent.ts";

/** One fact that differs. `before` is absent where the fact came, `after` where it went. */
interface Change {
  /** Where it stands: `repos[api].ahead`; items of a list are named where they have a name. */
  readonly path: string;
  /** A scalar as it is, text cleaned and cut; anything bigger as its JSON, cut. */
  readonly before?: Scalar;
  readonly after?: Scalar;
}

type Scalar = string | number | boolean | null;

/** The changes as an answer carries them: bounded, with the number of those left out. */
export interface Changes {
  readonly changed: readonly Change[];
  /** Only there when some were left out. */
  readonly more_changed?: number;
}

/** More changes than a person reads are counted instead of shown. */
const MOST = 10;
const LONGEST = 80;

function shown(value: unknown): Scalar {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  return cleanLine(typeof value === "string" ? value : canonicalJson(value), LONGEST);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object";
}

/** The items of a list by their names, so that one that came does not shift all others; null where they have none. */
function byName(items: readonly unknown[]): Map<string, unknown> | null {
  const named = new Map<string, unknown>();
  for (const item of items) {
    const name = isObject(item) ? item["name"] ?? item["repo"] : undefined;
    if (typeof name !== "string" || named.has(name)) return null;
    named.set(name, item);
  }
  return named;
}

function members(a: object, b: object): readonly [Map<string, unknown>, Map<string, unknown>] {
  if (Array.isArray(a) && Array.isArray(b)) {
    const [left, right] = [byName(a), byName(b)];
    if (left !== null && right !== null) return [left, right];
  }
  return [new Map(Object.entries(a)), new Map(Object.entries(b))];
}

function collect(a: unknown, b: unknown, path: string, found: Change[]): void {
  // An absent member and a null one count as different.
  if ((a === undefined) === (b === undefined) && canonicalJson(a) === canonicalJson(b)) return;
  const before = found.length;
  if (isObject(a) && isObject(b) && Array.isArray(a) === Array.isArray(b)) {
    const [left, right] = members(a, b);
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      // `fix` only gives advice about a fact; a change of it changes nothing.
      if (!Array.isArray(a) && key === "fix") continue;
      const name = cleanLine(key, LONGEST);
      const step = Array.isArray(a) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
      collect(left.get(key), right.get(key), step, found);
    }
  }
  // No member differs, so the value itself does, or the order of a list.
  if (found.length > before) return;
  found.push({
    path: path || "preview",
    ...(a === undefined ? {} : { before: shown(a) }),
    ...(b === undefined ? {} : { after: shown(b) }),
  });
}

/** The differences between the facts of two previews. */
export function factChanges(before: unknown, after: unknown): Changes {
  const found: Change[] = [];
  collect(before ?? null, after ?? null, "", found);
  return found.length <= MOST
    ? { changed: found }
    : { changed: found.slice(0, MOST), more_changed: found.length - MOST };
}

/** Where a fact stands in words: whose it is before what it is. The list of repositories goes without saying. */
function placeIn(path: string): string {
  const names = [...path.matchAll(/\[([^\]]*)\]/g)].map(([, name = ""]) => name)
    .filter((name) => !/^\d+$/.test(name));
  const members = path.replaceAll(/\[[^\]]*\]/g, "").split(".")
    .filter((member) => member !== "" && !(member === "repos" && names.length > 0))
    .map((member) => member.replaceAll("_", " "));
  return [...names, ...members].join(", ");
}

function inWords(value: Scalar | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "none";
  return typeof value === "boolean" ? value ? "yes" : "no" : String(value);
}

function isWhole(value: Scalar | undefined): boolean {
  return typeof value === "string" && /^[{[]/.test(value);
}

function changeLine({ path, before, after }: Change): string {
  // A hash of contents tells nobody anything.
  const [, whose] = /^(.+)\.\w+_digest$/.exec(path) ?? [];
  if (whose !== undefined) return `${placeIn(whose)}: its files have other contents`;
  const place = placeIn(path);
  if (after === undefined && isWhole(before)) return `${place}: gone`;
  if (before === undefined && isWhole(after)) return `${place}: new`;
  // Of a list of names, where in it one stood tells nobody anything either.
  if (path.endsWith("]") && after === undefined) return `${place}: without ${inWords(before)}`;
  if (path.endsWith("]") && before === undefined) return `${place}: also ${inWords(after)}`;
  return `${place}: ${inWords(before)} → ${inWords(after)}`;
}

/** The changes for readers, one line each: `api, ahead: 1 → 2`, or `web: gone` for what has parts. */
export function changeLines({ changed, more_changed: more }: Changes): string[] {
  return [
    ...changed.map(changeLine),
    ...(more === undefined ? [] : [`… and ${more} more`]),
  ];
}

// Whether what would happen now is still what was agreed to.

/** What somebody agreed to, or what is the case now. */
interface Reviewed {
  /** A hash of all of it, or all of it as one text. */
  readonly fingerprint: string;
  /** The facts behind it, where it can be told which of them changed. */
  readonly facts?: unknown;
}

/**
 * Throws `confirmation_stale`, with what changed, unless both are the same.
 *
 * @example
 * ```ts
 * import { assertThrows } from "@std/assert";
 * import { AmofError } from "../error.ts";
 * import { recheck } from "./changes.ts";
 *
 * const agreed = { fingerprint: "a1", facts: { ahead: 1 } };
 * recheck(agreed, { ...agreed });
 * assertThrows(() => recheck(agreed, { fingerprint: "b2", facts: { ahead: 2 } }), AmofError);
 * ```
 */
export function recheck(
  agreed: Reviewed,
  now: Reviewed,
  message = "Things changed between the confirmation and the start; nothing was done",
  hint?: string,
): void {
  if (isSame(agreed.fingerprint, now.fingerprint)) return;
  throw new AmofError("confirmation_stale", message, {
    ...defined({ hint }),
    details: agreed.facts === undefined ? {} : { ...factChanges(agreed.facts, now.facts) },
  });
}
