// Covers inPoolOf(): whoever watches learns which repositories are in work, and how many are done.

import { assertEquals, assertRejects } from "@std/assert";
import { inPoolOf } from "../../../src/workspace/progress.ts";
import type { Reporter } from "../../../src/contract/mod.ts";

/** A reporter that keeps what it hears of progress. */
function listening(): { report: Reporter; heard: unknown[] } {
  const heard: unknown[] = [];
  return {
    heard,
    report: {
      log: (_level, message, fields) => heard.push([message, fields?.type, fields?.payload]),
      progress: (done, total, message, of) => heard.push([done, total, message, of]),
    },
  };
}

Deno.test("inPoolOf() tells of each repository when it begins and when it has ended, however", async () => {
  const { report, heard } = listening();
  const repos = [{ name: "api" }, { repo: { name: "web" } }];
  const ran = inPoolOf(
    { report, jobs: 1 },
    "asking",
    repos,
    (of) => "name" in of ? Promise.resolve(of.name) : Promise.reject(new Error("no answer")),
  );
  await assertRejects(() => ran, Error, "no answer");
  assertEquals(heard, [
    ["api: asking", "progress", { what: "asking", repo: "api", done: 0, total: 2 }],
    [1, 2, "api", { what: "asking", repo: "api", ended: true }],
    ["web: asking", "progress", { what: "asking", repo: "web", done: 1, total: 2 }],
    [2, 2, "web", { what: "asking", repo: "web", ended: true }],
  ]);
});
