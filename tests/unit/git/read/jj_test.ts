// Covers jjHeads() and onlyInJj(): what jj, beside git, has of its own in a clone.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Everything } from "../../../../src/git/read/mod.ts";
import { firstField } from "../../../../src/git/read/everything.ts";
import { World } from "../../../support/world.ts";
import { commit, gitIn, repository } from "../_support.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

const MESSAGES: readonly (readonly [string, Uint8Array, number[][] | null])[] = [
  ["nothing", bytes(), []],
  ["two values", bytes(0x0a, 2, 7, 8, 0x0a, 1, 9), [[7, 8], [9]]],
  ["a value behind other fields", bytes(0x10, 0x96, 1, 0x1a, 1, 5, 0x0a, 1, 9), [[9]]],
  ["a value that is cut off", bytes(0x0a, 3, 7), null],
  ["a field of a kind that nobody writes", bytes(0x0d, 1, 2, 3, 4), null],
];

for (const [what, message, expected] of MESSAGES) {
  Deno.test(`firstField() reads ${what}`, () => {
    assertEquals(firstField(message)?.map((value) => [...value]) ?? null, expected);
  });
}

/** A field of bytes. */
function field(name: number, hex: string): number[] {
  const value = hex.match(/../g)?.map((pair) => parseInt(pair, 16)) ?? [];
  return [(name << 3) | 2, value.length, ...value];
}

/** Writes the view of jj in which work ends at these commits. */
async function writeView(clone: string, heads: readonly string[]): Promise<void> {
  const store = join(clone, ".jj", "repo", "op_store");
  for (const name of ["operations", "views"]) {
    await Deno.mkdir(join(store, name), { recursive: true });
  }
  await Deno.mkdir(join(clone, ".jj", "repo", "op_heads", "heads"), { recursive: true });
  await Deno.writeTextFile(join(clone, ".jj", "repo", "op_heads", "heads", "aa"), "");
  await Deno.writeTextFile(join(clone, ".jj", ".gitignore"), "/*\n");
  await Deno.writeFile(
    join(store, "operations", "aa"),
    bytes(...field(1, "beef"), ...field(2, "00")),
  );
  const view = heads.flatMap((head) => field(1, head));
  await Deno.writeFile(join(store, "views", "beef"), bytes(...view, ...field(3, "00")));
}

Deno.test("onlyInJj() has the commits of today that change files, and not what was rewritten or is empty", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const everything = gitIn(world).at(path, "api").part(Everything);
  assertEquals(await everything.onlyInJj([], 9), []);
  const keep = async (commit: string) => {
    await world.git(path, "update-ref", `refs/jj/keep/${commit}`, commit);
    return commit;
  };
  await world.git(path, "switch", "--quiet", "--detach");
  const rewritten = await keep(await commit(world, path, "a.txt", "before\n"));
  await world.git(path, "reset", "--quiet", "--hard", "main");
  const work = await keep(await commit(world, path, "a.txt", "after\n"));
  await world.git(path, "commit", "--quiet", "--allow-empty", "--allow-empty-message", "-m", "");
  const empty = await keep(await world.git(path, "rev-parse", "HEAD"));
  await world.git(path, "switch", "--quiet", "main");
  await writeView(path, [empty, "0".repeat(40)]);
  const found = async (known: string[] = []) =>
    (await everything.onlyInJj(known, 9)).map(({ commit }) => commit);
  assertEquals(await found(), [work]);
  assertEquals(await found([work]), []);
  assertEquals((await everything.refs()).map(({ name }) => name), ["refs/heads/main"]);
  // Where nobody can tell what is of today, all of it may be.
  await Deno.writeFile(join(path, ".jj", "repo", "op_store", "views", "beef"), bytes(0x0a, 9));
  assertEquals((await found()).toSorted(), [work, rewritten].toSorted());
});
