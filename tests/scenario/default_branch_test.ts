/**
 * Repositories whose manifest names no branch: the remotes are asked, and nothing is assumed.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { parse } from "@std/yaml";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

const MANIFEST = "control/ecosystems/demo/ecosystem.yaml";

/** An ecosystem without branches in its manifest; the remote of `old` has `trunk`, that of `api` has `main`. */
async function branchless(): Promise<World> {
  const world = await World.like("no branches", async (world) => {
    await world.makeControl();
    for (const repo of ["api", "old"]) await world.addRemote(repo);
    const remote = join(world.remotes, "old.git");
    await world.git(remote, "branch", "--move", "main", "trunk");
    await world.git(remote, "symbolic-ref", "HEAD", "refs/heads/trunk");
  });
  await world.write(
    MANIFEST,
    [
      "name: demo",
      "repos:",
      `  - {name: api, url: "${world.url("api")}"}`,
      "  - name: old # what came first",
      `    url: ${world.url("old")}`,
      "",
    ].join("\n"),
  );
  return world;
}

async function branches(world: World): Promise<unknown[]> {
  const text = await Deno.readTextFile(join(world.directory, MANIFEST));
  assertStringIncludes(text, "# what came first");
  return (parse(text) as { repos: { branch?: string }[] }).repos.map(({ branch }) => branch);
}

Deno.test("amof install asks the remotes for branches the manifest does not name, and writes them down", async () => {
  await using world = await branchless();
  const planned = await world.amof(["install", "--dry-run"]);
  assertStringIncludes(planned.stdout, 'Write "branch: trunk" of old');
  assertEquals(await branches(world), [undefined, undefined]);
  const ran = await world.amof(["install", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertStringIncludes(ran.stdout, "old (trunk) was asked for");
  assertEquals(await branches(world), [undefined, "trunk"]);
  assertEquals(await world.git(world.clone("old"), "branch", "--show-current"), "trunk");
  const status = await world.amof(["status", "--check"]);
  assertEquals(status.code, 0, status.stdout);
});

Deno.test("amof install that fails takes back what it wrote into the manifest", async () => {
  await using world = await branchless();
  await Deno.remove(join(world.remotes, "api.git"), { recursive: true });
  const ran = await world.amof(["install", "--yes"]);
  assertEquals(ran.code, 1);
  assertEquals(await branches(world), [undefined, undefined]);
});

Deno.test("amof sync asks before it clones what came to the manifest later", async () => {
  await using world = await branchless();
  const text = await Deno.readTextFile(join(world.directory, MANIFEST));
  await world.write(MANIFEST, `name: demo\nrepos:\n  - {name: api, url: "${world.url("api")}"}\n`);
  assertEquals((await world.amof(["install", "--yes"])).code, 0);
  await world.write(MANIFEST, text);
  const ran = await world.amof(["sync"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertEquals(await branches(world), [undefined, "trunk"]);
});

Deno.test("amof ecosystem create writes no branch that nobody named", async () => {
  await using world = await branchless();
  const ran = await world.amof([
    "ecosystem",
    "create",
    "shop",
    "--repo",
    `old=${world.url("old")}`,
  ]);
  assertEquals(ran.code, 0, ran.stderr);
  const text = await Deno.readTextFile(join(world.control, "ecosystems/shop/ecosystem.yaml"));
  assertNotMatch(text, /branch/);
});

Deno.test("a base branch that the remote has no more is told by status, too, once it was fetched", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "branch", "--move", "main", "trunk");
  await world.git(remote, "symbolic-ref", "HEAD", "refs/heads/trunk");
  await world.amof(["sync", "--quiet"]);
  const shown = await world.amof(["status", "--check"]);
  assertEquals(shown.code, 3);
  assertStringIncludes(shown.stdout, "its remote has no branch main any more");
  const sync = await world.amof(["sync", "--repo", "api"]);
  assertStringIncludes(sync.stdout, "amof repo rename api --branch trunk");
});

Deno.test("what a remote has renamed or merged is not made again there by a push that was not told to", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const api = world.clone("api");
  const remote = join(world.remotes, "api.git");
  const there = async () =>
    (await world.git(remote, "for-each-ref", "--format=%(refname:short)", "refs/heads")).trim();
  await world.amof(["ticket", "start", "T-1", "--quiet"]);
  await world.git(api, "commit", "--quiet", "--allow-empty", "-m", "One");
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  await world.git(remote, "branch", "--move", "main", "trunk");
  await world.git(remote, "symbolic-ref", "HEAD", "refs/heads/trunk");
  await world.git(remote, "branch", "--delete", "--force", "feature/T-1");
  await world.amof(["sync", "--quiet"]);
  const status = (await world.amof(["status", "--json"])).json();
  const offered = rows(status, "suggested_actions").map(({ tool }) => tool);
  assertEquals(offered.includes("amof_push_ecosystem"), false, JSON.stringify(offered));
  const baseless = await world.amof(["push", "--yes"]);
  assertStringIncludes(
    baseless.stderr,
    "origin/feature/T-1 is gone, which has no main to tell whether it was merged",
  );
  assertEquals([baseless.code, await there()], [1, "trunk"]);
  await world.amof(["ticket", "end", "T-1", "--quiet"]);
  const manifest = join(world.control, "ecosystems/demo/ecosystem.yaml");
  const text = await Deno.readTextFile(manifest);
  await Deno.writeTextFile(manifest, text.replace("branch: main", "branch: trunk"));
  await world.git(api, "switch", "--quiet", "main");
  await world.git(api, "commit", "--quiet", "--allow-empty", "-m", "Mine");
  const former = await world.amof(["push", "--yes"]);
  assertStringIncludes(former.stderr, "origin/main is gone, and may have been renamed");
  assertEquals([former.code, await there()], [1, "trunk"]);
  const told = await world.amof(["push", "--allow-base", "--yes"]);
  assertEquals([told.code, await there()], [0, "main\ntrunk"], told.stderr);
});

Deno.test("a base branch that the remote has no more is told for a clone of that branch alone, too", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const clone = world.clone("api");
  await Deno.remove(clone, { recursive: true });
  await world.git(world.directory, "clone", "--quiet", "--depth", "1", world.url("api"), clone);
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "branch", "--move", "main", "trunk");
  await world.git(remote, "symbolic-ref", "HEAD", "refs/heads/trunk");
  const sync = await world.amof(["sync"]);
  assertEquals(sync.code, 0, sync.stderr);
  assertStringIncludes(sync.stdout, "the remote has no branch main");
  assertStringIncludes(sync.stdout, "amof repo rename api --branch trunk");
  assertMatch(sync.stdout, /^web +up to date/m);
});

