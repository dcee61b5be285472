/**
 * What is said before an undo.
 *
 * @module
 */

import type { Preview } from "../../contract/mod.ts";
import { foldedRepos, type Folding, partsOf } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";
import { type DroppedFact, droppingEffects } from "./drop.ts";
import { namedRun } from "./find.ts";
import type { UndoFact } from "./plan.ts";
import { type RemadeFact, remakingEffects } from "./remake.ts";
import { answerOf, type UndoData } from "./answer.ts";
import type { UndoFacts } from "./facts.ts";
import { type UnmadeFact, unmakingEffects } from "./unmake.ts";
import { deedOf } from "./words.ts";

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

/** What is said before a workspace goes that the run made. */
function previewUnmaking(facts: UndoFacts, made: UnmadeFact): Preview<UndoFacts, UndoData> {
  const short = facts.undone.slice(0, 8);
  return {
    facts,
    summary: `Would undo ${deedOf(facts.action)}, and remove ${made.workspace}.`,
    effects: unmakingEffects(made),
    current: `Run ${short} made ${made.workspace}, and nothing of yours is in it`,
    alternatives: [`See what the run did: amof operations ${short}`, "Look at it: amof status"],
  };
}

/** What is said before clones go that the run brought. */
function previewDropping(facts: UndoFacts, added: DroppedFact): Preview<UndoFacts, UndoData> {
  const short = facts.undone.slice(0, 8);
  return {
    facts,
    summary: `Would undo ${deedOf(facts.action)}, and remove ${
      count(added.repos.length, "clone")
    } from ${added.workspace}.`,
    effects: droppingEffects(added),
    current: `Run ${short} brought ${
      count(added.repos.length, "clone")
    } into ${added.workspace}, and nothing of yours is in there`,
    alternatives: [
      `See what the run did: amof operations ${short}`,
      `Look at them: amof status${added.ticket_id === null ? "" : ` --ticket ${added.ticket_id}`}`,
    ],
  };
}

/** What is said before a workspace comes back that the run took away. */
function previewRemaking(facts: UndoFacts, gone: RemadeFact): Preview<UndoFacts, UndoData> {
  const short = facts.undone.slice(0, 8);
  return {
    facts,
    summary: `Would undo ${deedOf(facts.action)}, and make ${gone.workspace} again.`,
    effects: remakingEffects(gone),
    current: `Run ${short} took ${gone.workspace} away, and nothing is there now`,
    alternatives: [
      `See what the run did: amof operations ${short}`,
      `Start it anew: amof ticket start ${gone.ticket_id} --workspace`,
    ],
  };
}

/** What is said before repositories go back. */
function previewRestoring(facts: UndoFacts, folding: Folding): Preview<UndoFacts, UndoData> {
  const { repos, left_out, tickets, undone, action } = facts;
  const short = undone.slice(0, 8);
  const stays = repos.flatMap((fact) => fact.stays);
  const nothing = repos.length === 0 && !tickets;
  const after = [
    ...(action === "exec" && repos.some(({ files }) => files.length > 0) ? [MEANWHILE] : []),
    ...(tickets ? ["Bring the tickets of the workspace back"] : []),
    ...stays.map((line) => `Stays: ${line}`),
  ];
  return {
    ...(nothing ? { settled: { data: answerOf(facts) } } : {}),
    facts,
    summary: `Would undo ${deedOf(action)} in ${count(repos.length, "repo")}.`,
    effects: [...repos.map(describe), ...after],
    details: [
      ...foldedRepos(repos, describe, { ...folding, brief: describeBriefly }),
      ...after,
    ],
    current: `Run ${short}, ${deedOf(action)}, left ${
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
  const not = lasts === null ? [] : [`Not brought back: ${cleanLine(lasts, 300)}`];
  return newer.length === 0 ? not : [
    ...not,
    `Leave ${few(newer.map(namedRun), NAMED)} as ${
      newer.length === 1 ? "it is, which" : "they are, which"
    } came after it`,
  ];
}

/** What is said before an undo; settled where nothing of the run is left to take back. */
export function previewUndo(
  facts: UndoFacts,
  folding: Folding = {},
): Preview<UndoFacts, UndoData> {
  const preview = previewOf(facts, folding);
  const staying = stayingLines(facts);
  const details = [...partsOf(preview.details ?? preview.effects), ...staying];
  return { ...preview, effects: [...preview.effects, ...staying], details };
}

function previewOf(facts: UndoFacts, folding: Folding): Preview<UndoFacts, UndoData> {
  const { made, gone, added } = facts;
  if (made !== null) return previewUnmaking(facts, made);
  if (gone !== null) return previewRemaking(facts, gone);
  if (added !== null) return previewDropping(facts, added);
  return previewRestoring(facts, folding);
}
