/** What `amof pr land` would merge, read anew from the forges (CHANGE-8). */

import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { few } from "../../../base/text/words.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import type { ChangeState, Method, PullRequest } from "../../../forge/mod.ts";
import { inPoolOf } from "../../../workspace/mod.ts";
import { aheadOfBase, readPulls, type Seen } from "../look.ts";
import { rowsOf } from "../rows.ts";
import { type ChangeSet, changeSet, type SetInput } from "../set.ts";
import { type Blocker, blockersOf, blockerWords } from "../verdict.ts";
import { shortSha } from "../../../base/ids.ts";

interface LandInput extends SetInput {
  readonly method?: Method | undefined;
  readonly ignore_checks?: readonly string[] | undefined;
  readonly allow_queue: boolean;
  readonly resume: boolean;
}

/** What a confirmation is bound to. */
export interface LandFacts {
  readonly ticket_id: string;
  /** Whether the ticket is one of this workspace, and has not ended. */
  readonly known: boolean;
  readonly repos_affected: readonly string[];
  /** In the order in which they are merged. */
  readonly repos: readonly LandFact[];
  /** Those that are merged already. */
  readonly landed: readonly string[];
  readonly ignored: readonly string[];
}

/** What would be landed, of what. */
interface LandPlan {
  readonly set: ChangeSet;
  readonly facts: LandFacts;
  /** Why nothing can be landed, or null where it can. */
  readonly failure: AmofError | null;
}

function words(blocked: Obstacle["blocked_by"][number], method: Method): string {
  return blocked === "closed"
    ? "closed"
    : blocked === "no_pull_request"
    ? "no pull request"
    : blocked === "method"
    ? `its forge has no ${method}`
    : blocked === "queue"
    ? "a merge queue (--allow-queue)"
    : blocked === "unread"
    ? "cannot be read"
    : blockerWords(blocked);
}

/** The error that tells everything that stands in the way at once. */
function blocked(
  id: string,
  obstacles: readonly Obstacle[],
  { method, resume }: Pick<LandInput, "resume"> & { readonly method: Method },
): AmofError {
  const queues = obstacles.every(({ blocked_by: by }) => by.length === 1 && by[0] === "queue");
  const flags = `--allow-queue${resume ? " --resume" : ""}`;
  const put = queues ? `Put them into the queue: amof pr land ${id} ${flags}\n` : "";
  return new AmofError(
    "change_blocked",
    `Cannot land ${id}: ${
      few(
        obstacles.map(({ name, blocked_by }) =>
          `${name} (${blocked_by.map((one) => words(one, method)).join(", ")})`
        ),
        5,
      )
    }`,
    { hint: `${put}See how they stand: amof pr status ${id}`, details: { repos: obstacles } },
  );
}

/** So many commits of a pull request are named. */
const SHOWN_COMMITS = 10;

/** What merging a pull request brings to its base branch, told by the commits that are here. One process. */
async function broughtBy(
  ctx: CommandContext,
  set: ChangeSet,
  seen: Seen,
): Promise<Pick<LandFact, "commits" | "commit_subjects">> {
  const isHere = seen.change !== null && seen.local === seen.change.head.sha;
  const commits = isHere ? await aheadOfBase(ctx, set, seen) : null;
  return {
    commits: commits?.length ?? null,
    commit_subjects: (commits ?? []).slice(0, SHOWN_COMMITS).map(({ commit, subject }) =>
      `${shortSha(commit)} ${cleanLine(subject, 200)}`
    ),
  };
}

/** What would be landed. */
export async function planLand(ctx: CommandContext, input: LandInput): Promise<LandPlan> {
  const set = await changeSet(ctx, input);
  const id = set.ticket_id;
  const method = input.method ?? set.manifest.review.method;
  const ignored = input.ignore_checks ?? [];
  const seen = await readPulls(ctx, set);
  const rows = rowsOf(set, seen, ignored);
  const landed = rows.filter(({ state }) => state === "merged").map(({ name }) => name);
  const open = seen.filter(({ change }) => change?.state === "open");
  const looks = new Map(
    await inPoolOf(
      ctx,
      "asking",
      open,
      async (one) => {
        const queue = await one.forge?.queues(one.member.base) ?? false;
        return [one.name, { queue, ...await broughtBy(ctx, set, one) }] as const;
      },
    ),
  );
  const all = rows.map((row) => ({
    ...row,
    number: row.number ?? 0,
    queue: looks.get(row.name)?.queue ?? false,
    methods: seen.find(({ name }) => name === row.name)?.forge?.methods ?? [],
  }));
  const unread = seen.filter(({ error }) => error !== null).map(({ name }): Obstacle => ({
    name,
    number: null,
    blocked_by: ["unread"],
  }));
  const obstacles = [
    ...unread,
    ...obstaclesOf(all, { method, allowQueue: input.allow_queue }),
  ];
  const facts: LandFacts = {
    ticket_id: id,
    known: set.known,
    repos_affected: open.map(({ name }) => name),
    repos: open.flatMap(({ name, member, forge, change, standing }): LandFact[] => {
      const look = looks.get(name);
      if (forge === null || change === null || standing === null || look === undefined) return [];
      return [{
        name,
        number: change.number,
        url: change.url,
        host: forge.slug.host,
        branch: member.branch,
        base: member.base,
        head: change.head.sha,
        method,
        ...look,
        checks: standing.checks.state,
        review: standing.review.state,
      }];
    }),
    landed,
    ignored,
  };
  const failure = rows.length === 0 && unread.length === 0
    ? new AmofError("change_not_found", `Cannot land ${id}: it has no pull request`, {
      hint: `Open it first: amof pr open ${id}`,
    })
    : obstacles.length > 0
    ? blocked(id, obstacles, { method, resume: input.resume || landed.length > 0 })
    : landed.length > 0 && open.length > 0 && !input.resume
    ? new AmofError(
      "change_blocked",
      `Cannot begin to land ${id}, of which some has landed already: ${few(landed, 3)}`,
      {
        hint:
          `Go on with the rest: amof pr land ${id} --resume\nTake back what landed: amof pr revert ${id}`,
        details: { landed },
      },
    )
    : null;
  return { set, facts, failure };
}

