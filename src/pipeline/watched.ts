/**
 * Lets the work of a run begin: between two looks at the repositories that it may change, where it can be undone.
 *
 * @module
 */

import type { ExecuteContext, Mutation, Result } from "../contract/mod.ts";
import type { Fields } from "../base/object.ts";
import { scopeManifest } from "../workspace/tickets/mod.ts";
import { undoLimits } from "../workspace/mod.ts";
import { ticketsTaken } from "./locks.ts";

/** Does the work of a run that undo cannot take back: whoever undoes the newest run afterwards is told so (UNDO-12). */
async function barring(
  ctx: ExecuteContext,
  command: Mutation,
  { input, facts }: { readonly input: Fields; readonly facts: Fields },
  work: () => Promise<Result<Fields>>,
): Promise<Result<Fields>> {
  const stays = lastsOf(command, facts, input);
  if (stays === null || ctx.ecosystem === "" || !ctx.settings.undo.on) return await work();
  const manifest = await scopeManifest(ctx).catch(() => null);
  if (manifest === null) return await work();
  const limits = undoLimits(ctx.settings, manifest);
  if (!limits.on) return await work();
  const { withBar } = await import("../commands/undo/bar.ts");
  const action = command.runs ?? command.name;
  return await withBar(
    ctx,
    { action, stays, tickets: ticketsTaken({ command, input }), limits },
    work,
  );
}

/** What undoing a deed does not bring back; null where all of it comes back. */
function lastsOf({ lasts }: Mutation, facts: Fields, input: Fields): string | null {
  return typeof lasts === "function" ? lasts(facts, input) : lasts ?? null;
}

/** Does what was agreed to; see `withViews` of `src/undo` for what is looked at, and what the answer gains by it. */
export async function carryOutRun(
  ctx: ExecuteContext,
  command: Mutation,
  input: Fields,
  facts: Fields,
): Promise<Result<Fields>> {
  const work = () => command.execute(ctx, input, facts);
  const changed = command.changes?.(facts, input);
  if (changed === undefined) return await barring(ctx, command, { input, facts }, work);
  const { repos, what, forwards = false, makes, ends, adds } = changed;
  if (repos.length === 0 && [makes, ends, adds].every((one) => one === undefined)) {
    return await barring(ctx, command, { input, facts }, work);
  }
  const limits = undoLimits(ctx.settings, await scopeManifest(ctx));
  if (!limits.on) return await work();
  const { withEnded } = await import("../commands/undo/ending.ts");
  const { withAdded, withMade } = await import("../commands/undo/making.ts");
  const { withViews } = await import("../commands/undo/views.ts");
  const watched = {
    action: command.runs ?? command.name,
    repos,
    what,
    forwards,
    limits,
    undoes: command.undoes?.(facts) ?? null,
    lasts: lastsOf(command, facts, input),
  };
  if (ends !== undefined) return await withEnded(ctx, { ...watched, ends }, work);
  if (adds !== undefined) return await withAdded(ctx, { ...watched, adds }, work);
  if (makes !== undefined) return await withMade(ctx, { ...watched, makes }, work);
  return await withViews(ctx, watched, work);
}
