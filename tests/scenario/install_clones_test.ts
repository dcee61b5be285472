/**
 * `amof install` where clones fail: everything is taken back, or what works is kept, with every reason.
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
import { World } from "../support/world.ts";
import { breakRemote, install, names, POSIX, waitFor } from "./_install.ts";
import { slowClone } from "./hold.ts";

/** Makes an unreachable remote reachable again. */
async function mendRemote(world: World, repo: string): Promise<void> {
  await Deno.rename(join(world.remotes, `${repo}.away`), join(world.remotes, `${repo}.git`));
}

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
  // What was asked for is asked for again.
  const some = await install(world, "--repo", "!docs", "--push");
  assertMatch(
    String(some.json()["hint"]),
    /\nInstall the others: amof install .*--repo '!docs' --push.* --keep-going$/,
  );
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
  // What helps is told of each cause.
  assertMatch(screen, /hint: api and web: Sign in first: .*\ndocs: Check the connection and/);
  assertEquals(screen.match(/error: 403/g)?.length, 1, screen);
  const logs = await world.amof(["runs", "list", "--json"]);
  const run = String(pick(logs.json(), "runs", 0, "run_id"));
  assertNotMatch((await world.amof(["runs", "logs", run, "--tail", "200"])).stdout, /askpass/);
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
  assertEquals(
    pick(ran.json(), "hint"),
    `It may have been renamed, or be closed to you: look at its host, or ask its owner\nA new address belongs in the manifest\nWhen the cause is fixed, clone the rest: amof sync`,
  );
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

Deno.test("a base branch that is a tag at the remote is refused, and nothing is installed", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.git(join(world.remotes, "api.git"), "tag", "v1", "main");
  const file = join(world.control, "ecosystems/demo/ecosystem.yaml");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, text.replace("branch: main", "branch: v1"));
  const ran = await world.amof(["install", "--yes", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertStringIncludes(
    ran.stdout,
    'Cannot clone \\"api\\": its remote has v1 as a tag, and not as a branch; nothing was installed',
  );
  assertEquals(await world.exists("control/worktrees/demo"), false);
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
    const env = { ...await leisurely(world, 16), AMOF_STALL_TIMEOUT: "1" };
    const ran = await world.amof(["install", "--yes", "--json"], { env });
    assertEquals(ran.code, 0, ran.stdout);
    const logs = await world.amof([
      "runs",
      "logs",
      String(pick(ran.json(), "run_id")),
      "--tail",
      "200",
    ]);
    assert(logs.stdout.split("\n").filter((line) => /api: Receiving/.test(line)).length <= 6);
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
    assertMatch(String(pick(ran.json(), "message")), /the time limit of \d+ s ended it/);
    assertStringIncludes(
      String(pick(ran.json(), "hint")),
      "allow it more: amof install --yes --timeout 10",
    );
    assertEquals((await install(world, "--timeout", "soon")).code, 2);
  },
});

const REFUSING: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  ["is not there", { PATH: "/nowhere", AMOF_PATH: "" }, /git was not found on PATH/],
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

Deno.test("amof install refuses a control repository without a commit", async () => {
  await using world = await World.make();
  await world.write("control/ecosystems/demo/ecosystem.yaml", "name: demo\nrepos: []\n");
  await world.git(world.control, "init", "--quiet", "--initial-branch=main");
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertMatch(String(pick(ran.json(), "message")), /no commit yet/);
  assertEquals(await world.exists("control/worktrees"), false);
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
