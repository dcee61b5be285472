/**
 * `amof push`: sends local commits of every writable repository to its remote (amof.md §2.5).
 *
 * Never commits unless asked, never touches a base branch unless asked, never forces, sends only what is
 * ahead, and exactly the commits that were previewed. The control repository is left alone.
 *
 * @module
 */

import { AmofError, type ErrorCode, toAmofError } from "../error.ts";
import { classifyGitFailure, Git, gitFailure, inPool, type OnLine, reason } from "../git/mod.ts";
import { type CommandContext, type ExecuteContext, mutation, type Result } from "../spec/mod.ts";
import { timestamp } from "../system/mod.ts";
import { maskSecrets } from "../text/mask.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count } from "../text/words.ts";
import { changesDigest } from "./changes.ts";
import { inspectRepos, type RepoSnapshot } from "./inspect.ts";
import { loadManifest, type Manifest } from "./manifest.ts";
import { freshState, type LastPush, loadState, saveState, type WorkspaceState } from "./state.ts";
import { repoDirectory, requireWorkspace, selectRepos } from "./workspace.ts";

const REMOTE = "origin";

/** Why a repository is left out. Those of `BLOCKED` hold back work that was meant to be pushed. */
type SkipReason =
  | "readonly"
  | "missing"
  | "nothing_to_push"
  | "dirty"
  | "base_branch"
  | "wrong_branch"
  | "detached"
  | "in_progress"
  | "conflicted"
  | "diverged"
  | "no_remote"
  | "unreadable";

const BLOCKED: Readonly<
  Partial<Record<SkipReason, { readonly code: ErrorCode; readonly fix: string }>>
> = {
  dirty: { code: "repo_dirty", fix: "commit the changes, or push with --commit" },
  base_branch: { code: "push_refused", fix: "work on a feature branch, or push with --allow-base" },
  wrong_branch: { code: "push_refused", fix: "switch to the ticket's branch" },
  detached: { code: "push_refused", fix: "switch to a branch" },
  in_progress: { code: "repo_in_progress", fix: "finish or abort the operation" },
  conflicted: { code: "repo_in_progress", fix: "resolve the conflicts" },
  diverged: { code: "repo_diverged", fix: "integrate the remote's commits first" },
  no_remote: { code: "push_refused", fix: `add the remote "${REMOTE}"` },
  unreadable: { code: "git_failed", fix: "look at the error above" },
};

/** A repository that would be pushed. */
interface PushFact {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly branch: string;
  readonly remote: string;
  /** Where it goes, without credentials. */
  readonly url: string;
  /** Commits the remote branch does not have. */
  readonly ahead: number;
  readonly head: string | null;
  readonly new_branch: boolean;
  /** Files that would be committed first; 0 when nothing would. */
  readonly commit_files: number;
  /** Changes with the files, so that a confirmation covers exactly these contents. */
  readonly changes_digest: string | null;
}

interface SkipFact {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly branch: string;
  readonly reason: SkipReason;
  readonly detail: string;
  /** Whether work is held back. */
  readonly blocked: boolean;
  /** What would let it go, or null. */
  readonly fix: string | null;
}

interface PushFacts {
  readonly [field: string]: unknown;
  readonly repos_affected: readonly string[];
  readonly repos: readonly PushFact[];
  readonly skipped: readonly SkipFact[];
  /** The commit message, when something would be committed. */
  readonly message: string | null;
}

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

interface PushInput {
  readonly message?: string | undefined;
  readonly commit: boolean;
  readonly allow_base: boolean;
  readonly repos?: readonly string[] | undefined;
}

function skip(snapshot: RepoSnapshot, why: SkipReason, detail: string): SkipFact {
  return {
    name: snapshot.repo.name,
    branch: snapshot.git?.branch ?? (snapshot.git === null ? "-" : "HEAD"),
    reason: why,
    detail,
    blocked: BLOCKED[why] !== undefined,
    fix: BLOCKED[why]?.fix ?? null,
  };
}

function isSkip(fact: PushFact | SkipFact): fact is SkipFact {
  return "reason" in fact;
}

/** Commits that pushing this branch under its own name would send. At most two git processes. */
async function aheadOfRemote(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  branch: string,
): Promise<{ ahead: number; behind: number; fresh: boolean }> {
  const { git, repo, directory } = snapshot;
  // The upstream may be the base branch; what counts is the branch of the same name.
  if (git?.upstream === `${REMOTE}/${branch}` && git.ahead !== null) {
    return { ahead: git.ahead, behind: git.behind ?? 0, fresh: false };
  }
  const there = `refs/remotes/${REMOTE}/${branch}`;
  const ahead = await ctx.git.countBetween(directory, there, "HEAD");
  if (ahead === null) {
    return { ahead: await ctx.git.unpushedCount(directory, repo.name), behind: 0, fresh: true };
  }
  return { ahead, behind: await ctx.git.countBetween(directory, "HEAD", there) ?? 0, fresh: false };
}

