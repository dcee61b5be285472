/**
 * `amof ticket end` for tickets that have a workspace of their own: it goes when nothing is only there, and not before.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { RunInStore } from "../support/run_in_store.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** A ticket with work in `api` that is pushed, nothing in `web`, and `docs` to read. */
function pushed(): Promise<World> {
  return World.like("own ticket, pushed", async (world) => {
    await world.makeInstalled();
    await makeTicket(world, "T-1", { repos: ["api", "web"], context: ["docs"] });
    const api = ownClone(world, "T-1", "api");
    await commitIn(api, world);
    await world.git(api, "push", "--quiet", "-u", "origin", "feature/T-1");
  });
}

const END = ["ticket", "end", "T-1"];

Deno.test("nobody takes a ticket away while a program works there that amof started", async () => {
  await using world = await World.installed();
  await world.amof(["ticket", "start", "T-1", "--workspace"]);
  using run = await RunInStore.begin(world, { action: "agent", ticket: "T-1" });
  for (
    const args of [
      ["ticket", "end", "T-1", "--yes"],
      ["ticket", "move", "T-1", "--in-place", "--yes"],
      ["discard", "--tickets", "--confirm-name", "demo"],
    ]
  ) {
    const refused = (await world.amof([...args, "--json"])).json();
    assertEquals([refused["error"], pick(refused, "details", "run_id")], [
      "ecosystem_busy",
      run.id,
    ]);
  }
});

