/**
 * `amof sync`, from outside.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";

/** Wrapped programs are shell scripts. */
const POSIX = Deno.build.os !== "windows";

function sync(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["sync", "--json", ...args]);
}

/** Name, result and reason of every row. */
function outcome(ran: Ran): unknown[] {
  return rows(ran.json(), "result", "repos").map((
    row,
  ) => [row["name"], row["result"], row["reason"]]);
}

/** Adds a commit to a branch of a remote; answers it. */
async function advance(world: World, repo: string, name = "main"): Promise<string> {
  const other = join(world.directory, `advance-${repo}-${crypto.randomUUID().slice(0, 6)}`);
  await world.git(world.directory, "clone", "--quiet", "--branch", name, world.url(repo), other);
  await Deno.writeTextFile(join(other, `${crypto.randomUUID()}.txt`), "theirs\n");
  await world.git(other, "add", ".");
  await world.git(other, "commit", "--quiet", "-m", "Theirs");
  await world.git(other, "push", "--quiet", "origin", name);
  return await world.git(other, "rev-parse", "HEAD");
}

Deno.test("amof sync fast-forwards the base branch, and the second time changes nothing", async () => {
  await using world = await World.installed();
  const there = await advance(world, "api");
  const ran = await sync(world);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(outcome(ran), [["api", "updated", null], ["web", "up_to_date", null], [
    "docs",
    "up_to_date",
    null,
  ]]);
  assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), there);
  const refs = await world.git(world.clone("api"), "for-each-ref");
  const again = await sync(world);
  assertEquals(outcome(again), [["api", "up_to_date", null], ["web", "up_to_date", null], [
    "docs",
    "up_to_date",
    null,
  ]]);
  assertEquals(await world.git(world.clone("api"), "for-each-ref"), refs);
});

