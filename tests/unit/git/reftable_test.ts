/**
 * What is asked of files elsewhere holds where refs are kept in tables, too, which git knows since 2.45.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../src/base/error.ts";
import { sha } from "../../../src/base/ids.ts";
import { realSystem } from "../../../src/base/system/real/mod.ts";
import { Git, type GitGuard } from "../../../src/git/mod.ts";
import { writeSanitized } from "../../../src/git/changing.ts";
import { Checkpoints } from "../../../src/git/checkpoint/mod.ts";
import { World } from "../../support/world.ts";
import { commit, gitIn, repository } from "./_support.ts";

const version = new TextDecoder().decode(
  new Deno.Command("git", { args: ["version"] }).outputSync().stdout,
);
const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? [];
const ignore = Number(major) < 3 && Number(minor) < 46;

/** A repository with tables, on main, and a working copy of it beside it, on topic. */
async function tables(world: World): Promise<{ path: string; linked: string }> {
  const path = await repository(world);
  if (await world.git(path, "rev-parse", "--show-ref-format") !== "reftable") {
    await world.git(path, "refs", "migrate", "--ref-format=reftable");
  }
  const linked = join(world.directory, "linked");
  await world.git(path, "worktree", "add", "--quiet", "-b", "topic", linked);
  return { path, linked };
}

Deno.test({
  name: "what is checked out is told where refs are in tables",
  ignore,
  async fn() {
    await using world = await World.make();
    const { path, linked } = await tables(world);
    const git = gitIn(world);
    assertEquals(
      [await git.at(path).branches.current(), await git.at(linked).branches.current()],
      ["main", "topic"],
    );
    const uses = async (place: string) =>
      (await git.at(place).worktrees.uses()).map(({ branch, own, path }) => [branch, own, path]);
    assertEquals(await uses(path), [["main", true, path], ["topic", false, linked]]);
    assertEquals(await uses(linked), [["main", false, path], ["topic", true, linked]]);
    const head = sha(await world.git(path, "rev-parse", "HEAD"));
    await Deno.remove(linked, { recursive: true });
    const error = await assertRejects(
      () => git.at(path).refs.delete("refs/heads/topic", head),
      AmofError,
    );
    assertEquals(error.code, "would_lose_work");
    await world.git(path, "switch", "--quiet", "--detach");
    assertEquals(await git.at(path).branches.current(), null);
  },
});

Deno.test({
  name: "refs, unfinished work and the log of a branch are told where refs are in tables",
  ignore,
  async fn() {
    await using world = await World.make();
    const { path, linked } = await tables(world);
    const git = gitIn(world);
    const made = await commit(world, linked, "file.txt", "topic\n");
    await commit(world, path, "file.txt", "main\n");
    const api = git.at(path, "api");
    assertEquals((await api.refs.peek(["refs/heads/topic"])).get("refs/heads/topic"), sha(made));
    assertEquals([...(await api.refs.peekBranches([])).heads.keys()], ["main", "topic"]);
    assertEquals(await api.branches.endsInWork("topic", made), true);
    await world.git(path, "branch", "-m", "topic", "better");
    assertEquals(await api.branches.renamedFrom("topic", ["main", "better"]), "better");
    await world.git(path, "branch", "-m", "better", "topic");
    assertEquals((await api.activity())?.inProgress, null);
    await world.command("git", ["cherry-pick", "topic"], { cwd: path });
    assertEquals((await api.activity())?.inProgress, "cherry-pick");
    await world.git(path, "cherry-pick", "--abort");
    await world.command("git", ["revert", "--no-edit", "HEAD~"], { cwd: path });
    assertEquals((await api.activity())?.inProgress, "revert");
  },
});

Deno.test({
  name: "the stand-in of a working copy answers as it does where refs are in tables",
  ignore,
  async fn() {
    await using world = await World.make();
    const { path, linked } = await tables(world);
    const system = realSystem();
    for (const [clone, branch] of [[path, "main"], [linked, "topic"]] as const) {
      const sanitized = join(world.directory, `sanitized-${branch}`);
      const plain = new Git(system);
      const keys = await plain.at(path).configFile(join(path, ".git", "config")) ?? new Map();
      await writeSanitized(system, { clone, sanitized, keys });
      const guard: GitGuard = {
        before: () => Promise.resolve({ sanitized }),
        suspects: () => Promise.resolve(null),
        holds: () => Promise.resolve(false),
      };
      const there = new Git(system).guarded(guard).at(clone);
      assertEquals(await there.branches.current(), branch);
      assertEquals(await there.status(), await plain.at(clone).status());
      assertEquals(await there.branches.list(), await plain.at(clone).branches.list());
    }
  },
});

Deno.test({
  name:
    "a checkpoint of names is taken where refs are in tables and the commit that is checked out is gone",
  ignore,
  async fn() {
    await using world = await World.make();
    const { path, linked } = await tables(world);
    const head = await world.git(path, "rev-parse", "HEAD");
    await world.git(linked, "switch", "--quiet", "--detach");
    await Deno.remove(join(path, ".git", "objects", head.slice(0, 2), head.slice(2)));
    const names = async (place: string) => {
      const { branch, head, refs } = await gitIn(world).at(place, "api").part(Checkpoints).names();
      return { branch, head, refs };
    };
    const refs = { "refs/heads/main": head, "refs/heads/topic": head };
    assertEquals(await names(path), { branch: "main", head, refs });
    assertEquals(await names(linked), { branch: null, head, refs });
  },
});
