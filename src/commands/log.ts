/**
 * `amof log`: the commits of all repositories as one list, the newest first (LOOK-3).
 *
 * Costs one git process for the workspace and one per repository.
 */

import { query } from "../contract/mod.ts";
import type { LogQuery, Repository } from "../git/mod.ts";
import { CommitLog } from "../git/read/mod.ts";
import { timestamp } from "../base/system/mod.ts";
import { blocks } from "../base/text/parts.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { table } from "../base/text/table.ts";
import { count } from "../base/text/words.ts";
import { allTicketsInput, BASE } from "../contract/input.ts";
import { askAcross, type Missed, unreadFailure, unreadNotes } from "./look/across.ts";
import {
  chosenAnywhere,
  type ChosenArea,
  clonesOf,
  type MeantClone,
  SELECTION_FLAGS,
  selectionInput,
} from "./selection/mod.ts";
import type { OfTicket } from "./selection/areas.ts";
import { insidePaths, LOOKING, momentOf, ticketBranches } from "./look/looking.ts";
import { shortSha } from "../base/ids.ts";

/**
 * The first `most` of lists that each have the newest first; where two are equally new, the earlier list goes first.
 *
 * Of a list that is not in order, such as a log with clocks that went wrong, the order stays.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { mergeNewest } from "./log.ts";
 *
 * const times = [[9, 4], [7, 5], []];
 * assertEquals(mergeNewest(times, (time) => time, 3), [9, 7, 5]);
 * ```
 */
export function mergeNewest<T>(
  lists: readonly (readonly T[])[],
  at: (item: T) => number,
  most = Infinity,
): T[] {
  const heads = lists.map((items) => ({ items, next: 0 }));
  const merged: T[] = [];
  while (merged.length < most) {
    let best: { items: readonly T[]; next: number } | null = null;
    let newest: T | undefined;
    for (const head of heads) {
      const item = head.items[head.next];
      if (item === undefined || (newest !== undefined && at(item) <= at(newest))) continue;
      [best, newest] = [head, item];
    }
    if (best === null || newest === undefined) break;
    best.next++;
    merged.push(newest);
  }
  return merged;
}

/** How many commits are shown where nothing else narrows them down. */
const USUAL = 50;
/** How many are shown where something does. */
const NARROWED = 1_000;

interface LogRow extends OfTicket {
  readonly repo: string;
  /** In full. */
  readonly commit: string;
  readonly committed_at: string;
  readonly author: string;
  readonly subject: string;
  /** The branch by which it was reached; absent unless branches were asked for. */
  readonly branch?: string;
}

interface LogData extends Missed {
  readonly commits: readonly LogRow[];
  /** How many repositories were read. */
  readonly repos_read: number;
  /** Whether there are more commits than are shown. */
  readonly more: boolean;
  readonly limit: number;
}

/** Which commits of which repositories are meant, and where each log begins. */
function wanted(
  area: ChosenArea,
  { ticket, branches }: { readonly ticket: string | undefined; readonly branches: boolean },
): readonly (MeantClone & { readonly from: "head" | "branches" | { readonly tip: string } })[] {
  const clones = clonesOf([area]);
  if (ticket === undefined) {
    return clones.map((clone) => ({ ...clone, from: branches ? "branches" : "head" }));
  }
  const tips = ticketBranches(area.workspace.state, ticket);
  return clones.flatMap((clone) => {
    const branch = tips[clone.repo.name];
    if (branch === undefined) return [];
    return [{ ...clone, from: { tip: `refs/heads/${branch}` } }];
  });
}

/** What the base branch has not, here or at its remote. */
async function beyond(
  clone: Repository,
  base: string,
  { tip }: { readonly tip: string },
): Promise<LogQuery["from"]> {
  return { tip, without: [(await clone.refs.base(base)).ref, `refs/heads/${base}`] };
}

