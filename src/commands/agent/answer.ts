/** What is answered about a program that worked on a ticket (BOX-6). */

import type { ExecuteContext, Rendered, Result } from "../../contract/mod.ts";
import { AmofError, type ProgramExit } from "../../base/error.ts";
import { blocks } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues, table } from "../../base/text/table.ts";
import { count, duration, shellWord } from "../../base/text/words.ts";
import type { AgentArrival } from "./engine/arrive.ts";
import { type AgentRepo, type AgentRow, lookAgain, standOf } from "./look.ts";
import type { ExecRow } from "../exec/invocation/answer.ts";
import { type BoxPlan, type Maker, withBox } from "../../machine/box/mod.ts";
import { Git, REPOSITORY_VARIABLES } from "../../git/mod.ts";
import { defined } from "../../base/object.ts";
import { endRun, RUN_VARIABLE, runMark } from "../../runs/mod.ts";
import { USUAL_VARIABLES } from "../../runs/changing.ts";

// Runs a program in a ticket's workspace and writes down what became of that (BOX-6).

/** Besides the usual variables, those by which a program finds out what its terminal can do and its person likes. */
const TERMINAL_VARIABLES: readonly string[] = [
  "COLORTERM",
  "COLUMNS",
  "EDITOR",
  "FORCE_COLOR",
  "LANGUAGE",
  "LC_CTYPE",
  "LC_MESSAGES",
  "LC_TIME",
  "LINES",
  "NO_COLOR",
  "PAGER",
  "SHELL",
  "TERM",
  "TERM_PROGRAM",
  "TERM_PROGRAM_VERSION",
  "VISUAL",
];

/** What is run where. */
export interface AgentWork {
  readonly argv: readonly string[];
  /** The directory of the ticket, absolute. */
  readonly directory: string;
  readonly repos: readonly AgentRepo[];
  /** Names of variables that are passed on besides the usual ones. */
  readonly env: readonly string[];
  /** What amof says about the ticket. */
  readonly told: Readonly<Record<string, string>>;
  readonly timeLimitS: number | null;
}

