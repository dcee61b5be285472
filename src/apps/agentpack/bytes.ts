/** File contents are bytes, and lists are sorted by bytes (PACK-42). */

/** One for all: thousands of files are decoded in a call. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes as text, or null when they are not valid UTF-8. A byte order mark is kept. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** A text without its byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Text as UTF-8. */
export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Whether two contents are the same. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  // A plain loop, most of it over four bytes at a time: this runs over every byte that a change wrote.
  const inFours = a.byteOffset % 4 === 0 && b.byteOffset % 4 === 0 ? a.length >> 2 : 0;
  if (inFours > 0) {
    const left = new Int32Array(a.buffer, a.byteOffset, inFours);
    const right = new Int32Array(b.buffer, b.byteOffset, inFours);
    for (let index = 0; index < inFours; index++) if (left[index] !== right[index]) return false;
  }
  for (let index = inFours * 4; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** One content after the other. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A code unit in the order of code points: surrogates stand for characters above all others. */
function rank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit;
}

/** Orders texts as their UTF-8 bytes are ordered; the default order of strings is by UTF-16 units. */
export function compareBytes(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Orders paths component by component, each by its bytes: `a/b` comes before `a-b` (PACK-26). */
export function comparePaths(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    // A component that ends here is the beginning of the other one.
    if (left === SLASH) return -1;
    return right === SLASH ? 1 : rank(left) - rank(right);
  }
  return a.length - b.length;
}

const SLASH = "/".charCodeAt(0);

/** Orders by several keys, the first difference deciding. */
export function firstDifference(...orders: readonly number[]): number {
  return orders.find((order) => order !== 0) ?? 0;
}
