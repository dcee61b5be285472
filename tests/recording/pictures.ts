/**
 * The pictures of the terminal in the README.
 *
 * @module
 */

import { animated, still } from "./svg.ts";
import { record, type Recording } from "./tape.ts";

const LABEL =
  "A terminal: amof status over six repositories, a ticket in two of them, a commit and a push, each shown before it is agreed to";

/** The screen on which somebody is asked before the first commit. */
function telling({ frames }: Recording): Recording["frames"][number] {
  const found = frames.find(({ lines }) =>
    lines.some((line) => line.some(({ text }) => /\[y\/N/.test(text)))
  );
  if (found === undefined) throw new Error("Nothing was asked");
  return found;
}

/** Both pictures by their names below `.github/pictures`. */
export async function recordedPictures(): Promise<ReadonlyMap<string, string>> {
  const recording = await record();
  return new Map([
    ["recording.svg", animated(recording, LABEL)],
    ["recording-still.svg", still(telling(recording), LABEL)],
  ]);
}
