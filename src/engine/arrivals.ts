/** What shards send home in pieces, put together again (SHARD-7). */

import { Buffer } from "node:buffer";
import { join } from "@std/path";
import { sha256 } from "../base/hash.ts";
import { type Sha, sha } from "../base/ids.ts";
import { isSame } from "../base/policy/consent.ts";
import type { Files } from "../base/system/mod.ts";
import type { ShardLine } from "./shard/line.ts";
import type { ArrayLeft } from "../contract/mod.ts";
import type { LeftPlace } from "../runs/mod.ts";
import type { RunRecord } from "../state/store/mod.ts";
import { endArray } from "./array.ts";
import { submittedItems } from "./plan/plan.ts";
import { type SubmissionRecord, Submissions } from "./record.ts";

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

// The arrays of runs whose process is gone: their engines go on with them until somebody ends them (ENGINE-7).

async function recordOf(at: LeftPlace, run: string): Promise<SubmissionRecord | null> {
  const record = await new Submissions(at.system.files, at.layout).get(run);
  return record === null || record.phase === "settled" ? null : record;
}

/** The array of a run that its engine may still work on, or null. */
export async function arrayOf(
  at: LeftPlace,
  run: string,
): Promise<{ readonly engine: string } | null> {
  const record = await recordOf(at, run);
  return record === null ? null : { engine: record.profile.name };
}

/**
 * Ends what an engine still does for a run that has ended, and notes in the log of that run which repositories
 * had ended well. Null where there is nothing. Throws `engine_unavailable` where the engine cannot be reached.
 */
export async function endLeftArray(at: LeftPlace, run: RunRecord): Promise<ArrayLeft | null> {
  const { system, layout } = at;
  const record = await recordOf(at, run.runId);
  if (record === null) return null;
  const { events } = await at.store();
  const submissions = new Submissions(system.files, layout);
  const repos = submittedItems(await submissions.plan(run.runId));
  const good = new Set<string>();
  const { confirmed, unreachable } = await endArray({
    system,
    submissions,
    record,
    line(line) {
      const repo = line.type === "item" && line.state === "ok" ? repos[line.i] : undefined;
      if (repo !== undefined) good.add(repo.repo);
    },
  });
  const now = system.clock.now();
  events.append(
    run.runId,
    [...good].toSorted().map((repo) => ({
      at: now,
      level: "info" as const,
      type: "repo" as const,
      message: `${repo}: ok`,
      payload: { repo, outcome: "ok" },
    })),
  );
  return { engine: record.profile.name, confirmed, unreachable };
}
