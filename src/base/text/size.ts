/** How large something is, in words. */

const UNITS = ["kB", "MB", "GB", "TB"];

/**
 * "812 bytes", "4.2 MB": in steps of a thousand.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { sizeText } from "./size.ts";
 *
 * assertEquals(sizeText(1), "1 byte");
 * assertEquals(sizeText(999), "999 bytes");
 * assertEquals(sizeText(4_230_000), "4.2 MB");
 * assertEquals(sizeText(61_000_000), "61 MB");
 * ```
 */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  let size = bytes;
  let unit = "";
  for (const next of UNITS) {
    if (unit !== "" && size < 999.5) break;
    size /= 1_000;
    unit = next;
  }
  return `${size < 9.95 ? size.toFixed(1) : size.toFixed(0)} ${unit}`;
}
