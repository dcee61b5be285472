/**
 * Branches that another working copy stands on: neither moved nor deleted, whatever asks for it.
 *
 * @module
 */

import { sha } from "../../src/base/ids.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Git } from "../../src/git/mod.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** The working copies in these tests stand here. */
function elsewhere(world: World): string {
  return join(world.directory, "elsewhere");
}

/** A workspace with the ticket T-1, whose branches are as far as the remote's main, none of them checked out. */
async function withTicket(): Promise<World> {
  const world = await World.installed({ repos: ["api", "web"] });
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  assertEquals((await world.amof(["ticket", "switch", "main"])).code, 0);
  return world;
}

Deno.test("amof sync leaves a base branch alone that is checked out in another working copy", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/x");
  await world.git(clone, "worktree", "add", "--quiet", elsewhere(world), "main");
  const other = join(world.directory, "other");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), other);
  await world.git(other, "commit", "--quiet", "--allow-empty", "-m", "Theirs");
  await world.git(other, "push", "--quiet", "origin", "main");
  const before = await world.git(clone, "rev-parse", "main");
  const ran = await world.amof(["sync", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(
    rows(ran.json(), "result", "repos").map((row) => [row["name"], row["result"], row["reason"]]),
    [["api", "skipped", "checked_out"], ["web", "up_to_date", null]],
  );
  assertEquals(
    pick(ran.json(), "result", "repos", 0, "detail"),
    `1 commit behind, and main is checked out at ${elsewhere(world)}`,
  );
  assertEquals(await world.git(clone, "rev-parse", "main"), before);
  // The rest of what is fetched has come, and the branch follows as soon as it is free.
  await world.git(clone, "worktree", "remove", elsewhere(world));
  const again = await world.amof(["sync", "--json"]);
  assertEquals(pick(again.json(), "result", "repos", 0, "result"), "updated", again.stdout);
});

Deno.test("amof ticket end deletes no branch that a working copy is on, not even with --force", async (t) => {
  await using world = await withTicket();
  const clone = world.clone("api");
  const copy = elsewhere(world);
  const refused = async (place: string, doing: string, fix: RegExp) => {
    const before = await world.git(clone, "for-each-ref");
    for (const flags of [["--cleanup-local"], ["--cleanup-local", "--force"], ["--cleanup"]]) {
      const ran = await world.amof(["ticket", "end", "T-1", ...flags, "--yes", "--json"]);
      assertEquals([ran.code, ran.json()["error"]], [1, "would_lose_work"], ran.stdout);
      assertStringIncludes(
        String(ran.json()["message"]),
        `"api" cannot lose its branch: feature/T-1 is ${doing} at ${place}`,
      );
      assertMatch(String(ran.json()["hint"]), fix);
      assertEquals(await world.git(clone, "for-each-ref"), before);
      assertEquals(
        await world.git(world.clone("web"), "branch", "--list", "feature/*"),
        "  feature/T-1",
      );
    }
  };

  await t.step("checked out there", async () => {
    await world.git(clone, "worktree", "add", "--quiet", copy, "feature/T-1");
    await refused(copy, "checked out", /git -C \S+elsewhere switch --detach$/);
  });
  await t.step("rebased there", async () => {
    await world.git(copy, "commit", "--quiet", "--allow-empty", "-m", "One");
    const editor = await world.script("edit", `sed -i.bak '1s/^pick/edit/' "$1"`);
    await world.command("git", ["rebase", "--interactive", "--keep-empty", "HEAD~1"], {
      cwd: copy,
      env: { GIT_SEQUENCE_EDITOR: editor },
    });
    await refused(copy, "being rebased", /git -C \S+elsewhere rebase --continue$/);
    await world.git(copy, "rebase", "--abort");
  });
  await t.step("bisected there", async () => {
    await world.git(copy, "bisect", "start");
    await world.git(copy, "checkout", "--quiet", "--detach");
    await refused(copy, "being bisected", /git -C \S+elsewhere bisect reset$/);
    await world.git(copy, "bisect", "reset");
  });
  await t.step("in a working copy that is gone", async () => {
    await Deno.remove(copy, { recursive: true });
    await refused(copy, "checked out", /git -C \S+ worktree prune$/);
    await world.git(clone, "worktree", "prune");
  });
  await t.step("checked out by hand in the clone itself", async () => {
    await world.git(clone, "switch", "--quiet", "feature/T-1");
    await refused(clone, "checked out", /git -C \S+ switch --detach$/);
    await world.git(clone, "switch", "--quiet", "main");
  });
  await t.step("free again", async () => {
    const ran = await world.amof([
      "ticket",
      "end",
      "T-1",
      "--cleanup-local",
      "--force",
      "--confirm-name",
      "T-1",
      "--json",
    ]);
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(await world.git(clone, "branch", "--list", "feature/*"), "");
  });
});

