// Covers which uncommitted files stand in the way of taking work along to a branch (TICKET-18).

import { assertEquals } from "@std/assert";
import { conflictingPaths } from "../../../../src/workspace/clones/mod.ts";

/** Changed paths, one of them renamed where it says from where; paths that differ; and those in the way. */
const CASES: Readonly<
  Record<string, readonly [readonly { path: string; from?: string }[], string[], string[]]>
> = {
  "nothing differs": [[{ path: "a" }], [], []],
  "other files differ": [[{ path: "a" }, { path: "d/b" }], ["b", "d/a", "d2/b"], []],
  "the same file": [[{ path: "a" }, { path: "b" }], ["b"], ["b"]],
  "where it was renamed from": [[{ path: "b", from: "a" }], ["a"], ["a"]],
  "a file where a directory is wanted": [[{ path: "a" }], ["a/b"], ["a"]],
  "a directory where a file is wanted": [[{ path: "a/b/c" }], ["a"], ["a/b/c"]],
  "a nested repository where files are wanted": [[{ path: "a/" }], ["a/b"], ["a"]],
  "a name that only begins the same": [[{ path: "ab" }, { path: "a" }], ["abc", "a.b"], []],
};

for (const [what, [changes, differing, expected]] of Object.entries(CASES)) {
  Deno.test(`conflictingPaths(): ${what}`, () =>
    assertEquals(conflictingPaths(changes, differing), expected));
}
