/**
 * `amof ticket end --cleanup`: branches whose work was merged in whatever way, now or after the ticket has ended.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** The ticket T-1 with two commits of work in the repository, pushed. */
async function pushedTicket(world: World, repo = "api"): Promise<void> {
  const clone = world.clone(repo);
  for (const [file, text] of [["one.txt", "one\n"], ["two.txt", "two\n"]] as const) {
    await Deno.writeTextFile(join(clone, file), text);
    await world.git(clone, "add", ".");
    await world.git(clone, "commit", "--quiet", "-m", `Add ${file}`);
  }
  await world.git(clone, "push", "--quiet", "origin", "feature/T-1");
}

/** Merges as a hosting service does, by another clone; `how` is a list of git calls. Another commit follows. */
async function merge(world: World, repo: string, how: readonly (readonly string[])[]) {
  const other = join(world.directory, `merge-${repo}-${crypto.randomUUID().slice(0, 6)}`);
  await world.git(world.directory, "clone", "--quiet", join(world.remotes, `${repo}.git`), other);
  await Deno.writeTextFile(join(other, `${crypto.randomUUID()}.txt`), "before\n");
  await world.git(other, "add", ".");
  await world.git(other, "commit", "--quiet", "-m", "Before");
  for (const args of how) await world.git(other, ...args);
  await world.git(other, "commit", "--quiet", "--allow-empty", "-m", "After");
  await world.git(other, "push", "--quiet", "origin", "main");
}

const SQUASH = [
  ["merge", "--quiet", "--squash", "origin/feature/T-1"],
  ["commit", "--quiet", "-m", "All (#7)"],
];
const REBASE = [["cherry-pick", "origin/feature/T-1~1", "origin/feature/T-1"]];
const PART = [["cherry-pick", "origin/feature/T-1~1"]];

function started(repos = ["api"]): Promise<World> {
  return World.like(`started ${JSON.stringify(repos)}`, async (world) => {
    await world.makeInstalled({ repos });
    assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  });
}

function end(world: World, ...args: string[]) {
  return world.amof(["ticket", "end", "T-1", ...args, "--json"]);
}

Deno.test("a clone of one branch forgets with a ticket's branch what it followed that by, and no sooner", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const refspecs = async () =>
    (await world.git(clone, "config", "--get-all", "remote.origin.fetch")).trim().split("\n");
  const alone = "+refs/heads/main:refs/remotes/origin/main";
  await world.git(clone, "config", "remote.origin.fetch", alone);
  const added = "+refs/heads/feature/T-1*:refs/remotes/origin/feature/T-1*";
  for (const id of ["T-1", "T-12"]) {
    assertEquals((await world.amof(["ticket", "start", id])).code, 0);
    await Deno.writeTextFile(join(clone, `${id}.txt`), `${id}\n`);
    await world.git(clone, "add", ".");
    await world.git(clone, "commit", "--quiet", "-m", id);
    const pushed = await world.amof(["push", "--yes"]);
    assertEquals(pushed.code, 0, pushed.stderr);
  }
  assertEquals(await refspecs(), [alone, added]);
  // The other ticket's branch goes by the same.
  for (const [id, left] of [["T-12", [alone, added]], ["T-1", [alone]]] as [string, string[]][]) {
    await merge(world, "api", [
      ["merge", "--quiet", "--squash", `origin/feature/${id}`],
      ["commit", "--quiet", "-m", id],
    ]);
    const ended = await world.amof(["ticket", "end", id, "--cleanup", "--yes"]);
    assertEquals(ended.code, 0, ended.stderr);
    assertEquals(await refspecs(), left);
  }
});

