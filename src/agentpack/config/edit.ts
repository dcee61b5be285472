/**
 * Edits `agentpack.yaml` where it stands: comments, unknown keys, and the way everything else is written stay
 * (PACK-6).
 *
 * Lists and maps in block style are edited as text. Where they are written in flow style, the document is
 * written anew by the YAML library, which keeps comments but may change white space.
 *
 * @module
 */

import type { Document, Pair, ParsedNode, YAMLMap, YAMLSeq } from "yaml";
import { configInvalid } from "../error.ts";
import type { ModuleSource } from "./config.ts";
import type { ModuleType } from "../names.ts";

/** A module to be added. */
export interface NewModule {
  readonly id: string;
  readonly type: ModuleType;
  readonly tags: readonly string[];
  readonly targets: readonly string[];
  readonly source: ModuleSource;
}

type Yaml = typeof import("./yaml.ts");
type Seq = YAMLSeq<unknown>;

const RESERVED_WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text as a YAML scalar: plain when nothing could take it for something else. */
function scalar(text: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !RESERVED_WORDS.test(text);
  return plain ? text : JSON.stringify(text);
}

function flowList(texts: readonly string[]): string {
  return `[${texts.map(scalar).join(", ")}]`;
}

function sourceLines(source: ModuleSource): string[] {
  if (source.kind === "local") {
    return ["source:", "  local_path:", `    path: ${scalar(source.path)}`];
  }
  return [
    "source:",
    "  git:",
    `    url: ${scalar(source.url)}`,
    ...(source.ref === "main" ? [] : [`    ref: ${scalar(source.ref)}`]),
    ...(source.subdir === "" ? [] : [`    subdir: ${scalar(source.subdir)}`]),
    ...(source.shallow ? [] : ["    shallow: false"]),
  ];
}

function moduleLines(module: NewModule): string[] {
  const [first = "", ...others] = [
    `id: ${JSON.stringify(module.id)}`,
    `type: ${module.type}`,
    ...(module.tags.length === 0 ? [] : [`tags: ${flowList(module.tags)}`]),
    ...(module.targets.length === 0 ? [] : [`targets: ${flowList(module.targets)}`]),
    ...sourceLines(module.source),
  ];
  return [`- ${first}`, ...others.map((line) => `  ${line}`)];
}

/** Where a node's own content ends: at its last scalar, so that comments behind it do not count. */
function contentEnd(yaml: Yaml, node: unknown): number {
  if (yaml.isMap(node) || yaml.isSeq(node)) {
    const last = node.items[node.items.length - 1];
    const inner = yaml.isPair(last) ? last.value ?? last.key : last;
    const isBlock = node.flow !== true;
    if (isBlock && inner !== undefined && inner !== null) return contentEnd(yaml, inner);
  }
  return yaml.isNode(node) ? node.range?.[1] ?? 0 : 0;
}

