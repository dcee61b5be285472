/**
 * Lines of shards: what is written is read again, whatever else is in the files, and of several starts the best counts.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import {
  type ItemEnd,
  type LineContent,
  readResults,
  ResultFiles,
  type ShardLine,
} from "../../../src/engine/shard/line.ts";
import { LineWriter } from "../../../src/engine/shard/ends.ts";
import { sha256 } from "../../../src/base/hash.ts";
import { realSystem } from "../../../src/base/system/real/mod.ts";
import { newDirectory } from "../../support/place.ts";

const RUN = "0b7f3c52-5a0e-4c7e-9f5e-3f0c6f4e8d11";
const system = realSystem();

function written(attempt: string, contents: readonly LineContent[], shard = 0): string[] {
  const lines: string[] = [];
  const writer = new LineWriter({ run: RUN, shard, attempt }, (line) => lines.push(line));
  for (const content of contents) writer.write(content);
  writer.end(0);
  return lines;
}

function ended(i: number, state: ItemEnd["state"]): LineContent {
  const tail = ["last"];
  const facts = { exit_code: 0, signal: null, seconds: 1, why: null, commit: null, tail };
  return { type: "item", i, repo: `r${i}`, state, ...facts };
}

async function all(lines: AsyncIterable<ShardLine>): Promise<ShardLine[]> {
  return await Array.fromAsync(lines);
}

Deno.test("lines are numbered, short enough whatever a program prints, and the last has the hash of the rest", () => {
  const long = '\u{1F600}\u0000"\\'.repeat(5_000);
  const lines = written("00000001", [
    { type: "log", i: 0, repo: "r0", stream: "stdout", text: long },
    { ...ended(0, "failed"), tail: Array(10).fill(long), why: long } as LineContent,
    { type: "refused", why: long },
  ]);
  for (const line of lines) {
    assert(new TextEncoder().encode(line).length <= 4_000, line.slice(0, 80));
  }
  const parsed = lines.map((line) => JSON.parse(line) as ShardLine);
  assertEquals(parsed.map(({ seq }) => seq), [0, 1, 2, 3]);
  const last = parsed.at(-1);
  assert(last?.type === "end");
  assertEquals(last.sha256, sha256(lines.slice(0, -1).join("")));
});

Deno.test("only what is new and whole is read, and nothing that is no line of this run", async () => {
  const directory = newDirectory();
  const file = join(directory, "0.00000001.jsonl");
  const [first = "", second = "", ...rest] = written("00000001", [
    { type: "begin", i: 0, repo: "r0" },
    { type: "log", i: 0, repo: "r0", stream: "stdout", text: "ü".repeat(300) },
    ended(0, "ok"),
  ]);
  const reader = new ResultFiles(system, directory, RUN);
  const types = async () => (await all(reader.next())).map(({ type }) => type);
  assertEquals(await types(), []);
  await Deno.writeTextFile(file, `${first}what a program prints\n{"amof":1,"run":"other"}\nnull\n`);
  assertEquals(await types(), ["begin"]);
  await Deno.writeTextFile(file, second.slice(0, 200), { append: true });
  assertEquals(await types(), []);
  await Deno.writeTextFile(file, second.slice(200) + rest.join(""), { append: true });
  assertEquals(await types(), ["log", "item", "end"]);
  assertEquals(await types(), []);
  await Deno.writeTextFile(join(directory, "notes.txt"), first);
  assertEquals(await types(), []);
});

Deno.test("of two starts of a shard that ran at once the better end of each counts", async () => {
  const directory = newDirectory();
  const starts = [
    written("00000001", [ended(0, "cancelled"), ended(2, "ok")]),
    written("00000002", [ended(0, "ok"), ended(2, "failed")]),
  ];
  for (const [at, lines] of starts.entries()) {
    await Deno.writeTextFile(join(directory, `0.0000000${at + 1}.jsonl`), lines.join(""));
  }
  await Deno.writeTextFile(
    join(directory, "1.00000003.jsonl"),
    written("00000003", [ended(1, "failed")], 1).join(""),
  );
  const ends = await readResults(system, directory, { run: RUN, index: 0 });
  assertEquals([...ends].map(([i, { state }]) => [i, state]), [[0, "ok"], [2, "ok"]]);
});
