/**
 * The places that an index names as submodules, read from the index itself without starting git.
 *
 * Git looks into each of them, whoever has put it there, and goes by the configuration that it finds.
 */

/** What git writes at the beginning of an index. */
const SIGNATURE = 0x44495243;
/** The mode of an entry for a submodule. */
const GITLINK = 0o160000;

/** Whether a mode of a submodule can stand anywhere in it, which is fast and right for every index without one. */
function mayHaveLinks(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0xe0, 2); at >= 0; at = bytes.indexOf(0xe0, at + 1)) {
    if (bytes[at - 2] === 0 && bytes[at - 1] === 0 && bytes[at + 1] === 0) return true;
  }
  return false;
}

/** A number that git writes with seven bits in each byte, for how much of the last path falls away. */
function varint(view: DataView, at: number): [value: number, next: number] {
  let byte = view.getUint8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = view.getUint8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return [value, at];
}

/**
 * The paths of submodules in an index of version 2, 3 or 4 whose hashes have so many bytes; none in what is no index.
 * Throws `RangeError` for one that ends too early.
 */
export function gitlinksIn(bytes: Uint8Array, hashBytes: number): string[] {
  if (bytes.length < 12 || !mayHaveLinks(bytes)) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  if (view.getUint32(0) !== SIGNATURE || version < 2 || version > 4) return [];
  const decoder = new TextDecoder();
  const found: string[] = [];
  let path = new Uint8Array();
  let at = 12;
  for (let left = view.getUint32(8); left > 0; left--) {
    const begin = at;
    const mode = view.getUint32(begin + 24);
    at = begin + 40 + hashBytes;
    const flags = view.getUint16(at);
    at += version >= 3 && (flags & 0x4000) !== 0 ? 4 : 2;
    let kept = 0;
    if (version === 4) {
      const [dropped, next] = varint(view, at);
      kept = Math.max(0, path.length - dropped);
      at = next;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) throw new RangeError("The index ends within a path");
    const whole = new Uint8Array(kept + end - at);
    whole.set(path.subarray(0, kept));
    whole.set(bytes.subarray(at, end), kept);
    path = whole;
    // Older versions fill up to a multiple of eight.
    at = version === 4 ? end + 1 : begin + ((end - begin + 8) & ~7);
    if (mode === GITLINK) found.push(decoder.decode(path));
  }
  return found;
}
