/** Which repositories an offer after a status is about, in few words (NEXT-6). */

import type { Fields } from "../../../base/object.ts";
import { MANY } from "../../../base/text/table.ts";
import { asRecords, asText, type Situation } from "../answer.ts";
import { pushOf } from "../conditions.ts";
import type { ActionId } from "../../../contract/next.ts";
import type { Offer } from "../offer.ts";

/**
 * The arguments that mean the repositories that were looked at, without some of them. What stands as `only` says may be
 * others to another command, so that names are said instead.
 */
export function meaning({ data, selection }: Situation, without: readonly string[]): Fields {
  const names = selection?.["only"] === undefined
    ? []
    : asRecords(data["repos"]).map((repo) => asText(repo["name"]) ?? "")
      .filter((name) => name !== "" && !without.includes(name));
  // An empty list would mean all of them.
  if (names.length > 0) return { repos: names };
  if (without.length === 0) return { ...selection };
  const words = selection?.["repos"] ?? [];
  return { ...selection, repos: [...words, ...without.map((name) => `!${name}`)] };
}

/** What can do without names: each takes all repositories then. */
const OF_ALL: ReadonlySet<ActionId> = new Set([
  "push_ecosystem",
  "sync_ecosystem",
  "ticket_start",
  "ticket_update",
]);

/** What means many of all repositories in fewer words than their names: nothing at all, or those that are left out. */
export function inFewWords(rows: readonly Fields[], names: readonly string[]): Fields {
  if (names.length <= MANY) return { repos: names };
  const others = rows.filter(({ mode, name }) =>
    mode === "RW" && !names.includes(asText(name) ?? "")
  ).map(({ name }) => `!${name}`);
  if (others.length === 0) return {};
  return { repos: others.length < names.length ? others : names };
}

/** An offer about what was looked at; a push leaves out what would be held back. */
export function about(situation: Situation, offer: Offer): Offer {
  const push = offer.id === "push_ecosystem" ? pushOf(situation) : null;
  const selected = push !== null && push.names.length > 0
    ? { repos: push.names }
    : offer.id === "push_ecosystem" || offer.id === "sync_ecosystem"
    ? meaning(situation, push?.without ?? [])
    : {};
  const { repos: names, ...args }: Fields = { ...offer.args, ...selected };
  const all = { ...offer, args: { ...offer.args, ...selected } };
  if (Object.keys(all.args).length === 0) return offer;
  const isNamed = Array.isArray(names) && names.every((name) => !String(name).startsWith("!"));
  if (!isNamed || situation.selection !== undefined || !OF_ALL.has(offer.id)) return all;
  const rows = asRecords(situation.data["repos"]);
  return { ...offer, args: { ...args, ...inFewWords(rows, names.map(String)) } };
}
