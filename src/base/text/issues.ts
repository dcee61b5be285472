/**
 * What is wrong with arguments or a file, in plain English: what zod finds, said of the member as a reader knows it.
 */

import type { core } from "zod";
import { memberAt } from "../object.ts";
import { cleanLine, shownValue } from "./sanitize.ts";
import { didYouMean, list, meantText } from "./words.ts";

/** One thing wrong with the arguments. */
export interface ArgumentIssue {
  /** The path of the member: `repos.0`. */
  readonly path: string;
  /** What is wrong with it, to stand behind its name: "is missing". */
  readonly problem: string;
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function ofSize(
  word: "least" | "most",
  issue: core.$ZodIssueTooSmall | core.$ZodIssueTooBig,
): string {
  const limit = Number("minimum" in issue ? issue.minimum : issue.maximum);
  const many = limit === 1 ? "" : "s";
  if (issue.origin === "string") {
    return word === "least" && limit === 1
      ? "must not be empty"
      : `must have at ${word} ${limit} character${many}`;
  }
  if (issue.origin === "array") return `needs at ${word} ${limit} value${many}`;
  return `must be at ${word} ${limit}`;
}

function problemOf(issue: core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return value === undefined
        ? "is missing"
        : `must be ${KINDS[issue.expected] ?? issue.expected}, not ${shownValue(value)}`;
    case "invalid_value": {
      const choices = issue.values.map(String);
      if (value === undefined) return `is missing: ${list(choices, "or")}`;
      const near = typeof value === "string" ? didYouMean(value, choices) : null;
      const what = choices.length === 1 ? choices[0] : `one of ${list(choices, "or")}`;
      return `must be ${what}, not ${shownValue(value)}${meantText(near)}`;
    }
    case "too_small":
      return ofSize("least", issue);
    case "too_big":
      return ofSize("most", issue);
    case "invalid_format":
      return issue.message.startsWith("Invalid ")
        ? `cannot be ${shownValue(value)}: that is not ${
          issue.format === "regex" ? "a valid value" : `a valid ${issue.format}`
        }`
        : issue.message;
    case "unrecognized_keys":
      return `has unknown members: ${list(issue.keys.map((key) => cleanLine(key, 60)))}`;
    default:
      return issue.message.replace(/^Invalid input$/, `cannot be ${shownValue(value)}`);
  }
}

/** What a schema found wrong with a value. */
export function argumentIssues(error: core.$ZodError, value: unknown): ArgumentIssue[] {
  return error.issues.map((issue) => ({
    path: issue.path.map(String).join("."),
    problem: problemOf(issue, memberAt(value, issue.path)),
  }));
}

/** The first thing that a schema found wrong with a document: "profiles must be an object, not 7". */
export function firstIssue(error: core.$ZodError, value: unknown): string {
  const [first] = argumentIssues(error, value);
  if (first === undefined) return "its shape is wrong";
  return `${first.path === "" ? "it" : first.path} ${first.problem}`;
}
