/** Writes the lines of one start of a shard (SHARD-3). */

import { hasher } from "../../base/hash.ts";
import { cutTo, type ItemEnd, type LineContent, MOST_BYTES, type ShardLine } from "./line.ts";
import { summaryOf } from "./summary.ts";

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

function fitting(content: LineContent): LineContent {
  if (content.type === "log") return { ...content, text: cutTo(content.text, MOST_TEXT) };
  if (content.type === "refused") return { ...content, why: cutTo(content.why, MOST_TEXT) };
  if (content.type !== "item") return content;
  const tail = content.tail.map((line) => cutTo(line, MOST_TAIL_LINE));
  return {
    ...content,
    tail,
    why: content.why === null ? null : cutTo(content.why, MOST_TAIL_LINE),
    ...(content.change !== undefined && "why" in content.change
      ? { change: { ...content.change, why: cutTo(content.change.why, MOST_TAIL_LINE) } }
      : {}),
  };
}
