/** How mirrors are told, and which ones a person means (MIRROR-5). */

import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";
import type { MirrorFound } from "../../workspace/mirrors/mod.ts";

/** What a mirror is called in lines. */
export function mirrorName({ name }: Pick<MirrorFound, "name">): string {
  return cleanLine(name, 100);
}

/** Who borrows from a mirror: "2 clones of PROJ-1 and PROJ-2, 1 gone". */
export function borrowersText({ borrowers }: Pick<MirrorFound, "borrowers">): string {
  const living = borrowers.filter(({ state }) => state === "living");
  const tickets = [...new Set(living.map(({ ticket }) => cleanLine(ticket, 40)))].sort();
  const other = (state: string) => borrowers.filter((each) => each.state === state).length;
  const parts = [
    ...living.length === 0 ? [] : [`${count(living.length, "clone")} of ${few(tickets, 3)}`],
    ...other("away") === 0 ? [] : [`${other("away")} not reachable`],
    ...other("gone") === 0 ? [] : [`${other("gone")} gone`],
  ];
  return parts.length === 0 ? "nobody" : parts.join(", ");
}
