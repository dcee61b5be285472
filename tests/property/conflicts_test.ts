// The radar for conflicts against real merges: over generated histories it tells the very files that `git merge` leaves
// unmerged, and changes no object, ref or file of anybody.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import { Git } from "../../src/git/mod.ts";
import { APART_FILES, Merging, type Pair } from "../../src/git/write/mod.ts";
import { sha } from "../../src/base/ids.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { cases } from "../support/sample.ts";
import { World } from "../support/world.ts";

interface File {
  /** `160000` is the commit of a submodule, whose name is the text. */
  readonly mode: "100644" | "100755" | "120000" | "160000";
  readonly text: string;
}

type Tree = ReadonlyMap<string, File>;

const LINES = Array.from({ length: 9 }, (_, index) => `line ${index}`);
const NAMES = [
  "a.txt",
  "dir/b.txt",
  "dir/c.txt",
  "changes.md",
  "new.txt",
  "dir",
  "image.bin",
  "sub",
];

const BASE: Tree = new Map([
  ["a.txt", { mode: "100644", text: `${LINES.join("\n")}\n` }],
  ["dir/b.txt", { mode: "100644", text: `${LINES.toReversed().join("\n")}\n` }],
  ["dir/c.txt", { mode: "100644", text: "short\n" }],
  ["changes.md", { mode: "100644", text: "# Changes\n" }],
  ["image.bin", { mode: "100644", text: "\0base\n" }],
  ["sub", { mode: "160000", text: "0".repeat(39) + "1" }],
  [".gitattributes", { mode: "100644", text: "changes.md merge=union\ndir/c.txt -merge\n" }],
]);

/** Commits of a submodule that no clone has. */
const SUBMODULE = { x: "a".repeat(40), y: "b".repeat(40) } as const;

/** One thing that a branch does to the files. */
const deed = fc.record({
  do: fc.constantFrom(
    "edit",
    "edit",
    "append",
    "delete",
    "rename",
    "mode",
    "add",
    "link",
    "binary",
    "submodule",
  ),
  path: fc.constantFrom(...NAMES),
  line: fc.nat({ max: 8 }),
  to: fc.constantFrom(...NAMES, "dir2/b.txt"),
  word: fc.constantFrom("x", "y"),
});

function after(
  tree: Tree,
  deeds: readonly (typeof deed extends fc.Arbitrary<infer D> ? D : never)[],
): Tree {
  const files = new Map(tree);
  const put = (path: string, file: File) => {
    // A file takes the place of a directory, and the other way round.
    for (const other of [...files.keys()]) {
      if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
    }
    files.set(path, file);
  };
  for (const { do: what, path, line, to, word } of deeds) {
    const file = files.get(path);
    if (what === "add") put(path, { mode: "100644", text: `${word}\n` });
    else if (what === "link") put(path, { mode: "120000", text: word });
    else if (what === "binary") put(path, { mode: "100644", text: `\0${word}${line % 2}\n` });
    else if (what === "submodule") put(path, { mode: "160000", text: SUBMODULE[word] });
    else if (file === undefined || !file.mode.startsWith("100")) continue;
    else if (what === "delete") files.delete(path);
    else if (what === "mode") files.set(path, { ...file, mode: "100755" });
    else if (what === "append") files.set(path, { ...file, text: `${file.text}${word}\n` });
    else if (what === "rename") {
      files.delete(path);
      put(to, file);
    } else {
      const lines = file.text.split("\n");
      lines[Math.min(line, Math.max(0, lines.length - 2))] = word;
      files.set(path, { ...file, text: lines.join("\n") });
    }
  }
  return files;
}

