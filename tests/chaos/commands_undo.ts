/**
 * Undo of each kind of run, with the worlds in which there is one to undo.
 *
 * @module
 */

import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { MAKER } from "../support/box.ts";
import { trainWorld } from "../support/release_world.ts";
import { World } from "../support/world.ts";
import { boxedTicket, ownTicket, pushedTicket } from "./commands_tickets.ts";
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

/** A ticket with a workspace of its own in which one repository is missing. */
async function ticketOfApi(): Promise<World> {
  const world = await plainWorld();
  await must(world, "ticket", "start", "T-1", "--workspace", "--repo", "api");
  return world;
}

/** The same command lines in the workspace of a ticket. */
const THERE = ["-t", "T-1"];
const UNDO_THERE = { args: [...THERE, "undo", "--yes"] };

/** Undo in tickets, and of what makes, changes and ends them. */
const TICKET_UNDO_VICTIMS: readonly Victim[] = [
  undoOf("ticket start --workspace", ["ticket", "start", "T-1", "--workspace"], plainWorld),
  undoOf("ticket add", ["ticket", "add", "T-1", "--repo", "web"], ticketOfApi),
  undoOf("ticket end of a workspace", ["ticket", "end", "T-1", "--yes"], pushedTicket),
  undoOf(
    "ticket end of a workspace --cleanup",
    ["ticket", "end", "T-1", "--cleanup", "--force", "--confirm-name", "T-1"],
    pushedTicket,
  ),
  undoOf("commit in a ticket", [...THERE, "commit", "-m", "More", "--yes"], async () => {
    const world = await plainWorld();
    await must(world, "ticket", "start", "T-1", "--workspace");
    for (const repo of REPOS.repos) await litter(world, repo, "demo@T-1");
    return world;
  }, UNDO_THERE),
  ...MAKER === null ? [] : [
    undoOf(
      "commit in a box",
      [...THERE, "commit", "-m", "More", "--yes"],
      () => boxedTicket("settings"),
      UNDO_THERE,
    ),
  ],
  undoOf("sync in a ticket", [...THERE, "sync", "--fresh", "0"], async () => {
    const world = await ownTicket();
    await news(world);
    return world;
  }, UNDO_THERE),
  undoOf(
    "run in a ticket",
    [...THERE, "exec", "--shell", "git rm -q README.md; date > made"],
    ownTicket,
    UNDO_THERE,
  ),
  undoOf("undo in a ticket", [...THERE, "undo", "--yes"], async () => {
    const world = await ownTicket();
    for (const repo of REPOS.repos) await litter(world, repo, "demo@T-1");
    await must(world, ...THERE, "commit", "-m", "More", "--yes");
    return world;
  }, UNDO_THERE),
];

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
  undoOf("install", ["install", "--yes"], () => World.withEcosystem(REPOS)),
  undoOf("install --repair", ["install", "--repair", "--yes"], async () => {
    const world = await plainWorld();
    await litter(world, "api");
    await Deno.remove(world.clone("web"), { recursive: true });
    return world;
  }),
  undoOf(
    "release train --no-push",
    ["release", "train", "bump", "minor", "--alpha", "--no-push", "--yes"],
    () => trainWorld(REPOS.repos),
  ),
  ...TICKET_UNDO_VICTIMS,
];
