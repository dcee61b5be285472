/**
 * What surrounds the program: environment variables, git's configuration, and its own files in bad shape, from
 * outside.
 *
 * @module
 */

import {
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertObjectMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { pick, rows } from "../support/answers.ts";
import { program, World } from "../support/world.ts";

/** Permissions and shell scripts are POSIX matters. */
const POSIX = Deno.build.os !== "windows";
/** The superuser may write everywhere, whatever the permissions say. */
const SUPERUSER = POSIX && Deno.uid() === 0;

/** The directory of the state database. */
function stateHome(world: World): string {
  return join(world.env["AMOF_HOME"] ?? "", "state");
}

Deno.test("amof status ignores the repository that GIT_DIR and its kin name", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  const plain = await world.amof(["status", "--json"]);
  const seed = join(world.directory, "seed", "api");
  const env = {
    GIT_DIR: join(seed, ".git"),
    GIT_WORK_TREE: seed,
    GIT_INDEX_FILE: join(seed, ".git", "other-index"),
    GIT_COMMON_DIR: join(seed, ".git"),
    GIT_OBJECT_DIRECTORY: join(seed, ".git", "objects"),
    GIT_NAMESPACE: "other",
    GIT_PREFIX: "deep/",
  };
  const ran = await world.amof(["status", "--json"], { env });
  assertEquals(ran.code, 0);
  assertEquals(rows(ran.json(), "repos"), rows(plain.json(), "repos"));
});

Deno.test("amof push ignores the repository that GIT_DIR and its kin name", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const head = await world.commitOnFeature("api");
  const other = join(world.directory, "seed", "api");
  const env = { GIT_DIR: join(other, ".git"), GIT_WORK_TREE: other };
  const before = await world.git(other, "for-each-ref");
  const ran = await world.amof(["push", "--yes"], { env });
  assertEquals(ran.code, 0);
  assertEquals(
    await world.git(join(world.remotes, "api.git"), "rev-parse", "feature/T-1"),
    head,
  );
  assertEquals(await world.git(other, "for-each-ref"), before);
});

Deno.test("amof status reads the same whatever the user's git configuration says", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await Deno.writeTextFile(join(world.clone("api"), "näme.txt"), "new\n");
  const plain = await world.amof(["status", "--json"]);
  await world.write(
    "gitconfig",
    [
      "[color]",
      "  ui = always",
      "[status]",
      "  showUntrackedFiles = no",
      "  short = true",
      "  relativePaths = false",
      "  aheadBehind = false",
      "[core]",
      "  quotePath = true",
      "[push]",
      "  default = nothing",
      "",
    ].join("\n"),
  );
  const env = { GIT_CONFIG_GLOBAL: join(world.directory, "gitconfig") };
  const ran = await world.amof(["status", "--json"], { env });
  assertEquals(rows(ran.json(), "repos"), rows(plain.json(), "repos"));
  assertObjectMatch(rows(ran.json(), "repos")[0] ?? {}, { status: "DIRTY+UNPUSHED", ahead: 1 });
});

Deno.test({
  name: "amof status runs no program that a repository's configuration names",
  ignore: !POSIX, // shell scripts
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const clone = world.clone("api");
    const trap = await world.script("trap", `echo "$0 $*" >> '${world.directory}/sprung.txt'`);
    for (
      const [name, value] of [
        ["core.fsmonitor", trap],
        ["core.pager", trap],
        ["core.sshCommand", trap],
        ["core.askPass", trap],
        ["diff.external", trap],
        ["core.hooksPath", join(world.directory, "hooks")],
      ] as const
    ) await world.git(clone, "config", name, value);
    for (const hook of ["post-index-change", "post-checkout", "reference-transaction"]) {
      await world.script(`hooks/${hook}`, `echo ${hook} >> '${world.directory}/sprung.txt'`);
    }
    await Deno.writeTextFile(join(clone, "README.md"), "changed\n");
    // Not even what its owner knows is run to look at it.
    await world.trust(clone);
    assertEquals((await world.amof(["status", "--fetch", "--json"])).code, 0);
    assertEquals((await world.amof(["push", "--dry-run", "--commit"])).code, 0);
    assertEquals(await world.exists("sprung.txt"), false);
  },
});

Deno.test({
  name: "amof push gives its hooks nothing out of .env files",
  ignore: !POSIX, // a hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    for (const place of ["control", "control/worktrees/demo", "home"]) {
      await world.write(`${place}/.env`, "AMOF_STOLEN=value\nGIT_TOKEN=value\n");
    }
    const seen = join(world.directory, "seen.txt");
    await world.hook(join(world.clone("api"), ".git"), "pre-push", `env > '${seen}'`);
    assertEquals((await world.amof(["push", "--yes"])).code, 0);
    const environment = await Deno.readTextFile(seen);
    assertMatch(environment, /^HOME=/m);
    assertNotMatch(environment, /AMOF_STOLEN|GIT_TOKEN/);
  },
});

Deno.test("amof says so when there is no git", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const ran = await world.amof(["status"], {
    env: { PATH: join(world.directory, "nowhere"), AMOF_PATH: "" },
  });
  assertEquals(ran.code, 1);
  assertEquals(ran.stdout, "");
  assertStringIncludes(ran.stderr, "git was not found");
  assertStringIncludes(ran.stderr, "Install git");
});

