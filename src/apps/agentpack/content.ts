/** Contents of files: bytes, or for large ones where they are, so that a large file is never in memory as a whole. */

import { sha256 } from "../../base/hash.ts";
import type { Files } from "../../base/system/mod.ts";
import { AgentpackError } from "./error.ts";

// File contents are bytes, and lists are sorted by bytes (PACK-42).

/** One for all: thousands of files are decoded in a call. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes as text, or null when they are not valid UTF-8. A byte order mark is kept. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** A text without its byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Text as UTF-8. */
export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Whether two contents are the same. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  // A plain loop, most of it over four bytes at a time: this runs over every byte that a change wrote.
  const inFours = a.byteOffset % 4 === 0 && b.byteOffset % 4 === 0 ? a.length >> 2 : 0;
  if (inFours > 0) {
    const left = new Int32Array(a.buffer, a.byteOffset, inFours);
    const right = new Int32Array(b.buffer, b.byteOffset, inFours);
    for (let index = 0; index < inFours; index++) if (left[index] !== right[index]) return false;
  }
  for (let index = inFours * 4; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** One content after the other. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A code unit in the order of code points: surrogates stand for characters above all others. */
function rank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit;
}

/** Orders texts as their UTF-8 bytes are ordered; the default order of strings is by UTF-16 units. */
export function compareBytes(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Orders paths component by component, each by its bytes: `a/b` comes before `a-b` (PACK-26). */
export function comparePaths(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    // A component that ends here is the beginning of the other one.
    if (left === SLASH) return -1;
    return right === SLASH ? 1 : rank(left) - rank(right);
  }
  return a.length - b.length;
}

const SLASH = "/".charCodeAt(0);

/** Orders by several keys, the first difference deciding. */
export function firstDifference(...orders: readonly number[]): number {
  return orders.find((order) => order !== 0) ?? 0;
}

/** Orders what is about files of targets: by target, then by path. */
export function byTargetAndPath(
  a: { readonly target: string; readonly path: string },
  b: { readonly target: string; readonly path: string },
): number {
  return compareBytes(a.target, b.target) || compareBytes(a.path, b.path);
}

/** From so many bytes on a file that is passed on as it is stays where it is. */
const LARGE_BYTES = 8 * 1024 * 1024;

/** A large file that is passed on as it is. */
interface LargeFile {
  /** Where it is. */
  readonly file: string;
  /** What it held when it was looked at. */
  readonly sha256: string;
}

/** What a file holds. */
export type Content = Uint8Array | LargeFile;

/** Whether a file is one to leave where it is; Markdown is read by this program itself, however large. */
function isLarge(path: string, size: number): boolean {
  return size >= LARGE_BYTES && !/\.mdc?$/i.test(path);
}

/** The bytes of a content; null for a large file. */
export function bytesOf(content: Content): Uint8Array | null {
  return content instanceof Uint8Array ? content : null;
}

/** The text of a content; null where it is none, or that of a large file. */
export function textOf(content: Content): string | null {
  return content instanceof Uint8Array ? decodeText(content) : null;
}

/** The bytes of a content, read where it is a large file. */
export async function wholeBytes(files: Files, content: Content): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  return await files.readBytes(content.file) ?? new Uint8Array();
}

/** Hashes of bytes, which nobody changes once they are a content: a change asks for them at every stage. */
const hashes = new WeakMap<Uint8Array, string>();

/** The SHA-256 of a content. */
export function hashOf(content: Content): string {
  return content instanceof Uint8Array
    ? hashes.getOrInsertComputed(content, sha256)
    : content.sha256;
}

/** Reads a file, or only hashes it where it is a large one; null when it does not exist. */
export async function readContent(
  files: Files,
  path: string,
  size?: number,
): Promise<Content | null> {
  if (size === undefined || !isLarge(path, size)) return await files.readBytes(path, size);
  const hash = await files.hash(path);
  return hash === null ? null : { file: path, sha256: hash };
}

/** Creates a file with a content. Throws `E_PLAN_STALE` when a large file is not any more what it was. */
export async function createFile(
  files: Files,
  path: string,
  content: Content,
  options: { readonly mode?: number; readonly flush?: boolean },
): Promise<void> {
  if (content instanceof Uint8Array) return await files.create(path, content, options);
  if (await files.copy(content.file, path, options) === content.sha256) return;
  await files.remove(path);
  throw new AgentpackError(
    "E_PLAN_STALE",
    `"${content.file}" changed since the plan was made; plan again`,
    { path: content.file },
  );
}

/** Whether a file holds exactly a content. */
export async function holds(files: Files, path: string, content: Content): Promise<boolean> {
  if (!(content instanceof Uint8Array)) return await files.hash(path) === content.sha256;
  const bytes = await files.readBytes(path);
  return bytes !== null && sameBytes(bytes, content);
}
