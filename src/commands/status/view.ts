/** How the answer of `amof status` is read. */

import type { Rendered, UnfinishedWork, Wording } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { type Cell, type Column, MANY, table } from "../../base/text/table.ts";
import { failureLines } from "../advice/need_lines.ts";
import { count, few, fixLine, shellWord } from "../../base/text/words.ts";
import { BASE } from "../../contract/input.ts";
import { isSelecting, noneStands, type Selecting } from "../selection/mod.ts";
import { labelOf } from "../selection/areas.ts";
import { unfinishedLine } from "../advice/clone.ts";
import { suspectsText } from "../../workspace/seals/mod.ts";
import { blockerWords } from "../pr/verdict.ts";
import { needLines } from "../advice/needs.ts";
import type { StatusRow } from "./row.ts";

/** A run that has not ended. */
export interface Running {
  readonly run_id: string;
  readonly action: string;
  readonly created_at: string;
}

/** The answer. */
export interface StatusData {
  readonly workspace: {
    readonly ecosystem: string;
    readonly workspace_branch: string | null;
    /** Relative to the control repository, with `/`; null where it is not there. */
    readonly worktree: string | null;
    readonly active_ticket: string | null;
    /** The ticket whose own workspace it is; absent for the base workspace. */
    readonly ticket?: string;
    readonly ticket_count: number;
    /** Whether tickets get workspaces of their own unless they are told otherwise; absent where they do not. */
    readonly per_ticket?: true;
  };
  readonly repos: readonly StatusRow[];
  /** Tickets with workspaces of their own, beside the base workspace; absent when there is none. */
  readonly tickets?: readonly {
    readonly ticket_id: string;
    /** Relative to the control repository, with `/`. */
    readonly workspace: string;
    /** How many repositories it works on. */
    readonly repos: number;
    /** Null where its record cannot be used. */
    readonly phase: string | null;
    /** What is the matter with it, or null. */
    readonly problem: string | null;
  }[];
  /** How many tickets have workspaces of their own, and how many of these somebody should look at; absent for none. */
  readonly tickets_apart?: { readonly count: number; readonly attention: number };
  /** The run that is at work on the ecosystem; absent when there is none. */
  readonly running?: Running;
  /** What the answer cannot know; absent when it knows all. */
  readonly warnings?: readonly string[];
  /** Mutations that were cut off and not settled yet; absent when there is none. */
  readonly unfinished?: readonly UnfinishedWork[];
}

/** What the arguments say about the rendering. */
interface Wish extends Selecting {
  readonly all?: boolean | undefined;
  readonly long?: boolean | undefined;
  readonly pr?: boolean | undefined;
}

/** A longer summary would lose its end (ANSWER-3). */
const LONGEST_SUMMARY = 80;

const ASTRAY = [
  "MISSING",
  "ERROR",
  "WRONG_BRANCH",
  "DETACHED",
  "IN_PROGRESS",
  "SUBMODULE",
  "OTHER_ADDRESS",
  "NO_REMOTE",
  "NO_BASE",
];

/** The counts of what there is to look at, what is worst first; where they are too many, in fewer words. */
function summary(
  { repos, tickets_apart: apart, warnings = [], unfinished = [] }: Pick<
    StatusData,
    "repos" | "tickets_apart" | "warnings" | "unfinished"
  >,
  selected: boolean,
): string {
  const attention = apart?.attention ?? 0;
  const wanting =
    repos.filter(({ needs = [], untrusted }) => needs.length > 0 || untrusted !== undefined).length;
  const syncable = (kinds: readonly string[]) =>
    repos.filter((row) => kinds.includes(forSync(row) ?? "")).length;
  const [news, again] = [syncable(["changed", "no_branch"]), syncable(["unknown"])];
  // What names a way to mend something asks for it, so not all of it is in order.
  const asking = unfinished.length +
    warnings.filter((warning) => warning.includes("\n    fix: ")).length;
  const fine = attention > 0
    ? `OK here, ${count(attention, "other workspace")} to look at`
    : wanting > 0
    ? `${wanting} to look at`
    : news + again > 0
    ? ""
    : asking > 0
    ? `OK, with ${count(asking, "warning")}`
    : "all OK";
  const tokens = repos.map(({ status }) => status.split("+"));
  const unasked = repos.filter(({ remote_error: why }) => why !== undefined).length;
  const pinned = repos.filter(({ pinned }) => pinned).length;
  const silent = [
    ...(pinned === 0 ? [] : [`${pinned} at the lock`]),
    ...(news === 0 ? [] : [`${news} with news at ${news === 1 ? "its remote" : "their remotes"}`]),
    ...(unasked === 0 ? [] : [`${unasked} unreachable`]),
    ...(again === 0 ? [] : [`${again} to fetch again`]),
  ];
  const counted = (parts: readonly (readonly [what: string, ...tokens: string[]])[]) => {
    const found = parts.map(([what, ...wanted]) => ({
      what,
      found: tokens.filter((own) => wanted.some((token) => own.includes(token))).length,
    })).filter(({ found }) => found > 0);
    const said = found.map(({ what, found }) => `${found} ${what}`);
    const first = said.length > 0 ? said : fine === "" ? [] : [fine];
    return [...first, ...silent].join(", ");
  };
  const rest = [
    ["dirty", "DIRTY"],
    ["unpushed", "UNPUSHED"],
    ["merged", "MERGED"],
    ["diverged", "DIVERGED"],
    ["behind", "BEHIND"],
  ] as const;
  const whole = counted([["to look at", ...ASTRAY], ["in conflict", "CONFLICT"], ...rest]);
  const short = counted([["to look at", ...ASTRAY, "CONFLICT"], ...rest]);
  const checked = `Checked ${count(repos.length, selected ? "selected repo" : "repo")}`;
  const lines = [`${checked}: ${whole}.`, `${checked}: ${short}.`];
  return lines.find((line) => line.length <= LONGEST_SUMMARY) ??
    `Checked ${repos.length}: ${short}.`;
}

