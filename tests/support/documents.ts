/**
 * The project's own documents as tests read them: rules, tables, examples, links.
 *
 * @module
 */

import { dirname, fromFileUrl, join, relative } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const DOCUMENTS = ".github/docs";

/** A text of the project. */
export interface Text {
  /** Relative to the root, with `/`. */
  readonly name: string;
  readonly text: string;
}

/** A numbered rule of a document. */
export interface Rule {
  /** `CONFIRM-4`. */
  readonly label: string;
  readonly document: string;
  /** From its label to the next one or the end of its section. */
  readonly text: string;
}

async function below(directory: string, pattern: RegExp): Promise<Text[]> {
  const found: Text[] = [];
  for await (const entry of Deno.readDir(join(ROOT, directory))) {
    const name = `${directory}/${entry.name}`;
    if (entry.isDirectory) found.push(...await below(name, pattern));
    else if (pattern.test(entry.name)) {
      found.push({ name, text: await Deno.readTextFile(join(ROOT, name)) });
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function texts(...names: string[]): Promise<Text[]> {
  return await Promise.all(names.map(async (name) => ({
    name,
    text: await Deno.readTextFile(join(ROOT, name)),
  })));
}

const DOCUMENTED: readonly Text[] = await below(DOCUMENTS, /\.md$/);
/** The pages that are made out of declarations. */
export const REFERENCE: readonly Text[] = DOCUMENTED.filter(({ name }) =>
  name.startsWith(`${DOCUMENTS}/reference/`)
);
/** The documents that hold rules. */
export const RULE_BOOKS: readonly Text[] = DOCUMENTED.filter((each) => !REFERENCE.includes(each));
/** Everything that is written for readers of the project. */
export const READINGS: readonly Text[] = [
  ...DOCUMENTED,
  ...await below(".github/adr", /\.md$/),
  ...await texts(
    ".github/ARCHITECTURE.md",
    ".github/CONTRIBUTING.md",
    ".github/GLOSSARY.md",
    ".github/SECURITY.md",
    "README.md",
  ),
];
/** The modules of the program and its tests. */
export const MODULES: readonly Text[] = [
  ...await texts("main.ts"),
  ...await below("src", /\.tsx?$/),
  ...await below("tests", /\.ts$/),
];
/** What users do from beginning to end, as `tests/stories_test.ts` plays it. */
export const STORIES: readonly Text[] = await below("tests/stories", /\.txtar$/);

/** The rules of a document in their order. */
export function rulesOf({ name, text }: Text): Rule[] {
  const parts = text.split(/^(?=\*\*[A-Z]+-\d+\.\*\* |#)/m);
  return parts.flatMap((part) => {
    const label = /^\*\*([A-Z]+-\d+)\.\*\* /.exec(part)?.[1];
    return label === undefined ? [] : [{ label, document: name, text: part }];
  });
}

/** Every rule of every document. */
export const RULES: readonly Rule[] = RULE_BOOKS.flatMap(rulesOf);

/** The rule with a label; throws when there is none. */
export function rule(label: string): Rule {
  const found = RULES.find((each) => each.label === label);
  if (found === undefined) throw new RangeError(`No document has a rule ${label}`);
  return found;
}

/** The labels that a text names, of the prefixes that rules have. */
export function citations(text: string): string[] {
  const prefixes = [...new Set(RULES.map(({ label }) => label.split("-")[0]))].join("|");
  return [...text.matchAll(new RegExp(`\\b(?:${prefixes})-\\d+\\b`, "g"))].map(([label]) => label);
}

/** The rows of the first table in a text behind its header, without the marks of code. */
export function tableIn(text: string, header: string): string[][] {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => cells(line)[0] === header);
  if (head < 0) throw new RangeError(`There is no table with the column "${header}"`);
  const rows: string[][] = [];
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith("|")) break;
    rows.push(cells(line));
  }
  return rows;
}

function cells(line: string): string[] {
  return line.startsWith("|")
    ? line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("`", ""))
    : [];
}

/** The blocks of code of a language in a text. */
export function blocks(text: string, language: string): string[] {
  const fence = new RegExp("^```" + language + "\\n([\\s\\S]*?)^```$", "gm");
  return [...text.matchAll(fence)].map((match) => match[1] ?? "");
}

/** What holds no sentences: comments, blocks of code, pictures. */
const NO_PROSE = /<!--[^]*?-->|^ *```[^]*?^ *```$|<picture>[^]*?<\/picture>|!\[[^\]]*\]\([^)]*\)/gm;
/** What no sentence reaches across: an empty line, the mark of an item, the border of a cell. */
const BORDER = /\n\s*\n|^ *(?:[-*]|\d+\.) +|(?<=^(?:\|.*)?)\|/m;

/** The sentences of a text, each in one line. Items and cells have their own; a colon or semicolon ends none. */
export function sentences(text: string): string[] {
  return text.replaceAll(NO_PROSE, "\n\n").split(BORDER)
    .flatMap((part) => part.trim().split(/(?<=[.!?][)*_"”]*)\s+/))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .map((sentence) => sentence.replaceAll(/\s+/g, " "));
}

/** The comments of a module as they stand there; lines of `//` that follow each other are one. */
export function comments(text: string): string[] {
  return text.match(/(?<!\S)\/\*[^]*?\*\/|^[ \t]*\/\/.*(?:\n[ \t]*\/\/.*)*/gm) ?? [];
}

/** What a comment says: without its marks, with a link as one word, and every tag in a paragraph of its own. */
export function proseOf(comment: string): string {
  return comment.replaceAll(/^\s*(?:\/\*+|\*(?!\/)|\/\/) ?|\*\/$/gm, "")
    .replaceAll(/\{@\w+ ([^}]*)\}/g, (_, to: string) => to.replaceAll(/\s+/g, "_"))
    .replaceAll(/^(?=@)/gm, "\n");
}

/** The links of a text that lead to a file of the project, relative to its root, each with its anchor or "". */
export function fileLinks(
  { name, text }: Text,
): { readonly file: string; readonly anchor: string }[] {
  return [...text.replaceAll(/`[^`\n]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].flatMap(
    ([, target = ""]) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [path = "", anchor = ""] = target.split("#");
      const file = path === "" ? name : relative(ROOT, join(ROOT, dirname(name), path));
      return [{ file: file.replaceAll("\\", "/"), anchor }];
    },
  );
}

/** Whether the project has a file or directory. */
export async function exists(name: string): Promise<boolean> {
  try {
    await Deno.stat(join(ROOT, name));
    return true;
  } catch {
    return false;
  }
}
