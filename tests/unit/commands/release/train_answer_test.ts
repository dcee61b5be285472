/**
 * What a train tells readers of many repositories.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { leftOutLines, problemLines } from "../../../../src/commands/release/train/answer.ts";

const NAMES = ["api", "web", "db", "auth", "docs"];

Deno.test("problems of many repositories that one command mends are one line of a train", () => {
  const problems = NAMES.map((repo, index) => ({
    repo,
    gate: "clean" as const,
    message: `${index + 1} files not committed`,
    fix: `git -C /w/${repo} status`,
  }));
  assertEquals(problemLines("✗", problems), [
    "✗ api, web, db and 2 more: clean: 1–5 files not committed\n" +
    "    fix: amof exec --repo api,web,db,auth,docs -- git status",
  ]);
  const written = NAMES.map((repo) => ({
    repo,
    gate: "changelog" as const,
    message: "There is none",
    fix: `Begin it: touch /w/${repo}/NEWS.md\nAdd it: git -C /w/${repo} add -- NEWS.md`,
  }));
  assertEquals(problemLines("✗", written), [
    "✗ api, web, db and 2 more: changelog: There is none\n" +
    "    fix: In api, and alike in the others\n" +
    "         Begin it: touch /w/api/NEWS.md\n         Add it: git -C /w/api add -- NEWS.md",
  ]);
  assertEquals(problemLines("✗", written.slice(0, 3)).length, 3);
  const unnamed = { repo: "api", gate: "remote" as const, message: "It is gone", fix: null };
  assertEquals(problemLines("⚠", [unnamed]), ["⚠ api: remote: It is gone"]);
});

Deno.test("repositories that stay for one reason are one line of a train", () => {
  const rows = NAMES.map((name) => ({ name, current: null, reason: "no new commits" }));
  const other = { name: "infra", current: null, reason: "it is read-only" };
  assertEquals(leftOutLines([...rows, other]), [
    "– api, web, db and 2 more: no new commits\n– infra: it is read-only",
  ]);
});
