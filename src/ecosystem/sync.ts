/**
 * `amof sync`: clones what is missing and brings the rest forward (amof.md §2.4).
 *
 * Only fast-forwards, never a merge, never a checkout: a repository on a feature branch stays there while
 * its base branch moves. What cannot move safely is skipped with the reason. With nothing new it costs two
 * git processes per repository.
 *
 * @module
 */

import { AmofError, type ErrorCode, toAmofError } from "../error.ts";
import { hostOf, inPool, TransferLimits, withRetries } from "../git/mod.ts";
import { type CommandContext, type ExecuteContext, mutation, type Result } from "../spec/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count, list } from "../text/words.ts";
import { cloneRepo } from "./clone.ts";
import { loadManifest, type Repo } from "./manifest.ts";
import { repoDirectory, requireWorkspace, selectRepos } from "./workspace.ts";

/** Why a repository was left as it is. */
type SkipReason = "dirty" | "diverged" | "detached" | "in_progress" | "no_upstream";

interface SyncRow {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly result: "cloned" | "up_to_date" | "updated" | "skipped" | "failed";
  /** The branch that moved, or would have. */
  readonly branch: string;
  /** How many commits came. */
  readonly commits: number;
  readonly reason: SkipReason | null;
  readonly detail: string;
  readonly code: ErrorCode | null;
}

interface SyncData {
  readonly [field: string]: unknown;
  readonly result: "success" | "partial" | "failed";
  readonly repos: readonly SyncRow[];
}

interface SyncFacts {
  readonly [field: string]: unknown;
  readonly repos: readonly { readonly name: string; readonly action: "clone" | "update" }[];
}

interface SyncInput {
  readonly repos?: readonly string[] | undefined;
  readonly failed_from?: string | undefined;
}

