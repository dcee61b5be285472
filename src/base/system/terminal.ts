/** The standard streams, and the terminal they may be. */

/** Standard streams. */
export interface Terminal {
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** How wide the terminal is now; 80 where none says. */
  readonly columns: number;
  /** How large the terminal is now, in characters; 80 by 24 where nothing tells. */
  size(): { readonly columns: number; readonly rows: number };
  /** Writes to standard output. Throws `BrokenPipe` when the reader is gone. */
  out(text: string): void;
  /** Writes to standard error; a vanished reader is ignored. */
  err(text: string): void;
  /**
   * Writes a question to standard error and reads the line that a person types from then on; null at the end of input.
   * What they typed before it was shown is no answer and is dropped, except on Windows, which offers no way to it.
   */
  ask(question: string): Promise<string | null>;
  /**
   * Gives what is typed, key by key and not shown, until the answer is called: the keyboard is as before then. What
   * is typed while a call goes on waits for its end, so that a program it starts gets all of it.
   */
  keys(callback: (text: string) => Promise<void>): () => void;
  /** The raw bytes of standard input, as they come. */
  input(): AsyncIterable<Uint8Array>;
  /** From now on nothing but `out` reaches standard output: libraries that print are sent to standard error. */
  guardOutput(): void;
  /**
   * Calls back on interrupts, which are typed, and on other requests to end; returns the way to stop listening.
   */
  onInterrupt(callback: (how: "typed" | "asked") => void): () => void;
  /**
   * Calls back when the terminal has another size, and when this program goes on after it was stopped; returns the
   * way to stop listening.
   */
  onDisplay(callback: (what: "resized" | "resumed") => void): () => void;
}
