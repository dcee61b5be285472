/**
 * `amof status`: the live state of every repository of an ecosystem (WORKSPACE-11).
 *
 * Costs the git processes of `inspect.ts` per repository, one more in a ticket's repository that has stashes, with
 * `--long` also those of `row.ts`.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { allTicketsInput, foldingInput, meansAll } from "../../contract/input.ts";
import { type CommandContext, query, unlisted } from "../../contract/mod.ts";
import { ACTIVE_STATUSES } from "../../state/store/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import { defined } from "../../base/object.ts";
import { inPool } from "../../base/async/pool.ts";
import { inPoolOf, NO_STATE, whyOf } from "../../workspace/mod.ts";
import { drifts, driftText, lockedCommits } from "../look/drift.ts";
import {
  goneTicketsIfKnown,
  keptForActive,
  keptForOthers,
  type ListedTicketWorkspace,
  requireTicketWorkspace,
  ticketWorkspaces,
} from "../../workspace/tickets/mod.ts";
import { type Area, currentArea, labelOf } from "../selection/areas.ts";
import {
  foreseen,
  inAreas,
  inspectSelected,
  type Selecting,
  SELECTION_FLAGS,
  selectionInput,
} from "../selection/mod.ts";
import { type InspectOptions, prefetch, type RepoSnapshot } from "../../workspace/clones/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { leavingOf } from "../advice/needs.ts";
import { lookCloser, type RemoteAnswer, type StatusRow, statusRow, withBehind } from "./row.ts";
import { isFine, renderStatus, type Running, type StatusData } from "./view.ts";

/**
 * The run that is at work on an ecosystem, or null. The database is only opened where another process has it open, which
 * whoever works on a run does: its log of changes exists for so long.
 */
async function runningOn(ctx: CommandContext, isAll: boolean): Promise<Running | null> {
  if (await ctx.system.files.stat(`${ctx.layout.database}-wal`) === null) return null;
  const { runs } = await ctx.store();
  const { root, ecosystem } = ctx;
  const of = { root, ecosystem, ...(isAll ? {} : { ticket: ctx.ticket }) };
  const [run] = runs.list({ ...of, statuses: ACTIVE_STATUSES, limit: 1 });
  if (run === undefined) return null;
  return { run_id: run.runId, action: run.action, created_at: timestamp(run.createdAt) };
}

/** What is the matter with a ticket's clones, as files tell, or null. A git process only where refs are no files. */
async function troubleIn(
  ctx: CommandContext,
  { id, directory, record }: ListedTicketWorkspace,
): Promise<string | null> {
  const looked = await Promise.all(
    Object.entries(record?.repos ?? {}).map(async ([name, { path }]) => {
      const clone = join(directory, path);
      if (await ctx.system.files.lstat(join(clone, ".git")) === null) return "gone";
      const activity = await ctx.git.at(clone, name).activity().catch(() => null);
      const doing = activity?.inProgress ?? null;
      return doing === null ? null : `a ${doing} is not finished in ${name}`;
    }),
  );
  if (looked.includes("gone")) return "not all of its clones are there";
  const waiting = looked.filter((what) => what !== null);
  return waiting.length === 0 ? null : `${few(waiting, 2)}: amof status --ticket ${shellWord(id)}`;
}

/** The tickets with workspaces of their own, also those whose workspace was deleted, by files alone. No git process. */
async function ticketsBeside(
  ctx: CommandContext,
  manifest: Manifest,
): Promise<NonNullable<StatusData["tickets"]>> {
  const beside = await ticketWorkspaces(ctx.system, ctx.root, manifest);
  const found = await Promise.all(beside.map(async (ticket) => ({
    ticket_id: ticket.id,
    workspace: `${manifest.workspaceDir}@${ticket.id}`,
    repos: Object.values(ticket.record?.repos ?? {}).filter(({ role }) => role === "work").length,
    phase: ticket.record?.phase ?? null,
    problem: ticket.problem !== null
      ? `its record cannot be used: ${ticket.problem}`
      : await troubleIn(ctx, ticket),
  })));
  const gone = (await goneTicketsIfKnown(ctx, manifest)).map(({ id, workspace, repos }) => ({
    ticket_id: id,
    workspace,
    repos: repos.length,
    phase: null,
    problem: "it was deleted, and what was only there with it",
  }));
  return [...found, ...gone];
}

