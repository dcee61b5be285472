/**
 * Tells of a ticket that cannot be found where its workspace has gone: somebody deleted it, or an archive has put it away
 * (GONE-1, AWAY-1).
 */

import { join } from "@std/path";
import type { CommandContext } from "../contract/mod.ts";
import { AmofError } from "../base/error.ts";
import { findGoneTicket, type GoneTicket, remainsText } from "../workspace/tickets/mod.ts";
import { againCommand, workspaceFor } from "../commands/advice/command_lines.ts";
import { loadManifest } from "../workspace/manifest/mod.ts";
import { loadState } from "../workspace/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { namingPlace } from "./hint.ts";

/** Where the workspace of a ticket has gone. */
interface WorkspaceFate {
  /** What became of it, as the rest of a sentence. */
  readonly what: string;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A workspace that was deleted, with what remotes have of it. */
function deleted(gone: GoneTicket): WorkspaceFate {
  const remains = cleanLine(remainsText(gone), 300);
  return {
    what: `${gone.workspace} was deleted${remains === "" ? "" : `; ${remains}`}`,
    hint: `Make it again out of what is pushed: ${
      againCommand(gone)
    }\nLet go of it: amof ticket end ${gone.id}`,
    details: { gone: gone.workspace },
  };
}

/** Where the ticket is that was not found, by its workspace or by anything else of it; null where nobody knows. */
async function whereIs(
  ctx: CommandContext,
  id: string,
  { ofWorkspace }: { readonly ofWorkspace: boolean },
): Promise<WorkspaceFate | null> {
  const { system, root, ecosystem } = ctx;
  try {
    const manifest = await loadManifest(system, root, ecosystem);
    const base = await loadState(system, join(root, manifest.workspaceDir)).catch(() => null);
    // Where anything else was looked for than a workspace, it is told already that it is worked on there.
    if (Object.hasOwn(base?.tickets ?? {}, id)) {
      return !ofWorkspace ? null : {
        what: "it is worked on in the base workspace",
        hint: workspaceFor(id),
        details: {},
      };
    }
    const gone = await findGoneTicket(ctx, manifest, id);
    if (gone !== null) return deleted(gone);
    const { ticketsAway } = await import("../workspace/tickets/changing.ts");
    const away = (await ticketsAway(ctx, manifest)).some((one) => one.id === id);
    return !away ? null : {
      what: "it was put away with an archive",
      hint: "Bring it back: amof archive restore --tickets",
      details: { away: true },
    };
  } catch (error) {
    // What is told already must not fail for what would be told besides.
    if (error instanceof AmofError) return null;
    throw error;
  }
}

/**
 * What was thrown, told with what became of the workspace where the ticket that was not found has lost it; anything else
 * as it is. Looks nowhere unless a ticket was not found.
 */
export async function tellingOfGoneTicket(ctx: CommandContext, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof AmofError) || thrown.code !== "ticket_not_found") return thrown;
  const { ticket_id: id, source } = thrown.details;
  if (typeof id !== "string" || ctx.ecosystem === "") return thrown;
  // Only who looked for a workspace tells which there are.
  const ofWorkspace = Array.isArray(thrown.details["available"]);
  const found = await whereIs(ctx, id, { ofWorkspace });
  if (found === null) return thrown;
  const of = source === undefined ? "" : ` (from ${source})`;
  const unset = source === undefined ? "" : `Unset ${source}; `;
  const ways = namingPlace(found.hint, { ecosystem: ctx.ecosystem, ticket: null });
  return new AmofError(
    thrown.code,
    `Cannot find the workspace of ticket "${id}": ${found.what}${of}`,
    {
      hint: `${unset}${ways}`,
      details: { ...thrown.details, ...found.details },
      cause: thrown,
    },
  );
}
