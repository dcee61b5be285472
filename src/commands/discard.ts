/**
 * `amof discard`: takes a workspace away with everything that is only in it (WORKSPACE-18).
 *
 * The preview lists what would be lost, and a person types the name of the ecosystem.
 */

import { AmofError } from "../base/error.ts";
import { foldingInput } from "../contract/input.ts";
import { type CommandContext, mutation, onlyTyped } from "../contract/mod.ts";
import { foldedLines } from "../base/text/parts.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { count, few } from "../base/text/words.ts";
import { digestsOf, type Stock } from "../workspace/removal/mod.ts";
import { baseGoing } from "./removal/going.ts";
import { type TicketGoing, ticketGoing } from "./ticket/going.ts";
import { removalSteps, ticketRemovalSteps } from "./removal/removal.ts";
import {
  adoptedLines,
  adoptedParts,
  environmentLines,
  isMinor,
  type Loss,
  lossesOf,
  lossLines,
  lossParts,
  removablePlace,
  undeletable,
} from "./removal/losses.ts";
import { ticketWorkspaces } from "../workspace/tickets/mod.ts";
import type { Manifest } from "../workspace/manifest/mod.ts";
import { adoptFlag, readState, stateFile, type WorkspacePlace } from "../workspace/mod.ts";

interface DiscardFacts {
  readonly workspace: string;
  /** Branches that go, as `repository: branch`. Those of remotes stay. */
  readonly branches: readonly string[];
  /** Directories that go, relative to the control repository. */
  readonly directories: readonly string[];
  readonly losses: readonly Loss[];
  /** The workspace branch with the commit it is deleted at, or null when there is none. */
  readonly branch: { readonly name: string; readonly commit: string } | null;
  /** Repository to digest. */
  readonly digests: Readonly<Record<string, string>>;
  /** Workspaces of tickets that stay, relative to the control repository. */
  readonly tickets: readonly string[];
  /** Those that go, too. */
  readonly own: readonly OwnFact[];
  /** Tickets that only this workspace knows of, and that are forgotten with it. */
  readonly forgotten: readonly string[];
  /** Clones that stay, because the workspace only has links to them: names with places. */
  readonly adopted: Stock["adopted"];
}

/** The workspace of a ticket that goes. */
interface OwnFact {
  readonly ticket_id: string;
  /** Relative to the control repository. */
  readonly workspace: string;
  /** What would be lost with it; the repositories are called `T-1/api`. */
  readonly losses: readonly Loss[];
  readonly digests: Readonly<Record<string, string>>;
  /** What lies among its clones, as a digest. */
  readonly among: string;
}

/** The workspace of a ticket that goes, with what is in it. */
interface Own extends TicketGoing {
  readonly fact: OwnFact;
}

interface DiscardData {
  readonly workspace: string;
  readonly branches: readonly string[];
  readonly directories: readonly string[];
  /** What was lost. */
  readonly losses: readonly Loss[];
  /** What could not be deleted, or null. */
  readonly left: string | null;
  /** The command that uses the clones again that stay where they are; absent where there are none. */
  readonly next?: string;
}

/** "api: main" as a part of a sentence: "main of api". */
function branchOf(entry: string): string {
  const [repo = "", name] = entry.split(": ");
  const place = repo === "control repository" ? "the control repository" : repo;
  return name === undefined ? entry : `${name} of ${place}`;
}

/** Looks at the workspaces of all tickets. Throws where the record of one cannot be used, or something is in the way. */
async function ownOf(ctx: CommandContext, manifest: Manifest): Promise<Own[]> {
  const found: Own[] = [];
  for (
    const { id, directory, record, problem } of await ticketWorkspaces(
      ctx.system,
      ctx.root,
      manifest,
    )
  ) {
    if (record === null || problem !== null) {
      throw new AmofError(
        "state_corrupt",
        `Cannot discard ticket ${id}: its record cannot be used: ${problem ?? "there is none"}`,
        {
          hint:
            "See what mends it: amof doctor\nLeave the tickets: the same command without --tickets",
        },
      );
    }
    const what = `discard ticket ${id}`;
    const going = await ticketGoing(ctx, { directory, record }, {
      command: "discard --tickets",
      what,
    });
    const { stock, digests, among } = going;
    found.push({
      ...going,
      fact: {
        ticket_id: id,
        workspace: `${manifest.workspaceDir}@${id}`,
        losses: lossesOf(stock).map((loss) => ({ ...loss, repo: `${id}/${loss.repo}` })),
        digests,
        among,
      },
    });
  }
  return found;
}

