// The pull requests of a ticket, landed in order, stopped by surprises, and taken back.

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { beginTicket, commitIn, forgeWorld, type Kind } from "../support/forge/world.ts";
import type { World } from "../support/world.ts";

const LAND = ["pr", "land", "P-1", "--confirm-name", "P-1", "--json"];

async function open(world: World, repos: readonly string[]): Promise<void> {
  await beginTicket(world, "P-1", repos);
  const opened = await world.amof(["pr", "open", "--yes"]);
  assertEquals(opened.code, 0, opened.stderr);
}

/** Pushes a commit of somebody else to a branch of a remote. */
async function pushByOther(world: World, repo: string, branch: string): Promise<string> {
  const other = join(world.directory, `other-${repo}`);
  await world.git(world.directory, "clone", "-q", join(world.remotes, `${repo}.git`), other);
  await world.git(other, "switch", "-q", branch);
  await world.git(other, "commit", "-q", "--allow-empty", "-m", "By somebody else");
  await world.git(other, "push", "-q", "origin", branch);
  return await world.git(other, "rev-parse", "HEAD");
}

function tree(world: World, repo: string, commit = "main"): Promise<string> {
  return world.git(join(world.remotes, `${repo}.git`), "rev-parse", `${commit}^{tree}`);
}

const KINDS: readonly (readonly [Kind, string])[] = [
  ["github", "merge"],
  ["github", "squash"],
  ["gitlab", "merge"],
  ["gitea", "squash"],
  ["github", "rebase"],
  ["gitea", "rebase"],
];

for (const [kind, method] of KINDS) {
  Deno.test(`${kind}: a ticket lands in order by ${method}, ends, and is taken back`, async () => {
    await using at = await forgeWorld(kind, ["lib", "api"]);
    const { world, forge } = at;
    const before = [await tree(world, "lib"), await tree(world, "api")];
    await open(world, ["lib", "api"]);

    const landed = await world.amof([...LAND, "--method", method]);
    assertEquals(landed.code, 0, landed.stdout);
    assertEquals(pick(landed.json(), "change_set", "state"), "landed");
    const merges = forge.calls.filter((call) => /merge$/.test(call));
    assertMatch(merges[0] ?? "", /lib/);
    assertMatch(merges[1] ?? "", /api/);

    const listed = await world.amof(["ticket", "list"]);
    assertStringIncludes(listed.stdout, "MERGED");
    const again = await world.amof(LAND);
    assertEquals(again.code, 0, again.stdout);
    assertEquals(forge.calls.filter((call) => /merge$/.test(call)).length, 2);
    const ended = await world.amof(["ticket", "end", "P-1", "--cleanup", "--yes"]);
    assertEquals(ended.code, 0, ended.stderr);

    const reverted = await world.amof(["pr", "revert", "P-1", "--yes", "--json"]);
    assertEquals(reverted.code, 0, reverted.stdout);
    const backs = forge.pulls.filter(({ head }) => head.startsWith("revert/"));
    assertEquals(backs.map(({ repo, head }) => [repo, head]), [
      ["api", "revert/P-1-1"],
      ["lib", "revert/P-1-1"],
    ]);
    for (const [index, repo] of ["lib", "api"].entries()) {
      assertEquals(await tree(world, repo, "revert/P-1-1"), before[index]);
    }
    const status = await world.amof(["pr", "status", "P-1"]);
    assertStringIncludes(status.stdout, "Ticket P-1 has landed; 2 repos being taken back.");
    for (const pull of backs) await forge.merge(pull, (await forge.tips(pull)).head, "merge");
    const over = await world.amof(["pr", "status", "P-1", "--json"]);
    assertEquals(pick(over.json(), "repos", 0, "taken_back", "state"), "merged");
    assertStringIncludes(over.stdout, "has landed, and was taken back");
    const more = await world.amof(["pr", "revert", "P-1", "--yes"]);
    assertEquals(more.code, 0, more.stderr);
    assertEquals(forge.pulls.length, 4);
  });
}

