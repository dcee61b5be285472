/**
 * `amof push` holds back what must not or cannot go, and sends the rest.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";
import { commit, outcome, push, refs, remote, results } from "./_push.ts";

Deno.test("amof push neither commits nor pushes a dirty base branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "mine\n");
  await Deno.writeTextFile(join(world.clone("api"), "README.md"), "mine\n");
  const before = await world.fingerprint();
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "repo_dirty"]]);
  assertMatch(String(pick(ran.json(), "message")), /^Pushed nothing: "api" was held back/);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof push sends a base branch only with --allow-base", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const head = await commit(world, world.clone("api"), "a.txt");
  const before = await refs(world, "api");
  const refused = await push(world);
  assertEquals(refused.code, 1);
  assertEquals(outcome(refused), [["api", "skipped", "push_refused"]]);
  assertEquals(await refs(world, "api"), before);
  const allowed = await push(world, "--allow-base");
  assertEquals(allowed.code, 0);
  assertEquals(await remote(world, "api", "main"), head);
});

Deno.test("amof push leaves alone what is not ahead", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  const before = await refs(world, "web");
  await push(world);
  assertEquals(await refs(world, "web"), before);
  const again = await world.amof(["push", "--json"]);
  // Nothing is ahead any more: that needs no consent.
  assertEquals(again.code, 0);
  assertEquals(outcome(again), [["api", "skipped", null], ["web", "skipped", null]]);
  assertEquals(pick(again.json(), "summary"), "Pushed nothing: every repo is up to date.");
  // What is in a clone that is not there nobody knows.
  await Deno.remove(world.clone("web"), { recursive: true });
  const missing = await world.amof(["push"]);
  assertEquals(missing.code, 0);
  assertStringIncludes(missing.stdout, "Pushed nothing: the rest is up to date; web not sent.");
  assertStringIncludes(missing.stdout, "amof sync --repo web");
});

Deno.test("amof push never sends a read-only repository", async () => {
  await using world = await World.installed();
  await commit(world, world.clone("docs"), "mine.txt");
  const before = await refs(world, "docs");
  for (const args of [[], ["--allow-base"], ["--repo", "docs", "--allow-base", "--commit"]]) {
    const ran = await push(world, ...args);
    assertEquals(ran.code, 0, args.join(" "));
    assert(results(ran).every((row) => row["result"] === "skipped"));
  }
  assertEquals(await refs(world, "docs"), before);
});

Deno.test("amof push --repo limits the push to the named repositories", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  const head = await world.commitOnFeature("web");
  const ran = await push(world, "--repo", "web");
  assertEquals(outcome(ran), [["web", "pushed", null]]);
  assertEquals(await remote(world, "api", "feature/T-1"), null);
  assertEquals(await remote(world, "web", "feature/T-1"), head);
});

Deno.test("amof push holds back a commit whose submodule's commit is on no remote, and pushes no submodule", async () => {
  await using world = await World.installed({ repos: ["api", "lib"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
  const allow = ["-c", "protocol.file.allow=always"];
  await world.git(clone, ...allow, "submodule", "--quiet", "add", world.url("lib"), "libs/one");
  const one = join(clone, "libs", "one");
  await world.git(one, "commit", "--quiet", "--allow-empty", "-m", "Only here");
  await world.git(clone, "commit", "--quiet", "-am", "Newer one");
  // What a user may have set, and what would send more than was previewed.
  await world.git(clone, "config", "push.recurseSubmodules", "on-demand");
  const before = [await refs(world, "api"), await refs(world, "lib")];
  // It is told beforehand, with the same command, and leads to no push that waits for it.
  const status = (await world.amof(["status", "--json"])).json();
  assertEquals(pick(status, "repos", 0, "unsent_submodules"), ["libs/one"]);
  const told = String(pick(status, "repos", 0, "needs", 0, "fix"));
  const offered = rows(status, "suggested_actions").map(({ tool }) => tool);
  assertEquals(offered.includes("amof_push_ecosystem"), false);
  const ran = await push(world, "--repo", "api");
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "push_refused"]]);
  assertStringIncludes(String(results(ran)[0]?.["fix"]), told);
  assertEquals(
    results(ran)[0]?.["detail"],
    "commits of submodules are on none of their remotes: libs/one",
  );
  assertEquals([await refs(world, "api"), await refs(world, "lib")], before);
  const fix = /: git -C (.*) push (.*)$/.exec(String(results(ran)[0]?.["fix"])) ?? [];
  assertEquals(fix[1], one);
  await world.git(one, "push", "--quiet", ...(fix[2] ?? "").split(" "));
  const sent = (await world.amof(["status", "--json"])).json();
  assertEquals(pick(sent, "repos", 0, "unsent_submodules"), undefined);
  assertEquals((await push(world, "--repo", "api")).code, 0);
  assertEquals(
    await remote(world, "api", "feature/T-1"),
    await world.git(clone, "rev-parse", "HEAD"),
  );
  // What goes and names no commit of it does not wait for it.
  await world.git(one, "commit", "--quiet", "--allow-empty", "-m", "Later");
  await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Without it");
  await world.git(clone, "config", "submodule.libs/one.ignore", "all");
  assertEquals((await push(world, "--repo", "api")).code, 0);
});

Deno.test("amof push holds back a repository without a remote and one that cannot be read", async () => {
  await using world = await World.installed({ repos: ["api", "web", "good", "gone"] });
  for (const repo of ["api", "web", "good"]) await world.commitOnFeature(repo);
  await world.git(world.clone("api"), "remote", "remove", "origin");
  await Deno.writeTextFile(join(world.clone("web"), ".git", "HEAD"), "garbage\n");
  await Deno.remove(world.clone("gone"), { recursive: true });
  const ran = await push(world);
  assertEquals(ran.code, 5);
  assertEquals(outcome(ran), [
    ["api", "skipped", "push_refused"],
    ["web", "skipped", "git_failed"],
    ["good", "pushed", null],
    ["gone", "skipped", null],
  ]);
});

Deno.test("amof push holds back a repository with a broken ref and pushes the others", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  await world.git(world.clone("api"), "branch", "--quiet", "--set-upstream-to=origin/main");
  const head = await world.commitOnFeature("web");
  const api = world.clone("api");
  const lost = (await world.git(api, "commit-tree", "-m", "lost", "HEAD^{tree}")).trim();
  await world.git(api, "update-ref", "refs/remotes/origin/broken", lost);
  await Deno.remove(join(api, ".git", "objects", lost.slice(0, 2), lost.slice(2)));
  const ran = await push(world);
  assertEquals(ran.code, 5);
  assertEquals(outcome(ran), [["api", "skipped", "git_failed"], ["web", "pushed", null]]);
  assertEquals(await remote(world, "web", "feature/T-1"), head);
});

Deno.test("amof push needs an installed workspace", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "workspace_not_installed");
});

Deno.test("what commit and push tell of work outside of the ticket works where it is read, once for all of it", async () => {
  await using world = await World.installed({ repos: ["api", "docs", "web"] });
  const started = await world.amof(["ticket", "start", "T-1", "--repo", "api"]);
  assertEquals(started.code, 0, started.stderr);
  for (const repo of ["docs", "web"]) {
    await Deno.writeTextFile(join(world.clone(repo), "wip.txt"), "wip\n");
  }
  await world.write(
    "control/ecosystems/other/ecosystem.yaml",
    "name: other\nrepos: []\n",
  );
  const told = { "held back": ["commit", "-m", "TEXT"], "not sent": ["push"] };
  for (const [what, words] of Object.entries(told)) {
    const said = await world.amof([...words, "--ecosystem", "demo"]);
    assertEquals(said.code, 0, said.stderr);
    assertStringIncludes(
      said.stdout,
      `\n⚠ docs and web: ${what}\n    fix: Take it into T-1: amof -e demo ticket add T-1 --repo docs,web\n`,
    );
  }
  const taken = await world.amof("-e demo ticket add T-1 --repo docs,web".split(" "));
  assertEquals(taken.code, 0, taken.stderr);
});

Deno.test("a preview of a push of which nothing goes says of work outside of the ticket what the push says", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.amof(["ticket", "start", "T-1", "--repo", "api"]);
  await commit(world, world.clone("web"), "mine.txt");
  for (
    const [flag, nothing] of [["--dry-run", "Would push nothing"], ["--yes", "Pushed nothing"]]
  ) {
    const said = await world.amof(["push", String(flag)]);
    assertEquals(said.code, 0, said.stderr);
    assertStringIncludes(said.stdout, `${nothing}: the rest is up to date; web not sent.\n`);
    assertStringIncludes(
      said.stdout,
      "⚠ web: not sent\n    fix: Take it into T-1: amof ticket add T-1 --repo web\n",
    );
  }
});

Deno.test("a push of which nothing goes does not call up to date what status calls unpushed, and names the way", async () => {
  await using world = await World.installed({ repos: ["api", "docs"] });
  const manifest = join(world.control, "ecosystems/demo/ecosystem.yaml");
  const text = await Deno.readTextFile(manifest);
  await Deno.writeTextFile(manifest, text.replace("name: docs", "name: docs\n    readonly: true"));
  const [api, docs] = [world.clone("api"), world.clone("docs")];
  await world.git(api, "switch", "--quiet", "--create", "mine");
  await commit(world, api, "mine.txt");
  await world.git(api, "switch", "--quiet", "main");
  await commit(world, docs, "mine.txt");
  for (
    const [flag, nothing] of [["--dry-run", "Would push nothing"], ["--yes", "Pushed nothing"]]
  ) {
    const said = await world.amof(["push", String(flag)]);
    assertEquals(said.code, 0, said.stderr);
    assertStringIncludes(said.stdout, `${nothing}: the rest is up to date; api and docs not sent`);
    assertMatch(said.stdout, /^ {4}fix: git -C \S+ push --set-upstream origin mine$/m);
    assertMatch(said.stdout, /^ {4}fix: git -C \S+ branch kept-\w+\n +git -C \S+ reset --keep/m);
  }
  const status = await world.amof(["status"]);
  assertStringIncludes(status.stdout, "⚠ docs: read-only, so 1 commit can never be pushed\n");
  // What is read there is done: each line for itself.
  const lines = [...status.stdout.matchAll(/git -C \S+ (branch kept|reset|push).*/g)];
  assertEquals(lines.length, 3, status.stdout);
  for (const [line] of lines) await world.git(docs, ...line.split(" ").slice(1));
  const main = (await world.git(docs, "rev-parse", "main", "origin/main")).trim().split("\n");
  assertEquals(main[0], main[1]);
  assertMatch(await world.git(docs, "branch"), /kept-/);
});

