/**
 * The box of a ticket: what of the machine an agent sees that works on it (BOX-2).
 *
 * @module
 */

import { basename, dirname, join } from "@std/path";
import {
  type BoxPlan,
  findMaker,
  findSharedFiles,
  type Maker,
  type Network,
  planBox,
} from "../box/mod.ts";
import type { CommandContext } from "../contract/mod.ts";
import { AmofError } from "../error.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";
import { ecosystemNames, loadManifest } from "../workspace/mod.ts";

/** How much of the network a box gets, asked for or as usual (BOX-8). */
export function networkOf({ settings }: CommandContext, asked: Network | null): Network {
  const most = settings.boxNetwork;
  if (asked === "full" && most === "none") {
    throw new AmofError(
      "box_unavailable",
      "Cannot give the box the network: the setting box_network says that none ever gets it",
      { hint: "A person may change that: amof config set box_network ask" },
    );
  }
  return asked ?? (most === "full" ? "full" : "none");
}

/** The directories that workspaces of an ecosystem lie in, for all of a control repository. */
async function placesOfWorkspaces({ system, root }: CommandContext): Promise<readonly string[]> {
  const places = new Set([join(root, "worktrees")]);
  for (const name of await ecosystemNames(system, root)) {
    try {
      places.add(dirname(join(root, (await loadManifest(system, root, name)).workspaceDir)));
    } catch (error) {
      // A manifest that cannot be read has no workspaces that anybody could find.
      if (!(error instanceof AmofError)) throw error;
    }
  }
  return [...places];
}

/** Looks up the box of a ticket in this directory. */
export async function planTicketBox(
  ctx: CommandContext,
  directory: string,
  network: Network,
): Promise<BoxPlan> {
  const { system, root, layout, settings } = ctx;
  const curtains = [];
  for (const place of await placesOfWorkspaces(ctx)) {
    const names = (await system.files.list(place)).map(({ name }) => name);
    // No base workspace has this sign in its name: every ticket's has, also while it is made or removed.
    curtains.push({ directory: place, keep: names.filter((name) => !name.includes("@")) });
  }
  return await planBox(system, layout, {
    directory,
    guarded: [join(directory, ".amof")],
    curtains,
    needed: [root, join(layout.data, "mirrors")],
    network,
    paths: settings.boxPaths,
  });
}

/** Why no box can be made around a ticket, as the end of a sentence; null where one can. */
export async function unboxable(
  { system }: CommandContext,
  directory: string,
): Promise<string | null> {
  const shared = await findSharedFiles(system, directory);
  if (shared === null) return "what is in it could not be looked through";
  if (shared.count === 0) return null;
  const [first = ""] = shared.named;
  return `${count(shared.count, "file")} of it, such as ${
    cleanLine(join(basename(directory), first.slice(directory.length)), 200)
  }, can be reached by another name outside, where a write would arrive as well`;
}

/** What makes a box here, and for how much of the network. */
export function boxMaker({ system }: CommandContext, network: Network): Promise<Maker> {
  return findMaker(system, network);
}
