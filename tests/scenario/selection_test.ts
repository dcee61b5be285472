/**
 * Selecting repositories, from outside: every command touches those that are selected and no others.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { basename, join } from "@std/path";
import fc from "fast-check";
import { rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** Git is wrapped in a shell script. */
const POSIX = Deno.build.os !== "windows";

const REPOS = ["svc-a", "svc-b", "web", "docs"];

/** Four repositories with tags and a group: `svc-b` is dirty, `web` has a commit to push, `docs` is read-only. */
function shop(): Promise<World> {
  return World.like("shop", async (world) => {
    await world.makeInstalled({ repos: REPOS, readonly: ["docs"] });
    const manifest = await Deno.readTextFile(
      join(world.control, "ecosystems", "demo", "ecosystem.yaml"),
    );
    const tagged = manifest.replaceAll(/(name: (svc-a|svc-b))\n/g, "$1\n    tags: [backend]\n");
    await world.write(
      "control/ecosystems/demo/ecosystem.yaml",
      `${tagged}groups:\n  shop: [web, svc-a]\n`,
    );
    await Deno.writeTextFile(join(world.clone("svc-b"), "new.txt"), "new\n");
    await world.git(world.clone("web"), "switch", "--quiet", "-c", "feature/X-1");
    await Deno.writeTextFile(join(world.clone("web"), "page.txt"), "page\n");
    await world.git(world.clone("web"), "add", ".");
    await world.git(world.clone("web"), "commit", "--quiet", "-m", "Add a page");
  });
}

/** How often a command started git in each clone, by repository; those without any are left out. */
async function gitCalls(
  world: World,
  args: readonly string[],
  options: { readonly cwd?: string; readonly code?: number } = {},
): Promise<{ readonly calls: Record<string, number>; readonly answer: Record<string, unknown> }> {
  const log = join(world.directory, "calls");
  const env = await world.wrapGit(`pwd >> '${log}'`);
  await Deno.writeTextFile(log, "");
  const { code, ...ran } = await world.amof([...args, "--json"], { ...options, env });
  assertEquals(code, options.code ?? 0, ran.stdout);
  const calls: Record<string, number> = {};
  for (const line of (await Deno.readTextFile(log)).trim().split("\n")) {
    if (!line.startsWith(world.workspace() + "/repos/")) continue;
    calls[basename(line)] = (calls[basename(line)] ?? 0) + 1;
  }
  return { calls, answer: ran.json() };
}

const names = (answer: Record<string, unknown>) => rows(answer, "repos").map(({ name }) => name);

Deno.test({
  name: "amof status starts one git process in each selected repository, and none in any other",
  ignore: !POSIX,
  async fn() {
    await using world = await shop();
    const selections: readonly (readonly [readonly string[], readonly string[]])[] = [
      [["--repo", "web,svc-a"], ["svc-a", "web"]],
      [["--repo", "svc-*", "--repo", "!svc-b"], ["svc-a"]],
      [["--repo", "!web"], ["svc-a", "svc-b", "docs"]],
      [["--tag", "backend"], ["svc-a", "svc-b"]],
      [["--tag", "backend,shop", "--repo", "!svc-b"], ["svc-a", "web"]],
      [["--repo", "."], ["web"]],
    ];
    for (const [flags, expected] of selections) {
      const { calls, answer } = await gitCalls(world, ["status", ...flags], {
        cwd: world.clone("web"),
      });
      assertEquals(names(answer), [...expected], flags.join(" "));
      // A branch without an upstream costs a second one.
      const due = expected.map((name) => [name, name === "web" ? 2 : 1]);
      assertEquals(calls, Object.fromEntries(due), flags.join(" "));
    }
  },
});

Deno.test({
  name: "amof status --only looks at each repository once, and sync then at those it keeps",
  ignore: !POSIX,
  async fn() {
    await using world = await shop();
    const dirty = await gitCalls(world, ["status", "--only", "dirty,ahead"]);
    assertEquals(names(dirty.answer), ["svc-b", "web"]);
    assertEquals(dirty.calls, { "svc-a": 1, "svc-b": 1, web: 2, docs: 1 });
    const narrow = await gitCalls(world, ["status", "--only", "!readonly", "--tag", "shop"]);
    assertEquals(names(narrow.answer), ["svc-a", "web"]);
    assertEquals(narrow.calls, { "svc-a": 1, web: 2 });
    const none = await gitCalls(world, ["status", "--only", "diverged"]);
    assertEquals([names(none.answer), none.answer["summary"]], [
      [],
      "No repository is as asked: diverged.",
    ]);
    const synced = await gitCalls(world, ["sync", "--tag", "backend", "--repo", "!svc-b"]);
    assertEquals(synced.calls, { "svc-a": 2 });
  },
});

Deno.test({
  name:
    "amof status --only changed compares with the base branch or what is named, and asks no more than it must",
  ignore: !POSIX,
  async fn() {
    await using world = await shop();
    await world.git(world.clone("svc-a"), "tag", "v1");
    const base = await gitCalls(world, ["status", "--only", "changed", "--repo", "!docs"]);
    assertEquals(names(base.answer), ["svc-b", "web"]);
    // The branch of web follows nothing, so its base branch is asked.
    assertEquals(base.calls, { "svc-a": 1, "svc-b": 1, web: 3 });
    // What does not know the tag is new altogether.
    const tag = await gitCalls(world, ["status", "--only", "changed=v1"]);
    assertEquals(names(tag.answer), ["svc-b", "web", "docs"]);
    const nobody = await gitCalls(world, ["status", "--only", "changed=v2"], { code: 2 });
    assertEquals(nobody.answer["error"], "invalid_arguments");
    const option = await gitCalls(world, ["status", "--only", "changed=--all"], { code: 2 });
    assertEquals(option.answer["error"], "invalid_arguments");
  },
});