/** A commit in the words of `git fast-import`. */
function commit(branch: string, tree: Tree, mark: number, from: number | null): string {
  const length = (text: string) => new TextEncoder().encode(text).length;
  return [
    `commit refs/heads/${branch}\nmark :${mark}\ncommitter T <t@example.invalid> ${mark} +0000\ndata 1\nx\n`,
    from === null ? "" : `from :${from}\n`,
    "deleteall\n",
    ...[...tree].map(([path, { mode, text }]) =>
      mode === "160000"
        ? `M ${mode} ${text} ${path}\n`
        : `M ${mode} inline ${path}\ndata ${length(text)}\n${text}\n`
    ),
    "\n",
  ].join("");
}

const histories = fc.record({
  main: fc.array(deed, { maxLength: 2 }),
  branches: fc.array(fc.array(deed, { minLength: 1, maxLength: 4 }), {
    minLength: 3,
    maxLength: 3,
  }),
});

Deno.test("the radar tells the files that real merges leave unmerged, and changes nothing", async () => {
  await using world = await World.make();
  const system = realSystem();
  let turn = 0;
  await fc.assert(
    fc.asyncProperty(histories, async ({ main, branches }) => {
      const repo = join(world.directory, `repo${turn++}`);
      await Deno.mkdir(repo);
      await world.git(repo, "init", "--quiet", "--initial-branch=main", "--template=");
      const names = ["main", ...branches.map((_, index) => `b${index}`)];
      const stream = [
        commit("main", BASE, 1, null),
        commit("main", after(BASE, main), 2, 1),
        ...branches.map((deeds, index) => commit(`b${index}`, after(BASE, deeds), 3 + index, 1)),
      ].join("");
      const imported = await world.command("git", ["fast-import", "--quiet"], {
        cwd: repo,
        stdin: stream,
      });
      assertEquals(imported.code, 0, imported.stderr);
      // A driver in the settings of the clone would leave a trace.
      const trace = join(world.directory, "driver-ran");
      await world.git(repo, "config", "merge.default", "evil");
      await world.git(repo, "config", "merge.evil.driver", `touch '${trace}'; false`);
      const listed = await world.git(
        repo,
        "for-each-ref",
        "--format=%(refname:short) %(objectname)",
      );
      const tips = new Map(listed.split("\n").map((line) => line.split(" ") as [string, string]));
      const pairs = names.flatMap((a, index) => names.slice(index + 1).map((b) => [a, b] as const));
      const before = await world.git(repo, "count-objects", "-v");
      const found = await system.files.scratch(
        APART_FILES,
        async (scratch) =>
          await new Git(system).at(repo).part(Merging).conflicts(
            pairs.map(([a, b]): Pair => [sha(tips.get(a) ?? ""), sha(tips.get(b) ?? "")]),
            { scratch, like: sha(tips.get("main") ?? "") },
          ),
      );
      assertEquals(await world.git(repo, "count-objects", "-v"), before);
      assert(!await world.exists(trace));
      await world.git(repo, "config", "--remove-section", "merge");
      for (const [index, [a, b]] of pairs.entries()) {
        await world.git(repo, "checkout", "--quiet", "--force", "--detach", a);
        const merged = await world.command(
          "git",
          ["merge", "--quiet", "--no-ff", "--no-commit", b],
          { cwd: repo },
        );
        const unmerged = await world.git(repo, "ls-files", "--unmerged", "-z");
        // What is in the way of another file is called after the side that it is of.
        const paths = unmerged.split("\0").filter((line) => line !== "")
          .map((line) =>
            line.slice(line.indexOf("\t") + 1).replace(/~(?:HEAD|main|b\d)(?:_\d+)?$/, "")
          );
        const told = (found[index] ?? []).map(({ path }) => path);
        assertEquals(told.toSorted(), [...new Set(paths)].sort(), `${a} ${b} ${merged.stdout}`);
        assertEquals(merged.code === 0, told.length === 0, `${a} ${b} ${merged.stdout}`);
        await world.git(repo, "reset", "--quiet", "--hard");
        await world.git(repo, "clean", "--quiet", "--force", "-d");
      }
      await Deno.remove(repo, { recursive: true });
    }),
    { numRuns: cases(12, 6) },
  );
});
