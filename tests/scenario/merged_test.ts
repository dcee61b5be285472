/**
 * A branch whose work is in its base branch is merged, in whatever form and whether its remote branch is there or not; a
 * branch without work of its own is not.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** A ticket with two commits in `api` that are pushed, made once. */
function pushed(): Promise<World> {
  return World.like("a ticket that was pushed", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    assertEquals((await world.amof(["ticket", "start", "T-1", "--quiet"])).code, 0);
    await commit(world, world.clone("api"), "one");
    await commit(world, world.clone("api"), "two");
    assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  });
}

async function commit(world: World, clone: string, text: string): Promise<void> {
  await Deno.writeTextFile(join(clone, `${text}.txt`), `${text}\n`);
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", text);
}

/** What a host does with the branch of a request to merge. */
async function land(world: World, how: string, isDeleted: boolean): Promise<void> {
  const host = join(world.directory, `host-${how}`);
  const git = (...args: string[]) => world.git(host, ...args);
  await world.git(world.directory, "clone", "--quiet", join(world.remotes, "api.git"), host);
  await commit(world, host, "of-somebody-else");
  if (how === "fast-forward") await git("reset", "--quiet", "--hard", "origin/main");
  if (how === "merge") {
    await git("merge", "--quiet", "--no-ff", "-m", "Merge", "origin/feature/T-1");
  }
  if (how === "fast-forward") await git("merge", "--quiet", "--ff-only", "origin/feature/T-1");
  if (how === "squash") {
    await git("merge", "--quiet", "--squash", "origin/feature/T-1");
    await git("commit", "--quiet", "-m", "T-1 (#1)");
  }
  if (how === "rebase") await git("cherry-pick", "main..origin/feature/T-1");
  await git("push", "--quiet", "origin", "main");
  if (isDeleted) await git("push", "--quiet", "origin", ":feature/T-1");
}

const statusOf = async (world: World) =>
  pick((await world.amof(["status", "--json"])).json(), "repos", 0, "status");

Deno.test("a branch that was deleted at its remote unmerged is told so, and its push is offered apart", async () => {
  await using world = await pushed();
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "branch", "-D", "feature/T-1");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  const gone = "origin/feature/T-1 is gone, and 2 commits of feature/T-1 are not in origin/main";
  const status = await world.amof(["status"]);
  assertStringIncludes(
    status.stdout,
    `⚠ api: ${gone}\n    fix: amof push --repo api --allow-merged\n`,
  );
  const said = (await world.amof(["status", "--json"])).json();
  const offered = rows(said, "suggested_actions").map(({ id }) => id);
  assertEquals(offered.includes("push_ecosystem"), false, offered.join());
  assertStringIncludes((await world.amof(["branches"])).stdout, "no, upstream gone");
  const held = await world.amof(["push", "--yes"]);
  assertEquals(held.code, 1, held.stdout);
  assertStringIncludes(held.stderr, gone);
  assertEquals(await world.git(remote, "branch", "--list", "feature/T-1"), "");
  assertStringIncludes(
    (await world.amof(["push", "--dry-run", "--allow-merged"])).stdout,
    "(2 commits ahead, upstream gone: made again)",
  );
  // From another branch, too.
  await world.git(world.clone("api"), "switch", "--quiet", "main");
  assertStringIncludes(
    (await world.amof(["status"])).stdout,
    "feature/T-1 (↑2, upstream gone)",
  );
  await world.git(world.clone("api"), "switch", "--quiet", "feature/T-1");
  const again = await world.amof(["push", "--repo", "api", "--allow-merged", "--yes", "--json"]);
  assertEquals(again.code, 0, again.stdout);
  assertEquals(await statusOf(world), "OK");
});

