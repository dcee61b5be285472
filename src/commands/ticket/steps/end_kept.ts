/** The journaled steps that end a ticket whose own workspace stays (LEAVE-4). */

import { join } from "@std/path";
import { operation } from "../../../runs/steps/mod.ts";
import { endedFile, recordFile } from "../../../workspace/tickets/mod.ts";
import type { InRepo } from "./kept.ts";

/** Gives a clone all objects that it borrows. */
export const detachClone = operation<InRepo>({
  name: "detach_clone",
  touches: ({ directory }) => [directory],
  describe: ({ repo }) => `Copy what ${repo} borrows, and borrow no more`,
  async act(ctx, { repo, directory }) {
    await ctx.git.at(directory, repo).borrowed.end();
    await ctx.seals.seal([directory]);
  },
});

/** Makes the record of a ticket a note that it was one. */
export const retireRecord = operation<{ readonly directory: string; readonly ticket: string }>({
  name: "retire_ticket_record",
  touches: ({ directory }) => [directory],
  describe: ({ ticket }) => `Make the directory of ${ticket} that of no ticket`,
  async act({ system: { files } }, { directory }) {
    // A link would lead to a file of somebody else.
    if ((await files.lstat(join(directory, ".amof")))?.kind !== "directory") return;
    if (await files.lstat(recordFile(directory)) === null) return;
    await files.rename(recordFile(directory), endedFile(directory));
  },
});

/** The operations of ending a ticket whose workspace stays. */
export const KEPT_END_OPERATIONS = [detachClone, retireRecord];
