/**
 * The ends of items, reported a moment late (ENGINE-10). An engine that ends a shard may signal all its
 * processes at once, and a program may obey before the shard has noticed. What it leaves then can look like a
 * good end.
 */

import type { Clock } from "../../base/system/mod.ts";
import { TIME_IS_OVER } from "./item.ts";
import { type ItemEnd, type LineContent, MOST_BYTES, type ShardLine } from "./line.ts";
import { hasher } from "../../base/hash.ts";
import { fieldsOf, isObject, jsonIn } from "../../base/object.ts";

// Writes the lines of one start of a shard (SHARD-3).

interface ShardPlace {
  readonly run: string;
  readonly shard: number;
  readonly attempt: string;
}

/** How much of a line is for texts of programs. */
const MOST_TEXT = MOST_BYTES - 400;

const MOST_TAIL_LINE = 300;

/** Writes lines in their order. */
export class LineWriter {
  readonly #place: ShardPlace;
  readonly #out: (line: string) => void;
  readonly #digest = hasher("sha256");
  readonly #ends: ItemEnd[] = [];
  #refused: string | null = null;
  #seq = 0;

  constructor(place: ShardPlace, out: (line: string) => void) {
    this.#place = place;
    this.#out = out;
  }

  /** Writes what a line says; texts of programs are cut where it would be too long. */
  write(content: LineContent): void {
    if (content.type === "item") this.#ends.push(content);
    if (content.type === "refused") this.#refused = content.why;
    const text = this.#text(content);
    this.#digest.update(text);
    this.#out(text);
  }

  /** Writes the last line. */
  end(exit: number): void {
    this.#out(this.#text({ type: "end", exit, sha256: this.#digest.digest("hex") }));
  }