for (const how of ["merge", "fast-forward", "squash", "rebase"]) {
  for (const isDeleted of [true, false]) {
    const isOnTop = how === "fast-forward";
    const where = isDeleted ? "and deleted" : "and left at the remote";
    Deno.test(`a branch that was merged by a ${how} ${where} is MERGED, and new work on it is not`, async () => {
      await using world = await pushed();
      await land(world, how, isDeleted);
      assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
      const ran = await world.amof(["status", "--json"]);
      assertEquals(rows(ran.json(), "repos").map(({ status, unpushed }) => [status, unpushed]), [
        ["MERGED", false],
      ]);
      const [first] = rows(ran.json(), "suggested_actions");
      assertEquals([first?.["tool"], first?.["args"]], [
        "amof_ticket_end",
        { ecosystem: "demo", ticket_id: "T-1", cleanup: true },
      ]);
      assertEquals((await world.amof(["status", "--check"])).code, 0);
      assertMatch((await world.amof(["ticket", "list"])).stdout, /^T-1 +✓ +MERGED /m);
      const head = (await world.git(world.clone("api"), "rev-parse", "HEAD")).trim();
      await world.amof(["push", "--yes"]);
      const there = await world.git(
        join(world.remotes, "api.git"),
        "branch",
        "--list",
        "feature/*",
      );
      assertEquals(there.trim() === "", isDeleted, "a push brings no merged branch back");
      const changed = join(world.clone("api"), "changed.txt");
      await Deno.writeTextFile(changed, "new\n");
      const dirty = (await world.amof(["status", "--json"])).json();
      const offered = rows(dirty, "suggested_actions").map(({ tool }) => tool);
      // A branch that its remote still has is rewritten by no advice.
      const isAnother = isOnTop || !isDeleted && how !== "merge";
      assertEquals(offered[0], isAnother ? "amof_ticket_start" : "amof_ticket_update");
      assert(!offered.includes("amof_push_ecosystem") && !offered.includes("amof_ticket_end"));
      const held = await world.amof(["push", "--commit", "-m", "New", "--yes"]);
      assertEquals(held.code, 1, held.stdout);
      assertMatch(held.stderr, /feature\/T-1 is in main already; what is new belongs /);
      assertStringIncludes(held.stderr, "amof ticket start TICKET-ID --carry");
      await Deno.remove(changed);
      await commit(world, world.clone("api"), "more");
      const more = (await world.amof(["push", "--dry-run", "--json"])).json();
      assertEquals(pick(more, "repos_affected"), isOnTop ? ["api"] : []);
      assertEquals(await statusOf(world), "UNPUSHED");
      assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
      assertEquals(await statusOf(world), "UNPUSHED");
      assert(head !== (await world.git(world.clone("api"), "rev-parse", "HEAD")).trim());
    });
  }
}

Deno.test("changes on a squashed branch that its remote still has go where status says, and nothing leads back", async () => {
  await using world = await pushed();
  await land(world, "squash", false);
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  await Deno.writeTextFile(join(world.clone("api"), "changed.txt"), "new\n");
  const way = "amof ticket start TICKET-ID --carry --repo api";
  const told = async (args: string[]) => {
    const { stdout, stderr } = await world.amof(args);
    return stdout + stderr;
  };
  for (const args of [["status"], ["push"], ["ticket", "update", "T-1", "--stash"]]) {
    const said = await told(args);
    assertStringIncludes(said, way, args.join(" "));
    assert(!said.includes("ticket end"), said);
  }
  const pasted = way.replace("TICKET-ID", "T-2").split(" ").slice(1);
  assertEquals((await world.amof(pasted)).code, 0);
  assertEquals((await world.git(world.clone("api"), "status", "--short")).trim(), "?? changed.txt");
  assertEquals((await world.amof(["push", "--commit", "-m", "New", "--yes"])).code, 0);
  const log = await world.git(world.clone("api"), "log", "--format=%s", "origin/main..HEAD");
  assertEquals(log.trim(), "New");
});