/** Which part each repository has in the ticket whose workspace it is; none in the base workspace. */
async function rolesIn(
  { system, root }: CommandContext,
  { ticket, manifest }: Area,
): Promise<(name: string) => { readonly role?: "work" | "context" }> {
  if (ticket === null) return () => ({});
  const { record } = await requireTicketWorkspace(system, root, manifest, ticket);
  return (name) => defined({ role: record.repos[name]?.role });
}

/** What a status tells besides its rows; `isAll` where it is about every workspace. */
async function surroundings(
  ctx: CommandContext,
  { ticket, manifest, workspace }: Area,
  isAll: boolean,
) {
  const isBase = ticket === null;
  const apart = isBase ? await drifts(ctx, manifest, workspace.directory) : [];
  return {
    apart,
    running: await runningOn(ctx, isAll),
    unfinished: await ctx.runs.unfinished(),
    tickets: isBase || isAll ? await ticketsBeside(ctx, manifest) : [],
    warnings: workspace.state === null ? [NO_STATE] : [],
  };
}

/**
 * What is told of a remote that gave no answer; nothing where git is not even started in the clone, which somebody has to
 * look at first.
 */
function unanswered(error: AmofError, of = ""): RemoteAnswer {
  return error.code === "clone_untrusted"
    ? {}
    : { remote: "unreachable", remote_error: `${of}${whyOf(error)}` };
}

/**
 * Asks the remote where the upstream branch and the base branch stand; in a fork the other remotes that a sync goes by,
 * too. One git processes, and one for each of these; nothing is written.
 */
async function askRemote(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
): Promise<RemoteAnswer> {
  const { git, address, remoteBase } = snapshot;
  if (git === null || address === "") return {};
  const upstream = git.upstream ?? remoteBase;
  const [remote = "origin", ...rest] = upstream.split("/");
  const { remoteRefs, refs } = ctx.git.at(snapshot.directory, snapshot.repo.name);
  const others = new Set(["origin", remoteBase.split("/")[0] ?? "origin"]);
  others.delete(remote);
  const [, ...base] = remoteBase.split("/");
  let baseThere: string | undefined;
  for (const other of others) {
    try {
      const branches = await remoteRefs.branches(other);
      if (remoteBase.startsWith(`${other}/`)) baseThere = branches.get(base.join("/"));
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      return unanswered(error, `${other}: `);
    }
  }
  try {
    const branches = await remoteRefs.branches(remote);
    const there = branches.get(rest.join("/"));
    if (there === undefined) return git.upstream === null ? {} : { remote: "no_branch" };
    if (remoteBase.startsWith(`${remote}/`)) baseThere = branches.get(base.join("/"));
    const [own, ofBase] = [`refs/remotes/${upstream}`, `refs/remotes/${remoteBase}`];
    const here = await refs.peek([own, ofBase]);
    // A sync brings the base branch in, too, whichever branch is checked out.
    const isMoved = baseThere !== undefined && baseThere !== here.get(ofBase);
    return { remote: there === here.get(own) && !isMoved ? "current" : "changed" };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return unanswered(error);
  }
}

