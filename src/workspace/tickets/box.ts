/** The box of a ticket: what of the machine a program sees that works on it (BOX-2). */

import { basename, dirname, join } from "@std/path";
import { type BoxPlan, findSharedFiles, type Network, planBox } from "../../machine/box/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import { ecosystemNames, loadManifest } from "../manifest/manifest.ts";

/** What is needed of a command to look up a box. */
export type BoxTools = Pick<CommandContext, "system" | "root" | "layout"> & {
  readonly settings: Pick<CommandContext["settings"], "boxPaths">;
};

/** The directories that workspaces of an ecosystem lie in, for all of a control repository. */
async function placesOfWorkspaces(
  { system, root }: Pick<BoxTools, "system" | "root">,
): Promise<readonly string[]> {
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
  tools: BoxTools,
  directory: string,
  network: Network,
): Promise<BoxPlan> {
  const { system, root, layout, settings } = tools;
  const curtains = [];
  for (const place of await placesOfWorkspaces(tools)) {
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
  { system }: Pick<BoxTools, "system">,
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