async function plan(
  ctx: CommandContext,
  { tickets = false }: { readonly tickets?: boolean | undefined },
): Promise<{
  facts: DiscardFacts;
  stock: Stock;
  place: WorkspacePlace;
  own: readonly Own[];
}> {
  const { place, manifest } = await removablePlace(ctx, "discard");
  const { stock, branch } = await baseGoing(
    ctx,
    { place, manifest, branch: place.worktree?.branch ?? null, tickets },
    `discard ${ctx.ecosystem}`,
  );
  const { history } = ctx.git.at(ctx.root);
  const own = branch === null ? 0 : await history.ownCount(branch.name, false);
  // A record that cannot be read keeps no workspace from going.
  const state = readState(await ctx.system.files.readText(stateFile(place.directory)) ?? "");
  const goes = tickets ? await ownOf(ctx, manifest) : [];
  const workspace = manifest.workspaceDir;
  return {
    place,
    stock,
    own: goes,
    facts: {
      workspace,
      branches: [
        ...(branch === null ? [] : [`control repository: ${branch.name}`]),
        ...branchesOf(stock, ""),
        ...goes.flatMap(({ fact, stock }) => branchesOf(stock, `${fact.ticket_id}/`)),
      ],
      directories: [
        ...directoriesOf(stock, workspace),
        ...goes.flatMap(({ fact, stock }) => directoriesOf(stock, fact.workspace)),
      ],
      losses: [
        ...(own === 0 || branch === null ? [] : [{
          repo: "(control repository)",
          kind: "commits" as const,
          count: own,
          items: [`on ${branch.name}`],
        }]),
        ...lossesOf(stock),
        ...goes.flatMap(({ fact }) => fact.losses),
      ],
      own: goes.map(({ fact }) => fact),
      branch,
      adopted: stock.adopted,
      forgotten: typeof state === "string" ? [] : Object.keys(state.tickets),
      tickets: tickets ? [] : (await ticketWorkspaces(ctx.system, ctx.root, manifest))
        .map(({ id }) => `${workspace}@${id}`),
      digests: digestsOf(stock),
    },
  };
}

/** The branches of the clones of a workspace; `owner` stands before each name. */
function branchesOf({ repos }: Stock, owner: string): string[] {
  return repos.flatMap(({ name, branches }) =>
    branches.map((branch) => `${owner}${name}: ${branch.name}`)
  );
}

function directoriesOf({ repos }: Stock, workspace: string): string[] {
  return [workspace, ...repos.map(({ path }) => `${workspace}/${path}`)];
}

