/** What is meant by words that no argument of a command takes: a text without quotes, repositories, an ecosystem. */

import { shellWord } from "../../base/text/words.ts";
import type { EntryFlag } from "./arguments.ts";
import type { FlagSpec } from "./flags.ts";

/** What values of sentences are called. */
const PROSE = /^(?:\w+=)?(?:TEXT|TITLE)$/;

interface Line {
  /** The words of the command, the program's name first. */
  readonly path: string;
  /** What stands behind them. */
  readonly rest: readonly string[];
  readonly own: readonly EntryFlag[];
  readonly others: readonly FlagSpec[];
  readonly positionals: readonly string[];
  /** Whether it is about one ecosystem. */
  readonly isOfOne: boolean;
}

/** A word of a command line, and the flag whose value it ends with. */
interface Placed {
  readonly token: string;
  readonly loose: boolean;
  readonly of: FlagSpec | undefined;
}

/** The flag that a word names, the last one of `-am`. */
function flagOf(token: string, all: readonly FlagSpec[]): FlagSpec | undefined {
  const name = token.replace(/=.*$/s, "");
  return all.find((flag) =>
    name.startsWith("--")
      ? [flag.name, flag.also].includes(name.slice(2))
      : flag.short !== undefined && name.endsWith(flag.short)
  );
}

function placed(rest: readonly string[], all: readonly FlagSpec[]): Placed[] {
  let waiting: FlagSpec | undefined;
  let over = false;
  return rest.flatMap((token): Placed[] => {
    const of = waiting;
    waiting = undefined;
    if (of !== undefined) return [{ token, loose: false, of }];
    if (token === "--" && !over) {
      over = true;
      return [];
    }
    if (over || token === "-" || !token.startsWith("-")) {
      return [{ token, loose: true, of: undefined }];
    }
    const flag = flagOf(token, all);
    const takes = flag?.value !== undefined;
    if (takes && !token.includes("=")) waiting = flag;
    return [{ token, loose: false, of: takes && token.includes("=") ? flag : undefined }];
  });
}

/** The line with the words in quotes behind the text that they follow; null where they follow none. */
function inQuotes(line: readonly Placed[], words: number, { own, positionals }: Line) {
  const spare = line.filter(({ loose }) => loose).slice(-words);
  const at = line.findIndex((word) => word === spare[0]);
  const before = line[at - 1];
  const last = own.find(({ member }) => member === positionals.at(-1));
  const text = before?.loose ? last : before?.of;
  const isRun = spare.every((word, index) => line[at + index] === word);
  if (before === undefined || !isRun || !PROSE.test(text?.value ?? "") || /\s/.test(before.token)) {
    return null;
  }
  const whole = [before, ...spare].map(({ token }) => token).join(" ");
  return [...line.slice(0, at - 1), { ...before, token: whole }, ...line.slice(at + words)];
}

/**
 * How the last words that stand alone are said to a command that takes fewer, as a hint with the rest of the line.
 * Undefined where nothing is known of them.
 */
export function beyondArguments(words: readonly string[], line: Line): string | undefined {
  const { path, own, others, positionals, isOfOne } = line;
  const all = placed(line.rest, [...others, ...own]);
  const written = (tokens: readonly Placed[], ...more: string[]) =>
    [path, ...tokens.map(({ token }) => shellWord(token)), ...more].join(" ");
  const quoted = inQuotes(all, words.length, line);
  if (quoted !== null) return `Put the whole text in quotes: ${written(quoted)}`;
  if (words.some((word) => word.startsWith("-")) || positionals.length > 0) return;
  const kept = all.filter(({ loose }) => !loose);
  const [only = "", ...rest] = words;
  const message = own.find(({ name, short }) => name === "message" && short !== undefined);
  if (message !== undefined && rest.length === 0 && /\s/.test(only)) {
    return `Name the text with -m: ${written(kept, "-m", shellWord(only))}`;
  }
  const ecosystem = written(kept, "--ecosystem", shellWord(only));
  const isEcosystem = isOfOne && rest.length === 0;
  if (own.some(({ name, type }) => name === "repo" && type === "array")) {
    const repos = `Name repositories with --repo: ${
      written(kept, "--repo", words.map(shellWord).join(","))
    }`;
    const isNamed = kept.some(({ of }) => of?.name === "repo" || of?.name === "ecosystem");
    return isEcosystem && !isNamed ? `${repos}\nName the ecosystem: ${ecosystem}` : repos;
  }
  return isEcosystem ? `Name the ecosystem with --ecosystem: ${ecosystem}` : undefined;
}
