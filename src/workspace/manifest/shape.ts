/** Says in plain English how a YAML document differs from the shape it should have. */

import type { z as Zod } from "zod";
import { memberAt } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";

/** The better word for a mistake that a file of one kind often has; null leaves it as it is. */
type FixFor = (at: Steps, value: unknown) => string | null;

/** Words that were booleans in YAML 1.1. */
const OLD_BOOLEAN = /^(?:y|yes|n|no|on|off)$/i;

function kindOf(value: unknown, source: string | null): string {
  if (value === null) return "nothing";
  if (typeof value === "string") return `"${cleanLine(value, 40)}"`;
  if (typeof value === "number") return `the number ${cleanLine(source ?? String(value), 40)}`;
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  return value instanceof Date ? "a date" : "a mapping";
}

const WANTED: Readonly<Record<string, string>> = {
  string: "text",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function boolean(key: string, value: unknown): string {
  if (typeof value !== "string") return "Write true or false";
  if (/^(?:true|false)$/i.test(value)) {
    return `Write it without quotes: ${key}: ${value.toLowerCase()}`;
  }
  if (!OLD_BOOLEAN.test(value)) return "Write true or false";
  const meant = /^(?:y|yes|on)$/i.test(value);
  return `Write ${key}: ${meant} (in YAML 1.2 "${value}" is text; only true and false are booleans)`;
}

/** How a value of the wrong kind is mended. */
function mendKind(expected: string, key: string, value: unknown, source: string | null): string {
  const scalar = ["string", "number", "boolean"].includes(typeof value) || value instanceof Date;
  if (value === null) return "Give it a value, or remove the key";
  if (expected === "boolean") return boolean(key, value);
  if (expected === "string" && scalar) {
    const text = cleanLine(source ?? String(value), 40).replaceAll('"', '\\"');
    return `Put it in quotes: ${key === "" ? "" : `${key}: `}"${text}"`;
  }
  if (expected === "array" && scalar) {
    return `Write a list: ${key}: [${cleanLine(String(value), 40)}]`;
  }
  return `Write ${WANTED[expected] ?? expected}`;
}

function toMistake(
  issue: Zod.core.$ZodIssue,
  { document, places, fixFor, schema }: {
    readonly document: object;
    readonly places: Places;
    readonly fixFor: FixFor;
    readonly schema: string;
  },
): Mistake {
  const at = issue.path;
  const value = memberAt(document, at);
  const last = at[at.length - 1];
  const key = typeof last === "string" ? last : "";
  const own = fixFor(at, value);
  if (issue.code === "invalid_type") {
    if (value === undefined) {
      return mistake(
        at,
        `"${cleanLine(key, 40)}" is missing`,
        own ?? `Add "${cleanLine(key, 40)}:"`,
      );
    }
    const source = places.find(at)?.source ?? null;
    const wanted = WANTED[issue.expected] ?? issue.expected;
    return mistake(
      at,
      `must be ${wanted}, not ${kindOf(value, source)}`,
      own ?? mendKind(issue.expected, key, value, source),
    );
  }
  const fix = issue.code === "too_small" && issue.origin !== "string"
    ? `Write ${issue.minimum} or more`
    : issue.code === "too_big"
    ? `Keep it at or below ${issue.maximum}`
    : issue.code === "invalid_format"
    ? 'Write such a name, for example "shop-api"'
    : `See what is allowed: amof schema ${schema}`;
  const message = issue.code === "invalid_union"
    ? `cannot be ${kindOf(value, null)}`
    : cleanLine(issue.message, 200);
  return mistake(at, message, own ?? fix);
}

/** A document that was compared with a schema. */
interface Shaped {
  readonly mistakes: readonly Mistake[];
  /** A copy without the members that are wrong, so that the rest can be checked all the same. */
  readonly rest: object;
}

/** The mistakes of a document, and what is right of it. `schema` is the name `amof schema` knows it by. */
export function shapeMistakes(
  issues: readonly Zod.core.$ZodIssue[],
  { document, places, schema, fixFor = () => null }: {
    readonly document: object;
    readonly places: Places;
    readonly schema: string;
    readonly fixFor?: FixFor | undefined;
  },
): Shaped {
  const rest = structuredClone(document);
  for (const { path } of issues) {
    // Removing one item would renumber those behind it, so the whole list is removed, unless its items are mappings.
    let at = path;
    while (at.length > 0 && typeof at[at.length - 1] === "number" && at.length > 2) {
      at = at.slice(0, -1);
    }
    const owner = memberAt(rest, at.slice(0, -1));
    const step = at[at.length - 1];
    if (step === undefined || owner === null || typeof owner !== "object") continue;
    if (Array.isArray(owner) && typeof step === "number") owner[step] = {};
    else delete (owner as Record<PropertyKey, unknown>)[step];
  }
  return {
    mistakes: issues.map((issue) => toMistake(issue, { document, places, fixFor, schema })),
    rest,
  };
}

type Shape = Readonly<Record<string, unknown>>;

/** The keys an object schema knows, reached through optional and array wrappers. */
function innerShape(schema: unknown): Shape | null {
  const def = schema as { shape?: Shape; def?: { innerType?: unknown; element?: unknown } };
  if (def.shape !== undefined) return def.shape;
  const inner = def.def?.innerType ?? def.def?.element;
  return inner === undefined ? null : innerShape(inner);
}

/** The keys that the values of a mapping with free names have, or null where it is none. */
function shapeOfEach(schema: unknown): Shape | null {
  const { def } = schema as { def?: { innerType?: unknown; valueType?: unknown } };
  if (def?.valueType !== undefined) return innerShape(def.valueType);
  return def?.innerType === undefined ? null : shapeOfEach(def.innerType);
}

/** The keys of a document that its schema does not know. */
export function unknownKeys(document: object, shape: Shape, at: Steps = []): Mistake[] {
  return Object.entries(document).flatMap(([key, value]) => {
    const here = [...at, key];
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known === undefined) {
      const near = didYouMean(key, Object.keys(shape));
      return [{
        at: here,
        message: `Unknown key "${cleanLine(key, 60)}"`,
        fix: near === null ? "Remove it" : `Did you mean "${near}"?`,
        ofKey: true,
      }];
    }
    if (value === null || typeof value !== "object") return [];
    const each = shapeOfEach(known);
    if (each !== null) {
      return Object.entries(value).flatMap(([name, item]) =>
        item !== null && typeof item === "object" ? unknownKeys(item, each, [...here, name]) : []
      );
    }
    const inner = innerShape(known);
    if (inner === null) return [];
    return Array.isArray(value)
      ? value.flatMap((item, index) =>
        item !== null && typeof item === "object" ? unknownKeys(item, inner, [...here, index]) : []
      )
      : unknownKeys(value, inner, here);
  });
}

