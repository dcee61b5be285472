/**
 * Where in a YAML file something stands. Loaded only where there is a problem to tell of: the parser that knows
 * places costs more than the one that every command uses.
 */

import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
} from "yaml";
import { cleanLine } from "../../base/text/sanitize.ts";
import { fileProblem, type Places, type Problem, type TextPosition } from "./shape.ts";

/** Syntax errors told of one file; what follows the first ones is mostly their consequence. */
const MOST_ERRORS = 10;

/** The places of a YAML text that is known to be valid. */
export function placesOf(text: string): Places {
  const lines = new LineCounter();
  let root: Node | null;
  let resolve: (node: Node) => Node | null;
  try {
    const document = parseDocument(text, { lineCounter: lines, logLevel: "silent" });
    root = document.contents;
    resolve = (node) => isAlias(node) ? node.resolve(document) ?? null : node;
  } catch {
    // Nested deeper than this parser goes: the problems stand without their lines.
    return { find: () => null };
  }
  const placeOf = (node: Node | null): TextPosition | null => {
    const offset = node?.range?.[0];
    if (node === null || offset === undefined) return null;
    const { line, col } = lines.linePos(offset);
    return { line, column: col, source: isScalar(node) ? node.source ?? null : null };
  };
  return {
    find(at, ofKey = false) {
      let node = root;
      let place = placeOf(root);
      for (const [index, step] of at.entries()) {
        const here = node === null ? null : resolve(node);
        if (isSeq(here) && typeof step === "number") {
          const item = here.items[step];
          node = isNode(item) ? item : null;
          place = placeOf(node) ?? place;
          continue;
        }
        const pair = isMap(here)
          ? here.items.find((item) =>
            isPair(item) && isScalar(item.key) && String(item.key.value) === String(step)
          )
          : undefined;
        if (pair === undefined || !isNode(pair.key)) return place;
        const key = placeOf(pair.key);
        node = isNode(pair.value) ? pair.value : null;
        const last = index === at.length - 1;
        // Where the value is missing, the place is that of the key.
        const empty = isScalar(node) && (node.source ?? "") === "" && node.type === "PLAIN";
        place = (last && ofKey) || node === null || empty ? key : placeOf(node) ?? key;
      }
      return place;
    },
  };
}

const FIXES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "Indent with spaces instead of tabs",
  BAD_INDENT: "Indent it like its neighbours, with spaces",
  DUPLICATE_KEY: "Keep one of the two",
  MISSING_CHAR: "Add what is missing, or quote the value",
  MULTIPLE_DOCS: 'Keep one document: remove the line "---" and what does not belong',
  BAD_ALIAS: "Quote a value that begins with *",
  BAD_SCALAR_START: "Quote the value",
  BLOCK_AS_IMPLICIT_KEY: "Quote a value that holds a colon",
  UNEXPECTED_TOKEN: "Remove it, or quote the value",
};

function messageOf({ code, message }: YAMLError): string {
  if (code === "DUPLICATE_KEY") return "a duplicate key: it is given twice";
  if (code === "MULTIPLE_DOCS") return "there are several documents in one file";
  return cleanLine(message, 200);
}

/** Everything wrong with a text that is not valid YAML, as far as it can be told; `first` is what is known already. */
export function syntaxProblems(text: string, first: string): Problem[] {
  const lines = new LineCounter();
  let errors: readonly YAMLError[];
  try {
    errors = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" })
      .errors;
  } catch {
    errors = [];
  }
  const seen = new Set<number>();
  const found = errors.flatMap((error) => {
    const { line, col } = lines.linePos(error.pos[0]);
    if (seen.has(line)) return [];
    seen.add(line);
    const fix = FIXES[error.code] ?? "Fix the syntax at that place";
    return [fileProblem(`Not valid YAML: ${messageOf(error)}`, fix, line, col)];
  });
  if (found.length > 0) return found.slice(0, MOST_ERRORS);
  const [, line, column] = /at line (\d+), column (\d+)/.exec(first) ?? [];
  return [
    fileProblem(
      `Not valid YAML: ${cleanLine(first, 300)}`,
      "Fix the syntax at that place",
      line === undefined ? null : Number(line),
      column === undefined ? null : Number(column),
    ),
  ];
}
