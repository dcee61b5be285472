/**
 * `amof lock` and `amof install --locked`, from outside.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { commit } from "./_push.ts";

const LOCK = "control/ecosystems/demo/lock.json";

/** Makes a commit on main of a remote; answers its name. */
async function news(world: World, repo: string): Promise<string> {
  const seed = join(world.directory, "seed", repo);
  await world.git(seed, "commit", "--quiet", "--allow-empty", "-m", "News");
  await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
  return await world.git(seed, "rev-parse", "HEAD");
}

const head = (world: World, repo: string) => world.git(world.clone(repo), "rev-parse", "HEAD");

/** The repositories of a lock file by name, with their commits. */
async function locked(world: World): Promise<Record<string, unknown>> {
  const lock = JSON.parse(await Deno.readTextFile(join(world.directory, LOCK)));
  return Object.fromEntries(rows(lock, "repos").map(({ name, commit }) => [String(name), commit]));
}

Deno.test("amof lock writes down what every remote has, and --check tells what differs since", async () => {
  await using world = await World.installed({ repos: ["api", "web"], readonly: ["web"] });
  const without = await world.amof(["lock", "--check", "--json"]);
  assertEquals([without.code, pick(without.json(), "error")], [2, "invalid_arguments"]);
  const made = await world.amof(["lock", "--json"]);
  assertEquals(made.code, 0, made.stdout);
  assertEquals(pick(made.json(), "file"), "ecosystems/demo/lock.json");
  const commits = { api: await head(world, "api"), web: await head(world, "web") };
  assertEquals(await locked(world), commits);
  const text = await Deno.readTextFile(join(world.directory, LOCK));
  // What is locked already is not written again.
  assertEquals((await world.amof(["lock"])).code, 0);
  assertEquals(await Deno.readTextFile(join(world.directory, LOCK)), text);
  const same = await world.amof(["lock", "--dry-run", "--json"]);
  assertEquals([pick(same.json(), "summary"), pick(same.json(), "effects")], [
    "[plan] Would change nothing: ecosystems/demo/lock.json has 2 repos as they are.",
    [],
  ]);
  assertEquals((await world.amof(["lock", "--check"])).code, 0);
  await news(world, "web");
  await world.amof(["sync", "--quiet"]);
  const drift = await world.amof(["lock", "--check", "--json"]);
  assertEquals([drift.code, pick(drift.json(), "error")], [3, "check_failed"]);
  assertEquals(rows(drift.json(), "drift").map(({ name }) => name), ["web"]);
  assertEquals(await Deno.readTextFile(join(world.directory, LOCK)), text);
});

Deno.test("amof lock says what commits it, and that the first one is undone by deleting it until then", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const undo = async () => String((await world.amof(["undo", "--json"])).json()["hint"]);
  const lines = (await world.amof(["lock"])).stdout.match(/^ {2}git .*$/gm) ?? [];
  assertStringIncludes(
    await undo(),
    `While it is not committed, delete it: rm ${join(world.directory, LOCK)}`,
  );
  assertEquals(lines.length, 2);
  for (const line of lines) {
    const ran = await world.command("sh", ["-c", line], { cwd: join(world.control, "ecosystems") });
    assertEquals(ran.code, 0, ran.stderr);
  }
  assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  // Nothing is written, so nothing is to be committed.
  assertEquals((await world.amof(["lock"])).stdout.includes("git commit"), false);
});

