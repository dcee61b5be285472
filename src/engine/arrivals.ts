/** What shards send home in pieces, put together again (SHARD-7). */

import { Buffer } from "node:buffer";
import { join } from "@std/path";
import { sha256 } from "../base/hash.ts";
import { type Sha, sha } from "../base/ids.ts";
import { isSame } from "../base/policy/same.ts";
import type { Files } from "../base/system/mod.ts";
import type { ShardLine } from "./shard/line.ts";

/** What arrives piece by piece. */
interface Coming {
  readonly hash: string;
  readonly of: number;
  readonly pieces: string[];
  bytes: number;
}

/** Puts pieces together again. Whole packs are written down at once, so that none stays in memory. */
export class Arrivals {
  readonly #files: Files;
  readonly #directory: string;
  readonly #most: number;
  /** By the start of the shard that sends: it sends one after the other. */
  readonly #coming = new Map<string, Coming>();
  /** Why what has arrived under a hash could not be written down. */
  readonly #failed = new Map<string, unknown>();

  /** What has more bytes than `most` is none. */
  constructor(files: Files, directory: string, most: number) {
    this.#files = files;
    this.#directory = join(directory, "arrived");
    this.#most = most;
  }

  /**
   * Takes a line of a shard; what is no piece, or none that fits, is left alone. Who waits for it has no more in memory
   * than what is not whole yet.
   */
  async take(line: ShardLine): Promise<void> {
    if (line.type !== "piece") return;
    const { shard, attempt, n, of, data } = line;
    const hash = String(line.sha256);
    const key = `${shard}.${attempt}`;
    if (n === 0 && /^[0-9a-f]{64}$/.test(hash) && Number.isSafeInteger(of)) {
      this.#coming.set(key, { hash, of, pieces: [], bytes: 0 });
    }
    const coming = this.#coming.get(key);
    if (coming === undefined || !isSame(coming.hash, hash) || coming.pieces.length !== n) return;
    coming.pieces.push(String(data));
    coming.bytes += String(data).length * 3 / 4;
    if (coming.bytes > this.#most + 3) this.#coming.delete(key);
    else if (coming.pieces.length === coming.of) {
      this.#coming.delete(key);
      await this.#keep(coming);
    }
  }

  async #keep({ hash, pieces }: Coming): Promise<void> {
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece, "base64")));
    if (!isSame(sha256(bytes), hash)) return;
    try {
      await this.#files.write(this.#path(hash), bytes, { mode: 0o600 });
      this.#failed.delete(hash);
    } catch (error) {
      // A failure here loses this bundle alone.
      this.#failed.set(hash, error);
    }
  }

  #path(hash: string): string {
    return join(this.#directory, `${hash}.pack`);
  }

  /** What has arrived under a hash; null where it has not, or not whole; and why it could not be kept, if it could not. */
  async get(hash: string): Promise<{ readonly pack: Uint8Array | null; readonly why?: unknown }> {
    if (this.#failed.has(hash)) return { pack: null, why: this.#failed.get(hash) };
    const known = /^[0-9a-f]{64}$/.test(hash);
    return { pack: known ? await this.#files.readBytes(this.#path(hash)) : null };
  }

  /** Forgets everything that has arrived. */
  async clear(): Promise<void> {
    await this.#files.removeTree(this.#directory);
  }
}

/** The name of an object as a shard told it; null for what is none. */
export function shaOf(text: string): Sha | null {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? sha(text) : null;
}