  /** What was written, in few bytes. */
  summary(exit: number): string {
    return summaryOf(this.#place, { exit, ends: this.#ends, refused: this.#refused });
  }

  #text(content: LineContent): string {
    const line: ShardLine = { amof: 1, ...this.#place, seq: this.#seq++, ...fitting(content) };
    return `${JSON.stringify(line)}\n`;
  }
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/** Cuts a text so that it has at most so many bytes inside of JSON. */
function truncateTo(text: string, bytes: number): string {
  if (bytesOf(JSON.stringify(text)) <= bytes) return text;
  const mark = "…";
  let most = Math.min(text.length, bytes);
  while (most > 0 && bytesOf(JSON.stringify(text.slice(0, most) + mark)) > bytes) {
    most = Math.floor(most * 0.9);
  }
  return text.slice(0, most) + mark;
}

function fitting(content: LineContent): LineContent {
  if (content.type === "log") return { ...content, text: truncateTo(content.text, MOST_TEXT) };
  if (content.type === "refused") return { ...content, why: truncateTo(content.why, MOST_TEXT) };
  if (content.type !== "item") return content;
  const tail = content.tail.map((line) => truncateTo(line, MOST_TAIL_LINE));
  return {
    ...content,
    tail,
    why: content.why === null ? null : truncateTo(content.why, MOST_TAIL_LINE),
    ...(content.change !== undefined && "why" in content.change
      ? { change: { ...content.change, why: truncateTo(content.change.why, MOST_TAIL_LINE) } }
      : {}),
  };
}

/** How long an end is held, in milliseconds. Nothing waits for it but the end of the shard. */
const HELD_MS = 200;

/** The states that come of processes, which whoever ends the shard may have ended. */
const OF_PROCESSES: ReadonlySet<ItemEnd["state"]> = new Set(["ok", "failed", "unreachable"]);

/** Tells how items ended. */
export class Ends {
  readonly #writer: Pick<LineWriter, "write">;
  readonly #clock: Pick<Clock, "sleep">;
  readonly #signal: AbortSignal;
  readonly #told: ItemEnd[] = [];
  readonly #held: Promise<void>[] = [];

  /** `signal` ends the shard; its reason tells whether its time is over. */
  constructor(
    writer: Pick<LineWriter, "write">,
    clock: Pick<Clock, "sleep">,
    signal: AbortSignal,
  ) {
    this.#writer = writer;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Takes what an earlier start of the shard has told. */
  known(end: ItemEnd): void {
    this.#told.push(end);
  }

  /** Takes an end, which is told soon. */
  add(end: ItemEnd): void {
    this.#held.push(this.#tell(end));
  }

  async #tell(end: ItemEnd): Promise<void> {
    if (OF_PROCESSES.has(end.state)) await this.#clock.sleep(HELD_MS, this.#signal);
    const told = this.#isEnded() ? cancelled(end) : end;
    this.#writer.write({ type: "item", ...told });
    this.#told.push(told);
  }

  /** Whether the shard was ended from outside: what its own clock ends, it ends itself, and knows. */
  #isEnded(): boolean {
    return this.#signal.aborted && this.#signal.reason !== TIME_IS_OVER;
  }

  /** All ends, when they are told. */
  async all(): Promise<readonly ItemEnd[]> {
    await Promise.all(this.#held);
    return this.#told;
  }
}

/** What an end is worth when the shard was told to end in the same moment. */
function cancelled(end: ItemEnd): ItemEnd {
  if (!OF_PROCESSES.has(end.state)) return end;
  const { change, ...rest } = end;
  return {
    ...rest,
    state: "cancelled",
    why: "its shard was told to end as it ended",
    // The one commit of a campaign would be pushed, and may be half of a change; what an agent did only comes home.
    ...(change === undefined || change.made === "commit" ? {} : { change }),
  };
}

// How a shard ended, in few bytes: for engines that keep little of it (SHARD-6).

/** An engine keeps so many bytes. */
const SUMMARY_BYTES = 4_000;

/** States by their letters. */
const LETTERS = {
  o: "ok",
  f: "failed",
  t: "timed_out",
  r: "refused",
  u: "unreachable",
  d: "deferred",
  c: "cancelled",
} as const satisfies Record<string, ItemEnd["state"]>;

function letterOf(state: ItemEnd["state"]): string {
  return Object.entries(LETTERS).find(([, name]) => name === state)?.[0] ?? "f";
}

/** What is kept of the end of a shard: as many items as there is room for, those that did not end well first. */
export function summaryOf(
  place: Pick<ShardLine, "run" | "shard" | "attempt">,
  { exit, ends, refused }: {
    readonly exit: number;
    readonly ends: readonly ItemEnd[];
    /** Why the plan was refused, or null. */
    readonly refused: string | null;
  },
): string {
  const items = ends.toSorted((a, b) => Number(a.state === "ok") - Number(b.state === "ok"))
    .map(({ i, state, exit_code }) => [i, letterOf(state), exit_code ?? -1]);
  for (let kept = items.length;; kept = Math.floor(kept * 0.9)) {
    const why = refused === null ? {} : { why: refused.slice(0, 500) };
    const text = JSON.stringify({ amof: 1, ...place, exit, ...why, items: items.slice(0, kept) });
    if (text.length <= SUMMARY_BYTES || kept === 0) return text;
  }
}

/** The lines a summary stands for; none for anything else. Names of repositories are not kept. */
export function linesOfSummary(text: string, run: string, shard: number): readonly ShardLine[] {
  const found = jsonIn(text);
  if (!isObject(found) || found["amof"] !== 1) return [];
  if (found["run"] !== run || found["shard"] !== shard) return [];
  const { attempt, exit, why, items } = fieldsOf(found);
  const place = { amof: 1 as const, run, shard, attempt: String(attempt), seq: -1 };
  const ends = (Array.isArray(items) ? items : []).flatMap((item): ShardLine[] => {
    const [i, letter, code] = Array.isArray(item) ? item : [];
    const state = Object.entries(LETTERS).find(([one]) => one === letter)?.[1];
    if (typeof i !== "number" || state === undefined) return [];
    const exit_code = typeof code === "number" && code >= 0 ? code : null;
    const rest = { signal: null, seconds: 0, why: null, commit: null, tail: [] };
    return [{ ...place, type: "item", i, repo: "", state, exit_code, ...rest }];
  });
  return [
    ...(typeof why === "string" ? [{ ...place, type: "refused" as const, why }] : []),
    ...ends,
    { ...place, type: "end", exit: Number(exit), sha256: "" },
  ];
}
