/**
 * `amof push`: sends local commits of every writable repository to its remote (amof.md §2.5).
 *
 * Never commits unless asked, never touches a base branch unless asked, never forces, sends only what is
 * ahead, and exactly the commits that were previewed. The control repository is left alone.
 *
 * @module
 */

import { AmofError, type ErrorCode, toAmofError } from "../error.ts";
import {
  classifyGitFailure,
  gitFailure,
  inPool,
  logLines,
  type OnLine,
  reason,
} from "../git/mod.ts";
import { type ExecuteContext, mutation, type Result } from "../spec/mod.ts";
import { timestamp } from "../system/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count, remedies } from "../text/words.ts";
import { loadManifest, type Manifest } from "./manifest.ts";
import { BLOCKED, planPush, type PushFact, type SkipFact } from "./push_plan.ts";
import { freshState, type LastPush, loadState, saveState } from "./state.ts";
import { repoDirectory, requireWorkspace, selectRepos } from "./workspace.ts";

interface PushRow {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly result: "pushed" | "skipped" | "failed";
  readonly branch: string;
  readonly commits: number;
  readonly commit: string | null;
  readonly detail: string;
  readonly code: ErrorCode | null;
  readonly fix: string | null;
}

/** The answer: one row per repository, in manifest order. */
interface PushData {
  readonly [field: string]: unknown;
  readonly outcome: "success" | "partial" | "failed";
  readonly repos: readonly PushRow[];
}

function skippedRow(fact: SkipFact): PushRow {
  return {
    name: fact.name,
    result: "skipped",
    branch: fact.branch,
    commits: 0,
    commit: null,
    detail: fact.detail,
    code: BLOCKED[fact.reason]?.code ?? null,
    fix: fact.fix,
  };
}

/** Puts rows in the order of the manifest and decides how the whole ended. */
function conclude(rows: readonly PushRow[], order: readonly string[]): Result<PushData> {
  const sorted = order.flatMap((name) => rows.filter((row) => row.name === name));
  const pushed = sorted.filter((row) => row.result === "pushed");
  const bad = sorted.filter((row) => row.code !== null);
  const outcome = bad.length === 0 ? "success" : pushed.length === 0 ? "failed" : "partial";
  const data: PushData = { outcome, repos: sorted };
  const [first] = bad;
  if (first === undefined) return { data };
  const verb = first.result === "failed" ? "failed" : "was held back";
  const code: ErrorCode = pushed.length > 0 ? "partial_failure" : first.code ?? "git_failed";
  return {
    data,
    failure: new AmofError(
      code,
      pushed.length > 0
        ? `Pushed ${pushed.length} of ${
          pushed.length + bad.length
        } repos; "${first.name}" ${verb}: ${first.detail}`
        : `Pushed nothing: "${first.name}" ${verb}: ${first.detail}`,
      {
        hint: first.result === "failed" ? "Mend the cause, then repeat: amof push" : hintFor(bad),
        details: {
          repos: bad.map((row) => ({
            name: row.name,
            result: row.result,
            code: row.code,
            detail: row.detail,
          })),
        },
      },
    ),
  };
}

/** What the held-back repositories need, each remedy once. */
function hintFor(bad: readonly PushRow[]): string {
  return remedies(bad.map((row) => row.fix ?? "look at it: amof status"));
}

/**
 * Makes the branch follow what was pushed; answers a remark for the row when that did not work. The push
 * itself stands then, and must be reported as what it is. Not ended by an interrupt, for the same reason.
 */
async function followRemote(
  ctx: ExecuteContext,
  directory: string,
  fact: PushFact,
  onLine: OnLine,
): Promise<string> {
  const git = ctx.git.until();
  const upstream = `${fact.remote}/${fact.branch}`;
  try {
    const snapshot = await git.status(directory, fact.name);
    if (snapshot.upstream !== upstream) {
      await git.branches.setUpstream(directory, fact.branch, upstream, fact.name);
    }
    return "";
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    onLine("stderr", thrown.message);
    return "; its upstream could not be set";
  }
}

