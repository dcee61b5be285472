/**
 * What the list of tickets does not have: tickets whose branches came with the clones or were made by hand, and those
 * of a base workspace that cannot be used.
 */

import { AmofError } from "../../../base/error.ts";
import { findWorkspace } from "../../../workspace/mod.ts";
import { isTicketId } from "../../../base/ids.ts";
import { inPool } from "../../../base/async/pool.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { directoriesOf, type TicketPlace } from "../preflight.ts";
import type { ListedTicket } from "./view.ts";

/** A ticket that could be taken up: its branches by repository. */
type Untaken = Pick<ListedTicket, "ticket_id" | "repos">;

/**
 * What is said of the tickets of a base workspace that cannot be used, as one that was moved; empty where there is none.
 * Throws what is no error of a workspace that is not there.
 */
export async function unusable(
  ctx: CommandContext,
  manifest: TicketPlace["manifest"],
  error: unknown,
): Promise<readonly string[]> {
  if (!(error instanceof AmofError) || error.code !== "workspace_not_installed") throw error;
  if ((await findWorkspace(ctx, ctx.root, manifest)).worktree === null) return [];
  const [way = ""] = error.hint.split("\n");
  return [`${error.message}, so that its tickets are not listed`, way];
}

/** How many are told, and of how many git is asked whether they are merged. */
const MOST = 3;
const MOST_ASKED = 12;

/**
 * The tickets that nobody here has taken up, and whose branches are not all in a base branch. With `remote`
 * also those that only `origin` has, as last fetched. No git process, but one for each branch that is found, of
 * so many tickets.
 */
export async function untakenIn(
  ctx: CommandContext,
  place: TicketPlace,
  { known, remote }: { readonly known: readonly Untaken[]; readonly remote: boolean },
): Promise<readonly Untaken[]> {
  const { repos, featurePrefix: prefix } = place.manifest;
  const directories = await directoriesOf(ctx, place);
  const ids = new Set(known.map(({ ticket_id: id }) => id));
  const usable = repos.filter(({ enabled, readonly }) => enabled && !readonly);
  const found = await inPool(ctx.jobs, usable, async ({ name, branch: base }) => {
    const clone = ctx.git.at(directories(name), name);
    if (await clone.activity() === null) return [];
    const branches = [...await clone.refs.peekUnder(prefix, { remote })].map((
      [branch, commit],
    ) => ({
      ...{ name, branch, commit, clone },
      id: branch.slice(prefix.length + 1),
    })).filter(({ id, branch }) =>
      isTicketId(id) && !ids.has(id) && !known.some(({ repos }) => repos[name] === branch)
    );
    if (branches.length === 0) return [];
    const { ref } = await clone.refs.base(base);
    const at = (await clone.refs.peek([ref])).get(ref);
    return branches.filter(({ commit }) => commit !== at).map((one) => ({ ...one, base: at }));
  });
  const told: Untaken[] = [];
  for (const [id, all] of [...Map.groupBy(found.flat(), ({ id }) => id)].slice(0, MOST_ASKED)) {
    if (told.length === MOST) break;
    const open = await inPool(
      ctx.jobs,
      all,
      async ({ name, branch, commit, base, clone }) =>
        base !== undefined && await clone.history.isAncestor(commit, base)
          ? []
          : [[name, branch] as const],
    );
    const repos = Object.fromEntries(open.flat());
    if (Object.keys(repos).length > 0) told.push({ ticket_id: id, repos });
  }
  return told;
}
