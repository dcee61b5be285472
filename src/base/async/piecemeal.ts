/** Long computations in pieces, so that whoever shares the process has a turn between them. */

/** A computation that stops behind every item it has dealt with, and answers in the end. */
export type Pieces<T> = Generator<void, T>;

/** Where a computation stops: others have their turn there, or it throws because nobody waits for the answer. */
export type Pause = () => Promise<void>;

/** So many items are dealt with between two pauses. */
export const ITEMS_PER_TURN = 256;

/** Carries a computation out without a pause. */
export function atOnce<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** Carries a computation out with a pause behind every {@linkcode ITEMS_PER_TURN} items, and one before the first. */
export async function inPieces<T>(pieces: Pieces<T>, pause: Pause): Promise<T> {
  for (let item = 0;; item++) {
    if (item % ITEMS_PER_TURN === 0) await pause();
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}
