// Kills the process that works on a campaign, or has submitted an array, at its changes and within the programs that make
// them: whoever repeats what was asked for ends where it would have ended, and no repository gets a commit twice.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { EFFECT, effects } from "../engines/failures.ts";
import { answerOf } from "../engines/suite.ts";
import { pick, rows } from "../support/answers.ts";
import { sampled, THOROUGHLY } from "../support/sample.ts";
import { World } from "../support/world.ts";
import { changesOf, faulted, type Kill, must } from "./broken.ts";

const ignore = Deno.build.os === "windows"; // kills by signal
const REPOS = ["api", "web"];
const LINE = "echo tidy >> README.md";
const START = ["campaign", "start", "tidy", "-m", "Tidy up", "--shards", "2", "--shell", LINE];
const EXEC = [
  ...["exec", "--engine", "local", "--shards", "2", "--shell"],
  `url=$(git config remote.origin.url); ${EFFECT}`,
];

/** What is killed, and how the same world comes again for each kill. */
interface Victim {
  readonly args: readonly string[];
  readonly where: "inline" | "worker";
  readonly make: () => Promise<World>;
  /** It makes so many changes at least. */
  readonly least: number;
  /** Repeats what was asked for, and looks at what came of it. */
  readonly look: (world: World, what: string) => Promise<void>;
}

/** The kills that are tried: all, or in each phase another one of a sample. */
function kills(count: number): readonly (readonly [Kill, readonly number[]])[] {
  const one: Record<Kill, number> = {
    before: Math.ceil(count / 2),
    within: Math.ceil(count * 0.75),
    after: count,
  };
  const phases = ["before", "within", "after"] as const;
  return phases.map((phase) => [phase, THOROUGHLY ? sampled(count) : [one[phase]]]);
}

/** Kills a command around and within its changes, each time in a world of its own, and has a look at what comes of it. */
async function killed({ args, where, make, least, look }: Victim): Promise<void> {
  const test = { args, where };
  let count = 0;
  {
    await using first = await make();
    count = await changesOf(first, test);
    assert(count >= least, `only ${count} changes were seen`);
    await look(first, "not killed");
  }
  for (const [phase, places] of kills(count)) {
    for (const at of places) {
      await using world = await make();
      await faulted(world, test, at, phase);
      await look(world, `${phase} change ${at} of ${count}`);
    }
  }
}

/** A world with two repositories whose remotes remember how often a branch was moved. */
async function remembering(world: World): Promise<void> {
  await world.makeControl();
  await world.addEcosystem("demo", { repos: REPOS });
  for (const repo of REPOS) {
    const bare = join(world.remotes, `${repo}.git`);
    await world.git(bare, "config", "core.logAllRefUpdates", "always");
  }
}

/** A world in which a campaign was started and approved. */
async function approved(world: World): Promise<void> {
  await remembering(world);
  await must(world, ...START);
  await must(world, "campaign", "approve", "tidy", "--all", "--yes");
}

/** A world in which a campaign was pushed, and then the base of api has moved. */
async function behind(world: World): Promise<void> {
  await approved(world);
  await must(world, "campaign", "push", "tidy", "--yes");
  const bare = join(world.remotes, "api.git");
  const next = await world.git(bare, "commit-tree", "-p", "main", "-m", "Next", "main^{tree}");
  await world.git(bare, "update-ref", "refs/heads/main", next.trim());
}

async function stateOf(world: World): Promise<unknown> {
  const status = await world.amof(["campaign", "status", "tidy", "--json"]);
  return pick(answerOf(status.json()), "campaigns", 0, "state");
}

/** Requires that every repository has the one commit of the campaign, and how often its branch was moved in all. */
async function requireOnce(world: World, moves: Record<string, number>, what: string) {
  for (const repo of REPOS) {
    const bare = join(world.remotes, `${repo}.git`);
    const made = await world.git(bare, "log", "--format=%s", "main..campaign/tidy");
    assertEquals(made.trim(), "Tidy up", `${what}: ${repo}`);
    const changed = await world.git(bare, "diff", "--numstat", "main", "campaign/tidy");
    assertEquals(changed.trim(), "1\t0\tREADME.md", `${what}: ${repo}`);
    const log = await world.git(bare, "reflog", "show", "--format=%H", "campaign/tidy");
    assertEquals(
      log.trim().split("\n").length,
      moves[repo],
      `${what}: ${repo} was moved by ${log}`,
    );
  }
}

