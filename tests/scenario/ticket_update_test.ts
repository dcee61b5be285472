/**
 * `amof ticket update`: the base branches come into the branches of a ticket, by merge or rebase.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { type Ran, World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";

/** Commits a file in a working copy. */
async function write(world: World, at: string, file: string, text: string): Promise<void> {
  await Deno.writeTextFile(join(at, file), text);
  await world.git(at, "add", file);
  await world.git(at, "commit", "--quiet", "-m", `Write ${file}`);
}

/** Somebody else pushes a file to the base branch of a repository. */
async function news(world: World, repo: string, file: string, text: string): Promise<void> {
  const seed = join(world.directory, "seed", repo);
  await write(world, seed, file, text);
  await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
}

/**
 * A ticket over `api` and `web`, each with a commit of its own, whose base branches have moved on; `api` conflicts in
 * `same.txt`, if that is wanted.
 */
async function ticketBehind(conflict: boolean, extra = ""): Promise<World> {
  return await World.like(`a ticket behind ${conflict} ${extra}`, async (world) => {
    await world.makeInstalled({ repos: ["api", "web"], extra });
    assertEquals((await world.amof(["ticket", "start", "T-1", "--quiet"])).code, 0);
    for (const repo of ["api", "web"]) {
      await write(world, world.clone(repo), conflict ? "same.txt" : "mine.txt", "mine\n");
      const theirs = conflict && repo === "api" ? "same.txt" : "theirs.txt";
      await news(world, repo, theirs, "theirs\n");
    }
  });
}

function update(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["ticket", "update", "--json", ...args]);
}

function results(ran: Ran): Record<string, unknown>[] {
  return rows(ran.json(), ...(pick(ran.json(), "result") ? ["result", "repos"] : ["repos"]));
}

function outcome(ran: Ran): unknown[] {
  return results(ran).map((row) => [row["name"], row["result"], row["code"]]);
}

Deno.test("amof ticket update leaves a clone alone whose history ends before the branch began, and says how it gets the rest", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const seed = join(world.directory, "seed", "api");
  const remote = join(world.remotes, "api.git");
  await world.git(seed, "branch", "feature/T-1");
  for (const text of ["one", "two", "three"]) await news(world, "api", "theirs.txt", `${text}\n`);
  await world.git(seed, "switch", "--quiet", "feature/T-1");
  await write(world, seed, "mine.txt", "mine\n");
  await world.git(seed, "push", "--quiet", remote, "feature/T-1");
  await Deno.remove(clone, { recursive: true });
  await world.git(world.directory, "clone", "--quiet", "--depth", "1", world.url("api"), clone);
  assertEquals((await world.amof(["ticket", "start", "T-1", "--quiet"])).code, 0);
  const held = await update(world);
  assertEquals(outcome(held), [["api", "skipped", "git_failed"]], held.stdout);
  const [row] = results(held);
  assertEquals(row?.["detail"], "its history here ends before it parted from main");
  const fix = String(row?.["fix"]).replace("get all of it: ", "");
  // A status counts no commits of what does not meet here, and offers no update that would be refused.
  const status = await world.amof(["status", "--fetch"]);
  assertStringIncludes(
    status.stdout,
    `api: its history here ends before feature/T-1 and origin/main meet\n    fix: ${fix}`,
  );
  assert(!/behind|ticket update/.test(status.stdout), status.stdout);
  const [program = "", ...words] = fix.split(" ");
  assertEquals((await world.command(program, words)).code, 0);
  assertStringIncludes(
    (await world.amof(["status", "--fetch"])).stdout,
    "api: 3 commits behind its base branch: amof ticket update",
  );
  assertEquals(outcome(await update(world)), [["api", "updated", null]]);
});

function log(world: World, repo: string): Promise<string> {
  return world.git(world.clone(repo), "log", "--format=%s", "--topo-order");
}

Deno.test("amof ticket update fetches and merges the base branch, and a second time finds nothing to do", async () => {
  await using world = await ticketBehind(false);
  const ran = await update(world);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(outcome(ran), [["api", "updated", null], ["web", "updated", null]]);
  assertEquals((await log(world, "api")).split("\n")[0], "Merge origin/main into feature/T-1");
  assert(await world.exists(join(world.clone("web"), "theirs.txt")));
  assertEquals(outcome(await update(world, "T-1")), [
    ["api", "up_to_date", null],
    ["web", "up_to_date", null],
  ]);
  // Nothing was pushed.
  assertEquals(
    await world.git(join(world.remotes, "api.git"), "for-each-ref", "--format=%(refname)"),
    "refs/heads/main",
  );
});