/** When was fetched what is known of the remotes, the oldest; nothing where nothing tells. */
function oldestFetch(repos: readonly StatusRow[], say: Wording): string[] {
  const known = repos.some((row) => forSync(row) === "unknown") ? "known " : "";
  const dates = repos.flatMap(({ fetched_at: at }) => at ?? []).sort();
  return dates.slice(0, 1).map((at) => `oldest ${known}fetch ${say.time(at)}`);
}

/** What is between a repository and its remote, and what lies in it. */
function syncColumn(row: StatusRow): string {
  return [
    ...(row.ahead ? [`↑${row.ahead}`] : []),
    ...(row.behind ? [`↓${row.behind}`] : []),
    ...(row.changed_files > 0 ? [`±${row.changed_files}`] : []),
    ...(row.conflicts > 0 ? [count(row.conflicts, "conflict")] : []),
    ...(row.stashes > 0 ? [`${row.stashes} stashed`] : []),
    ...(row.remote === undefined || row.remote === "current"
      ? []
      : [`remote ${row.remote.replace("_", " ")}`]),
  ].join(" ");
}

const COLUMNS = ["repo", "branch", "commit", "mode", "status", "sync"];
const LONG_COLUMNS: readonly Column[] = [
  { name: "fetched", worth: 1 },
  { name: "age", worth: 2, whole: true },
  { name: "last commit", worth: 4 },
];

/** A branch or a commit as a cell; one that is not there is a dash of data, which a table has another for. */
const ifAny = (name: string) => name === "-" ? null : cleanLine(name);

/** The pull request of a branch: `#12 open`, with what blocks it. */
function pullRequestCell({ pull_request: found, pull_request_error: error }: StatusRow): Cell {
  if (error !== undefined) return "cannot be asked";
  if (found === undefined || found === null) return null;
  const { number, state, draft, blocked_by } = found;
  const blocked = blocked_by.map(blockerWords).filter((word) => word !== "draft").join(", ");
  return `#${number} ${state === "open" && draft ? "draft" : state}${
    blocked === "" ? "" : `: ${blocked}`
  }`;
}

function cells(
  row: StatusRow,
  { long, pr }: { readonly long: boolean; readonly pr: boolean },
  say: Wording,
): Cell[] {
  const usual = [
    ...(row.ticket === undefined ? [] : [row.ticket ?? BASE]),
    row.name,
    ifAny(row.branch),
    ifAny(row.commit),
    row.mode,
    row.status + (row.in_progress === null ? "" : ` (${row.in_progress})`),
    syncColumn(row),
    ...(pr ? [pullRequestCell(row)] : []),
  ];
  if (!long) return usual;
  const last = row.last_commit ?? null;
  return [
    ...usual,
    row.fetched_at === null ? null : say.time(row.fetched_at),
    last === null ? null : say.time(last.committed_at),
    last === null ? null : cleanLine(last.subject, 100),
  ];
}

/** Whether nobody needs to look at a repository. */
export function isFine(row: StatusRow | undefined): boolean {
  return row !== undefined && ["OK", "PINNED"].includes(row.status) && row.in_progress === null &&
    row.stashes === 0 && row.untrusted === undefined && (row.remote ?? "current") === "current";
}

/** What a row has no room for. */
function notes(row: StatusRow): string[] {
  const name = labelOf(row, row.name);
  return [
    ...(row.untrusted === undefined ? [] : [
      `⚠ ${name}: ${
        suspectsText(row.untrusted)
      }. It is read without that, and nothing runs that would go by it, until a person has looked: amof repo trust ${
        row.ticket ? `--ticket ${row.ticket} ` : ""
      }${row.name}`,
    ]),
    ...(row.pull_request_error === undefined ? [] : [`✗ ${name}: ${row.pull_request_error}`]),
  ];
}

