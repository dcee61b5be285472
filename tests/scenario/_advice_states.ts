/**
 * The states of a workspace, and of what is around it, in which advice is asked for.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ownClone } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";

/** Makes the state of the clone of api; `branch` is the one that is checked out. */
type Make = (world: World, clone: string, branch: string) => Promise<void>;

const write = (clone: string, file: string, text: string) =>
  Deno.writeTextFile(join(clone, file), text);

/** Commits a file. */
export async function committed(world: World, clone: string, name: string): Promise<void> {
  await write(clone, `${name}.txt`, `${name}\n`);
  await world.git(clone, "add", "--all");
  await world.git(clone, "commit", "--quiet", "-m", name);
}

const ahead: Make = (world, clone) => committed(world, clone, "work");

const dirty: Make = (_world, clone) => write(clone, "more.txt", "more\n");

/** A commit that only the remote has. */
const behind: Make = async (world, clone, branch) => {
  await committed(world, clone, "work");
  await world.git(clone, "push", "--quiet", "--set-upstream", "origin", branch);
  await world.git(clone, "reset", "--quiet", "--hard", "HEAD~1");
};

const diverged: Make = async (world, clone, branch) => {
  await behind(world, clone, branch);
  await committed(world, clone, "other");
};

/** A request to merge that was squashed by a host, which has deleted the branch. */
async function squashed(world: World, clone: string, branch: string): Promise<void> {
  await committed(world, clone, "work");
  await world.git(clone, "push", "--quiet", "--set-upstream", "origin", branch);
  const host = join(world.directory, "host");
  await world.git(world.directory, "clone", "--quiet", join(world.remotes, "api.git"), host);
  if (branch !== "main") {
    await world.git(host, "merge", "--quiet", "--squash", `origin/${branch}`);
    await world.git(host, "commit", "--quiet", "-m", "Squashed");
    await world.git(host, "push", "--quiet", "origin", "main", `:${branch}`);
  }
}

const merged: Make = async (world, clone, branch) => {
  await squashed(world, clone, branch);
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
};

/** The base branch on its way into the branch that is checked out, with a conflict that is resolved by now. */
const updating: Make = async (world, clone, branch) => {
  const both = async (place: string, text: string) => {
    await write(place, "both.txt", text);
    await world.git(place, "add", "--all");
    await world.git(place, "commit", "--quiet", "-m", text);
  };
  const host = join(world.directory, "host");
  await world.git(world.directory, "clone", "--quiet", join(world.remotes, "api.git"), host);
  await both(host, "theirs");
  await world.git(host, "push", "--quiet", "origin", "main");
  await both(clone, "ours");
  if (branch !== "main") {
    assertEquals((await world.amof(["ticket", "update", "--quiet"])).code, 5);
  } else {
    const pull = ["pull", "--quiet", "--no-rebase", "origin", "main"];
    assertEquals((await world.command("git", pull, { cwd: clone })).code, 1);
  }
  await write(clone, "both.txt", "both");
  await world.git(clone, "add", "--all");
};

/** The clone as `git clone --depth 1` makes it, which has its base branch alone. */
const shallow: Make = async (world, clone) => {
  await Deno.remove(clone, { recursive: true });
  await world.git(world.directory, "clone", "--quiet", "--depth", "1", world.url("api"), clone);
};

/** What the clones are before a ticket is started. */
export const BEFORE_TICKET: Readonly<Record<string, Make>> = { "shallow, of one branch": shallow };

/** What can be in the way in a workspace. */
export const STATES: Readonly<Record<string, Make>> = {
  clean: () => Promise.resolve(),
  ahead,
  dirty,
  "ahead and dirty": async (world, clone, branch) => {
    await ahead(world, clone, branch);
    await dirty(world, clone, branch);
  },
  behind,
  "behind and dirty": async (world, clone, branch) => {
    await behind(world, clone, branch);
    await dirty(world, clone, branch);
  },
  diverged,
  conflict: async (world, clone, branch) => {
    const both = async (text: string) => {
      await write(clone, "both.txt", text);
      await world.git(clone, "add", "--all");
      await world.git(clone, "commit", "--quiet", "-m", text);
    };
    await world.git(clone, "switch", "--quiet", "--create", "theirs");
    await both("theirs");
    await world.git(clone, "switch", "--quiet", branch);
    await both("ours");
    const ran = await world.command("git", ["merge", "theirs"], { cwd: clone });
    assertEquals(ran.code, 1, ran.stdout);
  },
  "an update that waits": updating,
  detached: (world, clone) => world.git(clone, "switch", "--quiet", "--detach").then(() => {}),
  "detached and ahead": async (world, clone) => {
    await world.git(clone, "switch", "--quiet", "--detach");
    await committed(world, clone, "work");
  },
  "read-only and dirty": (world) => write(world.clone("docs"), "more.txt", "more\n"),
  "ahead beside a dirty one": async (world, clone, branch) => {
    await ahead(world, clone, branch);
    await dirty(world, world.clone("web"), branch);
  },
  merged,
  "merged and dirty": async (world, clone, branch) => {
    await merged(world, clone, branch);
    await dirty(world, clone, branch);
  },
  "a clone inside": async (world, clone) => {
    await world.git(
      world.directory,
      ...["clone", "--quiet", join(world.remotes, "web.git"), join(clone, "vendor", "web")],
    );
  },
  "shallow, of one branch": ahead,
  "cloned anew": async (world, clone) => {
    await Deno.remove(clone, { recursive: true });
    assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  },
  "not cloned": (_world, clone) => Deno.remove(clone, { recursive: true }),
  "remote away": async (world, clone, branch) => {
    await ahead(world, clone, branch);
    await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "away.git"));
  },
  "on another branch, with changes that its own has otherwise": async (world, clone, branch) => {
    await committed(world, clone, "work");
    await world.git(clone, "switch", "--quiet", "--create", "mine", `${branch}~1`);
    await write(clone, "work.txt", "otherwise\n");
  },
  "on another branch": async (world, clone) => {
    await world.git(clone, "switch", "--quiet", "--create", "mine");
    await committed(world, clone, "work");
  },
};

