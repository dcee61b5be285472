/** What goes into a program and comes out of it. */

import type { ProcessRequest } from "../mod.ts";

/** A line longer than this is delivered in pieces, so that a stream without newlines cannot fill memory. */
const LONGEST = 64 * 1024;
/**
 * A line that is written over again and again is delivered at most this often, in milliseconds: each second for whoever
 * watches, and later less often, because logs keep it.
 */
const PROGRESS_MS = 1_000;
const LATER_MS = 5_000;

/** Takes text as it arrives and calls back for each line. */
interface LineCutter {
  feed(text: string): void;
  /** Delivers what is left, which no newline ended. */
  end(): void;
}

/**
 * Makes a cutter. A carriage return begins the line again, as progress displays do: of such a burst only the last
 * text is delivered, and while it goes on one every second, later every 5 seconds. `now` answers milliseconds.
 */
export function lineCutter(onLine: (line: string) => void, now: () => number): LineCutter {
  let pending = "";
  /** What a carriage return ended and nothing has written over yet. */
  let shown: string | null = null;
  const begun = now();
  let lastProgress = begun;
  const deliver = (line: string) => {
    shown = null;
    onLine(line);
  };
  const overwrite = (text: string) => {
    if (text.trim() !== "") shown = text;
    const at = now();
    const pause = lastProgress - begun < LATER_MS ? PROGRESS_MS : LATER_MS;
    if (shown === null || at - lastProgress < pause) return;
    lastProgress = at;
    deliver(shown);
  };
  return {
    feed(text) {
      pending += text;
      let begin = 0;
      // A carriage return at the very end may be the first half of a line end.
      for (const match of pending.matchAll(/\r?\n|\r(?=[^])/g)) {
        const line = pending.slice(begin, match.index);
        begin = match.index + match[0].length;
        if (match[0] === "\r") overwrite(line);
        else deliver(line === "" && shown !== null ? shown : line);
      }
      pending = pending.slice(begin);
      if (pending.length > LONGEST) {
        deliver(pending);
        pending = "";
      }
    },
    end() {
      const rest = pending.replace(/\r$/, "");
      pending = "";
      if (rest !== "") deliver(rest);
      else if (shown !== null) deliver(shown);
    },
  };
}

/** What one stream of a program gave. */
export interface Collected {
  readonly text: string;
  readonly bytes: Uint8Array | null;
  readonly truncated: boolean;
}

interface Collecting {
  /** How many bytes are kept. */
  readonly limit: number;
  /** Stops reading; what was read so far is the answer. */
  readonly stop: AbortSignal;
  readonly onLine: ((line: string) => void) | undefined;
  /** Told whenever something came. */
  readonly onBytes: () => void;
  /** Whether the bytes themselves are kept, besides the text. */
  readonly binary: boolean;
}

/** Reads a stream to its end. */
export async function collect(
  stream: ReadableStream<Uint8Array>,
  { limit, stop, onLine, onBytes, binary }: Collecting,
): Promise<Collected> {
  const reader = stream.getReader();
  const abandon = () => void reader.cancel().catch(() => {});
  stop.addEventListener("abort", abandon, { once: true });
  // The kept output is cut by bytes, which may split a character; lines therefore need a decoder of their own.
  const decoder = new TextDecoder();
  const lines = new TextDecoder();
  const cutter = onLine === undefined ? null : lineCutter(onLine, () => performance.now());
  const parts: string[] = [];
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let truncated = false;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) break;
      onBytes();
      cutter?.feed(lines.decode(value, { stream: true }));
      const room = Math.max(0, limit - kept);
      const part = value.subarray(0, room);
      if (room > 0) parts.push(decoder.decode(part, { stream: true }));
      if (room > 0 && binary) chunks.push(part);
      kept += value.length;
      truncated ||= kept > limit;
    }
  } catch {
    // An abandoned stream ends here; what was read so far is the answer.
  } finally {
    stop.removeEventListener("abort", abandon);
  }
  parts.push(decoder.decode());
  cutter?.feed(lines.decode());
  cutter?.end();
  return { text: parts.join(""), bytes: binary ? joined(chunks) : null, truncated };
}

/** Pieces of a stream as one. */
function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Gives a program its input; answers why that input could not be had, or null. */
export async function feed(
  stdin: WritableStream<Uint8Array>,
  input: NonNullable<ProcessRequest["stdin"]>,
): Promise<{ readonly error: unknown } | null> {
  const writer = stdin.getWriter();
  // A program that ends without reading its input is not an error of ours.
  const write = (bytes: Uint8Array) => writer.write(bytes).then(() => true, () => false);
  try {
    if (typeof input === "string") await write(new TextEncoder().encode(input));
    else if (input instanceof Uint8Array) await write(input);
    else for await (const bytes of input) if (!await write(bytes)) break;
  } catch (error) {
    return { error };
  }
  await writer.close().catch(() => {});
  return null;
}
