/**
 * `amof install`, from outside.
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
import { pick, rows, until } from "../support/answers.ts";
import { INTERRUPT, Typist } from "../support/terminal.ts";
import { type Ran, World } from "../support/world.ts";
import { killInstall, slowClone } from "./hold.ts";

/** Shell scripts, signals and links are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function install(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["install", "--yes", "--json", ...args]);
}

/** Makes a remote unreachable. */
async function breakRemote(world: World, repo: string): Promise<void> {
  await Deno.rename(join(world.remotes, `${repo}.git`), join(world.remotes, `${repo}.away`));
}

/** Makes an unreachable remote reachable again. */
async function mendRemote(world: World, repo: string): Promise<void> {
  await Deno.rename(join(world.remotes, `${repo}.away`), join(world.remotes, `${repo}.git`));
}

async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory), (entry) => entry.name)).toSorted();
}

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

Deno.test("amof install takes everything back when one repository cannot be cloned", async () => {
  await using world = await World.withEcosystem();
  await world.write("control/notes.txt", "mine\n");
  await breakRemote(world, "web");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "status"), "failed");
  assertMatch(
    String(pick(ran.json(), "message")),
    /^Cannot clone "web": .*nothing was installed$/,
  );
  assertEquals(pick(ran.json(), "details", "left_behind"), undefined);
  // Not a file, directory or ref more or less, git's own records included.
  assertEquals(await world.changesSince(before), []);
  await mendRemote(world, "web");
  assertEquals((await install(world)).code, 0);
});

Deno.test("amof install names every repository that cannot be cloned", async () => {
  await using world = await World.withEcosystem();
  await breakRemote(world, "api");
  await breakRemote(world, "docs");
  const ran = await install(world);
  assertEquals(rows(ran.json(), "details", "repos").map((row) => row["name"]), ["api", "docs"]);
  const message = String(pick(ran.json(), "message"));
  assertEquals(message, 'Cannot clone "api" and "docs"; nothing was installed');
});

/** Points repositories of the manifest somewhere else. */
async function redirect(world: World, urls: Readonly<Record<string, string>>): Promise<void> {
  const file = join(world.control, "ecosystems/demo/ecosystem.yaml");
  let text = await Deno.readTextFile(file);
  for (const [repo, url] of Object.entries(urls)) text = text.replace(world.url(repo), url);
  await Deno.writeTextFile(file, text);
  await world.git(world.control, "commit", "--quiet", "--all", "-m", "Redirect");
}

/** An HTTP server that answers everything with one status, and says with a file that it was asked. */
function answering(status: number, asked: string): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async () => {
    await Deno.writeTextFile(asked, "");
    return new Response("No\n", { status, headers: { "WWW-Authenticate": 'Basic realm="x"' } });
  });
}

/** Shell words that wait until all of these files are there, 30 seconds at most. */
function waitFor(...files: readonly string[]): string {
  const missing = files.map((file) => `[ ! -e '${file}' ]`).join(" || ");
  return `n=0; while { ${missing}; } && [ $n -lt 600 ]; do n=$((n+1)); sleep 0.05; done`;
}

/** A port of this machine on which nobody listens. */
function closedPort(): number {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  return port;
}

