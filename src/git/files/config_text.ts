/**
 * Reads the text of a git configuration file as `git config --list --no-includes` does, without starting git.
 *
 * It serves to remember what a file said at a moment when that was in order. Whether a file says something else now is
 * asked of git itself, so a text that only looks harmless to this reader hides nothing.
 */

/** The values of each key, in order; null where a key stands without `=`. */
export type ConfigKeys = ReadonlyMap<string, readonly (string | null)[]>;

const ESCAPES: Readonly<Record<string, string>> = {
  t: "\t",
  b: "\b",
  n: "\n",
  "\\": "\\",
  '"': '"',
};

/** Thrown inside for what git would not read either. */
class Unreadable extends Error {}

/** Lines as git itself writes most of them, which need not be read letter by letter. */
const PLAIN_SECTION = /[ \t\n]*\[([A-Za-z0-9-]+)(?: "([^"\\\n]*)")?\]/y;
const PLAIN_ENTRY =
  /[ \t\n]*([A-Za-z][A-Za-z0-9-]*) ?= ?([^\s"\\;#](?:[^\s"\\;#]| +(?=[^\s"\\;#]))*)\n/y;

/** A text with the place up to which it was read. */
class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  }

  /** The next character, and behind the end a last line end; null after that. */
  next(): string | null {
    const at = this.#at++;
    if (at < this.#text.length) return this.#text[at] ?? null;
    return at === this.#text.length ? "\n" : null;
  }

  /** What follows in a plain form, which is behind the cursor then; null for anything else. */
  plain(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const found = form.exec(this.#text);
    if (found !== null) this.#at = form.lastIndex;
    return found;
  }
}

function isSpace(char: string): boolean {
  return /^[ \t\n\r\v\f]$/.test(char);
}

/** `[section]`, `[section "sub"]` or `[section.sub]`, behind its bracket. */
function sectionOf(cursor: Cursor): string {
  let name = "";
  for (;;) {
    const char = cursor.next();
    if (char === "]") return name;
    if (char !== null && char !== "\n" && isSpace(char)) return `${name}.${subsectionOf(cursor)}`;
    if (char === null || !/^[A-Za-z0-9.-]$/.test(char)) throw new Unreadable();
    name += char.toLowerCase();
  }
}

function subsectionOf(cursor: Cursor): string {
  let char = cursor.next();
  while (char !== null && char !== "\n" && isSpace(char)) char = cursor.next();
  if (char !== '"') throw new Unreadable();
  let name = "";
  for (;;) {
    let inside = cursor.next();
    if (inside === '"') break;
    if (inside === "\\") inside = cursor.next();
    if (inside === null || inside === "\n") throw new Unreadable();
    name += inside;
  }
  if (cursor.next() !== "]") throw new Unreadable();
  return name;
}

function valueOf(cursor: Cursor): string {
  let value = "";
  let spaces = 0;
  let isQuoted = false;
  let isComment = false;
  for (;;) {
    let char = cursor.next();
    if (char === null || char === "\n") {
      if (isQuoted) throw new Unreadable();
      return value;
    }
    if (isComment) continue;
    if (isSpace(char) && !isQuoted) {
      if (value !== "") spaces++;
      continue;
    }
    if (!isQuoted && (char === ";" || char === "#")) {
      isComment = true;
      continue;
    }
    value += " ".repeat(spaces);
    spaces = 0;
    if (char === '"') {
      isQuoted = !isQuoted;
      continue;
    }
    if (char === "\\") {
      char = cursor.next();
      if (char === "\n") continue;
      const meant = char === null || !Object.hasOwn(ESCAPES, char) ? undefined : ESCAPES[char];
      if (meant === undefined) throw new Unreadable();
      char = meant;
    }
    value += char;
  }
}

function entryOf(cursor: Cursor, first: string): [name: string, value: string | null] {
  let name = first.toLowerCase();
  let char = cursor.next();
  while (char !== null && /^[A-Za-z0-9-]$/.test(char)) {
    name += char.toLowerCase();
    char = cursor.next();
  }
  while (char === " " || char === "\t") char = cursor.next();
  if (char === "\n") return [name, null];
  if (char !== "=") throw new Unreadable();
  return [name, valueOf(cursor)];
}

/** The keys of a file with their values; null for a text that git refuses to read. */
export function configKeys(text: string): ConfigKeys | null {
  const cursor = new Cursor(text);
  const keys = new Map<string, (string | null)[]>();
  let section: string | null = null;
  const add = (name: string, value: string | null) => {
    const key = section === null ? name : `${section}.${name}`;
    keys.set(key, [...keys.get(key) ?? [], value]);
  };
  try {
    for (;;) {
      const plain = cursor.plain(PLAIN_SECTION);
      if (plain !== null) {
        const [, name = "", sub] = plain;
        section = name.toLowerCase() + (sub === undefined ? "" : `.${sub}`);
      }
      for (let entry = cursor.plain(PLAIN_ENTRY); entry !== null;) {
        add((entry[1] ?? "").toLowerCase(), entry[2] ?? "");
        entry = cursor.plain(PLAIN_ENTRY);
      }
      const char = cursor.next();
      if (char === null) return keys;
      if (isSpace(char)) continue;
      if (char === "#" || char === ";") {
        for (let rest = cursor.next(); rest !== null && rest !== "\n";) rest = cursor.next();
        continue;
      }
      if (char === "[") {
        section = sectionOf(cursor);
        continue;
      }
      if (!/^[A-Za-z]$/.test(char)) return null;
      add(...entryOf(cursor, char));
    }
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** What `git config --list -z` prints, as keys with their values. */
export function listedKeys(output: string): ConfigKeys {
  const keys = new Map<string, (string | null)[]>();
  for (const entry of output.split("\0")) {
    if (entry === "") continue;
    const at = entry.indexOf("\n");
    const key = at < 0 ? entry : entry.slice(0, at);
    keys.set(key, [...keys.get(key) ?? [], at < 0 ? null : entry.slice(at + 1)]);
  }
  return keys;
}
