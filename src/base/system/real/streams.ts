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
