/**
 * `amof complete`: what the completion scripts of all shells ask.
 *
 * One candidate a line, `value TAB meaning`, or the line `:directories`. It is called while somebody types, so
 * whatever goes wrong, the answer is only shorter.
 */

import type { Settings } from "../../../state/settings/mod.ts";
import type { System } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { takeWords } from "../../../pipeline/line/words.ts";
import { aliasEntries, expanded } from "../entries.ts";
import { GRAMMAR } from "./grammar.ts";
import { DIRECTORIES, lookUpIn } from "./lookup.ts";
import { type Candidate, candidatesAt } from "./place.ts";

/** What can stand where the last of the words behind the program's name stands. */
async function candidates(
  system: System,
  settings: Settings,
  words: readonly string[],
): Promise<readonly Candidate[]> {
  const given = words.slice(0, -1);
  const typed = words.at(-1) ?? "";
  const lookUp = lookUpIn(system, settings);
  // "amof help push" is "amof push --help".
  const { aliases } = settings;
  const before = expanded(given[0] === "help" ? given.slice(1) : given, aliases);
  const grammar = { ...GRAMMAR, entries: [...GRAMMAR.entries, ...aliasEntries(aliases)] };
  const begun = takeWords(before, GRAMMAR.entries);
  const agentpack = begun.words[0] === "agentpack";
  const found = agentpack
    ? await candidatesAt(
      (await import("./pack_grammar.ts")).PACK_GRAMMAR,
      begun.rest,
      typed,
      lookUp,
    )
    : await candidatesAt(grammar, before, typed, lookUp);
  return found.filter(({ value }) => value.endsWith(DIRECTORIES) || value.startsWith(typed));
}

function line({ value, help }: Candidate): string {
  // The shell itself knows what stands before its directories.
  if (value.endsWith(DIRECTORIES)) return DIRECTORIES;
  return help === "" ? value : `${value}\t${cleanLine(help, 100)}`;
}

/** The lines for the words behind the program's name, of which the last is being typed. Never fails. */
export async function complete(
  system: System,
  settings: Settings,
  words: readonly string[],
): Promise<string> {
  try {
    const lines = (await candidates(system, settings, words)).map(line);
    return [...new Set(lines)].map((text) => `${text}\n`).join("");
  } catch {
    // An error message would be printed into the line that is being typed.
    return "";
  }
}