Deno.test("what only an unpushed base branch has is not merged: its branch at the remote stays", async () => {
  await using world = await started();
  await pushedTicket(world);
  const clone = world.clone("api");
  await world.git(clone, "branch", "--force", "main", "feature/T-1");
  const remote = join(world.remotes, "api.git");
  const none = await end(world, "--cleanup", "--only", "merged", "--yes");
  assertEquals([none.code, rows(none.json(), "repos")], [0, []], none.stdout);
  const refused = await end(world, "--cleanup", "--yes");
  assertEquals([refused.code, refused.json()["error"]], [1, "would_lose_work"], refused.stdout);
  assertStringIncludes(
    refused.stdout,
    "2 commits on feature/T-1 that main does not have at the remote, only here",
  );
  assertMatch(await world.git(remote, "branch", "--list", "feature/T-1"), /feature/);
  // Here they are kept.
  const local = await end(world, "--cleanup-local", "--yes");
  assertEquals(local.code, 0, local.stdout);
  assertMatch(await world.git(remote, "branch", "--list", "feature/T-1"), /feature/);
});

Deno.test("what only the base branch here has is said to be there, and not to be merged", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "By mistake");
  assertEquals((await world.amof(["ticket", "start", "T-1", "--carry", "--quiet"])).code, 0);
  const dry = await world.amof(["ticket", "end", "T-1", "--cleanup-local", "--dry-run"]);
  assertStringIncludes(
    dry.stdout,
    "Delete feature/T-1 of api, on main here, not at the remote\n",
  );
  await world.git(clone, "push", "--quiet", "origin", "main");
  const merged = await world.amof(["ticket", "end", "T-1", "--cleanup-local", "--dry-run"]);
  assertStringIncludes(merged.stdout, "Delete feature/T-1 of api, merged into main\n");
});

Deno.test("ticket end --only merged means what status does: a branch that never had a commit is not merged", async () => {
  await using world = await started(["api", "web", "docs"]);
  for (const repo of ["api", "web"]) await pushedTicket(world, repo);
  await merge(world, "api", [["merge", "--quiet", "--no-ff", "-m", "In", "origin/feature/T-1"]]);
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  const status = await world.amof(["status", "--only", "merged", "--json"]);
  const hint = async (...words: string[]) =>
    String((await world.amof(["ticket", "end", "T-1", "--cleanup", "--offline", ...words])).stderr)
      .includes("--only merged");
  // What would end nothing is not offered.
  assertEquals([await hint("--yes"), await hint("--repo", "web,docs")], [true, false]);
  const ended = await end(world, "--cleanup", "--only", "merged", "--yes");
  assertEquals(
    [status, ended].map((ran) => rows(ran.json(), "repos").map(({ name }) => name)),
    [["api"], ["api"]],
  );
  assertEquals(pick(ended.json(), "rest"), ["web", "docs"]);
});

Deno.test("amof ticket end tells of stashes that somebody made on a branch of the ticket", async () => {
  await using world = await started(["api", "web"]);
  const clone = world.clone("api");
  const stash = async (...words: string[]) => {
    await Deno.writeTextFile(join(clone, "README.md"), "mine\n");
    await world.git(clone, "stash", "push", "--quiet", ...words);
  };
  await stash();
  await stash("-m", "idea");
  const said = `⚠ api keeps 2 stashes made on feature/T-1: git -C ${clone} stash list`;
  await world.git(clone, "switch", "--quiet", "--detach");
  await stash();
  await world.git(clone, "switch", "--quiet", "feature/T-1");
  assertStringIncludes((await world.amof(["ticket", "end", "T-1", "--dry-run"])).stdout, said);
  const ended = await world.amof(["ticket", "end", "T-1"]);
  assertEquals(ended.code, 0, ended.stderr);
  assertStringIncludes(ended.stdout, said);
});

