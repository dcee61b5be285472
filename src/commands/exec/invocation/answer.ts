/** What is answered about programs that ran in repositories (EXEC-6). */

import type { ExecuteContext, Rendered, Result } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { blocks } from "../../../base/text/parts.ts";
import { table } from "../../../base/text/table.ts";
import { count, duration, few, list, shellWord } from "../../../base/text/words.ts";
import { defined } from "../../../base/object.ts";
import { type Elsewhere, placeLabel } from "./facts.ts";
import { retryLine } from "./retry.ts";
import { type Invocation, shownLine } from "../../../workspace/programs/mod.ts";
import type { ProcessResult } from "../../../base/system/mod.ts";
import type { OfTicket } from "../../selection/areas.ts";
import type { Trouble } from "./output.ts";
import type { NotBegun } from "./schedule.ts";

// How an invocation ended in one repository: the row that is kept of it, and how people are told (EXEC-6).

/**
 * How it can end on an engine besides: the shard did not act, the remote could not be reached or took no more requests
 * for now, the engine ended the shard or lost it; `unknown` where nobody can tell.
 */
type EngineOutcome =
  | "refused"
  | "unreachable"
  | "deferred"
  | "out_of_memory"
  | "evicted"
  | "node_lost"
  | "unknown";

/** How an invocation ended in one repository. */
export interface ExecRow extends OfTicket {
  readonly name: string;
  readonly outcome:
    | "ok"
    | "failed"
    | "timed_out"
    | "cancelled"
    | "not_started"
    | EngineOutcome;
  /** Null where it was not started, or had no chance to say one. */
  readonly exit_code: number | null;
  /** The signal that ended it, or null. */
  readonly signal: string | null;
  readonly seconds: number;
  /** From 1; null where order does not matter. */
  readonly layer: number | null;
  /** Why it could not be started at all, or null. */
  readonly start_error: ProcessResult["startError"];
  /** Its last line that is not blank, or why it could not be started. */
  readonly last_line: string | null;
  /** Its last lines; empty when it ended well. */
  readonly tail: readonly string[];
  /** Why it was not started, or null. */
  readonly because:
    | {
      readonly reason: NotBegun["reason"] | "not_cloned" | "time" | "shard" | "engine";
      readonly repo: string | null;
    }
    | Elsewhere
    | null;
}

const ENGINE_WORDS = {
  out_of_memory: "ended for want of memory",
  evicted: "evicted from its node",
  node_lost: "its node failed",
  unknown: "its end is not known",
} as const;

/** How it ended, for people: `exit status 2`. */
function resultText(row: ExecRow): string {
  switch (row.outcome) {
    case "ok":
      return "ok";
    case "timed_out":
      return "timed out";
    case "cancelled":
      return "cancelled";
    case "failed":
      if (row.start_error !== null) return "could not be started";
      return row.signal === null ? `exit status ${row.exit_code}` : `ended by ${row.signal}`;
    case "refused":
    case "unreachable":
    case "deferred":
      return `${row.outcome}: ${row.last_line ?? "it was not said why"}`;
    case "out_of_memory":
    case "evicted":
    case "node_lost":
    case "unknown":
      return ENGINE_WORDS[row.outcome];
    case "not_started":
      return `not started: ${becauseText(row.because)}${
        row.last_line === null ? "" : `: ${row.last_line}`
      }`;
  }
}

/** How it ended and how long it took: `exit status 2, 12.4s`; null where it ended well. */
export function noteOf(row: ExecRow): string | null {
  if (row.outcome === "ok") return null;
  const result = resultText(row);
  const began = row.outcome !== "not_started" && row.start_error === null;
  return !began ? result : `${result}, ${duration(row.seconds)}`;
}

/** How it ended, for whoever reads along; null where it ended well. */
export function troubleOf(row: ExecRow): Trouble | null {
  const note = noteOf(row);
  if (note === null) return null;
  return { how: resultText(row), note, why: row.start_error === null ? null : row.last_line };
}

function becauseText(because: ExecRow["because"]): string {
  switch (because?.reason) {
    case "not_cloned":
      return "it is not cloned";
    case "needs":
      return `it needs ${because.repo}`;
    case "failed":
      return `${because.repo} failed`;
    case "busy":
      return because.run === undefined
        ? "another run works there"
        : `run ${because.run.slice(0, 8)} works there`;
    case "begun":
      return "its ticket was started meanwhile";
    case "time":
      return "the time of its shard was over";
    case "shard":
      return "its shard ended before";
    case "engine":
      return "the engine can never start it";
    default:
      return "the run was ended";
  }
}

