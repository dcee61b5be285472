/** `amof pr land`: merges the pull requests of a ticket in order, and stops at the first surprise (CHANGE-8). */

import { AmofError, type ErrorCode, toAmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { type ExecuteContext, mutation, onlyTyped, type Result } from "../../../contract/mod.ts";
import { CHANGING, setInput } from "../rows.ts";
import { type ChangeSet, changeSet, inPrivate, type Member, remoteTip } from "../set.ts";
import { afterRefusal, type LandFact, type LandFacts, planLand, surpriseOf } from "./plan.ts";
import { sha, shortSha } from "../../../base/ids.ts";
import { type Forge, pageLine, type PullRequest } from "../../../forge/mod.ts";
import { compareWithBase } from "../../../workspace/clones/mod.ts";
import { rememberMerged } from "../../../workspace/clones/changing.ts";
import { repoDirectory } from "../../../workspace/mod.ts";

interface LandData extends LandRows {
  readonly change_set: {
    readonly ticket_id: string;
    readonly state: "landed" | "landing" | "partly_landed" | "open";
    readonly known: boolean;
  };
  /** Commands that lead on. */
  readonly offer: readonly string[];
}

const NOTHING: LandRows = { landed: [], queued: [], stopped: null, waiting: [] };

function conclude(facts: LandFacts, rows: LandRows, failure: AmofError | null): Result<LandData> {
  const { ticket_id: id } = facts;
  const { landed, queued, stopped, waiting } = rows;
  const before = facts.landed.length > 0;
  const isLeft = stopped !== null || waiting.length > 0 || failure !== null;
  const offer = !isLeft && queued.length === 0
    ? facts.known ? [`amof ticket end ${id} --cleanup`] : []
    : landed.length > 0 || before
    ? [`amof pr land ${id} --resume`, `amof pr revert ${id}`]
    : [`amof pr status ${id}`];
  const data: LandData = {
    change_set: {
      ticket_id: id,
      state: queued.length > 0
        ? "landing"
        : !isLeft
        ? "landed"
        : landed.length > 0 || before
        ? "partly_landed"
        : "open",
      known: facts.known,
    },
    ...rows,
    offer,
  };
  if (failure !== null) return { data, failure };
  if (stopped === null) return { data };
  const page = stopped.way === undefined ? "" : `${stopped.way}\n`;
  const hint = page +
    (landed.length > 0
      ? `See what is there now: amof pr status ${id}\nGo on with the rest: amof pr land ${id} --resume\nTake back what landed: amof pr revert ${id}`
      : `See what is there now: amof pr status ${id}`);
  return {
    data,
    failure: new AmofError(
      landed.length + queued.length > 0 ? "partial_failure" : stopped.code,
      `Landed ${landed.length} of ${facts.repos.length}; stopped: ${stopped.detail}`,
      { hint, details: { landed, stopped, waiting } },
    ),
  };
}

function describe(fact: LandFact): string {
  const { name, number, head, base, method, queue, commits, checks } = fact;
  const how = queue ? "put into the merge queue of" : `${method} into`;
  const what = [
    ...(commits === null ? [] : [count(commits, "commit")]),
    `checks: ${checks}`,
    `review: ${fact.review.replaceAll("_", " ")}`,
  ];
  return `${name}  #${number} at ${shortSha(head)}  ${how} ${base}  (${what.join(", ")})`;
}

/** The commits of a pull request, a line each. */
function commitsOf({ commits, commit_subjects: subjects }: LandFact): string[] {
  const more = (commits ?? 0) - subjects.length;
  return [
    ...subjects.map((line) => `   - ${line}`),
    ...(more > 0 ? [`   … and ${more} more`] : []),
  ];
}

/** `amof pr land`. */
export const prLand = mutation({
  ...CHANGING,
  name: "amof_pr_land",
  path: ["pr", "land"],
  confirm: "type",
  asks: { deed: "landing", will: "merge pull requests", verb: "land" },
  runs: "pr_land",
  title: "Land pull requests",
  summary: "Merge the pull requests of a ticket in order; stops at the first surprise.",
  description:
    "All of them are read and have to be ready: no draft, no conflict, checks passed, no review missing, nothing that is only here. Each is merged at exactly the commit that was previewed, what others need first (depends_on, or --order). Before each it is read again, and after it the base branch is fetched. One that is other than previewed stops the landing, whose rest is never done by itself: --resume lands it with a new preview and a new consent, pr revert takes back what landed. A base branch with a merge queue or train needs --allow-queue.",
  flags: { repos: "repo", ignore_checks: "ignore-check" },
  examples: [
    "pr land PROJ-123",
    "pr land PROJ-123 --method squash --confirm-name PROJ-123",
    "pr land PROJ-123 --resume",
  ],
  input: (z) => ({
    ...setInput(z),
    order: z.array(z.string()).optional().describe("These first, in this order"),
    method: z.enum(["merge", "squash", "rebase"]).optional().describe(
      "How; as the manifest says when absent",
    ),
    ignore_checks: onlyTyped(
      z.array(z.string()).optional().describe("Land although this check has not passed"),
    ),
    allow_queue: z.boolean().default(false).describe(
      "Put them into merge queues where there are",
    ),
    resume: z.boolean().default(false).describe("Land the rest of what has landed in part"),
  }),
  async preview(ctx, input) {
    const { facts, failure } = await planLand(ctx, input);
    const { repos, ticket_id: id, landed } = facts;
    return {
      facts,
      subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
      summary: failure !== null
        ? `Would land nothing of ${cleanLine(id, 30)}: something stands in the way.`
        : repos.length === 0
        ? `Would land nothing of ${cleanLine(id, 30)}: all of it has landed.`
        : `Would land ${count(repos.length, "pull request")} of ${cleanLine(id, 30)}.`,
      effects: repos.map(describe),
      details: [
        ...repos.flatMap((fact, at) => [`${at + 1}. ${describe(fact)}`, ...commitsOf(fact)]),
        ...(landed.length === 0 ? [] : [`Landed already: ${landed.join(", ")}`]),
        ...(facts.ignored.length === 0
          ? []
          : [`⚠ Checks that do not count: ${cleanLine(facts.ignored.join(", "))}`]),
      ],
      irreversible: "Others have what is merged at once; it stays in the history.",
      current: `${count(repos.length, "pull request")} open, ${landed.length} landed`,
      alternatives: [`Look at them first: amof pr status ${id}`],
      ...(failure !== null || repos.length === 0
        ? { settled: conclude(facts, NOTHING, failure) }
        : {}),
    };
  },
  undo: {
    irreversible: ({ ticket_id: id }) => `what is merged; take it back: amof pr revert ${id}`,
  },
  async execute(ctx, input, facts) {
    const set = await changeSet(ctx, input);
    return conclude(facts, await landAll(ctx, set, facts), null);
  },
  render({ change_set: { ticket_id: id }, landed, queued, stopped, waiting }: LandData) {
    const name = cleanLine(id, 24);
    const rows = [
      ...landed.map((row) => [
        `✓ ${row.name}`,
        `#${row.number}`,
        "landed",
        shortSha(row.merge_sha),
      ]),
      ...queued.map((one) => [`– ${one}`, "", "in the queue", ""]),
      ...(stopped === null ? [] : [[
        `✗ ${stopped.name}`,
        `#${stopped.number}`,
        "stopped",
        cleanLine(stopped.detail, 300),
      ]]),
      ...waiting.map((one) => [`– ${one}`, "", "waiting", ""]),
    ];
    return {
      summary: stopped !== null
        ? `Landed ${landed.length} of ${name}; stopped at ${cleanLine(stopped.name, 20)}.`
        : queued.length > 0
        ? `Put ${count(queued.length, "pull request")} of ${name} into the queue.`
        : landed.length > 0
        ? `Landed ${count(landed.length, "pull request")} of ${name}.`
        : `Landed nothing of ${name}.`,
      details: [
        ...(rows.length === 0 ? [] : [table(["repo", "pr", "result", "detail"], rows)]),
      ],
    };
  },
});

// Merges the pull requests of a ticket one after the other, and stops at the first that is other than previewed. A merge
// cannot be taken back, so nothing here goes on by itself: what is left is a new call with a new consent (CHANGE-8).

/** A forge may be busy with what was merged before: then it is asked again, so often and after so many milliseconds. */
const TRIES = 3;
const PAUSE_MS = 1_500;

interface LandedRow {
  readonly name: string;
  readonly number: number;
  readonly url: string;
  readonly head: string;
  readonly merge_sha: string | null;
}

interface Stopped {
  readonly name: string;
  readonly number: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly previewed: string;
  readonly now: string | null;
  /** The line that leads to its page; absent where its forge has not refused it. */
  readonly way?: string;
}

/** What came of a landing. */
interface LandRows {
  readonly landed: readonly LandedRow[];
  readonly queued: readonly string[];
  readonly stopped: Stopped | null;
  /** Those that nobody has touched. */
  readonly waiting: readonly string[];
}

/** The error of a landing that stops, with the commit that is there. */
function stop(
  code: ErrorCode,
  why: string,
  now: string | null = null,
  way: string | null = null,
): AmofError {
  return new AmofError(code, why, { details: { now, way } });
}

/** What went wrong before a forge was asked to merge, or has to be left alone. */
const UNTRIED = ["auth_failed", "program_missing", "forge_limited"];

/** Asks for one merge; what a forge refuses, or leaves open, is judged by what is there afterwards. */
async function mergeOne(
  ctx: ExecuteContext,
  forge: Forge,
  fact: LandFact,
  change: PullRequest,
): Promise<"queued" | PullRequest> {
  const { head, method, queue, number, name } = fact;
  let why = "";
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const answer = await forge.merge(change, { sha: head, method, queue });
      if (answer.state === "queued") return "queued";
      why = answer.state === "refused" ? answer.why : "";
    } catch (thrown) {
      const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
      if (UNTRIED.includes(error.code)) throw error;
      why = error.message;
    }
    const there = await forge.read(number).catch((thrown) => {
      const { code, message } = toAmofError(thrown, () => ctx.system.ids.hex(8));
      throw stop(code, `nobody knows yet whether #${number} of ${name} was merged: ${message}`);
    });
    const came = afterRefusal(fact, there);
    if (came === "merged") return there;
    if (came === "moved") {
      throw stop(
        "change_moved",
        `#${number} of ${name} has moved: previewed ${shortSha(head)}, now ${
          shortSha(there.head.sha)
        }, ${there.state}`,
        there.head.sha,
      );
    }
    if (tries + 1 < TRIES) await ctx.system.clock.sleep(PAUSE_MS, ctx.signal);
  }
  throw stop(
    "change_blocked",
    `#${number} of ${name} was not merged${why === "" ? "" : `: ${why}`}`,
    head,
    pageLine(forge.kind, forge.slug, change),
  );
}

