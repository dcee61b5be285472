/**
 * What the declarations of all commands about pull requests have in common, and how those conclude that change them.
 */

import { count } from "../../base/text/words.ts";
import type { Result, ZodNamespace } from "../../contract/mod.ts";
import { type Outcome, outcomeOf } from "../../contract/outcome.ts";
import type { PrRow } from "./rows.ts";

/** They are about the change set of a ticket, and a server offers them where it is told to. */
export const CHANGE_SET = {
  toolset: "change",
  extra: true,
  scope: "ecosystem",
  openWorld: true,
  inTicket: true,
  next: "change",
  positionals: ["ticket_id"],
  flags: { repos: "repo" },
} as const;

/** The same of those that change pull requests: a run in the workspace, for which a person may wait. */
export const CHANGING = {
  ...CHANGE_SET,
  safety: "dangerous-write",
  confirm: "simple",
  inline: "attended",
  exclusive: true,
  locks: "scope",
} as const;

/** The members with which a change set is named. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function setInput(z: ZodNamespace) {
  return {
    ticket_id: z.string().optional().describe("Which ticket; the active one when absent"),
    repos: z.array(z.string()).optional().describe("Only these repositories"),
  };
}

/** What came of all of them. */
export interface PrData {
  readonly ticket_id: string;
  readonly outcome: Outcome;
  readonly repos: readonly PrRow[];
}

/** What came of all of them; `verb` is what was done to so many as `done`: "Opened". */
export function concludeRows(
  ticket_id: string,
  rows: readonly PrRow[],
  { verb, done }: { readonly verb: string; readonly done: number },
): Result<PrData> {
  const { outcome, ...failure } = outcomeOf(rows, {
    done,
    head: (of, all) =>
      of > 0 ? `${verb} ${of} of ${count(all, "pull request")};` : `${verb} nothing:`,
    told: ["name", "result", "code", "detail"],
  });
  return { data: { ticket_id, outcome, repos: rows }, ...failure };
}