Deno.test("amof ticket update waits for commits that only the branch's own remote branch has, and says what brings them", async () => {
  await using world = await ticketBehind(false);
  for (const repo of ["api", "web"]) {
    const clone = world.clone(repo);
    await world.git(clone, "push", "--quiet", "--set-upstream", "origin", "feature/T-1");
    // Somebody else has pushed one more.
    await write(world, clone, "more.txt", "more\n");
    await world.git(clone, "push", "--quiet", "origin", "feature/T-1");
    await world.git(clone, "reset", "--quiet", "--hard", "HEAD~1");
  }
  await world.git(world.clone("api"), "pull", "--quiet", "--no-rebase", "origin", "main");
  const head = await world.git(world.clone("web"), "rev-parse", "HEAD");
  const told = await world.amof(["ticket", "update"]);
  assertEquals(told.code, 5, told.stderr);
  assertMatch(told.stdout, /^api .* up to date +2 ahead and 1 behind its remote branch$/m);
  assertMatch(told.stdout, /^✗ web .* skipped +1 commit behind its remote branch$/m);
  assertStringIncludes(told.stderr, "amof sync --repo web");
  assertEquals(await world.git(world.clone("web"), "rev-parse", "HEAD"), head);
  const plan = await world.amof(["ticket", "update", "--dry-run"]);
  assertStringIncludes(plan.stdout, "web  held back: 1 commit behind its remote branch");
  const [, at = "", words = ""] = /fix: .*: git -C (\S+) (pull .*)$/m.exec(told.stdout) ?? [];
  await world.git(at, ...words.split(" "));
  assertEquals((await world.amof(["sync", "--repo", "web"])).code, 0);
  const after = await update(world);
  assertEquals(outcome(after), [["api", "up_to_date", null], ["web", "updated", null]]);
});

Deno.test("amof ticket update of another ticket than the active one waits for its own remote branch, too", async () => {
  await using world = await ticketBehind(false);
  const clone = world.clone("web");
  await write(world, clone, "more.txt", "more\n");
  assertEquals((await world.amof(["push", "--yes"])).code, 0);
  await world.git(clone, "reset", "--quiet", "--hard", "HEAD~1");
  assertEquals((await world.amof(["ticket", "switch", "main"])).code, 0);
  const told = await world.amof(["ticket", "update", "T-1"]);
  assertEquals(told.code, 5, told.stdout);
  const fixes = /: (amof ticket switch T-1)\n(amof sync --repo web)$/m.exec(told.stderr)?.slice(1);
  assertEquals(fixes?.length, 2, told.stderr);
  for (const line of fixes ?? []) {
    assertEquals((await world.amof(line.split(" ").slice(1))).code, 0, line);
  }
  const after = await world.amof(["ticket", "update", "T-1"]);
  assertEquals(after.code, 0, after.stderr);
});

for (const says of ["status", "push"]) {
  Deno.test(`what ${says} advises for news of the remote behind an update makes no copies of the base branch's commits`, async () => {
    await using world = await ticketBehind(false);
    const api = world.clone("api");
    await write(world, api, "colleague.txt", "theirs\n");
    await world.git(api, "push", "--quiet", "--set-upstream", "origin", "feature/T-1");
    await world.git(api, "reset", "--quiet", "--hard", "HEAD~1");
    await world.git(api, "pull", "--quiet", "--no-rebase", "origin", "main");
    const ran = await world.amof([says, "--json", ...(says === "push" ? ["--yes"] : [])]);
    const said = says === "push"
      ? pick(ran.json(), "hint")
      : pick(rows(ran.json(), "repos")[0], "needs", 0, "fix");
    const line = /git -C \S+ pull .+/.exec(String(said))?.[0] ?? "";
    const pulled = await world.command("sh", ["-c", line], { cwd: world.control });
    assertEquals(pulled.code, 0, `${line}: ${pulled.stderr}`);
    await world.git(api, "merge-base", "--is-ancestor", "origin/main", "feature/T-1");
    assertEquals((await world.amof(["push", "--yes", "--repo=api"])).code, 0);
  });
}

Deno.test("status --fetch counts what a fetch by hand has brought of the base branch", async () => {
  await using world = await ticketBehind(false);
  await world.git(world.clone("api"), "fetch", "--quiet");
  for (const [args, behind] of [[[], null], [["--fetch"], 1]] as const) {
    const rest = (await world.amof(["status", "--json", ...args])).json();
    assertEquals(pick(rows(rest, "repos")[0], "behind_base") ?? null, behind);
  }
});