function lineEnd(text: string, at: number): number {
  // A block scalar ends behind its last newline already.
  if (at > 0 && text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** Puts lines behind a place, with whatever newline is missing before them. */
function insertLines(text: string, at: number, indent: string, lines: readonly string[]): string {
  const before = text.slice(0, at);
  const separator = before === "" || before.endsWith("\n") ? "" : "\n";
  const block = lines.map((line) => `${indent}${line}\n`).join("");
  return `${before}${separator}${block}${text.slice(at)}`;
}

function pairOf(yaml: Yaml, document: Document.Parsed, key: string): Pair | null {
  const { contents } = document;
  if (!yaml.isMap(contents)) return null;
  const map: YAMLMap<ParsedNode, ParsedNode | null> = contents;
  return map.items.find((pair) => yaml.isScalar(pair.key) && pair.key.value === key) ?? null;
}

function isEmptyValue(yaml: Yaml, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (yaml.isScalar(value)) return value.value === null;
  return (yaml.isSeq(value) || yaml.isMap(value)) && value.items.length === 0;
}

/** Adds entries in block style below a key of the document, which may be missing, empty or have entries. */
function appendBelow(
  yaml: Yaml,
  text: string,
  key: string,
  lines: readonly string[],
): string | null {
  const document = yaml.parseDocument(text);
  const pair = pairOf(yaml, document, key);
  if (pair === null) {
    return insertLines(text, text.length, "", [
      `${key}:`,
      ...lines.map((line) => `  ${line}`),
    ]);
  }
  const { value } = pair;
  if (isEmptyValue(yaml, value)) {
    const keyNode: unknown = pair.key;
    const keyEnd = yaml.isNode(keyNode) ? keyNode.range?.[1] ?? 0 : 0;
    const [from = 0, to = 0] = yaml.isNode(value) ? value.range ?? [] : [];
    const hasText = to > from && from > keyEnd;
    const cut = hasText ? text.slice(0, from).replace(/[ \t]+$/, "") + text.slice(to) : text;
    return insertLines(cut, lineEnd(cut, keyEnd), "  ", lines);
  }
  if ((!yaml.isSeq(value) && !yaml.isMap(value)) || value.flow === true) return null;
  const start = value.range?.[0] ?? 0;
  const indent = " ".repeat(start - lineStart(text, start));
  return insertLines(text, lineEnd(text, contentEnd(yaml, value)), indent, lines);
}

/** Appends modules at the end of `modules`. */
export async function addModules(text: string, modules: readonly NewModule[]): Promise<string> {
  const yaml = await import("./yaml.ts");
  let edited = text;
  for (const module of modules) {
    edited = appendBelow(yaml, edited, "modules", moduleLines(module)) ??
      rewritten(yaml, edited, (document) => {
        const list: unknown = yaml.parse(moduleLines(module).join("\n"));
        const [added] = Array.isArray(list) ? list : [];
        document.addIn(["modules"], document.createNode(added));
      });
  }
  return edited;
}

/** Adds a profile with tags to `profiles`. */
export async function addProfile(
  text: string,
  name: string,
  includeTags: readonly string[],
): Promise<string> {
  const yaml = await import("./yaml.ts");
  const lines = [`${scalar(name)}:`, `  include_tags: ${flowList(includeTags)}`];
  return appendBelow(yaml, text, "profiles", lines) ??
    rewritten(yaml, text, (document) => {
      document.setIn(["profiles", name], document.createNode({ include_tags: includeTags }));
    });
}

function rewritten(
  yaml: Yaml,
  text: string,
  edit: (document: Document.Parsed) => void,
): string {
  const document = yaml.parseDocument(text);
  edit(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] /.test(text) });
}

function indexOfModule(yaml: Yaml, seq: Seq, id: string): number {
  return seq.items.findIndex((item) => yaml.isMap(item) && item.get("id") === id);
}

/**
 * Takes a module out of `modules`, with the comment lines right above it. Throws `E_CONFIG_INVALID` when
 * there is no such module.
 */
export async function removeModule(text: string, id: string): Promise<string> {
  const yaml = await import("./yaml.ts");
  const document = yaml.parseDocument(text, { keepSourceTokens: true });
  const seq = pairOf(yaml, document, "modules")?.value;
  const index = yaml.isSeq(seq) ? indexOfModule(yaml, seq, id) : -1;
  if (!yaml.isSeq(seq) || index < 0) {
    throw configInvalid(`There is no module "${id}"`, {
      module_id: id,
      hint: "agentpack.yaml lists the modules; make one with add TYPE SOURCE",
    });
  }
  const token = seq.srcToken;
  if (token?.type !== "block-seq" || seq.items.length === 1) {
    return rewrittenWithout(yaml, text, seq, index);
  }
  const dash = token.items[index]?.start.find((one) => one.type === "seq-item-ind");
  if (dash === undefined) return rewrittenWithout(yaml, text, seq, index);
  let from = lineStart(text, dash.offset);
  for (
    let above = lineStart(text, from - 1);
    from > 0 && /^[ \t]*#/.test(text.slice(above, from));
    above = lineStart(text, from - 1)
  ) from = above;
  const to = lineEnd(text, contentEnd(yaml, seq.items[index]));
  // The first entry may stand below comments about the whole list; those stay.
  const start = index === 0 ? lineStart(text, dash.offset) : from;
  return text.slice(0, start) + text.slice(to);
}

function rewrittenWithout(yaml: Yaml, text: string, seq: Seq, index: number): string {
  const range = seq.range;
  if (seq.items.length === 1 && range && seq.flow !== true) {
    const start = lineStart(text, range[0]);
    const end = lineEnd(text, contentEnd(yaml, seq.items[0]));
    const head = text.slice(0, start);
    const key = head.lastIndexOf("modules:") + "modules:".length;
    return `${head.slice(0, key)} []${head.slice(key)}${text.slice(end)}`;
  }
  return rewritten(yaml, text, (document) => void document.deleteIn(["modules", index]));
}
