/**
 * Why repositories failed.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { repoReasons } from "../../../../src/base/text/repo_reasons.ts";

const row = (name: string, problem: string) => ({ name, code: "repo_dirty", problem });

Deno.test("a few repositories have a line each, also where the reason is the same", () => {
  const repos = Array.from({ length: 12 }, (_, index) => row(`r${index}`, "has a change"));
  assertEquals(repoReasons("", { repos }), repos.map(({ name }) => `✗ ${name}: has a change`));
});

Deno.test("of many repositories those with the same reason share a line, and each is named", () => {
  const repos = Array.from(
    { length: 14 },
    (_, index) => row(`r${index}`, index === 3 ? "is detached" : index < 6 ? "has a" : "has b"),
  );
  assertEquals(repoReasons("", { repos }), [
    "✗ r0, r1, r2, r4 and r5: has a",
    "✗ r3: is detached",
    "✗ r6, r7, r8, r9, r10, r11, r12 and r13: has b",
  ]);
});

Deno.test("a single reason that the message has is not repeated", () => {
  const repos = [row("api", "has 2 uncommitted files")];
  assertEquals(repoReasons('"api" has 2 uncommitted files', { repos }), []);
  assertEquals(repoReasons("another", { repos }), ["✗ api: has 2 uncommitted files"]);
});
