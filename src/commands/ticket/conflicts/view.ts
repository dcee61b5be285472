/**
 * How people see what `amof ticket conflicts` found.
 *
 * @module
 */

import type { Rendered } from "../../../contract/mod.ts";
import { blocks } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { Brief, type Cell, table } from "../../../base/text/table.ts";
import { toned } from "../../../base/text/tone.ts";
import { count, few } from "../../../base/text/words.ts";
import { unreadNotes } from "../../../workspace/clones/mod.ts";
import type { ConflictPair, ConflictsData } from "./data.ts";

/** How many files of a pair are named in one cell. */
const NAMED = 3;

function fileText({ repo, path, kind }: ConflictPair["files"][number]): string {
  return `${repo}:${cleanLine(path, 200)}${kind === "content" ? "" : ` (${kind})`}`;
}

function rowOf({ a, b, state, files, unknown }: ConflictPair, all: boolean): Cell[] {
  const named = [
    ...files.map(fileText),
    ...unknown.map(({ repo, reason }) => `${repo}: unknown, ${cleanLine(reason, 200)}`),
  ];
  return [
    a,
    b ?? toned("quiet", "base"),
    state === "conflict" ? toned("bad", "conflict") : toned("attention", "unknown"),
    files.length,
    all || named.length <= NAMED
      ? named.join(", ")
      : new Brief(named.join(", "), few(named, NAMED)),
  ];
}

/** The answer for people. */
export function conflictsShown(data: ConflictsData, all: boolean): Rendered {
  const { tickets, pairs, order, repos_read: read, uncommitted } = data;
  const found = pairs.filter(({ state }) => state === "conflict").length;
  const unknown = pairs.length - found;
  const asked = `${count(tickets.length, "ticket")} in ${count(read, "repo")}`;
  return {
    summary: tickets.length === 0
      ? "Found no open tickets."
      : found === 0
      ? `Found no conflicts among ${asked}${
        unknown === 0 ? "" : `, ${count(unknown, "pair")} unknown`
      }.`
      : `Found conflicts in ${count(found, "pair")} of ${data.compared}, among ${asked}.`,
    details: blocks(
      pairs.length === 0 ? null : table(
        [
          { name: "ticket", whole: true, worth: 9 },
          { name: "with", whole: true, worth: 9 },
          { name: "state", whole: true, worth: 7 },
          { name: "files", whole: true, worth: 6 },
          { name: "where", prose: true, worth: 8 },
        ],
        pairs.map((pair) => rowOf(pair, all)),
      ),
      found === 0 ? null : table(
        [
          { name: "land", whole: true, worth: 9 },
          { name: "ticket", whole: true, worth: 9 },
          { name: "because", prose: true, worth: 8 },
        ],
        order.map(({ ticket_id: id, because }, index) => [index + 1, id, because]),
      ),
    ),
    notes: [
      ...(uncommitted.counted.length === 0
        ? []
        : [`Uncommitted work was counted, too: in ${few(uncommitted.counted, 5)}`]),
      ...uncommitted.left.map(({ ticket_id: id, repo, reason }) =>
        `⚠ Uncommitted work of ${id} in ${repo} was not counted: ${cleanLine(reason, 200)}`
      ),
      ...unreadNotes({ unread: data.unread }),
      ...data.unreadable.map(({ ticket_id: id, reason }) =>
        `⚠ ${cleanLine(id, 60)} was not compared: its record cannot be used, ${
          cleanLine(reason, 200)
        }`
      ),
    ],
  };
}