/** The rows of one workspace, with what the remotes say and what a closer look finds where that is asked for. */
async function rowsIn(
  ctx: CommandContext,
  area: Area,
  { selection, early, fetch, long, pr }: {
    readonly selection: Selecting & { readonly part: boolean };
    readonly early: InspectOptions;
    readonly fetch: boolean;
    readonly long?: boolean | undefined;
    readonly pr?: boolean | undefined;
  },
): Promise<readonly StatusRow[]> {
  const { manifest, workspace: { directory, state }, of } = area;
  const from = { manifest, workspace: directory, state, part: selection.part };
  const seen = await inspectSelected({ ...ctx, ticket: area.ticket }, from, selection, early);
  const snapshots = fetch
    ? await inPool(ctx.jobs, seen, (each) => withBehind(ctx, each, state))
    : seen;
  const named = snapshots.map((snapshot) => ({
    name: labelOf(of, snapshot.repo.name),
    snapshot,
  }));
  const remotes = fetch
    ? await inPoolOf(ctx, "asking", named, ({ snapshot }) => askRemote(ctx, snapshot))
    : [];
  const closer = long
    ? await inPoolOf(ctx, "looking closer", named, ({ snapshot }) => lookCloser(ctx, snapshot))
    : [];
  // Whoever does not ask for pull requests does not load what speaks to forges.
  const forges = pr
    ? await (await import("./pull_requests.ts")).askForges(ctx, manifest, snapshots)
    : [];
  const roleOf = await rolesIn(ctx, area);
  // A lock is of the base workspace, and says something where a remote has more than is here.
  const news = fetch || snapshots.some(({ git }) => (git?.behind ?? 0) > 0);
  const locked = news && area.ticket === null
    ? await lockedCommits(ctx, ctx.ecosystem)
    : new Map<string, string | null>();
  const leaving = leavingOf(snapshots);
  const kept = await inPool(ctx.jobs, snapshots, (each) => keptForActive(ctx.git, each, state));
  const elsewhere = await inPool(
    ctx.jobs,
    snapshots,
    (each) => keptForOthers(ctx.git, each, state),
  );
  return snapshots.map((snapshot, index) => ({
    ...of,
    ...statusRow(snapshot, {
      manifest,
      state,
      leaving,
      kept: kept[index] ?? null,
      elsewhere: elsewhere[index],
      locked: locked.get(snapshot.repo.name),
      answer: remotes[index],
    }),
    ...roleOf(snapshot.repo.name),
    ...closer[index],
    ...forges[index],
  }));
}

/** What is told of the workspace that a call is about; of all of them, the base one. */
function workspaceOf(
  { ecosystem, ticket }: CommandContext,
  areas: readonly Area[],
): StatusData["workspace"] {
  const own = areas.find((area) => area.ticket === ticket);
  const base = own?.manifest.workspaceDir ?? null;
  return {
    ecosystem,
    workspace_branch: own?.workspace.branch ?? null,
    worktree: base === null || ticket === null ? base : `${base}@${ticket}`,
    active_ticket: own?.workspace.state?.active_ticket ?? null,
    ...(ticket === null ? {} : { ticket }),
    ticket_count: Object.keys(own?.workspace.state?.tickets ?? {}).length,
    ...(ticket === null && own?.manifest.perTicket === true ? { per_ticket: true } : {}),
  };
}

