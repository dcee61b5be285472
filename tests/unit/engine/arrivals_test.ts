// What shards send home in pieces: whole and as it was sent it is kept, and nothing else is.

import { assertEquals } from "@std/assert";
import { Arrivals } from "../../../src/engine/arrivals.ts";
import type { ShardLine } from "../../../src/engine/shard/line.ts";
import { sha256 } from "../../../src/base/hash.ts";
import { memoryWorld } from "../../support/memory.ts";

const FIRST = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]);
const SECOND = new Uint8Array([9, 8, 7, 6]);
const MOST = 30;

/** The lines in which bytes are sent, three bytes in each; `as` is the hash under which they go. */
function pieces(bytes: Uint8Array, { as = sha256(bytes), attempt = "0a" } = {}): ShardLine[] {
  const of = Math.ceil(bytes.length / 3);
  return Array.from({ length: of }, (_, n) => ({
    type: "piece",
    i: 0,
    repo: "api",
    sha256: as,
    n,
    of,
    data: bytes.slice(n * 3, n * 3 + 3).toBase64(),
    ...{ amof: 1, run: "run", shard: 0, attempt, seq: n },
  }));
}

/** What has arrived under the hash of bytes, as numbers, and why not. */
async function arrived(arrivals: Arrivals, bytes: Uint8Array): Promise<unknown[]> {
  const { pack, why } = await arrivals.get(sha256(bytes));
  return [pack === null ? null : [...pack], why];
}

const [one, two, three] = pieces(FIRST) as [ShardLine, ShardLine, ShardLine];
const large = new Uint8Array(MOST + 6);

for (
  const [what, lines, sent, arrives] of [
    ["pieces in order", [one, two, three], FIRST, true],
    ["the same twice", [one, two, three, one, two, three], FIRST, true],
    ["begun anew after a part of it", [one, two, one, two, three], FIRST, true],
    ["a piece twice", [one, one, two, three], FIRST, true],
    ["a piece that is missing", [one, three], FIRST, false],
    ["pieces out of order", [two, one, three], FIRST, false],
    ["not all of it yet", [one, two], FIRST, false],
    [
      "pieces of two starts of a shard among each other",
      pieces(SECOND, { attempt: "0b" }).flatMap((line, at) => [[one, two, three][at], line])
        .concat(three) as ShardLine[],
      FIRST,
      true,
    ],
    ["other bytes than were told", pieces(SECOND, { as: sha256(FIRST) }), FIRST, false],
    ["a hash that leads elsewhere", pieces(SECOND, { as: "../../first" }), SECOND, false],
    ["as much as may be", pieces(large.slice(6)), large.slice(6), true],
    ["more than may be", pieces(large), large, false],
  ] as const
) {
  Deno.test(`Arrivals ${arrives ? "keeps" : "has nothing of"} ${what}`, async () => {
    const { system, files } = memoryWorld();
    const arrivals = new Arrivals(system.files, "/campaign", MOST);
    for (const line of lines) await arrivals.take(line);
    assertEquals(await arrived(arrivals, sent), [arrives ? [...sent] : null, undefined]);
    if (!arrives) assertEquals([...files.keys()], []);
  });
}

Deno.test("Arrivals tells why something could not be kept, and keeps what comes behind it", async () => {
  const { system } = memoryWorld();
  const full = new Error("the disk is full");
  let isFull = true;
  const write: typeof system.files.write = (...args) =>
    isFull ? Promise.reject(full) : system.files.write(...args);
  const arrivals = new Arrivals({ ...system.files, write }, "/campaign", MOST);
  for (const line of pieces(FIRST)) await arrivals.take(line);
  assertEquals(await arrived(arrivals, FIRST), [null, full]);
  isFull = false;
  for (const line of [...pieces(SECOND), ...pieces(FIRST)]) await arrivals.take(line);
  for (const bytes of [FIRST, SECOND]) {
    assertEquals(await arrived(arrivals, bytes), [[...bytes], undefined]);
  }
  await arrivals.clear();
  assertEquals(await arrived(arrivals, SECOND), [null, undefined]);
});
