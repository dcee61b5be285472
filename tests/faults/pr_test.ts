// Kills the process that works on pull requests before and behind each of its changes at the forge: whoever repeats what
// was asked for ends where it would have ended. Nothing is made twice, nothing is forgotten.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { sampled, THOROUGHLY } from "../support/sample.ts";
import { beginTicket, type ForgeWorld, forgeWorld, KILL } from "../support/forge/world.ts";
import type { World } from "../support/world.ts";

const ignore = Deno.build.os === "windows"; // kills by signal
const REPOS = ["lib", "api"];
const YES = ["--yes"];
const NAMED = ["--confirm-name", "P-1"];

async function must(world: World, ...args: readonly string[]): Promise<void> {
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stderr}`);
}

/** What is killed, and how the same world comes again for each kill. */
interface Victim {
  readonly args: readonly string[];
  /** The changes at the forge that it makes. */
  readonly changes: number;
  readonly before: readonly (readonly string[])[];
  /** Repeats what was asked for, and looks at what came of it. */
  readonly look: (at: ForgeWorld, what: string) => Promise<void>;
}

async function made(before: Victim["before"]): Promise<ForgeWorld> {
  const at = await forgeWorld("github", REPOS, "review: {labels: [team]}\n");
  await beginTicket(at.world, "P-1", REPOS);
  for (const args of before) await must(at.world, ...args);
  return at;
}

async function killed({ args, changes, before, look }: Victim): Promise<void> {
  for (const phase of ["before", "after"]) {
    const all = Array.from({ length: changes }, (_, at) => at + 1);
    const places = THOROUGHLY ? all : sampled(changes).slice(0, 1);
    for (const place of places) {
      await using at = await made(before);
      const env = { [KILL]: `${phase} ${place}` };
      const ran = await at.world.amof(args, { apart: true, env });
      assert(ran.code !== 0, `${phase} ${place}: it was not killed\n${ran.stdout}`);
      await look(at, `${phase} ${place}`);
    }
  }
}

const OPEN = ["pr", "open", ...YES];
const LAND = ["pr", "land", "P-1", ...NAMED];

Deno.test({
  name: "killed at any change, pr open opens no second one and forgets no link",
  ignore,
  fn: () =>
    killed({
      args: OPEN,
      changes: 6,
      before: [],
      async look({ world, forge }, what) {
        await must(world, ...OPEN);
        assertEquals(forge.pulls.map(({ repo }) => repo).toSorted(), ["api", "lib"], what);
        for (const { body, labels } of forge.pulls) {
          assertStringIncludes(body, "[lib #1]", what);
          assertStringIncludes(body, "[api #1]", what);
          assertEquals(labels, ["team"], what);
        }
      },
    }),
});

Deno.test({
  name: "killed at any change, pr land merges nothing twice, and goes on only when it is told to",
  ignore,
  fn: () =>
    killed({
      args: LAND,
      changes: 2,
      before: [OPEN],
      async look({ world, forge }, what) {
        const merged = forge.pulls.filter(({ state }) => state === "merged").length;
        const status = await world.amof(["pr", "status", "P-1", "--json"]);
        const expected = ["ready", "partly_landed", "landed"][merged];
        assertEquals(pick(status.json(), "change_set", "state"), expected, what);
        if (merged === 1) {
          const again = await world.amof(LAND);
          assertEquals(again.code, 3, what);
        }
        await must(world, ...LAND, ...(merged === 1 ? ["--resume"] : []));
        assertEquals(forge.pulls.map(({ state }) => state), ["merged", "merged"], what);
        for (const repo of REPOS) {
          const bare = join(world.remotes, `${repo}.git`);
          assertEquals(await world.git(bare, "rev-list", "--count", "--merges", "main"), "1", what);
        }
      },
    }),
});

Deno.test({
  name: "killed at any change, pr revert takes nothing back twice",
  ignore,
  fn: () =>
    killed({
      args: ["pr", "revert", "P-1", ...YES],
      changes: 2,
      before: [OPEN, LAND],
      async look({ world, forge }, what) {
        await must(world, "pr", "revert", "P-1", ...YES);
        const backs = forge.pulls.filter(({ head }) => head.startsWith("revert/"));
        assertEquals(backs.map(({ repo }) => repo).toSorted(), ["api", "lib"], what);
      },
    }),
});

Deno.test({
  name: "killed at any change, pr update says what was asked for once it is repeated",
  ignore,
  fn: () => {
    const args = ["pr", "update", "--title", "Two", "--ready", ...YES];
    return killed({
      args,
      changes: 4,
      before: [[...OPEN, "--draft"]],
      async look({ world, forge }, what) {
        await must(world, ...args);
        assertEquals(forge.pulls.map(({ title, draft }) => [title, draft]), [
          ["Two", false],
          ["Two", false],
        ], what);
      },
    });
  },
});

Deno.test({
  name: "killed at any change, pr close leaves nothing open, and no branch of it at the remotes",
  ignore,
  fn: () => {
    const args = ["pr", "close", "P-1", "--delete-branches", ...NAMED];
    return killed({
      args,
      changes: 2,
      before: [OPEN],
      async look({ world, forge }, what) {
        await must(world, ...args);
        assertEquals(forge.pulls.map(({ state }) => state), ["closed", "closed"], what);
        for (const repo of REPOS) {
          assertEquals(await forge.tip(repo, "feature/P-1"), null, what);
          const kept = await world.git(world.clone(repo), "rev-parse", "--verify", "feature/P-1");
          assertEquals(kept.length, 40, what);
        }
      },
    });
  },
});