Deno.test("amof lock refuses what only this machine has, unless --allow-local, and asks the remote itself", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs"] });
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "mine\n");
  await world.git(world.clone("web"), "commit", "--quiet", "--allow-empty", "-m", "Mine");
  // The clone still believes that the remote has its commit.
  const docs = join(world.remotes, "docs.git");
  await news(world, "docs");
  await world.amof(["sync", "--quiet", "--repo", "docs"]);
  await world.git(docs, "update-ref", "refs/heads/main", "main~1");
  const refused = await world.amof(["lock", "--json"]);
  assertEquals([refused.code, pick(refused.json(), "error")], [1, "repo_dirty"]);
  const details = pick(refused.json(), "details") as Record<string, unknown>;
  assertEquals(rows(details, "repos").map(({ name, code }) => [name, code]), [
    ["api", "repo_dirty"],
    ["web", "would_lose_work"],
    ["docs", "would_lose_work"],
  ]);
  // Work on the base branch is pushed when that is allowed only.
  const hint = String(pick(refused.json(), "hint"));
  assertStringIncludes(hint, "amof push --repo api --commit --allow-base");
  assertStringIncludes(hint, "amof sync --repo web,docs");
  assertStringIncludes(hint, "amof push --repo web,docs --allow-base");
  assertEquals(await world.exists(LOCK), false);
  const allowed = await world.amof(["lock", "--allow-local", "--json"]);
  assertEquals([allowed.code, pick(allowed.json(), "local")], [0, ["api", "web", "docs"]]);
  assertEquals(Object.keys(await locked(world)), ["api", "web", "docs"]);
  await Deno.remove(world.clone("api"), { recursive: true });
  const missing = await world.amof(["lock", "--allow-local", "--json"]);
  assertEquals([missing.code, pick(missing.json(), "error")], [2, "repo_not_found"]);
});

Deno.test("amof lock leads from a ticket whose work was merged as another commit to what locks it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  await commit(world, world.clone("api"), "work.txt");
  assertEquals((await world.amof(["push", "--yes"])).code, 0);
  const remote = join(world.remotes, "api.git");
  const tree = "feature/T-1^{tree}";
  const squashed = await world.git(remote, "commit-tree", "-p", "main", "-m", "Squashed", tree);
  await world.git(remote, "update-ref", "refs/heads/main", squashed.trim());
  await world.git(remote, "update-ref", "-d", "refs/heads/feature/T-1");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  const hint = async () => String(pick((await world.amof(["lock", "--json"])).json(), "hint"));
  assertEquals(await hint(), "End its ticket, whose work is in main: amof ticket end T-1");
  await commit(world, world.clone("api"), "more.txt");
  assertEquals(
    await hint(),
    "Put what is new where it belongs: amof ticket update T-1 --repo api",
  );
  await world.git(world.clone("api"), "reset", "--quiet", "--hard", "HEAD~1");
  assertEquals((await world.amof(["ticket", "end", "T-1"])).code, 0);
  assertEquals((await world.amof(["lock"])).code, 0);
});

Deno.test("amof lock says what is not on its base branch, and locks it where it is", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs"] });
  for (const repo of ["api", "web"]) {
    await world.commitOnFeature(repo, "feature/T-1");
    await world.git(world.clone(repo), "push", "--quiet", "origin", "feature/T-1");
  }
  // A branch that has nothing of its own yet is where its base branch is, too.
  await world.git(world.clone("docs"), "switch", "--quiet", "--create", "feature/T-1");
  const line = "api and web are on feature/T-1: what is locked is there, and not on main";
  const planned = await world.amof(["lock", "--dry-run"]);
  assertStringIncludes(planned.stdout, line);
  const commit = await head(world, "api");
  assertStringIncludes(planned.stdout, `Lock api at ${commit.slice(0, 7)} of feature/T-1`);
  const shown = await world.amof(["lock"]);
  assertEquals(shown.code, 0, shown.stderr);
  assertStringIncludes(shown.stdout, `⚠ ${line}`);
  assertEquals((await locked(world))["api"], commit);
  const answer = (await world.amof(["lock", "--json"])).json();
  assertEquals(rows(answer, "elsewhere"), [
    { name: "api", branch: "feature/T-1" },
    { name: "web", branch: "feature/T-1" },
  ]);
});

Deno.test("amof lock writes over nothing but a list of the same kind", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const out = join(world.directory, "notes.repos");
  await world.write("notes.repos", "Something of mine\n");
  const write = ["lock", "--format", "repos", "--out", "../notes.repos", "--json"];
  const refused = await world.amof(write);
  assertEquals([refused.code, pick(refused.json(), "error")], [2, "invalid_arguments"]);
  assertEquals(await Deno.readTextFile(out), "Something of mine\n");
  await Deno.writeTextFile(out, "repositories: {}\n");
  assertEquals((await world.amof(write)).code, 0);
  assertStringIncludes(await Deno.readTextFile(out), await head(world, "api"));
  await using client = new McpClient(world, [
    "--mode",
    "execute",
    "--tools",
    "amof_lock_ecosystem",
  ]);
  await client.initialize();
  const call = { ecosystem: "demo", out: "../notes.repos" };
  const typed = await client.call("amof_lock_ecosystem", call);
  assertEquals(typed.data["error"], "tool_not_available");
  const made = await client.call("amof_lock_ecosystem", { ecosystem: "demo" });
  assert(!made.isError, made.text);
  assertEquals(await locked(world), { api: await head(world, "api") });
});

