/**
 * `amof sync`: clones what is missing and brings the rest forward (WORKSPACE-15).
 *
 * It only fast-forwards, and never merges or checks out. A repository on a feature branch stays there while its
 * base branch moves, and the branch of a ticket goes to where its own remote branch is. What cannot move safely
 * is skipped with the reason.
 *
 * With nothing new it costs two git processes per repository, and one where the control repository has a
 * remote.
 */

import type { RunId } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { inPool } from "../../base/async/pool.ts";
import { hostOf } from "../../git/mod.ts";
import { foldingInput } from "../../contract/input.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  onlyTyped,
  type Result,
} from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { MANY, table } from "../../base/text/table.ts";
import { noteLines } from "../advice/need_lines.ts";
import { foldedRepos } from "../../base/text/parts.ts";
import { count, few, list, remediesByRepo, shellWord } from "../../base/text/words.ts";
import {
  refreshEditorFile,
  RepoCounter,
  requireWorkspace,
  whyOf,
  type WorkspaceState,
} from "../../workspace/mod.ts";
import { controlDrift, driftText, lockedCommits } from "../look/drift.ts";
import { expectedBranch } from "../../workspace/clones/mod.ts";
import { type Manifest, manifestFile, type Repo } from "../../workspace/manifest/mod.ts";
import {
  askBranches,
  type AskedBranch,
  askedLines,
  writeBranches,
  wroteBranches,
} from "../../workspace/manifest/changing.ts";
import {
  borrowing,
  rememberMerged,
  repairSteps,
  Transfers,
} from "../../workspace/clones/changing.ts";
import {
  noneStands,
  select,
  type Selecting,
  SELECTION_FLAGS,
  selectionInput,
} from "../selection/mod.ts";
import { basesOfTickets, scopeManifest } from "../../workspace/tickets/mod.ts";
import { describe, planFor, type SyncPlan } from "./plan.ts";
import { backToLock, leftLock, type Remedy, remedyLines, waysFromLock } from "./past_lock.ts";
import { syncOne } from "./repo.ts";
import type { SyncRow } from "./row.ts";

/** What messages call it. */
const CONTROL = "control repository";

interface SyncData {
  readonly result: "success" | "partial" | "failed";
  readonly repos: readonly SyncRow[];
  /** What is to be said of the control repository; absent where that is nothing. */
  readonly warnings?: readonly string[];
  /** What was at the commit of the lock, and is past it now; absent where that is none. */
  readonly left_lock?: {
    readonly repos: readonly string[];
    /** The ways from there. */
    readonly next: readonly Remedy[];
  };
}

interface SyncFacts {
  readonly repos: readonly SyncPlan[];
  /** Base branches that the manifest does not name, as their remotes do; they are written down. */
  readonly asked: readonly AskedBranch[];
  /** How what leaves the lock goes back to it. */
  readonly way_back: Awaited<ReturnType<typeof backToLock>>;
}

interface SyncInput extends Selecting {
  readonly failed_from?: string | undefined;
}

async function chosen(
  ctx: CommandContext,
  input: SyncInput,
): Promise<
  { manifest: Manifest; repos: readonly Repo[]; directory: string; state: WorkspaceState | null }
> {
  const manifest = await scopeManifest(ctx);
  const { directory, state } = await requireWorkspace(ctx, ctx.root, manifest);
  const from = { manifest, workspace: directory, state, action: "sync" };
  const named = await select(ctx, from, input);
  if (input.failed_from === undefined) return { manifest, repos: named, directory, state };
  const failed = await select(ctx, from, { only: [`failed=${input.failed_from}`] });
  const repos = named.filter((repo) => failed.includes(repo));
  return { manifest, repos, directory, state };
}

/**
 * How the control repository stands to what it follows: as last fetched, or, of a sync of everything, once that is fetched.
 * What cannot be fetched stops nothing.
 */