Deno.test("amof sync --repo . means the repository one stands in, also where a worker does it", async () => {
  await using world = await shop();
  const ran = await world.amof(["sync", "--repo", ".", "--json"], {
    cwd: join(world.clone("svc-a"), ".git", ".."),
  });
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(rows(ran.json(), "result", "repos").map(({ name }) => name), ["svc-a"]);
  const others = await world.amof(["sync", "--repo", "!.", "--dry-run", "--json"], {
    cwd: world.clone("svc-a"),
  });
  assertEquals(
    rows(others.json(), "preview", "repos").map(({ name }) => name),
    ["svc-b", "web", "docs"],
  );
  const nowhere = await world.amof(["sync", "--repo", ".", "--json"]);
  assertEquals([nowhere.code, nowhere.json()["error"]], [2, "repo_not_found"]);
});

Deno.test({
  name: "amof push, ticket start and install touch what is selected, and look at it once",
  ignore: !POSIX,
  async fn() {
    await using world = await shop();
    const pushed = await gitCalls(world, ["push", "--only", "ahead", "--dry-run"]);
    assertEquals(
      rows(pushed.answer, "preview", "repos").map(({ name }) => name),
      ["web"],
    );
    // All are looked at, and the one that goes costs what it costs alone.
    const alone = await gitCalls(world, ["push", "--repos", "web", "--dry-run"]);
    assertEquals(Object.keys(alone.calls), ["web"]);
    assertEquals(pushed.calls, { "svc-a": 1, "svc-b": 1, ...alone.calls, docs: 1 });

    const nothing = await gitCalls(world, ["push", "--only", "diverged"]);
    assertEquals(
      [nothing.answer["outcome"], nothing.answer["summary"]],
      ["success", "No repository is as asked: diverged."],
    );

    const started = await gitCalls(world, [
      "ticket",
      "start",
      "T-1",
      "--tag",
      "shop",
      "--only",
      "!work",
      "--offline",
    ]);
    assertEquals(names(started.answer), ["svc-a"]);
    // Three for the start, and one look at those that only might have been chosen.
    const { "svc-a": taken, ...looked } = started.calls;
    assertEquals([taken, looked], [3, { web: 2 }]);
  },
});

Deno.test("amof install makes a workspace of the selected repositories, and sync --only missing the rest", async () => {
  await using world = await World.withEcosystem({
    repos: REPOS,
    extra: "groups: {few: [web, docs]}",
  });
  const installed = await world.amof(["install", "--tag", "few", "--yes", "--json"]);
  assertEquals(installed.code, 0, installed.stdout);
  assertEquals(
    rows(installed.json(), "result", "repos").map(({ name, result }) => [name, result]),
    [["web", "cloned"], ["docs", "cloned"]],
  );
  const repaired = await world.amof(["install", "--repair", "--repo", "svc-a", "--yes", "--json"]);
  assertEquals(
    rows(repaired.json(), "result", "repos").map(({ name, result }) => [name, result]),
    [["svc-a", "cloned"]],
  );
  const synced = await world.amof(["sync", "--only", "missing", "--json"]);
  assertEquals(
    rows(synced.json(), "result", "repos").map(({ name, result }) => [name, result]),
    [["svc-b", "cloned"]],
  );
});

Deno.test({
  name: "for any selection status and sync start git in exactly the selected repositories",
  ignore: !POSIX,
  async fn() {
    await using world = await shop();
    const tagged: Readonly<Record<string, readonly string[]>> = {
      backend: ["svc-a", "svc-b"],
      shop: ["web", "svc-a"],
    };
    const fit = (word: string) => (name: string) =>
      tagged[word]?.includes(name) ?? new RegExp(`^${word.replace("*", ".*")}$`).test(name);
    const words = (...from: readonly string[]) =>
      fc.uniqueArray(
        fc.tuple(fc.constantFrom("", "", "!"), fc.constantFrom(...from)).map((each) =>
          each.join("")
        ),
        { maxLength: 3 },
      );
    const passes = (given: readonly string[], name: string) => {
      const including = given.filter((word) => !word.startsWith("!"));
      return (including.length === 0 || including.some((word) => fit(word)(name))) &&
        !given.some((word) => word.startsWith("!") && fit(word.slice(1))(name));
    };
    const selections = fc.record({
      repos: words(...REPOS, "svc-*", "*"),
      tags: words("backend", "shop"),
      command: fc.constantFrom(["status"], ["sync"], ["push", "--dry-run"]),
    });
    for (const { repos, tags, command } of fc.sample(selections, 10)) {
      const expected = REPOS.filter((name) => passes(repos, name) && passes(tags, name));
      const args = [
        ...command,
        ...repos.length === 0 ? [] : [`--repo=${repos.join(",")}`],
        ...tags.flatMap((tag) => ["--tag", tag]),
      ];
      const { calls, answer } = await gitCalls(world, args, {
        code: expected.length === 0 ? 2 : 0,
      });
      if (expected.length === 0) assertEquals(answer["error"], "repo_not_found", args.join(" "));
      assertEquals(Object.keys(calls).sort(), [...expected].sort(), args.join(" "));
    }
  },
});
