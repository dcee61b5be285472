/**
 * `amof lock` and `amof install --locked` on clones of every kind: shallow and blobless ones, with mirrors, adopted ones.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { commitBefore } from "../support/meanwhile.ts";
import { type Ran, World } from "../support/world.ts";

const LOCK = "control/ecosystems/demo/lock.json";
/** How the manifest has each repository cloned. */
const KINDS: Readonly<Record<string, string>> = {
  whole: "",
  lazy: ", clone: blobless",
  short: ', clone: "shallow:1"',
};
const NAMES = Object.keys(KINDS);

/** Three repositories with two commits behind the first, and the manifest that clones each in another way. */
function remotes(): Promise<World> {
  return World.like("remotes for locks", async (world) => {
    await world.makeControl();
    for (const repo of NAMES) {
      await world.addRemote(repo);
      for (const _ of [1, 2]) await publish(world, repo);
      await world.git(
        join(world.remotes, `${repo}.git`),
        "config",
        "uploadpack.allowFilter",
        "true",
      );
    }
    const repos = NAMES.map((name) =>
      `  - {name: ${name}, url: "${world.url(name)}", branch: main${KINDS[name] ?? ""}}`
    );
    await world.write(
      "control/ecosystems/demo/ecosystem.yaml",
      ["name: demo", "mirrors: true", "repos:", ...repos, ""].join("\n"),
    );
  });
}

/** Pushes a change of a file to main of a remote; answers the commit. */
async function publish(world: World, repo: string): Promise<string> {
  const seed = join(world.directory, "seed", repo);
  await Deno.writeTextFile(join(seed, "README.md"), `${crypto.randomUUID()}\n`);
  await world.git(seed, "commit", "--quiet", "--all", "-m", "News");
  await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
  return await world.git(seed, "rev-parse", "HEAD");
}

/** Writes a lock of the commits `rev` of what was published. */
async function lockAt(world: World, rev: string): Promise<string[]> {
  const commits = await Promise.all(
    NAMES.map((name) => world.git(join(world.directory, "seed", name), "rev-parse", rev)),
  );
  const repos = NAMES.map((name, at) => ({
    name,
    url: world.url(name),
    branch: "main",
    commit: commits[at],
  }));
  await world.write(
    LOCK,
    JSON.stringify({ version: 1, ecosystem: "demo", made_at: "", repos }),
  );
  return commits;
}

const install = (world: World, ...more: string[]) =>
  world.amof(["install", "--locked", "--yes", "--json", ...more]);
const heads = (world: World) =>
  Promise.all(NAMES.map((name) => world.git(world.clone(name), "rev-parse", "HEAD")));
/** What became of each clone: nothing is a run where nothing would move. */
const lockedRows = (ran: Ran) =>
  rows(ran.json(), ...(pick(ran.json(), "result") === undefined ? [] : ["result"]), "locked");
const outcome = (ran: Ran) =>
  lockedRows(ran).map(({ name, result, detail }) =>
    `${name} ${result}${result === "moved" ? "" : `: ${detail}`}`
  );

Deno.test("fresh clones of every kind go to a commit behind their branch, and shallow and blobless stay so", async () => {
  await using world = await remotes();
  const old = await lockAt(world, "HEAD~1");
  const ran = await install(world);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(outcome(ran), ["whole moved", "lazy moved", "short moved"]);
  assertEquals(await heads(world), old);
  for (const name of NAMES) {
    assertEquals(await world.git(world.clone(name), "status", "--porcelain"), "");
  }
  assertEquals(
    await world.git(world.clone("short"), "rev-parse", "--is-shallow-repository"),
    "true",
  );
  assertEquals(await world.git(world.clone("lazy"), "config", "remote.origin.promisor"), "true");
  assertEquals((await world.amof(["lock", "--check"])).code, 0);
  // Where the history is cut off, nobody can tell whether a branch of the remote still holds it.
  const made = await world.amof(["lock", "--json"]);
  assertEquals([made.code, pick(made.json(), "error")], [1, "would_lose_work"], made.stdout);
  assertStringIncludes(made.stdout, "fetch --unshallow");
  // And forward, by commits that are in none of the clones yet.
  const later = [];
  for (const name of NAMES) later.push(await publish(world, name));
  assertEquals(await lockAt(world, "HEAD"), later);
  const forward = await install(world);
  assertEquals([forward.code, outcome(forward)], [
    0,
    ["whole moved", "lazy moved", "short moved"],
  ], forward.stdout);
  assertEquals(await heads(world), later);
  assertEquals((await world.amof(["lock"])).code, 0);
});

Deno.test("clones of every kind that are elsewhere, or whose commit is gone, stay and say why", async () => {
  await using world = await remotes();
  await lockAt(world, "HEAD");
  assertEquals((await install(world)).code, 0);
  await Deno.writeTextFile(join(world.clone("lazy"), "README.md"), "changed\n");
  await world.git(world.clone("short"), "switch", "--quiet", "-c", "feature/T-1");
  const before = await heads(world);
  const [gone = ""] = await Promise.all([publish(world, "whole")]);
  await lockAt(world, "HEAD");
  const remote = join(world.remotes, "whole.git");
  await world.git(remote, "update-ref", "refs/heads/main", "main~1");
  await world.git(remote, "reflog", "expire", "--expire=now", "--all");
  await world.git(remote, "prune", "--expire=now");
  for (const name of ["lazy", "short"]) await publish(world, name);
  const lock = JSON.parse(await Deno.readTextFile(join(world.directory, LOCK)));
  assertEquals(rows(lock, "repos")[0]?.["commit"], gone);
  await lockAt(world, "HEAD");
  const ran = await install(world);
  assertEquals([ran.code, pick(ran.json(), "error")], [5, "partial_failure"], ran.stdout);
  assertEquals(outcome(ran), [
    "whole failed: its remote does not have the commit",
    "lazy skipped: 1 file not committed",
    "short skipped: it is on feature/T-1, not on main",
  ]);
  assertEquals(await heads(world), before);
});

