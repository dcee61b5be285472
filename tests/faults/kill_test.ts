// Breaks the program at every change it makes, for each multi-step command of a workspace, and checks that the next
// command brings everything back to before or forward to after, with no commit, branch, stash or file lost.

// @ts-types="@types/std/assert.d.ts"
import { assert, assertEquals } from "@std/assert";
// @ts-types="@types/std/path.d.ts"
import { join } from "@std/path";
import { pick, rows, World } from "../support/world.ts";
import { breakEverywhere, type Case, names, type Phase } from "./kill.ts";

const REPOS = { repos: ["api", "web"] };

async function must(world: World, ...args: string[]): Promise<void> {
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
}

/** Whether a ticket, or none, is active and every repository is where it should be. */
async function stands(world: World, ticket: string | null): Promise<boolean> {
  const status = (await world.amof(["status", "--json"])).json();
  const branch = ticket === null ? "main" : `feature/${ticket}`;
  return pick(status, "workspace", "active_ticket") === ticket &&
    rows(status, "repos").every((repo) => repo["branch"] === branch);
}

/** Whether nothing is left of the workspace, not even what was set aside. */
async function isGone(world: World): Promise<boolean> {
  const worktrees = await world.git(world.control, "worktree", "list");
  const entries = await names(join(world.control, "worktrees"));
  return worktrees.split("\n").length === 1 && entries.length === 0;
}

/** An installed workspace with a ticket, a commit on it that is nowhere else, and files that are not committed. */
async function atWork(dirty: boolean): Promise<World> {
  const world = await World.installed(REPOS);
  await work(world, dirty);
  return world;
}

async function work(world: World, dirty: boolean): Promise<void> {
  await must(world, "ticket", "start", "T-1");
  await Deno.writeTextFile(join(world.clone("api"), "work.txt"), "work\n");
  await world.git(world.clone("api"), "add", ".");
  await world.git(world.clone("api"), "commit", "--quiet", "-m", "Work");
  if (dirty) await Deno.writeTextFile(join(world.clone("web"), "mine.txt"), "mine\n");
}

/** Whether the remote of a repository has the work. */
async function isPushed(world: World): Promise<boolean> {
  const branches = await world.git(join(world.remotes, "api.git"), "branch", "--list", "feature/*");
  return branches.includes("feature/T-1");
}

async function archives(world: World): Promise<string[]> {
  return (await names(join(world.control, "ecosystems", "demo", "archives")))
    .filter((name) => name.endsWith(".json"));
}

const CASES: Readonly<Record<string, Case>> = {
  install: {
    args: ["install", "--yes"],
    where: "worker",
    prepare: () => World.withEcosystem(REPOS),
    isDone: async (world) => (await world.amof(["status", "--check"])).code === 0,
    async reset(world) {
      await must(world, "discard", "--confirm-name", "demo");
    },
    changes: 8,
  },
  "ticket start": {
    args: ["ticket", "start", "T-1", "--stash"],
    where: "inline",
    async prepare() {
      const world = await World.installed(REPOS);
      await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
      return world;
    },
    isDone: (world) => stands(world, "T-1"),
    async reset(world) {
      await must(world, "ticket", "switch", "main");
      await must(world, "ticket", "end", "T-1", "--cleanup-local", "--yes");
    },
    changes: 4,
  },
  "ticket switch": {
    args: ["ticket", "switch", "main", "--stash"],
    where: "inline",
    async prepare() {
      const world = await World.installed(REPOS);
      await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
      await must(world, "ticket", "start", "T-1", "--stash");
      await Deno.writeTextFile(join(world.clone("web"), "yours.txt"), "yours\n");
      return world;
    },
    async isDone(world) {
      const mine = await Deno.readTextFile(join(world.clone("api"), "mine.txt")).catch(() => "");
      return mine === "mine\n" && await stands(world, null);
    },
    reset: (world) => must(world, "ticket", "switch", "T-1", "--stash"),
    changes: 5,
  },
  "ticket end": {
    args: ["ticket", "end", "T-1", "--cleanup-local", "--yes"],
    where: "inline",
    async prepare() {
      const world = await World.installed(REPOS);
      await must(world, "ticket", "start", "T-1");
      return world;
    },
    isDone: (world) => stands(world, null),
    reset: (world) => must(world, "ticket", "start", "T-1"),
    changes: 5,
  },
  archive: {
    args: ["archive", "--yes", "--delete-workspace"],
    where: "worker",
    prepare: () => atWork(false),
    isDone: async (world) =>
      await isGone(world) && await isPushed(world) && (await archives(world)).length === 1,
    async reset(world) {
      await must(world, "archive", "restore", "--yes");
      for (const name of await archives(world)) {
        await Deno.remove(join(world.control, "ecosystems", "demo", "archives", name));
      }
    },
    changes: 7,
    pushes: true,
  },
  "archive restore": {
    args: ["archive", "restore", "--yes"],
    where: "worker",
    async prepare() {
      const world = await atWork(false);
      await must(world, "archive", "--yes", "--delete-workspace");
      return world;
    },
    isDone: (world) => stands(world, "T-1"),
    async reset(world) {
      await must(world, "archive", "--yes", "--delete-workspace");
      const [, newest] = await archives(world);
      await Deno.remove(join(world.control, "ecosystems", "demo", "archives", newest ?? ""));
    },
    changes: 8,
  },
  discard: {
    args: ["discard", "--confirm-name", "demo"],
    where: "worker",
    prepare: () => atWork(true),
    isDone: isGone,
    async reset(world) {
      await world.install();
      await work(world, true);
    },
    changes: 4,
  },
};

const PHASES: Readonly<Record<Phase, string>> = {
  before: "is killed before any of its changes",
  after: "is killed after any of its changes",
  full: "finds the disk full at any of its changes",
};

for (const [name, test] of Object.entries(CASES)) {
  for (const phase of ["before", "after", "full"] as const) {
    Deno.test({
      name: `amof ${name} that ${PHASES[phase]} ends in before or after, and nothing is lost`,
      ignore: Deno.build.os === "windows", // kills by signal
      async fn() {
        const { faults } = await breakEverywhere(test, phase);
        assert(faults >= test.changes, `only ${faults} changes were seen`);
      },
    });
  }
}