Deno.test("a clone of another branch alone gets to its base branch by what status says", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const clone = world.clone("api");
  await world.git(join(world.remotes, "api.git"), "branch", "dev", "main");
  await Deno.remove(clone, { recursive: true });
  const narrow = ["clone", "--quiet", "--single-branch", "-b", "dev", world.url("api"), clone];
  await world.git(world.directory, ...narrow);
  const status = (await world.amof(["status", "--json"])).json();
  const fix = String(pick(rows(status, "repos")[0], "needs", 0, "fix"));
  assertEquals(fix.split("\n"), [
    "amof sync --repo api",
    `git -C ${clone} remote set-branches --add origin 'main*'`,
    `git -C ${clone} switch --create main --track origin/main`,
  ]);
  for (const line of fix.split("\n")) {
    const [program = "", ...words] = line.replaceAll("'", "").split(" ");
    const ran = program === "amof" ? await world.amof(words) : await world.command("git", words);
    assertEquals(ran.code, 0, line);
  }
  assertEquals((await world.amof(["status", "--check"])).code, 0);
  assertEquals(await world.git(clone, "rev-parse", "--abbrev-ref", "@{upstream}"), "origin/main");
});

/** Renames `main` to `trunk` at the remote of a repository, adds a commit there, and writes the manifest's line. */
async function rename(world: World, repo: string): Promise<string> {
  const remote = join(world.remotes, `${repo}.git`);
  await world.git(remote, "branch", "--move", "main", "trunk");
  await world.git(remote, "symbolic-ref", "HEAD", "refs/heads/trunk");
  const text = await Deno.readTextFile(join(world.directory, MANIFEST));
  await world.write(MANIFEST, text.replaceAll("branch: main", "branch: trunk"));
  return remote;
}

/** Puts a commit on a branch of a remote with what another one has there, as a squash does. */
async function squash(world: World, remote: string, from: string, into: string): Promise<void> {
  const tree = `${from}^{tree}`;
  const made = await world.git(remote, "commit-tree", "-p", into, "-m", "Squashed", tree);
  await world.git(remote, "update-ref", `refs/heads/${into}`, made.trim());
}