Deno.test("clones of every kind go back to their commit, but not over a commit that is only there", async () => {
  await using world = await remotes();
  await lockAt(world, "HEAD");
  assertEquals((await install(world)).code, 0);
  await publish(world, "lazy");
  assertEquals((await world.amof(["sync", "--quiet", "--repo", "lazy"])).code, 0);
  const old = await lockAt(world, "HEAD~1");
  const ran = await install(world);
  assertEquals([ran.code, outcome(ran)], [0, ["whole moved", "lazy moved", "short moved"]]);
  assertEquals(await heads(world), old);
  for (const name of NAMES) {
    await world.git(world.clone(name), "commit", "--quiet", "--allow-empty", "-m", "Mine");
  }
  const mine = await heads(world);
  await lockAt(world, "HEAD");
  const kept = await install(world);
  const why = "skipped: it has 1 commit that its remote is not known to have";
  assertEquals([kept.code, outcome(kept)], [5, NAMES.map((name) => `${name} ${why}`)]);
  assertEquals(await heads(world), mine);
});

Deno.test("an adopted clone goes forward to its commit, and keeps everything of its owner", async () => {
  await using world = await remotes();
  const code = join(world.directory, "code");
  await Deno.mkdir(code);
  const whole = join(code, "whole");
  await world.git(code, "clone", "--quiet", world.url("whole"), whole);
  await world.git(whole, "branch", "idea");
  await Deno.writeTextFile(join(whole, "note.txt"), "put away\n");
  await world.git(whole, "stash", "--quiet", "--include-untracked");
  const kept = await world.git(whole, "rev-parse", "stash@{0}", "idea");
  const both = await world.amof(["install", "--adopt", "../code", "--locked", "--yes", "--json"]);
  assertEquals([both.code, pick(both.json(), "error")], [2, "invalid_arguments"]);
  assertEquals((await world.amof(["install", "--adopt", "../code", "--yes"])).code, 0);
  assertEquals(await Deno.readLink(world.clone("whole")), await Deno.realPath(whole));
  // Nothing has happened to it since its owner cloned it; it is theirs all the same.
  await lockAt(world, "HEAD~1");
  const back = await install(world);
  assertEquals(outcome(back), [
    "whole skipped: it has commits that the lock does not have, and an adopted clone only moves forward",
    "lazy moved",
    "short moved",
  ]);
  // What would be done is what is done, and what is advised leads out.
  const plan = await world.amof(["install", "--locked", "--dry-run"]);
  assertStringIncludes(plan.stdout, "Leave whole where it is: it has commits that the lock");
  assertEquals(plan.stdout.includes("discard"), false, plan.stdout);
  const differs = await world.amof(["lock", "--check"]);
  const command = /Put it back: git -C (\S+) reset --keep (\S+)/.exec(differs.stderr) ?? [];
  assertEquals([differs.code, differs.stderr.includes("install --locked")], [3, false]);
  await world.git(command[1] ?? "", "reset", "--quiet", "--keep", command[2] ?? "");
  assertEquals((await world.amof(["lock", "--check"])).code, 0);
  await publish(world, "whole");
  const commits = await lockAt(world, "HEAD");
  const ran = await install(world);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await heads(world), commits);
  assertEquals(await world.git(whole, "rev-parse", "stash@{0}", "idea"), kept);
  // With work of its own it stays where it is.
  await world.git(whole, "commit", "--quiet", "--allow-empty", "-m", "Mine");
  const mine = await world.git(whole, "rev-parse", "HEAD");
  const again = await install(world);
  assertEquals([again.code, outcome(again)[0]], [
    5,
    "whole skipped: it has 1 commit that its remote is not known to have",
  ]);
  assertEquals(await world.git(whole, "rev-parse", "HEAD"), mine);
});

Deno.test("amof lock takes no selection, and says what it takes instead", async () => {
  await using world = await remotes();
  for (const flag of ["--repo=whole", "--tag=a", "--only=ahead"]) {
    const ran = await world.amof(["lock", flag, "--json"]);
    assertEquals([ran.code, pick(ran.json(), "error")], [2, "invalid_arguments"], ran.stdout);
    assertStringIncludes(ran.stdout, "every repository");
  }
});

Deno.test({
  name: "what somebody commits in the moment in which a clone goes back stays on its branch",
  ignore: Deno.build.os === "windows", // a script
  async fn() {
    await using world = await remotes();
    await lockAt(world, "HEAD");
    assertEquals((await install(world)).code, 0);
    const [, ...old] = await lockAt(world, "HEAD~1");
    const clone = world.clone("whole");
    const env = await commitBefore(world, { clone, word: "--force-create" });
    const ran = await world.amof(["install", "--locked", "--yes", "--json", "--jobs", "1"], {
      env,
    });
    const [whole, ...others] = rows(ran.json(), "result", "locked");
    assertEquals([ran.code, whole?.["code"]], [5, "repo_changed"], ran.stdout);
    assertEquals(others.map(({ result }) => result), ["moved", "moved"]);
    const [mine, ...moved] = await heads(world);
    assertEquals(moved, old);
    assertEquals(await world.git(clone, "log", "-1", "--format=%s", "refs/heads/main"), "Mine");
    assertEquals(await world.git(clone, "rev-parse", "main"), mine);
    assertEquals(await world.git(clone, "status", "--porcelain"), "");
    const again = await install(world);
    assertEquals(
      outcome(again)[0],
      "whole skipped: it has 1 commit that its remote is not known to have",
    );
  },
});
