/**
 * What is done in and with workspaces of tickets, boxed ones too, with the worlds in which there is something to do.
 *
 * @module
 */

import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { ownClone, ownDirectory } from "../support/own_ticket.ts";
import { MAKER } from "../support/box.ts";
import type { World } from "../support/world.ts";
import { must, type Victim } from "./victim.ts";
import { litter, plainWorld, REPOS } from "./worlds.ts";

const PUSHED = /^ref refs\/remotes\/|^config branch\.|"|^ *[\]}{]/;

/** A ticket with a workspace of its own, in which both clones have a commit of their own. */
export async function ownTicket(): Promise<World> {
  const world = await plainWorld();
  await must(world, "ticket", "start", "T-1", "--workspace");
  for (const repo of REPOS.repos) await commitOwn(world, repo);
  return world;
}

async function commitOwn(world: World, repo: string): Promise<void> {
  const clone = ownClone(world, "T-1", repo);
  await Deno.writeTextFile(join(clone, "work.txt"), `work in ${repo}\n`);
  await world.git(clone, "add", "work.txt");
  await world.git(clone, "commit", "--quiet", "-m", "Work");
}

/** The same where both have been pushed, and `web` has an ignored file. */
export async function pushedTicket(): Promise<World> {
  const world = await ownTicket();
  await must(world, "-t", "T-1", "push", "--yes");
  const web = ownClone(world, "T-1", "web");
  await Deno.mkdir(join(web, ".git", "info"), { recursive: true });
  await Deno.writeTextFile(join(web, ".git", "info", "exclude"), "*.log\n");
  await Deno.writeTextFile(join(web, "debug.log"), "log\n");
  return world;
}

/** The same in which all kinds of work is not committed, and something has run in a box, which has written settings. */
export async function boxedTicket(changes: "settings" | "none", work = true): Promise<World> {
  const world = await ownTicket();
  for (const repo of work ? REPOS.repos : []) await litter(world, repo, "demo@T-1");
  await must(world, "-t", "T-1", "status");
  await world.markBoxed(ownDirectory(world, "T-1"));
  for (const repo of changes === "settings" ? REPOS.repos : []) {
    await world.git(ownClone(world, "T-1", repo), "config", "filter.planted.clean", "cat");
  }
  return world;
}

/** A ticket in the base workspace with a commit that is nowhere else and with all kinds of work that is not committed. */
async function inPlace(): Promise<World> {
  const world = await plainWorld();
  await must(world, "ticket", "start", "T-1");
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "work.txt"), "work\n");
  await world.git(api, "add", ".");
  await world.git(api, "commit", "--quiet", "-m", "Work");
  await litter(world, "api");
  return world;
}

/** Commands that need a box. */
const BOXED_VICTIMS: readonly Victim[] = [
  {
    name: "commit in a box",
    args: ["-t", "T-1", "commit", "-m", "More", "--yes"],
    prepare: () => boxedTicket("settings"),
    ends: "each",
  },
  {
    name: "push out of a boxed ticket",
    args: ["-t", "T-1", "push", "--yes"],
    prepare: () => boxedTicket("settings", false),
    ends: "each",
    overlooks: PUSHED,
  },
  {
    name: "push --commit out of a boxed ticket",
    args: ["-t", "T-1", "push", "--commit", "-m", "More", "--yes"],
    prepare: () => boxedTicket("settings"),
    ends: "told",
    done: (world) => sent(world, "More"),
    overlooks: PUSHED,
  },
];

/** Whether the remotes have commits with this subject, and the clones know it. */
async function sent(world: World, subject: string): Promise<boolean> {
  for (const repo of REPOS.repos) {
    const bare = join(world.remotes, `${repo}.git`);
    const told = await world.git(bare, "log", "-2", "--format=%s", "feature/T-1");
    if (told !== `${subject}\nWork`) return false;
    const status = await world.git(ownClone(world, "T-1", repo), "status", "--porcelain");
    if (status !== "") return false;
  }
  return true;
}

