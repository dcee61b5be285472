/**
 * Keeps words for others from naming where this program has its own files: database, mirrors, object stores, stand-ins.
 *
 * Programs and errors name whole paths. Whoever sits at the machine may need them; who calls from elsewhere learns by
 * them how the machine is laid out, and can do nothing there.
 */

import { AmofError } from "../error.ts";
import { type Layout, layoutOf } from "./layout.ts";
import type { System } from "./mod.ts";

/** Stands for the way to a place of this program's own. */
const ELSEWHERE = "…";

/** What finds the places in the texts of a world; null where it has none. */
const PATTERNS = new WeakMap<System["env"], RegExp | null>();

const PARTS = ["config", "data", "cache", "state"] as const;

function placeOf(layout: Layout, part: typeof PARTS[number]): string[] {
  try {
    return [layout[part]];
  } catch {
    // Without a home directory these places are unknown, so none is named.
    return [];
  }
}

/** A path as a pattern that does not mind which separator it is written with. */
function patternOf(path: string): string {
  return path.split(/[\\/]+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\\\/]");
}

function finder(system: System): RegExp | null {
  const known = PATTERNS.get(system.env);
  if (known !== undefined) return known;
  const layout = layoutOf(system.env);
  const places = PARTS.flatMap((part) => placeOf(layout, part))
    // One may lie in another.
    .toSorted((a, b) => b.length - a.length).map(patternOf);
  const found = places.length === 0
    ? null
    : new RegExp(`(?<![\\w.-])(?:${places.join("|")})(?![\\w.-])`, "g");
  PATTERNS.set(system.env, found);
  return found;
}

/** The same text with the ways to places of this program's own left out. */
export function withoutOwnPlaces(system: System, text: string): string {
  const pattern = finder(system);
  return pattern === null ? text : text.replace(pattern, ELSEWHERE);
}

/** A copy of a JSON value in which no text names them. */
function valueWithout(system: System, value: unknown): unknown {
  if (typeof value === "string") return withoutOwnPlaces(system, value);
  if (Array.isArray(value)) return value.map((item) => valueWithout(system, item));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, valueWithout(system, item)]),
  );
}

/** The same error for who does not sit at this machine. */
export function forOthers(system: System, error: AmofError): AmofError {
  const { code, message, hint, details, exit, cause } = error;
  return new AmofError(code, withoutOwnPlaces(system, message), {
    hint: withoutOwnPlaces(system, hint),
    details: Object.fromEntries(
      Object.entries(details).map(([name, value]) => [name, valueWithout(system, value)]),
    ),
    exit,
    cause,
  });
}
