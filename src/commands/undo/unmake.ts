/**
 * Takes a workspace away again that a run has made, where nothing of anybody's is in it (UNDO-9).
 *
 * What is in it is found as `discard` and `ticket end` find it, and the steps are theirs.
 */

import { join } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { digestsOf, type Stock } from "../../workspace/removal/mod.ts";
import { baseGoing } from "../removal/going.ts";
import { type TicketGoing, ticketGoing } from "../ticket/going.ts";
import { removalSteps, ticketRemovalSteps } from "../removal/removal.ts";
import { refusalsOf } from "../removal/remedies.ts";
import {
  adoptedLines,
  environmentStands,
  type Loss,
  lossesOf,
  lossLines,
  removablePlace,
} from "../removal/losses.ts";
import { freeTicket } from "../../workspace/tickets/changing.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { adoptFlag, loadState, type Refusal, refuseAll } from "../../workspace/mod.ts";
import { madeAt } from "./ending.ts";
import { commandWords, newestOf, operationOf } from "./find.ts";
import { type Made, type OperationRecord, operationsOf } from "./record.ts";
import { forgetOperation } from "./steps.ts";
import { findTicketWorkspace } from "../../workspace/tickets/mod.ts";

/** Looks at the base workspace. */
async function unmakeBase(ctx: CommandContext, record: OfMade, what: string): Promise<Unmaking> {
  const { place, manifest } = await removablePlace(ctx, "undo");
  const { directory } = place;
  const { tickets = {} } = await loadState(ctx.system, directory) ?? {};
  const [first] = Object.keys(tickets);
  if (first !== undefined) {
    throw impossible(
      record,
      `ticket ${first} was started in the workspace since`,
      `End it first: amof ticket end ${first}\nTake all of it away: amof discard`,
    );
  }
  if (await environmentStands(ctx)) {
    throw impossible(
      record,
      "an environment stands",
      "Remove it first: amof spin destroy",
    );
  }
  const { stock, branch } = await baseGoing(
    ctx,
    { place, manifest, branch: record.made.branch },
    what,
  );
  const { history } = ctx.git.at(ctx.root);
  const own = branch === null ? 0 : await history.ownCount(branch.name, true);
  const losses = lossesOf(stock);
  refuseAll(what, [
    ...await refusalsOf(ctx, losses, {
      ...{ workspace: directory, repos: stock.repos },
      bases: new Map(manifest.repos.map(({ name, branch }) => [name, branch])),
      perTicket: manifest.perTicket,
    }),
    ...own === 0 || branch === null ? [] : [{
      repo: "control repository",
      code: "would_lose_work" as const,
      problem: `has ${count(own, "commit")} on ${branch.name} that no other branch has`,
      fix: `merge them: git -C ${shellWord(ctx.root)} merge ${shellWord(branch.name)}`,
    }],
  ]);
  return {
    ...{ directory, stock, paths: [] },
    fact: {
      ticket_id: null,
      workspace: manifest.workspaceDir,
      repos: stock.repos.map((repo) => repo.name),
      adopted: stock.adopted,
      losses,
      branch,
      digests: digestsOf(stock),
      among: "",
    },
  };
}

/** Looks at the workspace that a run made. Throws where it is another one, or anybody's work is in it. */
export async function planUnmaking(ctx: CommandContext, record: OfMade): Promise<Unmaking> {
  const { ticket, created_at } = record.made;
  const what = `undo run ${record.run_id.slice(0, 8)} (${commandWords(record.action)})`;
  const now = await madeAt(ctx, ticket);
  if (now !== created_at) {
    throw impossible(
      record,
      now === null ? "what it made is no longer there" : "it was made anew since",
      "See what can be undone: amof operations",
    );
  }
  return ticket === null
    ? await unmakeBase(ctx, record, what)
    : await unmakeTicket(ctx, record, { what, id: ticket });
}

/** Whether an operation made a workspace. */
export function isOfMade(record: OperationRecord): record is OfMade {
  return record.made !== undefined;
}

/** Whether an undo of a run, or of the newest one, takes a workspace away, or makes one again. No process. */
export async function meetsWhole(
  { system, root, ecosystem, layout }: Pick<
    CommandContext,
    "system" | "root" | "ecosystem" | "layout"
  >,
  run: string | undefined,
): Promise<boolean> {
  try {
    const { workspaceDir } = await loadManifest(system, root, ecosystem);
    const all = await operationsOf(system, layout, join(root, workspaceDir), root);
    const none = () => Promise.resolve(false);
    const meant = run === undefined
      ? await newestOf(all, system.clock.now(), none)
      : operationOf(all, run);
    return isOfMade(meant) || meant.gone !== undefined || meant.added !== undefined;
  } catch (error) {
    // Which run is meant, and whether there is one, is said later.
    if (error instanceof AmofError) return false;
    throw error;
  }
}

