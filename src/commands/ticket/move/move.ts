/**
 * `amof ticket move`: a ticket gets a workspace of its own, or goes back into the base workspace, with all of its work
 * (MOVE-1).
 */

import { join } from "@std/path";

import { AmofError } from "../../../base/error.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Preview,
  type Result,
} from "../../../contract/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { executeMoveHome, type MoveHome, previewMoveHome } from "./home.ts";
import {
  type MoveData,
  type MoveInput,
  type MoveOut,
  planMoveOut,
  stashNames,
} from "./out_plan.ts";
import { stashName, ticketDirectory } from "../../../workspace/tickets/mod.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { foldedRepos } from "../../../base/text/parts.ts";
import { bringWork, leaveWork } from "../steps/move.ts";
import { branchMoveOf, describeMove, foldedMoves } from "../switching.ts";
import { performBranchMoves } from "../branch_move.ts";
import { directoriesOf, findOwn, stateStep } from "../preflight.ts";
import { carriedLines } from "../steps/carried.ts";
import { makingSteps } from "../workspace/making.ts";
import { basePlace, planClones } from "../workspace/plan.ts";

// Moving a ticket out of the base workspace into one of its own: what is said before, and the work (MOVE-1, MOVE-2).
//
// Costs what starting it there would, and six git processes for each of its repositories, a dozen more where work is
// uncommitted.

/** A repository whose branch goes into the new workspace. */
interface Going {
  readonly name: string;
  readonly branch: string;
  /** Whether uncommitted changes go with it. */
  readonly isChanged: boolean;
}

function movingLine({ name, branch, isChanged }: Going): string {
  return `Move ${branch} of ${name} there${isChanged ? ", with its uncommitted changes" : ""}`;
}

function deletingLine({ name, branch }: Going): string {
  return `Delete ${branch} in ${name} of the base workspace, once the new clone has it`;
}

/** What is said before a ticket moves out of the base workspace. */
async function previewMoveOut(
  ctx: CommandContext,
  input: MoveInput,
): Promise<Preview<MoveOut, MoveData>> {
  const { facts } = await planMoveOut(ctx, input);
  const { ticket_id: id, workspace, repos, context, moves, carried } = facts;
  const changed = new Set([
    ...moves.filter(({ save }) => save !== null).map(({ name }) => name),
    ...repos.filter((repo) => repo.kept !== null).map(({ name }) => name),
  ]);
  const going = repos.map(({ name, branch }) => ({
    name,
    branch: cleanLine(branch, 60),
    isChanged: changed.has(name),
  }));
  const make = `Make ${workspace}, beside the base workspace`;
  const others = [
    ...repos.filter(({ stashes }) => stashes.length > 0).map(({ name, stashes }) =>
      `Leave in ${name} of the base workspace what you have stashed there: ${
        stashNames(stashes.map((stash) => stash.name))
      }`
    ),
    ...context.map(({ name, branch }) => `Clone ${name} to be read, on ${branch}`),
    ...carried.flatMap(carriedLines),
  ];
  const onlyAsked = true;
  return {
    facts,
    summary: `Would move ${id} into a workspace of its own, with ${count(repos.length, "repo")}.`,
    effects: [
      make,
      ...going.map(movingLine),
      ...others,
      ...moves.map(describeMove),
      ...going.map(deletingLine),
    ],
    details: [
      make,
      ...foldedRepos(going, movingLine, { onlyAsked, isPlain: ({ isChanged }) => !isChanged }),
      ...others,
      ...foldedMoves(moves, { onlyAsked }),
      ...foldedRepos(going, deletingLine, { onlyAsked }),
    ],
    current: facts.active
      ? `Ticket ${id} is active in the base workspace`
      : `Ticket ${id} is worked on in the base workspace, and not active`,
    alternatives: ["Leave it where it is, and start others with workspaces of their own"],
  };
}

