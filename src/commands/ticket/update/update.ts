/**
 * `amof ticket update`: brings the base branches into the branches of a ticket (TICKET-7, TICKET-8).
 *
 * Each repository for itself: a conflict stops only that one, and leaves it as git leaves it, to go on or back. Nothing
 * is pushed, and no commit that a remote has is rewritten unless a rebase was asked for in so many words.
 */

import { foldingInput } from "../../../contract/input.ts";
import { mutation, type Result } from "../../../contract/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { noteLines } from "../../advice/need_lines.ts";
import { foldedRepos } from "../../../base/text/parts.ts";
import { table } from "../../../base/text/table.ts";
import { count, few } from "../../../base/text/words.ts";
import { type Outcome, outcomeOf } from "../../../contract/outcome.ts";
import {
  isSelecting,
  type Selecting,
  SELECTION_FLAGS,
  selectionInput,
} from "../../selection/mod.ts";
import { updateAll } from "./all.ts";
import { planUpdate, type UpdateFacts } from "./facts.ts";
import type { MiddleFact } from "./middle.ts";
import type { UpdateFact } from "./plan.ts";
import { heldRow, type UpdateRow } from "./row.ts";
import { shortSha } from "../../../base/ids.ts";

interface UpdateData {
  readonly ticket_id: string;
  readonly outcome: Outcome;
  readonly repos: readonly UpdateRow[];
}

/** The rows of repositories in which something was done. */
function movedOf(rows: readonly UpdateRow[]): readonly UpdateRow[] {
  return rows.filter(({ result }) => ["updated", "taken_back", "given_back"].includes(result));
}

/** What was done in all of these rows, with another word than that they were updated; null for that. */
function doneWords(moved: readonly UpdateRow[]): string | null {
  const all = (result: UpdateRow["result"]) =>
    moved.length > 0 && moved.every((row) => row.result === result);
  return all("taken_back") ? "Went back in" : all("given_back") ? "Gave the changes back in" : null;
}

/** What was done where something went wrong, in so many repositories. */
export function partlyWords(id: string, rows: readonly UpdateRow[]): string {
  const moved = movedOf(rows);
  const current = rows.filter(({ result }) => result === "up_to_date").length;
  const all = `${count(rows.length, "repo")} of ${id}`;
  return moved.length > 0
    ? `${doneWords(moved) ?? "Updated"} ${moved.length} of ${all}${
      current === 0 ? "" : `, ${current} up to date`
    };`
    : current > 0
    ? `Found ${current} of ${all} up to date;`
    : rows.some(({ code }) => code === null)
    ? `Updated nothing of ${id};`
    : `Cannot update ${id};`;
}

/** The same row, whose ways on and back are about its repository alone where only some were selected. */
function aboutIt(row: UpdateRow): UpdateRow {
  const words = /\bticket update --(?:continue|abort)(?=\n|$)/g;
  return { ...row, fix: row.fix?.replaceAll(words, `$& --repo ${row.name}`) ?? null };
}

/** Decides how the whole ended. */
function conclude(
  id: string,
  found: readonly UpdateRow[],
  selecting: Selecting,
): Result<UpdateData> {
  const rows = isSelecting(selecting) ? found.map(aboutIt) : found;
  const { outcome, ...failure } = outcomeOf(rows, {
    done: rows.filter((row) => row.code === null).length,
    head: () => partlyWords(id, rows),
    told: ["name", "result", "code", "detail", "files", "kept"],
  });
  return { data: { ticket_id: id, outcome, repos: rows }, ...failure };
}

/** One line about what would happen. */
function describe(
  { name, branch, remote_base: base, head, behind, how, published, why, landed, aside }: UpdateFact,
): string {
  const to = cleanLine(branch, 60);
  const rewritten = how === "rebase" && published > 0
    ? `, which rewrites ${count(published, "published commit")}`
    : "";
  return `${name}  ${
    how === "merge"
      ? `merge ${base} into ${to}${
        landed === null ? "" : `, which is there already up to ${shortSha(landed)}`
      }`
      : landed === head
      ? `begin ${to} anew at ${base}, which has its work`
      : `rebase ${landed === null ? to : `what follows ${shortSha(landed)} of ${to}`} onto ${base}`
  } (${
    behind === null ? "never fetched" : `${count(behind, "commit")} as last fetched`
  })${rewritten}${why === null ? "" : `; no rebase because ${why}`}${
    aside === 0 ? "" : `; ${count(aside, "changed file")} kept and given back`
  }`;
}

