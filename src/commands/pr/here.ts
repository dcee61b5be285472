/** The change set of a ticket whose branches are checked out here, and what a push of it would send. */

import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { Workspace } from "../../workspace/mod.ts";
import { planPush, type PushFact, type PushFacts } from "../push/plan.ts";
import { type ChangeSet, changeSet, type SetInput } from "./set.ts";

/** A change set with the workspace in which its branches are checked out. */
export type PlacedSet = ChangeSet & { readonly workspace: Workspace };

/** The set of a ticket that is worked on here; throws where it is not. */
export async function setHere(ctx: CommandContext, input: SetInput): Promise<PlacedSet> {
  const set = await changeSet(ctx, input);
  const { workspace, ticket_id: id } = set;
  if (workspace === null || !set.known) {
    throw new AmofError("ticket_not_found", `Cannot find ticket "${id}" in "${ctx.ecosystem}"`, {
      hint: `See the tickets: amof ticket list\nBegin it: amof ticket start ${id}`,
      details: { ticket_id: id },
    });
  }
  if (workspace.state?.active_ticket !== id) {
    throw new AmofError("ticket_not_found", `Cannot push ${id}: its branches are not checked out`, {
      hint: `Go to it: amof ticket switch ${id}`,
      details: { ticket_id: id },
    });
  }
  return { ...set, workspace };
}

/** What a push of all repositories of a set would send; `agreed` is what an earlier look found. */
export async function pushOf(
  ctx: CommandContext,
  set: ChangeSet,
  agreed: readonly PushFact[] | undefined,
): Promise<PushFacts> {
  const input = { repos: set.members.map(({ name }) => name), commit: false, allow_base: false };
  const { facts } = await planPush(
    ctx,
    input,
    agreed === undefined
      ? undefined
      : { repos: agreed, repos_affected: [], skipped: [], message: null },
  );
  return facts;
}
