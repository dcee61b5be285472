/** Everything that has words on the command line. */

import { COMMAND_ENTRIES, type ListedEntry } from "../../pipeline/line/entries.ts";
import { type ListedProgram, PROGRAMS } from "./programs/mod.ts";
import { firstWordAt, takeWords } from "../../pipeline/line/words.ts";
import { AmofError } from "../../base/error.ts";
import { splitWords } from "../../base/text/shells.ts";

/** Anything that has words on the command line, loaded when it is called. */
export type AnyEntry = ListedEntry | ListedProgram;

/** The commands of the command line with their shortcuts, and the programs. */
export const ENTRIES: readonly AnyEntry[] = [...COMMAND_ENTRIES, ...PROGRAMS];

// Words of the person's own for command lines (SETTING-7).

/** Command lines by the word that stands for them. */
export type Aliases = Readonly<Record<string, string>>;

/** The words of `entries` with those of the aliases, for what completes and corrects words. */
export function aliasEntries(aliases: Aliases): { path: readonly string[]; summary: string }[] {
  return Object.entries(aliases).filter(([word]) => !isTaken(word))
    .map(([word, line]) => ({ path: [word], summary: `stands for: ${line}` }));
}

/** Whether a word begins a command of amof, which no alias replaces. */
function isTaken(word: string): boolean {
  return word === "help" || takeWords([word], ENTRIES).words.length > 0;
}

/** Where an argument vector names no command of amof, the place of the word that may be an alias; else −1. */
export function aliasPlace(argv: readonly string[]): number {
  if (takeWords(argv, ENTRIES).words.length > 0) return -1;
  return firstWordAt(argv);
}

/**
 * An argument vector with its alias written out, once; as it is where it has none. Throws `invalid_arguments` for an
 * alias that stands for no command.
 */
export function expanded(argv: readonly string[], aliases: Aliases): readonly string[] {
  const at = aliasPlace(argv);
  const word = argv[at];
  if (word === undefined || !Object.hasOwn(aliases, word)) return argv;
  const line = splitWords(aliases[word] ?? "") ?? [];
  if (takeWords(line, ENTRIES).words.length === 0) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot use the alias "${word}": "${aliases[word]}" is no command of amof`,
      {
        hint: `An alias stands for a command, not for another alias. Change it: amof config edit`,
      },
    );
  }
  return [...argv.slice(0, at), ...line, ...argv.slice(at + 1)];
}
