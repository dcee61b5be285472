/**
 * `amof ticket add`: further repositories come into the workspace of a ticket, and what was only read is worked on
 * (ADD-1). In the base workspace they get a branch of the ticket, as at its start (ADD-3).
 */

import { foldingInput } from "../../../contract/input.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Preview,
  type Result,
  unlisted,
} from "../../../contract/mod.ts";
import { foldedRepos, type Folding } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { type Table, table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { join } from "@std/path";
import { AmofError } from "../../../base/error.ts";
import { loadManifest } from "../../../workspace/manifest/mod.ts";
import { loadState } from "../../../workspace/mod.ts";
import { planStart, type StartFacts } from "../start/plan.ts";
import {
  executeInPlace,
  startChanges,
  type StartData,
  startData,
  startDetails,
  startEffects,
} from "../start/start.ts";
import { findTicketWorkspace, loadRecord } from "../../../workspace/tickets/mod.ts";
import type { ClonePlan } from "../../../workspace/tickets/changing.ts";
import type { FreshMirror } from "../../../workspace/mirrors/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../../selection/mod.ts";
import {
  type AddFacts,
  type AddInput,
  addSteps,
  type Opening,
  openingsOf,
  planAdd,
  requireWords,
} from "./plan.ts";
import { howOf, skippedLines } from "../start/notes.ts";
import { otherBases } from "../selection.ts";
import { carriedLines } from "../steps/carried.ts";
import { buildingBeside, carriedPlaces } from "../workspace/making.ts";
import { describeClone, isLengthy, planClones } from "../workspace/plan.ts";

interface AddData {
  readonly ticket_id: string;
  /** Relative to the control repository, with `/`. */
  readonly workspace: string;
  /** Absolute. */
  readonly directory: string;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly role: "work" | "context";
    /** `create` a branch, `track` the remote's, or `read` only. */
    readonly action: "create" | "track" | "read";
    readonly start: string;
    /** Whether it was there before, to be read. */
    readonly was_context: boolean;
    /** What was done to the mirror; null for a clone without one, and for what was there. */
    readonly mirror: FreshMirror["result"] | null;
  }[];
  readonly skipped: AddFacts["skipped"];
  readonly carried: readonly {
    readonly repo: string;
    readonly files: number;
    readonly bytes: number;
  }[];
  readonly notes: readonly string[];
}

/** One row of the answer for each repository that came or opened. */
function rowsOf(
  clones: readonly ClonePlan[],
  openings: readonly Opening[],
  { start, mirrors }: {
    readonly start: (name: string) => string;
    readonly mirrors: ReadonlyMap<string, FreshMirror | null>;
  },
): AddData["repos"] {
  return [
    ...clones.map(({ name, branch, role, track }) => ({
      name,
      branch,
      role,
      action: role === "context" ? "read" as const : track ? "track" as const : "create" as const,
      start: start(name),
      was_context: false,
      mirror: mirrors.get(name)?.result ?? null,
    })),
    ...openings.map(({ name, branch, track }) => ({
      name,
      branch,
      role: "work" as const,
      action: track ? "track" as const : "create" as const,
      start: start(name),
      was_context: true,
      mirror: null,
    })),
  ];
}