// What is wrong or doubtful in a YAML file that people write, and how it is told.

/** Something wrong or doubtful in such a file. */
export interface Problem {
  /** The place in the document, such as `repos[2].branch`; empty for the file as a whole. */
  readonly path: string;
  /** The name of the repository it is about; null for anything else. */
  readonly repo: string | null;
  /** Line and column in the file, from 1; null where nobody looked, or the file as a whole is meant. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  /** What would mend it. */
  readonly fix: string;
}

/** The way to a member of a document: keys and positions. */
export type Steps = readonly PropertyKey[];

/** A place in a file. */
export interface TextPosition {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The value as it is written, without quotes; null for anything but a plain value. */
  readonly source: string | null;
}

/** Answers where the members of one document stand. */
export interface Places {
  /** The place of a member or of its key; what does not exist is where it is missing. Null when nothing is known. */
  find(at: Steps, ofKey?: boolean): TextPosition | null;
}

/** A problem before it is known where in the file it is. */
export interface Mistake {
  readonly at: Steps;
  readonly message: string;
  readonly fix: string;
  /** Whether the key itself is meant and not its value. */
  readonly ofKey?: boolean;
}

/** Makes a mistake. */
export function mistake(at: Steps, message: string, fix: string): Mistake {
  return { at, message, fix };
}

/** The way to a member as people write it: `repos[2].branch`. */
function jsonPath(at: Steps): string {
  return at.map((step) =>
    typeof step === "number" ? `[${step}]` : `.${cleanLine(String(step), 60)}`
  ).join("").replace(/^\./, "");
}

/** A problem of the file as a whole, or of a place that a parser names. */
export function fileProblem(
  message: string,
  fix: string,
  line: number | null = null,
  column: number | null = null,
): Problem {
  return { path: "", repo: null, line, column, message, fix };
}

function repoAt(document: unknown, [list, index]: Steps): string | null {
  if (list !== "repos" || typeof index !== "number") return null;
  const name = memberAt(document, [list, index, "name"]);
  return typeof name === "string" && name !== "" ? cleanLine(name, 60) : null;
}

/** Mistakes as problems, with their places where these are known, in the order of the file then. */
export function toProblems(
  mistakes: readonly Mistake[],
  document: unknown,
  places: Places | null,
): Problem[] {
  const problems = mistakes.map(({ at, message, fix, ofKey }): Problem => {
    const place = places?.find(at, ofKey ?? false) ?? null;
    return {
      path: jsonPath(at),
      repo: repoAt(document, at),
      line: place?.line ?? null,
      column: place?.column ?? null,
      message,
      fix,
    };
  });
  return places === null
    ? problems
    : problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** "repos[1].branch: it is missing (line 7)": a problem in one line. */
export function problemText({ path, message, line }: Problem): string {
  return `${path === "" ? "" : `${path}: `}${message}${line === null ? "" : ` (line ${line})`}`;
}
