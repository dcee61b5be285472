// Public surfaces against their golden files: a missing, different or left-over file fails.

// @ts-types="@types/std/assert.d.ts"
import { assertEquals } from "@std/assert";
import { drift, goldenFiles, schemaFiles } from "./golden.ts";

Deno.test("help pages and tool declarations are as their golden files say (deno task golden)", async () => {
  assertEquals(await drift(await goldenFiles()), []);
});

Deno.test("schemas/ holds what the source declares (deno task schema)", async () => {
  assertEquals(await drift(await schemaFiles()), []);
});
