/**
 * The commands of every day that change the manifest, locks, clones or branches, with the worlds in which they have
 * something to do.
 *
 * @module
 */

import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { World } from "../support/world.ts";
import type { Victim } from "./victim.ts";
import { atWork, litter, news, plainWorld, REPOS } from "./worlds.ts";

const REMOTES = /^ref refs\/remotes\//;

/** A ticket with work of its own whose base branches have moved on. */
async function overtaken(): Promise<World> {
  const world = await atWork();
  await news(world);
  return world;
}

/** A ticket that was pushed and squashed, behind which its base and its branch have moved on in the same file. */
async function squashed(): Promise<World> {
  const world = await atWork();
  for (const repo of REPOS.repos) await write(world, world.clone(repo), "same.txt", "first\n");
  await world.amof(["push", "--yes"]);
  for (const repo of REPOS.repos) {
    const seed = join(world.directory, "seed", repo);
    const branch = await world.git(world.clone(repo), "branch", "--show-current");
    const remote = join(world.remotes, `${repo}.git`);
    await world.git(seed, "fetch", "--quiet", remote, branch.trim());
    await world.git(seed, "merge", "--quiet", "--squash", "FETCH_HEAD");
    await world.git(seed, "commit", "--quiet", "-m", "Squash");
    await write(world, seed, "same.txt", "second\n");
    await world.git(seed, "push", "--quiet", remote, "main");
    await write(world, world.clone(repo), "behind.txt", "behind\n");
  }
  return world;
}

/** Commits a file in a working copy. */
async function write(world: World, at: string, file: string, text: string): Promise<void> {
  await Deno.writeTextFile(join(at, file), text);
  await world.git(at, "add", file);
  await world.git(at, "commit", "--quiet", "-m", `Write ${file}`);
}

/** A ticket of which every repository stopped at a conflict, which is resolved and not yet gone on from. */
async function stopped(how: "merge" | "rebase"): Promise<World> {
  const world = await atWork();
  for (const repo of REPOS.repos) {
    const seed = join(world.directory, "seed", repo);
    await write(world, seed, "same.txt", "theirs\n");
    await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
    await write(world, world.clone(repo), "same.txt", "ours\n");
  }
  await world.amof(["ticket", "update", `--${how}`, "--yes"]);
  for (const repo of REPOS.repos) {
    await Deno.writeTextFile(join(world.clone(repo), "same.txt"), "both\n");
    await world.git(world.clone(repo), "add", "same.txt");
  }
  return world;
}

/** Uncommitted work on a ticket whose base branches have moved on, in `web` with a conflict that is resolved. */
async function aside(): Promise<World> {
  const world = await overtaken();
  await write(world, world.clone("web"), "news.txt", "ours\n");
  for (const repo of REPOS.repos) await litter(world, repo);
  await world.amof(["ticket", "update", "--stash", "--repo", "web"]);
  await Deno.writeTextFile(join(world.clone("web"), "news.txt"), "both\n");
  await world.git(world.clone("web"), "add", "news.txt");
  return world;
}

/** Clones of `api` and `web` in a directory of their owner, with unfinished work, and an ecosystem that lacks them. */
async function owned(install: boolean): Promise<World> {
  const world = await World.withEcosystem(install ? REPOS : { repos: [] });
  const code = join(world.directory, "code");
  await Deno.mkdir(code);
  for (const repo of REPOS.repos) {
    if (!install) await world.addRemote(repo);
    await world.git(code, "clone", "--quiet", world.url(repo), `my-${repo}`);
    const clone = join(code, `my-${repo}`);
    await write(world, clone, "work.txt", "work\n");
    await Deno.writeTextFile(join(clone, "README.md"), "changed\n");
  }
  return world;
}

/** Writes a lock of the commits that the remotes have now. */
async function lockAt(world: World): Promise<void> {
  const repos = [];
  for (const name of REPOS.repos) {
    const commit = await world.git(join(world.remotes, `${name}.git`), "rev-parse", "main");
    repos.push({ name, url: world.url(name), branch: "main", commit });
  }
  const lock = { version: 1, ecosystem: "demo", made_at: "2026-01-02T03:04:05Z", repos };
  await world.write("control/ecosystems/demo/lock.json", JSON.stringify(lock));
}

/** A program that changes everything that undo brings back. */
const CHANGES =
  "git stash push -q -u; echo one > README.md; git switch -q -c side; git commit -q -a -m Theirs; git tag t; echo two > made; git add -N made";

