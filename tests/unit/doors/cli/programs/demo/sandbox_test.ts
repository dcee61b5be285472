/**
 * How what is to be pasted is broken.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { toPaste } from "../../../../../../src/doors/cli/programs/demo/sandbox.ts";

Deno.test("what is to be pasted is broken so that a shell joins it", () => {
  assertEquals(toPaste("rm -rf /tmp/a", 40), "rm -rf /tmp/a");
  assertEquals(toPaste("rm -rf /tmp/abcdef", 10), "rm -rf /t\\\nmp/abcdef");
  assertEquals(toPaste("rm /tmp/a\\ b\\ c", 10), "rm /tmp/a\\\n\\ b\\ c");
  assertEquals(toPaste("abcdefghijk", 5).replaceAll("\\\n", ""), "abcdefghijk");
});