/** The repositories that failed in an earlier sync; throws when that run was no sync of this ecosystem. */
async function failedIn(ctx: CommandContext, id: string): Promise<string[]> {
  const run = await ctx.findRun(id);
  const result = run.result as { repos?: readonly { name?: unknown; result?: unknown }[] } | null;
  if (run.action !== "sync" || run.ecosystem !== ctx.ecosystem || !Array.isArray(result?.repos)) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot repeat run ${run.runId.slice(0, 8)}: it is no finished sync of "${ctx.ecosystem}"`,
      {
        hint: "List them: amof runs list --action sync",
        details: { run_id: run.runId, action: run.action, ecosystem: run.ecosystem },
      },
    );
  }
  return result.repos.filter((row) => row.result === "failed").map((row) => String(row.name));
}

async function chosen(
  ctx: CommandContext,
  input: SyncInput,
): Promise<{ repos: Repo[]; directory: string }> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const { directory } = await requireWorkspace(ctx, ctx.root, manifest);
  const named = selectRepos(manifest, input.repos);
  if (input.failed_from === undefined) return { repos: named, directory };
  const failed = new Set(await failedIn(ctx, input.failed_from));
  return { repos: named.filter((repo) => failed.has(repo.name)), directory };
}

/** What a host answered first: once it wants credentials, the others need not be tried. */
class SignIns {
  readonly #hosts = new Map<string, AmofError>();

  /** Throws what the host said before, if it wanted credentials. */
  check(url: string): void {
    const known = this.#hosts.get(hostOf(url));
    if (known !== undefined) throw known;
  }

  /** Remembers a failure of authentication. */
  note(url: string, error: unknown): void {
    const host = hostOf(url);
    if (host !== "" && error instanceof AmofError && error.code === "auth_failed") {
      this.#hosts.set(host, error);
    }
  }
}

interface SyncTools {
  readonly limits: TransferLimits;
  readonly signIns: SignIns;
}

/** Talks to the remote of a repository when it is its turn, and again while the network fails. */
async function transfer(
  ctx: ExecuteContext,
  tools: SyncTools,
  repo: Repo,
  work: () => Promise<void>,
): Promise<void> {
  await tools.limits.turn(repo.url, async () => {
    tools.signIns.check(repo.url);
    try {
      await withRetries(
        ctx.system.clock,
        ctx.signal,
        work,
        (error, delay) =>
          ctx.report.log("warn", `${repo.name}: ${error.message}; again in ${delay / 1000} s`),
      );
    } catch (error) {
      tools.signIns.note(repo.url, error);
      throw error;
    }
  });
}

function row(repo: Repo, fields: Partial<SyncRow> & Pick<SyncRow, "result">): SyncRow {
  return {
    name: repo.name,
    branch: repo.branch,
    commits: 0,
    reason: null,
    detail: "",
    code: null,
    ...fields,
  };
}

function skipped(repo: Repo, reason: SkipReason, detail: string, branch = repo.branch): SyncRow {
  return row(repo, { result: "skipped", reason, detail, branch });
}

/** Moves the checked-out base branch forward, if it can. */
async function advanceCheckedOut(
  ctx: ExecuteContext,
  repo: Repo,
  directory: string,
): Promise<SyncRow> {
  const status = await ctx.git.status(directory, repo.name);
  const upstream = `origin/${repo.branch}`;
  let { ahead, behind } = status;
  if (status.upstream !== upstream || behind === null) {
    const there = `refs/remotes/${upstream}`;
    const tip = await ctx.git.refs.resolve(directory, there);
    behind = tip === null
      ? null
      // Where no commit is, every commit of the remote is to come.
      : status.head === null
      ? await ctx.git.history.countBeyond(directory, tip, [], repo.name)
      : await ctx.git.history.countBetween(directory, "HEAD", there);
    if (behind === null) {
      return skipped(repo, "no_upstream", `the remote has no branch ${repo.branch}`);
    }
    ahead = await ctx.git.history.countBetween(directory, there, "HEAD");
  }
  if (behind === 0) return row(repo, { result: "up_to_date" });
  if (status.changes.length > 0) {
    return skipped(
      repo,
      "dirty",
      `${count(behind, "commit")} behind, ${count(status.changes.length, "file")} not committed`,
    );
  }
  if ((ahead ?? 0) > 0) return skipped(repo, "diverged", `${ahead} ahead and ${behind} behind`);
  await ctx.git.branches.fastForward(directory, `refs/remotes/${upstream}`, repo.name);
  return row(repo, {
    result: "updated",
    commits: behind,
    detail: `${count(behind, "commit")} pulled`,
  });
}

/** Moves the base branch forward while another branch is checked out. */
async function advanceBehind(
  ctx: ExecuteContext,
  repo: Repo,
  directory: string,
  branch: string,
): Promise<SyncRow> {
  const here = `refs/heads/${repo.branch}`;
  const there = `refs/remotes/origin/${repo.branch}`;
  const refs = await ctx.git.refs.list(directory, [here, there], repo.name);
  const old = refs.get(here);
  const next = refs.get(there);
  const stays = `stays on ${cleanLine(branch, 60)}`;
  if (next === undefined) {
    return skipped(repo, "no_upstream", `the remote has no branch ${repo.branch}`);
  }
  if (old === undefined || old === next) return row(repo, { result: "up_to_date", detail: stays });
  if (await ctx.git.history.isAncestor(directory, next, old)) {
    return row(repo, { result: "up_to_date", detail: stays });
  }
  if (!await ctx.git.history.isAncestor(directory, old, next)) {
    return skipped(repo, "diverged", `${repo.branch} has commits of its own`);
  }
  const commits = await ctx.git.history.countBetween(directory, old, next) ?? 0;
  if (!await ctx.git.refs.move(directory, here, next, old)) {
    throw new AmofError(
      "git_failed",
      `Cannot move ${repo.branch} of "${repo.name}" forward: somebody else moved it`,
      {
        hint: "Repeat: amof sync",
        details: { repo: repo.name, kind: "lock" },
      },
    );
  }
  return row(repo, {
    result: "updated",
    commits,
    detail: `${count(commits, "commit")} pulled, ${stays}`,
  });
}

async function syncOne(
  ctx: ExecuteContext,
  tools: SyncTools,
  workspace: string,
  repo: Repo,
): Promise<SyncRow> {
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
    const directory = await repoDirectory(ctx.system, workspace, repo);
    if ((await ctx.system.files.list(directory)).length === 0) {
      await transfer(ctx, tools, repo, () => cloneRepo(ctx, workspace, repo));
      return row(repo, { result: "cloned", detail: `branch ${repo.branch}` });
    }
    const activity = await ctx.git.activity(directory);
    if (activity === null) {
      throw new AmofError(
        "git_failed",
        `Cannot sync "${repo.name}": ${repo.path} exists but is not a git repository`,
        {
          hint: "Move it away, then repeat",
          details: { repo: repo.name, kind: "not_a_repo" },
        },
      );
    }
    await transfer(
      ctx,
      tools,
      repo,
      () =>
        ctx.git.remotes.fetch(
          directory,
          repo.name,
          (stream, line) => ctx.report.log("debug", `${repo.name}: ${line}`, { stream }),
        ),
    );
    if (activity.inProgress !== null) {
      return skipped(repo, "in_progress", `a ${activity.inProgress} is in progress`);
    }
    const branch = await ctx.git.branches.current(directory);
    if (branch === null) return skipped(repo, "detached", "HEAD is detached", "HEAD");
    return branch === repo.branch
      ? await advanceCheckedOut(ctx, repo, directory)
      : await advanceBehind(ctx, repo, directory, branch);
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    return row(repo, { result: "failed", detail: error.message, code: error.code });
  }
}

/** How the whole ended; several repositories that want credentials are one message. */
function conclude(
  rows: readonly SyncRow[],
  repos: readonly Repo[],
  runId: string | null,
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
  if (locked.length > 0) {
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
      `Synced ${
        rows.length - failed.length
      } of ${rows.length} repos; "${first.name}" failed: ${first.detail}`,
      {
        hint: `Repeat only the failed ones: amof sync --failed-from ${runId?.slice(0, 8) ?? "RUN"}`,
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
  exclusive: true,
  openWorld: true,
  title: "Sync ecosystem",
  summary: "Clone what is missing, fetch, and fast-forward base branches; never merges.",
  description:
    "A repository on a feature branch stays there while its base branch moves. Dirty, diverged or detached repositories are skipped with the reason.",
  flags: { repos: "repo" },
  examples: ["sync", "sync --repo api --jobs 4", "sync --failed-from 4e8c1d72"],
  input: (z) =>
    z.strictObject({
      repos: z.array(z.string()).optional().describe("Only these repositories"),
      failed_from: z.string().optional().describe(
        "Only what failed in that sync run",
      ),
    }),
  async preview(ctx, input) {
    const { repos, directory } = await chosen(ctx, input);
    const facts: SyncFacts = {
      repos: await inPool(ctx.jobs, repos, async (repo) => {
        const place = await repoDirectory(ctx.system, directory, repo);
        const present = (await ctx.system.files.list(place)).length > 0;
        return { name: repo.name, action: present ? "update" as const : "clone" as const };
      }),
    };
    const missing = facts.repos.filter((repo) => repo.action === "clone").length;
    return {
      facts,
      summary: `Would sync ${count(facts.repos.length, "repo")}, ${missing} of them to clone.`,
      effects: facts.repos.map((repo) =>
        `${repo.action === "clone" ? "Clone" : "Fetch and fast-forward"} ${repo.name}`
      ),
      current: `${count(facts.repos.length - missing, "repo")} cloned, ${missing} missing`,
      alternatives: ["Look at the state first: amof status --fetch"],
      ...(facts.repos.length === 0 ? { settled: conclude([], [], null) } : {}),
    };
  },
  async execute(ctx, input) {
    const { repos, directory } = await chosen(ctx, input);
    const tools: SyncTools = { limits: new TransferLimits(ctx.transfers), signIns: new SignIns() };
    let done = 0;
    // The limits inside do the holding back; the pool only keeps the number of waiting ones sane.
    const rows = await inPool(64, repos, async (repo) => {
      const result = await syncOne(ctx, tools, directory, repo);
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
      ctx.report.progress(++done, repos.length, repo.name);
      return result;
    });
    return conclude(rows, repos, ctx.runId);
  },
  render: (data: SyncData) => {
    const ordered = [
      ...data.repos.filter((entry) => entry.result === "failed"),
      ...data.repos.filter((entry) => entry.result !== "failed"),
    ];
    const failed = data.repos.filter((entry) => entry.result === "failed");
    const skippedRows = data.repos.filter((entry) => entry.result === "skipped");
    const good = data.repos.length - failed.length;
    return {
      summary: failed.length > 0
        ? `Synced ${good} of ${data.repos.length} repos; ${failed[0]?.name ?? ""} failed.`
        : `Synced ${count(data.repos.length, "repo")}${
          skippedRows.length > 0 ? `, ${skippedRows.length} skipped` : " successfully"
        }.`,
      details: data.repos.length === 0 ? "Nothing to sync." : table(
        ["repo", "result", "detail"],
        ordered.map((
          entry,
        ) => [
          `${entry.result === "failed" ? "✗ " : ""}${entry.name}`,
          entry.result.replaceAll("_", " "),
          cleanLine(entry.detail, 100),
        ]),
        30,
      ),
    };
  },
});