Deno.test("a base branch that follows nothing is brought to its remote by what status and sync say", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const clone = world.clone("api");
  await world.git(clone, "branch", "--unset-upstream", "main");
  await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Mine");
  await advance(world, "api");
  const fix = `git -C ${clone} pull --rebase=merges --autostash origin main`;
  assertStringIncludes((await world.amof(["sync"])).stdout, `fix: ${fix}`);
  const ran = await world.amof(["status", "--only", "diverged", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  const [row, ...more] = rows(ran.json(), "repos");
  assertEquals([more.length, row?.["status"], row?.["ahead"], row?.["behind"], row?.["upstream"]], [
    ...[0, "UNPUSHED+DIVERGED", 1, 1, null],
  ]);
  assertStringIncludes((await world.amof(["status"])).stdout, `fix: ${fix}`);
  await world.git(world.directory, ...fix.split(" ").slice(1));
  assertEquals((await world.amof(["push", "--allow-base", "--yes"])).code, 0);
  assertEquals(await world.git(clone, "rev-list", "--count", "main", "^origin/main"), "0");
});

Deno.test("amof sync clones what is missing", async () => {
  await using world = await World.installed();
  await Deno.remove(world.clone("web"), { recursive: true });
  assertEquals(outcome(await sync(world)), [["api", "up_to_date", null], ["web", "cloned", null], [
    "docs",
    "up_to_date",
    null,
  ]]);
  assertEquals((await world.amof(["status", "--check"])).code, 0);
});

Deno.test("amof sync fills a repository that was made without a commit", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const head = await world.git(clone, "rev-parse", "HEAD");
  await Deno.remove(clone, { recursive: true });
  await world.git(world.directory, "init", "--quiet", "--initial-branch=main", clone);
  await world.git(clone, "remote", "add", "origin", world.url("api"));
  const ran = await world.amof(["sync", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(pick(ran.json(), "result", "repos", 0, "result"), "updated");
  assertEquals(await world.git(clone, "rev-parse", "main"), head);
  assertEquals(await world.git(clone, "status", "--porcelain"), "");
});

Deno.test("amof sync skips what is dirty, diverged, detached or in the middle of something, each with its reason", async () => {
  const repos = ["dirty", "diverged", "detached", "merging", "fine"];
  await using world = await World.installed({ repos });
  await Deno.writeTextFile(join(world.clone("dirty"), "README.md"), "mine\n");
  const mine = async (repo: string) => {
    await Deno.writeTextFile(join(world.clone(repo), "mine.txt"), "mine\n");
    await world.git(world.clone(repo), "add", ".");
    await world.git(world.clone(repo), "commit", "--quiet", "-m", "Mine");
  };
  await mine("diverged");
  await world.git(world.clone("detached"), "switch", "--quiet", "--detach");
  await world.git(world.clone("merging"), "switch", "--quiet", "-c", "side");
  await mine("merging");
  await world.git(world.clone("merging"), "switch", "--quiet", "main");
  await world.git(world.clone("merging"), "merge", "--no-ff", "--no-commit", "side");
  for (const repo of repos) await advance(world, repo);
  const heads = await Promise.all(
    repos.map((repo) => world.git(world.clone(repo), "rev-parse", "HEAD")),
  );
  const ran = await sync(world);
  assertEquals(outcome(ran), [
    ["dirty", "skipped", "dirty"],
    ["diverged", "skipped", "diverged"],
    ["detached", "skipped", "detached"],
    ["merging", "skipped", "in_progress"],
    ["fine", "updated", null],
  ]);
  assertEquals(ran.code, 0);
  for (const [index, repo] of repos.slice(0, 4).entries()) {
    assertEquals(await world.git(world.clone(repo), "rev-parse", "HEAD"), heads[index]);
  }
  assertEquals(await Deno.readTextFile(join(world.clone("dirty"), "README.md")), "mine\n");
  // What was skipped was not synced, and each has what helps.
  const { stdout } = await world.amof(["sync"]);
  assertStringIncludes(stdout, "Synced 1 repo, 4 skipped.");
  const git = (repo: string) => `git -C ${world.clone(repo)}`;
  assertStringIncludes(stdout, `fix: ${git("dirty")} pull --ff-only --autostash origin main\n`);
  assertStringIncludes(
    stdout,
    `⚠ detached: HEAD is detached\n    fix: ${git("detached")} switch main\n`,
  );
  assertStringIncludes(
    stdout,
    `    fix: go on: ${git("merging")} merge --continue\n         go back: ${
      git("merging")
    } merge --abort\n`,
  );
});

Deno.test("amof sync says of a clone at a tag which branch to write instead, and then status goes there", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(join(world.remotes, "api.git"), "tag", "v1", "main");
  await world.git(clone, "fetch", "--quiet", "--tags", "origin");
  await world.git(clone, "switch", "--quiet", "--detach", "v1");
  await world.git(clone, "branch", "--quiet", "--delete", "--force", "main");
  const manifest = join(world.control, "ecosystems/demo/ecosystem.yaml");
  const text = await Deno.readTextFile(manifest);
  await Deno.writeTextFile(manifest, text.replace("branch: main", "branch: v1"));
  const fixes = async () => {
    const { stdout } = await world.amof(["status", "--json"]);
    return rows(rows(JSON.parse(stdout), "repos")[0], "needs").map(({ fix }) => fix);
  };
  assertEquals(await fixes(), ["amof sync --repo api"]);
  const ran = await sync(world, "--repo", "api");
  assertEquals(rows(ran.json(), "result", "repos").map(({ reason, fix }) => [reason, fix]), [
    ["no_upstream", "amof repo rename api --branch main"],
  ]);
  assertEquals((await world.amof(["repo", "rename", "api", "--branch", "main", "--yes"])).code, 0);
  const [fix] = await fixes();
  assertMatch(String(fix), /^git -C \S+ switch /);
});

Deno.test("amof sync keeps a base branch with commits of its own while another branch is checked out", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
  await world.git(world.clone("api"), "add", ".");
  await world.git(world.clone("api"), "commit", "--quiet", "-m", "Mine");
  const mine = await world.git(world.clone("api"), "rev-parse", "main");
  await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/x");
  await advance(world, "api");
  assertEquals(outcome(await sync(world)), [["api", "skipped", "diverged"]]);
  assertEquals(await world.git(world.clone("api"), "rev-parse", "main"), mine);
});

/** Makes the remote anew, with another history. */
async function anew(world: World, repo: string): Promise<void> {
  const remote = join(world.remotes, `${repo}.git`);
  const made = join(world.directory, `anew-${repo}`);
  await Deno.remove(remote, { recursive: true });
  await world.git(world.directory, "init", "--quiet", "--bare", "--initial-branch=main", remote);
  await world.git(world.directory, "init", "--quiet", "--initial-branch=main", made);
  await world.git(made, "commit", "--quiet", "--allow-empty", "-m", "Anew");
  await world.git(made, "push", "--quiet", remote, "main");
}

