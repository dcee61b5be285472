/**
 * A stream in which the answers of one call after the other stand, each ended by a line that nobody can guess.
 *
 * @module
 */

import { joined } from "./streams.ts";

/** The longest that a line may be behind its beginning: a number, and a path in a shell's eyes. */
const MOST_BEHIND = 16 * 1024;

/** What was read of a call. */
export interface Frame {
  /** What stands before the line that ends it; all there is where there is none. */
  readonly bytes: Uint8Array;
  /** That line behind its beginning, without the newline; null where the stream ended before, or was too long. */
  readonly end: string | null;
}

/** Reads such a stream. */
export class Framed {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /**
   * Reads up to the line that begins with `head`, which nothing comes behind before the next call. More than `limit`
   * bytes are not waited for.
   */
  async until(head: string, limit: number): Promise<Frame> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    while (length <= limit) {
      const value = await this.#next();
      if (value === null) break;
      chunks.push(value);
      length += value.length;
      if (value.at(-1) !== 0x0a) continue;
      const frame = framed(chunks, head);
      if (frame !== null) return frame;
    }
    return { bytes: joined(chunks), end: null };
  }

  /** Gives up on what somebody else holds open: whoever waits for it gets what there is. */
  abandon(): void {
    void this.#reader.cancel().catch(() => {});
  }

  async #next(): Promise<Uint8Array | null> {
    try {
      return (await this.#reader.read()).value ?? null;
    } catch {
      return null;
    }
  }
}

/** The call that these bytes are the whole of, or null. */
function framed(chunks: readonly Uint8Array[], head: string): Frame | null {
  const tail = new TextDecoder().decode(last(chunks, MOST_BEHIND));
  const at = tail.lastIndexOf(`\n${head}`);
  if (at < 0) return null;
  const line = tail.slice(at);
  const all = joined(chunks);
  return {
    bytes: all.subarray(0, all.length - new TextEncoder().encode(line).length),
    end: line.slice(head.length + 1, -1),
  };
}

/** The last bytes of all, at most so many. */
function last(chunks: readonly Uint8Array[], most: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let room = most;
  for (const chunk of chunks.toReversed()) {
    if (room <= 0) break;
    const part = chunk.subarray(-room);
    parts.unshift(part);
    room -= part.length;
  }
  return joined(parts);
}
