/**
 * Stands around the work of a run: between two looks at the repositories that it may change, where it can be undone.
 */

import type { ExecuteContext, Mutation } from "../../contract/mod.ts";
import type { Fields } from "../../base/object.ts";
import type { Around, Work } from "../../runs/mod.ts";
import { type UndoLimits, undoLimits } from "../../workspace/changing.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import { irreversibleOf, withBar } from "./preview.ts";

/** What a note of a run is kept under; null where the run concerns no ecosystem. A release concerns all of them. */
async function limitsOf(ctx: ExecuteContext, { scope }: Mutation): Promise<UndoLimits | null> {
  if (ctx.ecosystem === "") return scope === "release" ? ctx.settings.undo : null;
  const manifest = await scopeManifest(ctx).catch(() => null);
  return manifest === null ? null : undoLimits(ctx.settings, manifest);
}

/** What notes a run that undo cannot take back: whoever undoes the newest run afterwards is told so (UNDO-12). */
async function barring(
  ctx: ExecuteContext,
  { command, input, facts, tickets }: Work,
): Promise<Around | null> {
  const stays = irreversibleOf(command, facts, input);
  if (stays === null || !ctx.settings.undo.on) return null;
  const limits = await limitsOf(ctx, command);
  if (limits === null || !limits.on) return null;
  const action = command.runs ?? command.name;
  const left = (data: Fields) => irreversibleOf(command, facts, input, data);
  return (act) => withBar(ctx, { action, stays, left, tickets, limits }, act);
}

/** What stands around the work of a run; see {@linkcode withViews} for what is looked at, and what the answer gains by it. */
export async function aroundRun(ctx: ExecuteContext, work: Work): Promise<Around | null> {
  const { command, input, facts } = work;
  const changed = command.undo?.changes?.(facts, input);
  if (changed === undefined) return await barring(ctx, work);
  const { repos, what, forwards = false, tickets = false, makes, ends, adds } = changed;
  if (repos.length === 0 && !tickets && [makes, ends, adds].every((one) => one === undefined)) {
    return await barring(ctx, work);
  }
  const limits = undoLimits(ctx.settings, await scopeManifest(ctx));
  if (!limits.on) return null;
  const { withAdded, withEnded, withMade } = await import("./ending.ts");
  const { withViews } = await import("./views.ts");
  const watched = {
    action: command.runs ?? command.name,
    repos,
    what,
    forwards,
    limits,
    undoes: command.undo?.undoes?.(facts) ?? null,
    lasts: irreversibleOf(command, facts, input),
  };
  return (act) =>
    ends !== undefined
      ? withEnded(ctx, { ...watched, ends }, act)
      : adds !== undefined
      ? withAdded(ctx, { ...watched, adds }, act)
      : makes !== undefined
      ? withMade(ctx, { ...watched, makes }, act)
      : withViews(ctx, watched, act);
}