Deno.test("amof install shows the reason of every clone that failed", async () => {
  await using world = await World.withEcosystem();
  const asked = ["forbidden", "locked"].map((name) => join(world.directory, name));
  const [first = "", second = ""] = asked;
  await using forbidden = answering(403, first);
  await using locked = answering(401, second);
  await redirect(world, {
    api: `http://127.0.0.1:${forbidden.addr.port}/api`,
    web: `http://127.0.0.1:${locked.addr.port}/web`,
    docs: `http://127.0.0.1:${closedPort()}/docs`,
  });
  // Where one has failed, the others are soon ended: the fastest waits for them.
  const env = await world.wrapGit(`case "$*" in *" clone "*docs*) ${waitFor(...asked)} ;; esac`);
  const ran = await world.amof(["install", "--yes"], { env });
  assertEquals(ran.code, 1);
  const screen = ran.stdout + ran.stderr;
  assertMatch(screen, /✗ api: .*error: 403/);
  assertMatch(screen, /✗ web: could not read Username for .*terminal prompts disabled/);
  assertMatch(screen, /✗ docs: .*[Cc]ould(?:n't| not) connect/);
  assertNotMatch(screen, /askpass/);
  // Once when it happens, and once in the end.
  assertEquals(screen.match(/error: 403/g)?.length, 2, screen);
  const logs = await world.amof(["runs", "list", "--json"]);
  const run = String(pick(logs.json(), "runs", 0, "run_id"));
  assertNotMatch((await world.amof(["runs", "logs", run, "--tail", "200"])).stdout, /askpass/);
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
    assertStringIncludes(ran.stderr, "Could not resolve host: example; again in 1 s");

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

Deno.test("amof install --keep-going keeps what works, and amof sync completes it", async () => {
  await using world = await World.withEcosystem();
  await breakRemote(world, "web");
  const ran = await install(world, "--keep-going");
  assertEquals(ran.code, 5);
  assertObjectMatch(ran.json(), {
    error: "partial_failure",
    result: {
      repos: [
        { name: "api", result: "cloned" },
        { name: "web", result: "failed", code: "git_failed" },
        { name: "docs", result: "cloned" },
      ],
    },
  });
  assertEquals(pick(ran.json(), "message"), 'Installed 2 of 3 repos, without "web"');
  assertEquals(await names(join(world.workspace(), "repos")), ["api", "docs"]);
  await mendRemote(world, "web");
  assertEquals((await world.amof(["sync"])).code, 0);
  assertEquals(await names(join(world.workspace(), "repos")), ["api", "docs", "web"]);
});

Deno.test("amof install --keep-going takes everything back when nothing works", async () => {
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  await breakRemote(world, "api");
  await breakRemote(world, "web");
  const before = await world.fingerprint();
  assertEquals((await install(world, "--keep-going")).code, 1);
  assertEquals(await world.changesSince(before), []);
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
  name: "amof install takes everything back when it is interrupted while it asks",
  ignore: !POSIX,
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api", "web"] });
    await breakRemote(world, "web");
    const before = await world.fingerprint();
    const typist = await Typist.start(world, ["install"]);
    await typist.sees("Proceed with install? [y/N]");
    await typist.types("y\n");
    await typist.sees("with amof sync? [y/N]");
    await typist.types(INTERRUPT);
    assertEquals((await typist.ends()).code, 130);
    assertEquals(await world.changesSince(before), []);
  },
});

Deno.test("amof install makes an empty clone of a remote that has no commit yet", async () => {
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  const bare = join(world.remotes, "web.git");
  await Deno.remove(bare, { recursive: true });
  await Deno.mkdir(bare);
  await world.git(bare, "init", "--quiet", "--bare", "--initial-branch=trunk");
  const ran = await install(world);
  assertEquals(ran.code, 0);
  assertObjectMatch(ran.json(), {
    result: { repos: [{ name: "api", result: "cloned" }, { name: "web", result: "empty" }] },
  });
  assertMatch(String(pick(ran.json(), "result", "notes", 0)), /^web: .*no commit yet/);
  assertEquals((await world.amof(["status", "--check"])).code, 0);
  assertEquals((await world.amof(["sync"])).code, 0);
  // Work goes on there like anywhere else, and the others' first ticket is not in its way.
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  const clone = world.clone("web");
  assertEquals(await world.git(clone, "symbolic-ref", "--short", "HEAD"), "main");
  await Deno.writeTextFile(join(clone, "README.md"), "# web\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "Begin");
  const pushed = await world.amof(["push", "--repo", "web", "--allow-base", "--yes"]);
  assertEquals(pushed.code, 0, pushed.stdout + pushed.stderr);
  assertEquals(await world.git(bare, "log", "--format=%s", "main"), "Begin");
});

Deno.test("amof install names the branches of a remote that lacks the manifest's", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.git(join(world.remotes, "api.git"), "branch", "-m", "main", "develop");
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertMatch(
    String(pick(ran.json(), "message")),
    /^Cannot clone "api": its remote has no branch main, but develop; nothing was installed$/,
  );
});

Deno.test("amof install ends a clone that makes no progress and says so", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  // Connections are taken, and nothing is ever said.
  const connections: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) connections.push(connection);
  })();
  try {
    const port = listener.addr.port;
    await redirect(world, { api: `http://127.0.0.1:${port}/api` });
    const env = { AMOF_STALL_TIMEOUT: "1" };
    const ran = await world.amof(["install", "--yes", "--json"], { env });
    assertEquals(ran.code, 124);
    assertMatch(
      String(pick(ran.json(), "message")),
      /^Cannot clone "api": there was no progress for 1 s/,
    );
  } finally {
    for (const connection of connections) connection.close();
    listener.close();
    await accepting;
  }
});

