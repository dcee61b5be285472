/**
 * `amof ticket add`: further repositories come into the workspace of a ticket, and what was there to be read is worked on
 * (ADD-1).
 */

import { foldingInput } from "../../../contract/folding.ts";
import { type ExecuteContext, mutation, type Result, unlisted } from "../../../contract/mod.ts";
import { foldedRepos, type Folding } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { type Table, table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { type ClonePlan, loadRecord } from "../../../workspace/tickets/mod.ts";
import type { FreshMirror } from "../../../workspace/mirrors/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../../../workspace/selection/mod.ts";
import { type AddFacts, type AddInput, planAdd } from "./plan.ts";
import { addSteps, type Opening, openingsOf } from "./steps.ts";
import { howOf } from "../how.ts";
import { otherBases } from "../selection.ts";
import { skippedLines } from "../skipped.ts";
import { carriedLines } from "../workspace/carry.ts";
import { planClones } from "../workspace/clones.ts";
import { buildingBeside, carriedPlaces } from "../workspace/making.ts";
import { describeClone, isLengthy } from "../workspace/plan.ts";

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

/** `amof ticket add`. */
export const addToTicket = mutation({
  name: "amof_ticket_add",
  path: ["ticket", "add"],
  toolset: "ticket",
  extra: true,
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  runs: "ticket_add",
  inline: true,
  exclusive: true,
  openWorld: true,
  next: ["get_ecosystem_status", "ticket_list"],
  title: "Add to ticket",
  summary: "Bring further repositories into a ticket's own workspace: all or none.",
  description:
    "They come as with ticket start --workspace: on the remote's branch of the ticket where it has one, else on a new one. Repositories that were there to be read are worked on from now on, if nothing in them has changed. Read-only ones, and with --context all, come to be read.",
  positionals: ["ticket_id"],
  flags: { ...SELECTION_FLAGS, repo_selections: "base" },
  examples: [
    "ticket add PROJ-124 --repo web",
    "ticket add PROJ-124 --tag backend --base api=develop",
    "ticket add PROJ-124 --repo docs --context",
  ],
  input: (z) =>
    z.strictObject({
      ticket_id: z.string().min(1).describe("The ticket, which has a workspace of its own"),
      ...selectionInput(z),
      ...foldingInput(z),
      repo_selections: otherBases(z),
      context: z.boolean().default(false).describe("Only to be read"),
      offline: z.boolean().default(false).describe("Do not ask the remotes"),
      carry: unlisted(
        z.boolean().default(true).describe(
          "Copy the ignored files that .worktreeinclude or the manifest names",
        ),
      ),
      carry_large: unlisted(
        z.boolean().default(false).describe("Copy them also when they are very many or large"),
      ),
    }),
  locks: ({ ticket_id: id }) => ({ tickets: [id] }),
  changes: (facts: AddFacts) => ({
    repos: [],
    what: "names",
    // A repository that was there to be read keeps its branch: somebody may have worked on it.
    adds: facts.opened.length > 0
      ? undefined
      : { ticket: facts.ticket_id, repos: facts.repos.map(({ name }) => name) },
  }),
  lasts: (facts: AddFacts) =>
    facts.opened.length > 0
      ? `what was there to be read and is worked on now; end the ticket: amof ticket end ${facts.ticket_id}`
      : "mirrors that are made",
  lengthy: (ctx, { repos, tags }) => isLengthy(ctx, { repos, tags, context: "none" }),
  async preview(ctx, input) {
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
  execute: (ctx, input, facts) => executeAdd(ctx, input, facts),
  render: (data: AddData, input) => ({
    summary: data.repos.length === 0
      ? `Added nothing to ${data.ticket_id}.`
      : `Added ${count(data.repos.length, "repo")} to ${data.ticket_id}.`,
    details: [
      ...(data.repos.length === 0 ? [] : [addedTable(data.repos, input)]),
      ...skippedLines(data.skipped),
      ...data.notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
    ],
  }),
});