Deno.test("what nobody can see of a set is told as that, and the rest of it is told all the same", async () => {
  await using at = await forgeWorld("github", ["lib", "api", "web"]);
  const { world, forge } = at;
  await open(world, ["lib", "api"]);
  assertEquals((await world.amof(LAND)).code, 0);
  // A clone whose objects are gone, of the repository that has no pull request.
  await commitIn(world, "web", "Never opened");
  await Deno.remove(join(world.clone("web"), ".git", "objects"), { recursive: true });
  await Deno.mkdir(join(world.clone("web"), ".git", "objects"));
  forge.before = ({ query }) =>
    /revert/.test(`${query}`) ? { status: 502, body: { message: "Bad Gateway" } } : null;

  const status = await world.amof(["pr", "status", "P-1", "--json"]);
  assertEquals(status.code, 0, status.stdout);
  assertEquals(pick(status.json(), "change_set", "state"), "landed");
  assertEquals(pick(status.json(), "repos", 0, "taken_back"), null);
  assertMatch(`${pick(status.json(), "repos", 0, "taken_back_unread")}`, /502/);
  const said = await world.amof(["pr", "status", "P-1"]);
  assertStringIncludes(said.stdout, "lib  nobody knows whether it is being taken back: ");
  assertEquals(pick(status.json(), "without", 0, "commits"), null, status.stdout);
});

Deno.test("landing stops where somebody has pushed since, and goes on by a new call alone", async () => {
  await using at = await forgeWorld("github", ["lib", "api", "web"]);
  const { world, forge } = at;
  await open(world, ["lib", "api", "web"]);
  let moved = "";
  await commitIn(world, "web", "Something more");
  await world.amof(["push", "--repo", "web", "--yes"]);
  const preview = await world.amof([...LAND, "--dry-run"]);
  assertEquals(preview.code, 0, preview.stdout);
  assertEquals([0, 1, 2].map((at) => pick(preview.json(), "preview", "repos", at, "commits")), [
    1,
    1,
    2,
  ]);
  // The second is changed while the first is merged.
  const merging = forge.merge.bind(forge);
  forge.merge = async (pull, sha, method) => {
    const came = await merging(pull, sha, method);
    if (pull.repo === "lib") moved = await pushByOther(world, "api", "feature/P-1");
    return came;
  };

  const stopped = await world.amof(LAND);
  assertEquals(stopped.code, 5, stopped.stdout);
  assertEquals(pick(stopped.json(), "landed", 0, "name"), "lib");
  assertEquals(pick(stopped.json(), "stopped", "code"), "change_moved");
  assertEquals(pick(stopped.json(), "stopped", "now"), moved);
  assertEquals(pick(stopped.json(), "waiting"), ["web"]);
  assertEquals(forge.pulls.map(({ repo, state }) => [repo, state]).toSorted(), [
    ["api", "open"],
    ["lib", "merged"],
    ["web", "open"],
  ]);

  const without = await world.amof(LAND);
  assertEquals(without.code, 3, without.stdout);
  assertEquals(pick(without.json(), "error"), "change_blocked");
  assertStringIncludes(without.stdout, "api (commits that are not here)");
  // What somebody else has pushed is taken in first.
  await world.git(world.clone("api"), "pull", "-q", "--ff-only", "origin", "feature/P-1");
  const rest = await world.amof([...LAND, "--resume"]);
  assertEquals(rest.code, 0, rest.stdout);
  assertEquals(forge.pulls.every(({ state }) => state === "merged"), true);
});