Deno.test("amof ticket switch, start and end refuse to go where another working copy is, as a whole", async () => {
  await using world = await withTicket();
  const clone = world.clone("web");
  await world.git(clone, "worktree", "add", "--quiet", elsewhere(world), "feature/T-1");
  const before = await world.fingerprint();
  const ran = await world.amof(["ticket", "switch", "T-1", "--json"]);
  assertEquals([ran.code, ran.json()["error"]], [1, "would_lose_work"], ran.stdout);
  assertStringIncludes(
    String(ran.json()["message"]),
    `"web" cannot go to feature/T-1: feature/T-1 is checked out at ${elsewhere(world)}`,
  );
  assertEquals(await world.changesSince(before), []);

  await world.git(elsewhere(world), "switch", "--quiet", "-c", "feature/T-2");
  const start = await world.amof(["ticket", "start", "T-2", "--json"]);
  assertEquals([start.code, start.json()["error"]], [1, "would_lose_work"], start.stdout);
  assertEquals(await world.git(world.clone("api"), "branch", "--show-current"), "main");

  await world.git(clone, "switch", "--quiet", "feature/T-1");
  await world.git(elsewhere(world), "switch", "--quiet", "main");
  assertEquals((await world.amof(["ticket", "switch", "T-1"])).code, 0);
  const end = await world.amof(["ticket", "end", "T-1", "--json"]);
  assertEquals([end.code, end.json()["error"]], [1, "would_lose_work"], end.stdout);
  assertEquals(await world.git(world.clone("api"), "branch", "--show-current"), "feature/T-1");
});

Deno.test("amof install and discard refuse a workspace branch that is in use outside the workspace", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.git(world.control, "switch", "--quiet", "-c", "workspace/demo");
  const install = await world.amof(["install", "--yes", "--json"]);
  assertEquals([install.code, install.json()["error"]], [1, "would_lose_work"], install.stdout);
  const at = `workspace/demo is checked out at ${world.control}`;
  assertEquals(install.json()["message"], `Cannot attach workspace/demo: ${at}`);
  await world.git(world.control, "switch", "--quiet", "main");
  await world.install();
  await world.git(
    world.control,
    "switch",
    "--quiet",
    "--ignore-other-worktrees",
    "workspace/demo",
  );
  for (
    const args of [["discard", "--confirm-name", "demo"], [
      "archive",
      "--delete-workspace",
      "--yes",
    ]]
  ) {
    const ran = await world.amof([...args, "--json"]);
    assertEquals([ran.code, ran.json()["error"]], [1, "would_lose_work"], ran.stdout);
    assertEquals(ran.json()["message"], `Cannot delete workspace/demo: ${at}`);
  }
});

Deno.test("Git.refs moves and deletes no branch in use, and takes back only what nobody stands on", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const git = new Git(realSystem());
  const { refs } = git.at(clone);
  const main = await world.git(clone, "rev-parse", "main");
  await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Next");
  const next = await world.git(clone, "rev-parse", "main");
  await world.git(clone, "branch", "x", main);
  await world.git(clone, "worktree", "add", "--quiet", elsewhere(world), "x");
  const refusal = async (work: () => Promise<unknown>) =>
    await work().then(() => "done", (error) => String(error.message));
  const at = `x is checked out at ${elsewhere(world)}`;
  assertEquals(
    await refusal(() => refs.move("refs/heads/x", { to: sha(next), expected: sha(main) })),
    `Cannot move refs/heads/x: ${at}`,
  );
  assertEquals(
    await refusal(() => refs.delete("refs/heads/x", main)),
    `Cannot delete refs/heads/x: ${at}`,
  );
  assertEquals(
    await refusal(() => refs.delete("refs/heads/main", next)),
    `Cannot delete refs/heads/main: main is checked out at ${clone}`,
  );
  assertEquals(await refs.deleteUnused("refs/heads/x", main), false);
  assertEquals(await world.git(clone, "rev-parse", "x"), main);
  // Asked from the other working copy the answer is the same.
  assertStringIncludes(
    await refusal(() =>
      git.at(elsewhere(world)).refs.move("refs/heads/main", { to: sha(main), expected: sha(next) })
    ),
    `main is checked out at ${clone}`,
  );
  await world.git(clone, "worktree", "remove", elsewhere(world));
  assertEquals(await refs.deleteUnused("refs/heads/x", main), true);
});
