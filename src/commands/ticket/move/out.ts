/**
 * Moving a ticket out of the base workspace into one of its own: what is said before, and the work (MOVE-1, MOVE-2).
 *
 * Costs what starting it there would, and six git processes for each of its repositories, a dozen more where work is
 * uncommitted.
 */

import { join } from "@std/path";
import type { CommandContext, ExecuteContext, Preview } from "../../../contract/mod.ts";
import { ticketDirectory } from "../../../workspace/tickets/mod.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { foldedRepos } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count } from "../../../base/text/words.ts";
import { type MoveData, stashNames } from "./data.ts";
import { bringWork, leaveWork } from "../steps/move.ts";
import { type MoveInput, type MoveOut, planMoveOut } from "./out_plan.ts";
import { branchMoveOf, describeMove, foldedMoves } from "../switching.ts";
import { performBranchMoves } from "../branch_move.ts";
import { directoriesOf, stateStep } from "../preflight.ts";
import { stashName } from "../ticket.ts";
import { carriedLines } from "../workspace/carry.ts";
import { planClones } from "../workspace/clones.ts";
import { makingSteps } from "../workspace/making.ts";
import { basePlace } from "../workspace/plan.ts";

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
export async function previewMoveOut(
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
export async function executeMoveOut(
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
      const had = kept !== null || moves.some((move) => move.name === name && move.save !== null);
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
