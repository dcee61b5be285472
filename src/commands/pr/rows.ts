/** The pull requests of a change set as answers tell of them. */

import { cleanLine } from "../../base/text/sanitize.ts";
import type { PullRequest } from "../../forge/mod.ts";
import { needsWithin } from "../look/layers.ts";
import type { Seen } from "./look.ts";
import type { ChangeSet } from "./set.ts";
import { type Blocker, blockersOf, withNeeds } from "./verdict.ts";
import { toAmofError } from "../../base/error.ts";
import { table } from "../../base/text/table.ts";
import type { Part } from "../../base/text/parts.ts";
import type { ExecuteContext, Rendered, Result, ZodNamespace } from "../../contract/mod.ts";
import { type Outcome, outcomeOf, type RepoRow } from "../../contract/outcome.ts";
import type { SkipFact } from "../outgoing/skip.ts";
import { type PushRow, skippedRow } from "../push/skip.ts";
import { count } from "../../base/text/words.ts";

/** A repository as answers tell of it. */
export interface ChangeRow {
  readonly name: string;
  readonly forge: string;
  readonly number: number | null;
  readonly url: string | null;
  readonly state: PullRequest["state"];
  readonly draft: boolean;
  readonly title: string;
  readonly base: string;
  /** The commit that the pull request is at. */
  readonly head: string;
  readonly merge_sha: string | null;
  readonly mergeable: boolean | null;
  readonly checks: {
    readonly state: string;
    readonly total: number;
    readonly failed: readonly string[];
  };
  readonly review: { readonly state: string; readonly approvals: number; readonly stale: number };
  readonly blocked_by: readonly Blocker[];
}

/** The names of the repositories that each of a set needs within it. */
export function needsOf(set: ChangeSet): ReadonlyMap<string, readonly string[]> {
  return needsWithin(set.manifest.repos, set.members.map(({ name }) => name));
}

/** The rows of those that have a pull request, with all that blocks them. */
export function rowsOf(
  set: ChangeSet,
  seen: readonly Seen[],
  ignored: readonly string[] = [],
): readonly ChangeRow[] {
  const rows = seen.flatMap(({ name, forge, change, standing, here }): ChangeRow[] => {
    if (forge === null || change === null) return [];
    const clean = (texts: readonly string[]) => texts.map((text) => cleanLine(text, 80));
    return [{
      name,
      forge: forge.kind,
      number: change.number,
      url: change.url,
      state: change.state,
      draft: change.draft,
      title: cleanLine(change.title, 200),
      base: change.base.branch,
      head: change.head.sha,
      merge_sha: change.merge_sha,
      mergeable: standing?.mergeable ?? null,
      checks: {
        state: standing?.checks.state ?? "none",
        total: standing?.checks.total ?? 0,
        failed: clean(standing?.checks.failed ?? []),
      },
      review: standing?.review ?? { state: "none", approvals: 0, stale: 0 },
      blocked_by: standing === null ? [] : blockersOf(standing, { ignored, here }),
    }];
  });
  const judged = withNeeds(rows, needsOf(set));
  return rows.map((row, at) => ({ ...row, blocked_by: judged[at]?.blocked_by ?? [] }));
}

// What came of the pull request of each repository, and of all of them.

/** What came of one. */
export interface PrRow extends RepoRow {
  readonly result: "opened" | "updated" | "pushed" | "closed" | "unchanged" | "skipped" | "failed";
  readonly number: number | null;
  readonly url: string | null;
}

/** A row about a pull request. */
export function prRow(
  name: string,
  result: PrRow["result"],
  change: Pick<PullRequest, "number" | "url"> | null,
  detail = "",
): PrRow {
  const { number = null, url = null } = change ?? {};
  return { name, result, number, url, detail, code: null, fix: null };
}

/** The row of work that failed; noted in the log. */
export function failedRow(ctx: ExecuteContext, name: string, thrown: unknown): PrRow {
  const { code, message, hint } = toAmofError(thrown, () => ctx.system.ids.hex(8));
  ctx.report.log("error", `${name}: ${message}`, { type: "repo", payload: { repo: name, code } });
  return { ...prRow(name, "failed", null, message), code, fix: hint };
}

/** The row of a repository that is held back. */
export function heldRow(skip: SkipFact): PrRow {
  const { name, detail, code, fix } = skippedRow(skip, false);
  return { ...prRow(name, "skipped", null, detail), code, fix };
}

/** The row of a push that did not arrive; null where it did, or where nothing had to be pushed. */
export function unpushedRow(pushed: PushRow | undefined): PrRow | null {
  if (pushed === undefined || pushed.result === "pushed") return null;
  const { name, detail, code, fix } = pushed;
  return { ...prRow(name, "failed", null, detail), code: code ?? "push_refused", fix };
}

/** What a person reads of an answer: what was done, with `rest` behind it, and the first that did not go. */
export function renderRows(done: string, rows: readonly PrRow[], rest = ""): Rendered {
  const bad = rows.find(({ code }) => code !== null);
  return {
    summary: bad === undefined
      ? `${done}${rest}.`
      : `${done}; ${cleanLine(bad.name, 20)} did not go.`,
    details: prTable(rows),
  };
}

/** Rows as a table, what failed first, and the pages of what there is. */
function prTable(rows: readonly PrRow[]): readonly Part[] {
  const ordered = [
    ...rows.filter(({ code }) => code !== null),
    ...rows.filter(({ code }) => code === null),
  ];
  return [
    table(
      ["repo", "result", "pr", "detail"],
      ordered.map(({ name, result, number, detail, code }) => [
        `${code === null ? result === "skipped" ? "–" : "✓" : "✗"} ${name}`,
        result,
        number === null ? "" : `#${number}`,
        cleanLine(detail, 300),
      ]),
    ),
    ...(rows.some(({ url }) => url !== null) ? [""] : []),
    ...rows.flatMap(({ name, url }) => url === null ? [] : [`${name}  ${url}`]),
  ];
}

// What the declarations of all commands about pull requests have in common, and how those conclude that change them.

/** They are about the change set of a ticket, and a server offers them where it is told to. */
export const CHANGE_SET = {
  toolset: "change",
  mcp: "asked for",
  scope: "ecosystem",
  openWorld: true,
  inTicket: "its workspace",
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
