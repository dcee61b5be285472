/**
 * `amof ticket end`: closes a ticket; its branches stay unless asked otherwise (amof.md §2.8).
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { deleteRemoteBranch, type Refusal, refuseAll } from "../ecosystem/mod.ts";
import { inPool, useFix, useText } from "../git/mod.ts";
import { type CommandContext, mutation } from "../spec/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count } from "../text/words.ts";
import { describeMove, type MoveFact, moveSteps, planMoves } from "./move.ts";
import { deleteBranch } from "./operations.ts";
import { directoriesOf, stateStep, type TicketPlace, ticketPlace } from "./preflight.ts";
import { requireTicket, stashName } from "./ticket.ts";

/** A branch that goes. */
interface CleanupFact {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly branch: string;
  /** The local commit, or null when there is no local branch. */
  readonly local: string | null;
  /** The remote's commit as last fetched, or null when it stays or is not there. */
  readonly remote: string | null;
  /** Commits that only these branches have. */
  readonly unmerged: number;
}

interface EndFacts {
  readonly [field: string]: unknown;
  readonly ticket_id: string;
  readonly active: boolean;
  readonly repos: readonly MoveFact[];
  readonly cleanup: readonly CleanupFact[];
}

interface EndData {
  readonly [field: string]: unknown;
  readonly ticket_id: string;
  readonly active_ticket: string | null;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly kept: boolean;
  }[];
}

interface EndInput {
  readonly ticket_id: string;
  readonly cleanup: boolean;
  readonly cleanup_local: boolean;
  readonly force: boolean;
}

/** What deleting the branch of one repository would take with it, or why it is refused. */
async function cleanupFact(
  ctx: CommandContext,
  directory: string,
  repo: string,
  base: string,
  branch: string,
  input: EndInput,
  active: boolean,
): Promise<CleanupFact | Refusal> {
  const names = {
    local: `refs/heads/${branch}`,
    remote: `refs/remotes/origin/${branch}`,
    base: `refs/remotes/origin/${base}`,
    localBase: `refs/heads/${base}`,
  };
  const refs = await ctx.git.refs.list(directory, Object.values(names), repo);
  const local = refs.get(names.local) ?? null;
  const remote = refs.get(names.remote) ?? null;
  const bases = [refs.get(names.base), refs.get(names.localBase)].filter((commit) =>
    commit !== undefined
  );
  // With the remote branch gone too, only the base branch keeps the work.
  const keepers = input.cleanup || remote === null ? bases : [...bases, remote];
  let unmerged = 0;
  for (const tip of [local, ...(input.cleanup ? [remote] : [])]) {
    if (tip !== null) {
      unmerged = Math.max(
        unmerged,
        await ctx.git.history.countBeyond(directory, tip, keepers, repo),
      );
    }
  }
  // A ticket that is active is left before its branch goes.
  const use = local === null
    ? undefined
    : (await ctx.git.worktrees.uses(directory)).find((entry) =>
      entry.branch === branch && !(entry.own && entry.doing === "checkout" && active)
    );
  if (use !== undefined) {
    return {
      repo,
      code: "would_lose_work",
      problem: `cannot lose its branch: ${cleanLine(useText(use), 200)}`,
      fix: useFix(use, directory),
    };
  }
  if (unmerged > 0 && !input.force) {
    return {
      repo,
      code: "would_lose_work",
      problem: `has ${count(unmerged, "commit")} on ${branch} that ${
        input.cleanup
          ? `${base} does not have`
          : `${unmerged === 1 ? "is" : "are"} neither merged nor pushed`
      }`,
      fix: "push and merge them; or give them up: the same command with --force",
    };
  }
  return { name: repo, branch, local, remote: input.cleanup ? remote : null, unmerged };
}

async function planCleanup(
  ctx: CommandContext,
  place: TicketPlace,
  input: EndInput,
): Promise<CleanupFact[]> {
  if (!input.cleanup && !input.cleanup_local) return [];
  const tracked = place.state.tickets[input.ticket_id]?.repos ?? {};
  const directories = await directoriesOf(ctx, place);
  const repos = place.manifest.repos.filter((repo) =>
    repo.enabled && !repo.readonly && Object.hasOwn(tracked, repo.name)
  );
  const present: typeof repos = [];
  for (const repo of repos) {
    if (await ctx.git.activity(directories(repo.name)) !== null) present.push(repo);
  }
  const found = await inPool(
    ctx.jobs,
    present,
    (repo) =>
      cleanupFact(
        ctx,
        directories(repo.name),
        repo.name,
        repo.branch,
        tracked[repo.name] ?? "",
        input,
        place.state.active_ticket === input.ticket_id,
      ),
  );
  refuseAll(`end ${input.ticket_id}`, found.filter((fact): fact is Refusal => "problem" in fact));
  return found.filter((fact): fact is CleanupFact => !("problem" in fact));
}

