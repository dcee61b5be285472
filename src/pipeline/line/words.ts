/** The words at the front of a command line: which command they name, and what is meant where they name none. */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import { type FlagSpec, GLOBAL_FLAGS, TICKET_FLAG } from "./flags.ts";
import { habitHint } from "./habits.ts";

/** Anything that is called by words. */
export interface Worded {
  readonly path: readonly string[];
}

/** The first words of an argument vector, and what is left without them. */
export interface Words {
  readonly words: readonly string[];
  readonly rest: readonly string[];
}

/** How flags that take a value are written. */
export function flagsWithValue(flags: readonly FlagSpec[]): ReadonlySet<string> {
  return new Set(
    flags.filter((flag) => flag.value !== undefined).flatMap((flag) => [
      `--${flag.name}`,
      ...(flag.also === undefined ? [] : [`--${flag.also}`]),
      ...(flag.short === undefined ? [] : [`-${flag.short}`]),
    ]),
  );
}

/** The ticket is named where the ecosystem is, also in front of commands that turn out to have none. */
const WITH_VALUE = flagsWithValue([...GLOBAL_FLAGS, TICKET_FLAG]);

/** Where the first word stands that is neither a flag nor the value of a global one; −1 where there is none. */
export function firstWordAt(
  tokens: readonly string[],
  withValue: ReadonlySet<string> = WITH_VALUE,
): number {
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? "";
    if (!token.startsWith("-")) return index;
    if (withValue.has(token)) index++;
  }
  return -1;
}

/** The first word that is neither a flag nor the value of a global one. */
export function firstWord(
  tokens: readonly string[],
  withValue: ReadonlySet<string> = WITH_VALUE,
): string | undefined {
  return tokens[firstWordAt(tokens, withValue)];
}

function usage(message: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", message, { hint });
}

function begins(entry: Worded, words: readonly string[]): boolean {
  return words.every((word, index) => entry.path[index] === word);
}

function isWhole(entry: Worded, words: readonly string[]): boolean {
  return entry.path.length === words.length && begins(entry, words);
}

/** Takes the words that name a command from the front, passing over global flags between them. */
export function takeWords(
  argv: readonly string[],
  entries: readonly Worded[],
  withValue: ReadonlySet<string> = WITH_VALUE,
): Words {
  const words: string[] = [];
  const rest: string[] = [];
  let index = 0;
  let flagsEnded = false;
  const isWord = (token: string) => entries.some((entry) => begins(entry, [...words, token]));
  for (; index < argv.length; index++) {
    const token = argv[index] ?? "";
    if (token.startsWith("-") && !flagsEnded && !isWord(token)) {
      // Behind it a command that is complete takes the words of another program.
      if (token === "--" && entries.some((entry) => isWhole(entry, words))) break;
      rest.push(token);
      flagsEnded = token === "--";
      if (withValue.has(token) && index + 1 < argv.length) rest.push(argv[++index] ?? "");
      continue;
    }
    if (!isWord(token)) break;
    words.push(token);
    if (
      entries.some((entry) => isWhole(entry, words)) &&
      !entries.some((entry) => entry.path.length > words.length && begins(entry, words))
    ) {
      index++;
      break;
    }
  }
  return withFlagWord(words, [...rest, ...argv.slice(index)], entries);
}

/** A flag that makes another command of the words, such as `confirm --cancel`, may stand behind arguments, too. */
function withFlagWord(
  words: readonly string[],
  rest: readonly string[],
  entries: readonly Worded[],
): Words {
  const end = rest.indexOf("--");
  const plain = end < 0 ? rest : rest.slice(0, end);
  const at = plain.findIndex((token) =>
    token.startsWith("--") &&
    entries.some((entry) =>
      entry.path.length === words.length + 1 && begins(entry, [...words, token])
    )
  );
  return at < 0
    ? { words, rest }
    : { words: [...words, rest[at] ?? ""], rest: rest.filter((_, index) => index !== at) };
}

/** What is wrong with words that name no command. */
export function unknownCommand(
  words: readonly string[],
  rest: readonly string[],
  entries: readonly Worded[],
  { prefix = "amof", withValue = WITH_VALUE }: {
    readonly prefix?: string | undefined;
    readonly withValue?: ReadonlySet<string> | undefined;
  } = {},
): AmofError {
  const first = firstWord(rest, withValue);
  const hint = `See: ${[prefix, ...words, "--help"].join(" ")}`;
  if (first === undefined) {
    return usage(
      words.length === 0 ? "No command was given" : `"${words.join(" ")}" needs another word`,
      hint,
    );
  }
  const candidates = entries.filter((entry) =>
    words.every((word, index) => entry.path[index] === word)
  ).map((entry) => entry.path[words.length]).filter((word) => word !== undefined);
  const shown = cleanLine([...words, first].join(" "), 60);
  const habit = prefix === "amof" ? habitHint([...words, first].join(" ")) : null;
  if (habit !== null) return usage(`There is no command "${shown}"`, habit);
  const near = didYouMean(first, [...new Set(candidates)]);
  return usage(
    `Cannot find the command "${shown}"${
      near === null ? "" : `; did you mean "${[...words, near].join(" ")}"?`
    }`,
    hint,
  );
}

/** The words of a line that are amof's own: all before `--`. */
export function ownWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? argv : argv.slice(0, end);
}

/** Whether a line only asks for a page or the version, which must answer whatever else is broken. */
export function asksOnly(argv: readonly string[]): boolean {
  const own = ownWords(argv);
  return ["--help", "-h", "--version", "-V"].some((flag) => own.includes(flag));
}
