/** Compares secrets, and the hashes that decide whether something may happen. */

import { timingSafeEqual } from "@std/crypto/timing-safe-equal";

const encoder = new TextEncoder();

/**
 * Whether two secrets or hashes are the same, told in a time that says nothing about where they differ. How long
 * they are is no secret.
 */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
