/**
 * Files shared with users as they may be shown: of what others wrote the names stay, and neither values nor comments,
 * which may be secret.
 */

import { sectionsOf } from "./toml.ts";
import type { SharedFile, Table } from "./types.ts";
import { isObject } from "../../base/object.ts";
import { maskSecrets } from "../../base/text/mask.ts";

const HIDDEN = "…";

/** The kinds of tokens: `SyntaxKind` is a const enum, which isolated modules cannot read. */
const [COLON, TEXT, NUMBER, LINE_COMMENT, BLOCK_COMMENT, END] = [6, 10, 11, 12, 13, 17];
/** Line ends and blanks. */
const BLANK: readonly number[] = [14, 15];

/** A part of a text, from one place to another. */
interface Range {
  readonly start: number;
  readonly end: number;
}

function isIn(ranges: readonly Range[], at: number): boolean {
  return ranges.some(({ start, end }) => at >= start && at < end);
}

/** A text of a file in which only the entries of these names are to be read, and no secret in them. */
export async function shownText(
  shared: SharedFile,
  text: string,
  { names, tables }: { readonly names: readonly string[]; readonly tables: readonly Table[] },
): Promise<string> {
  const shown = shared.syntax === "yaml"
    ? shownLines(text, (await import("./yaml.ts")).yamlRanges(text, shared, names), YAML_KEY)
    : shared.syntax === "toml"
    ? shownLines(text, ownTables(shared, text, names), TOML_KEY)
    : await shownJson(shared, text, names);
  const own = tables.flatMap(({ entries }) => names.map((name) => entries.get(name)));
  return withoutSecrets(shown, ...own);
}

async function shownJson(
  { table }: SharedFile,
  text: string,
  names: readonly string[],
): Promise<string> {
  const { createScanner, parseTree } = await import("jsonc-parser");
  const root = parseTree(text.replace(/^\ufeff/, " "), [], { allowTrailingComma: true });
  const holder = root?.children?.find(({ children }) => children?.[0]?.value === table);
  const own = (holder?.children?.[1]?.children ?? [])
    .filter(({ children }) => names.includes(String(children?.[0]?.value)))
    .map(({ offset, length }) => ({ start: offset, end: offset + length }));
  const tokens: (Range & { readonly kind: number })[] = [];
  const scanner = createScanner(text, false);
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    tokens.push({ kind, start, end: start + scanner.getTokenLength() });
  }
  const isComment = (kind: number) => kind === LINE_COMMENT || kind === BLOCK_COMMENT;
  const said = tokens.filter(({ kind }) => !BLANK.includes(kind) && !isComment(kind));
  const keys = new Set(
    said.flatMap(({ kind, start }, index) =>
      kind === TEXT && said[index + 1]?.kind === COLON ? [start] : []
    ),
  );
  let shown = "";
  let at = 0;
  for (const { kind, start, end } of tokens) {
    if (isIn(own, start) || keys.has(start)) continue;
    const lines = text.slice(start, end).replaceAll(/[^\n]/g, "");
    const by = kind === TEXT
      ? `"${HIDDEN}"`
      : kind === NUMBER
      ? HIDDEN
      : kind === LINE_COMMENT
      ? `// ${HIDDEN}`
      : kind === BLOCK_COMMENT
      ? `/* ${HIDDEN}${lines} */`
      : null;
    if (by === null) continue;
    shown += `${text.slice(at, start)}${by}`;
    at = end;
  }
  return `${shown}${text.slice(at)}`;
}

function ownTables({ table }: SharedFile, text: string, names: readonly string[]): Range[] {
  return sectionsOf(text).filter(({ path }) =>
    path?.[0] === table && names.includes(path?.[1] ?? "")
  );
}