/** A git whose clones show progress for a number of turns of 0.2 seconds before they begin. */
function leisurely(world: World, turns: number): Promise<Record<string, string>> {
  return world.wrapGit(
    `case " $* " in *" clone "*) i=0; while [ $i -lt ${turns} ]; do i=$((i+1)); printf 'Receiving objects: %d\\r' $i >&2; sleep 0.2; done ;; esac`,
  );
}

Deno.test({
  name: "amof install leaves a slow clone alone that makes progress, and its log is short",
  ignore: !POSIX,
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    const env = { ...await leisurely(world, 12), AMOF_STALL_TIMEOUT: "1" };
    const ran = await world.amof(["install", "--yes", "--json"], { env });
    assertEquals(ran.code, 0, ran.stdout);
    const logs = await world.amof([
      "runs",
      "logs",
      String(pick(ran.json(), "run_id")),
      "--tail",
      "200",
    ]);
    assert(logs.stdout.split("\n").filter((line) => /api: Receiving/.test(line)).length <= 2);
  },
});

Deno.test({
  name: "amof install --timeout ends a clone that takes longer, whatever it does",
  ignore: !POSIX,
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    const env = await leisurely(world, 3_000);
    const ran = await world.amof(["install", "--yes", "--json", "--timeout", "1"], { env });
    assertEquals(ran.code, 124);
    assertMatch(String(pick(ran.json(), "message")), /git did not finish within \d+ s/);
    assertStringIncludes(String(pick(ran.json(), "hint")), "--timeout SECONDS");
    assertEquals((await install(world, "--timeout", "soon")).code, 2);
  },
});

const REFUSING: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  ["is not there", { PATH: "/nowhere" }, /git was not found on PATH/],
  [
    "does not trust the repository",
    { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" },
    /git does not trust /,
  ],
];

for (const [what, env, found] of REFUSING) {
  Deno.test({
    name: `every command tells that git ${what}`,
    ignore: !POSIX,
    async fn() {
      await using world = await World.withEcosystem();
      for (const words of ["install", "status", "sync", "push", "ticket list", "release status"]) {
        const ran = await world.amof([...words.split(" "), "--json"], { env });
        assertMatch(String(pick(ran.json(), "message")), found, words);
      }
    },
  });
}

Deno.test("every command tells that the control repository is no git repository", async () => {
  await using world = await World.withEcosystem();
  await Deno.remove(join(world.control, ".git"), { recursive: true });
  for (const words of ["install", "status", "sync", "push", "ticket list", "release status"]) {
    const ran = await world.amof(["--root", world.control, ...words.split(" "), "--json"]);
    assertMatch(
      String(pick(ran.json(), "message")),
      /control is not a git repository/,
      words,
    );
    assertStringIncludes(String(pick(ran.json(), "hint")), "git init", words);
  }
});

Deno.test("amof install keeps what existed before when it fails", async () => {
  await using world = await World.withEcosystem();
  await world.git(world.control, "branch", "workspace/demo");
  await Deno.mkdir(world.workspace(), { recursive: true });
  await world.write("control/worktrees/mine/file.txt", "mine\n");
  await world.write("control/.git/info/exclude", "/mine\n");
  await breakRemote(world, "web");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertEquals(await world.changesSince(before), []);
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

Deno.test("amof install refuses a directory with files in the place of the workspace", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.write("control/worktrees/demo/notes.txt", "mine\n");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "workspace_exists");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install refuses a file in the place of the workspace", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.write("control/worktrees/demo", "mine\n");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "workspace_exists");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install takes the branch back when the worktree cannot be made", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.write("control/worktrees", "a file where a directory is needed\n");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  // Git itself leaves an empty directory for its records of worktrees.
  assertEquals(await world.changesSince(before), [
    `+ ${join(world.control, ".git", "worktrees")}/`,
  ]);
});