/** Which remotes could not be asked, those for the same reason once. */
function unreachedLines(rows: readonly StatusRow[]): string[] {
  const unreached = rows.flatMap(({ remote_error: why, ...row }) =>
    why === undefined ? [] : [{ label: labelOf(row, row.name), why, name: row.name }]
  );
  return [...Map.groupBy(unreached, ({ why, name }) => why.replaceAll(name, ""))].flatMap((
    [, of],
  ) =>
    of.slice(0, 1).map(({ why }) =>
      `✗ ${few(of.map(({ label }) => label), 3)}: remote unreachable: ${why}`
    )
  );
}

/**
 * What a sync would bring of what the remote reported. A sync goes by `origin` and base branches, and knows
 * what was fetched. `unknown` where nobody asked and the last fetch brought nothing.
 */
function forSync(
  { branch, base_branch, upstream, remote, ahead, pinned, fetched_nothing: nothing }: StatusRow,
): StatusRow["remote"] | "unknown" {
  if (pinned) return undefined;
  if (remote === undefined) return nothing === true ? "unknown" : undefined;
  const isAsked = upstream === null || upstream.startsWith("origin/") || branch === base_branch;
  return isAsked && (remote !== "no_branch" || ahead !== null) ? remote : undefined;
}

/** What remotes have and was not fetched, or have no more, or nobody knows of; what brings it is said once. */
function newsLines(
  rows: readonly StatusRow[],
  workspace: StatusData["workspace"],
  isWhole: boolean,
): string[] {
  const told = (what: ReturnType<typeof forSync>, problem: string) => {
    const found = rows.filter((row) => forSync(row) === what);
    return [...Map.groupBy(found, ({ ticket }) => ticket ?? workspace.ticket)].map(([id, some]) => {
      const names = isWhole && some.length > MANY
        ? ""
        : ` --repo ${some.map(({ name }) => name).join(",")}`;
      const fix = `amof sync${names}${id === undefined ? "" : ` --ticket ${shellWord(id)}`}`;
      return `⚠ ${few(some.map((row) => labelOf(row, row.name)), 3)}: ${problem}${fixLine(fix)}`;
    });
  };
  return [
    ...told("changed", "the remote has commits that were not fetched"),
    ...told("no_branch", "the remote has the branch no more"),
    ...told("unknown", "the last fetch failed, or brought nothing yet"),
  ];
}

/** The rows with those of the active ticket first: what it waits for is not to be among what is left out. */
function ofTicketFirst(
  rows: readonly StatusRow[],
  { active_ticket: active }: StatusData["workspace"],
): readonly StatusRow[] {
  const isOther = (row: StatusRow) => active === null || row.expected_branch === row.base_branch;
  return [...rows.filter((row) => !isOther(row)), ...rows.filter(isOther)];
}

/** Which branches of tickets are behind their base branches: no fault of theirs, and what brings it in. */
function lateLines(rows: readonly StatusRow[], workspace: StatusData["workspace"]): string[] {
  const late = rows.filter(({ behind_base: behind }) => behind !== undefined);
  return [...Map.groupBy(late, ({ ticket }) => ticket ?? workspace.ticket ?? null)].map((
    [id, some],
  ) => {
    const [first] = some;
    const what = some.length === 1
      ? `${count(first?.behind_base ?? 0, "commit")} behind its base branch`
      : "behind their base branches";
    const words = [
      ...(id === null ? [] : [shellWord(id)]),
      ...(some.some(({ dirty }) => dirty) ? ["--stash"] : []),
    ];
    return `${few(some.map((row) => labelOf(row, row.name)), 3)}: ${what}: ${
      ["amof ticket update", ...words].join(" ")
    }`;
  });
}

/** Which changes are put away for other tickets, and what brings each ticket's back. */
function putAwayLines(rows: readonly StatusRow[]): string[] {
  const away = rows.flatMap((row) =>
    (row.put_away ?? []).map((id) => ({ id, label: labelOf(row, row.name) }))
  );
  const aside = rows.some(({ dirty, mode }) => dirty && mode === "RW") ? " --stash" : "";
  return [...Map.groupBy(away, ({ id }) => id)].map(([id, some]) =>
    `Put away for ${cleanLine(id, 60)} in ${
      few(some.map(({ label }) => label), 3)
    }: amof ticket switch ${shellWord(id)}${aside}`
  );
}

/** Of so many repositories it is said what they need, unless all are asked for. */
const MOST_NEEDS = 8;
/** Of a ticket in so many repositories each is shown, however well it is: it is what somebody works on. */
const MOST_SHOWN = 10;
/** How many tickets with workspaces of their own are named one by one. */
const NAMED_TICKETS = 10;

