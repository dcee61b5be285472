/**
 * Stands around the work of a run, where it can be undone, or where it must be known that it cannot: something is kept
 * before it, and settled when it has ended.
 */

import { AmofError, reasonOf } from "../../base/error.ts";
import type { Fields } from "../../base/object.ts";
import type { ExecuteContext, Mutation } from "../../contract/mod.ts";
import type { Around, Work } from "../../runs/mod.ts";
import { type UndoLimits, undoLimits } from "../../workspace/changing.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import type { Settle } from "./forget.ts";
import { irreversibleOf, noteBarred } from "./preview.ts";

/** What is kept before a run; null where nothing has to be settled after it. */
type Keep = () => Settle | null | Promise<Settle | null>;

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
): Promise<Keep | null> {
  const stays = irreversibleOf(command, facts, input);
  if (stays === null || !ctx.settings.undo.on) return null;
  const limits = await limitsOf(ctx, command);
  if (limits === null || !limits.on) return null;
  const action = command.runs ?? command.name;
  const left = (data: Fields) => irreversibleOf(command, facts, input, data);
  return () => noteBarred(ctx, { action, stays, left, tickets, limits });
}

/** What is kept before the work of a run, by what that changes; null for nothing. */
async function keeperOf(ctx: ExecuteContext, work: Work): Promise<Keep | null> {
  const { command, input, facts } = work;
  const changed = command.undo?.changes?.(facts, input);
  if (changed === undefined) return await barring(ctx, work);
  const { repos, what, forwards = false, tickets = false, makes, ends, adds } = changed;
  if (repos.length === 0 && !tickets && [makes, ends, adds].every((one) => one === undefined)) {
    return await barring(ctx, work);
  }
  const limits = undoLimits(ctx.settings, await scopeManifest(ctx));
  if (!limits.on) return null;
  const { keepEnded, noteAdded, noteMade } = await import("./ending.ts");
  const { lookBefore } = await import("./views.ts");
  const watched = {
    action: command.runs ?? command.name,
    repos,
    what,
    forwards,
    limits,
    undoes: command.undo?.undoes?.(facts) ?? null,
    lasts: irreversibleOf(command, facts, input),
  };
  if (ends !== undefined) return () => keepEnded(ctx, watched, ends);
  if (adds !== undefined) return () => noteAdded(ctx, watched, adds);
  if (makes !== undefined) return () => noteMade(ctx, watched, makes);
  return () => lookBefore(ctx, watched);
}

/** What stands around the work of a run; what goes wrong behind it is told in the log, and leaves the run as it ended. */
export async function aroundRun(ctx: ExecuteContext, work: Work): Promise<Around | null> {
  const keep = await keeperOf(ctx, work);
  if (keep === null) return null;
  return async (act) => {
    const settle = await keep();
    if (settle === null) return await act();
    const settled = async (data: Fields | null) => {
      try {
        const undo = await settle(data);
        return undo === null ? {} : { undo };
      } catch (error) {
        ctx.report.log("warn", `This run cannot be undone: ${reasonOf(error)}`);
        return {};
      }
    };
    try {
      const result = await act();
      return { ...result, data: { ...result.data, ...await settled(result.data) } };
    } catch (error) {
      const undo = await settled(null);
      if (!("undo" in undo) || !(error instanceof AmofError)) throw error;
      throw new AmofError(error.code, error.message, {
        hint: error.hint,
        details: { ...error.details, ...undo },
        exit: error.exit,
        cause: error,
      });
    }
  };
}