/** A stash of the ticket would be forgotten with it. */
async function refuseStashed(ctx: CommandContext, place: TicketPlace, id: string): Promise<void> {
  const directories = await directoriesOf(ctx, place);
  const refusals: Refusal[] = [];
  for (const repo of Object.keys(place.state.tickets[id]?.repos ?? {})) {
    if (!place.manifest.repos.some((entry) => entry.enabled && entry.name === repo)) continue;
    if (await ctx.git.activity(directories(repo)) === null) continue;
    if (await ctx.git.stashes.find(directories(repo), stashName(id)) === null) continue;
    refusals.push({
      repo,
      code: "would_lose_work",
      problem: `keeps changes of ${id} in the stash ${stashName(id)}`,
      fix: `bring them back: amof ticket switch ${id}`,
    });
  }
  refuseAll(`end ${id}`, refusals);
}

/** `amof ticket end`. */
export const endTicket = mutation({
  name: "amof_ticket_end",
  path: ["ticket", "end"],
  toolset: "ticket",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  runs: "ticket_end",
  inline: true,
  exclusive: true,
  openWorld: true,
  title: "End ticket",
  summary: "Close a ticket: back to the base branches; feature branches stay unless cleaned up.",
  description:
    "--cleanup-local deletes the local branches, --cleanup those of the remote too; both refuse work that would be lost unless --force is given. A failure in one repository takes the others back.",
  positionals: ["ticket_id"],
  examples: ["ticket end PROJ-123", "ticket end PROJ-123 --cleanup"],
  input: (z) =>
    z.strictObject({
      ticket_id: z.string().describe("The ticket"),
      cleanup: z.boolean().default(false).describe("Delete its branches here and on the remote"),
      cleanup_local: z.boolean().default(false).describe("Delete its local branches"),
      force: z.boolean().default(false).describe(
        "Delete branches although their commits are nowhere else",
      ),
    }),
  raised: (input) =>
    input.cleanup || input.cleanup_local ? { safety: "dangerous-write", confirm: "simple" } : null,
  async preview(ctx, input) {
    const place = await ticketPlace(ctx);
    requireTicket(place.state, input.ticket_id);
    const active = place.state.active_ticket === input.ticket_id;
    if (!active) await refuseStashed(ctx, place, input.ticket_id);
    const moves = active ? await planMoves(ctx, place, null, null, `end ${input.ticket_id}`) : [];
    const cleanup = await planCleanup(ctx, place, input);
    const lost = cleanup.reduce((sum, fact) => sum + fact.unmerged, 0);
    const facts: EndFacts = { ticket_id: input.ticket_id, active, repos: moves, cleanup };
    return {
      facts,
      summary: `Would end ${input.ticket_id}${
        cleanup.length === 0 ? "" : ` and delete ${count(cleanup.length, "branch", "branches")}`
      }.`,
      effects: [
        ...moves.map(describeMove),
        ...cleanup.map((fact) =>
          `Delete ${fact.branch} of ${fact.name}${
            fact.remote === null ? "" : " here and on the remote"
          }${
            fact.unmerged > 0
              ? `, with ${count(fact.unmerged, "commit")} that ${
                fact.unmerged === 1 ? "is" : "are"
              } nowhere else`
              : ""
          }`
        ),
        `Forget ticket ${input.ticket_id}`,
      ],
      ...(lost > 0 ? { irreversible: `${count(lost, "commit")} would be lost.` } : {}),
      current: active ? "The ticket is active" : "The ticket is not active",
      alternatives: ["Keep the branches: the same command without --cleanup"],
    };
  },
  async execute(ctx, input, facts) {
    const place = await ticketPlace(ctx);
    const directories = await directoriesOf(ctx, place);
    const { [input.ticket_id]: ended, ...tickets } = place.state.tickets;
    if (ended === undefined) {
      throw new AmofError("ticket_not_found", `Cannot find ticket "${input.ticket_id}"`);
    }
    await ctx.perform([
      ...facts.repos.flatMap((fact) => moveSteps(fact, directories(fact.name))),
      ...facts.cleanup.flatMap((fact) => {
        const where = { repo: fact.name, directory: directories(fact.name), branch: fact.branch };
        return [
          ...(fact.remote === null
            ? []
            : [deleteRemoteBranch.step({ ...where, commit: fact.remote })]),
          ...(fact.local === null ? [] : [deleteBranch.step({ ...where, commit: fact.local })]),
        ];
      }),
      await stateStep(ctx, place, {
        ...place.state,
        tickets,
        // The clones stand on their base branches now, so no other ticket can be the active one.
        active_ticket: facts.active ? null : place.state.active_ticket,
      }),
    ]);
    return {
      data: {
        ticket_id: input.ticket_id,
        active_ticket: facts.active ? null : place.state.active_ticket,
        repos: Object.entries(ended.repos).map(([name, branch]) => ({
          name,
          branch,
          kept: !facts.cleanup.some((fact) => fact.name === name),
        })),
      },
    };
  },
  render: (data: EndData) => ({
    summary: `Ended ${data.ticket_id}; ${
      data.repos.some((repo) => repo.kept) ? "its branches stay" : "its branches are gone"
    }.`,
    details: table(
      ["repo", "branch", "kept"],
      data.repos.map((repo) => [repo.name, repo.branch, repo.kept ? "yes" : "no"]),
    ),
  }),
});