Deno.test("a push of one repository does not call others up to date that have commits nowhere else, in a ticket too", async () => {
  await using world = await World.installed({ repos: ["api", "docs", "web"] });
  const [api, docs, web] = [world.clone("api"), world.clone("docs"), world.clone("web")];
  await world.amof(["ticket", "start", "T-1", "--repo", "api,web"]);
  await world.git(docs, "switch", "--quiet", "--create", "mine");
  await commit(world, docs, "mine.txt");
  await world.git(docs, "switch", "--quiet", "main");
  await world.git(web, "switch", "--quiet", "main");
  await commit(world, web, "mine.txt");
  await world.git(web, "switch", "--quiet", "feature/T-1");
  await commit(world, api, "mine.txt");
  for (const flag of ["--dry-run", "--yes"]) {
    const ran = await world.amof(["push", flag]);
    assertEquals(ran.code, 0, ran.stdout);
    assertMatch(ran.stdout, /docs +skipped.* not pushed, and not checked out: mine \(↑1\)/);
    assertMatch(ran.stdout, /web +skipped.* not pushed, and not checked out: main \(↑1\)/);
    assertEquals(ran.stdout.includes("up to date"), false, ran.stdout);
  }
  const text = await world.amof(["push", "--yes"]);
  assertStringIncludes(
    text.stdout,
    "Pushed nothing: the rest is up to date; docs and web not sent.",
  );
});

