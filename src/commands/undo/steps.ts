/**
 * The steps by which a run is taken back. Each can be repeated and taken back itself after an interruption at any point.
 */

import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { operation } from "../../runs/steps/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { few } from "../../base/text/words.ts";
import {
  BOUNDS,
  objectStoreOf,
  type OperationRecord,
  readOperation,
  runDirectory,
  sameTickets,
  ticketsIn,
  writeTickets,
} from "./record.ts";
import { withSubmodules } from "../../workspace/clones/changing.ts";
import { Checkpoints } from "../../git/checkpoint/mod.ts";

/** One repository of an operation; a type alias, so that it counts as plain JSON. */
type OfRun = {
  readonly run: string;
  /** The run of the undo itself, which has looked at the repository before its first step. */
  readonly by: string;
  readonly repo: string;
  readonly directory: string;
};

/** What is kept of a run; throws `operation_not_found` where that is gone. */
export async function recordOf(ctx: ExecuteContext, run: string): Promise<OperationRecord> {
  const record = await readOperation(ctx.system, ctx.layout, run);
  if (record !== null) return record;
  throw new AmofError(
    "operation_not_found",
    `Cannot find what run "${run.slice(0, 8)}" changed: it is no longer kept`,
    { details: { run_id: run } },
  );
}

/** Brings a repository to how it was before a run, or to how it was after it. */
async function bring(
  ctx: ExecuteContext,
  { run, by, repo, directory }: OfRun,
  end: "before" | "after",
): Promise<void> {
  const record = await recordOf(ctx, run);
  const views = record.repos.find(({ name }) => name === repo);
  const { before, after } = views ?? { before: null, after: null };
  if (before === null || after === null) return;
  // Work that was none of the run's business stays as it was when the undo began.
  const begun = views?.what === "names"
    ? (await recordOf(ctx, by)).repos.find(({ name }) => name === repo)?.before
    : undefined;
  const work = begun === undefined ? {} : { paths: begun.paths, aside: begun.aside };
  const [from, to] = (end === "before" ? [after, before] : [before, after])
    .map((checkpoint) => ({ ...checkpoint, ...work }));
  if (from === undefined || to === undefined) return;
  const objects = objectStoreOf(ctx.layout, run, repo);
  const back = () =>
    ctx.git.at(directory, repo).part(Checkpoints).bring({ from, to, bounds: BOUNDS, objects });
  try {
    // A submodule that a commit took in stays where somebody has put it when only that is taken back.
    const theirs = from.branch !== to.branch
      ? []
      : to.aside.filter(({ why }) => why === "repository").map(({ path }) => path);
    await withSubmodules(ctx, { repo, directory }, back, theirs);
  } catch (error) {
    if (!(error instanceof AmofError) || error.code !== "repo_changed") throw error;
    throw new AmofError("undo_stale", error.message, { details: error.details, cause: error });
  }
}

/**
 * Brings a repository back to how it was after a run, when an undo was cut off. One that somebody has gone on with since
 * is left as it is: nothing of theirs is touched, and what it was is still kept.
 */
async function returnRepo(ctx: ExecuteContext, args: OfRun): Promise<void> {
  try {
    await bring(ctx, args, "after");
  } catch (error) {
    const changed = error instanceof AmofError && error.code === "undo_stale"
      ? error.details["changed"]
      : undefined;
    if (!Array.isArray(changed)) throw error;
    ctx.report.log(
      "warn",
      `${cleanLine(args.repo, 80)}: left as it is, because ${
        few(changed.map((one) => cleanLine(String(one), 80)), 3)
      } changed since the undo was cut off`,
      { type: "undo", payload: { repo: args.repo, changed } },
    );
  }
}

/** Takes back in one repository what a run did there. */
export const bringRepoBack = operation<OfRun>({
  name: "undo_bring_repo_back",
  describe: ({ run, repo }) => `Undo run ${run.slice(0, 8)} in ${cleanLine(repo, 80)}`,
  touches: ({ directory }) => [directory],
  act: (ctx, args) => bring(ctx, args, "before"),
  undo: returnRepo,
});

/** Brings the tickets of a workspace to one end of a run, where they are as the other one has them. */
async function bringTickets(
  ctx: ExecuteContext,
  run: string,
  end: "before" | "after",
): Promise<void> {
  const { workspace, tickets } = await recordOf(ctx, run);
  const now = await ticketsIn(ctx.system, workspace);
  const [from, to] = end === "before"
    ? [tickets.after, tickets.before]
    : [tickets.before, tickets.after];
  if (to === null || sameTickets(now, to)) return;
  if (!sameTickets(now, from)) throw ticketsMoved(run);
  await writeTickets(ctx.system, workspace, to);
}

/** The error of tickets that are no longer as a run left them. */
export function ticketsMoved(run: string): AmofError {
  return new AmofError(
    "undo_stale",
    `Cannot undo run ${run.slice(0, 8)}: the tickets of the workspace changed since`,
    { details: { run_id: run } },
  );
}

/** Takes back what a run did to the tickets that a workspace knows. */
export const bringTicketsBack = operation<{ readonly run: string }>({
  name: "undo_bring_tickets_back",
  describe: ({ run }) => `Undo what run ${run.slice(0, 8)} did to tickets`,
  touches: () => [],
  act: (ctx, { run }) => bringTickets(ctx, run, "before"),
  undo: (ctx, { run }) => bringTickets(ctx, run, "after"),
});

/** Forgets an operation of which nothing is there any more. */
export const forgetOperation = operation<{ readonly run: string }>({
  name: "undo_forget_operation",
  describe: ({ run }) => `Forget what run ${run.slice(0, 8)} made`,
  touches: () => [],
  async act({ system, layout }, { run }) {
    await system.files.removeTree(runDirectory(layout, run));
  },
});

/** The steps of repositories, and of forgetting. */
export const REPO_OPERATIONS = [bringRepoBack, bringTicketsBack, forgetOperation] as const;
