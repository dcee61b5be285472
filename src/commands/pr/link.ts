/** Links the pull requests of a ticket to each other, by our part of their bodies (CHANGE-4). */

import type { ExecuteContext } from "../../contract/mod.ts";
import type { Forge, PullRequest } from "../../forge/mod.ts";
import { inPoolOf } from "../../workspace/mod.ts";
import { blockFor, withBlock } from "./block.ts";
import { failedRow, type PrRow } from "./row.ts";
import { needsOf } from "./rows.ts";
import type { ChangeSet } from "./set.ts";

/** A pull request with the way to it. */
export interface Linked {
  readonly name: string;
  readonly forge: Forge;
  readonly change: PullRequest;
}

/** The part that links the pull request of a repository to the others of its set. */
export function linkFor(
  set: ChangeSet,
  name: string,
  all: readonly { readonly name: string; readonly change: PullRequest | null }[],
): string {
  const siblings = set.members.flatMap((member) => {
    const change = all.find((one) => one.name === member.name)?.change ?? null;
    return change === null || change.state === "closed"
      ? []
      : [{ repo: member.name, number: change.number, url: change.url }];
  });
  return blockFor(set.ticket_id, name, { siblings, needs: needsOf(set).get(name) ?? [] });
}

/** The body of a pull request with the link to the others. */
export function linkedBody(
  set: ChangeSet,
  name: string,
  change: PullRequest,
  all: readonly { readonly name: string; readonly change: PullRequest | null }[],
): string {
  return withBlock(change.body, set.ticket_id, linkFor(set, name, all));
}

/** Writes the links of all that are open and lack them; answers those that failed. Harmless to repeat. */
export async function linkAll(
  ctx: ExecuteContext,
  set: ChangeSet,
  all: readonly Linked[],
): Promise<readonly PrRow[]> {
  const failed = await inPoolOf(ctx, "linking", all, async ({ name, forge, change }) => {
    const body = linkedBody(set, name, change, all);
    if (change.state !== "open" || body === change.body) return [];
    try {
      await forge.edit(change, { body });
      return [];
    } catch (thrown) {
      return [failedRow(ctx, name, thrown)];
    }
  });
  return failed.flat();
}