Deno.test("amof lock --out - prints the lock and nothing beside it, and writes no file", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const commit = await head(world, "api");
  for (const dash of [["--out", "-"], ["--out=-"]]) {
    const printed = await world.amof(["lock", ...dash]);
    assertEquals([printed.code, printed.stderr], [0, ""]);
    assertEquals(rows(printed.json(), "repos").map(({ name }) => name), ["api", "web"]);
    assertEquals(rows(printed.json(), "repos")[0]?.["commit"], commit);
  }
  const repos = await world.amof(["lock", "--format", "repos", "--out", "-", "--json"]);
  assertEquals(pick(repos.json(), "file"), "-");
  assertStringIncludes(String(pick(repos.json(), "text")), `version: ${commit}`);
  const planned = await world.amof(["lock", "--out", "-", "--dry-run"]);
  assertStringIncludes(planned.stdout, "[plan] Would print a lock of 2 repos.");
  const check = await world.amof(["lock", "--check", "--out", "-"]);
  assertEquals(check.code, 2);
  assertStringIncludes(check.stderr, "Cannot use --check together with --out -");
  // What is to be known of it stands beside it.
  await world.git(world.clone("web"), "commit", "--quiet", "--allow-empty", "-m", "Mine");
  const aside = await world.amof(["lock", "--allow-local", "--out", "-"]);
  assertEquals(rows(aside.json(), "repos")[1]?.["commit"], await head(world, "web"));
  assertStringIncludes(aside.stderr, "Only this machine has web as it is; push");
  assertEquals(await world.exists(LOCK), false);
  assertEquals(await world.exists("control/-"), false);
});

Deno.test("install --locked puts fresh clones at their commits, also at one that no branch has any more", async () => {
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  const api = join(world.remotes, "api.git");
  const old = await world.git(api, "rev-parse", "main");
  const lost = await news(world, "web");
  const web = join(world.remotes, "web.git");
  await world.git(web, "update-ref", "refs/heads/main", "main~1");
  await world.git(web, "config", "uploadpack.allowAnySHA1InWant", "true");
  await news(world, "api");
  const entry = (name: string, commit: string) => ({
    name,
    url: world.url(name),
    branch: "main",
    commit,
  });
  const lock = (repos: readonly unknown[]) =>
    world.write(LOCK, JSON.stringify({ version: 1, ecosystem: "demo", made_at: "", repos }));
  await lock([entry("api", old)]);
  const partly = await world.amof(["install", "--locked", "--yes", "--json"]);
  assertEquals([partly.code, pick(partly.json(), "error")], [3, "check_failed"], partly.stdout);
  assertEquals(await world.exists(world.workspace()), false);
  await lock([entry("api", old), entry("web", lost)]);
  const installed = await world.amof(["install", "--locked", "--yes", "--json"]);
  assertEquals(installed.code, 0, installed.stdout);
  assertEquals(
    rows(installed.json(), "result", "locked").map(({ name, result }) => [name, result]),
    [
      ["api", "moved"],
      ["web", "moved"],
    ],
  );
  assertEquals([await head(world, "api"), await head(world, "web")], [old, lost]);
  const branch = await world.git(world.clone("api"), "status", "--short", "--branch");
  assertEquals(branch, "## main...origin/main [behind 1]");
  assertEquals((await world.amof(["lock", "--check"])).code, 0);
  // Once more, and everything is there.
  const again = await world.amof(["install", "--locked", "--yes", "--json"]);
  assertEquals(again.code, 0, again.stdout);
  assertEquals(rows(again.json(), "locked").map(({ result }) => result), [
    "there",
    "there",
  ]);
});