/** Of what is told besides the rows, what there is. */
function whatIsThere(
  { running = null, unfinished = [], tickets = [], warnings = [] }: Partial<
    Omit<Awaited<ReturnType<typeof surroundings>>, "apart">
  >,
) {
  return {
    ...(tickets.length === 0 ? {} : {
      tickets,
      tickets_apart: {
        count: tickets.length,
        attention: tickets.filter(({ problem }) => problem !== null).length,
      },
    }),
    ...(running === null ? {} : { running }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(unfinished.length === 0 ? {} : { unfinished }),
  };
}

const NEWS = ["OK", "MERGED", "BEHIND", "PINNED"];

/** Whether a check lets a repository pass: news of the remote alone is no fault of it. */
function passesCheck({ status, in_progress, untrusted }: StatusRow): boolean {
  return status.split("+").every((token) => NEWS.includes(token)) && in_progress === null &&
    untrusted === undefined;
}

/** `amof status`. */
export const status = query({
  name: "amof_get_ecosystem_status",
  path: ["status"],
  toolset: "ecosystem",
  scope: "ecosystem",
  next: "status",
  needs: "a workspace",
  inTicket: "its workspace",
  title: "Ecosystem status",
  summary: "Show branch, commit, changes and unpushed work of every repository.",
  description:
    "STATUS is OK or tokens joined with +: DETACHED or WRONG_BRANCH, CONFLICT, DIRTY, SUBMODULE (one is left at another commit than the repository names, not there, or has changes of its own), OTHER_ADDRESS (its origin is not the manifest's), NO_REMOTE (it has no origin), NO_BASE (its remote has the base branch no more), UNPUSHED, MERGED, DIVERGED, BEHIND or PINNED (behind, and at the commit of the lock); MISSING and ERROR stand alone. Nothing of that is an error unless --check is given, and MERGED, BEHIND and PINNED not even then. UNPUSHED is also said of other local branches, which the answer names. SYNC has the commits ahead (↑) and behind (↓), changed files (±) and stashes. --long costs one more git process for each repository.",
  openWorld: true,
  flags: SELECTION_FLAGS,
  examples: [
    "status",
    "status --repo api --repo web",
    "status --only dirty,ahead",
    "-e demo status --check",
    "status --all-tickets --only dirty,ahead",
    "status --watch",
    "status --fetch --json",
    "status --long",
    "status --pr",
  ],
  pages: { member: "repos", key: ["ticket", "name"] },
  watches: {
    member: "repos",
    isTrouble: (row) => !isFine(row as unknown as StatusData["repos"][number]),
    asksHosts: ({ pr, fetch }) => pr === true || fetch === true,
  },
  fields: [
    "repos",
    "repos.ticket",
    "repos.name",
    "repos.branch",
    "repos.commit",
    "repos.mode",
    "repos.status",
    "repos.dirty",
    "repos.unpushed",
    "repos.other_unpushed",
    "repos.merged",
    "repos.upstream",
    "repos.ahead",
    "repos.behind",
    "repos.pinned",
    "repos.changed_files",
    "repos.conflicts",
    "repos.stashes",
    "repos.detached",
    "repos.in_progress",
    "repos.expected_branch",
    "repos.path",
    "repos.last_push",
    "repos.needs",
    "repos.error",
    "workspace",
    "tickets_apart",
  ],
  input: (z) => ({
    ...selectionInput(z),
    fetch: z.boolean().default(false).describe(
      "Ask the remotes; writes nothing",
    ),
    check: z.boolean().default(false).describe("Fail if one is not OK"),
    long: z.boolean().optional().describe("Also last commits and fetches"),
    pr: unlisted(z.boolean().optional().describe("Also pull requests, asked of the forges")),
    ...allTicketsInput(z),
    ...foldingInput(z),
  }),
  async run(ctx, input) {
    const isAll = meansAll(input);
    // Git looks at the first clones while the manifest is read.
    const prefetched = ctx.ticket !== null || isAll
      ? undefined
      : await prefetch(ctx, ctx.root, ctx.ecosystem, foreseen(input))
        .catch(() => undefined);
    const here = isAll ? undefined : currentArea(ctx);
    here?.catch(() => {});
    let around: ReturnType<typeof surroundings> | undefined;
    const { found, unreadable } = await inAreas(ctx, input, {
      async look(area, selection) {
        // The surroundings are read once, while git looks at the repositories.
        around ??= surroundings(ctx, area, isAll);
        around.catch(() => {});
        const rows = await rowsIn(ctx, area, {
          ...input,
          selection,
          early: { ...defined({ prefetched }), others: true },
        });
        return { area, rows };
      },
      among: ({ rows }) => rows.length,
      here,
    });
    const { apart = [], warnings = [], ...beside } = await around ?? {};
    const isMoved = ({ repo }: typeof apart[number], row: StatusRow) =>
      repo === row.name && row.status === "MISSING" && !("ticket" in row && row.ticket);
    const rows = found.flatMap(({ rows }) => rows).map((row) => {
      const moved = apart.find((one) => isMoved(one, row));
      return moved === undefined
        ? row
        : { ...row, needs: [{ problem: moved.detail, fix: moved.fix }] };
    });
    const others = apart.filter((one) => !rows.some((row) => isMoved(one, row)));
    const data: StatusData = {
      workspace: workspaceOf(ctx, found.map(({ area }) => area)),
      repos: rows,
      ...whatIsThere({ ...beside, warnings: [...warnings, ...others.map(driftText)] }),
    };
    const bad = rows.filter((row) => !passesCheck(row));
    if (!input.check || bad.length + unreadable.length === 0) return { data };
    const names = bad.map((row) => labelOf(row, row.name));
    const message = bad.length === 0
      ? `The records of ${count(unreadable.length, "ticket")} cannot be used`
      : `${bad.length} of ${count(rows.length, "repository", "repositories")} ${
        bad.length === 1 ? "is" : "are"
      } not OK: ${names.slice(0, 10).join(", ")}`;
    return {
      data,
      failure: new AmofError("check_failed", message, {
        hint: `See what: amof -e ${ctx.ecosystem} status${isAll ? " --all-tickets" : ""}`,
        details: { repos: names },
      }),
    };
  },
  render: renderStatus,
});
