/** What a connection reads from and writes to. */

/** A way to a client and back: lines of JSON. Standard input and output are one. */
export interface Wire {
  /** What the client sends, as it comes. */
  input(): AsyncIterable<Uint8Array>;
  /** Sends a line, which is about a request of the client where that has an id. Throws when the client is gone. */
  out(line: string, about?: string | number): void;
}
