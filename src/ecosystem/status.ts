/**
 * `amof status`: the live state of every repository of an ecosystem (WORKSPACE-11).
 *
 * Costs one git process for the workspace and those of `inspect.ts` per repository.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { foldingInput } from "../contract/folding.ts";
import { type CommandContext, type Leftover, query, type Rendered } from "../contract/mod.ts";
import { table } from "../text/table.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";
import { whyOf } from "../workspace/mod.ts";
import { drifts, driftText } from "../workspace/mod.ts";
import { inspectSelected, isOnWrongBranch, type RepoSnapshot } from "../workspace/mod.ts";
import { leftoverLine } from "../workspace/mod.ts";
import { loadManifest, type Manifest } from "../workspace/mod.ts";
import { foreseen, inPoolOf, prefetch } from "../workspace/mod.ts";
import { type LastPush, NO_STATE, type WorkspaceState } from "../workspace/mod.ts";
import { requireWorkspace, SELECTION_FLAGS, selectionInput } from "../workspace/mod.ts";

/** How a repository compares to its remote, asked of the remote itself. */
type RemoteState = "current" | "changed" | "no_branch" | "unreachable";

/** One row of the answer. */
export interface StatusRow {
  readonly name: string;
  /** Short name, `HEAD` when detached, `-` when missing. */
  readonly branch: string;
  /** Short commit, `-` when there is none. */
  readonly commit: string;
  readonly mode: "RW" | "RO";
  /** `OK`, or tokens joined with `+`. */
  readonly status: string;
  readonly dirty: boolean;
  readonly unpushed: boolean;
  readonly upstream: string | null;
  readonly ahead: number | null;
  readonly behind: number | null;
  readonly changed_files: number;
  readonly stashes: number;
  readonly detached: boolean;
  readonly in_progress: string | null;
  readonly expected_branch: string;
  readonly path: string;
  readonly last_push: LastPush | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly remote?: RemoteState;
  /** Why the remote could not be asked; absent when it answered. */
  readonly remote_error?: string;
}

/** The answer. */
export interface StatusData {
  readonly workspace: {
    readonly ecosystem: string;
    readonly workspace_branch: string | null;
    readonly active_ticket: string | null;
    readonly ticket_count: number;
  };
  readonly repos: readonly StatusRow[];
  /** What the answer cannot know; absent when it knows all. */
  readonly warnings?: readonly string[];
  /** Mutations that were cut off and not settled yet; absent when there is none. */
  readonly unfinished?: readonly Leftover[];
}

/** The tokens in their order (WORKSPACE-11), joined with `+`; `OK` when there is none. */
function statusTokens(
  snapshot: RepoSnapshot,
  manifest: Manifest,
  state: WorkspaceState | null,
): string {
  if (snapshot.missing) return "MISSING";
  if (snapshot.git === null) return "ERROR";
  const tokens = [
    ...(isOnWrongBranch(snapshot, manifest, state) ? ["WRONG_BRANCH"] : []),
    ...(snapshot.git.changes.length > 0 ? ["DIRTY"] : []),
    ...(snapshot.unpushed > 0 ? ["UNPUSHED"] : []),
  ];
  return tokens.length === 0 ? "OK" : tokens.join("+");
}

/** One row of the status table. */
function statusRow(
  snapshot: RepoSnapshot,
  manifest: Manifest,
  state: WorkspaceState | null,
): StatusRow {
  const { repo, git } = snapshot;
  return {
    name: repo.name,
    branch: git === null ? "-" : git.branch ?? "HEAD",
    commit: git?.head?.slice(0, 7) ?? "-",
    mode: repo.readonly ? "RO" : "RW",
    status: statusTokens(snapshot, manifest, state),
    dirty: (git?.changes.length ?? 0) > 0,
    unpushed: snapshot.unpushed > 0,
    upstream: git?.upstream ?? null,
    ahead: git === null ? null : git.ahead ?? (snapshot.unpushed > 0 ? snapshot.unpushed : null),
    behind: git?.behind ?? null,
    changed_files: git?.changes.length ?? 0,
    stashes: git?.stashes ?? 0,
    detached: git !== null && git.branch === null,
    in_progress: snapshot.inProgress,
    expected_branch: snapshot.expectedBranch,
    path: repo.path,
    last_push: state?.repos.find((entry) => entry.name === repo.name)?.last_push ?? null,
    error: snapshot.error === null
      ? null
      : { code: snapshot.error.code, message: snapshot.error.message },
  };
}

/** Asks the remote where the upstream branch stands. Two git processes, nothing is written. */
async function askRemote(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
): Promise<Pick<StatusRow, "remote" | "remote_error">> {
  const upstream = snapshot.git?.upstream ?? null;
  if (upstream === null) return {};
  const [remote = "origin", ...rest] = upstream.split("/");
  try {
    const branches = await ctx.git.at(snapshot.directory, snapshot.repo.name).remotes.branches(
      remote,
    );
    const there = branches.get(rest.join("/"));
    if (there === undefined) return { remote: "no_branch" };
    const here = await ctx.git.at(snapshot.directory).refs.resolve(`refs/remotes/${upstream}`);
    return { remote: there === here ? "current" : "changed" };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return { remote: "unreachable", remote_error: whyOf(error) };
  }
}

