/**
 * `amof status`: the live state of every repository of an ecosystem (WORKSPACE-11).
 *
 * Costs one git process for the workspace and those of `inspect.ts` per repository, with `--long` also those of
 * `status_closer.ts`.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { foldingInput } from "../contract/folding.ts";
import { type CommandContext, query } from "../contract/mod.ts";
import { ACTIVE_STATUSES } from "../store/mod.ts";
import { timestamp } from "../system/mod.ts";
import { count } from "../text/words.ts";
import { defined } from "../object.ts";
import {
  drifts,
  driftText,
  foreseen,
  inPoolOf,
  inspectSelected,
  type Manifest,
  NO_STATE,
  prefetch,
  type RepoSnapshot,
  requireTicketWorkspace,
  requireWorkspace,
  scopeManifest,
  SELECTION_FLAGS,
  selectionInput,
  ticketWorkspaces,
  whyOf,
} from "../workspace/mod.ts";
import { lookCloser } from "./status_closer.ts";
import { passesCheck, type RemoteAnswer, statusRow } from "./status_row.ts";
import { isFine, renderStatus, type Running, type StatusData } from "./status_view.ts";

/**
 * The run that is at work on an ecosystem, or null. The database is only opened where another process has it open, which
 * whoever works on a run does: its log of changes exists for so long.
 */
async function runningOn(ctx: CommandContext): Promise<Running | null> {
  if (await ctx.system.files.stat(`${ctx.layout.database}-wal`) === null) return null;
  const { runs } = await ctx.store();
  const { root, ecosystem, ticket } = ctx;
  const [run] = runs.list({ root, ecosystem, ticket, statuses: ACTIVE_STATUSES, limit: 1 });
  if (run === undefined) return null;
  return { run_id: run.runId, action: run.action, created_at: timestamp(run.createdAt) };
}

/** The tickets with workspaces of their own, by their records alone. No git process. */
async function ticketsBeside(
  { system, root }: CommandContext,
  manifest: Manifest,
): Promise<NonNullable<StatusData["tickets"]>> {
  return (await ticketWorkspaces(system, root, manifest)).map(({ id, record, problem }) => ({
    ticket_id: id,
    workspace: `${manifest.workspaceDir}@${id}`,
    repos: Object.values(record?.repos ?? {}).filter(({ role }) => role === "work").length,
    phase: record?.phase ?? null,
    problem,
  }));
}

/** Which part each repository has in the ticket a call works in; none in the base workspace. */
async function rolesHere(
  { system, root, ticket }: CommandContext,
  manifest: Manifest,
): Promise<(name: string) => { readonly role?: "work" | "context" }> {
  if (ticket === null) return () => ({});
  const { record } = await requireTicketWorkspace(system, root, manifest, ticket);
  return (name) => defined({ role: record.repos[name]?.role });
}

/** What a status tells besides its repositories. */
async function surroundings(ctx: CommandContext, manifest: Manifest, workspace: string) {
  return {
    running: await runningOn(ctx),
    unfinished: await ctx.leftovers(),
    drifted: ctx.ticket === null ? await drifts(ctx, manifest, workspace) : [],
    tickets: ctx.ticket === null ? await ticketsBeside(ctx, manifest) : [],
  };
}

