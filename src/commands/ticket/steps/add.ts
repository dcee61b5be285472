/**
 * The journaled steps that bring further clones into the workspace of a ticket: made aside, put at their places, and
 * written down last (ADD-2).
 */

import { dirname, join } from "@std/path";
import { AmofError } from "../../../base/error.ts";
import { moveDirectory } from "../../../base/system/move_directory.ts";
import { operation } from "../../../runs/steps/mod.ts";
import { count } from "../../../base/text/words.ts";
import { addBorrowers } from "../../../workspace/mirrors/mod.ts";
import {
  loadRecord,
  saveRecord,
  scopeManifest,
  type TicketRepo,
} from "../../../workspace/tickets/mod.ts";
import type { ClonePlan } from "../../../workspace/tickets/changing.ts";
import { refreshEditorFile } from "../../../workspace/mod.ts";
import { chosenBases, isCloneUntouched } from "./make_workspace.ts";

/** The workspace of a ticket, absolute. */
type InTicket = { readonly directory: string };

type Placed = Pick<ClonePlan, "name" | "path" | "branch">;

/** Notes what the clones that come will borrow, so that nobody takes it away. */
export const reserveClones = operation<
  InTicket & {
    readonly ticket: string;
    readonly borrows: readonly { readonly path: string; readonly mirror: string }[];
  }
>({
  name: "reserve_ticket_clones",
  touches: () => [],
  describe: ({ ticket }) => `Reserve what ${ticket} needs besides`,
  act: addBorrowers,
  async undo(ctx, { directory, borrows }) {
    for (const { path } of borrows) {
      const clone = join(directory, path);
      // A clone that stays because somebody has worked in it still needs its mirror.
      if (await ctx.system.files.lstat(join(clone, ".git")) === null) {
        ctx.records.borrowers.remove(clone);
      }
    }
  },
});

/** The error of a place that is no longer free. */
function taken(place: string): AmofError {
  return new AmofError(
    "workspace_exists",
    `Cannot put a clone at ${place}: something else has come there meanwhile`,
    { hint: "Move it away, then repeat", details: { path: place } },
  );
}

/** Puts clones that were made aside at their places in the workspace. */
export const placeClones = operation<
  InTicket & { readonly building: string; readonly clones: readonly Placed[] }
>({
  name: "place_ticket_clones",
  touches: ({ directory, clones }) => clones.map(({ path }) => join(directory, path)),
  describe: ({ clones }) => `Put ${count(clones.length, "clone")} at the place`,
  async act(ctx, { directory, building, clones }) {
    for (const { path } of clones) {
      const to = join(directory, path);
      await moveDirectory(ctx.system.files, join(building, path), to, () => taken(to));
    }
  },
  async undo(ctx, { directory, building, clones }) {
    const { files } = ctx.system;
    for (const { name, path, branch } of clones) {
      const [from, to] = [join(building, path), join(directory, path)];
      if (await files.lstat(from) !== null || await files.lstat(to) === null) continue;
      if (!await isCloneUntouched(ctx, to, { name, branch })) {
        ctx.report.log("warn", `${name} stays in the ticket: somebody has worked in it already`);
        continue;
      }
      await files.makeDirectory(dirname(from));
      await files.rename(to, from);
    }
  },
});

/** Writes down which repositories have come, and which are worked on from now on. */
export const extendRecord = operation<
  InTicket & {
    readonly ticket: string;
    readonly repos: readonly (Placed & Pick<TicketRepo, "role" | "base" | "mirror">)[];
  }
>({
  name: "extend_ticket_record",
  touches: ({ directory }) => [directory],
  describe: ({ ticket }) => `Write down what ${ticket} has besides`,
  async act(ctx, { directory, ticket, repos }) {
    const record = await loadRecord(ctx.system, directory);
    if (record === null) throw new TypeError("The ticket has no record");
    const chosen = await chosenBases(ctx);
    const more = await Promise.all(repos.map(async ({ name, path, role, branch, base, mirror }) => {
      const head = `refs/heads/${branch}`;
      const start = (await ctx.git.at(join(directory, path), name).refs.peek([head])).get(head);
      if (start === undefined) throw new TypeError(`"${name}" has no commit on ${branch}`);
      return [name, { path, role, branch, base, ...chosen(name, base), start, mirror }] as const;
    }));
    await saveRecord(ctx.system, directory, {
      ...record,
      repos: { ...record.repos, ...Object.fromEntries(more) },
    });
    const manifest = await scopeManifest({ ...ctx, ticket });
    await refreshEditorFile(ctx.system, directory, {
      ...manifest,
      name: `${manifest.name}.${ticket}`,
    });
  },
});

/** Deletes the place where clones were made, from which all of them have gone. */
export const dropBuilding = operation<{ readonly building: string }>({
  name: "drop_building",
  touches: ({ building }) => [building],
  describe: () => "Tidy up",
  async act(ctx, { building }) {
    await ctx.system.files.removeTree(building);
  },
});

/** The operations of bringing repositories into a ticket. */
export const ADD_OPERATIONS = [reserveClones, placeClones, extendRecord, dropBuilding];
