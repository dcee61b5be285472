/**
 * `amof grep`, from outside.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { callsOfGit, perClone } from "../support/calls_of_git.ts";
import { IN_TABLES, program, type Ran, World } from "../support/world.ts";

Deno.test("amof grep ends when its reader leaves", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `r${String(index + 10)}`);
  await using world = await World.installed({ repos: names });
  for (const name of names) {
    await Deno.writeTextFile(
      join(world.clone(name), "README.md"),
      "a line to find\n".repeat(5_000),
    );
  }
  const noted = join(world.directory, "searched");
  const env = await world.wrapGit(
    `case "$*" in *" grep "*) echo x >> '${noted}'; sleep 0.1 ;; esac`,
  );
  const piped = await world.command("sh", [
    "-c",
    `{ "$@"; echo "code $?" >&2; } | head -n 1`,
    "sh",
    ...program(),
    "grep",
    "--jobs",
    "1",
    "to find",
  ], { env });
  assertEquals(piped.stdout, "worktrees/demo/repos/r10/README.md:1:a line to find\n");
  assertEquals(piped.stderr, "code 0\n");
  const searched = (await Deno.readTextFile(noted)).split("\n").length - 1;
  assertEquals(searched < names.length, true, String(searched));
});

/** Three repositories with things to find. */
function busy(): Promise<World> {
  return World.like("grep", async (world) => {
    await world.makeInstalled({ repos: ["api", "web", "lib"] });
    const files: readonly (readonly [string, string, string])[] = [
      ["api", "src/one.ts", "first\n// TODO one\nlast TODO: two\n"],
      ["api", "odd name:1.txt", "todo (a|b)\n"],
      ["web", "src/two.ts", "-TODO dash\r\n"],
      ["web", "data.bin", "TODO\0\0"],
    ];
    for (const [repo, file, text] of files) {
      await world.write(join("control/worktrees/demo/repos", repo, file), text);
    }
    for (const repo of ["api", "web"]) {
      await world.git(world.clone(repo), "add", ".");
      await world.git(world.clone(repo), "commit", "--quiet", "-m", "More");
    }
    await world.git(world.clone("api"), "tag", "v1");
    await Deno.writeTextFile(join(world.clone("api"), "src", "one.ts"), "nothing\n");
    await Deno.writeTextFile(join(world.clone("lib"), "new.txt"), "TODO new\n");
  });
}

function found(ran: Ran): unknown[] {
  return rows(ran.json(), "hits").map(({ repo, line, text }) => [repo, line, text]);
}

Deno.test("amof grep prints places that can be opened from where one stands, with one git process each", async () => {
  await using world = await busy();
  await Deno.writeTextFile(join(world.clone("api"), "src", "one.ts"), "first\n// TODO one\n");
  const { ran, calls } = await callsOfGit(world, ["grep", "TODO"]);
  assertEquals([ran.code, ran.stderr], [0, ""]);
  assertEquals(ran.stdout.split("\n"), [
    "worktrees/demo/repos/api/src/one.ts:2:// TODO one",
    "worktrees/demo/repos/web/data.bin:(not a text file)",
    "worktrees/demo/repos/web/src/two.ts:1:-TODO dash",
    "",
  ]);
  assertEquals(perClone(calls), { api: ["grep"], web: ["grep"], lib: ["grep"] });
  // Git alone says which branch a workspace has where refs are tables.
  assertEquals(calls.length, IN_TABLES ? 4 : 3);
  const inside = await world.amof(["grep", "-l", "TODO"], { cwd: join(world.clone("web"), "src") });
  assertEquals(inside.stdout, "../../api/src/one.ts\n../data.bin\ntwo.ts\n");
});

Deno.test("amof grep looks for what it is asked for", async () => {
  await using world = await busy();
  const cases: readonly (readonly [readonly string[], readonly unknown[]])[] = [
    [["-i", "-w", "todo", "--", "*.txt"], [["api", 1, "todo (a|b)"]]],
    [["-F", "(a|b)"], [["api", 1, "todo (a|b)"]]],
    [["-E", "^(none|-)TODO", "src"], [["web", 1, "-TODO dash"]]],
    [["--repo", "web", "-n", "--", "-TODO"], [["web", 1, "-TODO dash"]]],
    [["--untracked", "--repo", "lib", "TODO"], [["lib", 1, "TODO new"]]],
    [["--at", "v1", "TODO o"], [["api", 2, "// TODO one"]]],
    [["--only", "dirty", "TODO"], []],
    [["no such thing"], []],
  ];
  for (const [args, expected] of cases) {
    const ran = await world.amof(["grep", "--json", ...args]);
    assertEquals([ran.code, found(ran)], [0, [...expected]], args.join(" "));
  }
  const at = await world.amof(["grep", "--at", "v1", "TODO o"]);
  assertEquals(at.stdout, "v1:worktrees/demo/repos/api/src/one.ts:2:// TODO one\n");
  assertStringIncludes(at.stderr, "Not searched, without v1: web and lib");
  assertEquals((await world.amof(["grep", "--check", "TODO"])).code, 3);
  assertEquals((await world.amof(["grep", "--check", "no such thing"])).code, 0);
  for (
    const wrong of [["["], ["-E", "a("], ["-E", "-F", "x"], ["x", "../y"], ["x", "--at", "-O"]]
  ) {
    const ran = await world.amof(["grep", ...wrong]);
    assertEquals([ran.code, ran.stdout], [2, ""], wrong.join(" "));
  }
});

Deno.test("amof grep runs nothing that a repository names, and a reader that leaves is no failure", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const evil = await world.script("evil", `touch '${join(world.directory, "ran")}'\ncat`);
  await Deno.writeTextFile(join(clone, ".gitattributes"), "* diff=evil\n");
  await Deno.writeTextFile(join(clone, "many.txt"), "a line \u001b[31mred\n".repeat(3_000));
  await world.git(clone, "add", "many.txt", ".gitattributes");
  for (
    const [name, value] of [
      ["core.pager", evil],
      ["pager.grep", "true"],
      ["diff.evil.textconv", evil],
      ["core.fsmonitor", evil],
      ["grep.column", "true"],
      ["grep.patternType", "fixed"],
      ["grep.fullName", "false"],
      ["color.ui", "always"],
      ["color.grep", "always"],
    ] as const
  ) await world.git(clone, "config", name, value);
  const ran = await world.amof(["grep", "a.li[n]e"]);
  const lines = ran.stdout.split("\n");
  assertEquals([lines.length, lines[2_999]], [
    3_001,
    "worktrees/demo/repos/api/many.txt:3000:a line red",
  ]);
  assertEquals(await world.exists("ran"), false);
  const piped = await world.command("sh", [
    "-c",
    `{ "$@"; echo "code $?" >&2; } | head -n 1`,
    "sh",
    ...program(),
    "grep",
    "line",
  ]);
  assertEquals(piped.stdout, "worktrees/demo/repos/api/many.txt:1:a line red\n");
  assertStringIncludes(piped.stderr, "code 0");
});