/** Asks the remote where the upstream branch stands. Two git processes, nothing is written. */
async function askRemote(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
): Promise<RemoteAnswer> {
  const upstream = snapshot.git?.upstream ?? null;
  if (upstream === null) return {};
  const [remote = "origin", ...rest] = upstream.split("/");
  try {
    const branches = await ctx.git.at(snapshot.directory, snapshot.repo.name).remoteRefs.branches(
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
  inTicket: true,
  title: "Ecosystem status",
  summary: "Show branch, commit, changes and unpushed work of every repository, live.",
  description:
    "STATUS is OK or tokens joined with +: DETACHED or WRONG_BRANCH, CONFLICT, DIRTY, UNPUSHED, DIVERGED or BEHIND; MISSING and ERROR stand alone. Nothing of that is an error unless --check is given, and BEHIND alone not even then. SYNC has the commits ahead (↑) and behind (↓), changed files (±) and stashes. --long costs one or two more git processes for each repository.",
  openWorld: true,
  flags: SELECTION_FLAGS,
  examples: [
    "status",
    "status --repo api --repo web",
    "status --only dirty,ahead",
    "-e demo status --check",
    "status --watch",
    "status --fetch --json",
    "status --long",
  ],
  pages: { member: "repos", key: "name" },
  watches: {
    member: "repos",
    isTrouble: (row) => !isFine(row as unknown as StatusData["repos"][number]),
  },
  fields: [
    "repos",
    "repos.name",
    "repos.branch",
    "repos.commit",
    "repos.mode",
    "repos.status",
    "repos.dirty",
    "repos.unpushed",
    "repos.upstream",
    "repos.ahead",
    "repos.behind",
    "repos.changed_files",
    "repos.conflicts",
    "repos.stashes",
    "repos.detached",
    "repos.in_progress",
    "repos.expected_branch",
    "repos.path",
    "repos.last_push",
    "repos.error",
    "workspace",
  ],
  input: (z) =>
    z.strictObject({
      ...selectionInput(z),
      fetch: z.boolean().default(false).describe(
        "Ask the remotes; writes nothing",
      ),
      check: z.boolean().default(false).describe("Fail if one is not OK"),
      long: z.boolean().optional().describe("Also last commits, fetches, other unpushed branches"),
      ...foldingInput(z),
    }),
  async run(ctx, input) {
    // Git looks for the worktrees and at the first clones while the manifest is read.
    const worktrees = ctx.ticket === null
      ? ctx.git.at(ctx.root).worktrees.list()
      : Promise.resolve([]);
    worktrees.catch(() => {});
    const early = ctx.ticket !== null ? undefined : await prefetch(ctx, ctx.root, ctx.ecosystem, {
      worktrees,
      wanted: foreseen(input),
    }).catch(() => undefined);
    const manifest = await scopeManifest(ctx);
    const workspace = await requireWorkspace(ctx, ctx.root, manifest, worktrees);
    // What is beside the repositories is looked at while git looks at these.
    const around = surroundings(ctx, manifest, workspace.directory);
    around.catch(() => {});
    const snapshots = await inspectSelected(
      ctx,
      {
        manifest,
        workspace: workspace.directory,
        state: workspace.state,
      },
      input,
      defined({ prefetched: early }),
    );
    const named = snapshots.map((snapshot) => ({ name: snapshot.repo.name, snapshot }));
    const remotes = input.fetch
      ? await inPoolOf(ctx, "asking", named, ({ snapshot }) => askRemote(ctx, snapshot))
      : [];
    const closer = input.long
      ? await inPoolOf(ctx, "looking closer", named, ({ snapshot }) => lookCloser(ctx, snapshot))
      : [];
    const known = { manifest, state: workspace.state };
    const roleOf = await rolesHere(ctx, manifest);
    const rows = snapshots.map((snapshot, index) => ({
      ...statusRow(snapshot, known),
      ...roleOf(snapshot.repo.name),
      ...remotes[index],
      ...closer[index],
    }));
    const { running, unfinished, drifted, tickets } = await around;
    const warnings = [...(workspace.state === null ? [NO_STATE] : []), ...drifted.map(driftText)];
    const data: StatusData = {
      workspace: {
        ecosystem: manifest.name,
        workspace_branch: workspace.branch,
        active_ticket: workspace.state?.active_ticket ?? null,
        ...(ctx.ticket === null ? {} : { ticket: ctx.ticket }),
        ticket_count: Object.keys(workspace.state?.tickets ?? {}).length,
      },
      repos: rows,
      ...(tickets.length === 0 ? {} : { tickets }),
      ...(running === null ? {} : { running }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(unfinished.length === 0 ? {} : { unfinished }),
    };
    const bad = rows.filter((row) => !passesCheck(row));
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