/** Brings them in: all, or none. */
async function executeAdd(
  ctx: ExecuteContext,
  input: AddInput,
  facts: AddFacts,
): Promise<Result<AddData>> {
  const { own, base } = await planAdd(ctx, input);
  const { ticket_id: ticket } = facts;
  const { directory, record } = own;
  const notes: string[] = [];
  const { offline } = input;
  const terms = { what: `add to ${ticket}`, offline, notes };
  const { clones, empty, mirrors } = await planClones(ctx, base, facts.repos, terms);
  const openings = await openingsOf(ctx, {
    own,
    manifest: base.manifest,
    opened: facts.opened,
    offline,
  });
  const { before, after } = addSteps(
    {
      directory,
      building: buildingBeside(ctx, directory),
      ticket,
      places: carriedPlaces(base, facts.carried, clones),
      // Clones are added without a mirror where none of the others needs one.
      standalone: Object.values(record.repos).every(({ mirror }) => mirror === null),
    },
    clones,
    openings,
  );
  if (clones.length + openings.length > 0) await ctx.perform([...before, ...after], before.length);
  const now = await loadRecord(ctx.system, directory);
  const start = (name: string) => now?.repos[name]?.start ?? "";
  return {
    data: {
      ticket_id: ticket,
      workspace: facts.workspace,
      directory,
      repos: rowsOf(clones, openings, { start, mirrors }),
      skipped: [
        ...facts.skipped,
        ...empty.map((name) => ({ name, reason: "no commit yet" })),
      ],
      carried: facts.carried.map(({ repo, files, bytes }) => ({ repo, files, bytes })),
      notes,
    },
  };
}

function describeOpening({ name, branch }: AddFacts["opened"][number]): string {
  return `Work on ${name}, which was there to be read, on ${branch}`;
}

/** One line for each repository that comes or opens. */
function effectsOf({ repos, opened, carried }: AddFacts): string[] {
  return [
    ...repos.map(describeClone),
    ...opened.map(describeOpening),
    ...carried.flatMap(carriedLines),
  ];
}

/** How each repository came; of many a person is only told those with more to it than a new branch. */
function addedTable(repos: AddData["repos"], { all }: Folding): Table {
  const shown = table(
    ["repo", "branch", "how"],
    repos.map(({ name, branch, action, was_context }) => [
      name,
      cleanLine(branch, 60),
      was_context ? `${howOf(action)}, was to read` : howOf(action),
    ]),
  );
  const isPlain = (at: number) => repos[at]?.action === "create" && !repos[at].was_context;
  return all ? shown : shown.folding(isPlain, "with a new branch");
}

/** Whether a ticket is one of the base workspace. No process. */
async function isInPlace(
  { system, root, ecosystem }: Pick<CommandContext, "system" | "root" | "ecosystem">,
  { ticket_id: id }: Pick<AddInput, "ticket_id">,
): Promise<boolean> {
  const manifest = await loadManifest(system, root, ecosystem);
  if (await findTicketWorkspace(system, root, manifest, id) !== null) return false;
  const state = await loadState(system, join(root, manifest.workspaceDir));
  return Object.hasOwn(state?.tickets ?? {}, id);
}

