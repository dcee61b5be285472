/** `amof undo`: takes back what a run did to repositories (UNDO-3, UNDO-4). */

import { AmofError } from "../../base/error.ts";
import { foldingInput } from "../../contract/input.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Preview,
  type Result,
} from "../../contract/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../selection/mod.ts";
import { undeletable } from "../removal/losses.ts";
import { broughtBy, drop, droppingEffects, isOfAdded } from "./drop.ts";
import { commandWords, namedRun, newestBeside, operationOf, operationsHere } from "./find.ts";
import { bringRepoBack, bringTicketsBack } from "./steps.ts";
import {
  answerOf,
  lastsLines,
  renderUndone,
  staysLines,
  staysOf,
  type UndoData,
} from "./answer.ts";
import type { UndoFacts } from "./facts.ts";
import { isOfGone, remake, remakingEffects } from "./remake.ts";
import { planUndo } from "./meant.ts";
import { againOf, isOfMade, meetsWhole, unmake, unmakingEffects } from "./unmake.ts";
import { foldedRepos, type Folding, partsOf } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";
import type { UndoFact } from "./plan.ts";
import type { OperationRecord } from "./record.ts";

/** How many files are named one by one. */
const NAMED = 5;

/** What is said before a run of programs goes back, which take their time while people go on editing. */
const MEANWHILE =
  "What people wrote there while the program ran is taken back, too; a second undo brings it again";

/** Which files are put back and which go away; empty for none. */
function describeFiles({ files, deletes }: UndoFact): string[] {
  if (files.length === 0) return [];
  const gone = new Set(deletes);
  const back = files.filter((path) => !gone.has(path));
  const named = (paths: readonly string[]) => few(paths.map((path) => cleanLine(path, 80)), NAMED);
  const parts = [
    ...back.length === 0 ? [] : [`puts back ${named(back)}`],
    ...deletes.length === 0 ? [] : [`deletes ${named(deletes)}`],
  ];
  return [`${count(files.length, "file")} (${parts.join("; ")})`];
}

/** What goes back in a repository, in a few words; `commit` says to which commit. */
function described(fact: UndoFact, commit: (to: string) => string): string {
  const { name, branch, head, refs } = fact;
  const parts = [
    ...head.from === head.to ? [] : [head.to === null ? "back to no commit" : commit(head.to)],
    ...branch === null ? [] : [`on ${cleanLine(branch, 60)}`],
    ...refs.length === 0 ? [] : [count(refs.length, "branch or tag", "branches or tags")],
    ...describeFiles(fact),
  ];
  return `${name}: ${parts.join(", ")}`;
}

function describe(fact: UndoFact): string {
  return described(fact, (to) => `back to ${to.slice(0, 8)}`);
}

/** The same without what no other repository has. */
function describeBriefly(fact: UndoFact): string {
  return described(fact, () => "back to the commit before");
}

/** What is said before a workspace or clones go or come, which the run brought or took away. */
function previewWhole({ made, gone, added }: UndoFacts): {
  readonly then: string;
  readonly effects: readonly string[];
  /** What the run did, and how that stands. */
  readonly did: string;
  readonly instead: string;
} | null {
  if (made !== null) {
    return {
      then: `remove ${made.workspace}`,
      effects: unmakingEffects(made),
      did: `made ${made.workspace}, and nothing of yours is in it`,
      instead: "Look at it: amof status",
    };
  }
  if (gone !== null) {
    return {
      then: `make ${gone.workspace} again`,
      effects: remakingEffects(gone),
      did: `took ${gone.workspace} away, and nothing is there now`,
      instead: `Start it anew: amof ticket start ${gone.ticket_id} --workspace`,
    };
  }
  if (added === null) return null;
  const clones = count(added.repos.length, "clone");
  return {
    then: `remove ${clones} from ${added.workspace}`,
    effects: droppingEffects(added),
    did: `brought ${clones} into ${added.workspace}, and nothing of yours is in there`,
    instead: `Look at them: amof status${
      added.ticket_id === null ? "" : ` --ticket ${added.ticket_id}`
    }`,
  };
}

/** What is said before repositories go back. */
function previewRestoring(facts: UndoFacts, folding: Folding): Preview<UndoFacts, UndoData> {
  const { repos, left_out, tickets, undone, action, deed } = facts;
  const would = deed === null
    ? `undo ${commandWords(action)}`
    : deed.again
    ? `do ${deed.what} again`
    : `undo ${deed.what}`;
  const short = undone.slice(0, 8);
  const stays = staysOf(facts);
  const nothing = repos.length === 0 && !tickets;
  const after = [
    ...(action === "exec" && repos.some(({ files }) => files.length > 0) ? [MEANWHILE] : []),
    ...(tickets ? ["Bring the tickets of the workspace back"] : []),
  ];
  return {
    ...(nothing ? { settled: { data: answerOf(facts) } } : {}),
    facts,
    summary: repos.length === 0 && tickets
      ? `Would ${would}, and bring the tickets back.`
      : `Would ${would} in ${count(repos.length, "repo")}.`,
    effects: [...repos.map(describe), ...after, ...stays.map((line) => `Stays: ${line}`)],
    details: [
      ...foldedRepos(repos, describe, { ...folding, brief: describeBriefly }),
      ...after,
      ...staysLines(stays, folding),
    ],
    current: `Run ${short}, ${commandWords(action)}, left ${
      count(repos.length + left_out.length, "repo")
    } as they are now`,
    alternatives: [
      `See what the run did: amof operations ${short}`,
      "Undo it again afterwards: amof undo",
    ],
  };
}