Deno.test("a ticket is merged where it was squashed into the base branch that it began from, whatever the manifest's", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const api = world.clone("api");
  await world.git(api, "push", "--quiet", "origin", "main:develop");
  await world.git(api, "fetch", "--quiet");
  const begun = await world.amof(["ticket", "start", "T-1", "--base", "api=develop", "--quiet"]);
  assertEquals(begun.code, 0, begun.stderr);
  await commit(world, api, "one");
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  const host = join(world.directory, "host");
  await world.git(world.directory, "clone", "--quiet", join(world.remotes, "api.git"), host);
  await world.git(host, "switch", "--quiet", "develop");
  await commit(world, host, "of-somebody-else");
  await world.git(host, "merge", "--quiet", "--squash", "origin/feature/T-1");
  await world.git(host, "commit", "--quiet", "-m", "T-1 (#1)");
  await world.git(host, "push", "--quiet", "origin", "develop", ":feature/T-1");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  assertEquals(await statusOf(world), "MERGED");
  assertMatch((await world.amof(["ticket", "list"])).stdout, /^T-1 +✓ +MERGED /m);
  const held = await world.amof(["push", "--yes"]);
  assertStringIncludes(
    held.stdout + held.stderr,
    "feature/T-1 is in develop as one commit, and origin/feature/T-1 is gone",
  );
  await Deno.writeTextFile(join(api, "changed.txt"), "new\n");
  const changed = await world.amof(["push", "--commit", "-m", "New", "--yes"]);
  assertStringIncludes(changed.stderr, "what is new belongs on top of develop");
});

