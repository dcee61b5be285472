/**
 * Why repositories failed.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { repoReasons, saidAlike } from "../../../../src/base/text/alike.ts";

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

Deno.test("reasons of many that differ only in the name of the repository are the same", () => {
  const repos = Array.from({ length: 13 }, (_, at) => row(`r${at}`, `no /git/r${at}.git of r1`));
  const names = ["r0", ...Array.from({ length: 11 }, (_, at) => `r${at + 2}`)];
  assertEquals(repoReasons("", { repos }), [
    `✗ ${names.slice(0, -1).join(", ")} and ${names.at(-1)}: no /git/NAME.git of r1`,
    "✗ r1: no /git/r1.git of r1",
  ]);
});

Deno.test("a name is none where it is part of a word", () => {
  const said = (name: string, why: string) => ({ name, why });
  assertEquals(saidAlike([said("a", "a bad path"), said("b", "b bad path")]), [
    { names: ["a", "b"], why: "NAME bad path" },
  ]);
  assertEquals(saidAlike([said("api", "api-gateway"), said("web", "web-gateway")]), [
    { names: ["api"], why: "api-gateway" },
    { names: ["web"], why: "web-gateway" },
  ]);
});
