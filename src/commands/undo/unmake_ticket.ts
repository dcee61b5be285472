/** The workspace of a ticket that a run has made, looked at before it goes (UNDO-9). */

import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { findTicketWorkspace } from "../../workspace/tickets/mod.ts";
import { amongDigest, refuseAtWork, ticketStock } from "../../workspace/tickets/changing.ts";
import {
  digestsOf,
  environmentStands,
  type Loss,
  lossesOf,
  refusalsOf,
  refuseInside,
  refuseObstacles,
  type Stock,
} from "../../workspace/removal/mod.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { type Refusal, refuseAll } from "../../workspace/mod.ts";
import type { Made, OperationRecord } from "./record.ts";

/** An operation that made a workspace. */
export type OfMade = OperationRecord & { readonly made: Made };

/** What goes, and what a confirmation of that is bound to. */
export interface UnmadeFact {
  readonly ticket_id: string | null;
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly string[];
  /** Where the adopted clones lie, by repository: they stay, and only the links to them go. */
  readonly adopted: Stock["adopted"];
  /** Minor ones: anything else refuses. */
  readonly losses: readonly Loss[];
  /** The branch of the control repository that goes, too, with its commit. */
  readonly branch: { readonly name: string; readonly commit: string } | null;
  readonly digests: Readonly<Record<string, string>>;
  /** What lies among the clones of a ticket, as a digest; empty for the base workspace. */
  readonly among: string;
}

/** What would be taken away, and what it was computed from. */
export interface Unmaking {
  readonly fact: UnmadeFact;
  readonly directory: string;
  readonly stock: Stock;
  /** The places of the clones of a ticket, relative. */
  readonly paths: readonly string[];
}

/** The error of a workspace that cannot go. */
export function impossible(
  { run_id: runId }: OperationRecord,
  why: string,
  hint: string,
): AmofError {
  return new AmofError("undo_impossible", `Cannot undo run ${runId.slice(0, 8)}: ${why}`, {
    hint,
    details: { run_id: runId },
  });
}

/** Looks at the workspace of a ticket. */
export async function unmakeTicket(
  ctx: CommandContext,
  record: OfMade,
  { what, id }: { readonly what: string; readonly id: string },
): Promise<Unmaking> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const own = await findTicketWorkspace(ctx.system, ctx.root, manifest, id);
  if (own === null) throw new TypeError("The workspace of the ticket is gone");
  const { directory, record: ticket } = own;
  await refuseInside(ctx, "undo", directory, what);
  await refuseAtWork(ctx, id, what);
  if (await environmentStands({ ...ctx, ticket: id })) {
    throw impossible(
      record,
      "an environment of the ticket stands",
      `Remove it first: amof spin destroy --ticket ${id}`,
    );
  }
  const entries = Object.entries(ticket.repos);
  const paths = entries.map(([, { path }]) => path);
  const repos = entries.map(([name, { path, role }]) => ({
    name,
    path,
    readonly: role === "context",
    known: true,
  }));
  const stock = await ticketStock(ctx, directory, repos);
  const moved = stock.repos.filter(({ name, problem, branch, head }) => {
    const begun = ticket.repos[name];
    return problem === null && begun !== undefined &&
      (head !== begun.start || branch !== begun.branch);
  });
  refuseObstacles(what, stock.obstacles);
  const losses = lossesOf(stock);
  refuseAll(what, [
    ...await refusalsOf(ctx, losses, {
      ...{ workspace: directory, repos: stock.repos, ticket: id },
      bases: new Map(entries.map(([name, { base }]) => [name, base])),
    }),
    ...moved.map(({ name }): Refusal => ({
      repo: name,
      code: "undo_stale",
      problem: "has been worked in since",
      fix: `end the ticket: amof ticket end ${id}`,
    })),
  ]);
  return {
    directory,
    stock,
    paths,
    fact: {
      ticket_id: id,
      workspace: `${manifest.workspaceDir}@${id}`,
      repos: entries.map(([name]) => name),
      // Nothing is adopted in the workspace of a ticket.
      adopted: {},
      losses,
      branch: null,
      digests: digestsOf(stock),
      among: await amongDigest(ctx.system, directory, paths),
    },
  };
}
