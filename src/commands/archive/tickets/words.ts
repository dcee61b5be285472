/** What is said of the workspaces of tickets that come back out of an archive, before and after (AWAY-2). */

import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, few } from "../../../base/text/words.ts";
import type { LeftOut, TicketBack, TicketRow } from "./back.ts";

/** What is said of the tickets before. */
export function backEffects(
  { back, left_out, still_away }: {
    readonly back: readonly TicketBack[];
    readonly left_out: readonly LeftOut[];
    readonly still_away: readonly string[];
  },
): string[] {
  return [
    ...back.map(({ ticket_id: id, workspace, repos }) =>
      `Put ${id} back at ${workspace} as it was, with ${
        count(repos.length, "clone")
      }; fetch the mirrors it borrows from`
    ),
    ...left_out.map(({ ticket_id: id, why }) => `Leave out ${cleanLine(id, 60)}: ${why}`),
    ...(still_away.length === 0
      ? []
      : [`Leave ${few(still_away, 5)} put away; bring them back, too: --tickets`]),
  ];
}

/** What is said of them afterwards. */
export function backLines(
  rows: readonly TicketRow[],
  { left_out, still_away, notes }: {
    readonly left_out: readonly LeftOut[];
    readonly still_away: readonly string[];
    readonly notes: readonly string[];
  },
): string[] {
  return [
    ...rows.map(({ ticket_id: id, workspace, ports: { base, count, kept } }) => {
      const range = `ports ${base} to ${base + count - 1}`;
      return `${id} is back in ${workspace}, with ${
        kept ? `its ${range}` : `new ${range}: others have those it had`
      }`;
    }),
    ...rows.flatMap(({ ticket_id: id, missing }) =>
      missing.map(({ repo, objects }) =>
        `⚠ ${id}/${repo} needs ${
          count(objects.length, "object")
        } that its remote has dropped: push them again from a clone that has them`
      )
    ),
    ...left_out.map(({ ticket_id: id, why }) => `– ${cleanLine(id, 60)}: ${why}`),
    ...(still_away.length === 0
      ? []
      : [`Still put away: ${few(still_away, 5)}. Bring them back: amof archive restore --tickets`]),
    ...notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
  ];
}