Deno.test("status tells what an update would bring in, as of the last sync, and finds no fault in it", async () => {
  await using world = await ticketBehind(false);
  const late = async () => {
    const { stdout, code } = await world.amof(["status"]);
    const rest = (await world.amof(["status", "--json"])).json();
    assertEquals(code, 0);
    assertEquals(/^⚠/m.test(stdout), false, stdout);
    return [
      /^(.*behind (?:its|their) base .*)$/m.exec(stdout)?.[1],
      rows(rest, "repos").map((row) => row["behind_base"] ?? null),
      pick(rows(rest, "suggested_actions")[0], "id"),
    ];
  };
  assertEquals((await late()).slice(0, 2), [undefined, [null, null]]);
  assertEquals((await world.amof(["push", "--yes"])).code, 0);
  assertEquals((await world.amof(["sync"])).code, 0);
  const both = "api and web: behind their base branches: amof ticket update";
  assertEquals(await late(), [both, [1, 1], "ticket_update"]);
  // What comes on top changes nothing of it, and is pushed first.
  await write(world, world.clone("api"), "more.txt", "more\n");
  assertEquals(await late(), [both, [1, 1], "push_ecosystem"]);
  assertEquals((await update(world, "--repo", "api")).code, 0);
  assertEquals((await late()).slice(0, 2), [
    "web: 1 commit behind its base branch: amof ticket update",
    [null, 1],
  ]);
  // By hand, too.
  await world.git(world.clone("web"), "merge", "--quiet", "origin/main");
  assertEquals((await late()).slice(0, 2), [undefined, [null, null]]);
});

Deno.test("a branch without commits of its own only moves forward; --offline goes by the last fetch", async () => {
  await using world = await ticketBehind(false);
  const api = world.clone("api");
  await world.git(api, "reset", "--quiet", "--hard", "main");
  const offline = await update(world, "--offline");
  assertEquals(offline.code, 0, offline.stdout);
  assertEquals(outcome(offline), [["api", "up_to_date", null], ["web", "up_to_date", null]]);
  await world.git(api, "fetch", "--quiet");
  assertEquals(outcome(await update(world, "--offline", "--repo=api")), [["api", "updated", null]]);
  assertEquals(await log(world, "api"), "Write theirs.txt\nBegin api");
});

Deno.test("the manifest chooses a rebase, but never of commits that a remote has unless it is typed", async () => {
  await using world = await ticketBehind(false, "tickets: {update: rebase}\n");
  const web = world.clone("web");
  await world.git(web, "push", "--quiet", "origin", "HEAD");
  const ran = await update(world);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(results(ran).map((row) => row["how"]), ["rebase", "merge"]);
  assertMatch(String(results(ran)[1]?.["detail"]), /1 commit of it would be rewritten/);
  assertEquals(await log(world, "api"), "Write mine.txt\nWrite theirs.txt\nBegin api");
  assertEquals((await log(world, "web")).split("\n")[0], "Merge origin/main into feature/T-1");
  // Typed, it says what it rewrites, and asks.
  await news(world, "web", "later.txt", "later\n");
  const plan = await world.amof(["ticket", "update", "--rebase", "--repo=web", "--dry-run"]);
  assertStringIncludes(plan.stdout, "published commit");
  const asked = await update(world, "--rebase", "--repo=web");
  assertEquals([asked.code, asked.json()["error"]], [4, "confirmation_required"]);
  const done = await update(world, "--rebase", "--repo=web", "--yes");
  assertEquals([done.code, results(done)[0]?.["how"]], [0, "rebase"], done.stdout);
});