Deno.test("ticket end removes a workspace whose work is on the remotes, and touches nothing else", async () => {
  await using world = await pushed();
  const base = await world.state();
  const asked = await world.amof([...END, "--no-input", "--json"]);
  assertEquals(asked.code, 4, asked.stdout);
  assert(await world.exists(ownDirectory(world, "T-1")), "it went without consent");
  const plan = await world.amof([...END, "--dry-run"]);
  assertStringIncludes(plan.stdout, "Would end T-1 and remove its workspace with 3 clones.");
  const ran = await world.amof([...END, "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(pick(ran.json(), "workspace"), "worktrees/demo@T-1");
  assertEquals(rows(ran.json(), "repos"), [
    { name: "api", branch: "feature/T-1", kept: true, why: null },
    { name: "web", branch: "feature/T-1", kept: false, why: null },
  ]);
  const left = await Array.fromAsync(Deno.readDir(join(world.control, "worktrees")));
  assertEquals(left.map(({ name }) => name), ["demo"]);
  assertEquals(await world.state(), base);
  assertStringIncludes(
    await world.git(join(world.remotes, "api.git"), "branch", "--list", "feature/*"),
    "feature/T-1",
  );
});

Deno.test("ticket end of a workspace that somebody takes away while it looks says what there is then", async () => {
  await using world = await pushed();
  const own = ownDirectory(world, "T-1");
  const away = join(world.directory, "taken-away");
  const env = await world.wrapGit(
    `case "$PWD $*" in */repos/api*"refs/heads/feature/T-1 "*) mv '${own}' '${away}' ;; esac`,
  );
  const ran = await world.amof([...END, "--cleanup", "--yes", "--jobs", "1", "--json"], { env });
  assert(await world.exists("taken-away"), "nobody took it away");
  assertEquals(pick(ran.json(), "error"), "ticket_not_found", ran.stdout);
});

Deno.test("ticket end refuses everything that is only in the workspace, and says how to save it", async () => {
  await using world = await pushed();
  const [api, web] = [ownClone(world, "T-1", "api"), ownClone(world, "T-1", "web")];
  const docs = ownClone(world, "T-1", "docs");
  await commitIn(web, world);
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  await world.git(api, "update-index", "--assume-unchanged", "work.txt");
  await Deno.writeTextFile(join(api, "work.txt"), "overlooked\n");
  await Deno.writeTextFile(join(docs, "README.md"), "put away\n");
  await world.git(docs, "stash", "push", "--quiet", "-m", "Mine");
  await Deno.writeTextFile(join(ownDirectory(world, "T-1"), "notes.md"), "notes\n");
  await world.git(
    world.directory,
    "init",
    "--quiet",
    join(ownDirectory(world, "T-1"), "repos/mine"),
  );
  const before = await world.fingerprint();
  const ran = await world.amof([...END, "--yes", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  const problems = rows(ran.json(), "details", "repos")
    .map((entry) => `${pick(entry, "name")} ${pick(entry, "problem")}`);
  assertEquals(problems, [
    "(workspace) has 1 file among the clones: notes.md",
    "api has 1 uncommitted file: new.txt",
    "api has 1 changed file that git was told to overlook: work.txt",
    "docs has 1 stash: On main: Mine",
    "repos/mine has 1 repository that the manifest does not name: repos/mine",
    "web has 1 unpushed commit: on feature/T-1",
  ]);
  assertStringIncludes(
    ran.stdout,
    "ommit and push them: amof push --ticket T-1 --repo api --commit\\n",
  );
  assertEquals(await world.changesSince(before), []);
});

Deno.test("ticket end --discard-local loses what is named, once the ticket is typed", async () => {
  await using world = await pushed();
  await commitIn(ownClone(world, "T-1", "web"), world);
  await Deno.writeTextFile(join(ownDirectory(world, "T-1"), "notes.md"), "notes\n");
  for (const flags of [["--yes"], ["--confirm-name", "demo"]]) {
    const refused = await world.amof([...END, "--discard-local", ...flags, "--json"]);
    assertEquals(refused.code, 4, refused.stdout);
  }
  assert(await world.exists(ownDirectory(world, "T-1")), "it went by a wrong name");
  const ran = await world.amof([...END, "--discard-local", "--confirm-name", "T-1", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(
    rows(ran.json(), "losses").map((loss) => `${pick(loss, "repo")} ${pick(loss, "kind")}`),
    ["(workspace) files", "web commits"],
  );
  assert(!await world.exists(ownDirectory(world, "T-1")));
});

Deno.test("ticket end lets go of what was squashed into the base branch, and asks the remote whether it is there", async () => {
  await using world = await pushed();
  const api = ownClone(world, "T-1", "api");
  const remote = join(world.remotes, "api.git");
  // The server squashes the branch and deletes it; the clone still believes that it is there.
  const server = join(world.directory, "server");
  await world.git(world.directory, "clone", "--quiet", remote, server);
  await world.git(server, "merge", "--quiet", "--squash", "origin/feature/T-1");
  await world.git(server, "commit", "--quiet", "-m", "Squashed");
  await world.git(server, "push", "--quiet", "origin", "main", ":feature/T-1");
  const early = await world.amof([...END, "--offline", "--yes", "--json"]);
  assertEquals(early.code, 1, early.stdout);
  assertStringIncludes(early.stdout, "that its remote does not have as far as is known here");
  assert(await world.exists(api), "it went before the remote had it");
  await world.git(api, "fetch", "--quiet", "--prune");
  // A base branch that only this clone has proves nothing.
  const real = await world.git(api, "rev-parse", "origin/main");
  const tree = await world.git(api, "rev-parse", "HEAD^{tree}");
  const own = await world.git(api, "commit-tree", tree, "-p", real, "-m", "Mine");
  await world.git(api, "update-ref", "refs/remotes/origin/main", own);
  const forged = await world.amof([...END, "--offline", "--yes", "--json"]);
  assertEquals(forged.code, 1, forged.stdout);
  const ran = await world.amof([...END, "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertStringIncludes(
    String(pick(rows(ran.json(), "repos")[0], "why")),
    "in main as one commit, ",
  );
});

Deno.test("ticket end --cleanup deletes the branch on the remote only when it has landed", async () => {
  await using world = await pushed();
  const remote = join(world.remotes, "api.git");
  const refused = await world.amof([...END, "--cleanup", "--yes", "--json"]);
  assertEquals(refused.code, 1, refused.stdout);
  assertEquals(pick(refused.json(), "error"), "would_lose_work");
  const api = ownClone(world, "T-1", "api");
  await world.git(remote, "update-ref", "refs/heads/main", "refs/heads/feature/T-1");
  await world.git(api, "fetch", "--quiet");
  const ran = await world.amof([...END, "--cleanup", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await world.git(remote, "branch", "--list", "feature/*"), "");
  assertEquals(pick(rows(ran.json(), "repos")[0], "why"), "merged into main");
  assert(!await world.exists(ownDirectory(world, "T-1")));
});

Deno.test("ticket end refuses while the caller stands in the workspace, and with a remote that is gone", async () => {
  await using world = await pushed();
  const inside = await world.amof([...END, "--cleanup", "--yes", "--json"], {
    cwd: ownClone(world, "T-1", "api"),
  });
  assertEquals(pick(inside.json(), "error"), "workspace_in_use", inside.stdout);
  assertStringIncludes(inside.stdout, "Cannot end T-1: you are in the workspace that would go");
  // Each line is pasted where the one before has led, and says all that was said.
  assertEquals(
    pick(inside.json(), "hint"),
    `Leave it first: cd ${world.control}\nThen repeat: amof ticket end T-1 --cleanup --yes`,
  );
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "gone.git"));
  const before = await world.fingerprint();
  const gone = await world.amof([...END, "--yes", "--json"]);
  assertEquals(gone.code, 1, gone.stdout);
  assertStringIncludes(gone.stdout, "nothing was deleted");
  assert(
    (await world.changesSince(before)).every((path) =>
      !path.includes("demo@T-1") || path.includes("/.git/FETCH_HEAD ")
    ),
  );
});

Deno.test("ticket end loses nothing to what is written while it goes", async () => {
  await using world = await pushed();
  const api = ownClone(world, "T-1", "api");
  // Whoever asks the remote writes into the clone: after the look, before it is set aside.
  const env = await world.wrapGit(
    `case "$*" in *ls-remote*) echo late > '${join(api, "late.txt")}';; esac`,
  );
  const ran = await world.amof([...END, "--yes", "--json"], { env });
  assertEquals(ran.code, 1, ran.stdout);
  assertStringIncludes(ran.stdout, "has changed meanwhile; everything is as it was");
  assertEquals(await Deno.readTextFile(join(api, "late.txt")), "late\n");
});

Deno.test("ticket end says what --discard-local is not for, and that a record cannot be read", async () => {
  await using world = await pushed();
  const start = await world.amof(["ticket", "start", "T-2", "--quiet"]);
  assertEquals(start.code, 0, start.stderr);
  const inPlace = await world.amof([
    "ticket",
    "end",
    "T-2",
    "--discard-local",
    "--confirm-name",
    "T-2",
  ]);
  assertEquals(inPlace.code, 2, inPlace.stderr);
  assertStringIncludes(inPlace.stderr, "T-2 has no workspace of its own");
  await Deno.writeTextFile(join(ownDirectory(world, "T-1"), ".amof", "ticket.json"), "{");
  const damaged = await world.amof([...END, "--yes", "--json"]);
  assertEquals(pick(damaged.json(), "error"), "state_corrupt", damaged.stdout);
});

Deno.test("ticket end --keep-workspace leaves plain clones behind that need no mirror, and no ticket", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.amof(["ticket", "start", "T-1", "--workspace"]);
  const api = ownClone(world, "T-1", "api");
  const commit = await commitIn(api, world);
  await Deno.writeTextFile(join(api, "dirty.txt"), "dirty\n");
  for (const flag of ["--cleanup", "--force", "--discard-local"]) {
    const refused = await world.amof([...END, "--keep-workspace", flag, "--json"]);
    assertEquals([refused.code, refused.json()["error"]], [2, "invalid_arguments"], flag);
  }
  const plan = await world.amof([...END, "--keep-workspace", "--dry-run"]);
  assertStringIncludes(plan.stdout, "Copy what api borrows, and borrow no more");
  const ran = await world.amof([...END, "--keep-workspace"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stdout, "Ended T-1; worktrees/demo@T-1 stays, with 2 branches.");

  await Deno.remove(join(world.env["AMOF_HOME"] ?? "", "share", "mirrors"), { recursive: true });
  await world.git(api, "fsck", "--full", "--strict");
  assertEquals(await world.git(api, "rev-parse", "feature/T-1"), commit);
  assertEquals(await Deno.readTextFile(join(api, "dirty.txt")), "dirty\n");
  const listed = await world.amof(["ticket", "list", "--json"]);
  assertEquals(rows(listed.json(), "tickets"), []);
  const doctor = await world.amof(["doctor", "--json"]);
  assertEquals(doctor.stdout.includes("T-1"), false, doctor.stdout);
  const again = await world.amof(["ticket", "start", "T-1", "--workspace"]);
  assertStringIncludes(again.stderr, "the workspace that it kept when it ended is at ");
  await Deno.rename(ownDirectory(world, "T-1"), join(world.directory, "mine"));
  const started = await world.amof(["ticket", "start", "T-1", "--workspace", "--json"]);
  assertEquals(started.code, 0, started.stdout);
  assertEquals(pick(started.json(), "env", "AMOF_PORT_BASE"), "20000");
});

Deno.test("ticket end says before what it will really do", async () => {
  await using world = await pushed();
  const will = async (...flags: string[]) => {
    const asked = await world.amof([...END, "--no-input", "--json", ...flags]);
    assertEquals(asked.code, 4, asked.stdout);
    return String(asked.json()["message"]).replace(/;.*/, "");
  };
  assertEquals(await will(), "Ending will delete worktrees/demo@T-1 with 3 clones");
  await Deno.writeTextFile(join(ownClone(world, "T-1", "web"), "dirty.txt"), "dirty\n");
  assertEquals(
    await will("--discard-local"),
    "Ending will delete worktrees/demo@T-1 with 3 clones, and lose what is only there",
  );
  assertEquals(
    await will("--discard-local", "--cleanup", "--force"),
    "Ending will delete worktrees/demo@T-1 with 3 clones, and delete 1 branch on its remote, and lose what is only there",
  );
  const none = await world.amof(["ticket", "end", "T-2", "--keep-workspace", "--json"]);
  assertEquals(none.json()["error"], "invalid_arguments");
});