for (const how of ["merge", "squash"]) {
  Deno.test(`a ${how} that is only here makes no branch merged whose own is gone at the remote`, async () => {
    await using world = await started(["api", "web"]);
    for (const repo of ["api", "web"]) await pushedTicket(world, repo);
    const clone = world.clone("api");
    await world.git(clone, "switch", "--quiet", "main");
    await world.git(
      clone,
      "merge",
      "--quiet",
      how === "merge" ? "--ff" : "--squash",
      "feature/T-1",
    );
    if (how === "squash") await world.git(clone, "commit", "--quiet", "-m", "All");
    await world.git(clone, "switch", "--quiet", "feature/T-1");
    await world.git(join(world.remotes, "api.git"), "branch", "-D", "feature/T-1");
    assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
    const status = await world.amof(["status", "--only", "merged", "--json"]);
    const none = await end(world, "--cleanup", "--only", "merged", "--yes");
    assertEquals([rows(status.json(), "repos"), rows(none.json(), "repos")], [[], []], none.stdout);
    const dry = await world.amof([
      "ticket",
      "end",
      "T-1",
      "--cleanup",
      "--repo",
      "api",
      "--dry-run",
    ]);
    assertStringIncludes(
      dry.stdout,
      "Delete feature/T-1 of api, on main here, not at the remote\n",
    );
    // Where the ticket was ended, what is new on the base branch is not taken back to it.
    assertEquals((await world.amof(["ticket", "end", "T-1", "--repo", "api"])).code, 0);
    const said = (await world.amof(["status", "--json"])).json();
    assertEquals(pick(said, "repos", 0, "ticket_ended"), true);
    const offered = rows(said, "suggested_actions").map(({ tool }) => tool);
    assertEquals(offered.slice(0, 2), ["amof_ticket_start", "amof_push_ecosystem"]);
  });
}

Deno.test("a base branch that the remote has no more makes no branch there merged", async () => {
  await using world = await started();
  await pushedTicket(world);
  const clone = world.clone("api");
  await world.git(clone, "branch", "--force", "main", "feature/T-1");
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "branch", "--move", "main", "trunk");
  await world.git(clone, "fetch", "--quiet", "--prune");
  const none = await end(world, "--cleanup", "--only", "merged", "--yes");
  assertEquals([none.code, rows(none.json(), "repos")], [0, []], none.stdout);
  const refused = await end(world, "--cleanup", "--yes");
  assertEquals([refused.code, refused.json()["error"]], [1, "would_lose_work"], refused.stdout);
  assertStringIncludes(
    refused.stdout,
    "has no main at its remote, so that nothing tells whether feature/T-1 is merged there",
  );
  assertMatch(await world.git(remote, "branch", "--list", "feature/T-1"), /feature/);
  const named = await end(world, "--cleanup", "--force", "--yes");
  assertEquals([named.code, named.json()["error"]], [4, "confirmation_required"], named.stdout);
  const forced = await world.amof(["ticket", "end", "T-1", "--cleanup", "--force", "--dry-run"]);
  assertStringIncludes(forced.stdout, ", with 2 commits that are nowhere else\n");
});

Deno.test("what another branch has is not lost with the branch of a ticket, and what nothing else has is counted", async () => {
  await using world = await started();
  await pushedTicket(world);
  const clone = world.clone("api");
  await world.git(clone, "push", "--quiet", "origin", "feature/T-1:other");
  await world.git(clone, "fetch", "--quiet");
  const refused = await world.amof(["ticket", "end", "T-1", "--cleanup"]);
  assertStringIncludes(refused.stderr, "amof ticket end T-1 --cleanup --force\n");
  assertStringIncludes(refused.stderr, "nother branch has all of them");
  const kept = await world.amof(["ticket", "end", "T-1", "--cleanup", "--force", "--dry-run"]);
  assertStringIncludes(
    kept.stdout,
    "Delete feature/T-1 of api here and on the remote, not merged, another branch has its commits\n",
  );
  await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Own");
  const own = await world.amof(["ticket", "end", "T-1", "--cleanup", "--force", "--dry-run"]);
  assertStringIncludes(own.stdout, ", with 1 commit that is nowhere else\n");
  // What only this machine has besides keeps nothing at the remote.
  await world.git(clone, "branch", "mine");
  await world.git(clone, "push", "--quiet", "origin", ":other", "feature/T-1");
  const there = await world.amof(["ticket", "end", "T-1", "--cleanup", "--force", "--dry-run"]);
  assertStringIncludes(there.stdout, ", with 3 commits that are nowhere else\n");
  const named = await end(world, "--cleanup", "--force", "--yes");
  assertEquals([named.code, named.json()["error"]], [4, "confirmation_required"], named.stdout);
});