for (const how of ["merge", "rebase"] as const) {
  Deno.test(`a conflict stops only its repository: ${how}, --abort, and again, --continue`, async () => {
    await using world = await ticketBehind(true);
    const api = world.clone("api");
    const before = await world.git(api, "rev-parse", "HEAD");
    const ran = await update(world, `--${how}`, "--yes");
    assertEquals(ran.code, 5, ran.stdout);
    assertEquals(outcome(ran), [["api", "conflict", "repo_in_progress"], ["web", "updated", null]]);
    assertEquals(results(ran)[0]?.["files"], ["same.txt"]);
    assertMatch(
      String(results(ran)[0]?.["fix"]),
      /add same\.txt\ngo on: amof ticket update --c/,
    );
    // What waits is neither begun again nor gone on with before it is resolved.
    assertEquals(outcome(await update(world, "--repo=api")), [
      ["api", "skipped", "repo_in_progress"],
    ]);
    for (
      const words of [["commit", "-m", "x"], ["ticket", "end", "T-1"], ["ticket", "start", "T-2"]]
    ) {
      const refused = await world.amof([...words, "--json"]);
      assertEquals(
        refused.json()["hint"],
        "Go on: amof ticket update --continue --repo api\nGo back: amof ticket update --abort --repo api",
      );
    }
    const early = await update(world, "--continue");
    assertEquals([early.code, outcome(early)], [1, [["api", "skipped", "repo_in_progress"]]]);
    assertMatch(String(results(early)[0]?.["detail"]), /1 file with conflicts: same\.txt/);
    if (how === "merge") {
      // What is resolved has another time than git noted, as after a copy of the whole directory.
      await Deno.writeTextFile(join(api, "same.txt"), "half\n");
      await world.git(api, "add", "same.txt");
      await Deno.utime(join(api, "same.txt"), 1_700_000_000, 1_700_000_000);
    }
    // An undo leads back from what the update has begun.
    const undo = await world.amof(["undo", "--yes", "--json"]);
    assertMatch(
      String(undo.json()["hint"]),
      /^Go back from it: amof ticket update --abort --repo api\n/,
    );
    // Back asks first, because no undo leads on again.
    const shown = await update(world, "--abort");
    assertEquals(shown.code, 4);
    assertEquals(pick(shown.json(), "confirmation", "undo", "brings_back"), null, shown.stdout);
    const back = await update(world, "--abort", "--yes");
    assertEquals([back.code, outcome(back)], [0, [["api", "taken_back", null]]], back.stdout);
    assertEquals(await world.git(api, "rev-parse", "HEAD"), before);
    assertEquals(await world.git(api, "status", "--porcelain", "--branch"), "## feature/T-1");
    // And on.
    await update(world, `--${how}`, "--yes", "--repo=api");
    await world.git(api, "add", "same.txt");
    const marked = await update(world, "--continue");
    assertEquals([marked.code, outcome(marked)], [1, [["api", "skipped", "repo_in_progress"]]]);
    assertMatch(String(results(marked)[0]?.["detail"]), /1 file with marks .*: same\.txt/);
    await Deno.writeTextFile(join(api, "same.txt"), "both\n");
    await world.git(api, "add", "same.txt");
    const on = await update(world, "--continue");
    assertEquals([on.code, outcome(on)], [0, [["api", "updated", null]]], on.stdout);
    assertEquals(await Deno.readTextFile(join(api, "same.txt")), "both\n");
    assertEquals(await world.git(api, "status", "--porcelain", "--branch"), "## feature/T-1");
    assertEquals(
      (await log(world, "api")).split("\n")[0],
      how === "merge" ? "Merge origin/main into feature/T-1" : "Write same.txt",
    );
    assertEquals((await update(world, "--continue")).code, 0);
  });
}

for (const how of ["merge", "rebase"] as const) {
  Deno.test(`going back keeps what was done since the conflict: ${how}`, async () => {
    await using world = await ticketBehind(true);
    const api = world.clone("api");
    await news(world, "api", "theirs.txt", "theirs\n");
    const before = await world.git(api, "rev-parse", "HEAD");
    const stopped = await update(world, `--${how}`, "--yes", "--repo=api");
    assertMatch(
      String(stopped.json()["hint"]),
      /\nGo on: amof ticket update --continue --repo api\nGo back: amof ticket update --abort --repo api$/,
    );
    await Deno.writeTextFile(join(api, "same.txt"), "half\n");
    // What came in was edited, too, which a merge does not go back past; and what nobody else changed.
    await Deno.writeTextFile(join(api, "theirs.txt"), "theirs and mine\n");
    await Deno.writeTextFile(join(api, "README.md"), "mine\n");
    const kept = how === "merge" ? 2 : 3;
    const plan = await world.amof(["ticket", "update", "--abort", "--dry-run"]);
    assertStringIncludes(
      plan.stdout.replaceAll(/\s+/g, " "),
      `what was done in ${kept} of them is kept as a stash`,
    );
    // What was cut off behind keeping it, as here by a git that holds the index, keeps it once.
    const lock = join(api, ".git", "index.lock");
    await Deno.writeTextFile(lock, "");
    assertEquals((await update(world, "--abort", "--yes")).code, 1);
    await Deno.remove(lock);
    assertEquals((await world.git(api, "stash", "list")).split("\n").length, 1);
    if (how === "merge") await world.git(api, "add", "--update", "same.txt", "theirs.txt");
    const back = await update(world, "--abort", "--yes");
    assertEquals([back.code, outcome(back)], [0, [["api", "taken_back", null]]], back.stdout);
    assertEquals(await world.git(api, "rev-parse", "HEAD"), before);
    assertEquals((await world.git(api, "stash", "list")).split("\n").length, 1);
    const files = await world.git(api, "stash", "show", "--name-only");
    assertEquals(files.split("\n").length, kept, files);
    assertEquals(await world.git(api, "show", "stash@{0}:same.txt"), "half");
    assertEquals(await world.git(api, "show", "stash@{0}:theirs.txt"), "theirs and mine");
    assertEquals(await Deno.readTextFile(join(api, "README.md")) === "mine\n", how === "merge");
    // Where nothing was done there is nothing to keep.
    await world.git(api, "checkout", "--", "README.md");
    await update(world, `--${how}`, "--yes", "--repo=api");
    assertEquals((await update(world, "--abort", "--yes")).code, 0);
    assertEquals((await world.git(api, "stash", "list")).split("\n").length, 1);
  });
}