Deno.test("a ticket goes on with the base branch that its remote and the manifest have renamed", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const api = world.clone("api");
  const branch = async () => (await world.git(api, "branch", "--show-current")).trim();
  await world.amof(["ticket", "start", "T-1", "--quiet"]);
  await world.write("control/worktrees/demo/repos/api/mine", "mine\n");
  await world.git(api, "add", "mine");
  await world.git(api, "commit", "--quiet", "-m", "Mine");
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  const remote = await rename(world, "api");
  await squash(world, remote, "trunk", "trunk");
  // The fetch of the update is the first that tells of it.
  const update = await world.amof(["ticket", "update", "T-1"]);
  assertEquals(update.code, 0, update.stderr);
  assertStringIncludes(update.stdout, "1 commit of trunk, merged");
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  const away = await world.amof(["ticket", "switch", "main", "--dry-run"]);
  assertStringIncludes(away.stdout, "to trunk, making it out of origin/trunk");
  assertEquals((await world.amof(["ticket", "switch", "main"])).code, 0);
  assertEquals(await branch(), "trunk");
  assertEquals(
    (await world.git(api, "rev-parse", "--abbrev-ref", "trunk@{upstream}")).trim(),
    "origin/trunk",
  );
  await world.amof(["ticket", "switch", "T-1", "--quiet"]);
  await squash(world, remote, "feature/T-1", "trunk");
  await world.git(remote, "branch", "--delete", "--force", "feature/T-1");
  await world.amof(["sync", "--quiet"]);
  assertMatch((await world.amof(["status"])).stdout, /^api .*MERGED/m);
  assertMatch((await world.amof(["ticket", "list"])).stdout, /^T-1 .*MERGED/m);
  const push = await world.amof(["push", "--dry-run"]);
  assertStringIncludes(
    push.stdout,
    "feature/T-1 is in trunk as one commit, and origin/feature/T-1 is gone",
  );
  const end = await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes"]);
  assertEquals([end.code, await branch()], [0, "trunk"], end.stderr);
});

Deno.test("an update of a ticket that is not active goes on with a renamed base branch that its own fetch brings", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const api = world.clone("api");
  await world.amof(["ticket", "start", "T-1", "--quiet"]);
  await world.git(api, "commit", "--quiet", "--allow-empty", "-m", "Mine");
  await world.amof(["ticket", "switch", "main", "--quiet"]);
  const remote = await rename(world, "api");
  await squash(world, remote, "trunk", "trunk");
  const update = await world.amof(["ticket", "update", "T-1"]);
  assertEquals(update.code, 0, update.stderr);
  assertStringIncludes(update.stdout, "1 commit of trunk, merged");
  assertEquals(
    (await world.git(api, "log", "-1", "--format=%s", "feature/T-1")).trim(),
    "Merge origin/trunk into feature/T-1",
  );
});

Deno.test("a ticket keeps a base branch that was chosen for it, and one that the remote still has", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const bases = async () => {
    const file = join(world.control, "worktrees/demo/.amof/state.json");
    const { tickets } = JSON.parse(await Deno.readTextFile(file));
    const noted: { repo: string; source_branch: string }[] = tickets["T-1"].repo_selections;
    return noted.map(({ repo, source_branch: base }) => `${repo} ${base}`);
  };
  await world.git(join(world.remotes, "api.git"), "branch", "next", "main");
  await world.amof(["sync", "--quiet"]);
  await world.amof(["ticket", "start", "T-1", "--base", "api=next", "--quiet"]);
  const api = await rename(world, "api");
  await world.git(api, "branch", "--delete", "--force", "next");
  const web = await rename(world, "web");
  await world.git(web, "branch", "main", "trunk");
  await world.amof(["sync", "--quiet"]);
  const update = await world.amof(["ticket", "update", "T-1", "--repo", "api"]);
  assertEquals(update.code, 1);
  assertStringIncludes(update.stderr, "the remote has no branch next");
  assertStringIncludes(update.stderr, `by hand: git -C ${world.clone("api")} merge origin/trunk`);
  await world.amof(["ticket", "switch", "main", "--quiet"]);
  assertEquals(await bases(), ["api next", "web main"]);
  await world.git(web, "branch", "--delete", "--force", "main");
  await world.amof(["sync", "--quiet"]);
  await world.amof(["ticket", "switch", "T-1", "--quiet"]);
  assertEquals(await bases(), ["api next", "web trunk"]);
});

