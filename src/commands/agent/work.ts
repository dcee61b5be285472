/** Runs a program in a ticket's workspace and writes down what became of that (BOX-6). */

import { type BoxPlan, type Maker, withBox } from "../../machine/box/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { Git, REPOSITORY_VARIABLES } from "../../git/mod.ts";
import { defined } from "../../base/object.ts";
import { endRun, RUN_VARIABLE, runMark } from "../../runs/mod.ts";
import { USUAL_VARIABLES } from "../../runs/changing.ts";
import { type AgentRepo, type AgentRow, lookAgain, standOf } from "./look.ts";

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
export interface AgentEnd {
  /** Null where the program could not be started. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly seconds: number;
  readonly repos: readonly AgentRow[];
}

/** How a program is started: in a box, or with all the rights of the person. */
interface Way {
  readonly vector: readonly string[];
  /** What it finds in its environment besides. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** What reads repositories that the program has been at. */
  readonly git: Git;
}

/** How long a program may take to obey when it is to end. */
const GRACE_MS = 3_000;

/** Sends what a program prints to standard error where standard output is for the answer alone. */
const ASIDE = ["sh", "-c", 'exec "$@" >&2', "amof"];

async function run(ctx: ExecuteContext, work: AgentWork, way: Way): Promise<AgentEnd> {
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
  const exitCode = over.aborted ? 130 : await ctx.attach(
    report.print === undefined ? [...ASIDE, ...way.vector] : way.vector,
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
