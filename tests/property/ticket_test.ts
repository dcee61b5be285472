// Laws of tickets, on real repositories: whatever is started, switched and ended, in whatever order and with whatever
// uncommitted work, nothing is lost, and ending everything is the identity on refs.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import { cases } from "../support/sample.ts";
import { World } from "../support/world.ts";

const REPOS = ["api", "web"];
const TICKETS = ["T-1", "T-2", "T-3"];

/** One thing a person does. */
type Deed =
  | { readonly do: "start" | "switch"; readonly ticket: string }
  | { readonly do: "edit"; readonly repo: string };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    do: fc.constantFrom("start" as const, "switch" as const),
    ticket: fc.constantFrom(...TICKETS, "main"),
  }),
  fc.record({ do: fc.constant("edit" as const), repo: fc.constantFrom(...REPOS) }),
);

/** Refs and checked-out branch of both repositories, without what the way back from a run needs. */
async function refs(world: World): Promise<string[]> {
  return await Promise.all(REPOS.map(async (repo) => {
    const clone = world.clone(repo);
    const all = await world.git(clone, "for-each-ref", "--format=%(refname) %(objectname)");
    const own = all.split("\n").filter((line) => !line.startsWith("refs/amof/keep/")).join("\n");
    return `${await world.git(clone, "symbolic-ref", "HEAD")}\n${own}`;
  }));
}

/** Names of the uncommitted files of a repository. */
async function files(world: World, repo: string): Promise<string[]> {
  const status = await world.git(world.clone(repo), "status", "--porcelain", "-uall");
  return status.split("\n").filter((line) => line !== "").map((line) => line.slice(3)).sort();
}

Deno.test("tickets started, switched and ended in any order lose no work and leave no ref behind", async () => {
  await using world = await World.installed({ repos: REPOS });
  const before = await refs(world);
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 3, maxLength: 8 }), async (deeds) => {
      // What each ticket left in each repository, by the rules alone.
      const left = new Map<string, Set<string>>();
      const known: string[] = [];
      let active = "main";
      const work = (ticket: string, repo: string) => {
        const key = `${ticket} ${repo}`;
        const found = left.get(key) ?? new Set();
        left.set(key, found);
        return found;
      };
      for (const [turn, one] of deeds.entries()) {
        if (one.do === "edit") {
          const name = `edit-${turn}.txt`;
          await Deno.writeTextFile(join(world.clone(one.repo), name), `${active}\n`);
          work(active, one.repo).add(name);
          continue;
        }
        const ran = await world.amof(["ticket", one.do, one.ticket, "--stash", "--json"]);
        const possible = one.do === "start"
          ? one.ticket !== "main" && !known.includes(one.ticket)
          : one.ticket === "main" || known.includes(one.ticket);
        assertEquals(ran.code === 0, possible, ran.stdout);
        if (!possible) continue;
        if (one.do === "start") known.push(one.ticket);
        active = one.ticket;
        for (const repo of REPOS) {
          assertEquals(await files(world, repo), [...work(active, repo)].sort(), ran.stdout);
        }
      }
      // Every ticket is entered once more, finds its work, and ends without it.
      for (const ticket of [...known, "main"]) {
        const entered = await world.amof(["ticket", "switch", ticket, "--stash", "--json"]);
        assertEquals(entered.code, 0, entered.stdout);
        for (const repo of REPOS) {
          assertEquals(await files(world, repo), [...work(ticket, repo)].sort());
          await world.git(world.clone(repo), "clean", "--quiet", "--force");
        }
        if (ticket === "main") break;
        const ended = await world.amof(["ticket", "end", ticket, "--cleanup-local", "--yes"]);
        assertEquals(ended.code, 0, ended.stderr);
      }
      assertEquals(await refs(world), before);
      for (const repo of REPOS) {
        assert(await world.git(world.clone(repo), "stash", "list") === "", "a stash is left");
      }
    }),
    { numRuns: cases(4, 2), endOnFailure: true },
  );
});
