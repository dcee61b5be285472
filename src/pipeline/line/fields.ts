/** `--json=FIELD,…`: only some fields of an answer (SETTING-9). */

import { isObject } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, list, meantText } from "../../base/text/words.ts";

/** A field with those below it that were named; empty where all of it is meant. */
interface Wanted {
  readonly below: Map<string, Wanted>;
  whole: boolean;
}

/** Arguments without the fields that `--json` was given, and these; null where it was given none. */
export function takeFields(
  argv: readonly string[],
): { readonly rest: readonly string[]; readonly fields: readonly string[] | null } {
  const end = argv.indexOf("--");
  const before = end < 0 ? argv : argv.slice(0, end);
  const given = before.filter((token) => token.startsWith("--json="));
  if (given.length === 0) return { rest: argv, fields: null };
  const fields = given.flatMap((token) => token.slice("--json=".length).split(","))
    .map((field) => field.trim()).filter((field) => field !== "");
  if (fields.length === 0) {
    throw new AmofError("invalid_arguments", "Cannot use --json= without a field", {
      hint: "Name fields with commas between them, or write --json for all of them",
    });
  }
  const rest = before.map((token) => token.startsWith("--json=") ? "--json" : token);
  return { rest: [...rest, ...(end < 0 ? [] : argv.slice(end))], fields };
}

function wantedOf(fields: readonly string[]): Wanted {
  const top: Wanted = { below: new Map(), whole: false };
  for (const field of fields) {
    let at = top;
    for (const name of field.split(".")) {
      const next = at.below.get(name) ?? { below: new Map(), whole: false };
      at.below.set(name, next);
      at = next;
    }
    at.whole = true;
  }
  return top;
}

/** The names that the items of a list, or an object, have; null where there is nothing that could have any. */
function namesIn(value: unknown): readonly string[] | null {
  if (isObject(value)) return Object.keys(value);
  if (!Array.isArray(value)) return value === null || value === undefined ? null : [];
  const all = value.map(namesIn).filter((names) => names !== null);
  return all.length === 0 ? null : [...new Set(all.flat())];
}

function unknownField(path: readonly string[], names: readonly string[]): AmofError {
  const field = path.join(".");
  const where = path.length === 1
    ? "the answer"
    : `"${cleanLine(path.slice(0, -1).join("."), 60)}"`;
  return new AmofError(
    "invalid_arguments",
    `Cannot show the field "${cleanLine(field, 60)}": ${where} has no such field${
      meantText(didYouMean(path.at(-1) ?? "", names))
    }`,
    {
      hint: names.length === 0
        ? "It is a plain value: name only what stands before the dot"
        : `There are ${list(names)}`,
      details: { field, fields: names },
    },
  );
}

function checked(
  value: unknown,
  wanted: Wanted,
  { path, declared }: { readonly path: readonly string[]; readonly declared: readonly string[] },
): void {
  if (wanted.below.size === 0) return;
  const names = namesIn(value);
  // The members of an empty list, or of a missing value, are unknown.
  if (names === null) return;
  for (const [name, next] of wanted.below) {
    const own = [...path, name];
    if (!names.includes(name) && !declared.includes(own.join("."))) throw unknownField(own, names);
    const items = [value].flat(Infinity).filter(isObject).map((item) => item[name]);
    checked(items.length === 1 ? items[0] : items, next, { path: own, declared });
  }
}

function projected(value: unknown, wanted: Wanted): unknown {
  if (wanted.whole) return value;
  if (Array.isArray(value)) return value.map((item) => projected(item, wanted));
  if (!isObject(value)) return null;
  return Object.fromEntries(
    [...wanted.below].map(([name, next]) => [name, projected(value[name] ?? null, next)]),
  );
}

/**
 * An answer with only the fields that are named: those of objects behind a dot, those of lists for each item. Throws
 * `invalid_arguments` with the fields there are; those that are `declared` are null where this answer has none.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { onlyFields } from "./fields.ts";
 *
 * const answer = { summary: "Two.", repos: [{ name: "api", ahead: 1 }, { name: "web", ahead: 0 }] };
 * assertEquals(onlyFields(answer, ["repos.name"]), { repos: [{ name: "api" }, { name: "web" }] });
 * ```
 */
export function onlyFields(
  answer: unknown,
  fields: readonly string[],
  declared: readonly string[] = [],
): unknown {
  const wanted = wantedOf(fields);
  checked(answer, wanted, { path: [], declared });
  return projected(answer, wanted);
}
