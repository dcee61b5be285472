/** Asks the remotes before a ticket ends, so that what was merged a moment ago counts (TICKET-6). */

import { inPool } from "../../../base/async/pool.ts";
import { AmofError } from "../../../base/error.ts";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import { borrowing, fetchRepo, Transfers } from "../../../workspace/clones/changing.ts";
import { isSelecting, select } from "../../../workspace/selection/mod.ts";
import { endedTickets } from "../../../workspace/tickets/mod.ts";
import { loadManifest } from "../../../workspace/manifest/mod.ts";
import { Tally } from "../../../workspace/mod.ts";
import { findOwn, ownPlace } from "../own_workspace.ts";
import type { EndInput } from "./workspace.ts";
import { directoriesOf, ticketPlace } from "../preflight.ts";

/**
 * Fetches the repositories of a ticket whose branches or workspace are to go, of those that were named where some were.
 * Answers those whose remote did not answer.
 */
export async function fetchBeforeEnd(ctx: ExecuteContext, input: EndInput): Promise<string[]> {
  const { ticket_id: id, cleanup, cleanup_local, offline, keep_workspace, repos: named, tags } =
    input;
  const own = await findOwn(ctx, id);
  const goes = own === null ? cleanup || cleanup_local : keep_workspace !== true;
  if (offline === true || !goes) return [];
  const scope = own === null ? ctx : { ...ctx, ticket: id };
  const place = own === null
    ? await ticketPlace(ctx)
    : (await ownPlace(ctx, await loadManifest(ctx.system, ctx.root, ctx.ecosystem), own)).place;
  const { tickets } = place.state;
  const ticket = Object.hasOwn(tickets, id) ? tickets[id] : endedTickets(place.state).get(id);
  const directories = await directoriesOf(ctx, place);
  const { manifest, workspace: { directory: workspace }, state } = place;
  // Which of them are merged, only the remotes tell.
  const among = { repos: named, tags };
  const selected = own === null && isSelecting(among)
    ? await select(ctx, { manifest, workspace, state }, among)
    : manifest.repos.filter(({ enabled }) => enabled);
  const repos = selected.filter(({ name }) => Object.hasOwn(ticket?.repos ?? {}, name));
  const tally = new Tally(ctx.report, "asking", repos.length);
  const sources = {
    transfers: new Transfers(ctx.transfers),
    tally,
    fresh: 0,
    unnoted: true,
    bases: await borrowing(scope),
  };
  const unasked = await inPool(64, repos, async (repo) => {
    try {
      const directory = directories(repo.name);
      if (await ctx.git.at(directory).activity() === null) return [];
      await fetchRepo(scope, sources, repo, directory);
      return [];
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      ctx.report.log("warn", `${repo.name}: ${error.message}`);
      return [repo.name];
    } finally {
      tally.end(repo.name);
    }
  });
  return unasked.flat();
}

/** What is said of remotes that did not answer. */
export function unaskedLines({ unasked = [] }: Pick<CommandContext, "unasked">): string[] {
  return unasked.map((name) =>
    `The remote of ${name} did not answer: this goes by what was fetched before`
  );
}
