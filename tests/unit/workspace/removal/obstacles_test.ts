// What stands in the way of the removal of a clone, whatever is in it.

import { assertEquals } from "@std/assert";
import { Git } from "../../../../src/git/mod.ts";
import { obstaclesIn } from "../../../../src/workspace/removal/stock.ts";
import { memoryWorld } from "../../../support/memory.ts";

const GIT = { "/api/.git/HEAD": "ref: refs/heads/main\n" };
const LINKED = { ...GIT, "/api/.git/worktrees/side/gitdir": "/side/.git\n" };

for (
  const [what, files, link, problems] of [
    ["a clone", GIT, false, []],
    ["a link to one", GIT, true, ["is a symbolic link"]],
    [
      "one with a working copy elsewhere",
      { ...LINKED, "/side/.git": "gitdir: /api/.git\n" },
      false,
      [
        "has another working copy at /side",
      ],
    ],
    ["one whose other working copy is gone", LINKED, false, []],
    ["a working copy of another", { "/api/.git": "gitdir: /other/.git\n" }, false, [
      "is a working copy of a repository elsewhere",
    ]],
  ] as readonly (readonly [string, Readonly<Record<string, string>>, boolean, readonly string[]])[]
) {
  Deno.test(`obstaclesIn() of ${what}`, async () => {
    const { system } = memoryWorld({ files });
    const directory = link ? "/link" : "/api";
    if (link) await system.files.symlink("/api", directory);
    const found = await obstaclesIn({ system, git: new Git(system) }, "api", directory);
    assertEquals(
      found.map(({ repo, problem }) => [repo, problem]),
      problems.map((one) => ["api", one]),
    );
  });
}