for (const how of ["--in-place", "--workspace"]) {
  Deno.test(`a ticket on the branch of another goes on with the base branch once that was merged and deleted (${how})`, async () => {
    await using world = await World.installed({ repos: ["api"] });
    const remote = join(world.remotes, "api.git");
    const at = (id: string) =>
      how === "--in-place"
        ? world.clone("api")
        : join(world.control, `worktrees/demo@${id}/repos/api`);
    const must = async (id: string, ...args: string[]) => {
      const scope = how === "--in-place" || args[1] === "start" ? [] : ["--ticket", id];
      const ran = await world.amof([...scope, ...args]);
      assertEquals(ran.code, 0, `${args}: ${ran.stdout}${ran.stderr}`);
      return ran.stdout;
    };
    for (const [id, base] of [["S-1", "main"], ["S-2", "feature/S-1"]] as const) {
      await must(id, "ticket", "start", id, how, "--base", `api=${base}`, "--quiet");
      await Deno.writeTextFile(join(at(id), `${id}.txt`), `${id}\n`);
      await world.git(at(id), "add", ".");
      await world.git(at(id), "commit", "--quiet", "-m", id);
      await must(id, "push", "--yes", "--quiet");
    }
    // The squash is changed once more: a merge of both without what landed would conflict.
    await squash(world, remote, "feature/S-1", "main");
    await world.git(remote, "branch", "--delete", "--force", "feature/S-1");
    const seed = join(world.directory, "seed-main");
    await world.git(world.directory, "clone", "--quiet", remote, seed);
    await Deno.writeTextFile(join(seed, "S-1.txt"), "S-1, seen once more\n");
    await world.git(seed, "commit", "--quiet", "-am", "See it once more");
    await world.git(seed, "push", "--quiet", "origin", "HEAD:main");

    await must("S-2", "sync", "--quiet");
    assertStringIncludes(await must("S-2", "ticket", "update", "S-2"), "2 commits of main");
    const log = await world.git(at("S-2"), "diff", "--name-only", "origin/main...HEAD");
    assertEquals(log.trim(), "S-2.txt");
    assertEquals(
      await Deno.readTextFile(join(at("S-2"), "S-1.txt")),
      "S-1, seen once more\n",
    );
    assertStringIncludes(await must("S-2", "ticket", "update", "S-2"), "up to date");
    assert(!(await must("S-2", "status")).includes("NO_BASE"));
  });
}

Deno.test("a ticket with a workspace of its own goes on with a base branch that was renamed", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.amof(["ticket", "start", "T-1", "--workspace", "--quiet"]);
  const clone = join(world.control, "worktrees/demo@T-1/repos/api");
  await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Mine");
  const remote = await rename(world, "api");
  await squash(world, remote, "trunk", "trunk");
  const sync = await world.amof(["sync", "--ticket", "T-1", "--fresh", "0"]);
  assertMatch(sync.stdout, /^api +up to date +stays on feature\/T-1/m);
  const update = await world.amof(["ticket", "update", "--ticket", "T-1"]);
  assertEquals(update.code, 0, update.stderr);
  assertStringIncludes(update.stdout, "1 commit of trunk, merged");
});

Deno.test("a ticket begins at a branch that only the remote of a clone of another branch has, and goes on with it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "branch", "release", "main");
  await squash(world, remote, "main", "main");
  await Deno.remove(clone, { recursive: true });
  await world.git(world.directory, "clone", "--quiet", "--single-branch", world.url("api"), clone);
  const begin = ["ticket", "start", "T-1", "--base", "api=release"];
  const offline = await world.amof([...begin, "--offline"]);
  assertStringIncludes(offline.stderr, `Ask its remote: amof ${begin.join(" ")}\n`);
  const nowhere = await world.amof([...begin.slice(0, -1), "api=nowhere"]);
  assertStringIncludes(nowhere.stderr, "no branch nowhere to begin at, and neither has its remote");
  assertNotMatch(nowhere.stderr, /amof sync/);
  const start = await world.amof(begin);
  assertEquals(start.code, 0, start.stderr);
  const commit = async (at: string) => (await world.git(clone, "rev-parse", at)).trim();
  assertEquals(await commit("HEAD"), await commit("origin/release"));
  await world.write("control/worktrees/demo/repos/api/mine", "mine\n");
  await world.git(clone, "add", "mine");
  await world.git(clone, "commit", "--quiet", "-m", "Mine");
  await squash(world, remote, "release", "release");
  const update = await world.amof(["ticket", "update"]);
  assertStringIncludes(update.stdout, "1 commit of release, merged");
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  await squash(world, remote, "feature/T-1", "release");
  await world.amof(["sync", "--quiet"]);
  assertMatch((await world.amof(["status"])).stdout, /^api .*MERGED/m);
  const end = await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes"]);
  assertEquals(end.code, 0, end.stderr);
  assertStringIncludes(end.stdout, "release as ");
});