Deno.test("a push in a ticket sends nothing of other repositories, unless somebody names them", async () => {
  await using world = await World.installed({ repos: ["api", "docs", "web"] });
  const [api, docs] = [world.clone("api"), world.clone("docs")];
  await world.amof(["ticket", "start", "T-1", "--repo", "api,web"]);
  await commit(world, api, "mine.txt");
  await world.git(docs, "switch", "--quiet", "--create", "hack");
  await commit(world, docs, "mine.txt");
  await Deno.writeTextFile(join(world.clone("docs"), "wip.txt"), "wip\n");
  const before = await refs(world, "docs");
  const preview = await world.amof(["push", "--commit", "--dry-run"]);
  assertStringIncludes(preview.stdout, "Would push 1 repo.");
  assertStringIncludes(preview.stdout, "docs  skipped: on hack, and no part of T-1");
  for (const args of [["--commit"], ["--commit", "--repo", "!web"], ["--commit", "--allow-base"]]) {
    const ran = await world.amof(["push", "--yes", ...args]);
    assertEquals(ran.code, 0, ran.stderr);
    const base = args.includes("--allow-base") ? " --allow-base" : "";
    assertStringIncludes(
      ran.stdout,
      `⚠ docs: not sent\n    fix: Push it by its name: amof push --repo docs --commit${base}\n`,
    );
    assertEquals(await refs(world, "docs"), before);
  }
  assertEquals(
    await remote(world, "api", "feature/T-1"),
    (await world.git(api, "rev-parse", "HEAD")).trim(),
  );
  const named = await push(world, "--repo", "docs", "--commit");
  assertEquals([named.code, outcome(named)], [0, [["docs", "pushed", null]]], named.stdout);
  assertEquals(
    await remote(world, "docs", "hack"),
    (await world.git(docs, "rev-parse", "HEAD")).trim(),
  );
});

Deno.test("what git by itself would push to a fork does not go to origin", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const [clone, fork] = [world.clone("api"), join(world.remotes, "fork.git")];
  await world.git(world.directory, "init", "--quiet", "--bare", fork);
  await world.git(clone, "remote", "add", "fork", fork);
  await world.git(clone, "config", "remote.pushDefault", "fork");
  await world.amof(["ticket", "start", "T-1", "--repo", "api"]);
  await Deno.writeTextFile(join(clone, "new.txt"), "x");
  const ran = await world.amof(["push", "--commit", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertStringIncludes(
    String(ran.json()["message"]),
    "git by itself pushes it to fork, not to origin",
  );
  assertEquals(
    await world.git(join(world.remotes, "api.git"), "branch", "--list", "feature/*"),
    "",
  );
  await world.git(clone, "add", "--all");
  await world.git(clone, "commit", "--quiet", "-m", "New");
  const held = await world.amof(["push", "--json"]);
  assertStringIncludes(String(held.json()["hint"]), `git -C ${clone} push fork feature/T-1`);
  await world.git(clone, "push", "--quiet", "fork", "feature/T-1");
  const sent = await world.amof(["status", "--json", "--jq", "[.repos[].unpushed] | any"]);
  assertEquals(sent.stdout.trim(), "false");
  assertEquals((await world.amof(["push"])).code, 0);
});