for (const kind of ["github", "gitlab", "gitea"] as const) {
  Deno.test(`${kind}: who pushes between the last look and the merge has nothing merged that nobody has seen`, async () => {
    await using at = await forgeWorld(kind, ["lib", "api"]);
    const { world, forge } = at;
    await open(world, ["lib", "api"]);
    const merging = forge.merge.bind(forge);
    const moved: string[] = [];
    forge.merge = async (pull, sha, method) => {
      if (moved.length === 0) moved.push(await pushByOther(world, "lib", "feature/P-1"));
      return await merging(pull, sha, method);
    };
    const stopped = await world.amof(LAND);
    assertEquals(stopped.code, 4, stopped.stdout);
    assertEquals(pick(stopped.json(), "error"), "change_moved");
    assertEquals(pick(stopped.json(), "stopped", "now"), moved[0]);
    assertEquals(pick(stopped.json(), "waiting"), ["api"]);
    assertEquals(forge.pulls.map(({ state }) => state), ["open", "open"]);
  });
}

Deno.test("a forge that answers 500 after having merged has merged, once", async () => {
  await using at = await forgeWorld("github", ["lib", "api"]);
  const { world, forge } = at;
  await open(world, ["lib", "api"]);
  forge.after = (call, answer) =>
    /merge$/.test(call.path) ? { status: 502, body: { message: "Server Error" } } : answer;
  const landed = await world.amof(LAND);
  assertEquals(landed.code, 0, landed.stdout);
  assertEquals(forge.count("PUT", /merge$/), 2);
});

Deno.test("a forge that is gone behind a merge leaves it open whether it merged, and the rest lands later", async () => {
  await using at = await forgeWorld("github", ["lib", "api"]);
  const { world, forge } = at;
  await open(world, ["lib", "api"]);
  const away = { status: 502, body: { message: "Bad Gateway" } };
  let isAway = false;
  forge.before = () => isAway ? away : null;
  forge.after = (call, answer) => {
    isAway = /merge$/.test(call.path);
    return isAway ? away : answer;
  };
  const stopped = await world.amof(LAND);
  assertEquals([stopped.code, pick(stopped.json(), "stopped", "code")], [1, "forge_failed"]);
  assertStringIncludes(stopped.stdout, "nobody knows yet whether #1 of lib was merged");
  forge.before = () => null;
  forge.after = (_, answer) => answer;
  const rest = await world.amof([...LAND, "--resume"]);
  assertEquals(rest.code, 0, rest.stdout);
  assertEquals(forge.count("PUT", /merge$/), 2);
});

Deno.test("a limit in the midst of a landing stops it with its end, and the rest lands later", async () => {
  await using at = await forgeWorld("github", ["lib", "api"]);
  const { world, forge } = at;
  await open(world, ["lib", "api"]);
  forge.before = ({ method, path }) =>
    method === "PUT" && /api\/pulls/.test(path)
      ? { status: 429, body: {}, headers: { "retry-after": "900" } }
      : null;
  const stopped = await world.amof(LAND);
  assertEquals(stopped.code, 5, stopped.stdout);
  assertEquals(pick(stopped.json(), "stopped", "code"), "forge_limited", stopped.stdout);
  assertStringIncludes(stopped.stdout, "15 min");
  assertEquals(forge.pulls.filter(({ state }) => state === "merged").map(({ repo }) => repo), [
    "lib",
  ]);
  forge.before = () => null;
  const rest = await world.amof([...LAND, "--resume"]);
  assertEquals(rest.code, 0, rest.stdout);
});

