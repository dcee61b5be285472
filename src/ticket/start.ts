/**
 * `amof ticket start`: a feature branch in each selected repository, all or nothing (TICKET-2, TICKET-4).
 *
 * Costs four git processes per repository: its state, its refs, a question to its remote, and the switch; one more
 * where the remote has a branch that was not fetched yet, one less with `--offline`.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import {
  type Refusal,
  refuseAll,
  type RepoSnapshot,
  selectRepos,
  type WorkspaceState,
} from "../workspace/mod.ts";
import { inPool } from "../async/pool.ts";
import { type CommandContext, mutation } from "../contract/mod.ts";
import { timestamp } from "../system/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count } from "../text/words.ts";
import { describeMove, type MoveFact, passageOf, planMoves } from "./move.ts";
import { createBranch, fetchBranch, switchBranch } from "./operations.ts";
import { type Passage, performPassages } from "./passage.ts";
import {
  cannotEnter,
  cannotLeave,
  directoriesOf,
  lookAt,
  stateStep,
  type TicketPlace,
  ticketPlace,
} from "./preflight.ts";
import { describeUnasked, RemoteBranches, type Unasked } from "./remote_branch.ts";
import { type Selection, toSelection } from "./selection.ts";
import { branchOf, NO_TICKET, stashName } from "./ticket.ts";

/** How one repository gets its branch. */
interface StartFact {
  readonly name: string;
  /** `create` a branch, `track` the remote's, `reuse` the local one, or `stay` because it is checked out. */
  readonly action: "create" | "track" | "reuse" | "stay";
  readonly branch: string;
  readonly from: string;
  /** The commit it stands on. */
  readonly head: string;
  /** The commit a new branch begins at. */
  readonly start: string;
  readonly source: string;
  /** Whether the remote has a branch, or commits of it, that were not fetched yet. */
  readonly fetch: boolean;
  /** Why the remote could not be asked, or null. */
  readonly unasked: Unasked | null;
  readonly mode: "ticket_local" | "shared";
  readonly stash: string | null;
}

