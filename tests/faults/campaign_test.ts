// Kills the process that has submitted an array at its changes: whoever goes on ends where it would have ended, and what
// shards have pushed they have pushed once.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { EFFECT, effects } from "../engines/failures.ts";
import { answerOf } from "../engines/suite.ts";
import { rows } from "../support/answers.ts";
import { sampled, THOROUGHLY } from "../support/sample.ts";
import { World } from "../support/world.ts";
import { changesOf, faulted, must, sampledChange } from "./broken.ts";

const ignore = Deno.build.os === "windows"; // kills by signal
const REPOS = ["api", "web"];
const START = [
  ...["campaign", "start", "tidy", "-m", "Tidy up", "--shards", "2", "--shell"],
  "echo tidy >> README.md",
];
const EXEC = [
  ...["exec", "--engine", "local", "--shards", "2", "--shell"],
  `url=$(git config remote.origin.url); ${EFFECT}`,
];

/** Kills a command around its changes, each time in a world of its own, and has a look at what comes of it. */
async function killed(
  args: readonly string[],
  { least, look }: {
    /** It makes so many changes at least. */
    readonly least: number;
    readonly look: (world: World, what: string) => Promise<void>;
  },
): Promise<void> {
  const test = { args, where: "inline" } as const;
  const make = () => World.withEcosystem({ repos: REPOS });
  await using first = await make();
  const count = await changesOf(first, test);
  assert(count >= least, `only ${count} changes were seen`);
  await look(first, "not killed");
  for (const phase of ["before", "after"] as const) {
    const places = THOROUGHLY ? sampled(count) : [sampledChange(count, phase)];
    for (const at of places) {
      await using world = await make();
      await faulted(world, test, at, phase);
      await look(world, `${phase} change ${at} of ${count}`);
    }
  }
}

Deno.test({
  name: "a campaign whose start was killed at any of its changes is brought to the same end",
  ignore,
  fn: () =>
    killed(START, {
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
        for (const repo of REPOS) {
          const bare = join(world.remotes, `${repo}.git`);
          const made = await world.git(bare, "log", "--format=%s", "main..campaign/tidy");
          assertEquals(made.trim(), "Tidy up", `${what}: ${repo}`);
          const changed = await world.git(bare, "diff", "--numstat", "main", "campaign/tidy");
          assertEquals(changed.trim(), "1\t0\tREADME.md", `${what}: ${repo}`);
        }
      },
    }),
});

Deno.test({
  name:
    "a program whose submitter was killed at any of its changes has one effect in each repository",
  ignore,
  fn: () =>
    killed(EXEC, {
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
