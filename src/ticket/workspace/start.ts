/**
 * `amof ticket start` with a workspace of its own: clones that borrow from mirrors, beside the base workspace, which
 * stays as it is (TICKET-11 to TICKET-15).
 *
 * Costs three git processes per repository, and one for a mirror that is made or fetched; the preview one, and two for a
 * repository of which ignored files go along.
 *
 * @module
 */

import { basename, dirname, join } from "@std/path";
import type { CommandContext, ExecuteContext, Preview } from "../../contract/mod.ts";
import { AmofError } from "../../error.ts";
import type { JournalStep } from "../../store/mod.ts";
import { timestamp } from "../../system/mod.ts";
import { cleanLine } from "../../text/sanitize.ts";
import { type Table, table } from "../../text/table.ts";
import { count } from "../../text/words.ts";
import {
  type ClonePlan,
  type FreshMirror,
  freshMirror,
  hideTickets,
  inPoolOf,
  loadRecord,
  makeDirectories,
  mirrorOf,
  missingAbove,
  noMirror,
  type Refusal,
  refuseAll,
  type Repo,
  ticketDirectory,
  ticketVariables,
  Transfers,
  whyOf,
} from "../../workspace/mod.ts";
import { carriedLines } from "./carry.ts";
import {
  buildTicket,
  carryFiles,
  placeTicket,
  reserveTicket,
  sealTicket,
  writeRecord,
} from "./operations.ts";
import {
  type BasePlace,
  basePlace,
  carryPlaces,
  planWorkspace,
  type TicketRepoFact,
  type WorkspaceFacts,
  type WorkspaceInput,
} from "./plan.ts";

/** A mirror that was fetched no longer ago than this is not fetched again. */
const FRESH_SECONDS = 60;

/** The answer. */
export interface WorkspaceData {
  readonly ticket_id: string;
  /** Relative to the control repository, with `/`. */
  readonly workspace: string;
  /** Absolute. */
  readonly directory: string;
  /** Of the base workspace, as before. */
  readonly active_ticket: string | null;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly action: "create" | "track";
    readonly start: string;
    /** What was done to the mirror; null for a clone without one. */
    readonly mirror: FreshMirror["result"] | null;
  }[];
  readonly context: readonly {
    readonly name: string;
    readonly branch: string;
    readonly commit: string;
  }[];
  readonly skipped: WorkspaceFacts["skipped"];
  readonly carried: readonly {
    readonly repo: string;
    readonly files: number;
    readonly bytes: number;
  }[];
  readonly env: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** What would be made, without changing anything. */
export async function previewWorkspace(
  ctx: CommandContext,
  input: WorkspaceInput,
): Promise<Preview<WorkspaceFacts, WorkspaceData>> {
  const { facts, base } = await planWorkspace(ctx, input);
  const { repos, carried, workspace, ticket_id: id } = facts;
  const work = repos.filter(({ role }) => role === "work");
  const active = base.state?.active_ticket ?? null;
  return {
    facts,
    summary: `Would start ${id} in ${count(work.length, "repo")}, in a workspace of its own.`,
    effects: [
      `Make ${workspace}, beside the base workspace, which stays as it is`,
      ...repos.map((fact) =>
        fact.role === "context"
          ? `Clone ${fact.name} to be read, on ${fact.branch}`
          : `Clone ${fact.name} on ${fact.branch}: the remote's where it has one, else a new one from ${fact.base}`
      ),
      ...carried.flatMap(carriedLines),
    ],
    current: active === null ? "No ticket is active" : `Ticket ${active} is active`,
    alternatives: ["See the tickets: amof ticket list"],
  };
}

/** The mirrors of repositories, by name; null for those that have none. */
type Mirrors = ReadonlyMap<string, FreshMirror | null>;