for (
  const [name, how, kept, text] of [
    [
      "squashed",
      SQUASH,
      "squashed",
      /^Delete feature\/T-1 of api here and on the remote, in main as one commit, [0-9a-f]{7}$/,
    ],
    ["rebased", REBASE, "rebased", /, in main commit by commit$/],
    [
      "merged",
      [["merge", "--quiet", "--no-edit", "origin/feature/T-1"]],
      "merged",
      /, merged into main$/,
    ],
  ] as const
) {
  Deno.test(`amof ticket end --cleanup deletes branches that were ${name}, and says so`, async () => {
    await using world = await started();
    await pushedTicket(world);
    await merge(world, "api", how);
    assertEquals((await world.amof(["sync"])).code, 0);
    const before = await world.fingerprint();
    const dry = await end(world, "--cleanup", "--dry-run");
    assertEquals(dry.code, 0, dry.stdout);
    assertEquals(pick(dry.json(), "preview", "cleanup", 0, "kept_as"), kept);
    const effects = pick(dry.json(), "effects") ?? pick(dry.json(), "preview", "effects");
    const line = (Array.isArray(effects) ? effects : dry.stdout.split('"')).map(String)
      .find((effect) => effect.startsWith("Delete feature/T-1"));
    assertMatch(String(line), text);
    assertEquals(await world.changesSince(before), []);
    const ran = await end(world, "--cleanup", "--yes");
    assertEquals(ran.code, 0, ran.stdout);
    assertMatch(
      `, ${pick(ran.json(), "repos", 0, "why")}`,
      new RegExp(text.source.replace(/^.*remote/, "")),
    );
    const bare = join(world.remotes, "api.git");
    assertEquals(await world.git(bare, "for-each-ref", "--format=%(refname)"), "refs/heads/main");
    assertEquals(await world.git(world.clone("api"), "branch", "--list", "feature/*"), "");
  });
}

Deno.test("amof ticket end --cleanup refuses what is merged in part, or squashed and then gone on", async () => {
  await using world = await started(["api", "web"]);
  await pushedTicket(world, "api");
  await pushedTicket(world, "web");
  await merge(world, "api", PART);
  await merge(world, "web", SQUASH);
  const more = await world.git(world.clone("web"), "rev-parse", "HEAD");
  await Deno.writeTextFile(join(world.clone("web"), "more.txt"), "more\n");
  await world.git(world.clone("web"), "add", ".");
  await world.git(world.clone("web"), "commit", "--quiet", "-m", "More");
  await world.amof(["sync"]);
  // A dry run does not ask the remotes, so it says that it goes by what was fetched, and how to ask.
  const ways = [["--yes", "", "Keep the branches"], [
    "--dry-run",
    ", as last fetched",
    "Ask the remotes",
  ]];
  for (const [flag = "", known, hint = ""] of ways) {
    const ran = await end(world, "--cleanup", flag);
    assertEquals([ran.code, ran.json()["error"]], [1, "would_lose_work"], ran.stdout);
    assertStringIncludes(
      String(ran.json()["message"]),
      `"api" has 2 commits on feature/T-1 that main does not have, neither as commits nor as changes${known} (and 1 more)`,
    );
    assertStringIncludes(String(ran.json()["hint"]), hint);
  }
  await world.git(world.clone("web"), "reset", "--quiet", "--hard", more);
  await merge(world, "api", [["cherry-pick", "origin/feature/T-1"]]);
  await world.amof(["sync"]);
  const ran = await end(world, "--cleanup", "--yes");
  assertEquals(ran.code, 0, ran.stdout);
});