/** What would happen to one repository, and why not, if nothing. */
async function decide(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  state: WorkspaceState | null,
  input: PushInput,
): Promise<PushFact | SkipFact> {
  const { repo, git } = snapshot;
  if (repo.readonly) return skip(snapshot, "readonly", "read-only repositories are never pushed");
  if (snapshot.missing) return skip(snapshot, "missing", "not cloned");
  if (git === null) {
    return skip(snapshot, "unreadable", snapshot.error?.message ?? "cannot be read");
  }
  const dirty = git.changes.length > 0;
  if (git.branch === null) {
    return dirty || snapshot.unpushed > 0
      ? skip(snapshot, "detached", "HEAD is detached")
      : skip(snapshot, "nothing_to_push", "HEAD is detached, nothing is ahead");
  }
  const { ahead, behind, fresh } = await aheadOfRemote(ctx, snapshot, git.branch);
  if (ahead === 0 && !dirty) return skip(snapshot, "nothing_to_push", "up to date");
  if (snapshot.inProgress !== null) {
    return skip(snapshot, "in_progress", `a ${snapshot.inProgress} is in progress`);
  }
  const tracked = state?.tickets[state.active_ticket ?? ""]?.repos[repo.name] !== undefined;
  if (tracked && git.branch !== snapshot.expectedBranch && git.branch !== repo.branch) {
    return skip(
      snapshot,
      "wrong_branch",
      `on ${cleanLine(git.branch, 60)} instead of ${snapshot.expectedBranch}`,
    );
  }
  if (git.changes.some((change) => change.conflicted)) {
    return skip(snapshot, "conflicted", "files have conflicts");
  }
  if (dirty && !input.commit) {
    return skip(
      snapshot,
      "dirty",
      `${count(git.changes.length, "file")} not committed${
        ahead > 0 ? `, ${count(ahead, "commit")} ahead` : ""
      }`,
    );
  }
  if (git.branch === repo.branch && !input.allow_base) {
    return skip(snapshot, "base_branch", `${cleanLine(git.branch, 60)} is the base branch`);
  }
  if (behind > 0) {
    return skip(snapshot, "diverged", `the remote branch has ${count(behind, "commit")} more`);
  }
  const url = await ctx.git.pushUrl(snapshot.directory, REMOTE);
  if (url === null) return skip(snapshot, "no_remote", `there is no remote "${REMOTE}"`);
  return {
    name: repo.name,
    branch: git.branch,
    remote: REMOTE,
    url: maskSecrets(url),
    ahead,
    head: git.head,
    new_branch: fresh,
    commit_files: dirty ? git.changes.length : 0,
    changes_digest: dirty ? await changesDigest(ctx, snapshot.directory, git.changes) : null,
  };
}

/** The default message of a commit made on the way (amof.md §2.5). */
function defaultMessage(state: WorkspaceState | null, facts: readonly PushFact[]): string {
  const branch = facts.find((fact) => fact.commit_files > 0)?.branch ?? "";
  const ticket = state?.active_ticket ??
    (branch.includes("/") ? branch.split("/").pop() : undefined);
  return ticket === undefined
    ? "Commit uncommitted changes"
    : `${ticket} Commit uncommitted changes`;
}

async function plan(
  ctx: CommandContext,
  input: PushInput,
): Promise<{ facts: PushFacts; manifest: Manifest }> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const repos = selectRepos(manifest, input.repos);
  const snapshots = await inspectRepos(
    ctx,
    workspace.directory,
    repos,
    workspace.state,
    { untracked: input.commit ? "all" : "normal" },
  );
  const decided = await inPool(ctx.jobs, snapshots, async (snapshot) => {
    try {
      return await decide(ctx, snapshot, workspace.state, input);
    } catch (thrown) {
      // One repository that cannot be looked at holds back itself and no other.
      const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
      return skip(snapshot, "unreadable", error.message);
    }
  });
  const going = decided.filter((fact): fact is PushFact => !isSkip(fact));
  return {
    manifest,
    facts: {
      repos_affected: going.map((fact) => fact.name),
      repos: going,
      skipped: decided.filter(isSkip),
      message: going.some((fact) => fact.commit_files > 0)
        ? input.message ?? defaultMessage(workspace.state, going)
        : null,
    },
  };
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
  return [...new Set(bad.map((row) => row.fix ?? "see amof status"))].join("; ");
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
  const git = new Git(ctx.system);
  const upstream = `${fact.remote}/${fact.branch}`;
  try {
    const snapshot = await git.status(directory, fact.name);
    if (snapshot.upstream !== upstream) {
      await git.setUpstream(directory, fact.branch, upstream, fact.name);
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
    const onLine: OnLine = (stream, line) =>
      ctx.report.log(stream === "stderr" ? "warn" : "info", `${fact.name}: ${line}`, { stream });
    let head = fact.head;
    if (fact.commit_files > 0 && message !== null) {
      await ctx.git.commitAll(directory, message, fact.name, onLine);
      head = await ctx.git.resolveRef(directory, "HEAD");
    }
    if (head === null) return failed(new AmofError("git_failed", "There is no commit to push"));
    const outcome = await ctx.git.push(directory, fact.remote, head, fact.branch, onLine);
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
    "Dirty repositories are held back unless --commit is given, base branches unless --allow-base. Repositories that are behind their remote branch are held back.",
  flags: { repos: "repo" },
  short: { message: "m" },
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
    const { facts, manifest } = await plan(ctx, input);
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
