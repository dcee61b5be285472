/**
 * `amof install` from outside: what it makes, writes and leaves alone.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertObjectMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { Typist } from "../support/terminal.ts";
import { World } from "../support/world.ts";
import { breakRemote, install, names, POSIX, waitFor } from "./_install.ts";
import { killInstall } from "./hold.ts";

/** A time as the state has it. */
const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

Deno.test("amof install makes a worktree on the workspace branch with every clone on its base branch", async () => {
  await using world = await World.withEcosystem();
  const head = await world.git(world.control, "rev-parse", "HEAD");
  const ran = await install(world);
  assertEquals(ran.code, 0);
  assertObjectMatch(ran.json(), {
    action: "install",
    status: "success",
    exit_code: 0,
    result: {
      workspace: "worktrees/demo",
      branch: "workspace/demo",
      action: "create",
      repos: ["api", "web", "docs"].map((name) => ({ name, result: "cloned" })),
      pushed: false,
      notes: [],
    },
  });
  assertEquals(await world.git(world.workspace(), "branch", "--show-current"), "workspace/demo");
  assertEquals(await world.git(world.workspace(), "rev-parse", "HEAD"), head);
  for (const repo of ["api", "web", "docs"]) {
    const clone = world.clone(repo);
    assertEquals(await world.git(clone, "branch", "--show-current"), "main");
    assertEquals(await world.git(clone, "rev-parse", "--abbrev-ref", "@{upstream}"), "origin/main");
    assertEquals(await world.git(clone, "remote", "get-url", "origin"), world.url(repo));
  }
});

Deno.test("amof install leaves the control repository clean and its tracked files untouched", async () => {
  await using world = await World.withEcosystem();
  const tree = await world.git(world.control, "rev-parse", "HEAD^{tree}");
  await install(world);
  assertEquals(
    await world.git(world.control, "status", "--porcelain", "--untracked-files=all"),
    "",
  );
  assertEquals(
    await world.git(world.workspace(), "status", "--porcelain", "--untracked-files=all"),
    "",
  );
  assertEquals(await world.git(world.control, "rev-parse", "HEAD^{tree}"), tree);
  assertEquals(await world.git(world.control, "branch", "--show-current"), "main");
});

Deno.test("amof install writes the state in version 3 with UTC times", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await install(world);
  const { created_at, last_modified, ...state } = await world.state();
  assertEquals(state, {
    version: 3,
    ecosystem: "demo",
    workspace_branch: "workspace/demo",
    active_ticket: null,
    tickets: {},
    repos: [],
  });
  assertMatch(String(created_at), UTC);
  assertMatch(String(last_modified), UTC);
  assertEquals(await names(join(world.workspace(), ".amof")), ["state.json"]);
});

Deno.test("amof install writes an editor workspace file with the clones that exist", async () => {
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  await install(world);
  const file = join(world.workspace(), "amof.demo.code-workspace");
  const content = JSON.parse(await Deno.readTextFile(file)) as unknown;
  assertEquals(pick(content, "folders"), [
    { path: ".", name: "AMOF Workspace" },
    { path: "repos/api", name: "api" },
    { path: "repos/web", name: "web" },
  ]);
  assertEquals(pick(content, "settings", "git.repositoryScanMaxDepth"), 1);
});

Deno.test("amof install touches neither the home directory nor the user's git configuration", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.write("home/.bashrc", "# mine\n");
  const before = await world.contents(world.env["HOME"] ?? "");
  await install(world);
  assertEquals(await names(world.env["HOME"] ?? ""), [".bashrc"]);
  assertEquals(await world.contents(world.env["HOME"] ?? ""), before);
});

Deno.test("amof install and its record name no absolute path", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const ran = await install(world);
  const id = String(pick(ran.json(), "run_id"));
  const answers = [
    ran,
    await world.amof(["runs", "status", id, "--json"]),
    await world.amof(["runs", "summary", id, "--json"]),
    await world.amof(["status", "--json"]),
  ];
  for (const { code, stdout } of answers) {
    assertEquals(code, 0);
    assertEquals(stdout.includes(world.directory), false, stdout);
  }
});

