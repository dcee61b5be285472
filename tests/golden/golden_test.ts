// Public surfaces against their golden files: a missing, different or left-over file fails.

import { assertEquals } from "@std/assert";
import { staleFacts } from "./facts.ts";
import { deployedFiles, drift, goldenFiles, manifestSet, referenceSet, schemaFiles } from "./golden.ts";

Deno.test("help pages and tool declarations are as their golden files say (deno task golden)", async () => {
  assertEquals(await drift(await goldenFiles()), []);
});

Deno.test("a config repo is deployed to every target as the golden files say, manifests included", async () => {
  assertEquals(await drift(await deployedFiles()), []);
});

Deno.test("schemas/ holds what the source declares (deno task schema)", async () => {
  assertEquals(await drift(await schemaFiles()), []);
});

Deno.test("what registries and hosts are told of the server is as the source has it (deno task golden)", async () => {
  assertEquals(await drift(manifestSet()), []);
});

Deno.test("the pages of reference are as the source declares (deno task golden)", async () => {
  assertEquals(await drift(await referenceSet()), []);
});

Deno.test("what is known of commands without loading them is what they declare (deno task golden)", async () => {
  assertEquals(await staleFacts(), []);
});
