/** `amof pr status`: the pull requests of a ticket as one thing, in the order to land (CHANGE-5). */

import { AmofError, toAmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import { foldingInput } from "../../contract/input.ts";
import { type CommandContext, query } from "../../contract/mod.ts";
import { aheadOfBase, readPulls, type Seen } from "./look.ts";
import { CHANGE_SET, type ChangeRow, rowsOf, setInput } from "./rows.ts";
import { type ChangeSet, changeSet, revertBranch } from "./set.ts";
import { type Blocker, blockerWords, isReady, type SetState, stateOf } from "./verdict.ts";
import { foldedLines, foldedRepos, type Folding, type Part } from "../../base/text/parts.ts";
import { table } from "../../base/text/table.ts";
import { inPool } from "../../base/async/pool.ts";
import type { PullRequest } from "../../forge/mod.ts";

function checksWords({ state, failed, total }: ChangeRow["checks"]): string {
  return state === "none"
    ? "-"
    : state === "failure"
    ? `failed: ${few(failed, 1)}`
    : state === "pending"
    ? "running"
    : `passed (${total})`;
}

function reviewWords({ state, approvals, stale }: ChangeRow["review"]): string {
  const old = stale > 0 ? `, ${stale} of older commits` : "";
  return state === "approved"
    ? `approved (${approvals}${old})`
    : state === "changes_requested"
    ? "changes requested"
    : state === "required"
    ? `missing${old}`
    : "-";
}

/** Whether nobody has to do anything about a pull request, but for landing what is ready. */
function isFine(row: ChangeRow | undefined): boolean {
  return row !== undefined && (row.state === "merged" || row.state === "open" && isReady(row));
}

/** The pull requests in the order to land, and their pages below; of many those that block, unless all are asked for. */
function changeTable(rows: readonly ChangeRow[], folding: Folding): readonly Part[] {
  const shown = table(
    [
      "#",
      "repo",
      { name: "pr", whole: true, worth: 7 },
      "state",
      { name: "checks", states: true, worth: 6 },
      { name: "review", states: true, worth: 5 },
      { name: "blocked by", prose: true, worth: 9 },
    ],
    rows.map((row, at) => [
      at + 1,
      row.name,
      `#${row.number}`,
      row.state === "open" && row.draft ? "draft" : row.state,
      row.state === "open" ? checksWords(row.checks) : "",
      row.state === "open" ? reviewWords(row.review) : "",
      row.blocked_by.map(blockerWords).join(", "),
    ]),
  );
  const words = (at: number) => rows[at]?.state === "merged" ? "merged" : "ready";
  return [
    folding.all === true ? shown : shown.folding((at) => isFine(rows[at]), words),
    "",
    ...foldedLines(
      rows.map(({ name, url }) => `${name}  ${url}`),
      `${rows.length} pages`,
      folding,
    ),
  ];
}

/** A pull request as it stands. */
interface StatusRow extends ChangeRow {
  /** The pull request that takes it back; null where there is none that is open or merged, or nobody knows. */
  readonly taken_back: Pick<PullRequest, "number" | "url" | "state"> | null;
  /** Why nobody knows whether one takes it back; null where that is known. */
  readonly taken_back_unread: string | null;
}

/** The rows with the pull requests that take back what has landed. */
async function withReverts(
  ctx: CommandContext,
  { ticket_id: id, members }: ChangeSet,
  rows: readonly ChangeRow[],
): Promise<readonly StatusRow[]> {
  return await inPool(ctx.jobs, rows, async (row): Promise<StatusRow> => {
    const member = members.find(({ name }) => name === row.name);
    if (row.state !== "merged" || row.number === null || !member?.forge) {
      return { ...row, taken_back: null, taken_back_unread: null };
    }
    try {
      const back = await member.forge.find(revertBranch(id, row.number), member.base);
      const counts = back !== null && back.state !== "closed";
      const taken_back = counts ? { number: back.number, url: back.url, state: back.state } : null;
      return { ...row, taken_back, taken_back_unread: null };
    } catch (thrown) {
      const { message } = toAmofError(thrown, () => ctx.system.ids.hex(8));
      return { ...row, taken_back: null, taken_back_unread: cleanLine(message, 200) };
    }
  });
}

/** A change set as it stands. */
export interface ChangeSetData {
  readonly change_set: {
    readonly ticket_id: string;
    readonly state: SetState;
    readonly order: readonly string[];
    readonly ready: boolean;
    /** Whether a base branch takes them only in a merge queue; false where nobody asked, as nothing can land. */
    readonly queue: boolean;
    /** Whether the ticket is one of this workspace, and has not ended. */
    readonly known: boolean;
  };
  readonly repos: readonly StatusRow[];
  /** The repositories of the ticket that have none, and why. */
  readonly without: readonly Without[];
}

/** A repository without a pull request. */
interface Without {
  readonly name: string;
  readonly reason: string;
  /** How many commits it has for one; null where nobody knows. */
  readonly commits: number | null;
}

/** Why a repository has no pull request. At most one process. */
async function without(
  ctx: CommandContext,
  set: ChangeSet,
  seen: Seen,
): Promise<Without> {
  const { name, member, forge, error } = seen;
  if (error !== null) return { name, reason: error.message, commits: null };
  if (forge === null) return { name, reason: "its remote only takes pushes", commits: null };
  const commits = (await aheadOfBase(ctx, set, seen))?.length ?? null;
  const reason = commits === 0 ? `no commits beyond ${member.base}` : "no pull request";
  return { name, reason, commits };
}

/** Whether what is open goes into a merge queue. A request for each, and no failure where its forge does not say. */
async function hasQueue(ctx: CommandContext, seen: readonly Seen[]): Promise<boolean> {
  const open = seen.filter(({ change }) => change?.state === "open");
  const queues = await inPool(ctx.jobs, open, async ({ forge, member }) => {
    try {
      return await forge?.queues(member.base) ?? false;
    } catch (thrown) {
      if (ctx.signal.aborted) throw thrown;
      return false;
    }
  });
  return queues.includes(true);
}

/** Fails where a set cannot be landed, and has not been. */
function checked(state: SetState, rows: readonly ChangeRow[]): { readonly failure?: AmofError } {
  if (state === "ready" || state === "landed") return {};
  const blocked = rows.filter((row) => row.state !== "merged" && !isReady(row)).map((row) =>
    `${row.name} (${
      row.state === "closed" ? "closed" : row.blocked_by.map(blockerWords).join(", ")
    })`
  );
  return {
    failure: new AmofError(
      "check_failed",
      blocked.length === 0
        ? `The pull requests are ${state.replaceAll("_", " ")}`
        : `Blocked: ${few(blocked, 3)}`,
      { hint: "See them: the same command without --check" },
    ),
  };
}

/** What is said of a set that is taken back. */
function takenBackWords(rows: readonly StatusRow[]): string {
  const backs = rows.flatMap(({ taken_back: back }) => back === null ? [] : [back]);
  if (backs.length === 0) return "";
  const isOver = backs.length === rows.filter(({ state }) => state === "merged").length &&
    backs.every(({ state }) => state === "merged");
  return isOver ? ", and was taken back" : `; ${count(backs.length, "repo")} being taken back`;
}

/** What may be done here about what blocks. */
function waysOut(id: string, rows: readonly ChangeRow[]): readonly string[] {
  const has = (blocker: Blocker) => rows.some(({ blocked_by: by }) => by.includes(blocker));
  return [
    ...(has("behind") ? ["Fetch what others have pushed: amof sync"] : []),
    ...(has("draft")
      ? [`Make drafts ready to be reviewed: amof pr update ${id} --ready`]
      : has("not_pushed")
      ? [`Push what is only here: amof pr update ${id}`]
      : []),
    ...(rows.some(({ state }) => state === "closed")
      ? [`Open anew what is closed: amof pr open ${id}`]
      : []),
  ];
}

const SAID: Readonly<Record<SetState, string>> = {
  none: "has no pull requests",
  open: "cannot land yet",
  ready: "is ready to land",
  landing: "waits in a merge queue",
  partly_landed: "has landed in part",
  landed: "has landed",
  closed: "is closed",
};

/** `amof pr status`. */
export const prStatus = query({
  ...CHANGE_SET,
  name: "amof_pr_status",
  path: ["pr", "status"],
  title: "Pull request status",
  summary: "Show the pull requests of a ticket in the order to land: checks, review, what blocks.",
  description:
    "The forges are asked through gh, glab or curl, with the sign-in that those have. The order is that of depends_on in the manifest. A ticket that has ended, or was never here, is looked up by the name that its branches have. With --check the exit code is 3 unless everything is ready or has landed. Titles are texts of others.",
  examples: ["pr status", "pr status PROJ-123 --check", "pr status --watch"],
  fields: [
    "change_set",
    "repos.name",
    "repos.number",
    "repos.state",
    "repos.blocked_by",
    "without",
  ],
  watches: {
    member: "repos",
    isTrouble: (row) => Array.isArray(row["blocked_by"]) && row["blocked_by"].length > 0,
    asksHosts: () => true,
  },
  input: (z) => ({
    ...setInput(z),
    check: z.boolean().default(false).describe("Fail unless it is ready or has landed"),
    ...foldingInput(z),
  }),
  async run(ctx, input) {
    const set = await changeSet(ctx, input);
    const seen = await readPulls(ctx, set);
    const rows = await withReverts(ctx, set, rowsOf(set, seen));
    const state = stateOf(rows);
    const data: ChangeSetData = {
      change_set: {
        ticket_id: set.ticket_id,
        state,
        order: rows.map(({ name }) => name),
        ready: state === "ready",
        queue: /^(?:ready|partly_landed)$/.test(state) && await hasQueue(ctx, seen),
        known: set.known,
      },
      repos: rows,
      without: await inPool(
        ctx.jobs,
        seen.filter(({ change }) => change === null),
        (one) => without(ctx, set, one),
      ),
    };
    const unread = seen.find(({ error }) => error !== null);
    if (unread?.error) {
      const { message, hint } = unread.error;
      return { data, failure: new AmofError("partial_failure", message, { hint }) };
    }
    return { data, ...(input.check ? checked(state, rows) : {}) };
  },
  render(
    { change_set: { ticket_id: id, state, known, queue }, repos, without }: ChangeSetData,
    input,
  ) {
    const blocked = repos.filter((row) => row.state === "open" && !isReady(row));
    return {
      summary: `Ticket ${cleanLine(id, 24)} ${SAID[state]}${queue ? ", by a merge queue" : ""}${
        takenBackWords(repos)
      }${blocked.length === 0 ? "" : `; ${count(blocked.length, "repo")} blocked`}.`,
      details: [
        ...(repos.length === 0 ? [] : changeTable(repos, input)),
        ...repos.flatMap(({ name, taken_back: back, taken_back_unread: unread }) => [
          ...(back === null ? [] : [`${name}  ${back.url}  takes it back (${back.state})`]),
          ...(unread === null
            ? []
            : [`${name}  nobody knows whether it is being taken back: ${unread}`]),
        ]),
        ...foldedRepos(
          without,
          ({ name, reason }) => `${name}  ${cleanLine(reason, 200)}`,
          { all: input.all },
        ),
        ...(known ? waysOut(shellWord(id), repos) : []),
        ...(known && without.some(({ commits }) => (commits ?? 0) > 0)
          ? [`Open them: amof pr open ${shellWord(id)}`]
          : []),
      ],
    };
  },
});