Deno.test("amof install honours workspace_dir, branch_prefix, path and branch of the manifest", async () => {
  await using world = await World.withEcosystem({
    repos: [],
    extra: "workspace_dir: work/here\nworkspace: {branch_prefix: spaces}\n",
  });
  await world.addRemote("api");
  const bare = join(world.remotes, "api.git");
  await world.git(bare, "branch", "develop", "main");
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    [
      "name: demo",
      "workspace_dir: work/here",
      "workspace: {branch_prefix: spaces}",
      "repos:",
      `  - {name: api, url: "${world.url("api")}", branch: develop, path: src/the-api}`,
      "",
    ].join("\n"),
  );
  const ran = await install(world);
  assertEquals(ran.code, 0);
  const workspace = join(world.control, "work", "here");
  assertEquals(await world.git(workspace, "branch", "--show-current"), "spaces/demo");
  const clone = join(workspace, "src", "the-api");
  assertEquals(await world.git(clone, "branch", "--show-current"), "develop");
  assertEquals(await world.git(workspace, "status", "--porcelain"), "");
});

Deno.test("amof install leaves disabled repositories out", async () => {
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  const file = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  await Deno.writeTextFile(file, `${await Deno.readTextFile(file)}    enabled: false\n`);
  const ran = await install(world);
  assertEquals(pick(ran.json(), "result", "repos"), [{ name: "api", result: "cloned" }]);
  assertEquals(await names(join(world.workspace(), "repos")), ["api"]);
});

Deno.test("amof install accepts an ecosystem without repositories", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const ran = await install(world);
  assertEquals(ran.code, 0);
  assertEquals((await world.state())["version"], 3);
  const status = await world.amof(["status"]);
  assertEquals(status.code, 0);
  assertStringIncludes(status.stdout, "No repositories");
});

Deno.test("amof install --dry-run shows every clone and changes nothing", async () => {
  await using world = await World.withEcosystem();
  const before = await world.fingerprint();
  const ran = await world.amof(["install", "--dry-run"]);
  assertEquals(ran.code, 0);
  assertStringIncludes(ran.stdout, "[plan] Would install demo with 3 clones.");
  assertStringIncludes(ran.stdout, `Clone docs (RO) main from ${world.url("docs")}`);
  assertEquals(await world.changesSince(before), []);
});

Deno.test({
  name: "amof install tries a failing network again, and shows what failed while it waited to",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api", "web"] });
    const flaky = join(world.directory, "flaky");
    const fails = 'echo "fatal: unable to access: Could not resolve host: example" >&2; exit 128';
    const env = await world.wrapGit(
      `case "$*" in *" clone "*api*) if [ ! -e '${flaky}' ]; then touch '${flaky}'; ${fails}; fi ;; esac`,
    );
    const ran = await world.amof(["install", "--yes"], { env });
    assertEquals(ran.code, 0, ran.stderr);
    // How far it is is shown while it lasts; what is left of it is in the log.
    assertEquals(ran.stderr, "");
    const log = await world.amof(["runs", "logs", "--level", "warn"]);
    assertStringIncludes(log.stdout, "Could not resolve host: example; again in 1 s");

    await using other = await World.withEcosystem({ repos: ["api", "web"] });
    await breakRemote(other, "web");
    // The one without a remote fails only once the network has failed for the other.
    const tried = join(other.directory, "tried");
    const dead = await other.wrapGit(
      `case "$*" in *" clone "*api*) touch '${tried}'; ${fails} ;; *" clone "*web*) ${
        waitFor(tried)
      } ;; esac`,
    );
    const stopped = await other.amof(["install", "--yes", "--json"], { env: dead });
    assertEquals(
      rows(stopped.json(), "details", "repos").map((row) => [row["name"], row["code"]]),
      [
        ["api", "remote_unreachable"],
        ["web", "git_failed"],
      ],
    );
  },
});

Deno.test("amof install tells a failure once, and its log only to who asks for it", async () => {
  await using world = await World.withEcosystem();
  await breakRemote(world, "web");
  const told = (text: string) => text.split("web").length - 1;
  const once = await world.amof(["install", "--yes"]);
  assertEquals(once.code, 1);
  assertNotMatch(once.stderr, /\d\d:\d\d:\d\d|Undo:/);
  // The name, and the remote that is gone.
  assertEquals(told(once.stderr), 2, once.stderr);
  assertEquals(once.stderr.split("does not appear to be").length, 2, once.stderr);
  const whole = await world.amof(["install", "--yes", "--verbose"]);
  assertMatch(whole.stderr, /^\S+ ERROR web: cannot be cloned: /m);
});