async function controlWarnings(
  ctx: ExecuteContext,
  transfers: Transfers,
  fetches: boolean,
): Promise<string[]> {
  const { branches, remotes } = ctx.git.at(ctx.root, CONTROL);
  const branch = await branches.current();
  const url = await remotes.configured("origin");
  if (branch === null || url === null || !(await branches.following()).has(branch)) return [];
  try {
    if (fetches) await transfers.turn(ctx, { name: CONTROL, url }, () => remotes.fetch(branch));
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return [`The ${CONTROL} could not be fetched: ${whyOf(error)}`];
  }
  const drift = await controlDrift(ctx);
  return drift === null ? [] : [driftText(drift)];
}

/** How many were synced, and which were not; the rows say why. */
function syncedWithout(rows: readonly SyncRow[], failed: readonly SyncRow[]): string {
  const names = few(failed.map(({ name }) => `"${name}"`), 5);
  const skipped = rows.filter(({ result }) => result === "skipped").length;
  return `Synced ${rows.length - failed.length - skipped} of ${count(rows.length, "repo")}${
    skipped > 0 ? `, ${skipped} skipped` : ""
  }, without ${names}`;
}

/** How one ended, in words. */
const words = (row: SyncRow | undefined): string => (row?.result ?? "").replaceAll("_", " ");

/** Which rows nobody needs to see where there are many: what had no news, and news where that is the usual. */
function isPlain(rows: readonly SyncRow[]): (index: number) => boolean {
  const plain = rows.filter(({ result }) => result === "updated").length > MANY
    ? ["up_to_date", "updated"]
    : ["up_to_date"];
  return (index) => plain.includes(rows[index]?.result ?? "");
}

/** What helps: what fixes those that failed, and the command that does only those again. */
function hintFor(failed: readonly SyncRow[], run: string): string[] {
  const again = `amof sync --only failed=${run}`;
  return [...remediesByRepo(failed), `Repeat only the failed ones: ${again}`];
}

/** What a sync of a ticket did not ask for, because that was asked a moment ago. */
function unaskedWarnings(
  ticket: string | null,
  rows: readonly SyncRow[],
  fresh: number,
): string[] {
  const unasked = rows.filter(({ mirror }) => mirror === "fresh").length;
  return ticket === null || unasked === 0 ? [] : [
    `${
      count(unasked, "remote was", "remotes were")
    } not asked again within ${fresh} s. Ask now: amof sync --ticket ${
      shellWord(ticket)
    } --fresh 0`,
  ];
}

/** How the whole ended; several repositories that want credentials are one message. */
function conclude(
  rows: readonly SyncRow[],
  repos: readonly Repo[],
  runId: RunId | null,
): Result<SyncData> {
  const failed = rows.filter((entry) => entry.result === "failed");
  const result = failed.length === 0
    ? "success"
    : failed.length === rows.length
    ? "failed"
    : "partial";
  const data: SyncData = { result, repos: rows };
  const [first] = failed;
  if (first === undefined) return { data };
  const locked = failed.filter((entry) => entry.code === "auth_failed");
  const details = {
    repos: failed.map((entry) => ({ name: entry.name, code: entry.code, detail: entry.detail })),
  };
  if (locked.length === failed.length) {
    const hosts = [
      ...new Set(
        locked.map((entry) => hostOf(repos.find((repo) => repo.name === entry.name)?.url ?? "")),
      ),
    ];
    const where = list(hosts.filter((host) => host !== "")) || "the remote";
    return {
      data,
      failure: new AmofError(
        result === "partial" ? "partial_failure" : "auth_failed",
        `Sign in to ${where} first: ${
          count(locked.length, "repository wants", "repositories want")
        } credentials`,
        { hint: "Set up a credential helper or an SSH key, then: amof sync", details },
      ),
    };
  }
  return {
    data,
    failure: new AmofError(
      result === "partial" ? "partial_failure" : first.code ?? "git_failed",
      syncedWithout(rows, failed),
      {
        hint: hintFor(failed, runId?.slice(0, 8) ?? "RUN"),
        details,
      },
    ),
  };
}