interface StartFacts {
  readonly ticket_id: string;
  readonly repos: readonly StartFact[];
  /** Repositories of the ticket that is left, which go back to their base branches. */
  readonly left: readonly MoveFact[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

interface StartData {
  readonly ticket_id: string;
  readonly active_ticket: string;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly action: StartFact["action"];
  }[];
  readonly skipped: StartFacts["skipped"];
  /** Remotes that could not be asked, one sentence each. */
  readonly notes: readonly string[];
}

interface StartInput {
  readonly ticket_id: string;
  readonly repos?: readonly string[] | undefined;
  readonly repo_selections?: readonly (string | Selection)[] | undefined;
  readonly stash: boolean;
  readonly offline: boolean;
}

/** Where the branch of one repository comes from, or why it cannot be had. At most two git processes. */
async function resolveBranch(
  ctx: CommandContext,
  place: TicketPlace,
  snapshot: RepoSnapshot,
  selection: Selection | undefined,
  input: StartInput,
  remotes: RemoteBranches | null,
): Promise<StartFact | Refusal> {
  const { repo, git, directory } = snapshot;
  const refusal = cannotLeave(snapshot, input.stash);
  if (refusal !== null) return refusal;
  const from = git?.branch ?? "";
  const branch = selection?.target_branch ?? branchOf(place.manifest, input.ticket_id);
  const source = selection?.source_branch ?? repo.branch;
  const names = {
    local: `refs/heads/${branch}`,
    remote: `refs/remotes/origin/${branch}`,
    base: `refs/remotes/origin/${source}`,
    localBase: `refs/heads/${source}`,
  };
  const refs = await ctx.git.refs.list(directory, Object.values(names), repo.name);
  const dirty = (git?.changes.length ?? 0) > 0 && from !== branch;
  let fetch = false;
  let unasked: Unasked | null = null;
  const fact = (action: StartFact["action"], start: string): StartFact => ({
    fetch,
    unasked,
    name: repo.name,
    action,
    branch,
    from,
    head: git?.head ?? "",
    start,
    source,
    mode: selection?.mode ?? "ticket_local",
    stash: dirty ? stashName(place.state.active_ticket ?? NO_TICKET) : null,
  });
  const local = refs.get(names.local);
  if (local !== undefined) {
    if (from === branch) return fact("stay", local);
    return await cannotEnter(ctx, snapshot, branch) ?? fact("reuse", local);
  }
  const fetched = refs.get(names.remote) ?? null;
  const answer = await remotes?.ask(repo, directory, branch);
  if (answer !== undefined && "unasked" in answer) unasked = answer.unasked;
  const remote = answer !== undefined && "commit" in answer ? answer.commit : fetched;
  if (remote !== null) {
    fetch = remote !== fetched;
    return fact("track", remote);
  }
  if (selection?.mode === "shared") {
    return {
      repo: repo.name,
      code: "git_failed",
      problem: `has no branch ${branch} to share`,
      fix: "fetch it: amof sync",
    };
  }
  const base = refs.get(names.base) ?? refs.get(names.localBase);
  return base === undefined
    ? {
      repo: repo.name,
      code: "git_failed",
      problem: `has no branch ${source} to begin at`,
      fix: "name another base, or fetch it: amof sync",
    }
    : fact("create", base);
}

function isRefusal(entry: StartFact | Refusal): entry is Refusal {
  return "problem" in entry;
}

async function plan(
  ctx: CommandContext,
  input: StartInput,
): Promise<{ facts: StartFacts; place: TicketPlace }> {
  const place = await ticketPlace(ctx);
  branchOf(place.manifest, input.ticket_id);
  if (Object.hasOwn(place.state.tickets, input.ticket_id)) {
    throw new AmofError(
      "ticket_exists",
      `Cannot start "${input.ticket_id}": there is such a ticket already`,
      {
        hint: `Go to it: amof ticket switch ${input.ticket_id}`,
        details: { ticket_id: input.ticket_id },
      },
    );
  }
  const selections = new Map(
    (input.repo_selections ?? []).map(toSelection).map((entry) => [entry.repo, entry]),
  );
  selectRepos(place.manifest, [...selections.keys()]);
  const chosen = selectRepos(place.manifest, input.repos);
  const writable = chosen.filter((repo) => !repo.readonly);
  const snapshots = await lookAt(ctx, place, writable);
  // A branch needs a commit to begin at, so empty repositories are left out.
  const isEmpty = ({ git }: RepoSnapshot) => git !== null && git.head === null;
  const present = snapshots.filter((snapshot) => !snapshot.missing && !isEmpty(snapshot));
  const skipped = [
    ...chosen.filter((repo) => repo.readonly).map((repo) => ({
      name: repo.name,
      reason: "read-only",
    })),
    ...snapshots.filter((snapshot) => snapshot.missing).map(({ repo }) => ({
      name: repo.name,
      reason: "not cloned",
    })),
    ...snapshots.filter(isEmpty).map(({ repo }) => ({ name: repo.name, reason: "no commit yet" })),
  ];
  const remotes = input.offline ? null : new RemoteBranches(ctx);
  const resolved = await inPool(
    ctx.jobs,
    present,
    (snapshot) =>
      resolveBranch(ctx, place, snapshot, selections.get(snapshot.repo.name), input, remotes),
  );
  refuseAll(`start ${input.ticket_id}`, resolved.filter(isRefusal));
  const repos = resolved.filter((entry): entry is StartFact => !isRefusal(entry));
  if (repos.length === 0) {
    throw new AmofError(
      "repo_not_found",
      `Cannot start "${input.ticket_id}": no writable repository takes part`,
      {
        hint: skipped.some((entry) => entry.reason === "not cloned")
          ? "Clone them: amof sync"
          : "Choose others: the same command with --repos NAME",
        details: { skipped },
      },
    );
  }
  const left = await planMoves(
    ctx,
    place,
    input.ticket_id,
    input.stash,
    `start ${input.ticket_id}`,
    repos.map((fact) => fact.name),
  );
  return { place, facts: { ticket_id: input.ticket_id, repos, left, skipped } };
}

/** What the remotes could not be asked. */
function notesOf(facts: StartFacts): string[] {
  return facts.repos.flatMap(({ unasked, branch }) =>
    unasked === null ? [] : [describeUnasked(unasked, branch)]
  );
}

/** The state with the new ticket, which becomes the active one. */
function withTicket(
  state: WorkspaceState,
  facts: StartFacts,
  ecosystem: string,
  now: string,
): WorkspaceState {
  const selections = facts.repos.map((fact) => ({
    repo: fact.name,
    mode: fact.mode,
    source_branch: fact.source,
    target_branch: fact.branch,
    status: "ready",
  }));
  const ticket = {
    created_at: now,
    ecosystem,
    repos: Object.fromEntries(facts.repos.map((fact) => [fact.name, fact.branch])),
    repo_selections: selections,
    phase: "started",
  };
  return {
    ...state,
    active_ticket: facts.ticket_id,
    tickets: { ...state.tickets, [facts.ticket_id]: ticket },
  };
}

/** The way a repository gets to its branch. */
function passageFor(fact: StartFact, directory: string): Passage {
  const where = { repo: fact.name, directory };
  const { from, head, branch, start, action } = fact;
  return {
    ...where,
    from,
    first: fact.fetch ? [fetchBranch.step({ ...where, branch, commit: start })] : [],
    keep: fact.stash,
    change: action === "stay"
      ? null
      : action === "reuse"
      ? switchBranch.step({ ...where, from, to: branch, head, target: start })
      : createBranch.step({ ...where, from, head, branch, start, track: action === "track" }),
    to: branch,
    target: start,
    back: null,
  };
}

const VERBS: Readonly<Record<StartFact["action"], string>> = {
  create: "Create",
  track: "Track the remote's",
  reuse: "Switch to",
  stay: "Stay on",
};

/** `amof ticket start`. */
export const startTicket = mutation({
  name: "amof_ticket_start",
  path: ["ticket", "start"],
  toolset: "ticket",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  runs: "ticket_start",
  inline: true,
  exclusive: true,
  openWorld: true,
  next: ["get_ecosystem_status", "ticket_list"],
  inWorkspace: true,
  title: "Start ticket",
  summary: "Create or reuse the ticket's feature branches: all or none.",
  description:
    "A branch begins at the remote's base branch as last fetched. An existing local or remote branch is reused: the remotes are asked, and one that does not answer is named; --offline asks none. Repositories must be clean unless --stash puts their changes away for the ticket they belong to. All or none: a failure in one repository takes the others back; choose fewer with --repos.",
  positionals: ["ticket_id"],
  flags: { repo_selections: "base" },
  examples: [
    "ticket start PROJ-123",
    "ticket start PROJ-123 --repos api,web --base api=develop",
    "ticket start PROJ-124 --stash",
  ],
  input: (z) =>
    z.strictObject({
      ticket_id: z.string().describe("The ticket, such as PROJ-123"),
      repos: z.array(z.string()).optional().describe("Only these repositories"),
      repo_selections: z.array(z.union([
        z.string(),
        z.strictObject({
          repo: z.string(),
          mode: z.enum(["ticket_local", "shared"]).default("ticket_local"),
          source_branch: z.string().optional(),
          target_branch: z.string().optional(),
        }),
      ])).optional().describe(
        "Other base branches: repo=branch, or an object",
      ),
      stash: z.boolean().default(false).describe(
        "Stash uncommitted changes for their ticket",
      ),
      offline: z.boolean().default(false).describe("Do not ask the remotes"),
    }),
  async preview(ctx, input) {
    const { facts, place } = await plan(ctx, input);
    return {
      facts,
      summary: `Would start ${input.ticket_id} in ${count(facts.repos.length, "repo")}.`,
      effects: [
        ...facts.repos.map((fact) =>
          `${VERBS[fact.action]} ${fact.branch} in ${fact.name}${
            fact.action === "create" ? ` from ${fact.source}` : ""
          }${fact.stash === null ? "" : `, stashing its changes as ${fact.stash}`}`
        ),
        ...facts.left.map(describeMove),
        ...notesOf(facts),
      ],
      current: place.state.active_ticket === null
        ? "No ticket is active"
        : `Ticket ${place.state.active_ticket} is active`,
      alternatives: ["See the tickets: amof ticket list"],
    };
  },
  async execute(ctx, input, facts) {
    const place = await ticketPlace(ctx);
    const now = timestamp(ctx.system.clock.now());
    const directories = await directoriesOf(ctx, place);
    await performPassages(
      ctx,
      [
        ...facts.left.map((fact) => passageOf(fact, directories(fact.name))),
        ...facts.repos.map((fact) => passageFor(fact, directories(fact.name))),
      ],
      [await stateStep(ctx, place, withTicket(place.state, facts, ctx.ecosystem, now))],
    );
    return {
      data: {
        ticket_id: input.ticket_id,
        active_ticket: input.ticket_id,
        repos: facts.repos.map((fact) => ({
          name: fact.name,
          branch: fact.branch,
          action: fact.action,
        })),
        skipped: facts.skipped,
        notes: notesOf(facts),
      },
    };
  },
  render: (data: StartData) => ({
    summary: `Started ${data.ticket_id} in ${count(data.repos.length, "repo")}.`,
    details: [
      table(
        ["repo", "branch", "how"],
        data.repos.map((repo) => [repo.name, repo.branch, repo.action]),
      ),
      ...data.skipped.map((entry) => `– ${entry.name}: ${entry.reason}`),
      ...data.notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
    ].join("\n"),
  }),
});
