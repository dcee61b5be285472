/** Lines of bytes, none of them longer than what is worth keeping. */

/** A longer line is refused. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Cuts what comes in pieces into lines. */
export class LineCutter {
  #parts: Uint8Array[] = [];
  #size = 0;

  /**
   * The lines that a piece ends, without their ends and without empty ones; null for one that is longer than
   * {@linkcode MAX_LINE_BYTES}.
   */
  feed(piece: Uint8Array): (Uint8Array | null)[] {
    const lines: (Uint8Array | null)[] = [];
    let rest = piece;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      this.#keep(rest.subarray(0, at));
      lines.push(...this.end());
      rest = rest.subarray(at + 1);
    }
    this.#keep(rest);
    return lines;
  }

  /** What is left: a last line without its newline still counts. */
  end(): (Uint8Array | null)[] {
    if (this.#size === 0) return [];
    const line = this.#size > MAX_LINE_BYTES ? null : joined(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    return [line];
  }

  #keep(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > MAX_LINE_BYTES) this.#parts = [];
    else if (bytes.length > 0) this.#parts.push(bytes);
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0];
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