/** Brings the mirrors up to date. They stay, whatever becomes of the ticket. At most one transfer for each. */
export async function bringMirrors(
  ctx: ExecuteContext,
  base: BasePlace,
  repos: readonly Repo[],
  { offline, notes }: { readonly offline: boolean; readonly notes: string[] },
): Promise<Mirrors> {
  const transfers = new Transfers(ctx.transfers);
  const refusals: Refusal[] = [];
  const found = await inPoolOf(ctx, "fetching", repos, async (repo) => {
    const from = base.directory === null ? null : join(base.directory, repo.path);
    const wish = { transfers, from, fresh: offline ? Infinity : FRESH_SECONDS };
    try {
      const mirror = await freshMirror(ctx, repo, wish);
      if (mirror === null) {
        notes.push(`${repo.name}: a plain clone, because ${noMirror(ctx, repo)}`);
      }
      return [repo.name, mirror] as const;
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      // What was fetched before is as good as what an offline start begins at.
      const place = mirrorOf(ctx, repo);
      const stands = place !== null && await ctx.system.files.lstat(join(place, "HEAD")) !== null;
      if (stands && ["remote_unreachable", "timeout"].includes(error.code)) {
        notes.push(
          `${repo.name}: its remote could not be asked (${whyOf(error)}); it is as last fetched`,
        );
        return [repo.name, { directory: place, result: "fresh" as const }] as const;
      }
      refusals.push({
        repo: repo.name,
        code: error.code,
        problem: `cannot be fetched: ${whyOf(error)}`,
        fix: error.hint,
      });
      return [repo.name, null] as const;
    }
  });
  refuseAll("start the ticket", refusals, "nothing but mirrors was made");
  return new Map(found);
}

/** How each clone comes to be, by what the mirrors have; null for a repository without a commit. No process. */
export async function planClone(
  ctx: ExecuteContext,
  fact: TicketRepoFact,
  mirror: FreshMirror | null,
): Promise<ClonePlan | Refusal | null> {
  const { name, path, role, branch, base } = fact;
  const plan = { name, path, role, branch, base };
  if (mirror === null) return { ...plan, mirror: null, start: null, track: role === "context" };
  const bare = ctx.git.bare(mirror.directory, name);
  const refs = await bare.refs.peek([`refs/heads/${branch}`, `refs/heads/${base}`]);
  const remote = refs.get(`refs/heads/${branch}`);
  if (remote !== undefined) {
    return { ...plan, mirror: mirror.directory, start: remote, track: true };
  }
  const start = refs.get(`refs/heads/${base}`);
  const refused = (problem: string, fix: string): Refusal => ({
    repo: name,
    code: "git_failed",
    problem,
    fix,
  });
  if (role === "work" && fact.mode === "shared") {
    return refused(`has no branch ${branch} to share`, "push it where it is, then repeat");
  }
  if (start !== undefined) return { ...plan, mirror: mirror.directory, start, track: false };
  if ((await bare.refs.list(["refs/heads"])).size === 0) return null;
  return refused(
    `has no branch ${base} to begin at`,
    "name another base: the same command with --base REPO=BRANCH",
  );
}

function isRefusal(plan: ClonePlan | Refusal): plan is Refusal {
  return "problem" in plan;
}

/** Everything that will be made, once the mirrors are there. */
interface Making {
  readonly directory: string;
  readonly building: string;
  readonly clones: readonly ClonePlan[];
}

/** The steps that make it. */
async function stepsOf(
  ctx: ExecuteContext,
  base: BasePlace,
  { facts, carry }: { readonly facts: WorkspaceFacts; readonly carry: boolean },
  { directory, building, clones }: Making,
): Promise<JournalStep[]> {
  const { ticket_id: ticket } = facts;
  const missing = await missingAbove(ctx, directory);
  const borrows = clones.flatMap(({ path, mirror }) =>
    mirror === null || facts.standalone ? [] : [{ path, mirror }]
  );
  const from = new Map(carryPlaces(base, clones).map((place) => [place.name, place]));
  const places = facts.carried.flatMap(({ repo }) => {
    const [place, clone] = [from.get(repo), clones.find(({ name }) => name === repo)];
    return place === undefined || clone === undefined ? [] : [{ ...place, path: clone.path }];
  });
  const record = {
    ticket_id: ticket,
    ecosystem: ctx.ecosystem,
    created_at: timestamp(ctx.system.clock.now()),
    phase: "started" as const,
    clones: facts.standalone ? clones.map((plan) => ({ ...plan, mirror: null })) : clones,
  };
  return [
    ...await hideTickets(ctx, base.manifest),
    ...(missing.length === 0 ? [] : [makeDirectories.step({ paths: missing })]),
    reserveTicket.step({ directory, ticket, borrows }),
    buildTicket.step({ building, clones, standalone: facts.standalone }),
    ...(carry && places.length > 0 ? [carryFiles.step({ building, places })] : []),
    writeRecord.step({ directory, building, record }),
    placeTicket.step({ directory, building }),
    sealTicket.step({ directory, clones: clones.map(({ path }) => path) }),
  ];
}

