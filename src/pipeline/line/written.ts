/** Finds the command lines that stand in a text: `See them: amof ticket list; or go to one: amof ticket switch ID`. */

/** A command line inside a text. */
export interface WrittenLine {
  /** Where it begins and ends in the text. */
  readonly start: number;
  readonly end: number;
  /** Its words without the program's name, as a shell would hand them over. */
  readonly words: readonly string[];
}

/** Words that go on with the sentence; none of them is an argument in a hint. */
const CONNECTIVES = new Set([
  "again",
  "and",
  "before",
  "first",
  "for",
  "if",
  "in",
  "or",
  "then",
  "to",
  "when",
  "with",
  "without",
]);
/** What closes a command line at the end of a word. */
const CLOSING = /[;,:.)`!?…]+$/;

interface Word {
  readonly text: string;
  /** Where it ends in the text, without what closes the line. */
  readonly end: number;
  /** Whether the command line ends with it. */
  readonly last: boolean;
}

/** The word at a place, with quotes as a shell reads them; null where the command line is over. */
function wordAt(text: string, start: number): Word | null {
  let read = "";
  let index = start;
  let plainFrom = start;
  while (index < text.length && !/\s/.test(text[index] ?? "")) {
    const char = text[index] ?? "";
    if (char === "'" || char === '"') {
      const close = text.indexOf(char, index + 1);
      if (close < 0) return null;
      read += text.slice(index + 1, close);
      index = close + 1;
      plainFrom = index;
    } else if (char === "\\") {
      read += text[index + 1] ?? "";
      index += 2;
      plainFrom = index;
    } else {
      read += char;
      index++;
    }
  }
  const closing = CLOSING.exec(text.slice(plainFrom, index))?.[0].length ?? 0;
  const word = closing === 0 ? read : read.slice(0, -closing);
  const end = index - closing;
  if (end <= start || word.startsWith("(")) return null;
  if (plainFrom === start && CONNECTIVES.has(word)) return null;
  return { text: word, end, last: closing > 0 };
}

/** Every command line of a text, in order: from `amof` to the end of the clause. */
export function writtenLines(text: string): WrittenLine[] {
  const found: WrittenLine[] = [];
  for (const { index: start } of text.matchAll(/(?<![\w/.-])amof (?=[-a-z])/g)) {
    if (start < (found.at(-1)?.end ?? 0)) continue;
    const words: string[] = [];
    let end = start;
    let index = start + "amof ".length;
    for (let word = wordAt(text, index); word !== null; word = wordAt(text, index)) {
      words.push(word.text);
      end = word.end;
      if (word.last || text[end] !== " ") break;
      index = end + 1;
    }
    if (words.length > 0) found.push({ start, end, words });
  }
  return found;
}
