/**
 * The index of a copied working tree, told that the copies are the files that git has seen: what `git update-index
 * --refresh` does, without a process for each repository.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync } from "node:fs";
import { isAbsolute, join } from "@std/path";

/** Bytes before the first entry: a signature, a version, a number of entries. */
const HEADER = 12;
/** Bytes of a hash, which ends the file, too. */
const HASH = 20;
/** Where an entry has its hash, its flags, and its path when it has no more of them. */
const [HASH_AT, FLAGS_AT, PATH_AT] = [40, 60, 62];
const [ASSUMED_VALID, EXTENDED, STAGE] = [0x8000, 0x4000, 0x3000];
/** What a mode says of a file and of a link; of another repository it has no times to say. */
const KINDS = [0o100, 0o120];

/** Where the index of a working tree is. */
function indexOf(directory: string): string {
  const git = join(directory, ".git");
  if (Deno.lstatSync(git).isDirectory) return join(git, "index");
  const named = Deno.readTextFileSync(git).replace(/^gitdir: /, "").trim();
  return join(isAbsolute(named) ? named : join(directory, named), "index");
}

function sha1(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** Whether a file has the content whose hash stands in the index, unless git changes it on the way there. */
function hasContent(path: string, isLink: boolean, hash: Uint8Array): boolean {
  const content = isLink
    ? new TextEncoder().encode(Deno.readLinkSync(path))
    : Deno.readFileSync(path);
  return isSame(sha1(`blob ${content.length}\0`, content), hash);
}

function statOf(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return null;
  }
}

/** The index of a working tree, in memory. */
class Index {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Seconds; what was written then or later may have changed since without a trace. */
  readonly #writtenAt: number;

  constructor(readonly directory: string, path: string) {
    this.#bytes = Deno.readFileSync(path);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
    this.#writtenAt = Number(lstatSync(path, { bigint: true }).mtimeNs / 1_000_000_000n);
  }

  /** Whether it is of a kind that is understood here: not compressed, not divided, with hashes of the usual length. */
  isPlain(): boolean {
    const body = this.#bytes.subarray(0, -HASH);
    if (this.#bytes.length < HEADER + HASH) return false;
    if (![2, 3].includes(this.#view.getUint32(4))) return false;
    return isSame(sha1(body), this.#bytes.subarray(-HASH));
  }

  /** Brings the entries of files that are as they were up to date; answers the whole, or null when all were. */
  refreshed(): Uint8Array | null {
    let at = HEADER;
    let changed = false;
    for (let left = this.#view.getUint32(8); left > 0; left--) {
      const flags = this.#view.getUint16(at + FLAGS_AT);
      const from = at + PATH_AT + (flags & EXTENDED ? 2 : 0);
      const end = this.#bytes.indexOf(0, from);
      const path = new TextDecoder().decode(this.#bytes.subarray(from, end));
      if ((flags & (ASSUMED_VALID | STAGE)) === 0) changed = this.#refresh(at, path) || changed;
      // An entry ends with one to eight zeros, so that its length is a multiple of eight.
      at += Math.floor((end - at + 8) / 8) * 8;
    }
    if (!changed) return null;
    this.#bytes.set(sha1(this.#bytes.subarray(0, -HASH)), this.#bytes.length - HASH);
    return this.#bytes;
  }

  /** Brings one entry up to date; whether it was not. */
  #refresh(at: number, path: string): boolean {
    const kind = this.#view.getUint32(at + 24) >> 9;
    const stat = KINDS.includes(kind) ? statOf(join(this.directory, path)) : null;
    if (stat === null) return false;
    const low = (value: bigint) => Number(value & 0xffff_ffffn);
    const split = (ns: bigint) => [low(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)] as const;
    const [modified, size] = [this.#view.getUint32(at + 8), this.#view.getUint32(at + 36)];
    if (split(stat.mtimeNs)[0] !== modified || low(stat.size) !== size) return false;
    const numbers = [
      ...split(stat.ctimeNs),
      ...split(stat.mtimeNs),
      low(stat.dev),
      low(stat.ino),
    ];
    const hash = this.#bytes.subarray(at + HASH_AT, at + HASH_AT + HASH);
    const isSure = modified < this.#writtenAt ||
      hasContent(join(this.directory, path), kind === KINDS[1], hash);
    const same = isSure && numbers.every((value, n) => this.#view.getUint32(at + 4 * n) === value);
    if (same) return false;
    numbers.forEach((value, n) => this.#view.setUint32(at + 4 * n, value));
    // So git itself says that only the content can tell.
    if (!isSure) this.#view.setUint32(at + 36, 0);
    return true;
  }
}

/** Refreshes the index of a working tree; false where that is left to git. */
export function refreshIndex(directory: string): boolean {
  const path = indexOf(directory);
  if (statOf(path) === null) return true;
  const index = new Index(directory, path);
  if (!index.isPlain()) return false;
  const bytes = index.refreshed();
  if (bytes !== null) Deno.writeFileSync(path, bytes);
  return true;
}
