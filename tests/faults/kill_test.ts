// Kills the program at every change it makes, for each multi-step command, and checks that the next command
// brings everything back to before or forward to after, with no commit, branch, stash or file of the user lost.

// @ts-types="@types/std/assert.d.ts"
import { assert, assertEquals } from "@std/assert";
// @ts-types="@types/std/path.d.ts"
import { fromFileUrl, join } from "@std/path";
import { type Ran, World } from "../support/world.ts";

const FAULTY = fromFileUrl(new URL("../support/fault_main.ts", import.meta.url));
/** More changes than any command here makes; reaching it means that the loop does not end. */
const MOST = 80;

/** What may be lost: refs, heads, changes and stashes of all repositories, and the state without its times. */
async function snapshot(world: World): Promise<unknown> {
  const look = async (directory: string) => {
    const there = await Deno.stat(join(directory, ".git")).then(() => true, () => false);
    if (!there) return null;
    return {
      refs: await world.git(directory, "for-each-ref", "--format=%(refname) %(objectname)"),
      head: await world.git(directory, "rev-parse", "--symbolic-full-name", "HEAD"),
      status: await world.git(directory, "status", "--porcelain", "--ignored=no"),
      stashes: await world.git(directory, "stash", "list", "--format=%gs"),
    };
  };
  const state = await Deno.readTextFile(join(world.workspace(), ".amof", "state.json")).catch(() =>
    null
  );
  return {
    control: await look(world.control),
    worktrees: (await world.git(world.control, "worktree", "list", "--porcelain")).replace(
      /^HEAD .*$/gm,
      "",
    ),
    entries: await names(join(world.control, "worktrees")),
    clones: await names(join(world.workspace(), "repos")),
    api: await look(world.clone("api")),
    web: await look(world.clone("web")),
    state: state === null ? null : state.replace(/"(?:last_modified|created_at)": "[^"]*"/g, ""),
  };
}

async function names(directory: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const entry of Deno.readDir(directory)) found.push(entry.name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found.sort();
}

/** How a command is broken. */
interface Case {
  readonly args: readonly string[];
  readonly where: "worker" | "inline";
  /** Whether everything the command is for has happened. */
  readonly isDone: (world: World) => Promise<boolean>;
}

async function faulted(
  world: World,
  test: Case,
  at: number,
  phase: "before" | "after",
): Promise<Ran> {
  const ran = await world.command(
    Deno.execPath(),
    [
      "run",
      "--quiet",
      "--allow-all",
      FAULTY,
      ...test.args,
      ...(test.where === "worker" ? ["--background"] : []),
    ],
    { env: { FAULT_AT: String(at), FAULT_PHASE: phase, FAULT_IN: test.where } },
  );
  if (test.where === "worker") await settled(world);
  return ran;
}

/** Waits until no run is active any more, bounded. */
async function settled(world: World): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    const active = (await world.amof(["runs", "active", "--json"])).json()["runs"] as unknown[];
    if (active.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("A run did not end");
}

/** Whether a ticket, or none, is active and every repository is where it should be. */
async function stands(world: World, ticket: string | null): Promise<boolean> {
  const status = (await world.amof(["status", "--json"])).json() as {
    workspace: { active_ticket: string | null };
    repos: { status: string; branch: string }[];
  };
  const branch = ticket === null ? "main" : `feature/${ticket}`;
  return status.workspace.active_ticket === ticket &&
    status.repos.every((repo) => repo.branch === branch);
}

async function lastRun(world: World): Promise<string> {
  const { runs } = (await world.amof(["runs", "list", "--limit", "1", "--json"])).json() as {
    runs: { status: string }[];
  };
  return runs[0]?.status ?? "none";
}

/**
 * Kills the command at its first, second, … change until it gets through. After each kill the repair must
 * end in before or, once all was done, in after. Answers how many kills there were.
 */
