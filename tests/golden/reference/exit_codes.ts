/**
 * Which exit codes a command can end with, out of what it declares.
 *
 * @module
 */

import { isNetworked } from "../../../src/contract/mod.ts";
import type { Entry } from "../../../src/pipeline/line/parse.ts";

/** What any command can end with: done, failed, wrong usage, busy database, interrupted. */
const ANY = [0, 1, 2, 6, 130];

/** Commands that check something, by their words: what they find is 3. */
const CHECKS = new Set([
  "audit verify",
  "doctor",
  "grep",
  "install",
  "lock",
  "manifest validate",
  "release validate",
  "status",
  "ticket conflicts",
]);

/** The exit codes of a command or program, in order. */
export function exitCodesOf(entry: Entry): number[] {
  const codes = new Set(ANY);
  if (CHECKS.has(entry.path.join(" "))) codes.add(3);
  if (entry.kind === "program") return [...codes].sort((a, b) => a - b);
  // Whatever changes something is refused without consent, or in a mode that is too low.
  if (entry.kind !== "query") codes.add(4);
  if (entry.kind === "mutation") codes.add(5);
  if (entry.kind === "mutation" || isNetworked(entry)) codes.add(124);
  return [...codes].sort((a, b) => a - b);
}
