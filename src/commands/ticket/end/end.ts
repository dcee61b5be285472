/**
 * `amof ticket end`: closes a ticket; its branches stay unless asked otherwise, and can be deleted later (TICKET-6). One
 * whose own workspace somebody deleted lets go of what it still holds (GONE-2).
 */

import { foldingInput } from "../../../contract/input.ts";
import { AmofError } from "../../../base/error.ts";
import { SELECTION_FLAGS, selectionInput } from "../../selection/mod.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  onlyTyped,
  type Preview,
  type Result,
  unlisted,
} from "../../../contract/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { table } from "../../../base/text/table.ts";
import { deletedThere } from "../cleanup.ts";
import { endTable } from "./answer.ts";
import {
  endedOf,
  endIrreversible,
  executeOwnEnd,
  type OwnEndData,
  ownEndDetails,
  ownEndSummary,
  previewOwnEnd,
} from "./own.ts";
import { type EndData, type EndFacts, executeEnd, previewEnd, renderEnd } from "./in_place.ts";
import { refusePart } from "./part.ts";
import { type EndInput, fetchBeforeEnd, type WorkspaceEnd } from "./workspace.ts";
import { stashesOf } from "../switching.ts";
import { findOwn, type OwnWorkspace } from "../preflight.ts";
import {
  findGoneTicket,
  type GoneTicket,
  remainsText,
  type TicketRecord,
} from "../../../workspace/tickets/mod.ts";
import { againCommand } from "../../advice/command_lines.ts";
import { freeTicket } from "../../../workspace/tickets/changing.ts";
import { refuseAtWork } from "../at_work.ts";
import { loadManifest } from "../../../workspace/manifest/mod.ts";
import { count } from "../../../base/text/words.ts";
import { borrowingClones } from "../detach.ts";
import { detachClone, retireRecord } from "../steps/branch.ts";

/** What such an end is bound to. */
interface GoneEnd {
  readonly ticket_id: string;
  readonly gone: GoneTicket;
}

/** What became of the ticket. */
interface GoneEndData {
  readonly ticket_id: string;
  readonly active_ticket: null;
  /** The workspace that was gone, relative to the control repository. */
  readonly gone: string;
  readonly repos: GoneTicket["repos"];
  readonly ports: GoneTicket["ports"];
}

/** A ticket whose own workspace is gone; null for any other, and for one that is worked on in the base workspace, too. */
async function findGone(ctx: CommandContext, id: string): Promise<GoneTicket | null> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  return await findGoneTicket(ctx, manifest, id);
}

/** Throws where the call wants branches deleted or kept: there are no clones left to look at. */
function refuseWishes(
  gone: GoneTicket,
  { cleanup, cleanup_local, keep_workspace }: EndInput & { readonly keep_workspace: boolean },
): void {
  const flag = cleanup
    ? "--cleanup"
    : cleanup_local
    ? "--cleanup-local"
    : keep_workspace
    ? "--keep-workspace"
    : null;
  if (flag === null) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot end ${gone.id} with ${flag}: its workspace ${gone.workspace} was deleted`,
    {
      hint: `Leave it out: amof ticket end ${gone.id}\nMake the ticket again first: ${
        againCommand(gone)
      }`,
      details: { ticket_id: gone.id },
    },
  );
}

/** What is said before such an end. */
function previewGoneEnd(
  gone: GoneTicket,
  input: EndInput & { readonly keep_workspace: boolean },
): Preview<GoneEnd, never> {
  refuseWishes(gone, input);
  const { id, workspace, ports: { port_base: base, port_count: ports } } = gone;
  return {
    facts: { ticket_id: id, gone },
    subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
    summary: `Would end ${id}, whose workspace is gone.`,
    effects: [
      `Free ports ${base} to ${base + ports - 1}, and what it held of mirrors`,
      "Delete nothing",
    ],
    current: `Its workspace ${workspace} was deleted, and what was only there with it: ${
      cleanLine(remainsText(gone), 300)
    }`,
    alternatives: [
      `Make it again out of what is pushed: ${againCommand(gone)}`,
      "Put the directory back",
    ],
  };
}

/** Lets go of everything that the ticket holds. */
async function executeGoneEnd(
  ctx: ExecuteContext,
  { ticket_id: ticket, gone }: GoneEnd,
): Promise<Result<GoneEndData>> {
  const { directory, workspace, repos, ports } = gone;
  await ctx.perform([freeTicket.step({ directory, ticket })]);
  return { data: { ticket_id: ticket, active_ticket: null, gone: workspace, repos, ports } };
}

/** What a reader is told of it, besides that it ended. */
function goneEndDetails({ repos }: GoneEndData): string {
  const said = cleanLine(remainsText({ repos }), 300);
  return said === "" ? "" : `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

/** What an end is bound to and answers: of a ticket in the base workspace, or with one of its own that goes or stays. */
type AnyEnd = EndFacts | WorkspaceEnd | KeptEnd | GoneEnd;
type AnyEndData = EndData | OwnEndData | KeptEndData | GoneEndData;

/** Of a ticket that is worked on in the base workspace, only commits of its branches can be given up or kept. */
function refuseOwn(
  { ticket_id: id, discard_local, keep_workspace }: EndInput & { readonly keep_workspace: boolean },
): void {
  if (keep_workspace) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot keep a workspace: ${cleanLine(id, 60)} has none of its own`,
      { hint: `Its branches stay in any case: amof ticket end ${cleanLine(id, 60)}` },
    );
  }
  if (discard_local !== true) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot lose what is only here: ${cleanLine(id, 60)} has no workspace of its own`,
    {
      hint: `End it, with what is merged of its branches: amof ticket end ${id} --cleanup`,
    },
  );
}