Deno.test({
  name: "a rebase whose list names a program is not gone on with, and can be taken back",
  ignore: !POSIX,
  async fn() {
    await using world = await ticketBehind(true);
    const api = world.clone("api");
    const before = await world.git(api, "rev-parse", "HEAD");
    await update(world, "--rebase", "--yes", "--repo=api");
    await Deno.writeTextFile(join(api, "same.txt"), "both\n");
    await world.git(api, "add", "same.txt");
    const list = join(api, ".git", "rebase-merge", "git-rebase-todo");
    const mark = join(world.directory, "ran");
    for (
      const line of [`exec touch ${mark}`, `  x touch ${mark}`, `pick HEAD\r\nexec touch ${mark}`]
    ) {
      await Deno.writeTextFile(list, `${line}\n`);
      const refused = await update(world, "--continue");
      assertEquals([refused.code, outcome(refused)], [4, [["api", "skipped", "clone_untrusted"]]]);
      assertMatch(String(results(refused)[0]?.["detail"]), /(?:exec|x) touch /);
    }
    await Deno.remove(list);
    await Deno.symlink(join(world.directory, "elsewhere"), list);
    assertEquals(outcome(await update(world, "--continue")), [[
      "api",
      "skipped",
      "clone_untrusted",
    ]]);
    assert(!await world.exists(mark));
    assertEquals((await update(world, "--abort", "--yes")).code, 0);
    assertEquals(await world.git(api, "rev-parse", "HEAD"), before);
  },
});

Deno.test("a rebase goes on past an edit once that is staged, which is what it says", async () => {
  await using world = await ticketBehind(true);
  const api = world.clone("api");
  await update(world, "--rebase", "--yes", "--repo=api");
  await Deno.writeTextFile(join(api, "same.txt"), "both\n");
  await world.git(api, "add", "same.txt");
  await Deno.writeTextFile(join(api, "README.md"), "edited\n");
  const held = await update(world, "--continue", "--repo=api");
  const [row] = results(held);
  assertEquals([row?.["result"], row?.["detail"]], ["skipped", "what was edited is not staged"]);
  assertEquals(
    row?.["fix"],
    `stage it: git -C ${api} add --update\ngo on: amof ticket update --continue --repo api`,
  );
  await world.git(api, "add", "--update");
  const done = await update(world, "--continue", "--repo=api");
  assertEquals(done.code, 0, done.stdout);
  assertEquals(await world.git(api, "show", "HEAD:README.md"), "edited");
});

Deno.test("amof ticket update holds back changes, other branches, and what it did not begin", async () => {
  await using world = await ticketBehind(false);
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "README.md"), "changed\n");
  await Deno.writeTextFile(join(world.clone("web"), "untracked.txt"), "new\n");
  const ran = await update(world);
  assertEquals(ran.code, 5, ran.stdout);
  assertEquals(outcome(ran), [["api", "skipped", "repo_dirty"], ["web", "updated", null]]);
  assertMatch(String(results(ran)[0]?.["fix"]), /amof commit --repo api/);
  await world.git(api, "stash");
  await world.git(api, "switch", "--quiet", "-c", "other");
  await write(world, api, "other.txt", "other\n");
  assertEquals(outcome(await update(world, "--repo=api")), [["api", "skipped", "repo_diverged"]]);
  await world.git(api, "switch", "--quiet", "feature/T-1");
  await world.git(api, "merge", "--quiet", "--no-commit", "--no-ff", "other");
  const foreign = await update(world, "--abort", "--yes", "--repo=api");
  assertEquals(outcome(foreign), [["api", "skipped", "repo_in_progress"]]);
  assertMatch(String(results(foreign)[0]?.["detail"]), /merge of something else/);
  assert(await world.exists(join(api, "other.txt")));
});

