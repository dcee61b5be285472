/** Tickets with workspaces of their own that an archive puts away with the rest (AWAY-1). */

import type { CommandContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { count } from "../../../base/text/words.ts";
import {
  environmentStands,
  isMinor,
  type Loss,
  lossesOf,
  lossLines,
  refuseInside,
  refuseObstacles,
} from "../../../workspace/removal/mod.ts";
import { type ListedTicketWorkspace, ticketWorkspaces } from "../../../workspace/tickets/mod.ts";
import { refuseAtWork, ticketStock } from "../../../workspace/tickets/changing.ts";
import type { Manifest } from "../../../workspace/manifest/mod.ts";

/** The workspace of a ticket that is put away. */
export interface TicketFact {
  readonly ticket_id: string;
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly {
    readonly name: string;
    readonly role: "work" | "context";
    readonly branch: string | null;
    readonly commit: string | null;
  }[];
  /** What is only there, and goes along. */
  readonly keeps: readonly Loss[];
  /** Whether an environment of the ticket stands, which stays as it is. */
  readonly environment: boolean;
}

/** Looks at the workspace of one ticket. Throws where it cannot be put away. */
async function ticketFact(
  ctx: CommandContext,
  { workspaceDir }: Manifest,
  { id, directory, record, problem }: ListedTicketWorkspace,
): Promise<TicketFact> {
  const what = `archive ticket ${id}`;
  if (record === null || problem !== null) {
    throw new AmofError(
      "state_corrupt",
      `Cannot ${what}: its record cannot be used: ${problem ?? "there is none"}`,
      { hint: "See what mends it: amof doctor" },
    );
  }
  await refuseInside(ctx, "archive --tickets", directory, what);
  await refuseAtWork(ctx, id, what);
  const stock = await ticketStock(ctx, directory, record);
  refuseObstacles(what, stock.obstacles);
  return {
    ticket_id: id,
    workspace: `${workspaceDir}@${id}`,
    repos: Object.entries(record.repos).map(([name, { role }]) => {
      const there = stock.repos.find((repo) => repo.name === name);
      return { name, role, branch: there?.branch ?? null, commit: there?.head ?? null };
    }),
    keeps: lossesOf(stock).map((loss) => ({ ...loss, repo: `${id}/${loss.repo}` })),
    environment: await environmentStands({ ...ctx, ticket: id }),
  };
}

/** Looks at the workspaces of all tickets. Throws where one of them cannot be put away. */
export async function ticketFacts(ctx: CommandContext, manifest: Manifest): Promise<TicketFact[]> {
  const facts: TicketFact[] = [];
  for (const ticket of await ticketWorkspaces(ctx.system, ctx.root, manifest)) {
    facts.push(await ticketFact(ctx, manifest, ticket));
  }
  return facts;
}

/** What happens to the workspaces of tickets, as effects. */
export function ticketEffects(facts: readonly TicketFact[]): string[] {
  return facts.flatMap(({ ticket_id: id, workspace, repos, keeps, environment }) => [
    `Put ${workspace} away as it is, with ${
      count(repos.length, "clone")
    }: nothing of it is deleted or pushed`,
    ...lossLines(keeps.filter((loss) => !isMinor(loss))).map((line) => `Keep ${line}`),
    ...(environment
      ? [`Leave the environment of ${id} as it is: it is found again when the ticket comes back`]
      : []),
  ]);
}
