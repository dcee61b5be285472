/**
 * `amof branches`: the branches of all repositories, one line per name (LOOK-8).
 *
 * Costs one git process for the workspace and one per repository, before git 2.41 up to three. Another one counts what
 * no remote has, where a local branch is ahead of the base. At most eleven look for the content of a branch whose
 * commits are not in a base that has moved on.
 */

import { type CommandContext, query } from "../contract/mod.ts";
import type { BranchFacts, Repository } from "../git/mod.ts";
import { BranchOverview } from "../git/read/mod.ts";
import { timestamp } from "../base/system/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { table } from "../base/text/table.ts";
import { toned } from "../base/text/tone.ts";
import { count, few } from "../base/text/words.ts";
import { allTicketsInput } from "../contract/input.ts";
import { askAcross, unreadFailure, unreadNotes } from "./look/across.ts";
import { chosenAnywhere, clonesOf, SELECTION_FLAGS, selectionInput } from "./selection/mod.ts";
import { labelOf, type OfTicket } from "./selection/areas.ts";
import { LOOKING, momentOf } from "./look/looking.ts";

/** How the work of a branch is in the base branch: `commits` where that has all of them. */
type Merged = "commits" | "squashed" | "rebased" | "content";

interface BranchPlace extends OfTicket {
  readonly repo: string;
  readonly commit: string;
  readonly committed_at: string;
  /** Where it is: a branch here, one of `origin` as it was last fetched, or both. */
  readonly local: boolean;
  readonly remote: boolean;
  readonly current: boolean;
  /** The base branch of this repository, which is compared with nothing. */
  readonly base: boolean;
  /** Commits that the base has not, and that only the base has; null where they cannot be compared. */
  readonly ahead: number | null;
  readonly behind: number | null;
  /** Commits that no remote has, as last fetched; null where it is only at `origin`. */
  readonly unpushed: number | null;
  /** Whether `origin` had it, and has it no more, as last fetched. */
  readonly gone: boolean;
  /** Whether it is here alone and never had a commit of its own, as git's log of it tells; absent where it is not so. */
  readonly empty?: true;
  /** Null where its work is not in the base, as far as was looked. */
  readonly merged: Merged | null;
}

interface BranchRow {
  readonly name: string;
  readonly places: readonly BranchPlace[];
}

/** How the work of a branch is in its base; null where it is not. */
async function mergedIn(
  clone: Repository,
  { distance, commit, isBase }: BranchFacts,
  base: string | null,
  content: boolean,
): Promise<Merged | null> {
  if (isBase || distance === null || base === null) return null;
  if (distance.ahead === 0) return "commits";
  // A base that has not moved since cannot have taken anything in.
  if (!content || distance.behind === 0) return null;
  return (await clone.integrated.find(commit, base)).how;
}

async function placesIn(
  clone: Repository,
  repo: { readonly name: string; readonly branch: string },
  { remote, content, isWanted }: {
    readonly remote: boolean;
    readonly content: boolean;
    readonly isWanted: (branch: BranchFacts) => boolean;
  },
): Promise<readonly (BranchPlace & { readonly name: string })[]> {
  const { branches, base } = await clone.part(BranchOverview).compared(repo.branch, { remote });
  // What the base at origin has is on a remote.
  const unsure = branches.filter(({ local, distance }) => local && distance?.ahead !== 0)
    .map(({ commit }) => commit);
  const counts = unsure.length === 0
    ? new Map<string, number>()
    : (await clone.history.unpushedOf(unsure)).counts;
  const followed = await clone.branches.following();
  const { remotes } = await clone.refs.peekBranches([]);
  const places: (BranchPlace & { readonly name: string })[] = [];
  for (const branch of branches.filter(isWanted)) {
    const { name, commit, at, local, current, isBase, distance } = branch;
    // A clone of few branches does not know what it does not fetch.
    const gone = local && !remotes.has(name) && followed.has(name) &&
      await clone.branches.lacking(name) === null;
    const isEmpty = local && !branch.remote && !gone && !isBase && distance?.ahead === 0 &&
      !await clone.branches.endsInWork(name, commit);
    places.push({
      name,
      repo: repo.name,
      commit,
      committed_at: timestamp(at),
      local,
      remote: branch.remote,
      current,
      base: isBase,
      ahead: isBase ? null : distance?.ahead ?? null,
      behind: isBase ? null : distance?.behind ?? null,
      unpushed: local ? counts.get(commit) ?? 0 : null,
      gone,
      ...(isEmpty ? { empty: true } : {}),
      merged: await mergedIn(clone, branch, base, content),
    });
  }
  return places;
}

/** The newest commit of a branch over all repositories. */
function newest({ places }: BranchRow): string {
  return places.map(({ committed_at }) => committed_at).sort().at(-1) ?? "";
}