/** How it ended. */
interface AgentEnd {
  /** Null where the program could not be started. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly seconds: number;
  readonly repos: readonly AgentRow[];
}

/** How a program is started: in a box, or with all the rights of the person. */
interface Start {
  readonly vector: readonly string[];
  /** What it finds in its environment besides. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** What reads repositories that the program has been at. */
  readonly git: Git;
}

/** How long a program may take to obey when it is to end. */
const GRACE_MS = 3_000;

/** Sends what a program prints to standard error where standard output is for the answer alone. */
const TO_STDERR = ["sh", "-c", 'exec "$@" >&2', "amof"];

async function run(ctx: ExecuteContext, work: AgentWork, way: Start): Promise<AgentEnd> {
  const { system, runId, report } = ctx;
  const { env, clock } = system;
  const before = await standOf(way.git, work.repos);
  const names = [...USUAL_VARIABLES, ...TERMINAL_VARIABLES, ...work.env];
  const passed = Object.fromEntries(names.map((name) => [name, env.get(name)]));
  const ends = new AbortController();
  const limit = work.timeLimitS === null ? null : AbortSignal.timeout(work.timeLimitS * 1_000);
  const over = AbortSignal.any([ctx.signal, ...(limit === null ? [] : [limit])]);
  const end = async () => {
    if (runId !== null) {
      await system.processes.endMarked(runMark(runId), { graceMs: GRACE_MS });
    }
    ends.abort();
  };
  let ended: Promise<void> | null = null;
  const stop = () => void (ended ??= end());
  over.addEventListener("abort", stop, { once: true });
  const begun = clock.now();
  const exitCode = over.aborted ? 130 : await ctx.caller.attach(
    report.print === undefined ? [...TO_STDERR, ...way.vector] : way.vector,
    {
      cwd: work.directory,
      clearEnv: true,
      env: {
        ...defined(passed),
        ...Object.fromEntries(REPOSITORY_VARIABLES.map((name) => [name, null])),
        ...way.variables,
        ...work.told,
        PWD: work.directory,
      },
      signal: ends.signal,
    },
  );
  over.removeEventListener("abort", stop);
  await ended;
  const timedOut = limit?.aborted === true && !ctx.signal.aborted;
  const seconds = Math.round((clock.now() - begun) / 100) / 10;
  if (over.aborted && runId !== null) await endRun(system, runId);
  const repos = await lookAgain(way.git, work.repos, before);
  return { exitCode, timedOut, seconds, repos };
}

/** The marks by which the programs of a run are found again. */
function marksOf({ runId }: ExecuteContext): Readonly<Record<string, string>> {
  return runId === null ? {} : {
    [RUN_VARIABLE]: runId,
  };
}

/** Runs it in a box. */
export async function runBoxed(
  ctx: ExecuteContext,
  work: AgentWork,
  box: { readonly plan: BoxPlan; readonly maker: Exclude<Maker, { readonly kind: "none" }> },
): Promise<AgentEnd> {
  const { system, layout } = ctx;
  const terminal = system.terminal.stdinIsTerminal;
  await ctx.seals.markBoxed(work.directory);
  return await withBox(
    system,
    { ...box, layout },
    ({ vector, variables, inside }) =>
      run(ctx, work, {
        // Only what runs inside is marked: what keeps the box goes when that has gone.
        vector: vector(work.argv, { terminal, variables: marksOf(ctx) }),
        variables,
        // The settings of a clone say what git runs, and the program may have written them.
        git: new Git(inside),
      }),
  );
}

/** Runs it with all the rights of the person. */
export function runUnboxed(ctx: ExecuteContext, work: AgentWork): Promise<AgentEnd> {
  return run(ctx, work, { vector: work.argv, variables: marksOf(ctx), git: ctx.git });
}

/** The answer. */
export interface AgentData {
  readonly ticket_id: string;
  /** Relative to the control repository. */
  readonly directory: string;
  readonly command: readonly string[];
  /** Null where there was none. */
  readonly box:
    /** `node`: what the node of an engine has. */
    | { readonly kind: "bubblewrap" | "seatbelt" | "node"; readonly network: "none" | "full" }
    | null;
  /** Why there was none, or null. */
  readonly unboxed: string | null;
  /** The engine it ran on; null for this machine itself. */
  readonly engine: string | null;
  /** Those of EXEC-6 and, on an engine, of ENGINE-1. */
  readonly outcome: ExecRow["outcome"];
  readonly exit_code: number | null;
  readonly seconds: number;
  /** What it changed here. */
  readonly repos: readonly AgentRow[];
  /** What came home from an engine. */
  readonly arrivals: readonly AgentArrival[];
}

/** What is known before it runs. */
export type AgentPlace = Pick<
  AgentData,
  "ticket_id" | "directory" | "command" | "box" | "unboxed" | "engine"
>;

/** A command line as a person reads it. */
export function lineOfAgent(command: readonly string[]): string {
  return cleanLine(command.map(shellWord).join(" "), 200);
}

/** Puts together how it ended. */
export function concludeAgent(
  place: AgentPlace,
  end: AgentEnd,
  stopped: boolean,
): Result<AgentData> {
  const { exitCode, timedOut, seconds, repos } = end;
  const outcome = timedOut
    ? "timed_out"
    : stopped
    ? "cancelled"
    : exitCode === null
    ? "not_started"
    : exitCode === 0
    ? "ok"
    : "failed";
  const data: AgentData = {
    ...place,
    outcome,
    exit_code: exitCode,
    seconds,
    repos,
    arrivals: [],
  };
  return outcome === "ok" ? { data } : { data, failure: failureOf(place, end, outcome) };
}

/** What is said of a program that did not end well. */
function failureOf(
  { command: [program = ""] }: AgentPlace,
  { exitCode, seconds }: AgentEnd,
  outcome: "timed_out" | "cancelled" | "not_started" | "failed",
): AmofError {
  const what = `"${cleanLine(program, 60)}"`;
  const facts = {
    hint: "See what it left: amof runs summary",
    details: { exit_code: exitCode, seconds },
  };
  switch (outcome) {
    case "timed_out":
      return new AmofError("timeout", `${what} was ended after ${duration(seconds)}`, facts);
    case "cancelled":
      return new AmofError("cancelled", `${what} was stopped`, facts);
    case "not_started":
      return new AmofError(
        "subprocess_failed",
        `Cannot start ${what}: it is not installed, or may not be run`,
        { ...facts, hint: "Name the program by its whole path", exit: 127 as ProgramExit },
      );
    case "failed":
      return new AmofError("subprocess_failed", `${what} ended with exit status ${exitCode}`, {
        ...facts,
        exit: exitCode as ProgramExit,
      });
  }
}

function becameOf({ branch, head, commits, files, problem }: AgentRow): string {
  if (problem !== null) return `cannot be read: ${cleanLine(problem, 200)}`;
  const moved = head.before !== head.after;
  return [
    branch.before === branch.after ? "" : `now on ${cleanLine(branch.after ?? "no branch", 80)}`,
    commits === null || (commits === 0 && moved)
      ? "other commits"
      : commits === 0
      ? ""
      : count(commits, "new commit"),
    files === 0 ? "" : `${count(files, "file")} changed`,
  ].filter((part) => part !== "").join(", ") || "as before";
}

function arrivedText({ state, commits, kept, detail }: AgentArrival): string {
  const what = state === "taken" || state === "kept"
    ? `${count(commits, "commit")} ${state}${kept === null ? "" : ` on ${kept}`}`
    : state.replaceAll("_", " ");
  return detail === "" ? what : `${what}: ${cleanLine(detail, 300)}`;
}

/** Says the answer. */
export function renderAgent(data: AgentData): Rendered {
  if (data.outcome === "not_started") return { summary: `Ran nothing in ${data.ticket_id}.` };
  const program = cleanLine(data.command[0] ?? "", 30);
  const changed = data.engine === null
    ? data.repos.filter((row) => row.touched).length
    : data.arrivals.filter(({ commits }) => commits > 0).length;
  const did = changed === 0
    ? "changed no repository"
    : `changed ${count(changed, "repository", "repositories")}`;
  return {
    summary: `Ended after ${duration(data.seconds)}: ${program} ${did}.`,
    details: blocks(
      keyValues([
        ["Ticket", data.ticket_id],
        ["Engine", data.engine],
        ["Box", data.box === null ? "none" : `${data.box.kind}, network ${data.box.network}`],
      ]),
      rowsOf(data),
    ),
  };
}

function rowsOf({ engine, repos, arrivals }: AgentData): ReturnType<typeof table> | null {
  const rows = engine === null
    ? repos.filter(({ touched }) => touched).map((row) => [row.name, becameOf(row)])
    : arrivals.map((row) => [row.repo, arrivedText(row)]);
  return rows.length === 0 ? null : table(["repo", "what became of it"], rows);
}
