/**
 * Reads the YAML files that people write, as untrusted input: bounded in size, in what they expand to, and in
 * which places of the disk their paths may name.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { normalize } from "@std/path";
import type { System } from "../system/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { didYouMean } from "../text/words.ts";

/** Something wrong or doubtful in such a file. */
export interface Problem {
  /** The place, such as `repos[2].branch`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  /** What would mend it, or null. */
  readonly fix: string | null;
}

const MAX_BYTES = 1024 * 1024;
/** Aliases can make a small file expand without bound. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 100;

/** Makes a problem. */
export function problem(path: string, message: string, fix: string | null = null): Problem {
  return { path, message, fix };
}

/** Whether a value stays within both limits; one that holds itself does not. */
function isBounded(value: unknown, budget: { left: number }, depth = 0): boolean {
  if (--budget.left < 0 || depth > MAX_DEPTH) return false;
  if (value === null || typeof value !== "object") return true;
  return Object.values(value).every((item) => isBounded(item, budget, depth + 1));
}

/**
 * The mapping a file holds, or what is wrong with the file as a whole. `shown` is what messages call the file,
 * `fix` what mends an empty one.
 */
export async function readDocument(
  system: System,
  path: string,
  shown: string,
  fix: string,
): Promise<{ readonly document: object } | { readonly problem: Problem }> {
  const failed = (message: string, how: string | null = null) => ({
    problem: problem("", message, how),
  });
  const info = await system.files.stat(path);
  if (info?.kind !== "file") return failed(`${shown} is not a file`);
  if (info.size > MAX_BYTES) {
    return failed(`The file has ${info.size} bytes; at most ${MAX_BYTES} are read`);
  }
  const text = await system.files.readText(path) ?? "";
  if (text.trim() === "") return failed("The file is empty", fix);
  let document: unknown;
  try {
    // @ts-types="@types/std/yaml.d.ts"
    const { parse } = await import("@std/yaml");
    document = parse(text);
  } catch (error) {
    const message = cleanLine(error instanceof Error ? error.message : String(error), 300);
    return failed(`Not valid YAML: ${message}`, "Mend the syntax at that place");
  }
  if (!isBounded(document, { left: MAX_NODES })) {
    return failed(`The file expands to more than ${MAX_NODES} values or ${MAX_DEPTH} levels`);
  }
  if (document === null || typeof document !== "object" || Array.isArray(document)) {
    return failed("The file must hold a mapping", fix);
  }
  return { document };
}

/** Whether a relative path stays below the directory it is relative to. */
export function isInside(path: string): boolean {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path) || path.includes("\\") || /[^\P{Cc}]/u.test(path)) {
    return false;
  }
  const clean = normalize(path).replaceAll("\\", "/");
  return clean !== "." && clean !== ".." && !clean.startsWith("../");
}

/** The path in one spelling: normalised, with `/`, without a trailing slash. */
export function tidy(path: string): string {
  return normalize(path).replaceAll("\\", "/").replace(/\/+$/, "");
}

/** A path of a schema issue as people write it: `repos[2].branch`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  return path.map((step) => typeof step === "number" ? `[${step}]` : `.${String(step)}`).join("")
    .replace(/^\./, "");
}

type Shape = Readonly<Record<string, unknown>>;

/** The keys an object schema knows, reached through optional and array wrappers. */
function innerShape(schema: unknown): Shape | null {
  const def = schema as { shape?: Shape; def?: { innerType?: unknown; element?: unknown } };
  if (def.shape !== undefined) return def.shape;
  const inner = def.def?.innerType ?? def.def?.element;
  return inner === undefined ? null : innerShape(inner);
}

/** The keys of a document that its schema does not know, as problems. */
export function unknownKeys(document: object, shape: Shape, path = ""): Problem[] {
  return Object.entries(document).flatMap(([key, value]) => {
    const shown = cleanLine(key, 60);
    const at = path === "" ? shown : `${path}.${shown}`;
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known === undefined) {
      const near = didYouMean(key, Object.keys(shape));
      return [
        problem(
          at,
          `Unknown key "${shown}"`,
          near === null ? "Remove it" : `Did you mean "${near}"?`,
        ),
      ];
    }
    const inner = innerShape(known);
    if (inner === null || value === null || typeof value !== "object") return [];
    return Array.isArray(value)
      ? value.flatMap((item, index) =>
        item !== null && typeof item === "object" ? unknownKeys(item, inner, `${at}[${index}]`) : []
      )
      : unknownKeys(value, inner, at);
  });
}
