/** Writes an answer for a person or as JSON. */

import type { Outcome } from "../../pipeline/envelope.ts";
import type { Terminal } from "../../base/system/mod.ts";
import { blocks, type Part } from "../../base/text/parts.ts";
import { paint, strong, writeError } from "./colors.ts";
import { errorWidth, layOutParts, outputWidth } from "./layout.ts";
import { nextSteps, wantsNextSteps } from "./next_steps.ts";

/** Writes what went wrong, or what to do, to standard error. */
function complain(terminal: Terminal, word: "error" | "hint", text: string): void {
  const lines = layOutParts([`${word}: ${text}`], errorWidth(terminal));
  const painted = paint(`${word}:`, word === "error" ? "bad" : "attention");
  writeError(terminal, `${painted}${lines.slice(word.length + 1)}\n`);
}

interface Wishes {
  readonly json: boolean;
  readonly quiet: boolean;
  /** False where the settings, or what comes behind the answer, want no next steps. */
  readonly nextSteps?: boolean;
}

/** Writes parts of an answer to standard output, if there are any. */
function writeParts(terminal: Terminal, parts: readonly Part[]): void {
  if (parts.length > 0) terminal.out(`${layOutParts(parts, outputWidth(terminal))}\n`);
}

/** Writes parts of an answer to standard error, if there are any. */
function writeAside(terminal: Terminal, parts: readonly Part[]): void {
  if (parts.length > 0) writeError(terminal, `${layOutParts(parts, errorWidth(terminal))}\n`);
}

/** Writes an answer that programs read as it is: nothing but it goes to standard output (LOOK-1). */
function writeBare(terminal: Terminal, outcome: Outcome, { quiet }: Wishes): void {
  writeParts(terminal, outcome.details);
  writeAside(terminal, outcome.notes);
  if (outcome.bare === "value" || quiet || !terminal.stdoutIsTerminal) return;
  const summary = layOutParts([outcome.summary], errorWidth(terminal));
  writeError(terminal, `${paint(summary, "quiet")}\n`);
}

/**
 * Writes what was asked for. A program finds the summary in its first line; a person has it at the end, where the eye
 * is (ANSWER-6).
 */
function writeAnswer(terminal: Terminal, outcome: Outcome): void {
  const width = outputWidth(terminal);
  const details = layOutParts(blocks(outcome.details, outcome.notes), width);
  const summary = strong(layOutParts([outcome.summary], width));
  if (details === "") terminal.out(`${summary}\n`);
  else if (width === null) terminal.out(`${summary}\n\n${details}\n`);
  else {
    terminal.out(`${details}\n`);
    terminal.out(`\n${summary}\n`);
  }
}

/** Writes why there is no answer, or what is wrong with it. */
function writeFailure(terminal: Terminal, outcome: Outcome): void {
  // The details of a failed check are the answer and go to standard output; those of a refusal go to standard error.
  if (outcome.answered) writeParts(terminal, outcome.details);
  writeAside(terminal, outcome.answered ? outcome.notes : outcome.details);
  complain(terminal, "error", String(outcome.envelope["message"]));
  if (outcome.hint !== null) complain(terminal, "hint", outcome.hint);
}

/** Writes an answer: what was asked for on standard output, everything else on standard error (EXIT-2). */
export function writeOutcome(terminal: Terminal, outcome: Outcome, wishes: Wishes): void {
  if (wishes.json) {
    terminal.out(`${JSON.stringify(outcome.envelope)}\n`);
    return;
  }
  if (outcome.isError) writeFailure(terminal, outcome);
  else if (outcome.bare !== undefined) return writeBare(terminal, outcome, wishes);
  else writeAnswer(terminal, outcome);
  if (wishes.quiet) return;
  const later = outcome.envelope["execute_hint"];
  if (typeof later === "string") complain(terminal, "hint", later);
  const lines = wantsNextSteps(terminal, wishes) ? nextSteps(outcome) : [];
  if (lines.length > 0) {
    const text = ["", "Next:", ...lines.map((line) => `  ${line}`), ""].join("\n");
    writeError(terminal, paint(text, "quiet"));
  }
}