Deno.test("what somebody else pushed to the ticket's branch is told by push and sync, with what brings it here", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  for (const name of ["api", "web"]) await world.commitOnFeature(name);
  assertEquals((await world.amof(["push", "--yes"])).code, 0);
  const other = join(world.directory, "other");
  for (const name of ["api", "web"]) {
    const place = join(other, name);
    await world.git(
      world.directory,
      "clone",
      "--quiet",
      "-b",
      "feature/T-1",
      world.url(name),
      place,
    );
    await world.git(place, "commit", "--quiet", "--allow-empty", "-m", "Theirs");
    await world.git(place, "push", "--quiet");
  }
  await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "Ours");
  const late = await world.amof(["push", "--repo", "api", "--yes", "--json"]);
  assertEquals(late.code, 1);
  assertStringIncludes(
    String(late.json()["message"]),
    "the remote branch has commits that are not here",
  );
  assertStringIncludes(
    String(late.json()["hint"]),
    `git -C ${world.clone("api")} pull --rebase=merges --autostash origin feature/T-1`,
  );
  const sync = await world.amof(["sync"]);
  assertEquals(sync.code, 0, sync.stderr);
  // What is told with what helps is told once.
  const told = [...sync.stdout.matchAll(/^.*behind its remote branch$/gm)].map(([line]) => line);
  assertEquals(told, [
    "⚠ api: stays on feature/T-1, 1 ahead and 1 behind its remote branch",
    "⚠ web: stays on feature/T-1, 1 commit behind its remote branch",
  ]);
  for (const [name, how] of [["api", "--rebase=merges"], ["web", "--ff-only"]] as const) {
    const words = ["pull", how, "--autostash", "origin", "feature/T-1"];
    assertStringIncludes(sync.stdout, `fix: git -C ${world.clone(name)} ${words.join(" ")}`);
    await world.git(world.clone(name), ...words);
  }
  assertEquals((await world.amof(["push", "--yes"])).code, 0);
  assertMatch((await world.amof(["sync"])).stdout, /^api +up to date +stays on feature\/T-1$/m);
});

Deno.test("amof sync and status tell how to take a history that was made anew, and the old one stays", async () => {
  for (const branch of ["main", "feature/x"]) {
    await using world = await World.installed({ repos: ["api"] });
    const clone = world.clone("api");
    if (branch !== "main") await world.git(clone, "switch", "--quiet", "--create", branch);
    const old = await world.git(clone, "rev-parse", "main");
    await anew(world, "api");
    const ran = await sync(world);
    assertEquals(outcome(ran), [["api", "skipped", "diverged"]]);
    const [row] = rows(ran.json(), "result", "repos");
    assertMatch(String(row?.["detail"]), /1 ahead and 1 behind: no commit in common/);
    const fix = String(row?.["fix"]);
    if (branch === "main") {
      const { stdout } = await world.amof(["status"]);
      for (const line of fix.split("\n")) assertStringIncludes(stdout, line);
    }
    for (const line of fix.split("\n")) {
      await world.git(world.directory, ...line.replace("git ", "").split(" "));
    }
    assertEquals(await world.git(clone, "rev-parse", `kept-${old.slice(0, 7)}`), old);
    assertEquals(await world.git(clone, "log", "--format=%s", "main"), "Anew");
    assertEquals(await world.git(clone, "rev-parse", "--abbrev-ref", "main@{u}"), "origin/main");
    assertEquals(await world.git(clone, "branch", "--show-current"), branch);
    assertEquals(outcome(await sync(world)), [["api", "up_to_date", null]]);
  }
});

Deno.test("amof sync gives the address of the manifest where the clone has one that leads nowhere", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const moved = join(world.remotes, "moved.git");
  await Deno.rename(join(world.remotes, "api.git"), moved);
  const file = join(world.control, "ecosystems/demo/ecosystem.yaml");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, text.replace(world.url("api"), world.url("moved")));
  const ran = await sync(world);
  assertEquals(ran.code, 1, ran.stdout);
  const line = `git -C ${world.clone("api")} remote set-url origin ${world.url("moved")}`;
  assertStringIncludes(String(pick(ran.json(), "hint")), `Mend its address: ${line}\n`);
  assertEquals((await world.command("sh", ["-c", line])).code, 0);
  assertEquals((await sync(world)).code, 0);
});

