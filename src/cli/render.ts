/**
 * Writes an answer for a person or as JSON.
 *
 * @module
 */

import type { Outcome } from "../command/envelope.ts";
import { findCommand } from "../command/registry.ts";
import type { Terminal } from "../system/mod.ts";
import { blocks, type Part } from "../text/parts.ts";
import { shellWord } from "../text/words.ts";
import type { GlobalFlags } from "../command/line/flags.ts";
import { writeError } from "./colors.ts";
import { errorWidth, layOutParts, outputWidth } from "./layout.ts";
import { paint, strong } from "./palette.ts";

function wordOf(value: unknown): string {
  return shellWord(typeof value === "string" ? value : JSON.stringify(value));
}

/** A suggested action as a command line to paste, or null when the command line has no such command. */
export function actionLine(tool: string, args: Readonly<Record<string, unknown>>): string | null {
  const command = findCommand(tool);
  if (command === null || command.only === "mcp") return null;
  const words = ["amof"];
  const flags: string[] = [];
  const positionals = command.positionals ?? [];
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || value === null || value === false) continue;
    if (positionals.includes(name)) continue;
    if (name === "ecosystem") words.push("-e", wordOf(value));
    else {
      const flag = `--${command.flags?.[name] ?? name.replaceAll("_", "-")}`;
      // A list is its flag repeated.
      for (const each of [value].flat()) {
        flags.push(...(each === true ? [flag] : [flag, wordOf(each)]));
      }
    }
  }
  const named = positionals.flatMap((name) => [args[name] ?? []].flat()).map(wordOf);
  return [...words, ...command.path, ...named, ...flags].join(" ");
}

/** Writes what went wrong, or what to do, to standard error. */
function complain(terminal: Terminal, word: "error" | "hint", text: string): void {
  const lines = layOutParts([`${word}: ${text}`], errorWidth(terminal));
  const painted = paint(`${word}:`, word === "error" ? "bad" : "attention");
  writeError(terminal, `${painted}${lines.slice(word.length + 1)}\n`);
}

/** Writes parts of an answer to standard error, if there are any. */
function writeAside(terminal: Terminal, parts: readonly Part[]): void {
  if (parts.length > 0) writeError(terminal, `${layOutParts(parts, errorWidth(terminal))}\n`);
}

/** Writes an answer that programs read as it is: nothing but it goes to standard output (LOOK-1). */
function writeBare(terminal: Terminal, outcome: Outcome, { quiet }: GlobalFlags): void {
  if (outcome.details.length > 0) {
    terminal.out(`${layOutParts(outcome.details, outputWidth(terminal))}\n`);
  }
  writeAside(terminal, outcome.notes);
  if (outcome.command?.bare === "value" || quiet || !terminal.stdoutIsTerminal) return;
  writeError(terminal, `${paint(outcome.summary, "quiet")}\n`);
}

/** Writes an answer: what was asked for on standard output, everything else on standard error (EXIT-2). */
export function writeOutcome(terminal: Terminal, outcome: Outcome, flags: GlobalFlags): void {
  if (flags.json) {
    terminal.out(`${JSON.stringify(outcome.envelope)}\n`);
    return;
  }
  if (outcome.isError) {
    // The details of a failed check are the answer and go to standard output; those of a refusal go to standard
    // error.
    if (outcome.answered && outcome.details.length > 0) {
      terminal.out(`${layOutParts(outcome.details, outputWidth(terminal))}\n`);
    }
    writeAside(terminal, outcome.answered ? outcome.notes : outcome.details);
    complain(terminal, "error", String(outcome.envelope["message"]));
    if (outcome.hint !== null) complain(terminal, "hint", outcome.hint);
  } else if (outcome.command?.bare !== undefined) {
    writeBare(terminal, outcome, flags);
    return;
  } else {
    const details = layOutParts(blocks(outcome.details, outcome.notes), outputWidth(terminal));
    terminal.out(`${strong(outcome.summary)}\n${details === "" ? "" : `\n${details}\n`}`);
  }
  if (flags.quiet) return;
  const later = outcome.envelope["execute_hint"];
  if (typeof later === "string") complain(terminal, "hint", later);
  const request = outcome.envelope["confirmation"] as
    | { typed_value_required?: boolean }
    | undefined;
  const lines = outcome.actions.map((action) => {
    const line = actionLine(action.tool, action.args);
    // The person has to type the name, so the line has a placeholder for it.
    const named = action.id === "confirm" && request?.typed_value_required === true;
    return line !== null && named ? `${line} --confirm-name NAME` : line;
  }).filter((line) => line !== null);
  if (lines.length > 0) {
    writeError(
      terminal,
      paint(`\nNext:\n${[...new Set(lines)].map((line) => `  ${line}`).join("\n")}\n`, "quiet"),
    );
  }
}
