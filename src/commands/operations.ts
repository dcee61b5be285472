/** `amof operations`: runs that changed repositories, and whether they can be undone (UNDO-2). */

import { inPool } from "../base/async/pool.ts";
import { query } from "../contract/mod.ts";
import { timestamp } from "../base/system/mod.ts";
import { blocks } from "../base/text/parts.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { table } from "../base/text/table.ts";
import { count, few } from "../base/text/words.ts";
import {
  barOf,
  namedRun,
  operationOf,
  operationsHere,
  overtakenBy,
  restOf,
  saidOf,
  undoneBy,
  undoneIn,
  whyNot,
} from "./undo/find.ts";
import { ACTIVE_STATUSES } from "../state/store/mod.ts";
import { refusalOf } from "./undo/meant.ts";
import { lookAtRepos } from "./undo/plan.ts";
import { type OperationRecord, untilOf } from "./undo/record.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

interface OperationRow {
  readonly run_id: string;
  readonly action: string;
  /** What an undo did, in words: `undo ticket end T-1`, or `ticket end T-1 again` after another; absent for others. */
  readonly said?: string;
  readonly at: string;
  readonly by: string;
  /** The ticket whose own workspace it made or took away, or in which it worked; null for the base workspace. */
  readonly ticket: string | null;
  /** How many repositories it changed. */
  readonly repos: number;
  readonly undoable: boolean;
  /** Why it cannot be undone, or null. */
  readonly why_not: string | null;
  /** What to do instead of undoing it, where its command knows a way; else null. */
  readonly fix: string | null;
  /** The run that took it back, or null. */
  readonly undone_by: string | null;
  readonly expires_at: string;
}

/** What one run did to a repository. */
interface ChangedRepo {
  readonly name: string;
  readonly branch: { readonly before: string | null; readonly after: string | null };
  readonly head: { readonly before: string | null; readonly after: string | null };
  readonly refs: readonly string[];
  readonly files: readonly string[];
  /** Why it cannot go back, or null. */
  readonly why_not: string | null;
  /** What undoing leaves as it is. */
  readonly stays: readonly string[];
}

interface OperationsData {
  readonly operations: readonly OperationRow[];
  /** Of one run that was asked for: each repository that it changed. */
  readonly repos?: readonly ChangedRepo[];
}

/** The ticket that a run was about, or in whose workspace it worked. */
function ticketOf({ made, gone, added, also = [], ticket }: OperationRecord): string | null {
  return made?.ticket ?? gone?.ticket ?? added?.ticket ?? also[0]?.ticket ?? ticket;
}

/** What is said of a run that made or took away whole clones; nothing of one that undo kept nothing of. */
function wholeText({ ticket, repos }: OperationRow): string {
  if (repos === 0) return "";
  const of = ticket === null ? "the base workspace" : `the workspace of ${ticket}`;
  return `${count(repos, "clone")} in ${of}, as a whole.`;
}

/** What is said where the newest run that stands cannot be undone: `amof undo` alone undoes none then. */
function newestLines(rows: readonly OperationRow[]): string[] {
  const newest = rows.find(({ undone_by: by }) => by === null);
  if (newest === undefined || newest.why_not === null) return [];
  return [
    `⚠ The newest run, ${namedRun(newest)}, cannot be undone: ${newest.why_not}.${
      rows.some(({ undoable }) => undoable) ? " An older one has to be named." : ""
    }`,
    ...(newest.fix === null ? [] : [newest.fix]),
  ];
}