Deno.test("amof sync goes on when one remote is dead, and repeats only what failed", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const bare = join(world.remotes, "web.git");
  await Deno.rename(bare, `${bare}.away`);
  await advance(world, "api");
  const ran = await sync(world);
  assertEquals([ran.code, pick(ran.json(), "error")], [5, "partial_failure"]);
  assertEquals(outcome(ran).map((row) => (row as unknown[])[1]), ["updated", "failed"]);
  await Deno.rename(`${bare}.away`, bare);
  const id = String(pick(ran.json(), "run_id"));
  assertEquals(
    pick(ran.json(), "hint"),
    `It may have been renamed, or be closed to you: look at its host, or ask its owner\nA new address belongs in the manifest; status then says what the clone needs\nRepeat only the failed ones: amof sync --only failed=${
      id.slice(0, 8)
    }`,
  );
  const again = await sync(world, "--failed-from", id.slice(0, 8));
  assertEquals(outcome(again), [["web", "up_to_date", null]]);
  const wrong = await sync(world, "--failed-from", "ffffffff");
  assertEquals([wrong.code, pick(wrong.json(), "error")], [2, "run_not_found"]);
});

Deno.test({
  name:
    "amof sync tries a failing network again, and asks a host that wants credentials only once more",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web", "shop"] });
    const log = join(world.directory, "calls");
    const flaky = join(world.directory, "flaky");
    const env = await world.wrapGit([
      'case " $* " in *" fetch "*)',
      `echo "$PWD" >> '${log}'`,
      `case "$PWD" in *api) if [ ! -e '${flaky}' ]; then touch '${flaky}'; echo "fatal: unable to access: Could not resolve host: example" >&2; exit 128; fi ;; esac`,
      ";; esac",
    ].join("\n"));
    const ran = await world.amof(["sync", "--json"], { env });
    assertEquals(ran.code, 0, ran.stdout);
    const fetches = (await Deno.readTextFile(log)).trim().split("\n");
    assertEquals(fetches.filter((line) => line.endsWith("api")).length, 2);
    assertEquals(fetches.length, 4);
    const log2 = await world.amof(["runs", "logs", String(pick(ran.json(), "run_id"))]);
    assertStringIncludes(log2.stdout, "again in 1 s");
  },
});

Deno.test({
  name: "amof sync says once to sign in when several repositories of a host want credentials",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    const repos = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    await using world = await World.installed({ repos });
    const manifest = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
    const text = await Deno.readTextFile(manifest);
    await Deno.writeTextFile(
      manifest,
      text.replaceAll(/url: .*\/([a-j])\.git/g, "url: https://git.example.invalid/$1.git"),
    );
    const log = join(world.directory, "calls");
    const env = await world.wrapGit([
      'case " $* " in *" fetch "*)',
      `echo "$PWD" >> '${log}'`,
      'echo "fatal: could not read Username for https://git.example.invalid: terminal prompts disabled" >&2; exit 128',
      ";; esac",
    ].join("\n"));
    const ran = await world.amof(["sync", "--json"], { env });
    assertEquals([ran.code, pick(ran.json(), "error")], [1, "auth_failed"]);
    assertMatch(
      String(pick(ran.json(), "message")),
      /^Sign in to git\.example\.invalid first: 10 repositories want credentials/,
    );
    // Those under way when the third answer came were asked; the others were not.
    assert((await Deno.readTextFile(log)).trim().split("\n").length <= 6);
  },
});

Deno.test({
  name: "amof sync brings what it may have when one repository of a host wants credentials",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    const repos = ["a", "b", "c", "d", "e", "f"];
    await using world = await World.installed({ repos });
    const manifest = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
    const text = await Deno.readTextFile(manifest);
    await Deno.writeTextFile(
      manifest,
      text.replaceAll(/url: .*\/([a-f])\.git/g, "url: https://git.example.invalid/$1.git"),
    );
    const env = await world.wrapGit([
      'case " $* " in *" fetch "*)',
      'case "$PWD" in *a) echo "fatal: could not read Username for https://git.example.invalid: terminal prompts disabled" >&2; exit 128 ;; esac',
      "exit 0 ;; esac",
    ].join("\n"));
    const ran = await world.amof(["sync", "--json", "--jobs", "1"], { env });
    assertEquals(ran.code, 5);
    assertEquals(
      rows(ran.json(), "result", "repos").map((row) => [row["name"], row["result"]]),
      repos.map((repo) => [repo, repo === "a" ? "failed" : "up_to_date"]),
    );
  },
});

