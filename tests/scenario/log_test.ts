/**
 * `amof log`, from outside.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { callsOfGit, perClone } from "../support/calls_of_git.ts";
import { IN_TABLES, type Ran, World } from "../support/world.ts";

/** Commits a file at a moment. */
async function commit(
  world: World,
  repo: string,
  { file, at, author = "Tester" }: {
    readonly file: string;
    readonly at: string;
    readonly author?: string;
  },
): Promise<void> {
  const cwd = world.clone(repo);
  await Deno.writeTextFile(join(cwd, file), `${at}\n`);
  await world.git(cwd, "add", file);
  const ran = await world.command("git", ["commit", "--quiet", "-m", `${repo}: ${file}`], {
    cwd,
    env: { GIT_COMMITTER_DATE: at, GIT_AUTHOR_NAME: author },
  });
  assertEquals(ran.code, 0, ran.stderr);
}

/** Three repositories whose commits interleave, and a ticket. */
function busy(): Promise<World> {
  return World.like("log", async (world) => {
    await world.makeInstalled({ repos: ["api", "web", "lib"] });
    await commit(world, "api", { file: "a1", at: "2026-02-01T00:00:00Z" });
    await commit(world, "web", { file: "w1", at: "2026-02-02T00:00:00Z", author: "Ada.L" });
    await commit(world, "api", { file: "a2", at: "2026-02-03T00:00:00Z", author: "Ada.L" });
    await world.git(world.clone("web"), "switch", "--quiet", "-c", "feature/T-1");
    await commit(world, "web", { file: "w2", at: "2026-02-04T00:00:00Z" });
    await world.patchState({
      tickets: {
        "T-1": {
          created_at: "2026-02-01T00:00:00.000Z",
          ecosystem: "demo",
          repos: { web: "feature/T-1", api: "feature/T-1" },
        },
      },
    });
  });
}

function subjects(ran: Ran): unknown[] {
  return rows(ran.json(), "commits").map((row) => row["subject"]);
}

Deno.test("amof log merges the commits of all repositories by time, with one git process each", async () => {
  await using world = await busy();
  const { ran, calls } = await callsOfGit(world, ["log", "--json"]);
  const begun = ["Begin api", "Begin web", "Begin lib"];
  assertEquals(subjects(ran), ["web: w2", "api: a2", "web: w1", "api: a1", ...begun]);
  assertEquals(perClone(calls), { api: ["log"], web: ["log"], lib: ["log"] });
  // Git alone says which branch a workspace has where refs are tables.
  assertEquals(calls.length, IN_TABLES ? 4 : 3);
  assertEquals(rows(ran.json(), "commits")[1], {
    repo: "api",
    commit: await world.git(world.clone("api"), "rev-parse", "HEAD"),
    committed_at: "2026-02-03T00:00:00.000Z",
    author: "Ada.L",
    subject: "api: a2",
  });
  const shown = await world.amof(["log", "-n", "2"]);
  assertMatch(
    shown.stdout,
    /^REPO +COMMIT +WHEN +AUTHOR +SUBJECT\nweb .* w2\napi .*Ada\.L +api: a2\n/m,
  );
  assertStringIncludes(shown.stdout, "--limit");
});

Deno.test("amof log shows what it is asked for", async () => {
  await using world = await busy();
  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [["--since", "2026-02-02", "--until", "2026-02-03T12:00"], ["api: a2", "web: w1"]],
    [["--author", "ada.l"], ["api: a2", "web: w1"]],
    [["--repo", "api", "a1"], ["api: a1"]],
    [["--", "a*", "w1"], ["api: a2", "web: w1", "api: a1"]],
    // Of a ticket what its branches have and their bases have not; not every branch is there.
    [["--ticket", "T-1"], ["web: w2"]],
    [["--ticket", "T-1", "--repo", "lib"], []],
    [["--author", "a.a.l"], []],
  ];
  for (const [args, expected] of cases) {
    assertEquals(
      subjects(await world.amof(["log", "--json", ...args])),
      [...expected],
      args.join(" "),
    );
  }
  await world.git(world.clone("web"), "switch", "--quiet", "main");
  const all = await world.amof(["log", "--json", "--all-branches", "-n", "1"]);
  assertEquals(rows(all.json(), "commits")[0]?.["branch"], "feature/T-1");
  for (const wrong of [["--since", "soon"], ["../x"], ["--ticket", "T-2"], ["--limit", "0"]]) {
    assertEquals((await world.amof(["log", ...wrong])).code, 2, wrong.join(" "));
  }
});

Deno.test("amof log tells of repositories that it cannot read, and shows the others", async () => {
  await using world = await busy();
  await Deno.remove(world.clone("lib"), { recursive: true });
  await Deno.remove(join(world.clone("web"), ".git", "HEAD"));
  const ran = await world.amof(["log", "--json"]);
  assertEquals([ran.code, ran.json()["error"]], [5, "partial_failure"]);
  assertEquals(subjects(ran), ["api: a2", "api: a1", "Begin api"]);
  assertEquals(rows(ran.json(), "unread").map(({ name, reason }) => [name, reason]), [
    ["web", "failed"],
    ["lib", "missing"],
  ]);
  // A clone that is missing is no failure.
  const others = await world.amof(["log", "--repo", "api,lib"]);
  assertEquals(others.code, 0);
  assertStringIncludes(others.stdout, "Not cloned: lib");
});

Deno.test("amof log runs nothing that a repository names, and shows no control characters", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const ran = join(world.directory, "ran");
  const evil = await world.script("evil", `touch '${ran}'\ncat`);
  for (
    const [name, value] of [
      ["core.pager", evil],
      ["diff.external", evil],
      ["pager.log", "true"],
      ["diff.evil.textconv", evil],
      ["log.showSignature", "true"],
      ["gpg.program", evil],
      ["format.pretty", "raw"],
      ["color.ui", "always"],
    ] as const
  ) await world.git(clone, "config", name, value);
  await Deno.writeTextFile(join(clone, ".gitattributes"), "* diff=evil\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "red \u001b[31m and \u202e back");
  const log = await world.amof(["log", "-n", "1", "--", ".gitattributes"]);
  assertEquals(log.code, 0);
  assertMatch(log.stdout, /red {2}and {2}back|red and back/);
  assertEquals(await world.exists(ran), false);
});
