/** Takes journaled steps back, last first, without ever going on over something that could not be taken back. */

import type { RunId } from "../../base/ids.ts";
import { AmofError, reasonOf } from "../../base/error.ts";
import { ioErrorFacts } from "../../base/io_error.ts";
import type { Lifetime } from "../../git/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { insist } from "../../state/store/insist.ts";
import type { JournalEntry, Store } from "../../state/store/mod.ts";
import { findOperation, type OperationTable } from "./operation.ts";

/** A step that could not be taken back. */
interface LeftStep {
  readonly what: string;
  readonly error: unknown;
}

/** The same context, for work that an interrupt must not stop. */
export function undisturbed(ctx: ExecuteContext): ExecuteContext {
  return { ...ctx, git: ctx.git.until(), signal: new AbortController().signal };
}

/** Removes the locks that a killed git left in the repositories of begun steps (STEP-6). */
export async function removeLocks(
  ctx: ExecuteContext,
  operations: OperationTable,
  entries: readonly JournalEntry[],
  lifetime: Lifetime,
): Promise<void> {
  const places = new Set(
    entries.filter((entry) => entry.state !== "planned").flatMap((entry) =>
      findOperation(operations, entry.op).touches?.(entry.args) ?? []
    ),
  );
  for (const place of places) {
    for (const lock of await ctx.git.at(place).removeStaleLocks(lifetime)) {
      ctx.report.log("warn", `Removed a lock that a killed git left: ${lock}`, { type: "undo" });
    }
  }
}

/**
 * Takes steps back, last first; answers those that could not be. Earlier steps in the same places, which rely on
 * them, then stay as they are; so do steps whose places are unknown. Locks that a git left which was killed within
 * `lifetime` are removed first. An interrupt does not stop it.
 */
export async function retreat(
  interrupted: ExecuteContext,
  tools: { readonly table: Store["journal"]; readonly operations: OperationTable },
  { runId, entries, lifetime }: {
    readonly runId: RunId;
    readonly entries: readonly JournalEntry[];
    readonly lifetime: Lifetime | null;
  },
): Promise<LeftStep[]> {
  const ctx = undisturbed(interrupted);
  if (lifetime !== null) await removeLocks(ctx, tools.operations, entries, lifetime);
  const left: LeftStep[] = [];
  const stuck = new Set<string>();
  let all = false;
  for (const entry of entries.toReversed()) {
    const operation = findOperation(tools.operations, entry.op);
    if (operation.undo === undefined) continue;
    const what = operation.describe(entry.args);
    const places = operation.touches?.(entry.args) ?? null;
    if (all || left.length > 0 && (places === null || places.some((place) => stuck.has(place)))) {
      ctx.report.log("warn", `Left for later: ${what}`, { type: "undo" });
      // Earlier steps in the same places are kept, because the step that stays relies on them.
      for (const place of places ?? []) stuck.add(place);
      all ||= places === null;
      continue;
    }
    ctx.report.log("warn", `Undo: ${what}`, {
      type: "undo",
      payload: { seq: entry.seq, op: entry.op },
    });
    await insist(ctx.system.clock, () => tools.table.mark(runId, entry.seq, "undoing"));
    try {
      await operation.undo(ctx, entry.args);
      await insist(ctx.system.clock, () => tools.table.mark(runId, entry.seq, "undone"));
    } catch (error) {
      left.push({ what, error });
      for (const place of places ?? []) stuck.add(place);
      all ||= places === null;
      ctx.report.log("error", `Could not undo "${what}": ${reasonOf(error)}`, { type: "undo" });
    }
  }
  return left;
}

/** How a hint ends that leads to a repair. */
const REPAIR = "\nThen: amof doctor --repair";

/** What could not be taken back, one line each, and what a person does about it. */
export function whatIsLeft(
  left: readonly LeftStep[],
): { readonly lines: string[]; readonly hint: string } {
  // For an error of git without a known reason there is no specific fix.
  const first = left.find(({ error }) =>
    error instanceof AmofError && (error.code !== "git_failed" || error.details["kind"] !== "other")
  )?.error;
  const cure = first instanceof AmofError
    ? first.hint.replace(/, then repeat$/, "").replace(REPAIR, "")
    : "Fix the cause";
  return {
    lines: left.map(({ what, error }) => `${what}: ${reasonOf(error)}`),
    hint: `${cure}${REPAIR}`,
  };
}

/** The failure with what could not be taken back, and what to do about it where that is another thing. */
export function withLeftBehind(
  failure: unknown,
  leftBehind: readonly string[],
  hint?: string,
): AmofError {
  const io = ioErrorFacts(failure);
  const known = failure instanceof AmofError ? failure : new AmofError(
    io === null ? "internal_error" : "file_failed",
    reasonOf(failure),
    io === null ? {} : { details: { kind: io.kind } },
  );
  return new AmofError(known.code, known.message, {
    hint: hint ?? known.hint,
    details: { ...known.details, left_behind: leftBehind },
    exit: known.exit,
    cause: failure,
  });
}
