/**
 * `amof diff`, from outside.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { callsOfGit, perClone } from "../support/calls_of_git.ts";
import { type Ran, World } from "../support/world.ts";

/** Changes of every kind in two of three repositories, and a ticket in one of them. */
function busy(): Promise<World> {
  return World.like("diff", async (world) => {
    await world.makeInstalled({ repos: ["api", "web", "lib"] });
    const [api, web] = [world.clone("api"), world.clone("web")];
    await Deno.writeTextFile(join(web, "gone.txt"), "one\ntwo\n");
    await world.commitOnFeature("web", "feature/T-1");
    await world.patchState({
      tickets: {
        "T-1": {
          created_at: "2026-02-01T00:00:00.000Z",
          ecosystem: "demo",
          repos: { web: "feature/T-1" },
        },
      },
    });
    await world.git(api, "mv", "README.md", "odd name.md");
    await Deno.writeTextFile(join(api, "staged.txt"), "staged\n");
    await world.git(api, "add", "staged.txt");
    await Deno.writeTextFile(join(api, "staged.txt"), "staged\nand more\n");
    await Deno.writeTextFile(join(api, "unknown.txt"), "x\n");
    await Deno.remove(join(web, "gone.txt"));
    await Deno.writeFile(join(web, "work.txt"), new Uint8Array([0, 1, 2]));
  });
}

function files(ran: Ran): unknown[] {
  return rows(ran.json(), "files").map(({ repo, path, change, added, deleted }) =>
    [repo, path, change, added, deleted].join(" ")
  );
}

Deno.test("amof diff shows what is not committed, as one patch that applies at the workspace", async () => {
  await using world = await busy();
  const { ran, calls } = await callsOfGit(world, ["diff", "--json"]);
  assertEquals(files(ran), [
    "api odd name.md renamed 0 0",
    "api staged.txt added 2 0",
    "web gone.txt deleted 0 2",
    "web work.txt modified  ",
  ]);
  assertEquals(perClone(calls), {
    api: ["status", "diff"],
    web: ["status", "diff"],
    lib: ["status"],
  });
  const shown = await world.amof(["diff", "--repo", "api"]);
  assertStringIncludes(shown.stderr, "api: 1 untracked file, not shown: unknown.txt");
  await world.write("work.patch", shown.stdout);
  const api = world.clone("api");
  await world.git(api, "stash", "--quiet", "--include-untracked");
  await world.git(world.workspace(), "apply", join(world.directory, "work.patch"));
  assertEquals(await Deno.readTextFile(join(api, "staged.txt")), "staged\nand more\n");
  assertEquals(await Deno.readTextFile(join(api, "odd name.md")), "# api\n");
});

Deno.test("amof diff compares with what it is asked for", async () => {
  await using world = await busy();
  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [["--staged"], ["api odd name.md renamed 0 0", "api staged.txt added 1 0"]],
    [["--base", "--repo", "web"], ["web work.txt added  "]],
    [["--ticket", "T-1"], ["web gone.txt added 2 0", "web work.txt added 1 0"]],
    [["feature/T-1"], ["web gone.txt deleted 0 2", "web work.txt modified  "]],
    [["--path", "*.txt", "--repo", "!web"], ["api staged.txt added 2 0"]],
  ];
  for (const [args, expected] of cases) {
    assertEquals(
      files(await world.amof(["diff", "--json", ...args])),
      [...expected],
      args.join(" "),
    );
  }
  const stat = await world.amof(["diff", "--stat", "feature/T-1"]);
  assertMatch(stat.stdout, /^REPO +FILE +CHANGE +ADDED +DELETED\nweb +gone.txt +deleted +0 +2\n/);
  assertStringIncludes(stat.stderr, "Not compared, without that commit: api and lib");
  for (
    const wrong of [["--staged", "--base"], ["nowhere"], ["--ticket", "T-2"], ["--", "--output=x"]]
  ) {
    const ran = await world.amof(["diff", ...wrong]);
    assertEquals([ran.code, ran.stdout], [2, ""], wrong.join(" "));
  }
});

Deno.test("amof diff runs nothing that a repository names", async () => {
  await using world = await busy();
  const evil = await world.script("evil", `touch '${join(world.directory, "ran")}'\ncat`);
  const clone = world.clone("api");
  await Deno.writeTextFile(join(clone, ".git", "info", "attributes"), "* diff=evil\n");
  for (
    const [name, value] of [
      ["core.pager", evil],
      ["diff.external", evil],
      ["diff.evil.command", evil],
      ["diff.evil.textconv", evil],
      ["core.fsmonitor", evil],
      ["diff.noprefix", "true"],
      ["diff.mnemonicPrefix", "true"],
      ["color.ui", "always"],
    ] as const
  ) await world.git(clone, "config", name, value);
  const ran = await world.amof(["diff", "--repo", "api"]);
  assertStringIncludes(ran.stdout, "+++ b/repos/api/staged.txt\n@@ -0,0 +1,2 @@\n+staged\n");
  assertEquals([ran.code, await world.exists("ran")], [0, false]);
});