async function pushOne(
  ctx: ExecuteContext,
  manifest: Manifest,
  workspace: string,
  fact: PushFact,
  message: string | null,
): Promise<PushRow> {
  const row = {
    name: fact.name,
    branch: fact.branch,
    commits: fact.ahead,
    commit: fact.head,
    fix: null,
  };
  const failed = (error: AmofError): PushRow => {
    ctx.report.log("error", `${fact.name}: ${error.message}`, {
      type: "repo",
      payload: { repo: fact.name, code: error.code },
    });
    return { ...row, result: "failed", detail: error.message, code: error.code };
  };
  try {
    // Between repositories is where a cancellation takes hold; a started push is left to git.
    if (ctx.signal.aborted) {
      return failed(new AmofError("cancelled", "Stopped before this repository"));
    }
    const repo = manifest.repos.find((entry) => entry.name === fact.name);
    if (repo === undefined) {
      return failed(new AmofError("repo_not_found", `Cannot find "${fact.name}" in the manifest`));
    }
    const directory = await repoDirectory(ctx.system, workspace, repo);
    const onLine = logLines(ctx.report.log, fact.name, { stdout: "info", stderr: "warn" });
    let head = fact.head;
    if (fact.commit_files > 0 && message !== null) {
      await ctx.git.commits.all(directory, message, fact.name, onLine);
      head = await ctx.git.refs.resolve(directory, "HEAD");
    }
    if (head === null) return failed(new AmofError("git_failed", "There is no commit to push"));
    const outcome = await ctx.git.remotes.push(directory, fact.remote, head, fact.branch, onLine);
    if (!outcome.ok) {
      const error = gitFailure(outcome.result, `push "${fact.name}"`, fact.name);
      const kind = classifyGitFailure(outcome.result);
      const why = cleanLine(outcome.reason ?? reason(outcome.result));
      return { ...failed(error), commit: head, detail: kind === "cancelled" ? "cancelled" : why };
    }
    const note = await followRemote(ctx, directory, fact, onLine);
    const commits = fact.ahead + (head === fact.head ? 0 : 1);
    ctx.report.log(
      "info",
      `${fact.name}: pushed ${count(commits, "commit")} to ${fact.remote}/${fact.branch}`,
      {
        type: "repo",
        payload: { repo: fact.name, commit: head },
      },
    );
    return {
      ...row,
      commits,
      commit: head,
      result: "pushed",
      detail: `${fact.remote}/${fact.branch}${fact.new_branch ? " (new branch)" : ""}${note}`,
      code: null,
    };
  } catch (thrown) {
    return failed(toAmofError(thrown, () => ctx.system.ids.hex(8)));
  }
}

/** Remembers the successful pushes in the workspace state. */
async function recordPushes(
  ctx: ExecuteContext,
  manifest: Manifest,
  workspace: string,
  rows: readonly PushRow[],
): Promise<void> {
  const pushes = new Map<string, LastPush>();
  for (const row of rows) {
    if (row.result !== "pushed" || row.commit === null) continue;
    pushes.set(row.name, {
      branch: row.branch,
      commit: row.commit.slice(0, 7),
      commit_full: row.commit,
      pushed_at: timestamp(ctx.system.clock.now()),
    });
  }
  if (pushes.size === 0) return;
  const state = await loadState(ctx.system, workspace) ??
    freshState(ctx.system, manifest.name, manifest.workspaceBranch);
  const known = state.repos.map((repo) => {
    const push = pushes.get(repo.name);
    pushes.delete(repo.name);
    return push === undefined ? repo : { ...repo, last_push: push };
  });
  const added = [...pushes].map(([name, last_push]) => ({ name, last_push }));
  await saveState(ctx.system, workspace, { ...state, repos: [...known, ...added] });
}

function describe(fact: PushFact): string {
  const commits = fact.commit_files > 0
    ? `${count(fact.commit_files, "file")} to commit${
      fact.ahead > 0 ? `, ${count(fact.ahead, "commit")} ahead` : ""
    }`
    : `${count(fact.ahead, "commit")} ahead`;
  return `${fact.name}  ${cleanLine(fact.branch, 60)} → ${fact.remote}  (${commits}${
    fact.new_branch ? ", new branch" : ""
  })`;
}

