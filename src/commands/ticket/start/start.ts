/**
 * `amof ticket start`: a feature branch in each selected repository, all or nothing (TICKET-2, TICKET-4).
 *
 * Costs four git processes per repository: its state, its refs, a question to its remote, and the switch. One more
 * where the remote has a branch that was not fetched yet, two where that is the base branch; one less with
 * `--offline`.
 */

import { loadManifest } from "../../../workspace/manifest/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../../selection/mod.ts";
import type { WorkspaceState } from "../../../workspace/mod.ts";
import { foldingInput } from "../../../contract/input.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Preview,
  unlisted,
} from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { foldedRepos, type Folding, type Part } from "../../../base/text/parts.ts";
import { type Table, table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { bringInside, howOf, notesOf, skippedLines } from "./notes.ts";
import { branchMoveOf, describeMove, foldedMoves, savingText, stashesOf } from "../switching.ts";
import { carriedText } from "../carry.ts";
import { createBranch, fetchBranch, switchBranch } from "../steps/branch.ts";
import { type BranchMove, performBranchMoves } from "../branch_move.ts";
import { directoriesOf, stateStep, ticketPlace } from "../preflight.ts";
import { otherBases } from "../selection.ts";
import { planStart, type StartFact, type StartFacts, type StartInput } from "./plan.ts";
import { CONTEXTS, isLengthy, type WorkspaceFacts } from "../workspace/plan.ts";
import {
  executeWorkspace,
  previewWorkspace,
  renderWorkspace,
  type WorkspaceData,
} from "./workspace.ts";

/** What is told of repositories that went to the branch of a ticket in the base workspace. */
export interface StartData {
  readonly ticket_id: string;
  readonly active_ticket: string;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly action: StartFact["action"];
    /** Whether changes were put away for the ticket they belong to. */
    readonly stashed: boolean;
    /** How many changed files came along. */
    readonly carried: number;
    /** How many commits of the base branch came along. */
    readonly commits: number;
  }[];
  /** Repositories of the ticket that was left, each with the branch it went back to. */
  readonly left: readonly {
    readonly name: string;
    readonly branch: string;
    readonly stashed: boolean;
  }[];
  readonly skipped: StartFacts["skipped"];
  /** Remotes that could not be asked, one sentence each. */
  readonly notes: readonly string[];
}

/** The state with the new ticket, which becomes the active one; one that is there gets the repositories besides. */
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
    ...(fact.chosen ? { chosen: true } : {}),
  }));
  const there = state.tickets[facts.ticket_id];
  const ticket = {
    created_at: now,
    ecosystem,
    phase: "started",
    ...there,
    repos: {
      ...there?.repos,
      ...Object.fromEntries(facts.repos.map((fact) => [fact.name, fact.branch])),
    },
    repo_selections: [
      ...Array.isArray(there?.["repo_selections"]) ? there["repo_selections"] : [],
      ...selections,
    ],
  };
  return {
    ...state,
    active_ticket: facts.ticket_id,
    tickets: { ...state.tickets, [facts.ticket_id]: ticket },
  };
}