Deno.test("amof install attaches an existing workspace branch", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.git(world.control, "switch", "--quiet", "-c", "workspace/demo");
  await world.write("control/kept.txt", "kept\n");
  await world.git(world.control, "add", "kept.txt");
  await world.git(world.control, "commit", "--quiet", "-m", "Keep");
  const head = await world.git(world.control, "rev-parse", "HEAD");
  await world.git(world.control, "switch", "--quiet", "main");
  const ran = await install(world);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "result", "action"), "attach");
  assertEquals(await world.git(world.workspace(), "rev-parse", "HEAD"), head);
  assert(await world.exists(join(world.workspace(), "kept.txt")));
});

Deno.test("amof install refuses to install twice and points to status and --repair", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "workspace_exists");
  assertMatch(
    String(pick(ran.json(), "hint")),
    /amof -e demo status.*amof -e demo install --repair/,
  );
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install refuses a control repository without a commit", async () => {
  await using world = await World.make();
  await world.write("control/ecosystems/demo/ecosystem.yaml", "name: demo\nrepos: []\n");
  await world.git(world.control, "init", "--quiet", "--initial-branch=main");
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertMatch(String(pick(ran.json(), "message")), /no commit yet/);
  assertEquals(await world.exists("control/worktrees"), false);
});

Deno.test({
  name: "amof install refuses to clone through a link that leads out of the workspace",
  ignore: !POSIX, // links need a privilege there
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    const outside = join(world.directory, "outside");
    await Deno.mkdir(outside);
    await Deno.symlink(outside, join(world.control, "repos"));
    await world.git(world.control, "add", "repos");
    await world.git(world.control, "commit", "--quiet", "-m", "Link");
    const before = await world.fingerprint();
    const ran = await install(world);
    assertEquals(ran.code, 2);
    assertEquals(pick(ran.json(), "error"), "manifest_invalid");
    assertEquals(await names(outside), []);
    assertEquals(await world.changesSince(before), []);
  },
});

Deno.test("amof install --repair clones what is missing and leaves the rest alone", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  await Deno.writeTextFile(join(world.clone("api"), "dirty.txt"), "mine\n");
  await world.write("control/worktrees/demo/notes.txt", "mine\n");
  const state = await world.state();
  await Deno.remove(world.clone("web"), { recursive: true });
  const ran = await install(world, "--repair");
  assertEquals(ran.code, 0);
  assertObjectMatch(ran.json(), {
    result: {
      action: "repair",
      repos: [{ name: "api", result: "present" }, { name: "web", result: "cloned" }],
    },
  });
  assertEquals(await world.git(world.clone("web"), "branch", "--show-current"), "main");
  assertEquals(await world.git(world.clone("api"), "status", "--porcelain"), "?? dirty.txt");
  assertEquals(
    await Deno.readTextFile(join(world.workspace(), "notes.txt")),
    "mine\n",
  );
  assertEquals(await world.state(), state);
});

Deno.test("amof install --repair makes the workspace anew after its directory was deleted by hand", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.write("control/worktrees/demo/kept.txt", "kept\n");
  await world.git(world.workspace(), "add", "--force", "kept.txt");
  await world.git(world.workspace(), "commit", "--quiet", "-m", "Keep");
  await Deno.remove(world.workspace(), { recursive: true });
  const plain = await install(world);
  assertEquals(pick(plain.json(), "error"), "workspace_exists");
  assertMatch(String(pick(plain.json(), "hint")), /--repair/);
  const status = await world.amof(["status", "--json"]);
  assertEquals(pick(status.json(), "error"), "workspace_not_installed");
  const ran = await install(world, "--repair");
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "result", "action"), "attach");
  assert(await world.exists(join(world.workspace(), "kept.txt")));
  assert(await world.exists(world.clone("api")));
});

