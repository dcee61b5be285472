/**
 * Selecting repositories, from outside: every command touches those that are selected and no others.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { basename, join } from "@std/path";
import fc from "fast-check";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import { SELECTION_FLAGS } from "../../src/commands/selection/mod.ts";
import { rows } from "../support/answers.ts";
import { cases } from "../support/sample.ts";
import { IN_TABLES, World } from "../support/world.ts";

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
  options: { readonly cwd?: string; readonly code?: number | null } = {},
): Promise<{
  readonly calls: Record<string, number>;
  readonly answer: Record<string, unknown>;
  readonly code: number;
}> {
  const log = join(world.directory, "calls");
  const env = await world.wrapGit(`pwd >> '${log}'`);
  await Deno.writeTextFile(log, "");
  const behind = args.indexOf("--");
  const at = behind < 0 ? args.length : behind;
  const { cwd, code: due = 0 } = options;
  const line = [...args.slice(0, at), "--json", ...args.slice(at)];
  const { code, ...ran } = await world.amof(line, { ...(cwd === undefined ? {} : { cwd }), env });
  if (due !== null) assertEquals(code, due, ran.stdout);
  const calls: Record<string, number> = {};
  for (const line of (await Deno.readTextFile(log)).trim().split("\n")) {
    if (!line.startsWith(world.workspace() + "/repos/")) continue;
    calls[basename(line)] = (calls[basename(line)] ?? 0) + 1;
  }
  return { calls, answer: ran.json(), code };
}

const names = (answer: Record<string, unknown>) => rows(answer, "repos").map(({ name }) => name);

/** What git alone reads where refs are in tables. */
const T = IN_TABLES ? 1 : 0;

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
      const due = expected.map((name) => [name, (name === "web" ? 2 : 1) + T]);
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
    assertEquals(dirty.calls, { "svc-a": 1 + T, "svc-b": 1 + T, web: 2 + T, docs: 1 + T });
    const narrow = await gitCalls(world, ["status", "--only", "!readonly", "--tag", "shop"]);
    assertEquals(names(narrow.answer), ["svc-a", "web"]);
    assertEquals(narrow.calls, { "svc-a": 1 + T, web: 2 + T });
    const none = await gitCalls(world, ["status", "--only", "diverged"]);
    assertEquals([names(none.answer), none.answer["summary"]], [
      [],
      "No repository is as asked: diverged.",
    ]);
    const synced = await gitCalls(world, ["sync", "--tag", "backend", "--repo", "!svc-b"]);
    assertEquals(synced.calls, { "svc-a": 2 + 7 * T });
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
    assertEquals(base.calls, { "svc-a": 1 + T, "svc-b": 1 + T, web: 3 + T });
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
    assertEquals(pushed.calls, { "svc-a": 1 + T, "svc-b": 1 + T, ...alone.calls, docs: 1 + T });

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
    // Two for the start, and a look at those that only might have been chosen.
    const { "svc-a": taken, ...looked } = started.calls;
    assertEquals([taken, looked], [2 + 7 * T, { web: 2 + T }]);
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

/** Every command with a selection that asks git in clones, called so that it changes none of them. */
const SELECTING: Readonly<Record<string, readonly string[]>> = {
  "branches": [],
  "commit": ["--dry-run", "--allow-base", "--message", "x"],
  "diff": ["--stat"],
  "exec": ["--", "git", "--version"],
  "grep": ["x"],
  "log": [],
  "push": ["--dry-run", "--allow-base"],
  "run": ["version"],
  "status": [],
  "sync": [],
  "ticket start": ["T-2", "--stash", "--dry-run"],
  "ticket update": ["T-1", "--offline", "--dry-run"],
};

/** Those that leave a selected repository alone that is read-only, and say so, without asking git. */
const PASSING_READ_ONLY: readonly string[] = ["ticket start"];

/** Those with one that do not, or have surroundings of their own. */
const SELECTING_ELSEWHERE: Readonly<Record<string, string>> = {
  "clones that are made, see above": "install",
  "a question about what was approved": "exec trust",
  "a train, which has a world of its own":
    "release train status, release train bump, release train promote",
  "campaigns, which have clones of their own": "campaign start",
  "tickets with workspaces of their own": "ticket add, ticket try, ticket conflicts",
  "repositories that keep the ticket, see the tests of its cleanup": "ticket end",
  "runs that are over": "undo",
};

Deno.test("every command that takes a selection is held to it by a property, or stands elsewhere", () => {
  const elsewhere = Object.values(SELECTING_ELSEWHERE).flatMap((words) => words.split(", "));
  const selecting = COMMANDS.filter((command) =>
    command.kind !== "redeem" &&
    Object.entries(SELECTION_FLAGS).every(([member, flag]) => command.flags?.[member] === flag)
  ).map(({ path }) => path.join(" "));
  assertEquals(selecting.sort(), [...Object.keys(SELECTING), ...elsewhere].sort());
});

Deno.test({
  name: "for any selection every command starts git in exactly the selected repositories",
  ignore: !POSIX,
  async fn() {
    await using world = await shop();
    await world.write(
      "control/ecosystems/demo/ecosystem.yaml",
      `${await Deno.readTextFile(
        join(world.control, "ecosystems", "demo", "ecosystem.yaml"),
      )}tasks: {version: {run: [git, --version]}}\n`,
    );
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
    });
    const calls = Object.entries(SELECTING).flatMap(([command, more]) =>
      fc.sample(selections, cases(10, 1)).map((selection) => ({ command, more, ...selection }))
    );
    let begun = false;
    for (const { command, more, repos, tags } of calls) {
      // While a ticket is active, the start of another one looks at what it leaves, too.
      if (command === "ticket update" && !begun) {
        const started = await world.amof(["ticket", "start", "T-1", "--stash", "--offline"]);
        assertEquals(started.code, 0, started.stderr);
        begun = true;
      }
      const expected = REPOS.filter((name) => passes(repos, name) && passes(tags, name));
      const args = [
        ...command.split(" "),
        ...repos.length === 0 ? [] : [`--repo=${repos.join(",")}`],
        ...tags.flatMap((tag) => ["--tag", tag]),
        ...more,
      ];
      const { calls: made, answer, code } = await gitCalls(world, args, { code: null });
      if (expected.length === 0) {
        assertEquals([code, answer["error"]], [2, "repo_not_found"], args.join(" "));
      }
      const asked = PASSING_READ_ONLY.includes(command)
        ? expected.filter((name) => name !== "docs")
        : expected;
      assertEquals(
        Object.keys(made).sort(),
        asked.toSorted(),
        `${args.join(" ")}: ${JSON.stringify(answer)}`,
      );
    }
  },
});
