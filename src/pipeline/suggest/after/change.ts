/** What follows an answer about the pull requests of a ticket (NEXT-5). */

import { asRecord, asRecords, asText, resultOf } from "../answer.ts";
import { inOrder, type Offer } from "../offer.ts";
import type { Situation } from "../situation.ts";

/** What a change set can do next, by its state; `null` for one that waits for somebody. */
const NEXT: Readonly<Record<string, Pick<Offer, "id" | "args"> | null>> = {
  none: { id: "pr_open" },
  ready: { id: "pr_land" },
  landed: { id: "ticket_end", args: { cleanup: true } },
  // The rest lands only where nothing holds it back.
  partly_landed: { id: "pr_land", args: { resume: true } },
};

/** The offers after an answer about a change set: what it can do next, and how it stands. */
export function afterChange(situation: Situation): Offer[] {
  const { change_set, ticket_id, repos, without } = resultOf(situation);
  const set = asRecord(change_set);
  const ticket = asText(set?.["ticket_id"]) ?? asText(ticket_id);
  const state = asText(set?.["state"]) ?? "";
  // What waits only for others of the set lands with them.
  const isHeld = asRecords(repos).some(({ state, blocked_by: by }) =>
    state === "closed" ||
    state === "open" && Array.isArray(by) && by.some((one) => !`${one}`.startsWith("depends_on:"))
  );
  // A ticket that is not worked on here can only be landed.
  const isElsewhere = set?.["known"] === false && /^(?:none|landed)$/.test(state);
  const isEmpty = state === "none" &&
    !asRecords(without).some(({ commits }) => Number(commits) > 0);
  const isStuck = state === "partly_landed" && isHeld;
  const next = isElsewhere || isEmpty || isStuck ? null : NEXT[state] ?? null;
  const named = (offer: Pick<Offer, "id" | "args">): Offer => ({
    ...offer,
    args: { ticket_id: ticket, ...offer.args },
    priority: 1,
  });
  return inOrder([
    ...(next === null || ticket === null ? [] : [named(next)]),
    ...(ticket === null ? [] : [named({ id: "pr_status" })]),
    "get_ecosystem_status",
    "ticket_list",
  ]);
}