Deno.test("amof ticket update wants an active ticket, and arguments that go together", async () => {
  await using world = await ticketBehind(false);
  for (
    const [args, code, error] of [
      [["--continue", "--abort"], 2, "invalid_arguments"],
      [["--continue", "--rebase"], 2, "invalid_arguments"],
      [["--merge", "--rebase"], 2, "invalid_arguments"],
      [["T-9"], 2, "ticket_not_found"],
    ] as const
  ) {
    const ran = await update(world, ...args, "--yes");
    assertEquals([ran.code, ran.json()["error"]], [code, error], ran.stdout);
  }
  assertStringIncludes(
    (await world.amof(["ticket", "update", "--abort"])).stdout,
    "Kept T-1 as it is: no update is under way.",
  );
  assertEquals((await world.amof(["ticket", "switch", "main"])).code, 0);
  const unnamed = await update(world);
  assertEquals(unnamed.json()["error"], "invalid_transition");
  const idle = await update(world, "T-1", "--continue");
  assertEquals(idle.json()["error"], "invalid_transition");
  assertMatch(String(idle.json()["hint"]), /ticket switch T-1/);
});

Deno.test("a remote that cannot be reached fails only its repository", async () => {
  await using world = await ticketBehind(false);
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "gone.git"));
  const ran = await update(world);
  assertEquals(ran.code, 5, ran.stdout);
  assertEquals(results(ran).map((row) => row["result"]), ["failed", "updated"]);
});

Deno.test("operations calls an update that ended in a conflict not to be undone, with what goes back from it", async () => {
  await using world = await ticketBehind(true);
  await update(world);
  const said = async () => {
    const [newest] = rows((await world.amof(["operations", "--json"])).json(), "operations");
    const short = String(newest?.["run_id"]).slice(0, 8);
    const fix = String(newest?.["fix"]).replace(short, "RUN");
    return [newest?.["action"], newest?.["undoable"], newest?.["why_not"], fix];
  };
  const why = ["ticket_update", false, "a merge was under way in api"];
  assertEquals(await said(), [...why, "Go back from it: amof ticket update --abort --repo api"]);
  await world.git(world.clone("api"), "merge", "--abort");
  assertEquals(await said(), [...why, "Leave them as they are: amof undo RUN --repo '!api'"]);
});

Deno.test("undo behind an update that was taken back does not lead to the one that stopped, which it would refuse", async () => {
  await using world = await ticketBehind(true);
  const stopped = String((await update(world)).json()["run_id"]).slice(0, 8);
  const back = await world.amof(["ticket", "update", "--abort", "--yes"]);
  assertEquals(back.code, 0, back.stderr);
  const refused = (await world.amof(["undo", "--json"])).json();
  assertEquals(refused["error"], "undo_impossible");
  const hint = String(refused["hint"]);
  assertEquals(hint.includes(stopped), false, hint);
  assertStringIncludes((await world.amof(["undo", stopped])).stderr, "a merge");
});

Deno.test("over MCP a ticket is updated, and a conflict is told with the tool that goes on", async () => {
  await using world = await ticketBehind(true);
  await using client = new McpClient(world, ["--toolsets", "all", "--mode", "execute"]);
  await client.initialize({});
  const started = await client.call("amof_ticket_update", { ecosystem: "demo" });
  assert(!started.isError, started.text);
  const run = await client.finished(String(started.data["run_id"]));
  const [api, web] = rows(run, "result", "repos");
  assertEquals([api?.["result"], web?.["result"]], ["conflict", "updated"]);
  const status = await client.call("amof_get_ecosystem_status", { ecosystem: "demo" });
  assertEquals(rows(status.data, "repos")[0]?.["in_progress"], "merge");
  const back = await client.call("amof_ticket_update", { ecosystem: "demo", step: "abort" });
  assert(back.isError, back.text);
  const confirmed = await client.call("amof_confirm", {
    token: String(pick(back.data, "confirmation", "token")),
  });
  const ended = await client.finished(String(confirmed.data["run_id"]));
  assertEquals(ended["status"], "success", JSON.stringify(ended));
  assertEquals(await world.git(world.clone("api"), "status", "--porcelain"), "");
});

