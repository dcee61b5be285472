// Covers which branches of a remote a clone can follow, and what it lacks for the others.

import { assertEquals } from "@std/assert";
import { refspecToFollow } from "../../../../src/git/read/tracking.ts";

const ALL = "+refs/heads/*:refs/remotes/origin/*";
const MAIN = "+refs/heads/main:refs/remotes/origin/main";
const OWN = "+refs/heads/feature/T-1*:refs/remotes/origin/feature/T-1*";

for (
  const [what, refspecs, wanted] of [
    ["every branch", [ALL], null],
    ["one branch", [MAIN], OWN],
    ["one branch that is it", ["+refs/heads/feature/T-1:refs/remotes/origin/feature/T-1"], null],
    ["one branch by its older name", ["refs/heads/main:refs/remotes/origin/main"], OWN],
    ["some branches", [MAIN, "+refs/heads/feature/*:refs/remotes/origin/feature/*"], null],
    ["what was added for it", [MAIN, OWN], null],
    ["what was added for another", [MAIN, OWN.replaceAll("T-1", "T-2")], OWN],
    ["every branch, elsewhere", ["+refs/heads/*:refs/remotes/other/*"], OWN],
    ["every branch, as its own", ["+refs/heads/*:refs/heads/*"], OWN],
    ["only tags", ["+refs/tags/*:refs/tags/*"], OWN],
    ["every branch but this one", [ALL, "^refs/heads/feature/*"], null],
    ["nothing", [], ALL],
  ] as const
) {
  Deno.test(`a remote that fetches ${what} lacks ${wanted ?? "nothing"} to follow a branch`, () => {
    assertEquals(refspecToFollow(refspecs, "origin", "feature/T-1"), wanted);
  });
}
