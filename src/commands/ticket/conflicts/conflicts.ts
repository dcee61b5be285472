/**
 * `amof ticket conflicts`: which open tickets conflict with each other, or with their base branch (TICKET-10).
 * It also says in which order they land with the least trouble.
 */

import { foldingInput } from "../../../contract/input.ts";
import { query, type Rendered } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { APART_FILES } from "../../../git/write/mod.ts";
import { count, few } from "../../../base/text/words.ts";
import {
  type Across,
  askAcross,
  type Unread,
  unreadFailure,
  unreadNotes,
} from "../../look/across.ts";
import { chosen, SELECTION_FLAGS, selectionInput } from "../../selection/mod.ts";
import { type Look, lookForConflicts } from "./look.ts";
import { openTickets } from "./open_tickets.ts";
import { blocks } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { Brief, type Cell, table } from "../../../base/text/table.ts";
import { toned } from "../../../base/text/tone.ts";

/** Two sides that were compared; `b` is null where that is the base. */
export interface Compared {
  readonly a: string;
  readonly b: string | null;
  readonly files: number;
  /** Repositories in which it could not be told. */
  readonly unknown: number;
}

/** A ticket at its place in the order. */
interface Landing {
  readonly ticket_id: string;
  /** Conflicting files that it has to resolve itself before it lands: with the base, and with what landed before it. */
  readonly resolves: number;
  /** Tickets behind it that will have to resolve conflicts with it. */
  readonly hinders: readonly string[];
  /** Why it stands here, as a sentence without its full stop. */
  readonly because: string;
}

/** How much trouble a ticket makes while others are left. */
interface Trouble {
  readonly id: string;
  readonly base: number;
  readonly others: readonly string[];
  readonly files: number;
  readonly unknown: number;
}

/** An order of landing, the least troublesome first; the order that is given decides between equals. */
export function landingOrder(ids: readonly string[], compared: readonly Compared[]): Landing[] {
  const between = (a: string, b: string | null) =>
    compared.filter((pair) => pair.a === a && pair.b === b || pair.a === b && pair.b === a);
  const filesOf = (pairs: readonly Compared[]) => pairs.reduce((sum, { files }) => sum + files, 0);
  const left = [...ids];
  const order: Landing[] = [];
  while (left.length > 0) {
    const troubles = left.map((id): Trouble => {
      const rest = left.filter((other) => other !== id);
      const pairs = rest.flatMap((other) => between(id, other));
      return {
        id,
        base: filesOf(between(id, null)),
        others: rest.filter((other) => filesOf(between(id, other)) > 0),
        files: filesOf(pairs),
        unknown: [...pairs, ...between(id, null)].reduce((sum, each) => sum + each.unknown, 0),
      };
    });
    const [next] = troubles.toSorted((a, b) =>
      a.others.length - b.others.length || a.unknown - b.unknown ||
      a.files + a.base - b.files - b.base
    );
    if (next === undefined) break;
    left.splice(left.indexOf(next.id), 1);
    const earlier = order.filter(({ ticket_id }) => filesOf(between(next.id, ticket_id)) > 0);
    const before = earlier.flatMap(({ ticket_id }) => between(next.id, ticket_id));
    order.push({
      ticket_id: next.id,
      resolves: next.base + filesOf(before),
      hinders: next.others,
      because: because(next, earlier.map(({ ticket_id }) => ticket_id)),
    });
  }
  return order;
}

function because({ base, others, unknown }: Trouble, earlier: readonly string[]): string {
  const parts = [
    ...(base > 0 ? ["conflicts with its base branch"] : []),
    ...(earlier.length > 0 ? [`resolves what ${earlier.join(", ")} changed`] : []),
    ...(others.length > 0 ? [`${others.join(", ")} will resolve what it changed`] : []),
    ...(unknown > 0 ? ["not all of it could be compared"] : []),
  ];
  return parts.length === 0 ? "conflicts with nothing" : parts.join("; ");
}

/** A file that two sides changed so that git cannot bring both together. */
interface ConflictingFile {
  readonly repo: string;
  readonly path: string;
  readonly kind: string;
}