/** `amof operations`. */
export const listOperations = query({
  name: "amof_operations",
  path: ["operations"],
  toolset: "run",
  mcp: "asked for",
  scope: "ecosystem",
  needs: "a workspace",
  inTicket: "its workspace",
  title: "List operations",
  summary:
    "Runs that changed repositories, and whether they can be undone; of one, what it changed.",
  positionals: ["run"],
  shortcuts: [{
    path: ["operations", "show"],
    args: {},
    summary: "What one run changed in each repository, and what changed there since.",
    examples: ["operations show 4e8c1d72"],
  }],
  examples: ["operations", "operations 4e8c1d72", "operations --since 7 --json"],
  fields: [
    "operations",
    "operations.run_id",
    "operations.action",
    "operations.said",
    "operations.at",
    "operations.ticket",
    "operations.repos",
    "operations.undoable",
    "operations.why_not",
    "operations.fix",
    "operations.expires_at",
    "repos",
    "repos.name",
    "repos.files",
    "repos.why_not",
  ],
  pages: { member: "operations", key: "run_id" },
  input: (z) => ({
    run: z.string().optional().describe("Id or 4+ characters of one run"),
    since: z.int().min(0).max(3650).optional().describe("Only of the last so many days"),
    limit: z.int().min(1).max(1000).default(20).describe("How many"),
  }),
  async run(ctx, input) {
    const all = await operationsHere(ctx);
    const now = ctx.system.clock.now();
    const { runs } = await ctx.store();
    const goesOn = ({ ended, run_id: id }: OperationRecord) =>
      !ended && ACTIVE_STATUSES.includes(runs.get(id)?.status ?? "failed");
    const row = async (record: OperationRecord): Promise<OperationRow> => {
      const atWork = goesOn(record);
      const bar = atWork ? "it goes on" : whyNot(record, all, now);
      const later = bar === null ? overtakenBy(record, all) : null;
      const known = bar ?? (later === null ? null : `changed since by ${namedRun(later)}`);
      const refusal = known === null ? await refusalOf(ctx, record, all) : null;
      const why = known ?? refusal?.why ?? null;
      return {
        run_id: record.run_id,
        action: record.action,
        ...record.undoes === null ? {} : { said: saidOf(record, all) },
        at: timestamp(record.at),
        by: record.by,
        ticket: ticketOf(record),
        repos: (record.made?.repos ?? record.gone?.clones ?? record.added?.clones ?? record.repos)
          .length,
        undoable: why === null,
        why_not: why,
        fix: atWork
          ? `Follow it: amof runs logs ${record.run_id.slice(0, 8)} --follow`
          : record.stays === undefined
          ? refusal?.fix ?? null
          : barOf(record.stays).instead,
        undone_by: undoneBy(record, all),
        expires_at: timestamp(untilOf(record)),
      };
    };
    if (input.run === undefined) {
      const from = input.since === undefined ? 0 : now - input.since * DAY_MS;
      const shown = all.filter(({ at }) => at >= from).slice(0, input.limit);
      const operations = await inPool(ctx.jobs, shown, row);
      const data: OperationsData = { operations };
      return { data };
    }
    const record = operationOf(all, input.run);
    const left = restOf(record, all);
    const looks = record.ended ? await lookAtRepos(ctx, record, left.map(({ name }) => name)) : [];
    const repos = record.repos.map((repo): ChangedRepo => {
      const { name, before, after } = repo;
      const look = looks[left.indexOf(repo)];
      const by = undoneIn(record, repo, all);
      const fact = look !== undefined && "fact" in look ? look.fact : null;
      const obstacle = look !== undefined && "obstacle" in look ? look.obstacle : null;
      return {
        name,
        branch: { before: before.branch, after: after?.branch ?? null },
        head: { before: before.head, after: after?.head ?? null },
        refs: fact?.refs ?? [],
        files: fact?.files ?? [],
        why_not: by === null ? obstacle?.detail ?? null : `run ${by.slice(0, 8)} has undone it`,
        stays: fact?.stays ?? [],
      };
    });
    const data: OperationsData = { operations: [await row(record)], repos };
    return { data };
  },
  render: (data: OperationsData, input, say) => {
    const [only] = data.operations;
    if (data.repos !== undefined && only !== undefined) {
      const whole = data.repos.length === 0;
      // Each may have been changed since by somebody, of which no record tells.
      const goesBack = only.undoable && (whole || data.repos.some((row) => row.why_not === null));
      return {
        summary: `Found ${only.said ?? only.action}${
          only.repos === 0 ? "" : ` in ${count(only.repos, "repo")}`
        }, ${goesBack ? "to be undone" : "not to be undone"}.`,
        details: [
          whole ? wholeText(only) : table(
            ["repo", "branch", "before", "after", "files", "since"],
            data.repos.map((row) => [
              row.name,
              row.branch.after ?? "(no branch)",
              row.head.before?.slice(0, 8) ?? "(none)",
              row.head.after?.slice(0, 8) ?? "(none)",
              cleanLine(few(row.files, 3), 60),
              row.why_not === null ? "" : `✗ ${cleanLine(row.why_not, 80)}`,
            ]),
          ),
          ...data.repos.flatMap((row) => row.stays.map((line) => `Stays: ${cleanLine(line, 200)}`)),
          ...(only.why_not === null ? [] : [`It cannot be undone: ${only.why_not}.`]),
          ...(only.fix === null ? [] : [only.fix]),
        ],
      };
    }
    // In the base workspace several are told apart by their tickets.
    const named = new Set(data.operations.map(({ ticket }) => ticket)).size > 1;
    return {
      summary: data.operations.length === 0
        ? "Found no runs that changed repositories."
        : `Found ${count(data.operations.length, "operation")}.`,
      details: data.operations.length === 0
        ? input.since === undefined ? "None is kept." : "None is so young."
        : blocks(
          ...newestLines(data.operations),
          table(
            ["run", "action", ...named ? ["ticket"] : [], "when", "repos", {
              name: "undo",
              prose: true,
              worth: 6,
            }],
            data.operations.map((row) => [
              row.run_id.slice(0, 8),
              row.said ?? row.action,
              ...named ? [row.ticket] : [],
              cleanLine(say.time(row.at), 30),
              row.repos === 0 ? null : row.repos,
              row.why_not === null ? "✓" : cleanLine(row.why_not, 200),
            ]),
          ),
        ),
    };
  },
});