/** Takes the workspace away; answers where files lie that could not be deleted, or null. */
export async function unmake(
  ctx: ExecuteContext,
  record: OfMade,
  { ticket_id: ticket, digests, among, branch }: UnmadeFact,
): Promise<string | null> {
  const { directory, stock, paths } = await planUnmaking(ctx, record);
  const { undoable, final, aside } = ticket === null
    ? removalSteps(ctx, { root: ctx.root, directory, stock, digests, branch })
    : ticketRemovalSteps(ctx, {
      directory,
      stock,
      digests,
      paths,
      among,
      scope: ` --ticket ${ticket}`,
    });
  const free = ticket === null ? [] : [freeTicket.step({ directory, ticket })];
  const forget = forgetOperation.step({ run: record.run_id });
  await ctx.perform([...undoable, ...free, ...final, forget], undoable.length);
  return await ctx.system.files.lstat(aside) === null ? null : aside;
}

/** The command that makes such a workspace again. */
export function againOf({ ticket_id: id, adopted }: UnmadeFact): string {
  return id === null ? `amof install${adoptFlag(adopted)}` : `amof ticket start ${id} --workspace`;
}

/** What is said of it before. */
export function unmakingEffects(
  { workspace, repos, losses, branch, adopted }: UnmadeFact,
): string[] {
  return [
    ...lossLines(losses).map((line) => `Lose ${line}`),
    `Delete ${workspace} with ${count(repos.length, "clone")}`,
    ...adoptedLines(adopted),
    ...(branch === null ? [] : [`Delete branch ${branch.name} of the control repository`]),
  ];
}

// The workspace of a ticket that a run has made, looked at before it goes (UNDO-9).

/** An operation that made a workspace. */
type OfMade = OperationRecord & { readonly made: Made };

/** What goes, and what a confirmation of that is bound to. */
export interface UnmadeFact {
  readonly ticket_id: string | null;
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly string[];
  /** Where the adopted clones lie, by repository: they stay, and only the links to them go. */
  readonly adopted: Stock["adopted"];
  /** Minor ones: anything else refuses. */
  readonly losses: readonly Loss[];
  /** The branch of the control repository that goes, too, with its commit. */
  readonly branch: { readonly name: string; readonly commit: string } | null;
  readonly digests: Readonly<Record<string, string>>;
  /** What lies among the clones of a ticket, as a digest; empty for the base workspace. */
  readonly among: string;
}

/** What would be taken away, and what it was computed from. */
interface Unmaking extends Pick<TicketGoing, "directory" | "stock" | "paths"> {
  readonly fact: UnmadeFact;
}

/** The error of a workspace that cannot go. */
export function impossible(
  { run_id: runId }: OperationRecord,
  why: string,
  hint: string,
): AmofError {
  return new AmofError("undo_impossible", `Cannot undo run ${runId.slice(0, 8)}: ${why}`, {
    hint,
    details: { run_id: runId },
  });
}

/** Looks at the workspace of a ticket. */
async function unmakeTicket(
  ctx: CommandContext,
  record: OfMade,
  { what, id }: { readonly what: string; readonly id: string },
): Promise<Unmaking> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const own = await findTicketWorkspace(ctx.system, ctx.root, manifest, id);
  if (own === null) throw new TypeError("The workspace of the ticket is gone");
  const { directory, record: ticket } = own;
  const entries = Object.entries(ticket.repos);
  const going = await ticketGoing(ctx, own, { command: "undo", what });
  const { stock, digests, among } = going;
  if (await environmentStands({ ...ctx, ticket: id })) {
    throw impossible(
      record,
      "an environment of the ticket stands",
      `Remove it first: amof spin destroy --ticket ${id}`,
    );
  }
  const moved = stock.repos.filter(({ name, problem, branch, head }) => {
    const begun = ticket.repos[name];
    return problem === null && begun !== undefined &&
      (head !== begun.start || branch !== begun.branch);
  });
  const losses = lossesOf(stock);
  refuseAll(what, [
    ...await refusalsOf(ctx, losses, {
      ...{ workspace: directory, repos: stock.repos, ticket: id },
      bases: new Map(entries.map(([name, { base }]) => [name, base])),
    }),
    ...moved.map(({ name }): Refusal => ({
      repo: name,
      code: "undo_stale",
      problem: "has been worked in since",
      fix: `end the ticket: amof ticket end ${id}`,
    })),
  ]);
  return {
    ...going,
    fact: {
      ticket_id: id,
      workspace: `${manifest.workspaceDir}@${id}`,
      repos: entries.map(([name]) => name),
      // Nothing is adopted in the workspace of a ticket.
      adopted: {},
      losses,
      branch: null,
      digests,
      among,
    },
  };
}
