/**
 * A rule file of Cursor: a head that says when the rule applies, and the rule below it (PACK-25).
 *
 * Cursor reads the head line by line and not as YAML, in which `globs: *.ts` would mean something else; so does this.
 */

import { splitLines } from "../../../base/text/diff/lines.ts";
import { withoutMark } from "../bytes.ts";

/** What the head of a rule says; what it leaves out is empty or false. */
interface RuleFacts {
  readonly description: string;
  readonly globs: readonly string[];
  readonly alwaysApply: boolean;
}

function isFence(line: string | undefined): boolean {
  return line?.trimEnd() === "---";
}

/** Cuts a rule file behind its head and the empty line below that; the head is empty where there is none. */
export function cutRule(text: string): { readonly head: string; readonly body: string } {
  const lines = splitLines(text);
  const end = isFence(withoutMark(lines[0] ?? ""))
    ? lines.findIndex((line, at) => at > 0 && isFence(line))
    : -1;
  const cut = end < 0 ? 0 : lines[end + 1]?.trim() === "" ? end + 2 : end + 1;
  return { head: lines.slice(0, cut).join(""), body: lines.slice(cut).join("") };
}

function unquoted(text: string): string {
  if (/^'.*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/.test(text)) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

/** Globs out of one text: separated by commas, but for those inside braces. */
export function splitGlobs(text: string): string[] {
  const globs: string[] = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "{") depth++;
    if (char === "}" && depth > 0) depth--;
    if (char === "," && depth === 0) globs.push("");
    else globs.push(`${globs.pop() ?? ""}${char}`);
  }
  return cleanGlobs(globs);
}

function cleanGlobs(globs: readonly string[]): string[] {
  return globs.map((glob) => unquoted(glob.trim()).trim()).filter((glob) => glob !== "");
}

function globsIn([first = "", ...below]: readonly string[]): string[] {
  if (first === "") return cleanGlobs(below.map((line) => line.replace(/^-\s*/, "")));
  const text = [first, ...below].join(" ");
  const flow = /^\[(.*)\]$/.exec(text)?.[1];
  if (flow === undefined) return splitGlobs(unquoted(text));
  try {
    return cleanGlobs((JSON.parse(text) as unknown[]).map(String));
  } catch {
    return splitGlobs(flow);
  }
}

/** What a head says. */
export function ruleFacts(head: string): RuleFacts {
  const fields = new Map<string, string[]>();
  let last: string[] = [];
  for (const line of splitLines(head).slice(1)) {
    if (isFence(line)) break;
    const [, name, value] = /^([A-Za-z]\w*):(?:\s+(.*))?$/.exec(line.trimEnd()) ?? [];
    if (name !== undefined) {
      last = [value?.trim() ?? ""];
      fields.set(name, last);
    } else if (line.trim() !== "") last.push(line.trim());
  }
  const described = fields.get("description") ?? [];
  const lines = /^[>|][+-]?$/.test(described[0] ?? "") ? described.slice(1) : described;
  return {
    description: unquoted(lines.join(" ").trim()),
    globs: globsIn(fields.get("globs") ?? []),
    alwaysApply: /^true$/i.test(fields.get("alwaysApply")?.[0] ?? ""),
  };
}

/** The head that says this, with the empty line below it. Globs are left out where the rule always applies. */
export function ruleHead({ description, globs, alwaysApply }: RuleFacts): string {
  return [
    "---",
    `description: ${JSON.stringify(description)}`,
    `globs: ${JSON.stringify(alwaysApply ? [] : globs)}`,
    `alwaysApply: ${alwaysApply}`,
    "---",
    "",
    "",
  ].join("\n");
}

/** Whether two heads say the same. */
export function sameFacts(a: RuleFacts, b: RuleFacts): boolean {
  return a.description === b.description && a.alwaysApply === b.alwaysApply &&
    a.globs.length === b.globs.length && a.globs.every((glob, at) => glob === b.globs[at]);
}