async function killEverywhere(
  world: World,
  test: Case,
  phase: "before" | "after",
): Promise<number> {
  const start = await snapshot(world);
  for (let at = 1; at <= MOST; at++) {
    await faulted(world, test, at, phase);
    const status = await lastRun(world);
    if (status === "success") return at - 1;
    const repair = await world.amof(["doctor", "--repair"]);
    assertEquals(repair.code, 0, `kill ${phase} change ${at}: ${repair.stdout}${repair.stderr}`);
    const now = await snapshot(world);
    if (JSON.stringify(now) !== JSON.stringify(start)) {
      // Nothing was left to do but to say so: the whole of it is done.
      assert(
        await test.isDone(world),
        `kill ${phase} change ${at} of ${test.args.join(" ")} ended between before and after: ${
          JSON.stringify(now, null, 1)
        }`,
      );
      return at;
    }
    assertEquals(await names(join(world.env["AMOF_HOME"] ?? "", "state", "unfinished")), []);
  }
  throw new Error(`The command made more than ${MOST} changes`);
}

for (const phase of ["before", "after"] as const) {
  Deno.test({
    name: `amof install that is killed ${phase} any of its changes is undone by the next command`,
    ignore: Deno.build.os === "windows", // kills by signal
    async fn() {
      await using world = await World.withEcosystem({ repos: ["api", "web"] });
      const kills = await killEverywhere(
        world,
        {
          args: ["install", "--yes"],
          where: "worker",
          isDone: async (world) => (await world.amof(["status", "--check"])).code === 0,
        },
        phase,
      );
      assert(kills >= 8, `only ${kills} changes were seen`);
      assertEquals((await world.amof(["status", "--check"])).code, 0);
    },
  });

  Deno.test({
    name:
      `amof ticket start that is killed ${phase} any of its changes is undone by the next command`,
    ignore: Deno.build.os === "windows", // kills by signal
    async fn() {
      await using world = await World.withEcosystem({ repos: ["api", "web"] });
      await world.install();
      await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
      const kills = await killEverywhere(world, {
        args: ["ticket", "start", "T-1", "--stash"],
        where: "inline",
        isDone: (world) => stands(world, "T-1"),
      }, phase);
      assert(kills >= 4, `only ${kills} changes were seen`);
      assertEquals(await world.git(world.clone("api"), "branch", "--show-current"), "feature/T-1");
    },
  });

  Deno.test({
    name:
      `amof ticket switch that is killed ${phase} any of its changes is undone by the next command`,
    ignore: Deno.build.os === "windows", // kills by signal
    async fn() {
      await using world = await World.withEcosystem({ repos: ["api", "web"] });
      await world.install();
      await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
      assertEquals((await world.amof(["ticket", "start", "T-1", "--stash"])).code, 0);
      await Deno.writeTextFile(join(world.clone("web"), "yours.txt"), "yours\n");
      const kills = await killEverywhere(world, {
        args: ["ticket", "switch", "main", "--stash"],
        where: "inline",
        isDone: (world) => stands(world, null),
      }, phase);
      assert(kills >= 5, `only ${kills} changes were seen`);
      assertEquals(await Deno.readTextFile(join(world.clone("api"), "mine.txt")), "mine\n");
    },
  });

  Deno.test({
    name:
      `amof ticket end --cleanup-local that is killed ${phase} any of its changes is undone by the next command`,
    ignore: Deno.build.os === "windows", // kills by signal
    async fn() {
      await using world = await World.withEcosystem({ repos: ["api", "web"] });
      await world.install();
      assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
      const kills = await killEverywhere(world, {
        args: ["ticket", "end", "T-1", "--cleanup-local", "--yes"],
        where: "inline",
        isDone: (world) => stands(world, null),
      }, phase);
      assert(kills >= 5, `only ${kills} changes were seen`);
      assertEquals(await world.git(world.clone("api"), "branch", "--list", "feature/*"), "");
    },
  });
}