/** Starts the program with nothing in its environment but `env`. */
function bare(world: World, env: Readonly<Record<string, string>>, args: readonly string[]) {
  const needed = ["HOME", "DENO_DIR", "XDG_CACHE_HOME", "AMOF_HOME"].flatMap((name) => {
    const value = world.env[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return world.command("env", ["-i", ...needed, ...given, ...program(), ...args]);
}

Deno.test({
  name: "amof finds git where it usually is, whatever the host that starts it says of PATH",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const git = await world.command("sh", ["-c", "command -v git"]);
    const own = join(world.directory, "own");
    await Deno.mkdir(own);
    await Deno.symlink(git.stdout.trim(), join(own, "git"));
    const args = ["--root", world.control, "-e", "demo", "status", "--json"];
    for (
      const env of [{}, { PATH: "" }, { PATH: "/nowhere" }, { PATH: "bin", AMOF_PATH: own }]
    ) {
      const ran = await bare(world, env, args);
      assertEquals([ran.code, ran.stderr], [0, ""], JSON.stringify(env));
    }
  },
});

Deno.test({
  name: "amof mcp serve tells the log of its host that there is no git, and serves",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    for (const [env, where] of [[{}, ": PATH names no directory"], [{ PATH: "/nowhere" }, " in"]]) {
      const ran = await bare(world, { ...(env as Record<string, string>), AMOF_PATH: "" }, [
        "mcp",
        "serve",
        "--root",
        world.control,
      ]);
      assertEquals([ran.code, ran.stdout], [0, ""]);
      assertStringIncludes(ran.stderr, `amof: git was not found${where}`);
      assertStringIncludes(ran.stderr, "AMOF_PATH");
    }
  },
});

Deno.test("amof reports a damaged state database and leaves it as it is", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const file = join(stateHome(world), "amof.db");
  const garbage = "This is no database. ".repeat(500);
  await Deno.mkdir(stateHome(world), { recursive: true });
  await Deno.writeTextFile(file, garbage);
  const before = await world.fingerprint();
  for (const args of [["runs", "list"], ["install", "--yes"], ["install"], ["ecosystem", "list"]]) {
    const ran = await world.amof([...args, "--json"]);
    assertEquals(ran.code, 1, args.join(" "));
    assertEquals(pick(ran.json(), "error"), "state_corrupt", args.join(" "));
    assertMatch(String(pick(ran.json(), "message")), /state database .*amof\.db/);
    assertMatch(String(pick(ran.json(), "hint")), /move it away/);
    assertNotMatch(ran.stderr, /^\s+at /m);
  }
  assertEquals(await Deno.readTextFile(file), garbage);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof reports a state database of a newer program and leaves it as it is", async () => {
  await using world = await World.installed({ repos: [] });
  const file = join(stateHome(world), "amof.db");
  {
    using database = new DatabaseSync(file);
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA user_version = 999");
  }
  const before = await Deno.readFile(file);
  const ran = await world.amof(["runs", "list", "--json"]);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "state_corrupt");
  assertMatch(String(pick(ran.json(), "message")), /newer amof/);
  using database = new DatabaseSync(file, { readOnly: true });
  assertEquals(database.prepare("PRAGMA user_version").get()?.["user_version"], 999);
  assertEquals(before.length, (await Deno.readFile(file)).length);
});

Deno.test("amof status needs no state directory of its own", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.write("a-file", "");
  const env = { AMOF_HOME: join(world.directory, "a-file") };
  const status = await world.amof(["status", "--json"], { env });
  assertEquals(status.code, 0);
  assertEquals(status.stderr, "");
  assertEquals(pick(status.json(), "repos", 0, "status"), "OK");
  assertEquals((await world.amof(["manifest", "validate"], { env })).code, 0);
});

Deno.test("amof push does nothing when its state directory cannot be made", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await world.write("a-file", "");
  const before = await world.fingerprint();
  const env = { AMOF_HOME: join(world.directory, "a-file") };
  const ran = await world.amof(["push", "--yes", "--json"], { env });
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "state_corrupt");
  assertMatch(String(pick(ran.json(), "hint")), /permissions/);
  assertEquals(await world.changesSince(before), []);
});

Deno.test({
  name: "amof push does nothing when its state directory may not be written",
  // Permissions mean nothing to the superuser, and something else on Windows.
  ignore: !POSIX || SUPERUSER,
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    const home = join(world.directory, "locked");
    await Deno.mkdir(home, { mode: 0o500 });
    const before = await world.fingerprint();
    const env = { AMOF_HOME: home };
    const ran = await world.amof(["push", "--yes", "--json"], { env });
    assertEquals(ran.code, 1);
    assertEquals(pick(ran.json(), "error"), "state_corrupt");
    assertEquals((await world.amof(["status"], { env })).code, 0);
    assertEquals(await world.changesSince(before), []);
  },
});

Deno.test("amof keeps its files below AMOF_HOME, else where XDG says, and never in a relative place", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const xdg = join(world.directory, "xdg");
  const places: readonly (readonly [Record<string, string>, string])[] = [
    [{ AMOF_HOME: join(world.directory, "own") }, "own/state/amof.db"],
    [{ AMOF_HOME: "", XDG_STATE_HOME: xdg }, "xdg/amof/amof.db"],
    [{ AMOF_HOME: "relative", XDG_STATE_HOME: "" }, "home/.local/state/amof/amof.db"],
  ];
  for (const [env, file] of places) {
    assertEquals((await world.amof(["ecosystem", "list"], { env })).code, 0);
    assertEquals(await world.exists(file), true, file);
  }
  assertEquals(await world.git(world.control, "status", "--porcelain"), "");
});

Deno.test({
  name: "amof keeps its state to the user",
  ignore: !POSIX, // permissions
  async fn() {
    await using world = await World.installed({ repos: [] });
    const { mode } = await Deno.stat(stateHome(world));
    assertEquals((mode ?? 0) & 0o077, 0);
  },
});
