/**
 * Names of files that are no UTF-8, as text from which their bytes can be had again.
 *
 * A byte that is none of UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF, as Python does it; no other text holds one.
 * Only git can be told such a name, on its standard input: neither arguments nor the file system's functions take it.
 */

// With the flag u it finds none that is half of a character.
const ODD = /[\udc80-\udcff]/u;

/** How many bytes of UTF-8 begin at a place; 0 where that is none. */
function lengthAt(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length < 2) return length;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (first > 0xf4 || second < least || second > most) return 0;
  for (let next = 2; next < length; next++) {
    if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/** Bytes as text, every one of them: {@linkcode bytesOf} makes them again. */
export function textOf(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const plain = decoder.decode(bytes);
  if (!plain.includes("\uFFFD")) return plain;
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at);
    if (length === 0) {
      parts.push(
        decoder.decode(bytes.subarray(from, at)),
        String.fromCharCode(0xdc00 + (bytes[at] ?? 0)),
      );
      from = at + 1;
    }
    at += Math.max(1, length);
  }
  parts.push(decoder.decode(bytes.subarray(from)));
  return parts.join("");
}

/** The bytes of a text, those of names that are no UTF-8 as they are on the disk. */
export function bytesOf(text: string): Uint8Array {
  const encoder = new TextEncoder();
  if (!ODD.test(text)) return encoder.encode(text);
  const parts = text.split(/([\udc80-\udcff])/u).map((part) =>
    part.length === 1 && ODD.test(part)
      ? Uint8Array.of(part.charCodeAt(0) - 0xdc00)
      : encoder.encode(part)
  );
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Whether a name is none that a file can be read by: it is no UTF-8. */
export function isOddName(path: string): boolean {
  return path.includes("\uFFFD") || ODD.test(path);
}