/** `amof ticket end`. */
export const endTicket = mutation({
  name: "amof_ticket_end",
  path: ["ticket", "end"],
  toolset: "ticket",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  asks: {
    deed: "ending",
    verb: "end",
    will: "delete branches of the ticket, or its own workspace",
  },
  runs: "ticket_end",
  inline: true,
  locks: "scope",
  openWorld: true,
  next: ["get_ecosystem_status", "ticket_list"],
  needs: "a workspace",
  title: "End ticket",
  summary: "Close a ticket: back to the base branches; feature branches stay unless cleaned up.",
  description:
    "--cleanup-local deletes the local branches, --cleanup those of the remote too, also of an ended ticket; the remotes are asked first (--offline does not), and work that is not merged, squashed or rebased is refused: --only merged ends the rest of the ticket, --force gives it up and asks for the ticket's id. A failure in one repository takes the others back. A workspace of the ticket's own goes only when nothing is only there, as the remotes themselves say, and is asked about; --discard-local gives up what is only there. With --keep-workspace it stays where it is, as plain clones that borrow nothing, and the ticket is no more.",
  positionals: ["ticket_id"],
  flags: SELECTION_FLAGS,
  examples: [
    "ticket end PROJ-123",
    "ticket end PROJ-123 --cleanup",
    "ticket end PROJ-123 --cleanup --only merged",
    "ticket end PROJ-124 --keep-workspace",
    "ticket end PROJ-124 --discard-local --confirm-name PROJ-124",
  ],
  input: (z) => ({
    ticket_id: z.string().describe("The ticket"),
    cleanup: z.boolean().default(false).describe("Delete its branches here and on the remote"),
    cleanup_local: z.boolean().default(false).describe("Delete its local branches"),
    force: z.boolean().default(false).describe(
      "Delete branches whose commits are nowhere else",
    ),
    offline: unlisted(z.boolean().default(false).describe("Do not ask the remotes")),
    ...selectionInput(z),
    keep_workspace: unlisted(
      z.boolean().default(false).describe("Leave its own workspace as plain clones"),
    ),
    discard_local: onlyTyped(
      z.boolean().optional().describe(
        "Lose what is only in its own workspace; asks for typing",
      ),
    ),
    ...foldingInput(z),
  }),
  raised: (input) =>
    input.discard_local === true
      ? { safety: "dangerous-write", confirm: "type" }
      : input.cleanup || input.cleanup_local
      ? { safety: "dangerous-write", confirm: "simple" }
      : null,
  meets: async (at, input) =>
    // A ticket whose workspace is gone still holds ports and mirrors, which are freed under its lock.
    await findOwn(at, input.ticket_id) === null
      ? { locks: { base: true, tickets: [input.ticket_id] } }
      : {
        locks: { tickets: [input.ticket_id] },
        ...(input.discard_local || input.keep_workspace
          ? {}
          : { safety: "dangerous-write", confirm: "simple" }),
      },
  fetches: async (ctx, input) => await fetchBeforeEnd(ctx, input),
  async preview(ctx, input): Promise<Preview<AnyEnd, AnyEndData>> {
    const own = await findOwn(ctx, input.ticket_id);
    if (own !== null) {
      refusePart(input);
      return input.keep_workspace
        ? await previewKeptEnd(ctx, own, input)
        : await previewOwnEnd(ctx, own, input);
    }
    const { ticket_id: id } = input;
    const gone = await findGone(ctx, id);
    if (gone !== null) return previewGoneEnd(gone, input);
    refuseOwn(input);
    return await previewEnd(ctx, input);
  },
  undo: {
    changes: (facts: AnyEnd, input) => ({
      ends: "workspace" in facts ? endedOf(facts, input) : undefined,
      tickets: "active" in facts,
      repos: "active" in facts ? [...facts.repos, ...facts.cleanup].map(({ name }) => name) : [],
      what: !("active" in facts) ||
          facts.repos.flatMap(stashesOf).every((stash) => stash === null)
        ? "names"
        : "everything",
    }),
    irreversible: (facts, input) =>
      "active" in facts
        ? deletedThere(facts.cleanup)
        : "keeps" in facts
        ? "that the ticket has ended"
        : "gone" in facts
        ? `that the ticket has ended; start it anew: amof ticket start ${facts.ticket_id} --workspace`
        : endedOf(facts, input) === undefined
        ? `the workspace that is removed; make it anew of what is on remotes: amof ticket start ${facts.ticket_id} --workspace`
        : endIrreversible(facts),
  },
  async execute(ctx, input, facts): Promise<Result<AnyEndData>> {
    if ("gone" in facts) return await executeGoneEnd(ctx, facts);
    if (!("active" in facts)) {
      const own = await findOwn(ctx, input.ticket_id);
      if (own === null) throw new TypeError("The workspace of the ticket is gone");
      return "keeps" in facts
        ? await executeKeptEnd(ctx, own, facts)
        : await executeOwnEnd(ctx, own, { input, facts });
    }
    return await executeEnd(ctx, input, facts);
  },
  render: (data: AnyEndData, input) => {
    if ("gone" in data) {
      return {
        summary: `Ended ${data.ticket_id}, whose workspace was gone.`,
        details: goneEndDetails(data),
      };
    }
    if ("keeps" in data) {
      return {
        summary: keptEndSummary(data),
        details: [
          table(["repo", "branch"], data.repos.map((row) => [row.name, cleanLine(row.branch)])),
          `Its files: ${data.directory}`,
        ],
      };
    }
    const repos = endTable(data.repos, input.all === true);
    if ("workspace" in data) {
      return { summary: ownEndSummary(data), details: ownEndDetails(data, repos) };
    }
    return renderEnd(data, repos);
  },
});