/** Which runs stay although they came after the one that goes back; empty for none. */
function stayingLines({ newer, lasts }: UndoFacts): string[] {
  const not = lastsLines({ lasts });
  return newer.length === 0 ? not : [
    ...not,
    `Leave ${few(newer.map(namedRun), NAMED)} as ${
      newer.length === 1 ? "it is, which" : "they are, which"
    } came after it`,
  ];
}

/** What is said before an undo; settled where nothing of the run is left to take back. */
function previewUndo(
  facts: UndoFacts,
  folding: Folding = {},
): Preview<UndoFacts, UndoData> {
  const preview = previewOf(facts, folding);
  const staying = stayingLines(facts);
  const details = [...partsOf(preview.details ?? preview.effects), ...staying];
  return { ...preview, effects: [...preview.effects, ...staying], details };
}

function previewOf(facts: UndoFacts, folding: Folding): Preview<UndoFacts, UndoData> {
  const whole = previewWhole(facts);
  if (whole === null) return previewRestoring(facts, folding);
  const short = facts.undone.slice(0, 8);
  return {
    facts,
    summary: `Would undo ${commandWords(facts.action)}, and ${whole.then}.`,
    effects: whole.effects,
    current: `Run ${short} ${whole.did}`,
    alternatives: [`See what the run did: amof operations ${short}`, whole.instead],
  };
}

/** Takes the run back, as its preview said. */
async function carryBack(ctx: ExecuteContext, facts: UndoFacts): Promise<Result<UndoData>> {
  const record = operationOf(await operationsHere(ctx), facts.undone);
  const { made, gone, added } = facts;
  let left: string | null = null;
  if (made !== null && isOfMade(record)) left = await unmake(ctx, record, made);
  else if (added !== null && isOfAdded(record)) left = await drop(ctx, record, added);
  else if (gone !== null && isOfGone(record)) await remake(ctx, record);
  else await bringBack(ctx, record, facts);
  const data = answerOf(facts, left);
  return left === null ? { data } : { data, failure: undeletable(left) };
}

/** Takes back what the run did to repositories and tickets. */
async function bringBack(
  ctx: ExecuteContext,
  record: OperationRecord,
  facts: UndoFacts,
): Promise<void> {
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
}

/** How a run that was taken back is done again where a second undo cannot; null where it can. */
function irreversibleOf({ made, gone, added }: UndoFacts): string | null {
  if (made !== null) return `this; do it again: ${againOf(made)}`;
  if (gone !== null) return `this; do it again: amof ticket end ${gone.ticket_id}${gone.flags}`;
  return added === null ? null : `this; do it again: ${broughtBy(added)}`;
}

/** The preview of an undo, with what came last where that was in the workspace of a ticket: nothing here takes it back. */
async function previewHere(
  ctx: CommandContext,
  input: Parameters<typeof planUndo>[1] & Folding,
): Promise<Preview<UndoFacts, UndoData>> {
  const beside = input.run === undefined ? await newestBeside(ctx) : null;
  const last = beside === null ? [] : [
    `what came last, ${
      namedRun(beside)
    } in the workspace of ${beside.ticket}: amof undo --ticket ${beside.ticket}`,
  ];
  try {
    const preview = previewUndo(await planUndo(ctx, input), input);
    const lines = last.map((text) => `Leave ${text}`);
    return {
      ...preview,
      effects: [...preview.effects, ...lines],
      details: [...partsOf(preview.details ?? preview.effects), ...lines],
    };
  } catch (thrown) {
    if (!(thrown instanceof AmofError) || beside === null) throw thrown;
    const { code, message, hint, details } = thrown;
    const more = last.map((text) => `Undo ${text}`);
    throw new AmofError(code, message, { hint: [...more, hint], details, cause: thrown });
  }
}

/** `amof undo`. */
export const undo = mutation({
  name: "amof_undo",
  path: ["undo"],
  toolset: "run",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "undo", will: "take back what a run did to repositories here" },
  runs: "undo",
  inline: true,
  locks: "scope",
  needs: "a workspace",
  inTicket: "its workspace",
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
  input: (z) => ({
    run: z.string().optional().describe(
      "Id or 4+ characters; else the newest",
    ),
    ...selectionInput(z),
    ...foldingInput(z),
  }),
  meets: async (at, { run }) => await meetsWhole(at, run) ? { locks: "ecosystem" } : null,
  preview: previewHere,
  undo: {
    changes: (facts: UndoFacts) => ({
      repos: facts.repos.map(({ name }) => name),
      what: "everything",
    }),
    undoes: (facts: UndoFacts) => facts.undone,
    irreversible: irreversibleOf,
  },
  execute: (ctx, _input, facts) => carryBack(ctx, facts),
  render: renderUndone,
});