/** The commands. */
export const DAILY_VICTIMS: readonly Victim[] = [
  {
    name: "repo add",
    args: ["repo", "add", "docs", "--tag", "text"],
    async prepare() {
      const world = await plainWorld();
      await world.addRemote("docs");
      return world;
    },
    more: (world) => Promise.resolve([world.url("docs")]),
    ends: "whole",
    again: ["invalid_arguments"],
  },
  {
    name: "repo remove",
    args: ["repo", "remove", "web", "--yes"],
    prepare: plainWorld,
    ends: "whole",
    again: ["repo_not_found"],
  },
  {
    name: "repo rename",
    args: ["repo", "rename", "web", "site", "--yes"],
    prepare: atWork,
    ends: "whole",
    again: ["repo_not_found"],
  },
  {
    name: "undo",
    args: ["undo", "--yes"],
    async prepare() {
      const world = await atWork();
      for (const repo of REPOS.repos) await litter(world, repo);
      await world.amof(["exec", "--shell", CHANGES]);
      return world;
    },
    async more(world) {
      const listed = await world.amof(["operations", "--limit", "1", "--json"]);
      return [String(pick(listed.json(), "operations", 0, "run_id"))];
    },
    ends: "whole",
    again: ["undo_impossible", "undo_stale"],
  },
  {
    name: "lock",
    args: ["lock"],
    prepare: plainWorld,
    ends: "told",
    done: async (world) => (await world.amof(["lock", "--check"])).code === 0,
  },
  {
    name: "install --adopt",
    args: ["install", "--adopt", "../code", "--yes"],
    prepare: () => owned(true),
    ends: "whole",
    again: ["workspace_exists"],
  },
  {
    name: "install --locked",
    args: ["install", "--locked", "--yes"],
    async prepare() {
      const world = await World.withEcosystem(REPOS);
      await lockAt(world);
      await news(world);
      return world;
    },
    // A clone that cannot be put at its commit stays, which is told, and stops no other.
    ends: "told",
    done: async (world) => (await world.amof(["lock", "--check"])).code === 0,
  },
  {
    name: "install --locked, clones that are behind",
    args: ["install", "--locked", "--yes"],
    async prepare() {
      const world = await plainWorld();
      await news(world);
      await lockAt(world);
      return world;
    },
    ends: "each",
    overlooks: REMOTES,
  },
  {
    name: "ticket update, behind a squash",
    args: ["ticket", "update"],
    prepare: squashed,
    ends: "each",
    // What the state remembers of a pushed branch follows it, one repository after another.
    overlooks: /^ref refs\/remotes\/|"|^ *[\]}{]/,
  },
  {
    name: "ticket update --rebase",
    args: ["ticket", "update", "--rebase", "--yes"],
    prepare: overtaken,
    ends: "each",
    rewrites: true,
    wayOut: /go on or back: (amof ticket update --continue)/,
    overlooks: REMOTES,
  },
  {
    name: "ticket update --continue, a merge",
    args: ["ticket", "update", "--continue"],
    prepare: () => stopped("merge"),
    ends: "each",
  },
  {
    name: "ticket update --continue, a rebase",
    args: ["ticket", "update", "--continue"],
    prepare: () => stopped("rebase"),
    ends: "each",
    rewrites: true,
    // It may have gone on with the next commit, and waits again.
    overlooks: /^head HEAD /,
  },
  {
    name: "ticket update --abort, a merge",
    args: ["ticket", "update", "--abort", "--yes"],
    prepare: () => stopped("merge"),
    ends: "each",
    // What was done since the conflict is kept as a stash before anything is taken back.
    overlooks: /^(?:ref refs\/stash |stash On \S+: changed before its merge was taken back )/,
  },
  {
    name: "ticket update --abort, a rebase",
    args: ["ticket", "update", "--abort", "--yes"],
    prepare: () => stopped("rebase"),
    ends: "each",
  },
  {
    name: "ticket update --stash",
    args: ["ticket", "update", "--stash"],
    async prepare() {
      const world = await overtaken();
      for (const repo of REPOS.repos) await litter(world, repo);
      return world;
    },
    ends: "each",
    overlooks: REMOTES,
  },
  {
    name: "ticket update --stash, then --continue",
    args: ["ticket", "update", "--continue"],
    prepare: aside,
    ends: "each",
  },
  {
    name: "ticket update --stash, then --abort",
    args: ["ticket", "update", "--abort", "--yes"],
    prepare: aside,
    ends: "each",
    givesUp: true,
  },
  {
    name: "ecosystem create --from",
    args: ["ecosystem", "create", "shop", "--from", "../code", "--offline"],
    prepare: () => owned(false),
    ends: "whole",
    again: ["ecosystem_exists"],
  },
];
