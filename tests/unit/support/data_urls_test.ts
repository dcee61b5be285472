// What libraries carry as text is the same when it is read from a file, and only what is long is taken out.

import { assert, assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { compressData, DATA } from "../../support/data_urls.ts";
import { newDirectory } from "../../support/place.ts";

const LONG = `data:application/octet-stream;base64,${"AGFzbQEAAAAB".repeat(9_000)}AA==`;
const SHORT = "data:text/plain;base64,AAAA";

Deno.test("compressData() leaves modules that say the same, without their long data", async () => {
  const directory = newDirectory();
  const module = `export const long=${JSON.stringify(LONG)};export const short="${SHORT}";`;
  await Deno.writeTextFile(join(directory, "main.js"), module);
  await Deno.writeTextFile(join(directory, "other.js"), "export const none=1;");
  await Deno.mkdir(join(directory, DATA));
  await Deno.writeTextFile(join(directory, DATA, "older.gz"), "");
  await compressData(directory);
  const text = await Deno.readTextFile(join(directory, "main.js"));
  assert(text.length < 1_000 && text.includes(SHORT), text.slice(0, 1_000));
  const [file, ...others] = await Array.fromAsync(Deno.readDir(join(directory, DATA)));
  assert(file !== undefined && file.name !== "older.gz");
  assertEquals(others, []);
  const read = await import(toFileUrl(join(directory, "main.js")).href);
  assertEquals([read.long, read.short], [LONG, SHORT]);
  assertEquals(await Deno.readTextFile(join(directory, "other.js")), "export const none=1;");
  await Deno.remove(directory, { recursive: true });
});