/** Moves a ticket out of the base workspace. */
async function executeMoveOut(
  ctx: ExecuteContext,
  input: MoveInput,
  facts: MoveOut,
): Promise<{ data: MoveData }> {
  const { place } = await planMoveOut(ctx, input);
  const { ticket_id: id, repos } = facts;
  const base = await basePlace(ctx);
  const notes: string[] = [];
  const { clones } = await planClones(ctx, base, [...repos, ...facts.context], {
    what: `move ${id}`,
    offline: false,
    notes,
  });
  const directory = ticketDirectory(ctx.root, base.manifest, id);
  const { building, make, record, publish } = await makingSteps(ctx, base, {
    ticket: id,
    directory,
    created_at: place.state.tickets[id]?.created_at ?? timestamp(ctx.system.clock.now()),
    clones,
    standalone: false,
    carried: facts.carried,
  });
  const from = await directoriesOf(ctx, place);
  const name = stashName(id);
  const work = repos.map((repo) => ({
    repo: repo.name,
    branch: repo.branch,
    commit: repo.commit,
    name,
    path: repo.path,
  }));
  const { [id]: _, ...tickets } = place.state.tickets;
  await performBranchMoves(ctx, facts.moves.map((move) => branchMoveOf(move, from(move.name))), [
    ...work.map(({ path, ...each }) =>
      bringWork.step({ ...each, directory: join(building, path), from: from(each.repo) })
    ),
    record,
    await stateStep(ctx, place, {
      ...place.state,
      tickets,
      active_ticket: facts.active ? null : place.state.active_ticket,
    }),
  ], {
    first: make,
    last: [
      ...publish,
      ...work.map(({ path, ...each }) =>
        leaveWork.step({ ...each, directory: from(each.repo), now: join(directory, path) })
      ),
    ],
  });
  return {
    data: await answerOf(ctx, facts, { directory, notes, active: place.state.active_ticket }),
  };
}

/** What has become of the ticket. One git process per repository. */
async function answerOf(
  ctx: ExecuteContext,
  { ticket_id: id, workspace, repos, moves, active: left }: MoveOut,
  { directory, notes, active }: {
    readonly directory: string;
    readonly notes: readonly string[];
    readonly active: string | null;
  },
): Promise<MoveData> {
  return {
    ticket_id: id,
    to: "workspace",
    workspace,
    active_ticket: left ? null : active,
    repos: await Promise.all(repos.map(async ({ name, path, branch, commit, kept, stashes }) => {
      const had = kept !== null ||
        moves.some((move) => move.name === name && move.save !== null && !move.astray);
      const stays = had &&
        await ctx.git.at(join(directory, path), name).stashes.find(stashName(id)) !== null;
      const changes = stays ? "kept" as const : had ? "moved" as const : "none" as const;
      const own = stashes.map((stash) => ({ name: stash.name, now: "stays" as const }));
      return { name, branch, commit, changes, stashes: own };
    })),
    notes,
    left: null,
  };
}

/** Throws unless exactly one way is asked for. */
function refuseUnclear(
  { ticket_id: id, workspace, in_place: inPlace }: {
    readonly ticket_id: string;
    readonly workspace: boolean;
    readonly in_place: boolean;
  },
): void {
  if (workspace !== inPlace) return;
  const shown = cleanLine(id, 60);
  throw new AmofError(
    "invalid_arguments",
    `Cannot move ${shown}: say where to, with ${
      workspace ? "only one of --workspace and --in-place" : "--workspace or --in-place"
    }`,
    {
      hint:
        `Into a workspace of its own: amof ticket move ${shown} --workspace\nBack into the base workspace: amof ticket move ${shown} --in-place`,
    },
  );
}