Deno.test("what is at the lock is at rest until a sync, which says how to keep what is new and how to go back", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["lock", "--quiet"])).code, 0);
  await news(world, "api");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  const newest = await head(world, "api");
  const back = async () => {
    assertEquals((await world.amof(["install", "--locked", "--yes", "--quiet"])).code, 0);
    return await head(world, "api");
  };
  const old = await back();
  const standing = async () => {
    const { stdout } = await world.amof(["status", "--json"]);
    const data = JSON.parse(stdout);
    return {
      states: rows(data, "repos").map(({ status, needs = null }) => [status, needs]),
      offered: rows(data, "suggested_actions").map(({ id }) => id),
    };
  };
  const { states, offered } = await standing();
  assertEquals(states, [["PINNED", null], ["OK", null]]);
  assertEquals(offered.includes("sync_ecosystem"), false);
  assertEquals((await world.amof(["status", "--check"])).code, 0);
  assertEquals((await world.amof(["lock", "--check"])).code, 0);
  const started = await world.amof(["ticket", "start", "T-1"]);
  assertStringIncludes(
    started.stdout,
    "api began at the newest main as last fetched, past the lock",
  );
  assertEquals(await head(world, "api"), newest);
  assertEquals((await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes"])).code, 0);
  assertEquals(await head(world, "api"), old);
  const beside = await world.amof(["ticket", "start", "T-2", "--workspace"]);
  assertStringIncludes(
    beside.stdout,
    "api began at the newest main as last fetched, past the lock",
  );
  assertEquals((await world.amof(["ticket", "end", "T-2", "--yes"])).code, 0);
  const ahead = await world.amof(["sync", "--dry-run"]);
  assertStringIncludes(ahead.stdout, "1 repo can leave the lock: api");
  const synced = await world.amof(["sync"]);
  const ways = ["Keep what is new: amof lock", "Go back to the lock: amof install --locked"];
  assertStringIncludes(synced.stdout, ["1 repo left the lock: api", ...ways].join("\n"));
  const check = await world.amof(["lock", "--check"]);
  assertEquals(check.stderr.split("hint: ")[1]?.trim().split("\n"), [
    "Go to what is locked: amof install --locked",
    "Lock what is here: amof lock",
  ]);
  assertEquals(await back(), old);
  // Where there is another ecosystem, a command that is pasted names this one.
  await world.write("control/ecosystems/other/ecosystem.yaml", "name: other\nrepos: []\n");
  const again = await world.amof(["-e", "demo", "sync", "--json"]);
  const { next } = JSON.parse(again.stdout).result.left_lock;
  assertEquals(next.map(({ fix }: { readonly fix: string }) => fix), [
    "amof -e demo lock",
    "amof -e demo install --locked",
  ]);
  await Deno.remove(join(world.control, "ecosystems/other"), { recursive: true });
  assertEquals(await back(), old);
  // Undo leads on, too.
  const undo = await world.amof(["undo", "--yes"]);
  assertStringIncludes(undo.stderr, "hint: Bring them to the newest: amof sync");
  await world.amof(["sync", "--quiet"]);
  // A lock that lacks a repository is gone back to by none.
  await news(world, "web");
  const lock = JSON.parse(await Deno.readTextFile(join(world.directory, LOCK)));
  const repos = rows(lock, "repos").filter(({ name }) => name === "web");
  await world.write(LOCK, JSON.stringify({ ...lock, repos }));
  const partly = await world.amof(["sync"]);
  assertStringIncludes(partly.stdout, "1 repo left the lock: web");
  assertEquals(partly.stdout.includes("install --locked"), false);
  assertEquals((await world.amof(["lock", "--quiet"])).code, 0);
  assertEquals((await standing()).states, [["OK", null], ["OK", null]]);
});

Deno.test("what stands in the place of a lock and is none is put aside, and nothing leads back to it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.write(LOCK, "<<<<<<< HEAD\n");
  for (const args of [["lock"], ["lock", "--check"], ["install", "--locked", "--yes"]]) {
    const { code, stderr } = await world.amof(args);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, `mv ${join(world.directory, LOCK)} `);
  }
  await Deno.rename(join(world.directory, LOCK), join(world.directory, `${LOCK}.old`));
  assertEquals((await world.amof(["lock"])).code, 0);
  assertEquals((await world.amof(["lock", "--check"])).code, 0);
});