/** Two sides that do not go together, or of which it is not known. */
interface ConflictPair {
  readonly a: string;
  /** Null for the base branches of `a`. */
  readonly b: string | null;
  /** `conflict` where a file conflicts anywhere, else `unknown`: at least one repository could not tell. */
  readonly state: "conflict" | "unknown";
  readonly files: readonly ConflictingFile[];
  readonly unknown: readonly UnknownThere[];
}

/** A repository in which it could not be told. */
interface UnknownThere {
  readonly repo: string;
  readonly reason: string;
  /** The command after which it can; null where none is known. */
  readonly fix: string | null;
}

/** The answer. */
interface ConflictsData {
  readonly tickets: readonly string[];
  /** Pairs that do not go together or are not known; all others do. */
  readonly pairs: readonly ConflictPair[];
  /** How many pairs were compared, those with base branches among them. */
  readonly compared: number;
  readonly order: readonly Landing[];
  /** How many repositories were read, and how many merges git tried in them. */
  readonly repos_read: number;
  readonly merges: number;
  /** Uncommitted work of any ticket: the repositories in which it counts, and where it does not. */
  readonly uncommitted: {
    readonly counted: readonly string[];
    readonly left: readonly {
      readonly ticket_id: string;
      readonly repo: string;
      readonly reason: string;
    }[];
  };
  readonly unread: readonly Unread[];
  /** Tickets with a workspace of their own whose record cannot be used: they were not compared. */
  readonly unreadable: readonly { readonly ticket_id: string; readonly reason: string }[];
}

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
function conflictsShown(data: ConflictsData, all: boolean): Rendered {
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
      ...new Set(
        pairs.flatMap(({ unknown }) =>
          unknown.flatMap(({ repo, fix }) =>
            fix === null ? [] : [`To know more of ${repo}: ${fix}`]
          )
        ),
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

/** What all repositories say of each pair of sides. */
function pairsOf(
  ids: readonly string[],
  looks: readonly { readonly repo: string; readonly look: Look | { readonly reason: string } }[],
  tracked: (id: string, repo: string) => boolean,
): ConflictPair[] {
  const sides = ids.flatMap((a, index) => [
    { a, b: null },
    ...ids.slice(index + 1).map((b) => ({ a, b })),
  ]);
  return sides.flatMap(({ a, b }): ConflictPair[] => {
    const files: ConflictingFile[] = [];
    const unknown: UnknownThere[] = [];
    for (const { repo, look } of looks) {
      if (!tracked(a, repo) || b !== null && !tracked(b, repo)) continue;
      if ("reason" in look) {
        unknown.push({ repo, reason: look.reason, fix: null });
        continue;
      }
      const meeting = look.meetings.find((each) => each.a === a && each.b === b);
      if (meeting === undefined) continue;
      const { conflicts, reason, fix } = meeting;
      if (conflicts === null) unknown.push({ repo, reason: reason ?? "", fix });
      for (const { path, kind } of conflicts ?? []) files.push({ repo, path, kind });
    }
    if (files.length + unknown.length === 0) return [];
    return [{ a, b, state: files.length > 0 ? "conflict" : "unknown", files, unknown }];
  });
}

/** What was found out, and in which order the tickets are best landed. */
function dataOf(
  { ids, answers, unread, unreadable }:
    & Pick<Across<Look>, "answers" | "unread">
    & Pick<ConflictsData, "unreadable">
    & { readonly ids: readonly string[] },
  isTracked: (id: string, repo: string) => boolean,
): ConflictsData {
  const looks = [
    ...answers.map(({ repo, answer }) => ({ repo: repo.name, look: answer })),
    ...unread.map(({ name, reason, error }) => ({
      repo: name,
      look: { reason: reason === "missing" ? "it is not cloned" : error?.message ?? reason },
    })),
  ];
  const pairs = pairsOf(ids, looks, isTracked);
  const order = landingOrder(
    ids,
    pairs.map(({ a, b, files, unknown }) => ({
      a,
      b,
      files: files.length,
      unknown: unknown.length,
    })),
  );
  return {
    tickets: ids,
    pairs,
    compared: ids.length * (ids.length + 1) / 2,
    order,
    repos_read: answers.length,
    merges: answers.reduce((sum, { answer }) => sum + answer.merges, 0),
    uncommitted: {
      counted: answers.filter(({ answer }) => answer.uncommitted.some(({ left }) => left === null))
        .map(({ repo }) => repo.name),
      left: answers.flatMap(({ repo, answer }) =>
        answer.uncommitted.flatMap(({ ticket, left }) =>
          left === null ? [] : [{ ticket_id: ticket, repo: repo.name, reason: left }]
        )
      ),
    },
    unread,
    unreadable,
  };
}

/** The failure of `--check`. */
function foundFailure(found: readonly ConflictPair[]): AmofError {
  const named = found.map(({ a, b }) => `${a} with ${b ?? "its base"}`);
  return new AmofError(
    "check_failed",
    `Found conflicts in ${count(found.length, "pair")}: ${few(named, 3)}`,
    { hint: "See them: the same command without --check" },
  );
}

/** `amof ticket conflicts`. */
export const ticketConflicts = query({
  name: "amof_ticket_conflicts",
  path: ["ticket", "conflicts"],
  toolset: "ticket",
  scope: "ecosystem",
  mcp: "asked for",
  openWorld: "text",
  needs: "a workspace",
  next: ["ticket_list", "get_ecosystem_status"],
  title: "Ticket conflicts",
  summary:
    "Find which open tickets conflict with each other or with their base, and an order to land.",
  description:
    "Tries the merges of every two tickets, and of each ticket with its base branch as last fetched, in all repositories they share, without changing any. Uncommitted work counts as it is in the files, but for those that git does not track, of the active ticket and of those with a workspace of their own; --no-uncommitted leaves it out. Only texts are compared: that two changes merge cleanly does not mean that they work together. Merge drivers and settings of git take no part. Finding conflicts is no failure: the exit code is 0, with --check it is 3.",
  flags: SELECTION_FLAGS,
  positionals: ["tickets"],
  examples: [
    "ticket conflicts",
    "ticket conflicts PROJ-1 PROJ-2 --check",
    "ticket conflicts --repo api --no-uncommitted",
  ],
  pages: { member: "pairs", key: ["a", "b"] },
  fields: [
    "tickets",
    "pairs",
    "compared",
    "order",
    "repos_read",
    "merges",
    "uncommitted",
    "unread",
    "unreadable",
  ],
  input: (z) => ({
    tickets: z.array(z.string().min(1).max(200)).optional().describe("Only these open tickets"),
    ...selectionInput(z),
    uncommitted: z.boolean().default(true).describe(
      "Count uncommitted work",
    ),
    check: z.boolean().default(false).describe("Fail if anything conflicts"),
    ...foldingInput(z),
  }),
  async run(ctx, input) {
    const { manifest, workspace, repos } = await chosen(ctx, input);
    const { candidates, unreadable } = await openTickets(
      ctx,
      manifest,
      workspace.state,
      input.tickets,
    );
    const isTracked = (id: string, repo: string) =>
      candidates.some((each) => each.id === id && Object.hasOwn(each.ticket.repos, repo));
    const shared = repos.filter(({ name }) => candidates.some(({ id }) => isTracked(id, name)));
    const { answers, unread } = await askAcross(
      ctx,
      shared.map((repo) => ({ repo, workspace: workspace.directory, of: {} })),
      (clone, { repo }, directory) =>
        ctx.system.files.scratch(APART_FILES, (scratch) =>
          lookForConflicts(ctx, clone, repo, {
            directory,
            candidates: candidates.filter(({ id }) => isTracked(id, repo.name)),
            scratch,
            uncommitted: input.uncommitted,
          })),
    );
    const ids = candidates.map(({ id }) => id);
    const data = dataOf({ ids, answers, unread, unreadable }, isTracked);
    const found = data.pairs.filter(({ state }) => state === "conflict");
    if (input.check && found.length > 0) return { data, failure: foundFailure(found) };
    return { data, ...unreadFailure({ unread }, shared.length) };
  },
  render: (data: ConflictsData, input) => conflictsShown(data, input.all === true),
});