/** `amof sync`. */
export const sync = mutation({
  name: "amof_sync_ecosystem",
  path: ["sync"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  idempotent: true,
  runs: "sync",
  inline: "followed",
  locks: "scope",
  openWorld: true,
  needs: "a workspace",
  inTicket: "its workspace",
  next: "after_sync",
  title: "Sync ecosystem",
  summary: "Clone what is missing, fetch, and fast-forward branches; never merges.",
  description:
    "One repository that fails stops no other: the exit code is 5 then, and --only failed repeats those. Base branches move, and the checked-out branch of a ticket to its own remote branch; any other stays. Dirty, diverged or detached repositories are skipped with the reason.",
  flags: SELECTION_FLAGS,
  examples: ["sync", "sync --repo api --jobs 4", "sync --only failed"],
  input: (z) => ({
    ...selectionInput(z),
    failed_from: z.string().optional().describe("The same as --only failed=RUN")
      .meta({ deprecated: true }),
    fresh: onlyTyped(
      z.int().min(0).max(31_536_000).default(60).describe(
        "In a ticket: do not ask a remote that was asked for any ticket so many seconds ago",
      ),
    ),
    ...foldingInput(z),
  }),
  async preview(ctx, input) {
    const { manifest, repos, directory, state } = await chosen(ctx, input);
    const commits = ctx.ticket === null ? await lockedCommits(ctx, ctx.ecosystem) : new Map();
    const plans = await inPool(
      ctx.jobs,
      repos,
      (repo) =>
        planFor(ctx, directory, repo, {
          branch: expectedBranch(repo, state),
          locked: commits.get(repo.name) ?? null,
        }),
    );
    const absent = repos.filter((_, index) => plans[index]?.action === "clone");
    const facts: SyncFacts = {
      repos: plans,
      asked: await askBranches(ctx, absent),
      way_back: await backToLock(ctx, directory, {
        repos: manifest.repos,
        leaving: plans.flatMap(({ name, at_lock: is }) => is === undefined ? [] : [name]),
        locked: commits,
      }),
    };
    const missing = facts.repos.filter((repo) => repo.action === "clone").length;
    const asked = askedLines(facts.asked, manifestFile(ctx.ecosystem));
    const leaving = plans.flatMap(({ name, at_lock: is }) => is === "behind" ? [name] : []);
    const past = leaving.length === 0
      ? []
      : [leftLock(leaving, false), ...remedyLines(waysFromLock(facts.way_back, false))];
    return {
      facts,
      summary: `Would sync ${count(facts.repos.length, "repo")}, ${missing} of them to clone.`,
      effects: [...asked, ...facts.repos.map(describe), ...past],
      details: [...asked, ...foldedRepos(facts.repos, describe, input), ...past],
      current: `${count(facts.repos.length - missing, "repo")} cloned, ${missing} missing`,
      alternatives: ["Look at the state first: amof status --fetch"],
      ...(facts.repos.length === 0 ? { settled: conclude([], [], null) } : {}),
    };
  },
  async execute(ctx, { repos: named, tags, only, failed_from, fresh }, facts) {
    await writeBranches(ctx, facts.asked);
    for (const line of wroteBranches(facts.asked, manifestFile(ctx.ecosystem))) {
      ctx.report.log("warn", line);
    }
    const manifest = await scopeManifest(ctx);
    const { directory, state } = await requireWorkspace(ctx, ctx.root, manifest);
    const names = new Set(facts.repos.map(({ name }): string => name));
    const repos = manifest.repos.filter(({ name }) => names.has(name));
    const transfers = new Transfers(ctx.transfers);
    const tally = new RepoCounter(ctx.report, "syncing", repos.length);
    const sources = {
      transfers,
      tally,
      fresh,
      bases: await borrowing(ctx),
      also: repos.flatMap((repo) => [...basesOfTickets(state, repo).values()]),
    };
    const left = new Set(
      facts.repos.filter(({ action }) => action === "leave").map(({ name }) => name),
    );
    const usable = repos.filter(({ name }) => !left.has(name));
    const tidy = await repairSteps(ctx, directory, usable, true);
    // Transfers are limited by host and in all; the pool only bounds how many wait.
    const sync = () =>
      ctx.git.keeping(() =>
        inPool(64, repos, async (repo) => {
          const result = await syncOne(ctx, sources, directory, repo);
          ctx.report.log(
            result.result === "failed" ? "error" : "info",
            `${repo.name}: ${result.result.replaceAll("_", " ")}${
              result.detail === "" ? "" : `, ${result.detail}`
            }`,
            {
              type: "repo",
              payload: { repo: repo.name, result: result.result },
            },
          );
          tally.end(repo.name);
          return result;
        })
      );
    const isWhole = ctx.ticket === null &&
      [named, tags, only, failed_from].every((words) => words === undefined);
    const [rows, control] = await Promise.all([
      ctx.watchOver(tidy, sync),
      controlWarnings(ctx, transfers, isWhole),
    ]);
    const warnings = [...control, ...unaskedWarnings(ctx.ticket, rows, fresh)];
    const fetched = rows.filter(({ result }) => result !== "failed").map(({ name }) => name);
    await rememberMerged(
      ctx,
      { workspace: directory, workspaceBranch: manifest.workspaceBranch },
      (ctx.ticket === null ? repos : (await scopeManifest(ctx)).repos)
        .filter(({ name }) => fetched.includes(name)),
    );
    if (await refreshEditorFile(ctx.system, directory, manifest)) {
      ctx.report.log("info", "Brought the editor's workspace file up to date");
    }
    const { data, ...end } = conclude(rows, repos, ctx.runId);
    const past = rows.flatMap(({ name, result }) =>
      result === "updated" &&
        facts.repos.some((plan) => plan.name === name && plan.at_lock !== undefined)
        ? [name]
        : []
    );
    return {
      data: {
        ...data,
        ...(warnings.length === 0 ? {} : { warnings }),
        ...(past.length === 0 ? {} : {
          left_lock: { repos: past, next: waysFromLock(facts.way_back, true) },
        }),
      },
      ...end,
    };
  },
  undo: {
    changes: (facts: SyncFacts) => ({
      repos: facts.repos.filter(({ action }) => action === "update").map(({ name }) => name),
      what: "names",
      forwards: true,
    }),
    irreversible: "what was fetched and cloned",
  },
  render: (data: SyncData, input) => {
    const ordered = [
      ...data.repos.filter((entry) => entry.result === "failed"),
      ...data.repos.filter((entry) => entry.result !== "failed"),
    ];
    const failed = data.repos.filter((entry) => entry.result === "failed");
    const skippedRows = data.repos.filter((entry) => entry.result === "skipped");
    const shown = table(
      ["repo", "result", "detail"],
      ordered.map((
        entry,
      ) => [
        `${entry.result === "failed" ? "✗ " : ""}${entry.name}`,
        words(entry),
        // With what helps it is told below.
        entry.code === null && entry.fix !== null ? "" : cleanLine(entry.detail, 300),
      ]),
    );
    const none = noneStands(input);
    return {
      summary: failed.length > 0
        ? `${syncedWithout(data.repos, failed)}.`
        : data.repos.length === 0 && none !== null
        ? none
        : `Synced ${count(data.repos.length - skippedRows.length, "repo")}${
          skippedRows.length > 0 ? `, ${skippedRows.length} skipped` : " successfully"
        }.`,
      details: data.repos.length === 0 ? "Nothing to sync." : [
        input.all ? shown : shown.folding(isPlain(ordered), (index) => words(ordered[index])),
        ...noteLines(ordered.filter(({ result }) => result !== "failed"), input.all),
        ...(data.warnings ?? []).map((warning) => `⚠ ${warning}`),
        ...(data.left_lock === undefined
          ? []
          : [leftLock(data.left_lock.repos, true), ...remedyLines(data.left_lock.next)]),
      ],
    };
  },
});