Deno.test("amof sync --dry-run says what it would do and touches nothing", async () => {
  await using world = await World.installed();
  await advance(world, "api");
  const before = await world.fingerprint();
  const ran = await world.amof(["sync", "--dry-run", "--json"]);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "preview", "repos", 0, "action"), "update");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof sync three times at once: one works, the others say that they are busy, nobody fails on a lock", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  for (const repo of ["api", "web"]) {
    const seed = join(world.directory, "seed", repo);
    await world.git(seed, "commit", "--quiet", "--allow-empty", "-m", "News");
    await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
  }
  const ran = await Promise.all([1, 2, 3].map(() => world.amof(["sync", "--json"])));
  const codes = ran.map((one) => one.code);
  assertEquals(codes.filter((code) => code !== 0 && code !== 6), [], JSON.stringify(codes));
  assert(codes.includes(0));
  for (const one of ran.filter(({ code }) => code === 6)) {
    assertEquals(pick(one.json(), "error"), "ecosystem_busy");
  }
  for (const repo of ["api", "web"]) {
    assertEquals(
      await world.git(world.clone(repo), "status", "--porcelain", "--branch"),
      "## main...origin/main",
    );
    assertStringIncludes(await world.git(world.clone(repo), "log", "-1", "--format=%s"), "News");
  }
});

Deno.test({
  name:
    "amof sync that is killed together with git in a fast-forward is tidied up by the next command",
  ignore: Deno.build.os === "windows", // kills by signal
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const seed = join(world.directory, "seed", "api");
    await Deno.writeTextFile(join(seed, "news.txt"), "news\n");
    await world.git(seed, "add", ".");
    await world.git(seed, "commit", "--quiet", "-m", "News");
    await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "main");
    // A merge that dies when it has made its lock and half of a file.
    const env = await world.wrapGit(
      'case "$*" in *"merge --ff-only"*) : > .git/index.lock; printf ne > news.txt; kill -9 "$PPID"; exit 1 ;; esac',
    );
    await world.amof(["sync"], { env });
    const again = await world.amof(["sync", "--json"]);
    assertEquals(again.code, 0, again.stdout);
    assertEquals(await Deno.readTextFile(join(world.clone("api"), "news.txt")), "news\n");
    assertEquals(await world.git(world.clone("api"), "status", "--porcelain"), "");
  },
});

Deno.test({
  name: "amof sync that is killed while it clones leaves nothing behind once that is repaired",
  ignore: !POSIX, // signals
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await Deno.remove(world.clone("api"), { recursive: true });
    const there = join(world.workspace(), "repos");
    const names = async () => (await Array.fromAsync(Deno.readDir(there))).map(({ name }) => name);
    const env = await world.wrapGit(
      `case "$*" in *clone*) for at; do :; done; mkdir -p "$at/.git"; kill -9 "$PPID"; exit 137;; esac`,
    );
    const killed = await world.amof(["sync", "--json"], { env });
    // Who waits for it works on it, so nobody is left to tell.
    assertEquals([killed.code, killed.stdout], [137, ""]);
    assertEquals((await names()).filter((name) => name.startsWith(".api.amof-")).length, 1);
    const repaired = await world.amof(["doctor", "--repair"]);
    assertEquals(repaired.code, 0, repaired.stdout);
    assertEquals(await names(), ["web"]);
    assertEquals((await sync(world)).code, 0);
  },
});

/** A ticket whose branches are at their remotes, where a colleague has committed to each since. */
function shared(repos: readonly string[]): Promise<World> {
  return World.like(`a ticket shared in ${repos.join(", ")}`, async (world) => {
    await world.makeInstalled({ repos: [...repos] });
    assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
    for (const repo of repos) await mine(world, repo, "first");
    assertEquals((await world.amof(["push", "--yes"])).code, 0);
    for (const repo of repos) await advance(world, repo, "feature/T-1");
  });
}

/** Commits a file in a clone. */
async function mine(world: World, repo: string, name: string): Promise<void> {
  await Deno.writeTextFile(join(world.clone(repo), `${name}.txt`), "mine\n");
  await world.git(world.clone(repo), "add", ".");
  await world.git(world.clone(repo), "commit", "--quiet", "-m", name);
}