/** Whether the base branch has what was merged, as git itself fetches it; throws where it does not. */
async function verify(
  ctx: ExecuteContext,
  set: ChangeSet,
  member: Member,
  { head, merge_sha: merged }: Pick<LandedRow, "head" | "merge_sha">,
): Promise<void> {
  const { name, base, branch, repo } = member;
  const not = stop(
    "forge_failed",
    `${name}: its forge says it is merged, and ${base} does not have it`,
    head,
  );
  if (set.workspace === null) {
    const tip = await remoteTip(ctx, member, base);
    if (tip === null || merged === null) throw not;
    const has = await inPrivate(
      ctx,
      member,
      tip,
      async ({ remotes, history }) =>
        await remotes.fetchCommit(tip, { alone: false }) && await history.isAncestor(merged, tip),
    );
    if (!has) throw not;
    return;
  }
  const directory = await repoDirectory(ctx.system, set.workspace.directory, repo);
  const clone = ctx.git.at(directory, name);
  await clone.remotes.fetchBranch(base);
  const ref = `refs/remotes/origin/${base}`;
  const tip = (await clone.refs.peek([ref])).get(ref);
  if (tip === undefined) throw not;
  if (merged !== null && await clone.history.isAncestor(merged, tip)) return;
  // What a squash comes to is told by its contents.
  const tips = { branch, commit: sha(head), base: tip, own: undefined };
  if ((await compareWithBase(clone, tips, { lastPush: undefined })).as === null) throw not;
}