/** The answer: one row per repository, in the order in which they were to be worked on. */
export interface ExecData {
  readonly outcome: "success" | "partial" | "failed" | "timed_out" | "cancelled" | "nothing";
  readonly task: string | null;
  readonly argv: readonly string[] | null;
  readonly shell: string | null;
  /** The engine it was done on, by its name; null where it was done in a workspace. */
  readonly engine: string | null;
  readonly repos: readonly ExecRow[];
  /** The command that repeats it where it did not end well; null where it did. */
  readonly retry: string | null;
}

function outcomeOf(rows: readonly ExecRow[], cancelled: boolean): ExecData["outcome"] {
  const good = rows.filter(({ outcome }) => outcome === "ok");
  if (rows.length === 0) return "nothing";
  if (good.length === rows.length) return "success";
  if (cancelled) return "cancelled";
  if (good.length > 0) return "partial";
  return rows.some(({ outcome }) => outcome === "timed_out") ? "timed_out" : "failed";
}

/** How many repositories, or ways to end, are told of in an error. */
const MOST_NAMED = 4;

/**
 * Where it did not end well, each with how: `api (exit status 2, 1.2s) and web (…)`; of many, how those ended that are
 * named together: `api, web, core and 57 more (exit status 1)`.
 */
function troubles(bad: readonly ExecRow[]): string {
  // Programs that were not started follow from the failures, which come first.
  const ordered = bad.toSorted((a, b) =>
    Number(a.outcome === "not_started") - Number(b.outcome === "not_started")
  );
  if (ordered.length <= MOST_NAMED + 1) {
    return list(ordered.map((row) => `${placeLabel(row)} (${noteOf(row)})`));
  }
  const alike = [...Map.groupBy(ordered, resultText)];
  const told = alike.slice(0, MOST_NAMED).map(([how, rows]) =>
    `${few(rows.map(placeLabel), MOST_NAMED - 1)} (${how})`
  );
  const rest = alike.slice(MOST_NAMED).flatMap(([, rows]) => rows).length;
  return [...told, ...(rest === 0 ? [] : [`${rest} more ended otherwise`])].join("; ");
}

/** How many rows that follow from the failure of another are shown one by one. */
const MOST_HELD = 5;

/** Whether it was not begun only because another failed. */
function isHeld({ outcome, because }: ExecRow): boolean {
  return outcome === "not_started" &&
    (because?.reason === "failed" || because?.reason === "needs");
}

function message(invocation: Invocation, data: ExecData): string {
  const bad = data.repos.filter(({ outcome }) => outcome !== "ok");
  const what = data.task === null ? `"${shownLine(invocation)}"` : `Task "${data.task}"`;
  const [first] = bad;
  if (
    first !== undefined &&
    bad.every((row) => row.last_line === first.last_line && row.start_error !== null)
  ) {
    return `Cannot run ${what} in ${count(bad.length, "repo")}: ${first.last_line}`;
  }
  const held = bad.filter(isHeld);
  const told = held.length > MOST_HELD ? bad.filter((row) => !isHeld(row)) : bad;
  const rest = `did not succeed in ${told.length} of ${count(data.repos.length, "repo")}: ${
    troubles(told)
  }${told.length < bad.length ? `; ${held.length} more were not started` : ""}`;
  return data.outcome === "cancelled" ? `${what} was stopped; it ${rest}` : `${what} ${rest}`;
}

/**
 * What helps where the program could be started nowhere, so that it has said nothing, and repeating alone helps nobody;
 * null where that is not so.
 */
function unstartedHint(
  { repos, task, argv, retry }: ExecData,
  ticket: string | null,
): string | null {
  const begun = repos.filter(({ outcome }) => outcome !== "not_started");
  const all = (error: ExecRow["start_error"]) =>
    begun.length > 0 && begun.every((row) => row.start_error === error);
  if (all("not_found")) {
    return task === null
      ? "Install the program, or name one that is there"
      : `Install what it runs, or correct the task "${cleanLine(task, 60)}" in the manifest`;
  }
  const [program] = argv ?? [];
  const isNear = begun.every((row) => row.ticket === undefined);
  if (!all("not_allowed") || program === undefined || !isNear || retry === null) return null;
  const where = `${ticket === null ? "" : ` --ticket ${ticket}`} --repo ${
    begun.map(({ name }) => name).join(",")
  }`;
  return `Make it executable: amof exec${where} -- chmod +x ${
    shellWord(program)
  }\nThen repeat it: ${retry}`;
}

