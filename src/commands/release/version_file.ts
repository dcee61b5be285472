/**
 * Where in a file the version stands, and how to put another one there without touching anything else.
 *
 * Known formats are checked with a parser of the format after the edit, so that an edit of the wrong place
 * cannot go unnoticed. Patterns come out of repositories and are run by an engine that takes linear time.
 */

import { basename } from "@std/path";
import { memberAt } from "../../base/object.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import type { VersionFileSpec } from "./config.ts";

/** A version in a text: what it says, and from where to where. */
interface Place {
  readonly version: string;
  readonly start: number;
  readonly end: number;
}

/** Why the version of a file cannot be found or changed. */
export class VersionFileProblem extends Error {
  override readonly name = "VersionFileProblem";
}

/** Finds the version in the text of a file. Throws {@linkcode VersionFileProblem}. */
export async function findVersion(spec: VersionFileSpec, text: string): Promise<Place> {
  if (spec.pattern !== null) return await byPattern(spec.pattern, text);
  switch (basename(spec.path)) {
    case "package.json":
    case "deno.json":
      return await inJson(text);
    case "pyproject.toml":
      return await inToml(text, ["project", "tool.poetry"]);
    case "Cargo.toml":
      return await inToml(text, ["package", "workspace.package"]);
    default:
      return wholeFile(text);
  }
}

/** The text with another version. Throws {@linkcode VersionFileProblem}, also when the result would say something else. */
export async function replaceVersion(
  spec: VersionFileSpec,
  text: string,
  version: string,
): Promise<string> {
  const place = await findVersion(spec, text);
  const after = text.slice(0, place.start) + version + text.slice(place.end);
  const now = await findVersion(spec, after);
  if (now.version !== version || !(await onlyVersionDiffers(spec, text, after))) {
    throw new VersionFileProblem("cannot be edited safely; give it a pattern");
  }
  return after;
}

async function byPattern(pattern: string, text: string): Promise<Place> {
  const { RE2JS, RE2JSException } = await import("re2js");
  let compiled;
  try {
    compiled = RE2JS.compile(pattern, RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new VersionFileProblem(`has a bad pattern: ${cleanLine(error.message, 100)}`);
  }
  if (compiled.groupCount() !== 1) {
    throw new VersionFileProblem(
      `needs a pattern with exactly one group, not ${compiled.groupCount()}`,
    );
  }
  const matcher = compiled.matcher(text);
  const places: Place[] = [];
  while (matcher.find() && places.length < 2) {
    const version = matcher.group(1);
    if (version === null) continue;
    places.push({ version, start: matcher.start(1), end: matcher.end(1) });
  }
  const [place, second] = places;
  if (place === undefined) throw new VersionFileProblem("does not match its pattern");
  if (second !== undefined) throw new VersionFileProblem("matches its pattern more than once");
  return place;
}

async function inJson(text: string): Promise<Place> {
  const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
  const tree = parseTree(text);
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, ["version"]);
  if (node?.type !== "string") throw new VersionFileProblem('has no "version"');
  // Inside the quotes.
  return {
    version: String(node.value),
    start: node.offset + 1,
    end: node.offset + node.length - 1,
  };
}

/** The line `version = "…"` of the first of some tables that has one; a parser must find the same there. */
async function inToml(text: string, tables: readonly string[]): Promise<Place> {
  const places = new Map<string, Place>();
  let table = "";
  let at = 0;
  for (const line of text.split("\n")) {
    table = /^\s*\[([^[\]]+)\]\s*(?:#.*)?\r?$/.exec(line)?.[1]?.trim() ?? table;
    const found = /^(\s*version\s*=\s*["'])([^"']*)["']/.exec(line);
    if (found !== null && !places.has(table)) {
      const start = at + (found[1] ?? "").length;
      const version = found[2] ?? "";
      places.set(table, { version, start, end: start + version.length });
    }
    at += line.length + 1;
  }
  const name = tables.find((candidate) => places.has(candidate)) ?? "";
  const place = places.get(name);
  if (place === undefined) {
    throw new VersionFileProblem(`has no version in [${tables.join("] or [")}]`);
  }
  const parsed = (await reader("toml"))(text);
  const value = memberAt(parsed, [...name.split("."), "version"]);
  if (value !== place.version) {
    throw new VersionFileProblem("cannot be edited safely; give it a pattern");
  }
  return place;
}

/** A parser of a format whose failures are problems of the file. */
async function reader(format: "json" | "toml"): Promise<(text: string) => unknown> {
  const read: (text: string) => unknown = format === "json"
    ? (await import("jsonc-parser")).parse
    : (await import("@std/toml/parse")).parse;
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new VersionFileProblem(`cannot be read: ${cleanLine(why, 100)}`);
    }
  };
}

function wholeFile(text: string): Place {
  const version = text.trim();
  if (version === "" || /\s/.test(version)) {
    throw new VersionFileProblem(
      `should hold one version, not ${count(version.split(/\s+/).filter(Boolean).length, "word")}`,
    );
  }
  const start = text.indexOf(version);
  return { version, start, end: start + version.length };
}

/** Whether two texts of a known format mean the same but for one string: the check of the edit. */
async function onlyVersionDiffers(
  spec: VersionFileSpec,
  before: string,
  after: string,
): Promise<boolean> {
  if (spec.pattern !== null || basename(spec.path) === "VERSION") return true;
  const read = await reader(basename(spec.path).endsWith(".json") ? "json" : "toml");
  return before === after || differences(read(before), read(after)) === 1;
}

/** How many leaves of two values differ. */
function differences(a: unknown, b: unknown): number {
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") {
    return canonicalJson(a) === canonicalJson(b) ? 0 : 1;
  }
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  let found = 0;
  for (const key of keys) {
    found += differences(
      (a as Record<string, unknown>)[key] ?? null,
      (b as Record<string, unknown>)[key] ?? null,
    );
  }
  return found;
}
