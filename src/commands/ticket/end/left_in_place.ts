/**
 * Ending a ticket whose own workspace stays: the ticket is no more, and its directory is the user's, with clones that
 * stand alone (LEAVE-4).
 */

import type { CommandContext, ExecuteContext, Preview, Result } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count } from "../../../base/text/words.ts";
import type { TicketRecord } from "../../../workspace/tickets/mod.ts";
import { freeTicket, refuseAtWork } from "../../../workspace/tickets/changing.ts";
import { loadManifest } from "../../../workspace/manifest/mod.ts";
import { borrowingClones } from "../detach.ts";
import { detachClone, retireRecord } from "../steps/branch.ts";
import type { EndInput } from "./workspace.ts";
import type { OwnWorkspace } from "../preflight.ts";

/** What such an end is bound to. */
export interface KeptEnd {
  readonly ticket_id: string;
  /** The workspace that stays, relative to the control repository. */
  readonly keeps: string;
  readonly repos: readonly { readonly name: string; readonly branch: string }[];
  /** Those that borrow from mirrors. */
  readonly borrow: readonly string[];
}

/** What became of the ticket. */
export interface KeptEndData extends KeptEnd {
  readonly active_ticket: null;
  /** Where its files are, absolute. */
  readonly directory: string;
}

/** Throws where the call also asks for something that deletes. */
function refuseDeleting({ ticket_id: id, cleanup, cleanup_local, force, discard_local }: EndInput) {
  const flag = discard_local === true
    ? "--discard-local"
    : cleanup
    ? "--cleanup"
    : cleanup_local
    ? "--cleanup-local"
    : force
    ? "--force"
    : null;
  if (flag === null) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot end ${
      cleanLine(id, 60)
    } with both --keep-workspace and ${flag}: what is kept keeps its branches`,
    { hint: `Leave one of them out: amof ticket end ${cleanLine(id, 60)} --keep-workspace` },
  );
}

function branchesOf({ repos }: TicketRecord): KeptEnd["repos"] {
  return Object.entries(repos).filter(([, { role }]) => role === "work")
    .map(([name, { branch }]) => ({ name, branch }));
}

/** What is said before. Throws where something works in the ticket. */
export async function previewKeptEnd(
  ctx: CommandContext,
  own: OwnWorkspace,
  input: EndInput,
): Promise<Preview<KeptEnd, never>> {
  const { ticket_id: id } = input;
  refuseDeleting(input);
  await refuseAtWork(ctx, id, `end ${id}`);
  const { workspaceDir } = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const borrow = (await borrowingClones(ctx, own)).map(({ name }) => name);
  const keeps = `${workspaceDir}@${id}`;
  return {
    facts: { ticket_id: id, keeps, repos: branchesOf(own.record), borrow },
    summary: `Would end ${id} and leave its workspace where it is.`,
    effects: [
      ...borrow.map((name) => `Copy what ${name} borrows, and borrow no more`),
      `Leave ${keeps} to you, with all that is in it`,
      "Free its ports",
    ],
    current: `The ticket has its own workspace, ${keeps}`,
    alternatives: [`Delete that, too: amof ticket end ${id}`],
  };
}

/** Ends the ticket. What is cut off before its record goes leaves it a ticket, later it is finished. */
export async function executeKeptEnd(
  ctx: ExecuteContext,
  own: OwnWorkspace,
  facts: KeptEnd,
): Promise<Result<KeptEndData>> {
  const { directory } = own;
  const { ticket_id: ticket } = facts;
  const clones = await borrowingClones(ctx, own);
  const before = clones.map((clone) =>
    detachClone.step({ repo: clone.name, directory: clone.directory })
  );
  await ctx.perform([
    ...before,
    retireRecord.step({ directory, ticket }),
    freeTicket.step({ directory, ticket }),
  ], before.length);
  return { data: { ...facts, active_ticket: null, directory } };
}

/** What a reader is told, in one sentence. */
export function keptEndSummary({ ticket_id: id, keeps, repos }: KeptEndData): string {
  return `Ended ${id}; ${keeps} stays, with ${count(repos.length, "branch", "branches")}.`;
}