/** Whether the clones of the ticket borrow nothing, have all they need, and everybody knows it. */
async function standsAlone(world: World): Promise<boolean> {
  for (const repo of REPOS.repos) {
    const clone = ownClone(world, "T-1", repo);
    const info = join(clone, ".git", "objects", "info");
    for (const name of ["alternates", "alternates.amof-ended"]) {
      if (await world.exists(join(info, name))) return false;
    }
    await world.git(clone, "fsck", "--connectivity-only");
  }
  const record = join(ownDirectory(world, "T-1"), ".amof", "ticket.json");
  const { repos } = JSON.parse(await Deno.readTextFile(record));
  if (Object.values<{ mirror: unknown }>(repos).some(({ mirror }) => mirror !== null)) return false;
  const listed = await world.amof(["mirror", "list", "--json"]);
  return !JSON.stringify(pick(listed.json(), "mirrors")).includes('"ticket":"T-1"');
}

/** The commands. */
export const TICKET_VICTIMS: readonly Victim[] = [
  ...MAKER === null ? [] : BOXED_VICTIMS,
  {
    name: "commit in a ticket that was boxed",
    args: ["-t", "T-1", "commit", "-m", "More", "--yes"],
    prepare: () => boxedTicket("none"),
    ends: "each",
  },
  {
    name: "push in a ticket that was boxed",
    args: ["-t", "T-1", "push", "--yes"],
    prepare: () => boxedTicket("none", false),
    ends: "each",
    overlooks: PUSHED,
  },
  {
    name: "ticket start --workspace",
    args: ["ticket", "start", "T-1", "--workspace"],
    prepare: plainWorld,
    ends: "whole",
    again: ["ticket_exists"],
  },
  {
    name: "ticket add",
    args: ["ticket", "add", "T-1", "--repo", "web"],
    async prepare() {
      const world = await plainWorld();
      await must(world, "ticket", "start", "T-1", "--workspace", "--repo", "api");
      await commitOwn(world, "api");
      return world;
    },
    ends: "whole",
  },
  {
    name: "ticket move into a workspace",
    args: ["ticket", "move", "T-1", "--workspace", "--yes"],
    prepare: inPlace,
    ends: "whole",
    again: ["ticket_exists"],
  },
  {
    name: "ticket move back into the base workspace",
    args: ["ticket", "move", "T-1", "--in-place", "--yes"],
    async prepare() {
      const world = await inPlace();
      await must(world, "ticket", "move", "T-1", "--workspace", "--yes");
      return world;
    },
    ends: "whole",
    again: ["ticket_not_found"],
  },
  {
    name: "ticket end of a workspace",
    args: ["ticket", "end", "T-1", "--yes"],
    prepare: pushedTicket,
    ends: "whole",
    again: ["ticket_not_found"],
  },
  {
    name: "ticket end of a workspace --cleanup",
    args: ["ticket", "end", "T-1", "--cleanup", "--force", "--confirm-name", "T-1"],
    prepare: pushedTicket,
    ends: "whole",
    givesUp: true,
    again: ["ticket_not_found"],
  },
  {
    name: "ticket end of a workspace --discard-local",
    args: ["ticket", "end", "T-1", "--discard-local", "--confirm-name", "T-1"],
    prepare: () => boxedTicket("none"),
    ends: "whole",
    givesUp: true,
    again: ["ticket_not_found"],
  },
  {
    name: "ticket detach",
    args: ["ticket", "detach", "T-1"],
    async prepare() {
      const world = await ownTicket();
      for (const repo of REPOS.repos) await litter(world, repo, "demo@T-1");
      return world;
    },
    ends: "told",
    done: standsAlone,
  },
  {
    name: "ticket end --keep-workspace",
    args: ["ticket", "end", "T-1", "--keep-workspace"],
    prepare: ownTicket,
    ends: "whole",
    again: ["ticket_not_found"],
  },
];