/** `amof push`. */
export const push = mutation({
  name: "amof_push_ecosystem",
  path: ["push"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  runs: "push",
  exclusive: true,
  openWorld: true,
  title: "Push ecosystem",
  summary: "Push local commits of the writable repositories to their remotes; never forces.",
  description:
    "One repository that fails or is held back stops no other: the exit code is 5 then. Dirty repositories are held back unless --commit is given, base branches unless --allow-base. Repositories that are behind their remote branch are held back.",
  flags: { repos: "repo" },
  short: { message: "m" },
  instead: { force: "Nothing is pushed by force; take in what the remotes have first: amof sync" },
  examples: [
    "push",
    "push --dry-run",
    'push --commit -m "PROJ-123 Fix the login"',
    "push --repo api --yes --json",
  ],
  input: (z) =>
    z.strictObject({
      commit: z.boolean().default(false).describe("Commit all changes of dirty repositories first"),
      message: z.string().min(1).max(10_000).optional().describe("Message of that commit"),
      allow_base: z.boolean().default(false).describe("Also push base branches"),
      repos: z.array(z.string()).optional().describe("Only these repositories"),
    }),
  async preview(ctx, input) {
    const { facts, manifest } = await planPush(ctx, input);
    const order = selectRepos(manifest, input.repos).map((repo) => repo.name);
    const total = facts.repos.reduce((sum, fact) => sum + fact.ahead, 0);
    const skippedLines = facts.skipped.map((fact) => `${fact.name}  skipped: ${fact.detail}`);
    return {
      facts,
      summary: `Would push ${count(facts.repos.length, "repo")}.`,
      effects: facts.repos.map(describe),
      details: [
        ...facts.repos.map(describe),
        ...skippedLines,
        ...(facts.message === null ? [] : [`Commit message: ${cleanLine(facts.message)}`]),
      ].join("\n"),
      irreversible: "Pushed commits are visible to others and cannot be taken back quietly.",
      current: `${count(facts.repos.length, "repo")} ahead with ${count(total, "commit")}, ${
        facts.skipped.filter((fact) => fact.blocked).length
      } held back`,
      alternatives: [
        "Look at the state first: amof status",
        "Preview without pushing: amof push --dry-run",
      ],
      ...(facts.repos.length === 0
        ? { settled: conclude(facts.skipped.map(skippedRow), order) }
        : {}),
    };
  },
  async execute(ctx, input, facts) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const workspace = await requireWorkspace(ctx, ctx.root, manifest);
    let done = 0;
    const rows = await inPool(ctx.jobs, facts.repos, async (fact) => {
      const row = await pushOne(ctx, manifest, workspace.directory, fact, facts.message);
      ctx.report.progress(++done, facts.repos.length, fact.name);
      return row;
    });
    await recordPushes(ctx, manifest, workspace.directory, rows);
    const order = selectRepos(manifest, input.repos).map((repo) => repo.name);
    return conclude([...rows, ...facts.skipped.map(skippedRow)], order);
  },
  render: (data: PushData) => {
    const pushed = data.repos.filter((row) => row.result === "pushed");
    const bad = data.repos.filter((row) => row.code !== null);
    const mark = { pushed: "✓", failed: "✗", skipped: "–" };
    const rows = [...bad, ...data.repos.filter((row) => row.code === null)].map((row) => [
      `${row.code === null ? mark[row.result] : "✗"} ${row.name}`,
      row.result,
      row.commits > 0 ? String(row.commits) : "",
      cleanLine(row.detail, 100),
    ]);
    const [first] = bad;
    return {
      summary: first === undefined
        ? pushed.length === 0
          ? "Pushed nothing: every repo is up to date."
          : `Pushed ${count(pushed.length, "repo")} successfully.`
        : pushed.length === 0
        ? `Pushed nothing; ${count(bad.length, "repo")} held back or failed.`
        : `Pushed ${pushed.length} of ${
          pushed.length + bad.length
        } repos; ${first.name} did not go.`,
      details: rows.length === 0
        ? "No repositories."
        : table(["repo", "result", "commits", "detail"], rows),
    };
  },
});
