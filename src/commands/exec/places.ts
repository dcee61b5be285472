/** Where an invocation would run: in which repositories of which workspaces, in which order (EXEC-10). */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import {
  chosenAnywhere,
  type ChosenArea,
  select,
  type Selecting,
} from "../../workspace/selection/mod.ts";
import type { Invocation } from "../../workspace/programs/mod.ts";
import { repoDirectory } from "../../workspace/mod.ts";
import { labelOf, type Unreadable } from "../../workspace/tickets/mod.ts";
import type { Order } from "../../workspace/manifest/mod.ts";
import { suspectNames } from "../../workspace/seals/mod.ts";
import type { ExecPlace } from "./facts.ts";
import { layersOf, needsWithin } from "../look/layers.ts";

/** What decides besides the caller's words. */
interface Allowed {
  readonly invocation: Invocation;
  /** Only these, by their labels, where it repeats a part of a run. */
  readonly among: ReadonlySet<string> | null;
}

interface Wish extends Selecting {
  readonly all_tickets?: boolean | undefined;
}

/** The labels of the repositories that a task is for, of those of these workspaces. */
async function ownOf(
  ctx: CommandContext,
  { selection }: Invocation,
  areas: readonly ChosenArea[],
): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  for (const { ticket, of, manifest, workspace } of areas) {
    const from = { manifest, workspace: workspace.directory, state: workspace.state };
    const part = areas.length > 1;
    const found = await select({ ...ctx, ticket }, { ...from, action: "exec", part }, selection);
    for (const { name } of found) own.add(labelOf(of, name));
  }
  return own;
}

/** The workspaces, each with the repositories that the invocation is for and the caller asks for. */
async function areasOf(
  ctx: CommandContext,
  ground: Allowed,
  { repos, tags, only, all_tickets }: Wish,
): Promise<readonly ChosenArea[]> {
  const words = { repos, tags, only, all_tickets };
  const { areas, lacking: { unreadable } } = await chosenAnywhere(ctx, words, "exec");
  if (unreadable !== undefined) throw unusable(unreadable);
  const keeping = (labels: ReadonlySet<string>) =>
    areas.map((area) => ({
      ...area,
      repos: area.repos.filter(({ name }) => labels.has(labelOf(area.of, name))),
    }));
  if (ground.among !== null) return keeping(ground.among);
  const { task } = ground.invocation;
  if (task === null) return areas;
  const own = await ownOf(ctx, ground.invocation, areas);
  const both = keeping(own);
  const none = both.every((area) => area.repos.length === 0);
  if (none && own.size > 0 && areas.some((area) => area.repos.length > 0)) {
    throw new AmofError(
      "repo_not_found",
      `Cannot run task "${task}" there: it is for ${[...own].slice(0, 8).join(", ")}${
        own.size > 8 ? ` and ${own.size - 8} more` : ""
      }`,
      { hint: "See what it is for: amof tasks", details: { task } },
    );
  }
  return both;
}

/** The error of tickets in which nothing can be run: where all are meant, none may be left out unsaid. */
function unusable(unreadable: readonly Unreadable[]): AmofError {
  const [first] = unreadable;
  return new AmofError(
    "state_corrupt",
    `Cannot run in all tickets: the record of ${first?.ticket_id} cannot be used, ${first?.reason}`,
    { hint: "See what is wrong: amof doctor", details: { tickets: unreadable } },
  );
}

/** Where an invocation would run in one workspace. */
async function placesIn(
  ctx: CommandContext,
  { manifest, workspace: { directory: workspace }, of, repos }: ChosenArea,
  order: Order,
): Promise<readonly ExecPlace[]> {
  const names = repos.map(({ name }) => name as string);
  const layers = order === "parallel" ? null : layersOf(needsWithin(manifest.repos, names));
  return await inPool(ctx.jobs, repos, async (repo): Promise<ExecPlace> => {
    const directory = await repoDirectory(ctx.system, workspace, repo);
    const cloned = await ctx.system.files.lstat(join(directory, ".git")) !== null;
    const label = labelOf(of, repo.name);
    const suspects = cloned ? await ctx.git.at(directory, label).suspects() : null;
    return {
      ...of,
      name: repo.name,
      directory,
      workspace,
      layer: layers?.get(repo.name) ?? null,
      cloned,
      remote: null,
      untrusted: suspects === null ? [] : suspectNames(suspects),
    };
  });
}

/**
 * Every place where an invocation would run, those of the base workspace first, in the order of the manifest. Costs what the
 * selection costs, and starts no other process. Throws as `select` does, and `state_corrupt` for a ticket that is meant
 * and cannot be used.
 */
export async function placesOf(
  ctx: CommandContext,
  allowed: Allowed,
  order: Order,
  wish: Wish,
): Promise<readonly ExecPlace[]> {
  const places: ExecPlace[] = [];
  for (const area of await areasOf(ctx, allowed, wish)) {
    places.push(...await placesIn(ctx, area, order));
  }
  return places;
}