/** What adding to a ticket in the base workspace would do. */
async function previewInPlace(
  ctx: CommandContext,
  input: AddInput & Folding,
): Promise<Preview<StartFacts, StartData>> {
  requireWords(input);
  if (input.context) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot add to ${input.ticket_id} with --context: in the base workspace everything can be read`,
      { hint: "Leave it out: the same command without --context", details: { field: "context" } },
    );
  }
  const { facts, place } = await planStart(ctx, { ...input, stash: false }, "add");
  const { ticket_id: id, repos } = facts;
  return {
    facts,
    subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
    summary: `Would add ${count(repos.length, "repo")} to ${id}.`,
    ...startEffects(facts, input),
    current: `The ticket has ${
      count(Object.keys(place.state.tickets[id]?.repos ?? {}).length, "repo")
    }`,
    alternatives: ["Start another ticket with them: amof ticket start ID"],
    ...(repos.length === 0 ? { settled: { data: startData(facts) } } : {}),
  };
}

/** `amof ticket add`. */
export const addToTicket = mutation({
  name: "amof_ticket_add",
  path: ["ticket", "add"],
  toolset: "ticket",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  runs: "ticket_add",
  inline: true,
  openWorld: true,
  next: ["get_ecosystem_status", "ticket_list"],
  title: "Add to ticket",
  summary: "Bring further repositories into a ticket: all or none.",
  description:
    "They come as with ticket start: on the remote's branch of the ticket where it has one, else on a new one. In the base workspace their changes go along, unless --no-carry is given. To a ticket with a workspace of its own they come as clones; there, repositories that were there to be read are worked on from now on, if nothing in them has changed, and read-only ones, and with --context all, come to be read.",
  positionals: ["ticket_id"],
  flags: { ...SELECTION_FLAGS, repo_selections: "base" },
  switches: { "no-carry": { carry: false } },
  examples: [
    "ticket add PROJ-124 --repo web",
    "ticket add PROJ-124 --tag backend --base api=develop",
    "ticket add PROJ-124 --repo docs --context",
  ],
  input: (z) => ({
    ticket_id: z.string().min(1).describe(
      "The ticket: the active one, or one with a workspace of its own",
    ),
    ...selectionInput(z),
    ...foldingInput(z),
    repo_selections: otherBases(z),
    context: z.boolean().default(false).describe("Only to be read"),
    offline: z.boolean().default(false).describe("Do not ask the remotes"),
    carry: unlisted(
      z.boolean().default(true).describe(
        "Take changes along, and copy ignored files that .worktreeinclude or the manifest names",
      ),
    ),
    carry_large: unlisted(
      z.boolean().default(false).describe("Copy them also when they are very many or large"),
    ),
  }),
  locks: ({ ticket_id: id }) => ({ tickets: [id] }),
  meets: async (where, input) =>
    await isInPlace(where, input) ? { locks: { base: true, tickets: [input.ticket_id] } } : null,
  undo: {
    changes: (facts: AddFacts | StartFacts) =>
      "left" in facts ? startChanges(facts) : ({
        repos: [],
        what: "names",
        // A repository that was there to be read keeps its branch: somebody may have worked on it.
        adds: facts.opened.length > 0
          ? undefined
          : { ticket: facts.ticket_id, repos: facts.repos.map(({ name }) => name) },
      }),
    irreversible: (facts: AddFacts | StartFacts) =>
      "left" in facts
        ? null
        : facts.opened.length > 0
        ? `what was there to be read and is worked on now; end the ticket: amof ticket end ${facts.ticket_id}`
        : "mirrors that are made",
  },
  lengthy: async (ctx, { ticket_id, repos, tags }) =>
    !await isInPlace(ctx, { ticket_id }) && await isLengthy(ctx, { repos, tags, context: "none" }),
  async preview(
    ctx,
    input,
  ): Promise<Preview<AddFacts | StartFacts, AddData | StartData>> {
    if (await isInPlace(ctx, input)) return await previewInPlace(ctx, input);
    const { facts, own } = await planAdd(ctx, input);
    const { ticket_id: id, repos, opened, skipped, workspace } = facts;
    const more = repos.length + opened.length;
    const nothing: AddData = {
      ticket_id: id,
      workspace,
      directory: own.directory,
      repos: [],
      skipped,
      carried: [],
      notes: [],
    };
    return {
      facts,
      subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
      summary: `Would add ${count(more, "repo")} to ${id}.`,
      effects: effectsOf(facts),
      details: [
        ...foldedRepos(repos, describeClone, input),
        ...foldedRepos(opened, describeOpening, input),
        ...facts.carried.flatMap(carriedLines),
      ],
      current: `The ticket has ${count(Object.keys(own.record.repos).length, "repo")}`,
      alternatives: ["Start another ticket with them: amof ticket start ID --workspace"],
      ...(more === 0 ? { settled: { data: nothing } } : {}),
    };
  },
  execute: async (ctx, input, facts): Promise<Result<AddData | StartData>> =>
    "left" in facts
      ? { data: await executeInPlace(ctx, facts, input) }
      : await executeAdd(ctx, input, facts),
  render: (data: AddData | StartData, input) => ({
    summary: data.repos.length === 0
      ? `Added nothing to ${data.ticket_id}.`
      : `Added ${count(data.repos.length, "repo")} to ${data.ticket_id}.`,
    details: "active_ticket" in data ? startDetails(data, input.all === true) : [
      ...(data.repos.length === 0 ? [] : [addedTable(data.repos, input)]),
      ...skippedLines(data.skipped),
      ...data.notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
    ],
  }),
});