/** Whether nothing is said of it but what is brought in. */
function isOrdinary({ how, published, why, landed, aside }: UpdateFact): boolean {
  return !(how === "rebase" && published > 0) && why === null && landed === null && aside === 0;
}

function describeMiddle(fact: MiddleFact, step: "continue" | "abort"): string {
  const { name, doing, changed_files, changed_since, kept, back_to, lost } = fact;
  if (doing === "return") {
    return `${name}  ${
      back_to === null ? "" : `take the update back, to ${shortSha(back_to)}, and `
    }give its changes back`;
  }
  return `${name}  ${
    step === "continue"
      ? `go on with the ${doing}`
      : `take the ${doing} back, with ${count(changed_files, "changed file")}${
        lost === 0 ? "" : ` and ${count(lost, "commit")} made since`
      }${
        changed_since === 0 ? "" : `; what was done in ${changed_since} of them is kept as a stash`
      }`
  }${kept === null ? "" : ", and give its changes back"}`;
}

/** `amof ticket update`. */
export const updateTicket = mutation({
  name: "amof_ticket_update",
  path: ["ticket", "update"],
  toolset: "ticket",
  scope: "ecosystem",
  mcp: "asked for",
  safety: "safe-write",
  confirm: "none",
  asks: { deed: "update", will: "rewrite or discard work here" },
  runs: "ticket_update",
  locks: "scope",
  openWorld: true,
  needs: "a workspace",
  inTicket: "its workspace",
  next: "after_commit",
  title: "Update ticket",
  summary:
    "Bring the base branches into the ticket's branches, by merge or rebase; pushes nothing.",
  description:
    "The remotes are fetched first, unless --offline. The manifest says how (tickets.update: merge or rebase; merge when absent); a branch with commits that a remote has is merged all the same, unless --rebase is typed, which asks first. A conflict stops only its repository: resolve it, git add, then --continue, or --abort to go back; both take every repository of the ticket that waits, or those selected. Repositories with changes of tracked files are held back; with --stash the changes stand aside meanwhile and come back, at the latest with --continue or --abort. Of a ticket that is not active nothing is checked out: its branches are merged forward as they are, and what conflicts stays as it was. What was held back or stopped makes the exit code 5.",
  positionals: ["ticket_id"],
  flags: SELECTION_FLAGS,
  switches: {
    merge: { how: "merge" },
    rebase: { how: "rebase" },
    continue: { step: "continue" },
    abort: { step: "abort" },
  },
  examples: [
    "ticket update",
    "ticket update PROJ-124",
    "ticket update --rebase --repo api",
    "ticket update --stash",
    "ticket update --continue",
    "ticket update --abort --repo api",
  ],
  input: (z) => ({
    ticket_id: z.string().optional().describe("Which ticket; the active one when absent"),
    how: z.enum(["merge", "rebase"]).optional().describe("Instead of what the manifest says"),
    step: z.enum(["continue", "abort"]).optional().describe("Go on behind conflicts, or back"),
    ...selectionInput(z),
    offline: z.boolean().default(false).describe("Fetch nothing"),
    stash: z.boolean().default(false).describe("Let changes stand aside meanwhile"),
    ...foldingInput(z),
  }),
  raised: (input) =>
    input.how === "rebase" || input.step === "abort"
      ? { safety: "dangerous-write", confirm: "simple" }
      : null,
  async preview(ctx, input) {
    const { facts, place } = await planUpdate(ctx, input);
    const { repos, waiting, ticket_id: id } = facts;
    const { step } = input;
    const blocked = facts.held.filter(({ code }) => code !== null);
    const rewritten = repos.filter(({ how }) => how === "rebase")
      .reduce((sum, { published }) => sum + published, 0);
    const lost = waiting.reduce((sum, fact) => sum + fact.lost, 0);
    const nothing = repos.length + waiting.length === 0;
    const middle = step === undefined ? [] : waiting.map((fact) => describeMiddle(fact, step));
    return {
      facts,
      summary: nothing
        ? blocked.length > 0
          ? `Would not update ${id}: every repo that could be is held back.`
          : step === undefined
          ? `Would not update ${id}: there is nothing to bring in.`
          : `Would not change ${id}: no repo of it waits to go on or back.`
        : step === undefined
        ? `Would update ${id} in ${count(repos.length, "repo")}.`
        : step === "continue"
        ? `Would go on in ${count(waiting.length, "repo")} of ${id}.`
        : `Would go back in ${count(waiting.length, "repo")} of ${id}.`,
      effects: [...repos.map(describe), ...middle],
      details: [
        ...foldedRepos(repos, describe, { all: input.all, isPlain: isOrdinary }),
        ...middle,
        ...blocked.map(({ name, detail }) => `${name}  held back: ${detail}`),
      ],
      ...(lost > 0
        ? {
          subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
          confirm: "type" as const,
          will: `lose ${count(lost, "commit")}`,
          irreversible: `${count(lost, "commit")} would be lost.`,
        }
        : rewritten > 0
        ? {
          irreversible: `${
            count(rewritten, "commit")
          } that others may have would be rewritten; push never forces, so they can only be pushed by hand.`,
        }
        : {}),
      current: `Ticket ${id} is ${id === place.state.active_ticket ? "active" : "not active"} in ${
        count(Object.keys(place.state.tickets[id]?.repos ?? {}).length, "repo")
      }`,
      alternatives: [
        "Look at the state first: amof status",
        ...(input.how === "rebase" ? ["Merge instead: amof ticket update --merge"] : []),
      ],
      ...(nothing ? { settled: conclude(id, facts.held.map(heldRow), input) } : {}),
    };
  },
  undo: {
    changes: ({ repos, waiting }: UpdateFacts) => {
      const returning = waiting.filter(({ doing }) => doing === "return");
      return {
        repos: [...repos, ...returning].map(({ name }) => name),
        what: returning.length === 0 && repos.every(({ apart }) => apart) ? "names" : "everything",
      };
    },
    // What has ended cannot be begun again half-way.
    irreversible({ waiting }: UpdateFacts) {
      const middle = waiting.filter(({ doing }) => doing !== "return").map(({ name }) => name);
      return middle.length === 0 ? null : `what was under way in ${few(middle, 3)}`;
    },
  },
  async execute(ctx, input, facts) {
    return conclude(facts.ticket_id, await updateAll(ctx, input, facts), input);
  },
  render: (data: UpdateData, input) => {
    const bad = data.repos.filter((row) => row.code !== null);
    const moved = movedOf(data.repos);
    const words = doneWords(moved);
    const stopped = bad.filter((row) => row.result === "conflict");
    const rest = data.repos.filter((row) => row.code === null);
    const done = words !== null
      ? `${words} ${count(moved.length, "repo")} of ${data.ticket_id}`
      : moved.length > 0
      ? `Updated ${data.ticket_id} in ${count(moved.length, "repo")}`
      : bad.length > 0
      ? `Updated nothing of ${data.ticket_id}`
      : input.step === undefined
      ? `Kept ${data.ticket_id} as it is: it is up to date`
      : `Kept ${data.ticket_id} as it is: no update is under way`;
    const ordered = [...bad, ...rest];
    const shown = table(
      ["repo", "branch", "result", "detail"],
      ordered.map((row) => [
        `${row.code === null ? "" : "✗ "}${row.name}`,
        cleanLine(row.branch, 60),
        row.result.replaceAll("_", " "),
        cleanLine(row.detail, row.code === null ? 120 : 300),
      ]),
    );
    const isPlain = (index: number) =>
      ["up_to_date", "updated"].includes(ordered[index]?.result ?? "") &&
      ordered[index]?.fix === null;
    return {
      summary: bad.length === 0
        ? `${done}.`
        : `${done}; ${
          stopped.length > 0
            ? `conflicts in ${few(stopped.map(({ name }) => cleanLine(name, 20)), 1)}`
            : `${count(bad.length, "repo")} held back or failed`
        }.`,
      details: data.repos.length === 0 ? "" : [
        input.all
          ? shown
          : shown.folding(isPlain, (index) => (ordered[index]?.result ?? "").replaceAll("_", " ")),
        ...noteLines(rest, input.all),
      ],
    };
  },
});