/** The way a repository gets to its branch. */
function branchMoveFor(fact: StartFact, directory: string): BranchMove {
  const where = { repo: fact.name, directory };
  const { from, head, branch, start, action, source } = fact;
  const brought = action === "create" ? { branch: source, track: true } : { branch };
  return {
    ...where,
    from,
    first: fact.fetch ? [fetchBranch.step({ ...where, ...brought, commit: start })] : [],
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

/** One line about what would be done in a repository. */
function describe(
  { action, branch, name, from, source, stash, astray, carried, commits }: StartFact,
): string {
  return `${VERBS[action]} ${branch} in ${name}${action === "create" ? ` from ${source}` : ""}${
    stash === null ? "" : `, ${savingText(stash, astray ? from : null)}`
  }${carried + commits === 0 ? "" : `, taking ${carriedText(carried, commits)} along`}`;
}

/** Whether the ticket gets a workspace of its own: as asked for, else as the manifest says (TICKET-11). */
async function isApart(
  ctx: Pick<CommandContext, "system" | "root" | "ecosystem">,
  { workspace, in_place, ticket_id }: {
    readonly ticket_id: string;
    readonly workspace?: boolean | undefined;
    readonly in_place: boolean;
  },
): Promise<boolean> {
  if (workspace === true && in_place) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot start "${ticket_id}" both in a workspace of its own and in the base workspace`,
      { hint: "Leave one out: --workspace or --in-place" },
    );
  }
  if (in_place) return false;
  return workspace ?? (await loadManifest(ctx.system, ctx.root, ctx.ecosystem)).perTicket;
}

/** What `amof ticket start` and `amof ticket add` say of repositories that go to the branch of a ticket, one line each. */
export function startEffects(
  facts: StartFacts,
  input: Folding,
): Pick<Preview<StartFacts, StartData>, "effects" | "details"> {
  return {
    effects: [...facts.repos.map(describe), ...facts.left.map(describeMove), ...notesOf(facts)],
    details: [
      ...foldedRepos(facts.repos, describe, {
        all: input.all,
        isPlain: ({ stash, commits }) => stash === null && commits === 0,
      }),
      ...foldedMoves(facts.left, input),
      ...notesOf(facts),
    ],
  };
}

/** What starting it in the base workspace would do. */
async function previewInPlace(
  ctx: CommandContext,
  input: StartInput & Folding,
): Promise<Preview<StartFacts, StartData>> {
  const { facts, place } = await planStart(ctx, input);
  return {
    facts,
    summary: `Would start ${input.ticket_id} in ${count(facts.repos.length, "repo")}.`,
    ...startEffects(facts, input),
    current: place.state.active_ticket === null
      ? "No ticket is active"
      : `Ticket ${place.state.active_ticket} is active`,
    alternatives: ["See the tickets: amof ticket list"],
  };
}

/** Puts repositories on the branch of a ticket in the base workspace, and notes it: all, or none. */
export async function executeInPlace(
  ctx: ExecuteContext,
  facts: StartFacts,
  input: { readonly offline: boolean },
): Promise<StartData> {
  const place = await ticketPlace(ctx);
  const now = timestamp(ctx.system.clock.now());
  const directories = await directoriesOf(ctx, place);
  await performBranchMoves(
    ctx,
    [
      ...facts.left.map((fact) => branchMoveOf(fact, directories(fact.name))),
      ...facts.repos.map((fact) => branchMoveFor(fact, directories(fact.name))),
    ],
    [await stateStep(ctx, place, withTicket(place.state, facts, ctx.ecosystem, now))],
  );
  if (!input.offline) await bringInside(ctx, place, facts);
  return startData(facts);
}

/** What going to the branch of a ticket changes in the base workspace. */
export function startChanges(
  facts: StartFacts,
): { readonly repos: readonly string[]; readonly what: "names" | "everything" } {
  const isPlain = facts.repos.every(({ carried, stash }) => carried === 0 && stash === null) &&
    facts.left.flatMap(stashesOf).every((stash) => stash === null);
  return {
    repos: [...facts.repos, ...facts.left].map(({ name }) => name),
    what: isPlain ? "names" : "everything",
  };
}

/** The answer about repositories that went to the branch of a ticket. */
export function startData(facts: StartFacts): StartData {
  return {
    ticket_id: facts.ticket_id,
    active_ticket: facts.ticket_id,
    repos: facts.repos.map((fact) => ({
      name: fact.name,
      branch: fact.branch,
      action: fact.action,
      stashed: fact.stash !== null,
      carried: fact.carried,
      commits: fact.commits,
    })),
    left: facts.left.map(({ name, to, save }) => ({ name, branch: to, stashed: save !== null })),
    skipped: facts.skipped,
    notes: notesOf(facts, true),
  };
}

/** What is told of repositories that went to the branch of a ticket. */
export function startDetails(data: StartData, all: boolean): readonly Part[] {
  return [
    ...(data.repos.length === 0 ? [] : [startTable(data.repos, all)]),
    ...foldedRepos(
      data.left,
      ({ name, branch, stashed }) =>
        `${name} went back to ${cleanLine(branch, 60)}${
          stashed ? ", its changes are stashed" : ""
        }.`,
      { all },
    ),
    ...skippedLines(data.skipped),
    ...data.notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
  ];
}

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
  locks: "scope",
  openWorld: true,
  next: ["get_ecosystem_status", "ticket_list"],
  needs: "a workspace",
  title: "Start ticket",
  summary: "Create or reuse the ticket's feature branches: all or none.",
  description:
    "A branch begins at the remote's base branch as last fetched. An existing local or remote branch is reused: the remotes are asked, and one that does not answer is named; --offline asks none. Repositories must be clean unless --stash puts their changes away for the ticket they belong to, or --carry takes them along to the new one. All or none: a failure in one repository takes the others back; choose fewer with --repo. With --workspace the ticket gets clones of its own beside the base workspace, so that several are worked on at once; they borrow from mirrors, and read-only repositories come along to be read. Ignored files that .worktreeinclude or the manifest names are copied there, unless --no-carry is given; with --carry the changes of the base workspace go there, too.",
  positionals: ["ticket_id"],
  flags: { ...SELECTION_FLAGS, repo_selections: "base" },
  switches: { "no-carry": { carry: false } },
  examples: [
    "ticket start PROJ-123",
    "ticket start PROJ-123 --repo api,web --base api=develop",
    "ticket start PROJ-124 --stash",
    "ticket start PROJ-124 --carry",
    "ticket start PROJ-125 --workspace --repo api,web",
  ],
  input: (z) => ({
    ticket_id: z.string().describe("Such as PROJ-123"),
    ...selectionInput(z),
    only: unlisted(selectionInput(z).only),
    repo_selections: otherBases(z),
    stash: z.boolean().default(false).describe(
      "Stash changes for their ticket",
    ),
    offline: unlisted(z.boolean().default(false).describe("Do not ask the remotes")),
    workspace: z.boolean().optional().describe("In a workspace of its own"),
    in_place: z.boolean().default(false).describe("In the base workspace"),
    context: unlisted(
      z.enum(CONTEXTS).default("readonly").describe(
        "Repositories it gets to read besides: readonly ones, all others, or none",
      ),
    ),
    standalone: unlisted(
      z.boolean().default(false).describe("Clones that have everything and borrow nothing"),
    ),
    carry: z.boolean().optional().describe("Take changes along"),
    carry_large: unlisted(
      z.boolean().default(false).describe(
        "Copy ignored files also when they are very many or large",
      ),
    ),
    ...foldingInput(z),
  }),
  meets: async (where, input) =>
    await isApart(where, input) ? { locks: { tickets: [input.ticket_id] } } : null,
  lengthy: async (ctx, input) => await isApart(ctx, input) && await isLengthy(ctx, input),
  async preview(
    ctx,
    input,
  ): Promise<Preview<StartFacts | WorkspaceFacts, StartData | WorkspaceData>> {
    return await isApart(ctx, input)
      ? await previewWorkspace(ctx, input)
      : await previewInPlace(ctx, input);
  },
  undo: {
    changes: (facts: StartFacts | WorkspaceFacts) =>
      !("workspace" in facts) ? startChanges(facts) : {
        makes: facts.taken.length > 0 ? undefined : {
          ticket: facts.ticket_id,
          branch: null,
          repos: facts.repos.map(({ name }) => name),
        },
        repos: [],
        what: "names",
      },
    irreversible: (facts) =>
      !("workspace" in facts)
        ? null
        : facts.taken.length === 0
        ? "mirrors that are made"
        : `this; move the ticket with its changes: amof ticket move ${facts.ticket_id} --in-place`,
  },
  async execute(ctx, input, facts): Promise<{ data: StartData | WorkspaceData }> {
    if ("workspace" in facts) return await executeWorkspace(ctx, input, facts);
    return { data: await executeInPlace(ctx, facts, input) };
  },
  render: (data: StartData | WorkspaceData, input) =>
    "workspace" in data ? renderWorkspace(data, input.all === true) : {
      summary: `Started ${data.ticket_id} in ${count(data.repos.length, "repo")}.`,
      details: startDetails(data, input.all === true),
    },
});

/** How each repository came to its branch; of many a person is only told those with more to it than a new branch. */
function startTable(repos: StartData["repos"], all: boolean): Table {
  const shown = table(
    ["repo", "branch", "how"],
    repos.map((repo) => [
      repo.name,
      repo.branch,
      `${howOf(repo.action)}${repo.stashed ? ", changes stashed" : ""}${
        repo.carried + repo.commits === 0 ? "" : `, with ${carriedText(repo.carried, repo.commits)}`
      }`,
    ]),
  );
  const isPlain = (repo: StartData["repos"][number] | undefined) =>
    repo?.action === "create" && !repo.stashed && repo.carried + repo.commits === 0;
  return all ? shown : shown.folding((index) => isPlain(repos[index]), "with a new branch");
}
