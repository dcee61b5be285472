/** Wakes those who wait for a change of what is stored, with one look at the database for all of them. */

import type { Clock } from "../../base/system/mod.ts";

/** How often is looked, while somebody waits. */
const LOOK_MS = 100;

/** Looks while somebody waits, and only then. */
export class Watcher {
  readonly #clock: Clock;
  readonly #mark: () => string;
  readonly #waiting = new Set<() => void>();
  #looking = false;

  /** `mark` answers what differs after every change. */
  constructor(clock: Clock, mark: () => string) {
    this.#clock = clock;
    this.#mark = mark;
  }

  /** What {@linkcode Watcher.after} waits for a difference to. */
  mark(): string {
    return this.#mark();
  }

  /** Resolves when the mark is not this one any more, when so many milliseconds have passed, and when a signal aborts. */
  async after(mark: string, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#mark() !== mark) return;
    const over = new AbortController();
    const wake = () => over.abort();
    signal.addEventListener("abort", wake, { once: true });
    this.#waiting.add(wake);
    void this.#look(mark);
    try {
      await this.#clock.sleep(ms, over.signal);
    } finally {
      this.#waiting.delete(wake);
      signal.removeEventListener("abort", wake);
    }
  }

  async #look(since: string): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    let known = since;
    while (this.#waiting.size > 0) {
      await this.#clock.sleep(LOOK_MS);
      const now = this.#now() ?? known;
      if (now === known) continue;
      known = now;
      for (const wake of [...this.#waiting]) wake();
    }
    this.#looking = false;
  }

  /** The mark, or null while the database cannot be asked: whoever waits looks again before long. */
  #now(): string | null {
    try {
      return this.#mark();
    } catch {
      return null;
    }
  }
}
