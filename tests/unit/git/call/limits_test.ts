// Covers localJobs(): how many git processes run at once.

import { assert, assertEquals } from "@std/assert";
import { localJobs } from "../../../../src/git/call/limits.ts";

Deno.test("localJobs() grows with the processors between its bounds", () => {
  assertEquals([1, 2, 4, 8, 64].map(localJobs), [4, 4, 8, 16, 32]);
  assert(localJobs(0) > 0);
});
