/**
 * `amof ticket move`: a ticket gets a workspace of its own, or goes back into the base workspace, with all of its work
 * (MOVE-1).
 */

import { AmofError } from "../../../base/error.ts";
import { mutation, type Preview, type Result } from "../../../contract/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { executeMoveHome, type MoveHome, previewMoveHome } from "./home.ts";
import { type MoveData, stashNames } from "./data.ts";
import { executeMoveOut, previewMoveOut } from "./out.ts";
import type { MoveOut } from "./out_plan.ts";
import { findOwn } from "../own_workspace.ts";

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
  extra: true,
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "move", will: "move the ticket with its uncommitted work" },
  runs: "ticket_move",
  inline: "attended",
  exclusive: true,
  openWorld: true,
  next: ["get_ecosystem_status", "ticket_list"],
  inWorkspace: true,
  title: "Move ticket",
  summary:
    "Move a ticket into a workspace of its own, or back: commits, uncommitted work, stashes.",
  description:
    "With --workspace its branches, its uncommitted work and what is put away for it go into new clones, and the base workspace goes back to its base branches. With --in-place they come back, the uncommitted work put away under the ticket's name, and the files of the base workspace stay as they are. All or nothing; nothing is pushed.",
  positionals: ["ticket_id"],
  examples: ["ticket move PROJ-123 --workspace", "ticket move PROJ-123 --in-place"],
  input: (z) =>
    z.strictObject({
      ticket_id: z.string().describe("The ticket"),
      workspace: z.boolean().default(false).describe("Into a workspace of its own"),
      in_place: z.boolean().default(false).describe("Back into the base workspace"),
      carry: z.boolean().default(true).describe(
        "Copy ignored files that the repositories ask for",
      ),
    }),
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
  irreversible: (facts, input) =>
    `this; move the ticket again: amof ticket move ${facts.ticket_id} --${
      input.workspace ? "in-place" : "workspace"
    }`,
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