/** `amof log`. */
export const log = query({
  ...LOOKING,
  name: "amof_get_commits",
  path: ["log"],
  title: "Commits",
  summary: "Show the commits of all repositories as one list, the newest first.",
  description:
    "Of what is checked out, unless --all-branches or --ticket is given. Moments are 90m, 24h, 7d, 2w ago, or dates; what counts is when a commit was made, as it now is. Paths are git's patterns inside each repository.",
  flags: SELECTION_FLAGS,
  short: { limit: "n", ticket: "t" },
  positionals: ["paths"],
  examples: [
    "log",
    "log --since 2w --author ada",
    "log --ticket PROJ-123",
    "log --all-tickets --since 1d",
    "log -n 10 --repo api package.json",
  ],
  pages: { member: "commits", key: ["ticket", "repo", "commit"] },
  fields: [
    "commits",
    "commits.ticket",
    "commits.repo",
    "commits.commit",
    "commits.committed_at",
    "commits.author",
    "commits.subject",
    "commits.branch",
    "repos_read",
    "more",
    "limit",
    "unread",
  ],
  input: (z) => ({
    ...selectionInput(z),
    paths: z.array(z.string().min(1)).optional().describe(
      "Only commits that touch these paths of a repository",
    ),
    since: z.string().optional().describe("Made since then: 24h, 2w or a date"),
    until: z.string().optional().describe("Made until then"),
    author: z.string().min(1).optional().describe("Part of the author's name or address"),
    ticket: z.string().optional().describe(
      "What the ticket's branches have and their bases have not",
    ),
    limit: z.int().min(1).max(10_000).optional().describe(
      `At most so many (${USUAL}; with since, until or ticket ${NARROWED})`,
    ),
    ...allTicketsInput(z),
    all_branches: z.boolean().default(false).describe("Of all branches, remote ones too"),
    merges: z.boolean().default(true).describe("Show merge commits"),
  }),
  async run(ctx, input) {
    const now = ctx.system.clock.now();
    const since = momentOf("since", input.since, now);
    const until = momentOf("until", input.until, now);
    const paths = insidePaths(input.paths);
    const narrowed = since !== undefined || until !== undefined || input.ticket !== undefined;
    const limit = input.limit ?? (narrowed ? NARROWED : USUAL);
    const { areas, lacking } = await chosenAnywhere(ctx, input);
    const wish = { ticket: input.ticket, branches: input.all_branches };
    const clones = areas.flatMap((area) => wanted(area, wish));
    const { answers, unread } = await askAcross(
      ctx,
      clones,
      // One more than is shown tells whether there are more.
      async (clone, { from, repo }) =>
        await clone.part(CommitLog).newest({
          from: typeof from === "string" ? from : await beyond(clone, repo.branch, from),
          most: limit + 1,
          since,
          until,
          author: input.author,
          merges: input.merges,
          paths,
        }),
    );
    const lists = answers.map(({ repo, of, answer }) =>
      answer.map((commit) => ({ ...commit, of, repo: repo.name }))
    );
    const merged = mergeNewest(lists, ({ at }) => at, limit + 1);
    const data: LogData = {
      commits: merged.slice(0, limit).map(({ repo, of, commit, at, author, subject, branch }) => ({
        ...of,
        repo,
        commit,
        committed_at: timestamp(at),
        author,
        subject,
        ...(branch === null ? {} : { branch }),
      })),
      repos_read: answers.length,
      more: merged.length > limit,
      limit,
      unread,
      ...lacking,
    };
    return { data, ...unreadFailure(data, clones.length) };
  },
  render: (data: LogData, _input, say) => {
    const branches = data.commits.some(({ branch }) => branch !== undefined);
    const tickets = data.commits.some(({ ticket }) => ticket !== undefined);
    const repos = new Set(data.commits.map(({ repo }) => repo)).size;
    return {
      summary: data.commits.length === 0
        ? `Found no commits in ${count(data.repos_read, "repo")}.`
        : `Found ${
          !data.more
            ? count(data.commits.length, "commit")
            : data.commits.length === 1
            ? "the newest commit"
            : `the newest ${data.commits.length} commits`
        } in ${repos} of ${count(data.repos_read, "repo")}.`,
      details: data.commits.length === 0 ? [] : blocks(
        table(
          [
            ...(tickets ? ["ticket"] : []),
            "repo",
            { name: "commit", whole: true, worth: 7 },
            { name: "when", whole: true },
            "author",
            ...(branches ? ["branch"] : []),
            { name: "subject", worth: 8 },
          ],
          data.commits.map((row) => [
            ...(tickets ? [row.ticket ?? BASE] : []),
            row.repo,
            shortSha(row.commit),
            say.time(row.committed_at),
            cleanLine(row.author, 24),
            ...(branches ? [row.branch] : []),
            cleanLine(row.subject, 100),
          ]),
        ),
      ),
      notes: [
        ...(data.more ? [`⚠ There are more; show them with --limit ${2 * data.limit}`] : []),
        ...unreadNotes(data),
      ],
    };
  },
});