/** `amof branches`. */
export const branches = query({
  ...LOOKING,
  name: "amof_list_branches",
  path: ["branches"],
  title: "Branches",
  summary:
    "List the branches of all repositories: where each is, how far ahead, and whether merged.",
  description:
    "One line per name, the newest first; ahead and behind compare with the base branch of origin. A branch counts as merged also where it was squashed or rebased: its content is then looked for in the base, which takes some git processes for each branch in question; --no-content leaves that out. What origin has is known as of the last fetch.",
  flags: SELECTION_FLAGS,
  examples: ["branches", "branches --merged", "branches --stale 30d --repo api", "branches --all"],
  pages: { member: "branches", key: "name" },
  fields: ["branches", "partly_merged", "repos_read", "unread"],
  input: (z) => ({
    ...selectionInput(z),
    all: z.boolean().default(false).describe("Also branches that only origin has"),
    merged: z.boolean().default(false).describe(
      "Only those whose work is in the base branch wherever they are",
    ),
    stale: z.string().optional().describe(
      "Only those without a commit for so long, or since a date: 30d",
    ),
    content: z.boolean().default(true).describe("Look for squashed and rebased work in the base"),
    ...allTicketsInput(z),
  }),
  async run(ctx: CommandContext, input) {
    const { areas, lacking } = await chosenAnywhere(ctx, input);
    const clones = clonesOf(areas);
    const before = momentOf("stale", input.stale, ctx.system.clock.now());
    const narrowed = input.merged || before !== undefined;
    const { answers, unread } = await askAcross(
      ctx,
      clones,
      (clone, { repo }) =>
        placesIn(clone, repo, {
          remote: input.all,
          content: input.content,
          isWanted: ({ isBase }) => !narrowed || !isBase,
        }),
    );
    const places = answers.flatMap(({ of, answer }) =>
      answer.map((place) => ({ ...of, ...place }))
    );
    const rows = [...Map.groupBy(places, ({ name }) => name)].map(([name, all]): BranchRow => ({
      name,
      places: all.map(({ name: _name, ...place }) => place),
    }));
    const shown = rows.filter((row) =>
      (!input.merged || row.places.every(({ merged }) => merged !== null)) &&
      (before === undefined || Date.parse(newest(row)) < before)
    ).sort((a, b) => newest(b).localeCompare(newest(a)) || a.name.localeCompare(b.name));
    const partly = !input.merged ? [] : rows
      .filter(({ places }) =>
        places.some(({ merged }) => merged !== null) && places.some(({ merged }) => merged === null)
      )
      .map(({ name }) => name);
    const data = {
      branches: shown,
      ...(partly.length === 0 ? {} : { partly_merged: partly }),
      repos_read: answers.length,
      unread,
      ...lacking,
    };
    return { data, ...unreadFailure(data, clones.length) };
  },
  render: (data, _input, say) => ({
    summary: data.branches.length === 0
      ? `Found no such branch in ${count(data.repos_read, "repo")}.`
      : `Found ${count(data.branches.length, "branch", "branches")} in ${
        count(data.repos_read, "repo")
      }.`,
    details: data.branches.length === 0 ? [] : table(
      [
        { name: "branch", whole: true, worth: 9 },
        "repos",
        "ahead",
        "behind",
        "unpushed",
        { name: "merged", whole: true, worth: 7 },
        { name: "newest", whole: true },
      ],
      data.branches.map((row) => [
        cleanLine(row.name) + (row.places.some(({ current }) => current) ? " *" : ""),
        row.places.length === data.repos_read && data.repos_read > 3
          ? `all ${data.repos_read}`
          : few(row.places.map(placeText), 3),
        span(row.places.map(({ ahead }) => ahead)),
        span(row.places.map(({ behind }) => behind)),
        unpushedText(row),
        mergedText(row),
        say.time(newest(row)),
      ]),
    ),
    notes: [
      ...unreadNotes(data),
      ...(data.partly_merged === undefined
        ? []
        : [`Merged in some repositories only: ${
          few(data.partly_merged.map((name) => cleanLine(name, 60)), 5)
        }`]),
    ],
  }),
});

function placeText(place: BranchPlace): string {
  const label = labelOf(place, place.repo);
  return place.local ? label : `${label} (origin)`;
}

/** A number where it is the same everywhere, else the least and the most. */
function span(counts: readonly (number | null)[]): number | string | null {
  const known = counts.filter((each) => each !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return known.length === 0 ? null : least === most ? least : `${least}–${most}`;
}

/** How many commits are only here, in all repositories together; of a merged branch its work is there. */
function unpushedText({ places }: BranchRow) {
  const only = places.filter(({ merged }) => merged === null)
    .reduce((sum, { unpushed }) => sum + (unpushed ?? 0), 0);
  return only === 0 ? null : toned("attention", `${only}`);
}

/** How the work of a branch is in its base branch, whichever way it came there. */
const HOW: Readonly<Record<Merged, string>> = {
  commits: "yes",
  squashed: "as one commit",
  rebased: "commit by commit",
  content: "content",
};

function mergedText({ places }: BranchRow) {
  const compared = places.filter(({ base, ahead }) => !base && ahead !== null);
  if (compared.length === 0) {
    return places.every(({ base }) => base) ? toned("quiet", "base") : null;
  }
  if (compared.every(({ empty }) => empty === true)) return toned("quiet", "no commits");
  const merged = compared.flatMap(({ merged }) => merged ?? []);
  if (merged.length === 0) {
    const gone = compared.filter(({ gone }) => gone).length;
    return gone === 0 ? "no" : toned(
      "attention",
      gone < compared.length ? `no, ${gone} without upstream` : "no, upstream gone",
    );
  }
  if (merged.length < compared.length) return `${merged.length} of ${compared.length}`;
  const how = new Set(merged.map((each) => HOW[each]));
  return toned("good", how.size === 1 ? [...how].join() : "yes");
}
