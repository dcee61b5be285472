/** Repositories of a ticket that the manifest does not name any more: their clones stay as they are (WORKSPACE-4). */

import type { CommandContext } from "../../../contract/mod.ts";
import { type TicketState } from "../../../workspace/mod.ts";
import { unsentOutside } from "../../look/drift.ts";
import type { Cleanup } from "../cleanup.ts";
import type { TicketPlace } from "../preflight.ts";

/** The branches of a ticket that stay because the manifest does not name their repositories any more. */
export function unnamedIn({ manifest }: TicketPlace, { repos }: TicketState): Cleanup["staying"] {
  return Object.keys(repos)
    .filter((name) => !manifest.repos.some((repo) => repo.name === name))
    .map((name) => ({ name, why: "the manifest has no such repository" }));
}

/** What of such clones is sent nowhere, as warnings. */
export async function unsentIn(
  ctx: CommandContext,
  place: TicketPlace,
  ticket: TicketState,
): Promise<string[]> {
  return unnamedIn(place, ticket).length === 0
    ? []
    : await unsentOutside(ctx, place.manifest, place.workspace.directory);
}
