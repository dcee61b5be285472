/**
 * Undo of each kind of run, with the worlds in which there is one to undo.
 *
 * @module
 */

import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { World } from "../support/world.ts";
import { must, type Victim } from "./victim.ts";
import { atWork, litter, news, plainWorld, REPOS } from "./worlds.ts";

/** A ticket on which both repositories have all kinds of work that is not committed. */
async function littered(): Promise<World> {
  const world = await atWork();
  for (const repo of REPOS.repos) await litter(world, repo);
  return world;
}

/** Undo of what one command line did in a world. */
function undoOf(
  name: string,
  args: readonly string[],
  prepare: () => Promise<World>,
  more: Partial<Victim> = {},
): Victim {
  return {
    name: `undo of ${name}`,
    args: ["undo", "--yes"],
    async prepare() {
      const world = await prepare();
      // A push that no remote takes fails, and has committed all the same.
      const ran = await world.amof(args);
      if (![0, 5, 1].includes(ran.code)) throw new Error(`${name}: ${ran.stdout}${ran.stderr}`);
      return world;
    },
    async more(world) {
      const at = args[0] === "-t" ? args.slice(0, 2) : [];
      const listed = await world.amof([...at, "operations", "--limit", "1", "--json"]);
      return [String(pick(listed.json(), "operations", 0, "run_id"))];
    },
    ends: "whole",
    again: ["undo_impossible", "undo_stale", "run_not_found", "workspace_not_installed"],
    ...more,
  };
}

/** The commands. */
export const UNDO_VICTIMS: readonly Victim[] = [
  undoOf("commit", ["commit", "-m", "More", "--yes"], littered),
  undoOf(
    "push --commit, without the remotes",
    ["push", "--commit", "-m", "More", "--yes"],
    async () => {
      const world = await littered();
      // The commit is made, and no remote takes it.
      for (const repo of REPOS.repos) {
        await world.script(join("remotes", `${repo}.git`, "hooks", "pre-receive"), "exit 1");
      }
      return world;
    },
  ),
  undoOf("sync", ["sync"], async () => {
    const world = await plainWorld();
    await news(world);
    return world;
  }),
  undoOf("ticket start", ["ticket", "start", "T-2", "--stash"], littered),
  undoOf("ticket switch", ["ticket", "switch", "main", "--stash"], littered),
  undoOf("ticket switch that brought work back", ["ticket", "switch", "T-1"], async () => {
    const world = await littered();
    await must(world, "ticket", "switch", "main", "--stash");
    return world;
  }),
  undoOf("ticket update", ["ticket", "update", "--stash"], async () => {
    const world = await littered();
    await news(world);
    return world;
  }),
  undoOf("ticket end", ["ticket", "end", "T-1"], atWork),
  undoOf(
    "run",
    ["exec", "--repo", "api", "--shell", "git rm -q --cached README.md; rm gone.txt"],
    atWork,
  ),
  undoOf("undo", ["undo", "--yes"], async () => {
    const world = await littered();
    await must(world, "commit", "-m", "More", "--yes");
    return world;
  }),
  undoOf("commit in a ticket", ["-t", "T-1", "commit", "-m", "More", "--yes"], async () => {
    const world = await plainWorld();
    await must(world, "ticket", "start", "T-1", "--workspace");
    for (const repo of REPOS.repos) await litter(world, repo, "demo@T-1");
    return world;
  }, { args: ["-t", "T-1", "undo", "--yes"] }),
  undoOf("install", ["install", "--yes"], () => World.withEcosystem(REPOS)),
  undoOf("ticket start --workspace", ["ticket", "start", "T-1", "--workspace"], plainWorld),
];
