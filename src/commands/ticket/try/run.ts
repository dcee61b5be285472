/** Runs a program in the joint result of tickets, once, and throws the workspace away (TRY-3). */

import { basename, dirname, join } from "@std/path";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { reasonOf } from "../../../base/error.ts";
import { endRun, partMarks } from "../../../runs/mod.ts";
import type { ProcessResult } from "../../../base/system/mod.ts";
import { environmentWith, type Invocation, vectorOf } from "../../../workspace/programs/mod.ts";
import { hideTickets, makeDirectories, missingAbove } from "../../../workspace/changing.ts";
import { type Joined, makeJoint } from "./joint.ts";
import { cloneIn, type TryFacts } from "./plan.ts";
import type { BasePlace } from "../workspace/plan.ts";

/** How long a program may take to obey. */
const GRACE_MS = 3_000;
/** How many lines go into the log of the run. */
const MOST_LINES = 100_000;

/** What came of it. */
export interface Tried {
  readonly joined: readonly Joined[];
  /** Null where nothing was run, because tickets conflict. */
  readonly result: ProcessResult | null;
  /** Where the workspace is, absolute; null where it was thrown away. */
  readonly kept: string | null;
  readonly notes: readonly string[];
}

/** Starts the program at the top of the workspace. */
async function runIn(
  ctx: ExecuteContext,
  workspace: string,
  { invocation, facts }: { readonly invocation: Invocation; readonly facts: TryFacts },
): Promise<ProcessResult> {
  const [command, args] = vectorOf(invocation);
  const unread = new AbortController();
  const marks = ctx.runId === null ? {} : partMarks(ctx.runId, "try");
  let logged = 0;
  const result = await ctx.system.processes.run({
    command,
    args,
    cwd: workspace,
    ...environmentWith(ctx, facts.environment, {
      AMOF_ECOSYSTEM: ctx.ecosystem,
      AMOF_ROOT: ctx.root,
      // The throwaway workspace belongs to none of these tickets.
      AMOF_TICKET: null,
      AMOF_TICKET_DIR: null,
      AMOF_TICKETS: facts.tickets.join(" "),
      AMOF_WORKSPACE: workspace,
      PWD: workspace,
      ...marks,
    }),
    ownGroup: "soon",
    graceMs: GRACE_MS,
    ...(facts.time_limit_s === null ? {} : { timeoutMs: facts.time_limit_s * 1_000 }),
    signal: AbortSignal.any([ctx.signal, unread.signal]),
    maxOutputBytes: 1,
    onLine(stream, line) {
      if (logged++ < MOST_LINES) {
        ctx.report.log(stream === "stderr" ? "warn" : "info", line, { stream });
      }
      try {
        ctx.report.print?.(stream, `${line}\n`);
      } catch {
        // A program whose output nobody reads any more ends with it, as in any pipe.
        unread.abort();
      }
    },
  });
  if ((ctx.signal.aborted || result.timedOut) && ctx.runId !== null) {
    await endRun(ctx.system, ctx.runId);
  }
  return result;
}

/** Throws the workspace away; what cannot be deleted is said, and `doctor --repair` deletes it later. */
async function throwAway(ctx: ExecuteContext, workspace: string): Promise<void> {
  try {
    await ctx.system.files.removeTree(workspace);
    ctx.borrowers.remove(workspace);
  } catch (error) {
    ctx.report.log("warn", `Could not delete all of ${workspace}: ${reasonOf(error)}`, {
      type: "leftover",
    });
  }
}

/** Leaves the workspace to the user, with clones that need nobody. */
async function keep(
  ctx: ExecuteContext,
  { workspace, place }: { readonly workspace: string; readonly place: string },
  facts: TryFacts,
): Promise<string> {
  const { files } = ctx.system;
  for (const repo of facts.repos) {
    const clone = cloneIn(workspace, repo);
    if (await files.lstat(clone) !== null) await ctx.git.at(clone, repo.name).borrowed.end();
  }
  await files.rename(workspace, place);
  ctx.borrowers.remove(workspace);
  return place;
}

/** Joins, runs and throws away. A kill leaves nothing but a hidden directory that `doctor --repair` deletes. */
export async function tryTickets(
  ctx: ExecuteContext,
  base: BasePlace,
  { invocation, facts, offline }: {
    readonly invocation: Invocation;
    readonly facts: TryFacts;
    readonly offline: boolean;
  },
): Promise<Tried> {
  const beside = join(ctx.root, base.manifest.workspaceDir);
  const label = `try-${ctx.system.ids.hex(8)}`;
  const place = join(dirname(beside), `.${basename(beside)}@${label}`);
  const workspace = `${place}.amof-new-${ctx.system.ids.hex(8)}`;
  const missing = await missingAbove(ctx, workspace);
  const steps = [
    ...await hideTickets(ctx, base.manifest),
    ...(missing.length === 0 ? [] : [makeDirectories.step({ paths: missing })]),
  ];
  if (steps.length > 0) await ctx.perform(steps);
  const notes: string[] = [];
  let kept: string | null = null;
  try {
    const joined = await makeJoint(ctx, { base, facts, offline, notes }, { workspace, label });
    const clean = joined.every(({ conflicts }) => conflicts.length === 0);
    const result = clean || facts.keep_going
      ? await runIn(ctx, workspace, { invocation, facts })
      : null;
    if (facts.keep && !ctx.signal.aborted) kept = await keep(ctx, { workspace, place }, facts);
    return { joined, result, kept, notes };
  } finally {
    if (kept === null) await throwAway(ctx, workspace);
  }
}