/** The tickets with workspaces of their own: how many, then each, those that somebody should look at first. */
function ticketLines({ tickets = [], tickets_apart: apart }: StatusData): string[] {
  if (apart === undefined) return [];
  const { count: all, attention } = apart;
  const more = all - NAMED_TICKETS;
  const needs = attention === 1 ? "needs" : "need";
  // Of what is not finished in one the list says nothing; its own line says where to look.
  const isListed = tickets.some(({ problem }) => problem?.includes(": amof ") === false);
  const first = [
    `${count(all, "ticket")} in ${
      all === 1 ? "a workspace of its own" : "workspaces of their own"
    }`,
    ...(attention === 0 ? [] : [
      `${attention} ${needs} attention${isListed ? ": amof ticket list" : ""}`,
    ]),
  ].join(", ");
  const sorted = tickets.toSorted((a, b) =>
    Number(a.problem === null) - Number(b.problem === null)
  );
  return [
    attention === 0 ? first : `⚠ ${first}`,
    ...sorted.slice(0, NAMED_TICKETS).map(({ ticket_id: id, workspace, repos, phase, problem }) =>
      problem === null
        ? `Ticket ${id} · ${workspace} · ${count(repos, "repo")} · ${phase ?? ""}`
        : `⚠ Ticket ${id} · ${workspace} · ${cleanLine(problem, 200)}`
    ),
    ...(more > 0 ? [`${count(more, "more ticket")}: amof ticket list`] : []),
  ];
}

/** The answer for readers. */
export function renderStatus(data: StatusData, wish: Wish, say: Wording): Rendered {
  const { workspace, repos, running } = data;
  const [long, pr] = [wish.long === true, wish.pr === true];
  const none = repos.length === 0 ? noneStands(wish) : null;
  const isWhole = !isSelecting(wish);
  // What a run works on is not as it will be: a fix would come between.
  const advised = running === undefined ? repos : [];
  const header = [
    ...(workspace.worktree === null ? [] : [`Workspace ${workspace.worktree}`]),
    ...(workspace.ticket !== undefined ? [`ticket ${workspace.ticket}`] : [
      workspace.active_ticket === null ? "no active ticket" : `ticket ${workspace.active_ticket}`,
      ...(workspace.ticket_count === 0 ? [] : [count(workspace.ticket_count, "ticket")]),
    ]),
    ...oldestFetch(repos, say),
  ].join(" · ");
  const ofTicket = repos.filter(({ expected_branch: to, base_branch: base }) => to !== base);
  const its = new Set<StatusRow | undefined>(ofTicket.length > MOST_SHOWN ? [] : ofTicket);
  const shown = table(
    [
      ...(repos.some(({ ticket }) => ticket !== undefined) ? ["ticket"] : []),
      ...COLUMNS,
      ...(pr ? ["pr"] : []),
      ...(long ? LONG_COLUMNS : []),
    ],
    repos.map((row) => cells(row, { long, pr }, say)),
  );
  return {
    summary: none ?? summary(data, isSelecting(wish)),
    details: [
      header,
      ...ticketLines(data),
      ...(running === undefined ? [] : [
        `Running: ${running.action} (run ${running.run_id.slice(0, 8)}), since ${
          say.time(running.created_at)
        }`,
      ]),
      ...(data.warnings ?? []).map((warning) => `⚠ ${warning}`),
      ...(data.unfinished ?? []).map(unfinishedLine),
      ...(none !== null ? [] : [
        "",
        repos.length === 0
          ? "No repositories. Add some to ecosystem.yaml."
          : wish.all
          ? shown
          : shown.folding(
            (index) => isFine(repos[index]) && !its.has(repos[index]),
            (index) => repos[index]?.status ?? "",
          ),
      ]),
      ...needLines(
        ofTicketFirst(advised, workspace).map((row) => ({
          name: row.name,
          label: labelOf(row, row.name),
          needs: row.needs ?? [],
          ticket: row.ticket ?? workspace.ticket,
          ahead: row.ahead,
          behind: row.behind,
          pinned: row.pinned,
          dirty: row.dirty,
        })),
        { most: wish.all ? repos.length : MOST_NEEDS, isWhole },
      ),
      ...newsLines(advised, workspace, isWhole),
      ...lateLines(advised, workspace),
      ...putAwayLines(advised),
      ...failureLines(
        repos.flatMap(({ error, ...row }) =>
          error === null ? [] : [{
            name: row.name,
            label: labelOf(row, row.name),
            problem: error.message,
            fix: error.hint,
          }]
        ),
        wish.all === true,
      ),
      ...repos.flatMap(notes),
      ...unreachedLines(repos),
    ],
  };
}