Deno.test("a base branch with a queue is not landed on without a word, and its queue is waited for", async () => {
  await using at = await forgeWorld("github", ["lib", "api"]);
  const { world, forge } = at;
  await open(world, ["lib", "api"]);
  forge.queued.add("main");
  const refused = await world.amof(LAND);
  assertEquals(refused.code, 3, refused.stdout);
  assertStringIncludes(String(pick(refused.json(), "hint")), "amof pr land P-1 --allow-queue\n");
  const status = (await world.amof(["pr", "status", "P-1", "--json"])).json();
  const said = String(status["summary"]);
  assertStringIncludes(said, "is ready to land, by a merge queue");
  const [next] = rows(status, "suggested_actions");
  assertEquals(pick(next ?? {}, "args", "allow_queue"), true, said);
  const queued = await world.amof([...LAND, "--allow-queue"]);
  assertEquals(forge.count("PUT", /merge-async$/), 1, queued.stdout);
  assertEquals([queued.code, pick(queued.json(), "queued")], [5, ["lib"]], queued.stdout);
  assertEquals(pick(queued.json(), "offer"), ["amof pr status P-1"], queued.stdout);
  assertEquals(forge.pulls.map(({ state }) => state), ["open", "open"]);
});

Deno.test("a forge that does not merge is said in our words, with the command that leads to its page", async (test) => {
  const cases = [
    [
      "github",
      405,
      "Squash merges are not allowed",
      /this way of merging is not allowed \(it says: Squash/,
    ],
    ["gitlab", 401, "401 Unauthorized", /you have no right to merge there/],
    ["gitea", 405, "Does not have enough approvals", /a rule of the base branch is in the way/],
  ] as const;
  const ways = {
    github: /^See its page: gh pr view \S+ --web$/m,
    gitlab: /^See its page: glab mr view 1 --repo \S+ --web$/m,
    gitea: /^See its page, http/m,
  };
  for (const [kind, status, message, said] of cases) {
    await test.step(kind, async () => {
      await using at = await forgeWorld(kind, ["api"]);
      const { world, forge } = at;
      await open(world, ["api"]);
      forge.before = ({ path }) => /\/merge$/.test(path) ? { status, body: { message } } : null;
      const ran = await world.amof(LAND);
      assertEquals([ran.code, ran.json()["error"]], [3, "change_blocked"], ran.stdout);
      assertMatch(String(ran.json()["message"]), said);
      assertMatch(String(ran.json()["hint"]), ways[kind]);
    });
  }
});

Deno.test("everything that stands in the way of landing is told at once", async () => {
  await using at = await forgeWorld("github", ["lib", "api", "web"]);
  const { world, forge } = at;
  await open(world, ["lib", "api", "web"]);
  const head = await world.git(world.clone("lib"), "rev-parse", "HEAD");
  forge.checks.set(head, [{ name: "ci", state: "failure" }]);
  await commitIn(world, "api", "more");
  forge.queued.add("main");
  const refused = await world.amof(LAND);
  assertEquals(refused.code, 3, refused.stdout);
  const said = String(pick(refused.json(), "message"));
  assertStringIncludes(said, "lib (checks failed, a merge queue (--allow-queue))");
  assertStringIncludes(said, "api (commits not pushed, a merge queue (--allow-queue))");
  assertStringIncludes(said, "web (a merge queue (--allow-queue))");
  assertEquals(forge.count("PUT", /./), 0);
});

Deno.test("what others have changed since is not taken back, and its files are named", async () => {
  await using at = await forgeWorld("github", ["api"]);
  const { world, forge } = at;
  await open(world, ["api"]);
  const landed = await world.amof(LAND);
  assertEquals(landed.code, 0, landed.stdout);
  const other = join(world.directory, "other");
  await world.git(world.directory, "clone", "-q", join(world.remotes, "api.git"), other);
  await Deno.writeTextFile(join(other, "api-learns-something.txt"), "something else\n");
  await world.git(other, "commit", "-qam", "Change it");
  await world.git(other, "push", "-q", "origin", "main");
  const refused = await world.amof(["pr", "revert", "P-1", "--yes", "--json"]);
  assertEquals(refused.code, 3, refused.stdout);
  assertStringIncludes(String(pick(refused.json(), "message")), "api-learns-something.txt");
  assertEquals(forge.pulls.length, 1);
});

Deno.test("what is taken back is by whom git takes for the author in that clone", async () => {
  await using at = await forgeWorld("github", ["lib", "api"]);
  const { world } = at;
  await open(world, ["lib", "api"]);
  const landed = await world.amof(LAND);
  assertEquals(landed.code, 0, landed.stdout);
  await world.git(world.control, "config", "user.name", "Of Control");
  await world.git(world.control, "config", "user.email", "control@example.org");
  const work = join(world.directory, "work");
  await Deno.writeTextFile(work, "[user]\nname = Of Work\nemail = work@example.org\n");
  const home = join(world.directory, "gitconfig");
  const before = await Deno.readTextFile(world.env["GIT_CONFIG_GLOBAL"] ?? "").catch(() => "");
  const when = `[includeIf "gitdir:**/repos/api/.git"]\n\tpath = ${work}\n`;
  await Deno.writeTextFile(home, `${before}\n${when}`);
  world.env["GIT_CONFIG_GLOBAL"] = home;
  await world.git(world.clone("lib"), "config", "user.name", "Of Lib");
  await world.git(world.clone("lib"), "config", "user.email", "lib@example.org");
  for (const name of ["NAME", "EMAIL"]) delete world.env[`GIT_AUTHOR_${name}`];
  const reverted = await world.amof(["pr", "revert", "P-1", "--yes"]);
  assertEquals(reverted.code, 0, reverted.stderr);
  const by = (repo: string) =>
    world.git(join(world.remotes, `${repo}.git`), "log", "-1", "--format=%an", "revert/P-1-1");
  assertEquals([await by("lib"), await by("api")], ["Of Lib", "Of Work"]);
});

Deno.test("pull requests are updated, and closed with their branches", async () => {
  await using at = await forgeWorld("gitlab", ["lib", "api"]);
  const { world, forge } = at;
  await open(world, ["lib", "api"]);
  const head = await commitIn(world, "api", "more");
  const [lib] = forge.pulls.filter(({ repo }) => repo === "lib");
  if (lib !== undefined) {
    lib.body = `By hand\r\n\r\n${lib.body.replace("lib #1", "lib #99")}and below`;
  }
  const updated = await world.amof(["pr", "update", "--draft", "--yes", "--json"]);
  assertEquals(updated.code, 0, updated.stdout);
  assertEquals(await forge.tip("api", "feature/P-1"), head);
  assertEquals(forge.pulls.map(({ draft }) => draft), [true, true]);
  assertMatch(lib?.body ?? "", /^By hand\r\n\r\n<!-- [^]*\[lib #1\][^]*-->\n?and below$/);
  const nothing = await world.amof(["pr", "update", "--draft", "--yes"]);
  assertStringIncludes(nothing.stdout, "Updated nothing");

  const unnamed = await world.amof(["pr", "close", "P-1", "--delete-branches", "--yes"]);
  assertEquals(unnamed.code, 4, unnamed.stdout);
  const closed = await world.amof([
    "pr",
    "close",
    "P-1",
    "--delete-branches",
    "--confirm-name",
    "P-1",
    "--json",
  ]);
  assertEquals(closed.code, 0, closed.stdout);
  assertEquals(forge.pulls.map(({ state }) => state), ["closed", "closed"]);
  assertEquals(await forge.tip("api", "feature/P-1"), null);
  // What was deleted there is made again only where somebody says so.
  const held = await world.amof(["pr", "open", "--yes"]);
  assertEquals(held.code, 1, held.stdout);
  assertStringIncludes(held.stderr, "amof push --repo lib,api --allow-merged");
  const pushed = await world.amof(["push", "--repo", "lib,api", "--allow-merged", "--yes"]);
  assertEquals(pushed.code, 0, pushed.stderr);
  const again = await world.amof(["pr", "open", "--yes"]);
  assertEquals(again.code, 0, again.stderr);
  assertEquals(forge.pulls.filter(({ state }) => state === "open").length, 2);
  assertEquals(await forge.tip("api", "feature/P-1"), head);
});
