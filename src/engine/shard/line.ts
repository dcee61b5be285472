/** The lines by which a shard tells what it does: JSON, one object each (SHARD-3). */

import { join } from "@std/path";
import { isObject, jsonIn } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";

/** What became of what a program changed (SHARD-7). */
export type ShardChange =
  /** `note` says what stayed there nevertheless. */
  | { readonly made: "nothing"; readonly note?: string }
  /** Its paths, or their number, keep it there; `why` says which. */
  | { readonly made: "held_back" | "too_large"; readonly why: string }
  | {
    readonly made: "commit";
    readonly commit: string;
    /** Of its pack, hexadecimal, as those of its pieces name it. */
    readonly sha256: string;
    readonly bytes: number;
  }
  /** Commits on the one that was agreed to, the last one of `commit`, in one pack (SHARD-8). */
  | {
    readonly made: "commits";
    readonly commit: string;
    readonly sha256: string;
    readonly bytes: number;
    /** What did not come along as it was; empty where everything did. */
    readonly note: string;
  }
  /** git cannot read what the program has left there; `why` says more. */
  | { readonly made: "unreadable"; readonly why: string };

/** A piece of something that is sent home. */
export interface Piece {
  /** Of the whole, hexadecimal. */
  readonly sha256: string;
  /** From 0. */
  readonly n: number;
  /** How many pieces there are. */
  readonly of: number;
  /** Bytes as base64. */
  readonly data: string;
}

/** How the work on one item ended; `deferred` where its host takes no more requests for now. */
export interface ItemEnd {
  /** Its number in the plan. */
  readonly i: number;
  readonly repo: string;
  readonly state:
    | "ok"
    | "failed"
    | "timed_out"
    | "refused"
    | "unreachable"
    | "deferred"
    | "cancelled";
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly seconds: number;
  /** Why it could not be worked on, or could not be started; null where it was. */
  readonly why: string | null;
  /** The commit it was done on; null where there was none. */
  readonly commit: string | null;
  /** Last lines, masked. */
  readonly tail: readonly string[];
  /** What became of what it changed; absent where nothing of it is kept. */
  readonly change?: ShardChange;
}

/** What a line says. */
export type LineContent =
  | {
    readonly type: "start";
    readonly plan: string;
    readonly version: string;
    readonly node: string;
  }
  | { readonly type: "begin"; readonly i: number; readonly repo: string }
  | ({ readonly type: "item" } & ItemEnd)
  | ({ readonly type: "piece"; readonly i: number; readonly repo: string } & Piece)
  | {
    readonly type: "log";
    readonly i: number;
    readonly repo: string;
    readonly stream: "stdout" | "stderr";
    readonly text: string;
  }
  /** Nothing was begun. */
  | { readonly type: "refused"; readonly why: string }
  | {
    readonly type: "end";
    readonly exit: number;
    /** Over all lines before it, hexadecimal: whether nothing is missing. */
    readonly sha256: string;
  };

/** A line with where it stands. */
export type ShardLine = LineContent & {
  readonly amof: 1;
  readonly run: string;
  readonly shard: number;
  /** Which of the starts of the shard: random, so that two that run at once are told apart. */
  readonly attempt: string;
  /** From 0, without gaps. */
  readonly seq: number;
};

/** What stands before the reason why a node that makes no box has run nothing. */
export const NO_BOX = "this node makes no box: ";

/** No line is longer, in bytes: what is shorter is written at once and never split by who collects it. */
export const MOST_BYTES = 4_000;

// Reads what shards have told, of all their starts (SHARD-5).

/** How much of a file is read at once, in bytes. */
const PIECE = 256 * 1024;
/** How much of one start of a shard is read at most, in bytes. */
const MOST = 64 * 1024 * 1024;

const FILE = /^(\d{1,6})\.([0-9a-f]{8})\.jsonl$/;

/** A line of a run, or null for anything else: what a program printed, or half a line. */
function lineOf(text: string, run: string, shard: number): ShardLine | null {
  if (text.length > 2 * MOST_BYTES) return null;
  const line = jsonIn(text);
  if (!isObject(line) || line["amof"] !== 1) return null;
  if (line["run"] !== run || line["shard"] !== shard) return null;
  return line as unknown as ShardLine;
}

/** The lines of a run in a text, in their order; nothing for what is none, and for half a line at its end. */
export function* linesIn(text: string, run: string, shard: number): Generator<ShardLine> {
  for (const one of text.split("\n")) {
    const line = one === "" ? null : lineOf(one, run, shard);
    if (line !== null) yield line;
  }
}

/** Reads what was added to the files of results since it was last asked. */
export class ResultFiles {
  readonly #system: System;
  readonly #directory: string;
  readonly #run: string;
  /** How far each file has been read, in bytes. */
  readonly #read = new Map<string, number>();

  constructor(system: System, directory: string, run: string) {
    this.#system = system;
    this.#directory = directory;
    this.#run = run;
  }

  /** The whole lines that are new, file by file, in their order; of all shards, or of those. */
  async *next(only: (shard: number) => boolean = () => true): AsyncGenerator<ShardLine> {
    for (const { name } of await this.#system.files.list(this.#directory)) {
      const shard = Number(FILE.exec(name)?.[1] ?? -1);
      if (shard >= 0 && only(shard)) yield* this.#nextOf(name, shard);
    }
  }

  async *#nextOf(name: string, shard: number): AsyncGenerator<ShardLine> {
    const path = join(this.#directory, name);
    const decoder = new TextDecoder();
    // Most files have nothing new most of the time, and room for a piece of each is much in all.
    const size = (await this.#system.files.stat(path))?.size ?? 0;
    if (size <= (this.#read.get(name) ?? 0)) return;
    for (let from = this.#read.get(name) ?? 0; from < Math.min(MOST, size);) {
      const piece = await this.#system.files.readPiece(path, from, Math.min(PIECE, size - from));
      const whole = piece === null ? 0 : piece.lastIndexOf(10) + 1;
      if (piece === null || whole === 0) return;
      yield* linesIn(decoder.decode(piece.subarray(0, whole)), this.#run, shard);
      from += whole;
      this.#read.set(name, from);
    }
  }
}

/** How good an end is: where starts of a shard differ, the best one counts. */
const RANK: Readonly<Record<ItemEnd["state"], number>> = {
  ok: 0,
  refused: 1,
  failed: 2,
  timed_out: 3,
  unreachable: 4,
  deferred: 5,
  cancelled: 6,
};

/** The better one of two ends of one item. */
export function better(one: ItemEnd | undefined, other: ItemEnd): ItemEnd {
  return one === undefined || RANK[other.state] < RANK[one.state] ? other : one;
}

/** How the items of a shard ended in earlier starts of it, by their numbers. */
export async function readResults(
  system: System,
  directory: string,
  { run, index }: { readonly run: string; readonly index: number },
): Promise<ReadonlyMap<number, ItemEnd>> {
  const ends = new Map<number, ItemEnd>();
  const files = new ResultFiles(system, directory, run);
  for await (const line of files.next((shard) => shard === index)) {
    if (line.type === "item") ends.set(line.i, better(ends.get(line.i), line));
  }
  return ends;
}
