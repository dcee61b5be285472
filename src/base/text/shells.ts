/** Variables in the words of shells, quoted so that nothing in a value means anything to them. */

/** Whose words there are; `dotenv` is what files of variables are written in. */
export const VARIABLE_FORMS = ["sh", "fish", "powershell", "dotenv"] as const;
/** One of {@linkcode VARIABLE_FORMS}. */
type VariableForm = typeof VARIABLE_FORMS[number];

/** What needs no quotes in any of them. */
const PLAIN = /^[A-Za-z0-9_./:@%+,-]+$/;

function dotenvValue(value: string): string {
  if (PLAIN.test(value)) return value;
  // Between these nothing means anything; between the others a backslash is needed, which not all readers take away.
  if (!/['\r\n]/.test(value)) return `'${value}'`;
  const escaped = value.replace(/[\\"$`]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `"${escaped}"`;
}

const LINES: Readonly<Record<VariableForm, (name: string, value: string) => string>> = {
  sh: (name, value) => `export ${name}='${value.replaceAll("'", "'\\''")}'`,
  fish: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, "\\$&")}'`,
  // Curly quotes end a text there as the straight one does; doubled, each stands for itself.
  powershell: (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, "$&$&")}'`,
  dotenv: (name, value) => `${name}=${dotenvValue(value)}`,
};

/**
 * Variables as lines, by name, that set them where they are read.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { variableLines } from "./shells.ts";
 *
 * assertEquals(variableLines({ DIR: "/it's" }, "sh"), ["export DIR='/it'\\''s'"]);
 * assertEquals(variableLines({ DIR: "/a b" }, "dotenv"), ["DIR='/a b'"]);
 * ```
 */
export function variableLines(
  variables: Readonly<Record<string, string>>,
  form: VariableForm,
): string[] {
  return Object.entries(variables).map(([name, value]) => LINES[form](name, value));
}

// Splits a command line that a person wrote into words, without a shell and without anything a shell would expand.

/**
 * The words of a command line; quotes and backslashes hold words together as in a POSIX shell. Null where a quote is
 * never closed.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { splitWords } from "./shells.ts";
 *
 * assertEquals(splitWords(`status --only dirty`), ["status", "--only", "dirty"]);
 * assertEquals(splitWords(`push -m "two words" it\\'s`), ["push", "-m", "two words", "it's"]);
 * assertEquals(splitWords(`push -m "two`), null);
 * ```
 */
export function splitWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: '"' | "'" | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (quote === '"' && character === "\\" && /["\\$`]/.test(next)) {
        word = (word ?? "") + next;
        at++;
      } else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (character === "\\" && next !== "") {
      word = (word ?? "") + next;
      at++;
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + character;
  }
  if (quote !== null) return null;
  return word === null ? words : [...words, word];
}
