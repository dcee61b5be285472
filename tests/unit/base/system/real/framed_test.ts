// Covers Framed.until(): an answer ends at its line, and behind one without an end nothing is the answer to anything.

import { assertEquals } from "@std/assert";
import { Framed } from "../../../../../src/base/system/real/helper.ts";

function framed(...chunks: readonly string[]): Framed {
  return new Framed(ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk))));
}

async function read(stream: Framed, head: string, limit: number): Promise<[string, string | null]> {
  const { bytes, end } = await stream.until(head, limit);
  return [new TextDecoder().decode(bytes), end];
}

Deno.test("until() reads one answer after the other, however they are cut into pieces", async () => {
  const stream = framed("one\n#", " 1 0 /a\ntwo", "\n# 2 0 /b\n");
  assertEquals(await read(stream, "# 1", 100), ["one", " 0 /a"]);
  assertEquals(await read(stream, "# 2", 100), ["two", " 0 /b"]);
  assertEquals(await read(stream, "# 3", 100), ["", null]);
});

Deno.test("until() takes the rest of what was too long for no answer to the next call", async () => {
  const stream = framed("a".repeat(20), "rest\n# 1 0 /a\n", "two\n# 2 0 /b\n");
  assertEquals(await read(stream, "# 1", 10), ["a".repeat(20), null]);
  assertEquals(await read(stream, "# 2", 10), ["", null]);
});
