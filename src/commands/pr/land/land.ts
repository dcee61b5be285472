/** `amof pr land`: merges the pull requests of a ticket in order, and stops at the first surprise (CHANGE-8). */

import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { mutation, onlyTyped, type Result } from "../../../contract/mod.ts";
import { CHANGING, setInput } from "../declare.ts";
import { changeSet } from "../set.ts";
import { landAll, type LandRows } from "./act.ts";
import { type LandFact, type LandFacts, planLand } from "./plan.ts";
import { shortSha } from "../../../base/ids.ts";

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
  input: (z) =>
    z.strictObject({
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
  irreversible: ({ ticket_id: id }) => `what is merged; take it back: amof pr revert ${id}`,
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
