/**
 * `amof ticket end`: closes a ticket; its branches stay unless asked otherwise, and can be deleted later (TICKET-6).
 */

import { foldingInput } from "../../../contract/input.ts";
import { AmofError } from "../../../base/error.ts";
import { SELECTION_FLAGS, selectionInput } from "../../../workspace/selection/mod.ts";
import { mutation, onlyTyped, type Preview, type Result, unlisted } from "../../../contract/mod.ts";
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
import {
  executeKeptEnd,
  type KeptEnd,
  type KeptEndData,
  keptEndSummary,
  previewKeptEnd,
} from "./left_in_place.ts";
import {
  executeGoneEnd,
  findGone,
  type GoneEnd,
  type GoneEndData,
  goneEndDetails,
  previewGoneEnd,
} from "./gone.ts";
import { fetchBeforeEnd } from "./fetch.ts";
import { type EndData, type EndFacts, executeEnd, previewEnd, renderEnd } from "./in_place.ts";
import { refusePart } from "./part.ts";
import type { EndInput, WorkspaceEnd } from "./workspace.ts";
import { stashesOf } from "../switching.ts";
import { findOwn } from "../own_workspace.ts";

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
  exclusive: true,
  locks: "scope",
  openWorld: true,
  next: ["get_ecosystem_status", "ticket_list"],
  inWorkspace: true,
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
  input: (z) =>
    z.strictObject({
      ticket_id: z.string().describe("The ticket"),
      cleanup: z.boolean().default(false).describe("Delete its branches here and on the remote"),
      cleanup_local: z.boolean().default(false).describe("Delete its local branches"),
      force: z.boolean().default(false).describe(
        "Delete branches whose commits are nowhere else",
      ),
      offline: unlisted(z.boolean().default(false).describe("Do not ask the remotes")),
      repos: unlisted(selectionInput(z).repos),
      tags: unlisted(selectionInput(z).tags),
      only: unlisted(selectionInput(z).only),
      keep_workspace: unlisted(
        z.boolean().default(false).describe(
          "Leave its own workspace where it is, as plain clones of yours",
        ),
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
  changes: (facts: AnyEnd, input) => ({
    ends: "workspace" in facts ? endedOf(facts, input) : undefined,
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