Deno.test({
  name: "an update that is killed in a merge leaves its repository before it, or to go on or back",
  ignore: !POSIX, // a wrapped git
  async fn() {
    await using world = await ticketBehind(true);
    const api = world.clone("api");
    const head = await world.git(api, "rev-parse", "HEAD");
    await news(world, "api", "half.txt", "theirs\n");
    const killing = (before: string) =>
      world.wrapGit(
        `case " $* " in *" merge "*) case "$PWD" in */api) ${before}; kill -9 $PPID; exit 1 ;; esac ;; esac`,
      );
    const killed = async (before: string) => {
      const env = await killing(before);
      assertEquals((await world.amof(["ticket", "update", "--json"], { env })).code, 1);
      const settled = await world.amof(["doctor", "--repair", "--yes", "--json"]);
      assertEquals(settled.code, 0, settled.stdout);
      assertEquals(await world.git(api, "rev-parse", "HEAD"), head);
    };
    // Git has written a file and the beginning of another, and noted nothing.
    await killed("printf 'theirs\\n' > half.txt; printf '<<<<<<< HEAD\\nmi' > same.txt");
    assertEquals(await world.git(api, "status", "--porcelain"), "");
    assertEquals(await Deno.readTextFile(join(api, "same.txt")), "mine\n");
    // Git has noted that it is in the middle.
    await killed(`PATH='${world.env["PATH"] ?? ""}' git "$@"`);
    assertStringIncludes(await world.git(api, "status"), "You have unmerged paths");
    const again = await update(world, "--repo=api");
    assertEquals(outcome(again), [["api", "skipped", "repo_in_progress"]]);
    assertEquals((await update(world, "--abort", "--yes")).code, 0);
    assertEquals(await world.git(api, "status", "--porcelain"), "");
  },
});

Deno.test("amof ticket update works in the workspace of a ticket, and touches no other", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.amof(["ticket", "start", "T-1", "--workspace"]);
  await world.amof(["ticket", "start", "T-2", "--workspace"]);
  const own = (id: string, repo: string) => join(`${world.workspace()}@${id}`, "repos", repo);
  for (const [repo, file] of [["api", "mine.txt"], ["web", "same.txt"]] as const) {
    await write(world, own("T-1", repo), file, "mine\n");
  }
  await news(world, "api", "theirs.txt", "theirs\n");
  await news(world, "web", "same.txt", "theirs\n");
  const others = [own("T-2", "api"), own("T-2", "web"), world.clone("api"), world.clone("web")];
  const stand = () => Promise.all(others.map((clone) => world.git(clone, "for-each-ref")));
  const before = await stand();

  // From the base workspace, where `ticket list` names it.
  const ran = await update(world, "T-1");
  assertEquals(ran.code, 5, ran.stdout);
  assertEquals(outcome(ran), [["api", "updated", null], ["web", "conflict", "repo_in_progress"]]);
  assertEquals(
    (await world.git(own("T-1", "api"), "log", "-1", "--format=%s")).trim(),
    "Merge origin/main into feature/T-1",
  );
  const beside = (await world.amof(["status"])).stdout;
  assertStringIncludes(beside, "Checked 2 repos: OK here, 1 other workspace to look at.");
  assertStringIncludes(beside, "a merge is not finished in web: amof status --ticket T-1");
  await Deno.writeTextFile(join(own("T-1", "web"), "same.txt"), "both\n");
  await world.git(own("T-1", "web"), "add", "same.txt");
  const went = await world.amof(["ticket", "update", "--continue", "--json"], {
    cwd: own("T-1", "web"),
  });
  assertEquals([went.code, outcome(went)], [0, [["web", "updated", null]]], went.stdout);
  assertStringIncludes((await world.amof(["status"])).stdout, "Checked 2 repos: all OK.");
  assertEquals(await stand(), before);
});

for (const how of ["merge", "rebase"] as const) {
  Deno.test({
    name: `a ${how} whose git is killed leaves no lock that stops the next update`,
    ignore: !POSIX, // kills by signal
    async fn() {
      await using world = await ticketBehind(false);
      const lock = join(world.clone("api"), ".git", "index.lock");
      // As the machine kills a program that it has no memory for: nothing can be tidied up.
      const env = await world.wrapGit(
        `case "$PWD $*" in */api\\ *" merge --ff "*|*/api\\ *" rebase --quiet "*) touch '${lock}'; kill -9 $$ ;; esac`,
      );
      const args = ["ticket", "update", `--${how}`, "--json", "--yes"];
      const killed = await world.amof(args, { env });
      assertEquals(killed.code, 5, killed.stdout);
      assertEquals(outcome(killed), [["api", "failed", "git_failed"], ["web", "updated", null]]);
      assertEquals(await world.exists(lock), false);
      const again = await world.amof(args);
      assertEquals(
        outcome(again),
        [["api", "updated", null], ["web", "up_to_date", null]],
        again.stdout,
      );
    },
  });
}

