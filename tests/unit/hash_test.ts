// Covers hash() and sha256(): the known digests, and parts that count as one content.

import { assertEquals } from "@std/assert";
import { hash, sha256 } from "../../src/hash.ts";

Deno.test("sha256() of a text and of its bytes is the known digest", () => {
  const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  assertEquals(sha256("abc"), digest);
  assertEquals(sha256(new TextEncoder().encode("abc")), digest);
});

Deno.test("hash() takes the parts as one content", () => {
  assertEquals(hash("sha1", "a", new TextEncoder().encode("bc")), hash("sha1", "abc"));
  assertEquals(hash("sha1", "abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
});
