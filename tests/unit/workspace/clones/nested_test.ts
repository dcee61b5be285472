// Covers nestedRepositories(): which changes of a working copy are repositories and no submodules; absentSubmodules():
// which submodules are not there.

import { assertEquals } from "@std/assert";
import { absentSubmodules, nestedRepositories } from "../../../../src/workspace/clones/nested.ts";
import { parseStatus } from "../../../../src/git/read/status_v2.ts";
import { memoryWorld } from "../../../support/memory.ts";

const ID = "0".repeat(40);
const entry = (code: string, sub: string, modes: string, path: string) =>
  `1 ${code} ${sub} ${modes} ${ID} ${ID} ${path}`;

const LINES: readonly (readonly [string, string])[] = [
  ["an untracked repository", "? deep/inner/"],
  ["a repository that was staged", entry("A.", "S...", "000000 160000 160000", "deep/inner")],
  ["one in the place of a file", entry(".T", "S...", "100644 100644 160000", "deep/inner")],
  ["one that was committed before", entry(".M", "SC..", "160000 160000 160000", "deep/inner")],
];

for (const [what, line] of LINES) {
  Deno.test(`nestedRepositories() finds ${what}, unless it is a submodule`, async () => {
    const { changes } = parseStatus(`${line}\0? new.txt\0`);
    const other = '[submodule "x"]\n\tpath = deep/other\n\turl = x\n';
    const { system } = memoryWorld({ files: { "/repo/.gitmodules": other } });
    assertEquals(await nestedRepositories(system, "/repo", changes), ["deep/inner"]);
    const known = memoryWorld({ files: { "/repo/.gitmodules": `${other}\tpath = deep/inner\n` } });
    assertEquals(await nestedRepositories(known.system, "/repo", changes), []);
  });
}

Deno.test("nestedRepositories() leaves files, and repositories that go, alone", async () => {
  const { system } = memoryWorld({});
  const lines = [
    entry(".M", "N...", "100644 100644 100644", "file"),
    entry("D.", "N...", "160000 000000 000000", "gone"),
    "? new.txt",
  ];
  const { changes } = parseStatus(`${lines.join("\0")}\0`);
  assertEquals(await nestedRepositories(system, "/repo", changes), []);
});

Deno.test("absentSubmodules() finds those that were never checked out, and are not left out on purpose", async () => {
  const part = (name: string, more = "") =>
    `[submodule "${name}"]\n\tpath = "${name}"\n\turl = ../${name}\n${more}`;
  const { system } = memoryWorld({
    files: {
      "/repo/.gitmodules": [
        part("there"),
        part("my docs"),
        part("left", "\tupdate = none\n"),
        part("sparse"),
        part("file"),
      ].join(""),
      "/repo/there/.git": "gitdir: ../.git/modules/there\n",
      "/repo/file": "no directory",
      "/repo/left/.keep": "",
      "/repo/my docs/.keep": "",
    },
  });
  assertEquals(await absentSubmodules(system, "/repo"), ["my docs"]);
  assertEquals(await absentSubmodules(system, "/other"), []);
});
