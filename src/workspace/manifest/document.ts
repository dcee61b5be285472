/**
 * Reads the YAML files that people write, as untrusted input: bounded in size, in what they expand to, and in
 * which places of the disk their paths may name.
 */

import { normalize } from "@std/path";
import { isObject } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { plainYaml } from "../../base/text/plain_yaml.ts";
import { fileProblem, type Places, type Problem } from "./shape.ts";

const MAX_BYTES = 4 * 1024 * 1024;
/** Aliases can make a small file expand without bound. */
const MAX_NODES = 400_000;
const MAX_DEPTH = 100;

/** Whether a value stays within both limits; one that holds itself does not. */
function isBounded(value: unknown, budget: { left: number }, depth = 0): boolean {
  if (--budget.left < 0 || depth > MAX_DEPTH) return false;
  if (value === null || typeof value !== "object") return true;
  return Object.values(value).every((item) => isBounded(item, budget, depth + 1));
}

/** A file that was read: its mapping and its text, or what is wrong with the file as a whole. */
type Read =
  | { readonly document: object; readonly text: string }
  | { readonly problems: readonly Problem[] };

/** Reads a file. `shown` is what messages call it, `fix` what mends an empty one. */
export async function readDocument(
  system: System,
  path: string,
  shown: string,
  fix: string,
): Promise<Read> {
  const read = await readBounded(system, path, shown);
  return "problems" in read ? read : await parseText(read.text, fix);
}

/** Reads the text of a file that is not too large; `shown` is what messages call it. */
export async function readBounded(
  system: System,
  path: string,
  shown: string,
): Promise<{ readonly text: string } | { readonly problems: readonly Problem[] }> {
  const failed = (message: string, how: string) => ({ problems: [fileProblem(message, how)] });
  const info = await system.files.stat(path);
  if (info?.kind !== "file") {
    return failed(`${shown} is not a file`, "Move it away and write a file");
  }
  if (info.size > MAX_BYTES) {
    return failed(
      `The file has ${info.size} bytes; at most ${MAX_BYTES} are read`,
      "Remove what does not belong there",
    );
  }
  return { text: await system.files.readText(path) ?? "" };
}

/** Reads the text of such a file; `fix` is what mends an empty one. */
export async function parseText(text: string, fix: string): Promise<Read> {
  const failed = (message: string, how: string): Read => ({
    problems: [fileProblem(message, how)],
  });
  if (text.trim() === "") return failed("The file is empty", fix);
  const read = await boundedYaml(text);
  if ("problems" in read) return read;
  const document = read.value;
  if (!isObject(document)) return failed("The file must hold a mapping", fix);
  return { document, text };
}

/** The value of a YAML text within both limits, or what is wrong with it; `schema` as the YAML library names it. */
export async function boundedYaml(
  text: string,
  options: { readonly schema?: "core" | "failsafe" } = {},
): Promise<{ readonly value: unknown } | { readonly problems: readonly Problem[] }> {
  const failed = (message: string, fix: string) => ({ problems: [fileProblem(message, fix)] });
  if (text.length > MAX_BYTES) {
    return failed(`At most ${MAX_BYTES} bytes are read`, "Remove what does not belong there");
  }
  let value: unknown;
  try {
    value = options.schema === undefined ? plainYaml(text) : undefined;
    if (value === undefined) {
      const { parse } = await import("@std/yaml");
      value = parse(text, options);
    }
  } catch (error) {
    const { syntaxProblems } = await import("./places.ts");
    return { problems: syntaxProblems(text, error instanceof Error ? error.message : `${error}`) };
  }
  if (isBounded(value, { left: MAX_NODES })) return { value };
  return failed(
    `The file expands to more than ${MAX_NODES} values or ${MAX_DEPTH} levels`,
    "Write out what is needed instead of repeating it with aliases",
  );
}

/** Where the members of a document stand in its text; loads what only problems need. */
export async function placesIn(text: string): Promise<Places> {
  const { placesOf } = await import("./places.ts");
  return placesOf(text);
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
export function normalPath(path: string): string {
  return normalize(path).replaceAll("\\", "/").replace(/\/+$/, "");
}