Deno.test({
  name: "amof install ends the clones that still run when one cannot be made",
  ignore: !POSIX,
  async fn() {
    await using world = await World.withEcosystem();
    await breakRemote(world, "web");
    // Were it not ended, this clone would go on for longer than the test may.
    const env = await world.wrapGit('case "$*" in *" clone "*api*) exec sleep 600 ;; esac');
    const ran = await world.amof(["install", "--yes", "--json"], { env });
    assertEquals(ran.code, 1);
    assertEquals(rows(ran.json(), "details", "repos").map((row) => row["name"]), ["web"]);
    assert(!await world.exists(world.workspace()));
  },
});

Deno.test({
  name: "amof install asks at a terminal whether to keep what works",
  ignore: !POSIX,
  async fn() {
    await using world = await World.withEcosystem();
    await breakRemote(world, "web");
    for (const [answer, code, kept] of [["n\n", 1, false], ["y\n", 5, true]] as const) {
      const typist = await Typist.start(world, ["install"]);
      await typist.sees("Proceed with install? [y/N]");
      await typist.types("y\n");
      await typist.sees("Install the others, and this one later with amof sync? [y/N]");
      await typist.types(answer);
      assertEquals((await typist.ends()).code, code);
      assertEquals(await world.exists(world.clone("api")), kept);
    }
  },
});

Deno.test({
  name: "amof install keeps what a user put into the workspace while it failed",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api", "web"] });
    await breakRemote(world, "web");
    const mine = join(world.workspace(), "repos", "mine.txt");
    const env = await world.wrapGit(
      `case " $* " in *" clone "*web.git*) mkdir -p '${world.workspace()}/repos'; echo mine > '${mine}';; esac`,
    );
    const ran = await world.amof(["install", "--yes", "--json"], { env });
    assertEquals(ran.code, 1);
    assertEquals(await Deno.readTextFile(mine), "mine\n");
    assertMatch(String(pick(ran.json(), "details", "left_behind", 0)), /repos\/mine\.txt/);
    // What was kept does not show up as a change of the control repository.
    assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  },
});

Deno.test("amof install --push pushes the workspace branch of the control repository", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.addRemote("control");
  const bare = join(world.remotes, "control.git");
  await world.git(world.control, "remote", "add", "origin", world.url("control"));
  const ran = await install(world, "--push");
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "result", "pushed"), true);
  assertEquals(
    await world.git(bare, "rev-parse", "workspace/demo"),
    await world.git(world.workspace(), "rev-parse", "HEAD"),
  );
  assertEquals(
    await world.git(world.workspace(), "rev-parse", "--abbrev-ref", "@{upstream}"),
    "origin/workspace/demo",
  );
});

Deno.test("amof install --push that cannot push says so and keeps the workspace", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const ran = await install(world, "--push");
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "result", "pushed"), false);
  assertMatch(String(pick(ran.json(), "result", "notes", 0)), /was not pushed/);
  assertEquals((await world.amof(["status", "--check"])).code, 0);
});

Deno.test({
  name: "amof install that was killed is undone by the next one, which says so",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api", "web"] });
    const id = await killInstall(world);
    const status = await world.amof(["runs", "status", id, "--json"]);
    assertObjectMatch(status.json(), { status: "failed", reason: "interrupted" });
    const again = await install(world);
    assertEquals(again.code, 0, again.stdout);
    assertEquals(pick(again.json(), "action"), "install");
    assertEquals(await names(join(world.workspace(), "repos")), ["api", "web"]);
    assertEquals((await world.amof(["status", "--check"])).code, 0);
  },
});

Deno.test({
  name: "amof install that is killed before git has unlocked the worktree is taken back",
  ignore: Deno.build.os === "windows", // kills by signal
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    const before = await world.fingerprint();
    const env = await world.wrapGit(
      `case "$*" in *"worktree add"*)
        "$AMOF_TEST_GIT" "$@"
        echo initializing > ../.git/worktrees/demo/locked 2>/dev/null || echo initializing > .git/worktrees/demo/locked
        kill -9 "$PPID"; exit 1 ;;
      esac`,
    );
    const git = (await world.command("sh", ["-c", "command -v git"])).stdout.trim();
    await world.amof(["install", "--yes"], { env: { ...env, AMOF_TEST_GIT: git } });
    const repair = await world.amof(["doctor", "--repair"]);
    assertEquals(repair.code, 0, repair.stdout + repair.stderr);
    const left = await world.changesSince(before);
    assertEquals(left.filter((line) => line.includes("worktrees/demo")), []);
    assertEquals((await world.amof(["install", "--yes"])).code, 0);
  },
});