Deno.test("a ticket that is not active is updated without its branches being checked out, and undone", async () => {
  await using world = await ticketBehind(true);
  await world.amof(["ticket", "start", "T-2", "--repo", "api,web", "--quiet"]);
  await Deno.writeTextFile(join(world.clone("web"), "wip.txt"), "not committed\n");
  const before = await world.git(world.clone("api"), "rev-parse", "feature/T-1");
  const ran = await update(world, "T-1");
  assertEquals(ran.code, 5);
  assertEquals(outcome(ran), [["api", "conflict", "repo_diverged"], ["web", "updated", null]]);
  const [conflicting] = results(ran);
  assertEquals(conflicting?.["files"], ["same.txt"]);
  assertStringIncludes(String(conflicting?.["fix"]), "amof ticket switch T-1");
  assertEquals(await world.git(world.clone("api"), "rev-parse", "feature/T-1"), before);
  assertEquals(await world.git(world.clone("api"), "status", "--porcelain"), "");
  const web = world.clone("web");
  assertEquals((await world.git(web, "branch", "--show-current")).trim(), "feature/T-2");
  assertEquals((await world.git(web, "status", "--porcelain")).trim(), "?? wip.txt");
  const said = await world.git(web, "log", "--format=%s", "--first-parent", "feature/T-1");
  assertEquals(said.split("\n")[0], "Merge origin/main into feature/T-1");
  assertEquals(
    (await world.git(web, "log", "-1", "--format=%P", "feature/T-1")).split(" ").length,
    2,
  );
  const [run] = rows((await world.amof(["operations", "--json"])).json(), "operations");
  assertEquals((await world.amof(["undo", String(run?.["run_id"]), "--yes"])).code, 0);
  assertEquals(
    (await world.git(web, "log", "-1", "--format=%s", "feature/T-1")).trim(),
    "Write mine.txt".replace("mine", "same"),
  );
});

Deno.test("of a ticket that is not active a rebase of own commits is held back, and nothing goes on or back", async () => {
  await using world = await ticketBehind(false);
  await world.amof(["ticket", "start", "T-2", "--quiet"]);
  const ran = await world.amof(["ticket", "update", "T-1", "--rebase", "--yes", "--json"]);
  assertEquals(outcome(ran), [
    ["api", "skipped", "invalid_transition"],
    ["web", "skipped", "invalid_transition"],
  ]);
  const back = await world.amof(["ticket", "update", "T-1", "--continue", "--json"]);
  assertEquals(back.code, 1);
  assertStringIncludes(String(back.json()["message"]), "it is not the active ticket");
});

Deno.test("a rebase in which commits were made is taken back only by who types the ticket", async () => {
  await using world = await World.like("a rebase with two conflicts", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    await world.amof(["ticket", "start", "T-1", "--quiet"]);
    for (const file of ["one.txt", "two.txt"]) {
      await write(world, world.clone("api"), file, "mine\n");
      await news(world, "api", file, "theirs\n");
    }
  });
  const api = world.clone("api");
  assertEquals((await update(world, "--rebase", "--yes")).code, 1);
  await Deno.writeTextFile(join(api, "one.txt"), "both\n");
  await world.git(api, "add", "one.txt");
  assertEquals((await update(world, "--continue")).code, 1);
  const asked = await update(world, "--abort", "--yes");
  assertEquals([asked.code, asked.json()["error"]], [4, "confirmation_required"]);
  assertStringIncludes(String(asked.json()["message"]), "lose 1 commit");
  const back = await update(world, "--abort", "--confirm-name", "T-1");
  assertEquals(outcome(back), [["api", "taken_back", null]]);
});

Deno.test("what a rebase left at the remote is not pulled back, by the update, the status or the push", async () => {
  await using world = await ticketBehind(false);
  const api = world.clone("api");
  await world.git(api, "push", "--quiet", "--set-upstream", "origin", "feature/T-1");
  const before = await world.git(api, "rev-parse", "HEAD");
  const ran = await update(world, "--rebase", "--repo=api", "--yes");
  const by = `push --force-with-lease=feature/T-1:${before} origin feature/T-1`;
  assertStringIncludes(String(results(ran)[0]?.["fix"]), by);
  assertStringIncludes(String(results(ran)[0]?.["fix"]), "take the update back: amof undo");
  for (const args of [["status"], ["push", "--yes"], ["ticket", "update", "--yes"]]) {
    const { stdout, stderr } = await world.amof([...args, "--repo=api"]);
    assertStringIncludes(`${stdout}${stderr}`, by);
    assertEquals(`${stdout}${stderr}`.includes(" pull "), false, stdout);
  }
  await world.git(api, ...by.split(" "));
  assertStringIncludes((await world.amof(["status", "--repo=api"])).stdout, "all OK");
});