// Whether a change set can be landed as it stands, and whether one of its pull requests still is what was previewed:
// decided by values alone (CHANGE-8).

/** A pull request as it was previewed. */
export interface LandFact {
  readonly name: string;
  readonly number: number;
  readonly url: string;
  readonly host: string;
  readonly branch: string;
  readonly base: string;
  /** Exactly this commit is merged. */
  readonly head: string;
  /** How many commits that brings to the base branch; null where they are not here. */
  readonly commits: number | null;
  /** The newest of them: `faa140f Subject`. */
  readonly commit_subjects: readonly string[];
  readonly method: Method;
  /** Whether its base branch takes pull requests only in a queue. */
  readonly queue: boolean;
  readonly checks: string;
  readonly review: string;
}

/** Why landing stops before a pull request. */
interface Surprise {
  readonly code: "change_moved" | "change_blocked";
  readonly why: string;
  /** The commit it is at. */
  readonly now: string;
}

/** What is other than previewed, or null. `ignored` are names of checks that do not count. */
export function surpriseOf(
  fact: LandFact,
  { change, ...standing }: ChangeState,
  ignored: readonly string[],
): Surprise | null {
  const of = `#${fact.number} of ${fact.name}`;
  const moved = (why: string): Surprise => ({
    code: "change_moved",
    why: `${of} ${why}`,
    now: change.head.sha,
  });
  if (change.number !== fact.number || change.base.branch !== fact.base) {
    return moved("is for another base branch now");
  }
  if (change.head.sha !== fact.head) {
    return moved(`has moved: previewed ${shortSha(fact.head)}, now ${shortSha(change.head.sha)}`);
  }
  if (change.state === "merged") return moved("was merged meanwhile");
  if (change.state === "closed") return moved("was closed meanwhile");
  const [first] = blockersOf({ change, ...standing }, { ignored });
  return first === undefined
    ? null
    : { code: "change_blocked", why: `${of} is blocked: ${first}`, now: change.head.sha };
}

/**
 * What came of a merge that the forge did not confirm. It is judged by the state of the pull request, never by the
 * message.
 */
export function afterRefusal(
  fact: LandFact,
  change: PullRequest,
): "merged" | "moved" | "open" {
  if (change.state === "merged" && change.head.sha === fact.head) return "merged";
  return change.state === "open" && change.head.sha === fact.head ? "open" : "moved";
}

/** A pull request that stands in the way of landing, with everything that blocks it. */
interface Obstacle {
  readonly name: string;
  readonly number: number | null;
  readonly blocked_by:
    readonly (Blocker | "closed" | "no_pull_request" | "method" | "queue" | "unread")[];
}

/** What of a set keeps it from being landed, all of it at once. */
export function obstaclesOf(
  rows: readonly {
    readonly name: string;
    readonly number: number;
    readonly state: PullRequest["state"];
    readonly blocked_by: readonly Blocker[];
    readonly queue: boolean;
    readonly methods: readonly Method[];
  }[],
  { method, allowQueue }: { readonly method: Method; readonly allowQueue: boolean },
): readonly Obstacle[] {
  return rows.flatMap(({ name, number, state, blocked_by, queue, methods }): Obstacle[] => {
    if (state === "merged") return [];
    const found: Obstacle["blocked_by"] = [
      ...blocked_by.filter((one) => !one.startsWith("depends_on:")),
      ...(state === "closed" ? ["closed" as const] : []),
      ...(state === "open" && !methods.includes(method) ? ["method" as const] : []),
      ...(state === "open" && queue && !allowQueue ? ["queue" as const] : []),
    ];
    return found.length === 0 ? [] : [{ name, number, blocked_by: found }];
  });
}
