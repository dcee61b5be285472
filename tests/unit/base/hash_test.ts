// Covers hash() and sha256(): the known digests, parts that count as one content, and that both ways agree.

import { assertEquals } from "@std/assert";
import { hash, sha256 } from "../../../src/base/hash.ts";

Deno.test("sha256() of a text and of its bytes is the known digest", () => {
  const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  assertEquals(sha256("abc"), digest);
  assertEquals(sha256(new TextEncoder().encode("abc")), digest);
});

Deno.test("hash() takes the parts as one content", () => {
  assertEquals(hash("sha1", "a", new TextEncoder().encode("bc")), hash("sha1", "abc"));
  assertEquals(hash("sha1", "abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
});

Deno.test("sha256() is the same digest for contents of every length, hashed either way", () => {
  // Around the ends of a block, and where what is built in takes over.
  const lengths = [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1_000, 16_383, 16_384, 16_385, 40_000];
  for (const length of lengths) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 256);
    assertEquals(sha256(bytes), hash("sha256", bytes), String(length));
    assertEquals(sha256(bytes.subarray(length % 7)), hash("sha256", bytes.subarray(length % 7)));
    const text = "aé€😀\ud800".repeat(length).slice(0, length);
    assertEquals(sha256(text), hash("sha256", text), String(length));
  }
});
