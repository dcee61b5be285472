/** What goes into a program and comes out of it. */

import type { ProcessRequest } from "../mod.ts";
import { lineCutter } from "./lines.ts";

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
