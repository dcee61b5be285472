/** Contents of files: bytes, or for large ones where they are, so that a large file is never in memory as a whole. */

import { sha256 } from "../../base/hash.ts";
import type { Files } from "../../base/system/mod.ts";
import { decodeText, sameBytes } from "./bytes.ts";
import { AgentpackError } from "./error.ts";

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
  if (!(content instanceof Uint8Array)) return content.sha256;
  const known = hashes.get(content);
  if (known !== undefined) return known;
  const hash = sha256(content);
  hashes.set(content, hash);
  return hash;
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