/** `amof status`. */
export const status = query({
  name: "amof_get_ecosystem_status",
  path: ["status"],
  toolset: "ecosystem",
  scope: "ecosystem",
  next: "status",
  inWorkspace: true,
  title: "Ecosystem status",
  summary: "Show branch, commit, changes and unpushed work of every repository, live.",
  description:
    "STATUS is OK or tokens joined with +: WRONG_BRANCH, DIRTY, UNPUSHED, MISSING, ERROR. Dirty repositories are not an error unless --check is given.",
  openWorld: true,
  flags: SELECTION_FLAGS,
  examples: [
    "status",
    "status --repo api --repo web",
    "status --only dirty,ahead",
    "-e demo status --check",
    "status --fetch --json",
  ],
  pages: { member: "repos", key: "name" },
  input: (z) =>
    z.strictObject({
      ...selectionInput(z),
      fetch: z.boolean().default(false).describe(
        "Also ask the remotes; writes nothing",
      ),
      check: z.boolean().default(false).describe("Fail if any repository is not OK"),
      ...foldingInput(z),
    }),
  async run(ctx, input) {
    // Git looks for the worktrees while the manifest is read.
    const worktrees = ctx.git.at(ctx.root).worktrees.list();
    worktrees.catch(() => {});
    const early = prefetch(ctx, ctx.root, ctx.ecosystem, {
      worktrees,
      wanted: foreseen(input),
    });
    early.catch(() => {});
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const workspace = await requireWorkspace(ctx, ctx.root, manifest, worktrees);
    const snapshots = await inspectSelected(
      ctx,
      {
        manifest,
        workspace: workspace.directory,
        state: workspace.state,
      },
      input,
      { prefetched: await early },
    );
    const remotes = input.fetch
      ? await inPoolOf(
        ctx,
        "asking",
        snapshots.map((snapshot) => ({ name: snapshot.repo.name, snapshot })),
        ({ snapshot }) => askRemote(ctx, snapshot),
      )
      : [];
    const rows = snapshots.map((snapshot, index) => {
      const row = statusRow(snapshot, manifest, workspace.state);
      return { ...row, ...remotes[index] };
    });
    const unfinished = await ctx.leftovers();
    const warnings = [
      ...(workspace.state === null ? [NO_STATE] : []),
      ...(await drifts(ctx, manifest, workspace.directory)).map(driftText),
    ];
    const data: StatusData = {
      workspace: {
        ecosystem: manifest.name,
        workspace_branch: workspace.branch,
        active_ticket: workspace.state?.active_ticket ?? null,
        ticket_count: Object.keys(workspace.state?.tickets ?? {}).length,
      },
      repos: rows,
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(unfinished.length === 0 ? {} : { unfinished }),
    };
    const bad = rows.filter((row) => row.status !== "OK" || row.in_progress !== null);
    if (!input.check || bad.length === 0) return { data };
    return {
      data,
      failure: new AmofError(
        "check_failed",
        `${bad.length} of ${count(rows.length, "repository", "repositories")} ${
          bad.length === 1 ? "is" : "are"
        } not OK: ${bad.map((row) => row.name).slice(0, 10).join(", ")}`,
        {
          hint: `See what: amof -e ${manifest.name} status`,
          details: { repos: bad.map((row) => row.name) },
        },
      ),
    };
  },
  render: renderStatus,
});

function renderStatus(data: StatusData, input: { readonly all?: boolean | undefined }): Rendered {
  const { workspace, repos } = data;
  const dirty = repos.filter((row) => row.dirty).length;
  const unpushed = repos.filter((row) => row.unpushed).length;
  const other = repos.filter((row) => /MISSING|ERROR|WRONG_BRANCH/.test(row.status)).length;
  const parts = [
    ...(dirty > 0 ? [`${dirty} dirty`] : []),
    ...(unpushed > 0 ? [`${unpushed} unpushed`] : []),
    ...(other > 0 ? [`${other} to look at`] : []),
  ];
  const rows = repos.map((row) => [
    row.name,
    cleanLine(row.branch, 60),
    row.commit,
    row.mode,
    row.status + (row.in_progress === null ? "" : ` (${row.in_progress})`),
    syncColumn(row),
  ]);
  const shown = table(["repo", "branch", "commit", "mode", "status", "sync"], rows);
  const errors = repos.flatMap((row) => [
    ...(row.error === null ? [] : [`✗ ${row.name}: ${row.error.message}`]),
    ...(row.remote_error === undefined
      ? []
      : [`✗ ${row.name}: remote unreachable: ${row.remote_error}`]),
  ]);
  const header = [
    `Workspace ${workspace.workspace_branch ?? "(detached)"}`,
    workspace.active_ticket === null ? "no active ticket" : `ticket ${workspace.active_ticket}`,
    count(workspace.ticket_count, "ticket"),
  ].join(" · ");
  return {
    summary: `Checked ${count(repos.length, "repo")}: ${
      parts.length === 0 ? "all OK" : parts.join(", ")
    }.`,
    details: [
      header,
      ...(data.warnings ?? []).map((warning) => `⚠ ${warning}`),
      ...(data.unfinished ?? []).map(leftoverLine),
      "",
      repos.length === 0
        ? "No repositories. Add some to ecosystem.yaml."
        : input.all
        ? shown
        : shown.folding((index) => isFine(repos[index]), "OK"),
      ...errors,
    ],
  };
}

/** Whether nobody needs to look at a repository. */
function isFine(row: StatusRow | undefined): boolean {
  return row !== undefined && row.status === "OK" && row.in_progress === null &&
    row.stashes === 0 && (row.remote === undefined || row.remote === "current");
}

function syncColumn(row: StatusRow): string {
  const parts = [
    ...(row.ahead ? [`↑${row.ahead}`] : []),
    ...(row.behind ? [`↓${row.behind}`] : []),
    ...(row.changed_files > 0 ? [`±${row.changed_files}`] : []),
    ...(row.stashes > 0 ? [`${row.stashes} stashed`] : []),
    ...(row.remote === undefined || row.remote === "current"
      ? []
      : [`remote ${row.remote.replace("_", " ")}`]),
  ];
  return parts.join(" ");
}