Deno.test("install --locked leaves clones with work of their own where they are, and loses nothing", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs", "ahead", "topic"] });
  const commits: Record<string, string> = {};
  for (const repo of ["api", "web", "docs"]) commits[repo] = await news(world, repo);
  for (const repo of ["ahead", "topic"]) commits[repo] = await head(world, repo);
  const entries = Object.entries(commits).map(([name, commit]) => ({
    name,
    url: world.url(name),
    branch: "main",
    commit,
  }));
  await world.write(
    LOCK,
    JSON.stringify({ version: 1, ecosystem: "demo", made_at: "", repos: entries }),
  );
  await Deno.writeTextFile(join(world.clone("web"), "README.md"), "changed\n");
  for (const repo of ["docs", "ahead"]) {
    await world.git(world.clone(repo), "commit", "--quiet", "--allow-empty", "-m", "Mine");
  }
  const work = await world.commitOnFeature("topic");
  const mine = [await head(world, "docs"), await head(world, "ahead")];
  const ran = await world.amof(["install", "--locked", "--yes", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "error")], [5, "partial_failure"], ran.stdout);
  assertEquals(
    rows(ran.json(), "result", "locked").map(({ name, result }) => `${name} ${result}`),
    [
      "api moved",
      "web skipped",
      "docs skipped",
      "ahead skipped",
      "topic skipped",
    ],
  );
  assertEquals(await head(world, "api"), commits["api"]);
  assertEquals([await head(world, "docs"), await head(world, "ahead")], mine);
  assertEquals(await head(world, "topic"), work);
  assertEquals(await Deno.readTextFile(join(world.clone("web"), "README.md")), "changed\n");
});

Deno.test("a lock in any format makes the same ecosystem when it is read back", async () => {
  const manifest = (world: World, name: string) =>
    `name: ${name}
description: ""
repos:
  - name: api
    url: ${world.url("api")}
    branch: main
    path: src/api
    tags: [backend, typescript]
  - name: web
    url: ${world.url("web")}
    branch: main
    depends_on: [api]
    readonly: true
groups:
  shop: [web, api]
`;
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  await world.write("control/ecosystems/demo/ecosystem.yaml", manifest(world, "demo"));
  await world.install();
  const commits = {
    api: await world.git(join(world.workspace(), "src/api"), "rev-parse", "HEAD"),
    web: await head(world, "web"),
  };
  const described = async (name: string) => {
    const shown = await world.amof(["-e", name, "manifest", "show", "--json"]);
    return pick(shown.json(), "manifest", "repos") ?? pick(shown.json(), "repos");
  };
  const before = await described("demo") as Record<string, unknown>[];
  assertEquals(before.length, 2);
  for (
    const [format, file] of [["repos", "lock.repos"], ["west", "west.yml"], [
      "repo",
      "default.xml",
    ], ["amof", "lock.json"]]
  ) {
    const made = await world.amof(["-e", "demo", "lock", "--format", format ?? "", "--json"]);
    assertEquals(made.code, 0, made.stdout);
    assertEquals(pick(made.json(), "file"), `ecosystems/demo/${file}`);
    const from = `ecosystems/demo/${file}`;
    const create = ["ecosystem", "create", `by-${format}`, "--from", from, "--offline", "--json"];
    const created = await world.amof(create);
    assertEquals(created.code, 0, created.stdout);
    // The XML of repo has no words for the rest.
    const wanted = format !== "repo"
      ? before
      : before.map((repo) => ({ ...repo, readonly: false, dependsOn: [] }));
    assertEquals(await described(`by-${format}`), wanted, format);
    const text = await Deno.readTextFile(
      join(world.control, `ecosystems/by-${format}/ecosystem.yaml`),
    );
    assertEquals(text.includes("shop:"), format === "amof");
    const lock = join(world.control, `ecosystems/by-${format}/lock.json`);
    const read = rows(JSON.parse(await Deno.readTextFile(lock)), "repos");
    assertEquals(Object.fromEntries(read.map((repo) => [repo["name"], repo["commit"]])), commits);
    if (format === "repo") {
      assertEquals((pick(made.json(), "notes") as string[]).length, 3);
    }
  }
});
