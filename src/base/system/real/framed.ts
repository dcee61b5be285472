/** A stream in which the answers of one call after the other stand, each ended by a line that nobody can guess. */

const NEWLINE = 0x0a;
/** The bytes that there is room for at first. */
const ROOM = 16 * 1024;

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
  /** What was read and belongs to no answer yet is what stands in it from `#from` to `#to`. */
  #buffer = new Uint8Array(ROOM);
  #from = 0;
  #to = 0;
  /** Whether an answer had no end: what follows could be the rest of it, and is the answer to nothing. */
  #isLost = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /**
   * Reads up to the line that begins with `head`. More than `limit` bytes are not waited for, and after such an answer
   * there is no other. What stands behind that line is for the next call of this.
   */
  async until(head: string, limit: number): Promise<Frame> {
    if (this.#isLost) return { bytes: new Uint8Array(), end: null };
    const mark = new TextEncoder().encode(`\n${head}`);
    for (let seen = 0;;) {
      const data = this.#buffer.subarray(this.#from, this.#to);
      const at = find(data, mark, seen);
      const close = at < 0 ? -1 : data.indexOf(NEWLINE, at + mark.length);
      if (close >= 0) {
        this.#from += close + 1;
        const end = new TextDecoder().decode(data.subarray(at + mark.length, close));
        return { bytes: data.slice(0, at), end };
      }
      // A mark that begins in these bytes may end in the next.
      seen = at < 0 ? Math.max(0, data.length - mark.length) : at;
      const value = data.length > limit ? null : await this.#next();
      if (value === null) {
        this.#isLost = true;
        return { bytes: data.slice(), end: null };
      }
      this.#add(value);
    }
  }

  /** Gives up on what somebody else holds open: whoever waits for it gets what there is. */
  abandon(): void {
    void this.#reader.cancel().catch(() => {});
  }

  #add(value: Uint8Array): void {
    const length = this.#to - this.#from;
    if (this.#to + value.length > this.#buffer.length) {
      const room = Math.max(this.#buffer.length, 2 * (length + value.length));
      const moved = new Uint8Array(room);
      moved.set(this.#buffer.subarray(this.#from, this.#to));
      [this.#buffer, this.#from, this.#to] = [moved, 0, length];
    }
    this.#buffer.set(value, this.#to);
    this.#to += value.length;
  }

  async #next(): Promise<Uint8Array | null> {
    try {
      return (await this.#reader.read()).value ?? null;
    } catch {
      return null;
    }
  }
}

/** Where a newline and what follows it stand in some bytes, from a position on; -1 where nowhere. */
function find(data: Uint8Array, mark: Uint8Array, from: number): number {
  for (let at = data.indexOf(NEWLINE, from); at >= 0; at = data.indexOf(NEWLINE, at + 1)) {
    if (at + mark.length > data.length) return -1;
    let same = 1;
    while (same < mark.length && data[at + same] === mark[same]) same++;
    if (same === mark.length) return at;
  }
  return -1;
}
