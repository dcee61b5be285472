/** Links the pull requests of a ticket to each other, by our part of their bodies (CHANGE-4). */

import type { PullRequest } from "../../forge/mod.ts";
import { needsOf } from "./rows.ts";
import type { ChangeSet } from "./set.ts";

/** The part that links the pull request of a repository to the others of its set. */
export function linkFor(
  set: ChangeSet,
  name: string,
  all: readonly { readonly name: string; readonly change: PullRequest | null }[],
): string {
  const siblings = set.members.flatMap((member) => {
    const change = all.find((one) => one.name === member.name)?.change ?? null;
    return change === null || change.state === "closed"
      ? []
      : [{ repo: member.name, number: change.number, url: change.url }];
  });
  return blockFor(set.ticket_id, name, { siblings, needs: needsOf(set).get(name) ?? [] });
}

/** The body of a pull request with the link to the others. */
export function linkedBody(
  set: ChangeSet,
  name: string,
  change: PullRequest,
  all: readonly { readonly name: string; readonly change: PullRequest | null }[],
): string {
  return withBlock(change.body, set.ticket_id, linkFor(set, name, all));
}

// Our part of the body of a pull request: which others belong to it, and its place among them. Nothing else of a body
// is ever rewritten (CHANGE-4). It is made of names and numbers alone, never of texts of others.

/** A pull request as the others name it. */
interface Sibling {
  readonly repo: string;
  readonly number: number;
  readonly url: string;
}

function begin(ticket: string): string {
  return `<!-- amof:change-set ${ticket} -->`;
}

const END = "<!-- /amof:change-set -->";

/** The part for one of the pull requests of a ticket, which are in the order to land. */
export function blockFor(
  ticket: string,
  repo: string,
  { siblings, needs }: {
    readonly siblings: readonly Sibling[];
    /** The repositories that this one needs. */
    readonly needs: readonly string[];
  },
): string {
  const lines = siblings.map((one, at) => {
    const link = `[${one.repo} #${one.number}](${one.url})`;
    return `${at + 1}. ${one.repo === repo ? `**${link}** (this one)` : link}`;
  });
  const before = siblings.filter((one) => needs.includes(one.repo))
    .map(({ url }) => `Depends-On: ${url}`);
  return [
    begin(ticket),
    siblings.length === 1
      ? `The one pull request of ${ticket}.`
      : `One of ${siblings.length} pull requests of ${ticket}, which land in this order:`,
    "",
    ...lines,
    ...(before.length === 0 ? [] : ["", ...before]),
    END,
  ].join("\n");
}

/**
 * A body with our part in it: in the place of the one that is there, else behind everything. What is around it stays to
 * the byte.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { withBlock } from "./link.ts";
 *
 * const old = "Mine\n\n<!-- amof:change-set P-1 -->\nold\n<!-- /amof:change-set -->\nand mine";
 * const part = "<!-- amof:change-set P-1 -->\nnew\n<!-- /amof:change-set -->";
 * assertEquals(withBlock(old, "P-1", part), `Mine\n\n${part}\nand mine`);
 * ```
 */
export function withBlock(body: string, ticket: string, block: string): string {
  const found = blockIn(body, ticket);
  if (found === null) {
    return body.trim() === "" ? block : `${body.replace(/\s+$/, "")}\n\n${block}\n`;
  }
  // A forge may have given the lines other ends, which is no difference.
  if (found.replaceAll("\r\n", "\n") === block) return body;
  const [before = "", ...rest] = body.split(found);
  return `${before}${block}${rest.join(found)}`;
}

/** Our part of a body; null where there is none. A beginning that somebody quotes has no end of its own, and is none. */
function blockIn(body: string, ticket: string): string | null {
  let after = 0;
  for (;;) {
    const to = body.indexOf(END, after);
    if (to < 0) return null;
    const end = to + END.length;
    const from = body.lastIndexOf(begin(ticket), to);
    if (from >= after) return body.slice(from, end);
    after = end;
  }
}