Deno.test("amof install --repair does not call repaired what is no repository, and mends the rest", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs"] });
  const api = world.clone("api");
  await Deno.remove(join(api, ".git"), { recursive: true });
  await Deno.remove(world.clone("web"), { recursive: true });
  for (const turn of ["with a clone to make", "with nothing else to do"]) {
    const ran = await install(world, "--repair");
    assertEquals([ran.code, pick(ran.json(), "error")], [5, "partial_failure"], turn);
    assertEquals(pick(ran.json(), "message"), 'Repaired 2 of 3 repos, without "api"');
    assertMatch(String(pick(ran.json(), "details", "repos", 0, "detail")), /repos\/api/);
    assertMatch(String(pick(ran.json(), "hint")), /Move that directory away.*install --repair/);
    const found = rows(ran.json(), ...(pick(ran.json(), "result") ? ["result"] : []), "repos");
    assertEquals(
      found.map(({ name, result }) => `${name} ${result}`),
      [
        "api failed",
        `web ${turn === "with nothing else to do" ? "present" : "cloned"}`,
        "docs present",
      ],
    );
  }
  assertEquals(await Deno.readTextFile(join(api, "README.md")), "# api\n");
  await Deno.rename(api, join(world.directory, "away"));
  assertEquals((await install(world, "--repair")).code, 0);
  assertEquals((await world.amof(["status", "--check"])).code, 0);
});

Deno.test("amof install --repair asks for nothing when nothing is missing", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const before = await world.fingerprint();
  const ran = await world.amof(["install", "--repair", "--json"]);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "repos"), [{ name: "api", result: "present" }]);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install --repair that fails takes back its own clones and nothing else", async () => {
  await using world = await World.installed();
  await world.commitOnFeature("api");
  await Deno.remove(world.clone("web"), { recursive: true });
  await Deno.remove(world.clone("docs"), { recursive: true });
  await breakRemote(world, "web");
  const before = await world.fingerprint();
  const ran = await install(world, "--repair");
  assertEquals(ran.code, 1);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install --repair clears away half-made clones of a killed install", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.remove(world.clone("api"), { recursive: true });
  const repos = join(world.workspace(), "repos");
  await Deno.mkdir(join(repos, ".api.amof-0123abcd", ".git"), { recursive: true });
  await Deno.mkdir(join(repos, ".api.mine"));
  assertEquals((await install(world, "--repair")).code, 0);
  assertEquals(await names(repos), [".api.mine", "api"]);
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

Deno.test("amof install never shows or stores the credentials of a URL", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    [
      "name: demo",
      "repos:",
      // Nothing listens on the discard port, so that the clone fails at once.
      `  - {name: api, url: "http://me:${secret}@127.0.0.1:9/api.git", branch: main}`,
      "",
    ].join("\n"),
  );
  const ran = await world.amof(["install", "--yes", "--verbose"]);
  assertEquals(ran.code, 1);
  assertStringIncludes(ran.stderr, "127.0.0.1");
  const plan = await world.amof(["install", "--dry-run", "--json"]);
  const runs = await world.amof(["runs", "list", "--json"]);
  const id = String(pick(runs.json(), "runs", 0, "run_id"));
  const status = await world.amof(["runs", "status", id, "--json"]);
  const logs = await world.amof(["runs", "logs", id, "--json"]);
  for (const { stdout, stderr } of [ran, plan, runs, status, logs]) {
    assertNotMatch(stdout + stderr, new RegExp(secret));
  }
  assertNotMatch(await world.contents(world.env["AMOF_HOME"] ?? ""), new RegExp(secret));
});

Deno.test({
  name: "amof install that is interrupted takes everything back",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api", "web"] });
    const env = await slowClone(world, "web");
    const before = await world.fingerprint();
    const child = world.start(["install", "--yes"], { env });
    await until("the clone is held", () => world.exists("held"));
    await until("the other clone is there", () => world.exists(world.clone("api")));
    child.kill("SIGINT");
    const output = await child.output();
    assertEquals(output.code, 130);
    assertEquals(await world.changesSince(before), []);
    const runs = await world.amof(["runs", "list", "--json"]);
    assertEquals(pick(runs.json(), "runs", 0, "status"), "cancelled");
  },
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
