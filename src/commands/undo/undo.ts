/**
 * `amof undo`: takes back what a run did to repositories (UNDO-3, UNDO-4).
 *
 * @module
 */

import { foldingInput } from "../../contract/folding.ts";
import { type ExecuteContext, mutation, type Result } from "../../contract/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../../workspace/selection/mod.ts";
import { undeletable } from "../../workspace/removal/mod.ts";
import { broughtBy, drop, isOfAdded } from "./drop.ts";
import { operationOf, operationsHere } from "./find.ts";
import { isOfGone, remake } from "./remake.ts";
import { bringRepoBack, bringTicketsBack } from "./steps.ts";
import { answerOf, renderUndone, type UndoData } from "./answer.ts";
import { planUndo, type UndoFacts } from "./facts.ts";
import { previewUndo } from "./preview.ts";
import { againOf, isOfMade, meetsWhole, unmake } from "./unmake.ts";

/** The answer where things went, some of which perhaps could not be deleted. */
function withLeft(facts: UndoFacts, left: string | null): Result<UndoData> {
  const data = answerOf(facts, left);
  return left === null ? { data } : { data, failure: undeletable(left) };
}

/** Takes the run back, as its preview said. */
async function carryBack(ctx: ExecuteContext, facts: UndoFacts): Promise<Result<UndoData>> {
  const record = operationOf(await operationsHere(ctx), facts.undone);
  if (facts.made !== null && isOfMade(record)) {
    return withLeft(facts, await unmake(ctx, record, facts.made));
  }
  if (facts.added !== null && isOfAdded(record)) {
    return withLeft(facts, await drop(ctx, record, facts.added));
  }
  if (facts.gone !== null && isOfGone(record)) {
    await remake(ctx, record);
    return { data: answerOf(facts) };
  }
  const directories = new Map(record.repos.map(({ name, directory }) => [name, directory]));
  await ctx.perform([
    ...facts.repos.map(({ name }) =>
      bringRepoBack.step({
        run: facts.undone,
        by: ctx.runId ?? "",
        repo: name,
        directory: directories.get(name) ?? "",
      })
    ),
    ...(facts.tickets ? [bringTicketsBack.step({ run: facts.undone })] : []),
  ]);
  return { data: answerOf(facts) };
}

/** How a run that was taken back is done again where a second undo cannot; null where it can. */
function lastsOf({ made, gone, added }: UndoFacts): string | null {
  if (made !== null) return `this; do it again: ${againOf(made)}`;
  if (gone !== null) return `this; do it again: amof ticket end ${gone.ticket_id}`;
  return added === null ? null : `this; do it again: ${broughtBy(added)}`;
}

/** `amof undo`. */
export const undo = mutation({
  name: "amof_undo",
  path: ["undo"],
  toolset: "run",
  extra: true,
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "undo", will: "take back what a run did to repositories here" },
  runs: "undo",
  inline: true,
  exclusive: true,
  locks: "scope",
  inWorkspace: true,
  inTicket: true,
  next: ["get_ecosystem_status"],
  title: "Undo run",
  summary: "Take back what a run did to repositories: files, index, branches, commits, stashes.",
  description:
    "Without RUN the newest one, and none where that cannot be undone; since an undo is a run itself, a second one does it again. Each repository must be as the run left it, else nothing is touched. What was not kept (ignored files, secrets by name, files over 10 MB) and what is on remotes stays as it is.",
  positionals: ["run"],
  flags: SELECTION_FLAGS,
  examples: [
    "undo",
    "undo 4e8c1d72 --dry-run",
    "undo 4e8c1d72 --repo '!web'",
    "undo --only dirty",
  ],
  input: (z) =>
    z.strictObject({
      run: z.string().optional().describe(
        "Id or 4+ characters; else the newest",
      ),
      ...selectionInput(z),
      ...foldingInput(z),
    }),
  meets: async (at, { run }) => await meetsWhole(at, run) ? { locks: "ecosystem" } : null,
  preview: async (ctx, input) => previewUndo(await planUndo(ctx, input), input),
  changes: (facts: UndoFacts) => ({
    repos: facts.repos.map(({ name }) => name),
    what: "everything",
  }),
  undoes: (facts: UndoFacts) => facts.undone,
  lasts: lastsOf,
  execute: (ctx, _input, facts) => carryBack(ctx, facts),
  render: renderUndone,
});