const CODES = {
  partial: "partial_failure",
  failed: "subprocess_failed",
  timed_out: "timeout",
  cancelled: "cancelled",
} as const;

/** Puts together how the whole ended. */
export function concludeExec(
  ctx: Pick<ExecuteContext, "runId" | "signal" | "ticket">,
  invocation: Invocation,
  rows: readonly ExecRow[],
): Result<ExecData> {
  const outcome = outcomeOf(rows, ctx.signal.aborted);
  const { runId, ticket } = ctx;
  const isAll = rows.some((row) => row.ticket !== undefined);
  const whole = outcome === "success" || outcome === "nothing";
  const data: ExecData = {
    outcome,
    task: invocation.task,
    argv: invocation.argv,
    shell: invocation.shell,
    engine: invocation.engine,
    repos: rows,
    retry: whole || runId === null ? null : retryLine({ runId, ticket, isAll }),
  };
  if (outcome === "success" || outcome === "nothing") return { data };
  const bad = rows.filter((row) => row.outcome !== "ok");
  return {
    data,
    failure: new AmofError(CODES[outcome], message(invocation, data), {
      hint: unstartedHint(data, ticket) ??
        (data.retry === null
          ? "List the runs: amof runs list --action exec"
          : `Repeat it only there: ${data.retry}\nRead its last 1000 lines: amof runs logs ${
            runId?.slice(0, 8)
          } --tail 1000`),
      details: {
        repos: bad.map(({ ticket, name, outcome, exit_code, signal, last_line, because }) => ({
          ...defined({ ticket }),
          name,
          outcome,
          exit_code,
          signal,
          last_line,
          because,
        })),
      },
    }),
  };
}

/** How many rows a person is shown. */
const MOST_SHOWN = 100;

/** What is not shown row by row: `… and 2900 more: 2850 failed, 50 deferred`; null for nothing. */
function restText(rows: readonly ExecRow[]): string | null {
  if (rows.length === 0) return null;
  const kinds = [...Map.groupBy(rows, ({ outcome }) => outcome.replaceAll("_", " "))]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([outcome, of]) => `${of.length} ${outcome}`);
  return `… and ${rows.length} more: ${kinds.join(", ")}`;
}

/** Many rows that follow from the failure of others, in a line for each reason, the most first; null for none. */
function heldText(rows: readonly ExecRow[]): string | null {
  const lines = [...Map.groupBy(rows, resultText)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([result, of]) => `${of.length} ${result}`);
  return lines.length === 0 ? null : few(lines, 5);
}

/**
 * Says the answer, with rows of all repositories, problems first, of those with problems, or of none, where each was
 * shown with its output.
 */
export function renderExec(
  data: ExecData,
  invocation: Invocation,
  told: "all" | "problems" | "nothing",
): Rendered {
  const bad = data.repos.filter(({ outcome }) => outcome !== "ok");
  const held = bad.filter(isHeld).length > MOST_HELD ? bad.filter(isHeld) : [];
  const what = data.task === null ? shownLine(invocation) : `task ${data.task}`;
  if (data.repos.length === 0) {
    return { summary: `Ran nothing: "${cleanLine(what, 40)}" was begun in no repository.` };
  }
  const good = data.repos.length - bad.length;
  const shown = held.length === 0 ? bad : bad.filter((row) => !isHeld(row));
  const rows = told === "nothing"
    ? []
    : told === "all"
    ? [...shown, ...data.repos.filter(({ outcome }) => outcome === "ok")]
    : shown;
  return {
    summary: bad.length === 0
      ? `Ran ${cleanLine(what, 40)} in ${count(good, "repo")}.`
      : good === 0
      ? `Failed to run ${cleanLine(what, 30)} in ${count(data.repos.length, "repo")}.`
      : `Ran ${cleanLine(what, 30)} in ${good} of ${count(data.repos.length, "repo")}.`,
    details: rows.length === 0 ? "" : blocks(
      table(
        ["repo", "result", "time", "last line"],
        rows.slice(0, MOST_SHOWN).map((row) => [
          `${row.outcome === "ok" ? "" : "✗ "}${placeLabel(row)}`,
          resultText(row),
          row.outcome === "not_started" ? "" : duration(row.seconds),
          cleanLine(row.last_line ?? "", 100),
        ]),
      ),
      restText(rows.slice(MOST_SHOWN)),
      heldText(held),
    ),
  };
}