/** `amof discard`. */
export const discard = mutation({
  name: "amof_discard_ecosystem",
  path: ["discard"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "type",
  asks: { deed: "discard", will: "delete the workspace with everything that is only in it" },
  runs: "discard",
  locks: "ecosystem",
  next: "removed",
  title: "Discard ecosystem",
  summary: "Delete the workspace with everything that is only in it; remotes stay as they are.",
  description:
    "Clones, uncommitted files, unpushed commits, stashes and the workspace branch go. Nothing is pushed. The preview lists what would be lost; to keep the work, use archive. Workspaces that tickets have of their own stay, unless --tickets is given.",
  instead: { force: "Consent without being asked: amof discard --confirm-name NAME" },
  examples: [
    "discard --dry-run",
    "discard --confirm-name demo",
    "discard --tickets --confirm-name demo",
  ],
  input: (z) => ({
    tickets: onlyTyped(
      z.boolean().optional().describe("Delete the workspaces of tickets, too"),
    ),
    ...foldingInput(z),
  }),
  async preview(ctx, input) {
    const { facts } = await plan(ctx, input);
    const lost = lossLines(facts.losses.filter((loss) => !isMinor(loss)));
    const losses = lossLines(facts.losses).map((line) => `Lose ${line}`);
    const isInside = (directory: string) =>
      facts.directories.some((other) => directory.startsWith(`${other}/`));
    const clones = facts.directories.filter(isInside);
    const deleted = (directories: readonly string[]) =>
      directories.map((directory) => `Delete ${directory}`);
    const adopted = adoptedLines(facts.adopted);
    const stays = facts.tickets.map((workspace) =>
      `Leave ${workspace} as it is: it is a ticket's own`
    );
    const environment = await environmentLines(ctx);
    const forgotten = facts.forgotten.map((id) => `Forget ticket ${cleanLine(id, 60)}`);
    const branches = facts.branches.map((branch) => `Delete branch ${branchOf(branch)}`);
    return {
      facts,
      summary: `Would discard ${ctx.ecosystem} with ${
        count(facts.directories.length - 1 - facts.own.length, "clone")
      }.`,
      effects: [
        ...losses,
        ...deleted(facts.directories),
        ...branches,
        ...forgotten,
        ...adopted,
        ...stays,
        ...environment,
      ],
      details: [
        ...lossParts(facts.losses, "Lose", input),
        ...deleted(facts.directories.filter((directory) => !isInside(directory))),
        ...foldedLines(
          deleted(clones),
          `Delete ${count(clones.length, "clone")} there: ${few(clones, 3)}`,
          input,
        ),
        ...foldedLines(
          branches,
          `Delete ${count(branches.length, "branch", "branches")}: ${
            few(facts.branches.map(branchOf), 3)
          }`,
          input,
        ),
        ...foldedLines(
          forgotten,
          `Forget ${count(forgotten.length, "ticket")}: ${few(facts.forgotten, 3)}`,
          input,
        ),
        ...adoptedParts(facts.adopted),
        ...foldedLines(
          stays,
          `Leave ${count(stays.length, "workspace")} of tickets as they are: ${
            few(facts.tickets, 3)
          }`,
          input,
        ),
        ...environment,
      ],
      irreversible: lost.length === 0
        ? "Deleted files cannot be brought back; as last fetched, no work is only there."
        : `Lost work cannot be brought back: ${lost[0]}${
          lost.length > 1 ? `, and ${lost.length - 1} more` : ""
        }`,
      current: lost.length === 0
        ? "As last fetched, no work is only there"
        : `${
          count(new Set(facts.losses.map((loss) => loss.repo)).size, "place has", "places have")
        } work that is only there`,
      alternatives: [
        // An archive of clones that stay is refused, and leads here.
        ...(adopted.length > 0 ? [] : ["Push everything and keep a record instead: amof archive"]),
        "Look at the state: amof status",
      ],
    };
  },
  undo: {
    irreversible: "what is deleted",
  },
  async execute(ctx, input, facts) {
    const { stock, place, own } = await plan(ctx, input);
    const { undoable, final, aside } = removalSteps(ctx, {
      root: ctx.root,
      directory: place.directory,
      stock,
      digests: facts.digests,
      branch: facts.branch,
    });
    const going = own.map(({ fact: { ticket_id: id }, ...found }) => {
      const { digests, among } = facts.own.find((fact) => fact.ticket_id === id) ??
        { digests: {}, among: "" };
      return ticketRemovalSteps(ctx, { ...found, digests, among, scope: ` --ticket ${id}` });
    });
    const before = [...going.flatMap((one) => one.undoable), ...undoable];
    await ctx.perform([...before, ...going.flatMap((one) => one.final), ...final], before.length);
    let left: string | null = null;
    for (const each of [aside, ...going.map((one) => one.aside)]) {
      if (left === null && await ctx.system.files.lstat(each) !== null) left = each;
    }
    const { workspace, branches, directories, losses } = facts;
    const data: DiscardData = {
      workspace,
      branches,
      directories,
      losses,
      left,
      ...(Object.keys(facts.adopted).length === 0
        ? {}
        : { next: `amof install${adoptFlag(facts.adopted)}` }),
    };
    return left === null ? { data } : { data, failure: undeletable(left) };
  },
  render: (data: DiscardData, input) => ({
    summary: data.left === null
      ? `Discarded ${data.workspace}.`
      : `Discarded ${data.workspace}; some files could not be deleted.`,
    details: [
      ...lossParts(data.losses, "Lost", input),
      ...foldedLines(
        data.branches.map((branch) => `Deleted branch ${branchOf(branch)}`),
        `Deleted ${count(data.branches.length, "branch", "branches")}: ${
          few(data.branches.map(branchOf), 3)
        }`,
        { all: input.all, onlyAsked: true },
      ),
      ...(data.left === null ? [] : [`⚠ Delete by hand: ${data.left}`]),
      ...(data.next === undefined ? [] : [`Use the clones again that stayed: ${data.next}`]),
    ],
  }),
});
