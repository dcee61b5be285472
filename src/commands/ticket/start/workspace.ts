/**
 * `amof ticket start` with a workspace of its own: clones that borrow from mirrors, beside the base workspace, which
 * stays as it is (TICKET-11 to TICKET-15).
 *
 * Costs three git processes per repository, and one for a mirror that is made or fetched; the preview two, and two for a
 * repository of which ignored files go along.
 */

import type { CommandContext, ExecuteContext, Preview } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { foldedRepos } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { type Table, table } from "../../../base/text/table.ts";
import { count, few } from "../../../base/text/words.ts";
import type { FreshMirror } from "../../../workspace/mirrors/mod.ts";
import {
  loadRecord,
  stashName,
  ticketDirectory,
  type TicketRecord,
} from "../../../workspace/tickets/mod.ts";
import { ticketVariables } from "../../../workspace/tickets/changing.ts";
import { inPoolOf, repoDirectory } from "../../../workspace/mod.ts";
import { lockedCommits } from "../../look/drift.ts";
import { inPool } from "../../../base/async/pool.ts";
import { join } from "@std/path";
import { howOf, pastLockNote, skippedLines } from "./notes.ts";
import { performBranchMoves } from "../branch_move.ts";
import { carriedText, type TakenFact } from "../carry.ts";
import { bringChanges, leaveChanges } from "../steps/branch.ts";
import { carriedLines } from "../steps/carried.ts";
import { makingSteps } from "../workspace/making.ts";
import {
  type BasePlace,
  basePlace,
  describeClone,
  planClones,
  type PlannedClones,
  planWorkspace,
  type TicketRepoFact,
  type WorkspaceFacts,
  type WorkspaceInput,
} from "../workspace/plan.ts";

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
  /** Uncommitted work that came along. */
  readonly taken: readonly { readonly repo: string; readonly files: number }[];
  readonly env: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** One line about work that goes along. */
function takingLine({ repo, files }: TakenFact): string {
  return `Take ${carriedText(files)} of ${repo} along, out of the base workspace`;
}

/** What would be made, without changing anything. */
export async function previewWorkspace(
  ctx: CommandContext,
  input: WorkspaceInput & { readonly all?: boolean | undefined },
): Promise<Preview<WorkspaceFacts, WorkspaceData>> {
  const { facts, base } = await planWorkspace(ctx, input);
  const { repos, carried, taken, workspace, ticket_id: id } = facts;
  const work = repos.filter(({ role }) => role === "work");
  const active = base.state?.active_ticket ?? null;
  const place = `Make ${workspace}, beside the base workspace${
    taken.length === 0 ? ", which stays as it is" : ""
  }`;
  const stays = await stayingLines(ctx, base, input, { repos, isDone: false });
  const brought = [...carried.flatMap(carriedLines), ...taken.map(takingLine), ...stays];
  return {
    facts,
    summary: `Would start ${id} in ${count(work.length, "repo")}, in a workspace of its own.`,
    effects: [place, ...repos.map(describeClone), ...brought],
    details: [place, ...foldedRepos(repos, describeClone, input), ...brought],
    current: active === null ? "No ticket is active" : `Ticket ${active} is active`,
    alternatives: ["See the tickets: amof ticket list"],
  };
}

/** Makes the workspace of a ticket: all of it, or nothing but mirrors. */
export async function executeWorkspace(
  ctx: ExecuteContext,
  input: WorkspaceInput,
  facts: WorkspaceFacts,
): Promise<{ data: WorkspaceData }> {
  const base = await basePlace(ctx);
  const notes: string[] = [];
  const { ticket_id: ticket, offline } = input;
  const terms = { what: `start ${ticket}`, offline, notes };
  const { clones, empty, mirrors } = await planClones(ctx, base, facts.repos, terms);
  const skipped = [
    ...facts.skipped,
    ...empty.map((name) => ({ name, reason: "no commit yet" })),
  ];
  if (!clones.some(({ role }) => role === "work")) {
    throw new AmofError(
      "repo_not_found",
      `Cannot start "${ticket}": no repository has a commit yet`,
      {
        hint: "Push a first commit, then repeat",
        details: { skipped },
      },
    );
  }
  const directory = ticketDirectory(ctx.root, base.manifest, ticket);
  const { building, make, record, publish } = await makingSteps(ctx, base, {
    ticket,
    directory,
    created_at: timestamp(ctx.system.clock.now()),
    clones,
    standalone: facts.standalone,
    carried: facts.carried,
  });
  await take(ctx, { base, facts, clones, building, directory }, { make, record, publish });
  const made = { directory, clones, mirrors };
  const begun = await loadRecord(ctx.system, directory);
  notes.push(...pastLockNote(await pastLock(ctx, base, clones, begun), true));
  notes.push(...await stayingLines(ctx, base, input, { repos: facts.repos, isDone: true }));
  return { data: await answerOf(ctx, { facts, base, skipped, notes }, made) };
}

