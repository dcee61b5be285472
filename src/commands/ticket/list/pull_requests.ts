/** What `amof ticket list --pr` asks forges besides: how the change set of each ticket stands (CHANGE-5). */

import { toAmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { readPulls } from "../../pr/look.ts";
import { rowsOf } from "../../pr/rows.ts";
import { changeSet } from "../../pr/set.ts";
import { stateOf } from "../../pr/verdict.ts";
import type { ListedTicket } from "./view.ts";

/** The tickets with their change sets, one asked after the other; why one could not be asked is in the answer. */
export async function withChangeSets(
  ctx: CommandContext,
  tickets: readonly ListedTicket[],
): Promise<readonly ListedTicket[]> {
  const found: ListedTicket[] = [];
  for (const ticket of tickets) {
    try {
      const set = await changeSet(ctx, { ticket_id: ticket.ticket_id });
      const rows = rowsOf(set, await readPulls(ctx, set));
      const merged = rows.filter(({ state }) => state === "merged").length;
      const change_set = { state: stateOf(rows), pull_requests: rows.length, merged };
      found.push({ ...ticket, change_set });
    } catch (thrown) {
      const { message } = toAmofError(thrown, () => ctx.system.ids.hex(8));
      found.push({ ...ticket, change_set_error: cleanLine(message, 300) });
    }
  }
  return found;
}
