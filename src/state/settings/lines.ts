/**
 * Where in the user file something stands. Loaded only where there is a problem to tell of: the parser that knows
 * lines costs more than the one that reads values.
 */

import { isMap, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { SettingsProblem } from "./check.ts";

/** What is wrong with a text that is not valid YAML; `first` is what the other parser said. */
export function syntaxError(text: string, first: string): SettingsProblem {
  const lines = new LineCounter();
  const [error] =
    parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" }).errors;
  const line = error === undefined
    ? Number(/at line (\d+)/.exec(first)?.[1] ?? 0)
    : lines.linePos(error.pos[0]).line;
  const message = `not valid YAML: ${cleanLine(error?.message ?? first, 200)}`;
  return { name: "", line: line === 0 ? null : line, message };
}

/** Findings with the lines of the names they are about, in the order of the file. */
export function located(
  text: string,
  findings: readonly { readonly at: readonly string[]; readonly message: string }[],
): SettingsProblem[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "silent" });
  const lineOf = (at: readonly string[]) => {
    let node: unknown = document.contents;
    let line: number | null = null;
    for (const step of at) {
      const pair = isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
        : undefined;
      const offset = (pair?.key as Node | undefined)?.range?.[0];
      if (pair === undefined || offset === undefined) return line;
      line = lines.linePos(offset).line;
      node = pair.value;
    }
    return line;
  };
  return findings.map(({ at, message }) => ({
    name: at.map((step) => cleanLine(step, 60)).join("."),
    line: lineOf(at),
    message,
  })).sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