/** What is asked in a workspace: what only looks, what is refused, and last what changes something. */
export const ASKED: readonly (readonly string[])[] = [
  ["status"],
  ["push"],
  ["push", "--commit", "-m", "My words"],
  ["commit", "-m", "My words"],
  ["ticket", "list"],
  ["ticket", "start", "T-9", "--dry-run"],
  ["sync", "--dry-run"],
  ["discard"],
  ["archive"],
  ["ticket", "start", "T-1"],
  ["ticket", "switch", "T-1"],
  ["ticket", "end", "T-1"],
  ["ticket", "end", "T-1", "--cleanup"],
  ["ticket", "update", "T-1"],
  ["sync"],
];

/** A world without a workspace to work in, and where one stands in it. */
export interface Outside {
  readonly make: () => Promise<World>;
  readonly cwd?: (world: World) => string;
  readonly env?: Record<string, string>;
  readonly asked: readonly (readonly string[])[];
}

/** Nobody knows who commits here. */
const NOBODY = {
  GIT_AUTHOR_NAME: "",
  GIT_AUTHOR_EMAIL: "",
  GIT_COMMITTER_NAME: "",
  GIT_COMMITTER_EMAIL: "",
};

const BEFORE = [["status"], ["sync"], ["push"], ["ticket", "start", "T-9"], ["ticket", "list"]];

/** A repository that nobody has committed in, here and at its remote, beside another one. */
async function unborn(): Promise<World> {
  const world = await World.withEcosystem({ repos: ["api", "web"] });
  const bare = join(world.remotes, "api.git");
  await Deno.remove(bare, { recursive: true });
  await world.git(world.remotes, "init", "--quiet", "--bare", "--initial-branch=main", bare);
  const ran = await world.amof(["install", "--yes", "--quiet"]);
  assertEquals(ran.code, 0, ran.stderr);
  return world;
}

/** What is around a workspace that is not there, or whose repositories or people have never committed. */
export const OUTSIDE: Readonly<Record<string, Outside>> = {
  "nothing at all": {
    make: () => World.make(),
    cwd: ({ directory }) => directory,
    asked: [...BEFORE, ["install"], ["ecosystem", "list"], ["ecosystem", "create", "fresh"]],
  },
  "no ecosystem": {
    make: async () => {
      const world = await World.make();
      await world.makeControl();
      return world;
    },
    asked: [...BEFORE, ["install"], ["ecosystem", "list"], ["ecosystem", "describe"]],
  },
  "not installed": {
    make: () => World.withEcosystem(),
    asked: [
      ...BEFORE,
      ["install"],
      ["ecosystem", "list"],
      ["ecosystem", "describe"],
      ["discard"],
      ["archive"],
    ],
  },
  "several ecosystems, none chosen": {
    make: async () => {
      const world = await World.withEcosystem({ repos: ["api"] });
      await world.addEcosystem("other", { repos: ["web"] });
      return world;
    },
    asked: [...BEFORE, ["-e", "demo", "status"], ["ecosystem", "list"]],
  },
  unborn: {
    make: unborn,
    asked: [["status"], ["push"], ["commit", "-m", "Words"], ["ticket", "start", "T-9"], ["sync"]],
  },
  "unborn, with files": {
    make: async () => {
      const world = await unborn();
      await write(world.clone("api"), "more.txt", "more\n");
      return world;
    },
    asked: [["status"], ["push"], ["commit", "-m", "Words"]],
  },
  "unborn, with files, in a ticket": {
    make: async () => {
      const world = await unborn();
      await write(world.clone("api"), "more.txt", "more\n");
      assertEquals((await world.amof(["ticket", "start", "T-1", "--quiet"])).code, 0);
      return world;
    },
    asked: [["status"], ["push"], ["commit", "-m", "Words"]],
  },
  "merged, in a workspace of its own": {
    make: async () => {
      const world = await World.installed({ repos: ["api"] });
      const started = await world.amof(["ticket", "start", "T-1", "--workspace", "--quiet"]);
      assertEquals(started.code, 0, started.stderr);
      await squashed(world, ownClone(world, "T-1", "api"), "feature/T-1");
      assertEquals((await world.amof(["sync", "--ticket", "T-1", "--quiet"])).code, 0);
      return world;
    },
    cwd: (world) => ownClone(world, "T-1", "api"),
    asked: [["status"], ["status", "--all-tickets"], ["push"]],
  },
  "nobody commits": {
    make: async () => {
      const world = await World.installed({ readonly: ["docs"] });
      await write(world.clone("api"), "more.txt", "more\n");
      return world;
    },
    env: NOBODY,
    asked: [
      ["status"],
      ["commit", "-m", "Words", "--allow-base"],
      ["push", "--commit", "-m", "Words", "--allow-base"],
    ],
  },
  "a manifest that is wrong": {
    make: async () => {
      const world = await World.installed({ readonly: ["docs"] });
      await world.write("control/ecosystems/demo/ecosystem.yaml", "name: demo\nrepos: 7\n");
      return world;
    },
    asked: [["status"], ["push"], ["sync"], ["ecosystem", "describe"], ["manifest", "validate"]],
  },
};
