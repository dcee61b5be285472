/** Progress as the protocol wants it: rising values, and none after the answer (MCP-4). */

/** Passes on what rises until it is told to stop. */
export class Progress {
  #last = -1;
  #stopped = false;

  constructor(
    private readonly send: (done: number, total: number, message: string) => void,
  ) {}

  /** Tells how far the work is; what does not rise, or comes after the end, is left out. */
  report(done: number, total: number, message: string): void {
    if (this.#stopped || done <= this.#last) return;
    this.#last = done;
    this.send(done, total, message);
  }

  /** Lets nothing pass any more. */
  stop(): void {
    this.#stopped = true;
  }
}