/** Makes the workspace of a ticket: all of it, or nothing but mirrors. */
export async function executeWorkspace(
  ctx: ExecuteContext,
  input: WorkspaceInput,
  facts: WorkspaceFacts,
): Promise<{ data: WorkspaceData }> {
  const base = await basePlace(ctx);
  const notes: string[] = [];
  const names = new Set(facts.repos.map(({ name }) => name));
  const repos = base.manifest.repos.filter(({ name }) => names.has(name));
  const mirrors = await bringMirrors(ctx, base, repos, { offline: input.offline, notes });
  const planned = await inPoolOf(
    ctx,
    "checking",
    facts.repos,
    async (fact) => ({ fact, plan: await planClone(ctx, fact, mirrors.get(fact.name) ?? null) }),
  );
  const plans = planned.map(({ plan }) => plan).filter((plan) => plan !== null);
  refuseAll(`start ${input.ticket_id}`, plans.filter(isRefusal));
  const clones = plans.filter((plan): plan is ClonePlan => !isRefusal(plan));
  const empty = planned.filter(({ plan }) => plan === null)
    .map(({ fact }) => ({ name: fact.name, reason: "no commit yet" }));
  const skipped = [...facts.skipped, ...empty];
  if (!clones.some(({ role }) => role === "work")) {
    throw new AmofError(
      "repo_not_found",
      `Cannot start "${input.ticket_id}": no repository has a commit yet`,
      {
        hint: "Push a first commit, then repeat",
        details: { skipped },
      },
    );
  }
  const directory = ticketDirectory(ctx.root, base.manifest, input.ticket_id);
  const name = `.${basename(directory)}.amof-new-${ctx.system.ids.hex(8)}`;
  const building = join(dirname(directory), name);
  const making = { directory, building, clones };
  await ctx.perform(await stepsOf(ctx, base, { facts, carry: input.carry }, making));
  return { data: await answerOf(ctx, { facts, base, skipped, notes }, making, mirrors) };
}

/** What was made. */
async function answerOf(
  ctx: ExecuteContext,
  { facts, base, skipped, notes }: Pick<WorkspaceData, "skipped" | "notes"> & {
    readonly facts: WorkspaceFacts;
    readonly base: BasePlace;
  },
  { directory, clones }: Making,
  mirrors: Mirrors,
): Promise<WorkspaceData> {
  const { root, ecosystem } = ctx;
  const record = await loadRecord(ctx.system, directory);
  if (record === null) throw new TypeError("The ticket has no record");
  const start = (name: string) => record.repos[name]?.start ?? "";
  return {
    ticket_id: facts.ticket_id,
    workspace: facts.workspace,
    directory,
    active_ticket: base.state?.active_ticket ?? null,
    repos: clones.filter(({ role }) => role === "work").map(({ name, branch, track }) => ({
      name,
      branch,
      action: track ? "track" as const : "create" as const,
      start: start(name),
      mirror: mirrors.get(name)?.result ?? null,
    })),
    context: clones.filter(({ role }) => role === "context").map(({ name, branch }) => ({
      name,
      branch,
      commit: start(name),
    })),
    skipped,
    carried: facts.carried.map(({ repo, files, bytes }) => ({ repo, files, bytes })),
    env: ticketVariables({ root, ecosystem, directory, record }),
    notes: [
      ...notes,
      ...facts.carried.flatMap(({ left }) => left.map((line) => `left behind: ${line}`)),
    ],
  };
}

/** The summary and the details of an answer. */
export function renderWorkspace(
  data: WorkspaceData,
  all: boolean,
): { readonly summary: string; readonly details: (string | Table)[] } {
  const copied = data.carried.reduce((sum, { files }) => sum + files, 0);
  return {
    summary: `Started ${data.ticket_id} in ${
      count(data.repos.length, "repo")
    }, in ${data.workspace}.`,
    details: [
      repoTable(data, all),
      ...(copied === 0 ? [] : [`Copied ${count(copied, "ignored file")} along.`]),
      ...data.skipped.map((entry) => `– ${entry.name}: ${entry.reason}`),
      ...data.notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
      `Go there: cd "$(amof ticket path ${data.ticket_id})"`,
    ],
  };
}

function repoTable({ repos, context }: WorkspaceData, all: boolean): Table {
  const rows = [
    ...repos.map(({ name, branch, action }) => [name, branch, action]),
    ...context.map(({ name, branch }) => [name, branch, "context"]),
  ];
  const shown = table(["repo", "branch", "how"], rows);
  return all ? shown : shown.folding((index) => rows[index]?.[2] === "create", "with a new branch");
}
