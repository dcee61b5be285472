// A bundle is given its commit in the same way each time, wherever the placeholder stands in it.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { UNKNOWN_COMMIT } from "../../../src/base/version.ts";
import { stamp } from "../../support/stamp.ts";
import { newDirectory } from "../../support/place.ts";

Deno.test("stamp() writes a commit into the modules that ask for it, and into nothing else", async () => {
  const directory = newDirectory();
  const texts = { "a.js": `var c="${UNKNOWN_COMMIT}";`, "b.js": "1;", "c.txt": UNKNOWN_COMMIT };
  for (const [name, text] of Object.entries(texts)) {
    await Deno.writeTextFile(join(directory, name), text);
  }
  const commit = "0123456789".repeat(4);
  assertEquals(await stamp(directory, commit), 1);
  const read = (name: string) => Deno.readTextFile(join(directory, name));
  assertEquals(await read("a.js"), `var c="${commit}";`);
  assertEquals([await read("b.js"), await read("c.txt")], [texts["b.js"], texts["c.txt"]]);
  assertEquals(await stamp(directory, commit), 0);
  await Deno.remove(directory, { recursive: true });
});