/** Pushes until nothing is left to be pushed; a push of the one that was killed may still be under way. */
async function pushed(world: World): Promise<void> {
  await must(world, "campaign", "push", "tidy", "--yes");
  const again = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
  assertEquals(pick(answerOf(again.json()), "outcome"), "nothing", again.stdout);
}

Deno.test({
  name: "a campaign whose start was killed at any of its changes is brought to the same end",
  ignore,
  fn: () =>
    killed({
      args: START,
      where: "inline",
      make: () => World.like("campaign to be started", remembering),
      least: 20,
      async look(world, what) {
        const again = await world.amof(START);
        if (again.code !== 0) {
          assertStringIncludes(again.stderr, "it is there already", what);
          await must(world, "campaign", "update", "tidy", "--yes");
        }
        const status = await world.amof(["campaign", "status", "tidy", "--json"]);
        assertEquals(
          rows(answerOf(status.json()), "repos").map(({ repo, state }) => [repo, state]),
          REPOS.map((repo) => [repo, "changed"]),
          what,
        );
        await must(world, "campaign", "approve", "tidy", "--all", "--yes");
        await must(world, "campaign", "push", "tidy", "--yes");
        await requireOnce(world, { api: 1, web: 1 }, what);
      },
    }),
});

Deno.test({
  name: "a push of a campaign that was killed at any of its changes sends each commit once",
  ignore,
  fn: () =>
    killed({
      args: ["campaign", "push", "tidy", "--yes"],
      where: "worker",
      make: () => World.like("campaign to be pushed", approved),
      least: 12,
      async look(world, what) {
        await pushed(world);
        await requireOnce(world, { api: 1, web: 1 }, what);
      },
    }),
});

Deno.test({
  name: "an update of a campaign that was killed at any of its changes makes each commit anew once",
  ignore,
  fn: () =>
    killed({
      args: ["campaign", "update", "tidy", "--yes"],
      where: "inline",
      make: () => World.like("campaign to be updated", behind),
      least: 12,
      async look(world, what) {
        await must(world, "campaign", "update", "tidy", "--yes");
        await pushed(world);
        await requireOnce(world, { api: 2, web: 1 }, what);
      },
    }),
});

Deno.test({
  name:
    "a campaign whose close was killed at any of its changes is closed, and its branches are gone",
  ignore,
  fn: () =>
    killed({
      args: ["campaign", "close", "tidy", "--delete-branches", "--confirm-name=tidy"],
      where: "inline",
      make: () => World.like("campaign to be updated", behind),
      least: 6,
      async look(world, what) {
        if (await stateOf(world) === "open") {
          await must(
            world,
            "campaign",
            "close",
            "tidy",
            "--delete-branches",
            "--confirm-name=tidy",
          );
        }
        assertEquals(await stateOf(world), "closed", what);
        for (const repo of REPOS) {
          const bare = join(world.remotes, `${repo}.git`);
          const left = await world.git(bare, "for-each-ref", "--format=%(refname)", "refs/heads");
          assertEquals(left.trim(), "refs/heads/main", `${what}: ${repo}`);
        }
      },
    }),
});

Deno.test({
  name:
    "a program whose submitter was killed at any of its changes has one effect in each repository",
  ignore,
  fn: () =>
    killed({
      args: EXEC,
      where: "inline",
      make: () => World.withEcosystem({ repos: REPOS }),
      least: 8,
      async look(world, what) {
        const listed = await world.amof(["runs", "list", "--action", "exec", "--json"]);
        const [run] = rows(answerOf(listed.json()), "runs");
        if (run !== undefined) {
          const resumed = await world.amof(["exec", "--resume", String(run["run_id"]), "--json"]);
          // There is nothing to go on with where nothing was submitted, or everything was collected.
          if (resumed.code !== 0) assertStringIncludes(resumed.stdout, "Cannot go on with", what);
        }
        await must(world, ...EXEC);
        for (const repo of REPOS) assertEquals(await effects(world, repo), 1, `${what}: ${repo}`);
      },
    }),
});