/** Which of the clones begin past the lock that their base branch is at in the base workspace. */
async function pastLock(
  ctx: CommandContext,
  { manifest, directory }: BasePlace,
  clones: PlannedClones["clones"],
  begun: TicketRecord | null,
): Promise<{ readonly name: string; readonly source: string }[]> {
  if (directory === null) return [];
  const locked = await lockedCommits(ctx, ctx.ecosystem);
  const found = await inPool(ctx.jobs, clones, async ({ name, role, track, base }) => {
    const at = locked.get(name) ?? null;
    const repo = manifest.repos.find((one) => one.name === name);
    if (at === null || role !== "work" || track || repo?.branch !== base) {
      return [];
    }
    if (begun?.repos[name]?.start === at) return [];
    const { refs } = ctx.git.at(await repoDirectory(ctx.system, directory, repo), name);
    const here = `refs/heads/${base}`;
    return (await refs.peek([here])).get(here) === at ? [{ name: String(name), source: base }] : [];
  });
  return found.flat();
}

/** Makes the workspace, with the uncommitted work that goes along. */
async function take(
  ctx: ExecuteContext,
  { base, facts, clones, building, directory }: {
    readonly base: BasePlace;
    readonly facts: WorkspaceFacts;
    readonly clones: PlannedClones["clones"];
    readonly building: string;
    readonly directory: string;
  },
  { make, record, publish }: Pick<
    Awaited<ReturnType<typeof makingSteps>>,
    "make" | "record" | "publish"
  >,
): Promise<void> {
  const { taken } = facts;
  if (taken.length === 0 || base.directory === null) {
    return await ctx.perform([...make, record, ...publish]);
  }
  const name = stashName(facts.ticket_id);
  const workspace = base.directory;
  const going = await Promise.all(taken.map(async ({ repo, from, head }) => {
    const entry = base.manifest.repos.find((one) => one.name === repo);
    const clone = clones.find((one) => one.name === repo);
    if (entry === undefined || clone === undefined) {
      throw new TypeError(`"${repo}" has left the manifest`);
    }
    const place = await repoDirectory(ctx.system, workspace, entry);
    return { repo, from, head, place, clone };
  }));
  await performBranchMoves(
    ctx,
    going.map(({ repo, from, head, place }) => ({
      repo,
      directory: place,
      from,
      first: [],
      keep: name,
      change: null,
      to: from,
      target: head,
      back: null,
    })),
    [
      ...going.map(({ repo, place, clone: { path, branch } }) =>
        bringChanges.step({ repo, directory: join(building, path), from: place, branch, name })
      ),
      record,
    ],
    {
      first: make,
      last: [
        ...publish,
        ...going.map(({ repo, place, clone: { path } }) =>
          leaveChanges.step({ repo, directory: place, now: join(directory, path), name })
        ),
      ],
    },
  );
}

async function answerOf(
  ctx: ExecuteContext,
  { facts, base, skipped, notes }: Pick<WorkspaceData, "skipped" | "notes"> & {
    readonly facts: WorkspaceFacts;
    readonly base: BasePlace;
  },
  { directory, clones, mirrors }: Pick<PlannedClones, "clones" | "mirrors"> & {
    readonly directory: string;
  },
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
    taken: facts.taken.map(({ repo, files }) => ({ repo, files })),
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
      ...data.taken.map(({ repo, files }) => `Took ${carriedText(files)} of ${repo} along.`),
      ...skippedLines(data.skipped),
      ...data.notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
      `Go there: cd "$(amof ticket path ${data.ticket_id})"`,
    ],
  };
}

function repoTable({ repos, context }: WorkspaceData, all: boolean): Table {
  const rows = [
    ...repos.map(({ name, branch, action }) => [name, branch, howOf(action)]),
    ...context.map(({ name, branch }) => [name, branch, "context"]),
  ];
  const shown = table(["repo", "branch", "how"], rows);
  const isPlain = (index: number) => repos[index]?.action === "create";
  return all ? shown : shown.folding(isPlain, "with a new branch");
}

/** What is said of it, before the start or after it; nothing where it was asked for. One git process a repository. */
async function stayingLines(
  ctx: CommandContext,
  { manifest, directory }: BasePlace,
  { carry }: Pick<WorkspaceInput, "carry">,
  { repos, isDone }: {
    readonly repos: readonly Pick<TicketRepoFact, "name" | "role">[];
    readonly isDone: boolean;
  },
): Promise<string[]> {
  if (directory === null || carry !== undefined) return [];
  const work = manifest.repos.filter(({ name }) =>
    repos.some((repo) => repo.name === name && repo.role === "work")
  );
  const found = await inPoolOf(ctx, "checking", work, async ({ name, path }) => {
    const repository = ctx.git.at(join(directory, path), name);
    if (await repository.activity() === null) return [];
    // Of what cannot be read the status tells.
    const status = await repository.status().catch(() => null);
    return (status?.changes.length ?? 0) === 0 ? [] : [String(name)];
  });
  const names = found.flat();
  return names.length === 0 ? [] : [
    `Uncommitted changes of ${few(names, 5)} stay in the base workspace; ${
      isDone
        ? "to take them along: amof undo, then the same start with --carry"
        : "--carry takes them along"
    }`,
  ];
}