/** `amof ticket move`. */
export const moveTicket = mutation({
  name: "amof_ticket_move",
  path: ["ticket", "move"],
  toolset: "ticket",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "move", will: "move the ticket with its uncommitted work" },
  runs: "ticket_move",
  inline: "attended",
  openWorld: true,
  next: ["get_ecosystem_status", "ticket_list"],
  needs: "a workspace",
  title: "Move ticket",
  summary:
    "Move a ticket into a workspace of its own, or back: commits, uncommitted work, stashes.",
  description:
    "With --workspace its branches, its uncommitted work and what is put away for it go into new clones, and the base workspace goes back to its base branches. With --in-place they come back, the uncommitted work put away under the ticket's name, and the files of the base workspace stay as they are; ignored files go with the workspace, and where there are some the ticket's id is asked for. All or nothing; nothing is pushed.",
  positionals: ["ticket_id"],
  examples: ["ticket move PROJ-123 --workspace", "ticket move PROJ-123 --in-place"],
  input: (z) => ({
    ticket_id: z.string().describe("The ticket"),
    workspace: z.boolean().default(false).describe("Into a workspace of its own"),
    in_place: z.boolean().default(false).describe("Back into the base workspace"),
    carry: z.boolean().default(true).describe(
      "Copy ignored files that the repositories ask for",
    ),
  }),
  // No argument asks for a name, but what the preview finds may.
  raised: () => null,
  locks: ({ ticket_id: id }) => ({ base: true, tickets: [id] }),
  async preview(ctx, input): Promise<Preview<MoveOut | MoveHome, MoveData>> {
    refuseUnclear(input);
    const { ticket_id: id } = input;
    const subject = { name: `ticket ${id}`, typed: { what: "ticket", value: id } };
    const own = await findOwn(ctx, id);
    if (input.workspace) {
      if (own === null) return { ...await previewMoveOut(ctx, input), subject };
      throw new AmofError(
        "ticket_exists",
        `Cannot move ${id}: it has a workspace of its own already`,
        { hint: `Go to it: amof ticket switch ${id}`, details: { ticket_id: id } },
      );
    }
    if (own !== null) return { ...await previewMoveHome(ctx, own), subject };
    throw new AmofError(
      "ticket_not_found",
      `Cannot move ${cleanLine(id, 60)}: it has no workspace of its own`,
      { hint: "See the tickets: amof ticket list", details: { ticket_id: cleanLine(id, 60) } },
    );
  },
  undo: {
    irreversible: (facts, input) =>
      `this; move the ticket again: amof ticket move ${facts.ticket_id} --${
        input.workspace ? "in-place" : "workspace"
      }`,
  },
  async execute(ctx, input, facts): Promise<Result<MoveData>> {
    if (facts.to === "workspace") return await executeMoveOut(ctx, input, facts);
    const own = await findOwn(ctx, input.ticket_id);
    if (own === null) throw new TypeError("The workspace of the ticket is gone");
    return await executeMoveHome(ctx, own, facts);
  },
  render: (data: MoveData) => ({
    summary: data.to === "workspace"
      ? `Moved ${data.ticket_id} into ${data.workspace}, with ${count(data.repos.length, "repo")}.`
      : `Moved ${data.ticket_id} into the base workspace, with ${
        count(data.repos.length, "repo")
      }.`,
    details: [
      table(
        ["repo", "branch", "changes"],
        data.repos.map(({ name, branch, changes }) => [
          name,
          cleanLine(branch),
          changes === "none" ? "" : changes,
        ]),
      ),
      ...data.repos.filter(({ stashes }) => stashes.length > 0).map(({ name, stashes }) =>
        `Stashed in ${name}, ${
          data.to === "workspace" ? "and stays" : "and now"
        } in the base workspace: ${stashNames(stashes.map((stash) => stash.name))}`
      ),
      ...data.notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
      ...(data.left === null ? [] : [`⚠ Delete by hand: ${data.left}`]),
      data.to === "workspace"
        ? `Go there: cd "$(amof ticket path ${data.ticket_id})"`
        : `Go to it: amof ticket switch ${data.ticket_id}`,
    ],
  }),
});