// Ending a ticket whose own workspace stays: the ticket is no more, and its directory is the user's, with clones that
// stand alone (LEAVE-4).

/** What such an end is bound to. */
interface KeptEnd {
  readonly ticket_id: string;
  /** The workspace that stays, relative to the control repository. */
  readonly keeps: string;
  readonly repos: readonly { readonly name: string; readonly branch: string }[];
  /** Those that borrow from mirrors. */
  readonly borrow: readonly string[];
}

/** What became of the ticket. */
interface KeptEndData extends KeptEnd {
  readonly active_ticket: null;
  /** Where its files are, absolute. */
  readonly directory: string;
}

/** Throws where the call also asks for something that deletes. */
function refuseDeleting({ ticket_id: id, cleanup, cleanup_local, force, discard_local }: EndInput) {
  const flag = discard_local === true
    ? "--discard-local"
    : cleanup
    ? "--cleanup"
    : cleanup_local
    ? "--cleanup-local"
    : force
    ? "--force"
    : null;
  if (flag === null) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot end ${
      cleanLine(id, 60)
    } with both --keep-workspace and ${flag}: what is kept keeps its branches`,
    { hint: `Leave one of them out: amof ticket end ${cleanLine(id, 60)} --keep-workspace` },
  );
}

function branchesOf({ repos }: TicketRecord): KeptEnd["repos"] {
  return Object.entries(repos).filter(([, { role }]) => role === "work")
    .map(([name, { branch }]) => ({ name, branch }));
}

/** What is said before. Throws where something works in the ticket. */
async function previewKeptEnd(
  ctx: CommandContext,
  own: OwnWorkspace,
  input: EndInput,
): Promise<Preview<KeptEnd, never>> {
  const { ticket_id: id } = input;
  refuseDeleting(input);
  await refuseAtWork(ctx, id, `end ${id}`);
  const { workspaceDir } = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const borrow = (await borrowingClones(ctx, own)).map(({ name }) => name);
  const keeps = `${workspaceDir}@${id}`;
  return {
    facts: { ticket_id: id, keeps, repos: branchesOf(own.record), borrow },
    summary: `Would end ${id} and leave its workspace where it is.`,
    effects: [
      ...borrow.map((name) => `Copy what ${name} borrows, and borrow no more`),
      `Leave ${keeps} to you, with all that is in it`,
      "Free its ports",
    ],
    current: `The ticket has its own workspace, ${keeps}`,
    alternatives: [`Delete that, too: amof ticket end ${id}`],
  };
}

/** Ends the ticket. What is cut off before its record goes leaves it a ticket, later it is finished. */
async function executeKeptEnd(
  ctx: ExecuteContext,
  own: OwnWorkspace,
  facts: KeptEnd,
): Promise<Result<KeptEndData>> {
  const { directory } = own;
  const { ticket_id: ticket } = facts;
  const clones = await borrowingClones(ctx, own);
  const before = clones.map((clone) =>
    detachClone.step({ repo: clone.name, directory: clone.directory })
  );
  await ctx.perform([
    ...before,
    retireRecord.step({ directory, ticket }),
    freeTicket.step({ directory, ticket }),
  ], before.length);
  return { data: { ...facts, active_ticket: null, directory } };
}

/** What a reader is told, in one sentence. */
function keptEndSummary({ ticket_id: id, keeps, repos }: KeptEndData): string {
  return `Ended ${id}; ${keeps} stays, with ${count(repos.length, "branch", "branches")}.`;
}