Deno.test("commits that were made on the base branch, taken to a ticket and squashed do not stay in the way there", async () => {
  for (const isEnded of [false, true]) {
    await using world = await World.installed({ repos: ["api"] });
    const api = world.clone("api");
    for (const text of ["one", "two"]) await commit(world, api, text);
    await world.amof(["ticket", "start", "T-1", "--carry", "--quiet"]);
    assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
    await land(world, "squash", true);
    const paste = async (said: string) => {
      const [, fix = ""] = /fix: git -C \S+ (.*)/.exec(said) ?? [];
      await world.git(api, ...fix.split(" "));
      return fix;
    };
    const synced = await world.amof(["sync"]);
    assertMatch(synced.stdout, /main is 2 ahead and 2 behind: what is only here is there/);
    if (isEnded) {
      await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes"]);
      await Deno.writeTextFile(join(api, "README.md"), "not committed\n");
      assertMatch(
        await paste((await world.amof(["status"])).stdout),
        /^rebase --autostash --onto origin\/main [0-9a-f]{40}$/,
      );
      assertMatch((await world.amof(["status"])).stdout, /^api +main +\S+ +RW +DIRTY +±1$/m);
    } else {
      assertEquals(await paste(synced.stdout), "branch --force main origin/main");
      assertEquals(await statusOf(world), "MERGED");
      assertEquals((await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes"])).code, 0);
      assertEquals(await statusOf(world), "OK");
    }
    assertEquals(
      await world.git(api, "rev-parse", "main"),
      await world.git(api, "rev-parse", "origin/main"),
    );
  }
});

Deno.test("what was carried and squashed does not come back where somebody has deleted it since", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const api = world.clone("api");
  await commit(world, api, "one");
  await world.amof(["ticket", "start", "T-1", "--carry", "--quiet"]);
  await commit(world, api, "two");
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  await land(world, "squash", true);
  const host = join(world.directory, "host-squash");
  await world.git(host, "rm", "--quiet", "one.txt");
  await world.git(host, "commit", "--quiet", "-m", "Delete one.txt");
  await world.git(host, "push", "--quiet", "origin", "main");
  assertStringIncludes((await world.amof(["sync"])).stdout, "branch --force main origin/main");
  assertEquals((await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes"])).code, 0);
  for (const _ of ["as it ended", "as it is remembered"]) {
    for (const command of ["status", "sync"]) {
      assertStringIncludes((await world.amof([command])).stdout, "rebase --onto origin/main");
    }
  }
});

Deno.test("a ticket is not merged where its remote has more, and in part where another repository is open", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.amof(["ticket", "start", "T-1", "--quiet"]);
  for (const repo of ["api", "web"]) await commit(world, world.clone(repo), "one");
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  await land(world, "squash", false);
  const phase = async () => {
    assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
    const ran = await world.amof(["ticket", "list"]);
    return /^T-1 +✓ +(.*?) {2,}/m.exec(ran.stdout)?.[1];
  };
  assertEquals(await phase(), "1 of 2 merged");
  const host = join(world.directory, "host-squash");
  await world.git(host, "switch", "--quiet", "--create", "more", "origin/feature/T-1");
  await commit(world, host, "of-a-colleague");
  await world.git(host, "push", "--quiet", "origin", "more:feature/T-1");
  assertEquals(await phase(), "started");
  await world.git(world.clone("api"), "pull", "--quiet");
  assertEquals(await phase(), "started");
});

Deno.test("a branch that nobody works on any more and that was squashed is not called unpushed", async () => {
  await using world = await pushed();
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "--create", "fix", "main");
  await commit(world, clone, "fix");
  await world.git(clone, "push", "--quiet", "--set-upstream", "origin", "fix");
  await world.git(clone, "branch", "--quiet", "idea");
  await world.git(clone, "switch", "--quiet", "feature/T-1");
  assertEquals((await world.amof(["ticket", "end", "T-1"])).code, 0);
  await land(world, "squash", true);
  const host = join(world.directory, "host-squash");
  await world.git(host, "merge", "--quiet", "--squash", "origin/fix");
  await world.git(host, "commit", "--quiet", "-m", "A fix (#2)");
  await world.git(host, "push", "--quiet", "origin", "main", ":fix");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  const [row] = rows((await world.amof(["status", "--json"])).json(), "repos");
  // Nothing tells that the branch without an upstream was ever anywhere else.
  assertEquals([row?.["status"], row?.["other_unpushed"]], ["UNPUSHED", [
    { branch: "idea", ahead: 1 },
  ]]);
});

for (const how of ["merge", "squash"]) {
  Deno.test(`commits behind a ${how} that nobody had noticed are held back, whose branch is still at the remote`, async () => {
    await using world = await pushed();
    await land(world, how, false);
    await commit(world, world.clone("api"), "more");
    assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
    const [row] = rows((await world.amof(["status", "--json"])).json(), "repos");
    assertEquals(pick(row, "needs", 0, "fix"), "amof ticket update T-1 --repo api");
    const ran = await world.amof(["push", "--yes"]);
    assertEquals(ran.code, 1, ran.stdout);
    assertStringIncludes(ran.stderr, "push --repo api --allow-merged");
    assertEquals((await world.amof(["ticket", "update", "T-1", "--repo", "api"])).code, 0);
    assertEquals((await world.amof(["push", "--yes"])).code, 0);
  });
}

/** The same squash, then other lines of somebody else in its file, and a commit behind it in `mine` here. */
async function overtaken(world: World, mine: string): Promise<void> {
  await land(world, "squash", false);
  const host = join(world.directory, "host-squash");
  await Deno.writeTextFile(join(host, "one.txt"), "one\nof somebody else\n");
  await world.git(host, "commit", "--quiet", "--all", "-m", "Theirs");
  await world.git(host, "push", "--quiet", "origin", "main");
  await Deno.writeTextFile(join(world.clone("api"), mine), "one\nmine\n");
  await world.git(world.clone("api"), "add", ".");
  await world.git(world.clone("api"), "commit", "--quiet", "-m", "Mine");
}

for (const noticed of [false, true]) {
  for (const where of ["checked out", "not checked out"]) {
    Deno.test(`an update merges what follows a squash, ${where}, noticed before: ${noticed}`, async () => {
      await using world = await pushed();
      await overtaken(world, "mine.txt");
      if (noticed) assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
      if (where === "not checked out") await world.amof(["ticket", "switch", "main"]);
      const ran = await world.amof(["ticket", "update", "T-1", "--json"]);
      assertEquals(ran.code, 0, ran.stdout);
      const clone = world.clone("api");
      const show = (path: string) => world.git(clone, "show", `feature/T-1:${path}`);
      assertEquals([await show("one.txt"), await show("mine.txt")], [
        "one\nof somebody else",
        "one\nmine",
      ]);
      const names = await world.git(clone, "for-each-ref", "--format=%(refname)");
      assertEquals(/joint/.test(names), false, names);
      // Nothing that the remote has was rewritten, and nothing is missing.
      await world.git(clone, "merge-base", "--is-ancestor", "origin/feature/T-1", "feature/T-1");
      await world.git(clone, "merge-base", "--is-ancestor", "origin/main", "feature/T-1");
    });
  }
}

for (const where of ["checked out", "not checked out"]) {
  Deno.test(`an update leaves a branch alone whose work was squashed as a whole, ${where}`, async () => {
    await using world = await pushed();
    await land(world, "squash", false);
    if (where === "not checked out") await world.amof(["ticket", "switch", "main"]);
    const head = await world.git(world.clone("api"), "rev-parse", "feature/T-1");
    for (const _ of ["before it is noticed", "after that"]) {
      const ran = await world.amof(["ticket", "update", "T-1", "--json"]);
      assertEquals(ran.code, 0, ran.stdout);
      assertEquals(await world.git(world.clone("api"), "rev-parse", "feature/T-1"), head);
    }
    const [row] = rows((await world.amof(["ticket", "list", "--json"])).json(), "tickets");
    assertEquals(row?.["merged"], true, JSON.stringify(row));
  });
}

for (const step of ["continue", "abort"]) {
  Deno.test(`an update that conflicts behind a squash is known, and --${step} ends it`, async () => {
    await using world = await pushed();
    await overtaken(world, "one.txt");
    const clone = world.clone("api");
    const head = await world.git(clone, "rev-parse", "HEAD");
    assertEquals((await world.amof(["ticket", "update"])).code, 1);
    const text = await Deno.readTextFile(join(clone, "one.txt"));
    assertMatch(text, /^one\n<<<<<<< HEAD\nmine\n=======\nof somebody else\n>>>>>>> /);
    const said = (await world.amof(["status"])).stdout;
    assertStringIncludes(said, "amof ticket update --abort");
    await Deno.writeTextFile(join(clone, "one.txt"), "both\n");
    await world.git(clone, "add", "one.txt");
    const ran = await world.amof(["ticket", "update", `--${step}`, "--yes", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    const [now, before] = await Promise.all([
      world.git(clone, "rev-parse", "HEAD"),
      world.git(clone, "rev-parse", "HEAD^1"),
    ]);
    assertEquals(step === "abort" ? now : before, head);
  });
}

Deno.test("a squash that is taken back is not MERGED any more, and its branch can be pushed again", async () => {
  await using world = await pushed();
  await land(world, "squash", true);
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  assertEquals(await statusOf(world), "MERGED");
  const host = join(world.directory, "host-squash");
  await world.git(host, "revert", "--no-edit", "HEAD");
  await world.git(host, "push", "--quiet", "origin", "main");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  assertEquals(await statusOf(world), "UNPUSHED");
  await commit(world, world.clone("api"), "mended");
  const held = await world.amof(["push", "--yes"]);
  const again = /again all the same: amof (push .*)$/m.exec(held.stderr)?.[1] ?? "";
  assertEquals((await world.amof([...again.split(" "), "--yes"])).code, 0, held.stderr);
  const there = join(world.remotes, "api.git");
  const sent = await world.git(there, "rev-list", "--count", "main..feature/T-1");
  assertEquals(sent.trim(), "3");
});

Deno.test("a merged branch that an update has moved on to its base is still MERGED, and nothing to push", async () => {
  await using world = await pushed();
  await land(world, "merge", false);
  assertEquals((await world.amof(["ticket", "update", "T-1", "--quiet"])).code, 0);
  const [row] = rows((await world.amof(["status", "--json"])).json(), "repos");
  assertEquals([row?.["status"], row?.["ahead"]], ["MERGED", 0]);
  assertMatch((await world.amof(["push", "--yes"])).stdout, /up to date/);
  // It was moved on for what is new.
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
  assertEquals((await world.amof(["push", "--commit", "-m", "New", "--yes"])).code, 0);
});

Deno.test("amof push makes a merged branch again only with --allow-merged, as its refusal says", async () => {
  await using world = await pushed();
  await land(world, "squash", true);
  await world.amof(["sync", "--quiet"]);
  const refused = await world.amof(["push", "--yes"]);
  assertEquals(refused.code, 1);
  assertMatch(
    refused.stderr,
    /feature\/T-1 is in main as one commit, and origin\/feature\/T-1 is gone/,
  );
  assertStringIncludes(refused.stderr, "push --repo api --allow-merged");
  assertEquals((await world.amof(["push", "--repo", "api", "--allow-merged", "--yes"])).code, 0);
  await world.git(join(world.remotes, "api.git"), "rev-parse", "--verify", "feature/T-1");
});

Deno.test("a merged branch of no ticket is told so by a push, whose two ways out go all the way", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "--create", "fix");
  await commit(world, clone, "one");
  await world.git(clone, "push", "--quiet", "--set-upstream", "origin", "fix");
  const host = join(world.directory, "host");
  await world.git(world.directory, "clone", "--quiet", join(world.remotes, "api.git"), host);
  await world.git(host, "merge", "--quiet", "--squash", "origin/fix");
  await world.git(host, "commit", "--quiet", "-m", "Fix (#1)");
  await world.git(host, "push", "--quiet", "origin", "main", ":fix");
  await world.amof(["sync", "--quiet"]);
  const refused = await world.amof(["push", "--yes"]);
  assertEquals(refused.code, 1);
  assertMatch(refused.stderr, /fix is in main as one commit, and origin\/fix is gone/);
  assertMatch(refused.stderr, /^hint: Go to main: git -C \S+ switch main$/m);
  const again = ["push", "--repo", "api", "--allow-base", "--allow-merged"];
  assertStringIncludes(refused.stderr, `amof ${again.join(" ")}`);
  assertEquals((await world.amof([...again, "--yes"])).code, 0);
  await world.git(join(world.remotes, "api.git"), "rev-parse", "--verify", "fix");
});

Deno.test("ticket list says MERGED as status does after a fetch that was not amof's", async () => {
  await using world = await pushed();
  await land(world, "squash", true);
  await world.git(world.clone("api"), "fetch", "--quiet", "--prune");
  assertEquals(await statusOf(world), "MERGED");
  const listed = await world.amof(["ticket", "list"]);
  assertMatch(listed.stdout, /^T-1 +✓ +MERGED +api/m);
});

Deno.test("a ticket without work of its own is not merged, however far its base branch has moved", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.amof(["ticket", "start", "T-1", "--quiet"]);
  const host = join(world.directory, "host");
  await world.git(world.directory, "clone", "--quiet", join(world.remotes, "api.git"), host);
  await commit(world, host, "news");
  await world.git(host, "push", "--quiet", "origin", "main");
  await world.amof(["sync", "--quiet"]);
  assertEquals(await statusOf(world), "OK");
  assertMatch((await world.amof(["ticket", "list"])).stdout, /^T-1 +✓ +started /m);
  // Nor where an update moves it on while it is not checked out.
  await world.amof(["ticket", "start", "T-2", "--quiet"]);
  await commit(world, host, "more");
  await world.git(host, "push", "--quiet", "origin", "main");
  assertMatch((await world.amof(["ticket", "update", "T-1"])).stdout, /moved forward/);
  assertMatch((await world.amof(["ticket", "list"])).stdout, /^T-1 +— +started /m);
});

Deno.test("ticket list says which tickets have commits that no remote has", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const listed = async () =>
    rows((await world.amof(["ticket", "list", "--json"])).json(), "tickets")
      .map((ticket) => [ticket["ticket_id"], ticket["unpushed"] ?? 0]);
  for (const [id, commits] of [["T-1", 2], ["T-2", 1]] as const) {
    assertEquals((await world.amof(["ticket", "start", id])).code, 0);
    for (const repo of ["api", "web"].slice(0, commits)) {
      await world.git(world.clone(repo), "commit", "--quiet", "--allow-empty", "-m", id);
    }
  }
  assertEquals(await listed(), [["T-1", 2], ["T-2", 1]]);
  assertMatch((await world.amof(["ticket", "list"])).stdout, /^T-1 .* started ↑2 /m);
  await world.git(world.clone("api"), "push", "--quiet", "origin", "feature/T-1");
  assertEquals(await listed(), [["T-1", 1], ["T-2", 1]]);
  assertEquals((await world.amof(["push", "--yes"])).code, 0);
  assertEquals(await listed(), [["T-1", 1], ["T-2", 0]]);
});
