/**
 * Reads the plainest YAML, in which most manifests are written, without the library for all of it.
 *
 * Loading and warming up a reader of all of YAML takes a short command longer than anything else it reads. This one
 * knows mappings and lists by indentation, words, quoted words without escapes, `true`, `false` and short lists in
 * brackets. At the first line that is anything else, or could be, it gives up, and the library reads the whole.
 */

interface Line {
  readonly indent: number;
  /** Whether it begins an item of a list. */
  readonly isItem: boolean;
  /** Null where it is an item without a key. */
  readonly key: string | null;
  /** As it is written; undefined where what is below is the value. */
  readonly value: string | undefined;
}

/** Why it gave up; never seen outside. */
class NotPlain extends Error {}

const BLANK = /^ *(?:#[ -~]*)?$/;
const LINE = /^( *)(- )?(?:([A-Za-z][A-Za-z0-9_-]*):(?: +(\S.*?))? *|([^ ].*?) *)$/;
/** Colons and commas stand only where they cannot end a key or an item. */
const PLAIN =
  /^[A-Za-z/](?:[A-Za-z0-9_./@+=~*-]|:(?=[A-Za-z0-9_./@]))*(?: [A-Za-z0-9_./@+=(](?:[A-Za-z0-9_./@+=()'*-]|:(?=[A-Za-z0-9_./@]))*)*$/;
const QUOTED = /^(?:"([ !#-[\]-~]*)"|'([ -&(-~]*)')$/;
const BRACKETS = /^\[ *([A-Za-z][A-Za-z0-9_./-]*(?: *, *[A-Za-z][A-Za-z0-9_./-]*)*)? *\]$/;
/** Words that mean something else than themselves, in any case. */
const SPECIAL = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function lineOf(text: string): Line | null {
  if (BLANK.test(text)) return null;
  const [, spaces = "", dash, key = null, value, bare] = LINE.exec(text) ?? [];
  if (key === null && (dash === undefined || bare === undefined)) throw new NotPlain();
  if (key !== null && (SPECIAL.test(key) || key === "__proto__")) throw new NotPlain();
  return { indent: spaces.length, isItem: dash !== undefined, key, value: value ?? bare };
}

function word(text: string): string {
  if (!PLAIN.test(text) || SPECIAL.test(text)) throw new NotPlain();
  return text;
}

function scalar(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2];
  const list = BRACKETS.exec(text);
  if (list === null) return word(text);
  return list[1] === undefined ? [] : list[1].split(",").map((item) => word(item.trim()));
}

/** Reads lines from one place on. */
class Reader {
  readonly #lines: Line[];
  #at = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  get next(): Line | undefined {
    return this.#lines[this.#at];
  }

  mapping(indent: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (let line = this.next; line?.indent === indent && !line.isItem; line = this.next) {
      const { key, value } = line;
      if (key === null || Object.hasOwn(result, key)) throw new NotPlain();
      this.#at++;
      result[key] = value === undefined ? this.#below(indent) : this.#alone(value, indent);
    }
    return result;
  }

  #list(indent: number): unknown[] {
    const result: unknown[] = [];
    for (let line = this.next; line?.indent === indent && line.isItem; line = this.next) {
      if (line.key === null) {
        this.#at++;
        result.push(this.#alone(line.value ?? "", indent));
      } else {
        // The text behind the dash is the first line of a mapping.
        this.#lines[this.#at] = { ...line, indent: indent + 2, isItem: false };
        result.push(this.mapping(indent + 2));
      }
    }
    return result;
  }

  /** A value that ends with its line. */
  #alone(text: string, indent: number): unknown {
    if ((this.next?.indent ?? 0) > indent) throw new NotPlain();
    return scalar(text);
  }

  #below(indent: number): unknown {
    const { next } = this;
    if (next === undefined || next.indent < indent) throw new NotPlain();
    if (next.isItem) return this.#list(next.indent);
    if (next.indent === indent) throw new NotPlain();
    return this.mapping(next.indent);
  }
}

/** What a YAML text holds where it is a mapping in the plainest form; undefined where that is not certain. */
export function plainYaml(text: string): Record<string, unknown> | undefined {
  try {
    const lines = text.split("\n").map(lineOf).filter((line) => line !== null);
    const reader = new Reader(lines);
    const result = reader.mapping(0);
    return lines.length === 0 || reader.next !== undefined ? undefined : result;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

// Values as YAML writes them in one line; loads nothing.

const RESERVED_WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text as a YAML scalar: plain when nothing could take it for something else. */
export function yamlScalar(text: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !RESERVED_WORDS.test(text);
  // YAML takes no control characters as they are, and some of Unicode's line ends for its own.
  return plain ? text : JSON.stringify(text).replace(
    /[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Texts as a list in one line. */
export function yamlList(texts: readonly string[]): string {
  return `[${texts.map(yamlScalar).join(", ")}]`;
}