/** Merges what was agreed to, in its order. */
async function landAll(
  ctx: ExecuteContext,
  set: ChangeSet,
  { repos, ignored }: LandFacts,
): Promise<LandRows> {
  const landed: LandedRow[] = [];
  const queued: string[] = [];
  let stopped: Stopped | null = null;
  for (const [at, fact] of repos.entries()) {
    const { name, number, head, url } = fact;
    try {
      const member = set.members.find((one) => one.name === name);
      const forge = member?.forge ?? null;
      if (member === undefined || forge === null) throw stop("change_moved", `${name} is gone`);
      if (ctx.signal.aborted) throw stop("cancelled", `Stopped before ${name}`);
      if (queued.length > 0) {
        throw stop("change_blocked", `${name} waits for what is in the queue`);
      }
      const standing = await forge.standing(await forge.read(number));
      const surprise = surpriseOf(fact, standing, ignored);
      if (surprise !== null) throw stop(surprise.code, surprise.why, surprise.now);
      ctx.report.log("info", `${name}: merging #${number} at ${shortSha(head)}`, {
        type: "repo",
        payload: { repo: name, number, head },
        lasting: true,
      });
      const merged = await mergeOne(ctx, forge, fact, standing.change);
      if (merged === "queued") {
        queued.push(name);
        continue;
      }
      const row: LandedRow = { name, number, url, head, merge_sha: merged.merge_sha };
      landed.push(row);
      ctx.report.log("info", `${name}: merged #${number}`, {
        type: "repo",
        payload: { repo: name, number, merge_sha: row.merge_sha },
        lasting: true,
      });
      ctx.report.progress(at + 1, repos.length, name);
      await verify(ctx, set, member, row);
    } catch (thrown) {
      const { code, message, details } = toAmofError(thrown, () => ctx.system.ids.hex(8));
      const textOf = (member: string) => {
        const text = details[member];
        return typeof text === "string" ? text : null;
      };
      const [now, way] = [textOf("now"), textOf("way")];
      stopped = {
        ...{ name, number, code, detail: message, previewed: head, now },
        ...(way === null ? {} : { way }),
      };
      break;
    }
  }
  if (set.workspace !== null && landed.length > 0) {
    const { directory } = set.workspace;
    const fetched = set.members.filter(({ name }) => landed.some((row) => row.name === name));
    await rememberMerged(
      ctx,
      { workspace: directory, workspaceBranch: set.manifest.workspaceBranch },
      fetched.map(({ repo }) => repo),
    );
  }
  const touched = new Set([...landed.map(({ name }) => name), ...queued, stopped?.name]);
  return {
    landed,
    queued,
    stopped,
    waiting: repos.map(({ name }) => name).filter((name) => !touched.has(name)),
  };
}
