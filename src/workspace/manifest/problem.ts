/** What is wrong or doubtful in a YAML file that people write, and how it is told. */

import { memberAt } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

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