Deno.test("amof sync fast-forwards the branch of the ticket to its own remote branch, and undo takes that back", async () => {
  await using world = await shared(["api", "web"]);
  await advance(world, "web");
  const before = await world.git(world.clone("api"), "rev-parse", "HEAD");
  const plan = await world.amof(["sync", "--dry-run"]);
  assertStringIncludes(
    plan.stdout,
    "Fetch api, and fast-forward main and feature/T-1 where that is possible",
  );
  assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), before);
  const ran = await sync(world);
  assertEquals(outcome(ran), [["api", "updated", null], ["web", "updated", null]]);
  assertEquals(rows(ran.json(), "result", "repos").map(({ branch, detail }) => [branch, detail]), [
    ["feature/T-1", "feature/T-1 moved forward by 1 commit"],
    ["main", "1 commit pulled, feature/T-1 moved forward by 1 commit"],
  ]);
  for (const repo of ["api", "web"]) {
    const tips = await world.git(world.clone(repo), "rev-parse", "HEAD", "@{upstream}");
    const [here, there] = tips.split("\n");
    assertEquals(here, there);
  }
  assertEquals((await world.amof(["status", "--check"])).code, 0);
  assertEquals((await world.amof(["undo", "--yes"])).code, 0);
  assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), before);
  assertEquals(await world.git(world.clone("api"), "status", "--porcelain"), "");
});

Deno.test("amof sync leaves the branch of a ticket where it is no fast-forward over nothing, and says the way on", async () => {
  await using world = await shared(["dirty", "diverged", "hidden", "other", "astray"]);
  const at = (repo: string) => world.clone(repo);
  await Deno.writeTextFile(join(at("dirty"), "first.txt"), "changed\n");
  await world.git(at("dirty"), "fetch", "--quiet");
  const met = await world.git(at("dirty"), "diff", "--name-only", "HEAD", "@{upstream}");
  await Deno.writeTextFile(join(at("dirty"), met), "in the way\n");
  await mine(world, "diverged", "second");
  await world.git(at("hidden"), "fetch", "--quiet");
  const coming = await world.git(at("hidden"), "diff", "--name-only", "HEAD", "@{upstream}");
  await Deno.writeTextFile(join(at("hidden"), ".git/info/exclude"), coming);
  await Deno.writeTextFile(join(at("hidden"), coming), "only here\n");
  await world.git(at("other"), "branch", "--quiet", "--set-upstream-to", "origin/main");
  await world.git(at("astray"), "switch", "--quiet", "--create", "mine", "feature/T-1");
  const repos = ["dirty", "diverged", "hidden", "other", "astray"];
  const heads = () => Promise.all(repos.map((repo) => world.git(at(repo), "rev-parse", "HEAD")));
  const before = await heads();
  const ran = await sync(world);
  assertEquals(ran.code, 5, ran.stdout);
  assertEquals(outcome(ran), [
    ["dirty", "skipped", "dirty"],
    ["diverged", "skipped", "diverged"],
    ["hidden", "failed", null],
    ["other", "up_to_date", null],
    ["astray", "up_to_date", null],
  ]);
  assertEquals(await heads(), before);
  assertEquals(await Deno.readTextFile(join(at("hidden"), coming)), "only here\n");
  const fixes = rows(ran.json(), "result", "repos").map(({ fix }) => String(fix));
  assertMatch(fixes[2] ?? "", /move them away, then repeat/);
  for (const line of fixes.slice(0, 2)) {
    const pasted = await world.command("sh", ["-c", line], { cwd: world.control });
    assertEquals(pasted.code, 0, `${line}: ${pasted.stderr}`);
  }
  assertEquals(await Deno.readTextFile(join(at("dirty"), "first.txt")), "changed\n");
});

Deno.test("amof status sends a ticket's branch that is only behind its own remote branch to amof sync", async () => {
  await using world = await shared(["api", "web"]);
  for (const repo of ["api", "web"]) await world.git(world.clone(repo), "fetch", "--quiet");
  const { stdout } = await world.amof(["status"]);
  assertMatch(
    stdout,
    /^⚠ api and web: 1 commit behind origin\/feature\/T-1\n +fix: amof sync --repo api,web$/m,
  );
});