/** What of a line may be read whoever wrote it: a key, with what stands before its value, or the head of a table. */
const TOML_KEY = /^[ \t\ufeff]*(?:\[\[?[\w.\-"' ]+\]\]?[ \t]*$|[A-Za-z0-9_.-]+[ \t]*=)/;
const YAML_KEY = /^[ \t\ufeff]*(?:- +)*[A-Za-z0-9_.-]+:(?=[ \t]|$)/;

/** A text line by line, whole in these ranges, and elsewhere nothing but its keys. */
function shownLines(text: string, own: readonly Range[], key: RegExp): string {
  let at = 0;
  return text.split(/(?<=\n)/).map((line) => {
    const start = at + (/^[ \t]*(?:- +)?/.exec(line)?.[0] ?? "").length;
    const end = at + line.trimEnd().length;
    at += line.length;
    const isOwn = own.some((range) => range.start <= start && end <= range.end);
    return isOwn ? line : shownLine(line, key);
  }).join("");
}

/** A line of which nothing but its key is to be read. */
function shownLine(line: string, key: RegExp): string {
  const [content = "", eol = ""] = line.split(/(?=\r?\n$)/);
  if (content.trim() === "") return line;
  const [said] = key.exec(content) ?? [];
  if (said?.trimEnd() === content.trimEnd()) return line;
  if (said !== undefined) return `${said} ${HIDDEN}${eol}`;
  return `${content.trimStart().startsWith("#") ? "# " : ""}${HIDDEN}${eol}`;
}

// Secrets in entries of shared files: named in warnings, and never shown (PACK-64).

const MASK = "***";

/** Names whose values are secrets, as headers and as variables. */
const SECRET_NAME =
  /token|secret|passw(?:or)?d|passwd|credential|authorization|cookie|(?:api|access|private|auth)[_-]?key|(?:^|[_-])(?:key|pat|pwd)$/i;

/** Values that say where a secret is instead of being one: `${TOKEN}`, `$TOKEN`, `<your token>`, `Bearer ${TOKEN}`. */
const REFERENCE = /^(?:(?:bearer|basic|token)\s+)?(?:\$\{[^}]*\}|\$[A-Za-z_]\w*|<[^>]*>|\*+)$/i;

interface FoundSecret {
  /** Where it is in the entry: `env.GITHUB_TOKEN`. */
  readonly member: string;
  readonly value: string;
}

/** Long runs of letters and digits mixed, as tokens are, and neither paths nor words. */
function looksRandom(text: string): boolean {
  return /^[A-Za-z0-9+/_=.-]{24,}$/.test(text) && !/^[./~]/.test(text) &&
    /[0-9].*[0-9].*[0-9]/.test(text) && /[A-Za-z]/.test(text) && !/[./-].*[./-].*[./-]/.test(text);
}

function isSecret(name: string, value: string): boolean {
  if (value.trim() === "" || REFERENCE.test(value.trim())) return false;
  return SECRET_NAME.test(name) || maskSecrets(value) !== value || looksRandom(value);
}

/** The secrets of a value, wherever in it they are. */
export function secretsIn(value: unknown, path: readonly string[] = []): FoundSecret[] {
  const name = path.at(-1) ?? "";
  if (typeof value === "string") {
    return isSecret(name, value) ? [{ member: path.join("."), value }] : [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const before: unknown = value[index - 1];
      // The value of an option stands behind it.
      const option = typeof before === "string" && /^--?[A-Za-z]/.test(before) ? before : "";
      const own = path.concat(String(index));
      return option !== "" && typeof item === "string" && !item.startsWith("-") &&
          isSecret(option, item)
        ? [{ member: own.join("."), value: item }]
        : secretsIn(item, own);
    });
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, path.concat(key)));
}

/** A text without the secrets of values, however JSON or TOML write them, and without what looks like one. */
export function withoutSecrets(text: string, ...values: readonly unknown[]): string {
  const found = values.flatMap((value) => secretsIn(value)).flatMap(({ value }) => [
    value,
    JSON.stringify(value).slice(1, -1),
    ...value.split("\n"),
  ]).filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length);
  let shown = text;
  for (const secret of new Set(found)) shown = shown.replaceAll(secret, MASK);
  return maskSecrets(shown);
}
