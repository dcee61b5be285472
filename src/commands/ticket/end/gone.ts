/** Ending a ticket whose own workspace somebody deleted: it lets go of what it still holds (GONE-2). */

import type { CommandContext, ExecuteContext, Preview, Result } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import {
  againCommand,
  findGoneTicket,
  type GoneTicket,
  remainsText,
} from "../../../workspace/tickets/mod.ts";
import { freeTicket } from "../../../workspace/tickets/changing.ts";
import { loadManifest } from "../../../workspace/manifest/mod.ts";
import type { EndInput } from "./workspace.ts";

/** What such an end is bound to. */
export interface GoneEnd {
  readonly ticket_id: string;
  readonly gone: GoneTicket;
}

/** What became of the ticket. */
export interface GoneEndData {
  readonly ticket_id: string;
  readonly active_ticket: null;
  /** The workspace that was gone, relative to the control repository. */
  readonly gone: string;
  readonly repos: GoneTicket["repos"];
  readonly ports: GoneTicket["ports"];
}

/** A ticket whose own workspace is gone; null for any other, and for one that is worked on in the base workspace, too. */
export async function findGone(ctx: CommandContext, id: string): Promise<GoneTicket | null> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  return await findGoneTicket(ctx, manifest, id);
}

/** Throws where the call wants branches deleted or kept: there are no clones left to look at. */
function refuseWishes(
  gone: GoneTicket,
  { cleanup, cleanup_local, keep_workspace }: EndInput & { readonly keep_workspace: boolean },
): void {
  const flag = cleanup
    ? "--cleanup"
    : cleanup_local
    ? "--cleanup-local"
    : keep_workspace
    ? "--keep-workspace"
    : null;
  if (flag === null) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot end ${gone.id} with ${flag}: its workspace ${gone.workspace} was deleted`,
    {
      hint: `Leave it out: amof ticket end ${gone.id}\nMake the ticket again first: ${
        againCommand(gone)
      }`,
      details: { ticket_id: gone.id },
    },
  );
}

/** What is said before such an end. */
export function previewGoneEnd(
  gone: GoneTicket,
  input: EndInput & { readonly keep_workspace: boolean },
): Preview<GoneEnd, never> {
  refuseWishes(gone, input);
  const { id, workspace, ports: { port_base: base, port_count: ports } } = gone;
  return {
    facts: { ticket_id: id, gone },
    subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
    summary: `Would end ${id}, whose workspace is gone.`,
    effects: [
      `Free ports ${base} to ${base + ports - 1}, and what it held of mirrors`,
      "Delete nothing",
    ],
    current: `Its workspace ${workspace} was deleted, and what was only there with it: ${
      cleanLine(remainsText(gone), 300)
    }`,
    alternatives: [
      `Make it again out of what is pushed: ${againCommand(gone)}`,
      "Put the directory back",
    ],
  };
}

/** Lets go of everything that the ticket holds. */
export async function executeGoneEnd(
  ctx: ExecuteContext,
  { ticket_id: ticket, gone }: GoneEnd,
): Promise<Result<GoneEndData>> {
  const { directory, workspace, repos, ports } = gone;
  await ctx.perform([freeTicket.step({ directory, ticket })]);
  return { data: { ticket_id: ticket, active_ticket: null, gone: workspace, repos, ports } };
}

/** What a reader is told of it, besides that it ended. */
export function goneEndDetails({ repos }: GoneEndData): string {
  const said = cleanLine(remainsText({ repos }), 300);
  return said === "" ? "" : `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}