Deno.test("amof ticket end --cleanup works later on a ticket that has ended, and amof ticket list --ended lists it", async (t) => {
  await using world = await started(["api", "web"]);
  await pushedTicket(world);
  await world.patchState({ later: { kept: true } });
  const list = async () => {
    const ran = await world.amof(["ticket", "list", "--ended", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    return rows(ran.json(), "tickets").map((
      row,
    ) => [row["ticket_id"], row["phase"], row["states"]]);
  };

  await t.step("it is remembered", async () => {
    assertEquals(await list(), []);
    assertEquals((await end(world)).code, 0);
    assertEquals(await list(), [["T-1", "ended", { api: "here and remote", web: "here" }]]);
    const plain = await world.amof(["ticket", "list"]);
    assertStringIncludes(plain.stdout, "1 ended ticket left branches: amof ticket list --ended");
    assertEquals((await world.state())["later"], { kept: true });
  });
  await t.step("ending it once more says so", async () => {
    const ran = await end(world);
    assertEquals(ran.json()["error"], "ticket_not_found", ran.stdout);
    assertEquals(ran.json()["message"], 'Cannot end "T-1": it has ended already');
    assertStringIncludes(String(ran.json()["hint"]), "amof ticket list --ended");
  });
  await t.step("going to it says how to take it up again", async () => {
    const ran = await world.amof(["ticket", "switch", "T-1", "--json"]);
    assertEquals(ran.json()["message"], 'Cannot go to "T-1": it has ended');
    assertStringIncludes(String(ran.json()["hint"]), "ticket start T-1");
  });
  await t.step("what is not merged is refused", async () => {
    const ran = await end(world, "--cleanup", "--yes");
    assertEquals(ran.json()["error"], "would_lose_work", ran.stdout);
  });
  await t.step("another ticket may be active meanwhile, and stays so", async () => {
    assertEquals((await world.amof(["ticket", "start", "T-2"])).code, 0);
    const ran = await end(world, "--cleanup-local", "--yes");
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(pick(ran.json(), "active_ticket"), "T-2");
    assertEquals(await list(), [["T-1", "ended", { api: "remote" }]]);
    assertEquals(await world.git(world.clone("api"), "branch", "--list", "feature/T-1"), "");
  });
  await t.step("merged, it goes, and is forgotten", async () => {
    await merge(world, "api", SQUASH);
    await world.amof(["sync"]);
    const unconfirmed = await end(world, "--cleanup");
    assertEquals(unconfirmed.json()["error"], "confirmation_required", unconfirmed.stdout);
    const ran = await end(world, "--cleanup", "--yes");
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(await list(), []);
    assertEquals((await end(world)).json()["error"], "ticket_not_found");
    assertEquals(pick(await world.state(), "active_ticket"), "T-2");
  });
});

Deno.test("amof ticket start of a ticket that has ended takes it up again", async () => {
  await using world = await started();
  assertEquals((await end(world)).code, 0);
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  const ended = async () =>
    pick((await world.amof(["ticket", "list", "--ended", "--json"])).json(), "tickets");
  assertEquals(await ended(), []);
  const ran = await end(world, "--cleanup", "--yes");
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await ended(), []);
});

Deno.test("amof ticket end --cleanup spares base branches and branches of other tickets", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const start = async (id: string, ...branches: string[]) => {
    const selections = branches.map((entry) => {
      const [repo, target_branch] = entry.split("=");
      return { repo, target_branch };
    });
    const ran = await world.amof(["ticket", "start", id, "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    const state = await world.state();
    const tickets = state["tickets"] as Record<string, Record<string, unknown>>;
    const ticket = tickets[id] ?? {};
    const repos = { ...ticket["repos"] as Record<string, string> };
    for (const { repo = "", target_branch = "" } of selections) repos[repo] = target_branch;
    await world.patchState({ tickets: { ...tickets, [id]: { ...ticket, repos } } });
  };
  await start("T-2");
  await start("T-1", "api=main", "web=feature/T-2");
  for (const repo of ["api", "web"]) {
    await world.git(world.clone(repo), "switch", "--quiet", "main");
  }
  const ran = await end(world, "--cleanup", "--force", "--yes");
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(rows(ran.json(), "repos").map((row) => [row["kept"], row["why"]]), [
    [true, "it is a base branch"],
    [true, "ticket T-2 works on it"],
  ]);
  assertEquals(
    await world.git(join(world.remotes, "api.git"), "branch", "--format=%(refname:short)"),
    "main",
  );
  assertStringIncludes(await world.git(world.clone("web"), "branch"), "feature/T-2");
});

Deno.test("amof ticket list --ended passes over what is no ticket, and reads states that know of none", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const list = async () => {
    const ran = await world.amof(["ticket", "list", "--ended", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    return rows(ran.json(), "tickets").map((row) => row["ticket_id"]);
  };
  for (const ended_tickets of [undefined, null, [], "x", { A: null, B: { repos: { api: 1 } } }]) {
    await world.patchState({ ended_tickets });
    assertEquals(await list(), []);
  }
  const odd = { A: "odd", B: { repos: { api: "x", gone: "y" }, ended_at: "2026-01-01T00:00:00Z" } };
  await world.patchState({ ended_tickets: odd });
  assertEquals(await list(), ["B"]);
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  assertEquals((await end(world)).code, 0);
  assertEquals(pick(await world.state(), "ended_tickets", "A"), "odd");
  assertEquals(await list(), ["T-1", "B"]);
});

Deno.test("of a branch that has partly landed as many commits are lost as its status has to push", async () => {
  await using world = await started();
  await pushedTicket(world);
  await merge(world, "api", SQUASH);
  const clone = world.clone("api");
  await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Empty");
  await Deno.writeTextFile(join(clone, "three.txt"), "three\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "Add three.txt");
  assertEquals((await world.amof(["sync"])).code, 0);
  const [row] = rows((await world.amof(["status", "--json"])).json(), "repos");
  assertEquals(row?.["ahead"], 2);
  // Also where the remote has what follows, of which only what is remembered tells.
  for (const pushed of [false, true]) {
    if (pushed) await world.git(clone, "push", "--quiet", "origin", "feature/T-1");
    const refused = await end(world, "--cleanup");
    assertMatch(
      String(pick(refused.json(), "message")),
      /"api" has 2 commits on feature\/T-1 that/,
    );
    const preview = await end(world, "--cleanup", "--force", "--dry-run");
    assertMatch(String(pick(preview.json(), "effects")), /with 2 commits that are nowhere else/);
  }
});

Deno.test("what was committed to the base branch here and went with the ticket is merged where it was squashed", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await Deno.writeTextFile(join(clone, "new.txt"), "by mistake\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "By mistake");
  assertEquals((await world.amof(["ticket", "start", "T-1", "--carry", "--quiet"])).code, 0);
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  const host = join(world.directory, "host");
  await world.git(world.directory, "clone", "--quiet", join(world.remotes, "api.git"), host);
  await world.git(host, "merge", "--quiet", "--squash", "origin/feature/T-1");
  await world.git(host, "commit", "--quiet", "-m", "T-1 (#1)");
  await world.git(host, "push", "--quiet", "origin", "main", ":feature/T-1");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  const dry = await world.amof(["ticket", "end", "T-1", "--cleanup", "--dry-run"]);
  assertMatch(dry.stdout, /^Delete feature\/T-1 of api, in main as one commit, \w+$/m);
});
