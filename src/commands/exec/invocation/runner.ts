/** Runs an invocation in repositories, each when its turn has come (EXEC-2). */

import type { ExecuteContext } from "../../../contract/mod.ts";
import { endPart, endRun } from "../../../runs/mod.ts";
import {
  environmentIn,
  type Invocation,
  shownLine,
  startCode,
  vectorOf,
} from "../../../workspace/programs/mod.ts";
import type { Manifest } from "../../../workspace/manifest/mod.ts";
import { requireTicketWorkspace, scopeManifest } from "../../../workspace/tickets/mod.ts";
import type { OfTicket } from "../../selection/areas.ts";
import { ticketVariables } from "../../../workspace/tickets/changing.ts";
import { needsWithin } from "../../look/layers.ts";
import { Display, type OutputForm } from "./output.ts";
import { type ExecRow, noteOf, troubleOf } from "./answer.ts";
import { inOrder } from "./schedule.ts";
import { type ExecFacts, type ExecPlace, placeLabel } from "./facts.ts";
import { stripUnsafe } from "../../../base/text/sanitize.ts";
import type { ProcessResult } from "../../../base/system/mod.ts";
import { maskSecrets } from "../../../base/text/mask.ts";

/** How long a program may take to obey (EXEC-8); shorter than whoever cancels the run waits for its worker. */
const GRACE_MS = 3_000;
/** How many lines of all repositories together go into the log, and how many of each in any case. */
const MOST_LINES = 100_000;
const LEAST_LINES = 1_000;

/** A workspace in which programs run. */
interface ProgramPlace {
  readonly manifest: Manifest;
  /** What programs are told of the ticket they run in; nothing in the base workspace. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What runs in one repository needs besides the repository. */
interface Work {
  readonly ctx: ExecuteContext;
  readonly invocation: Invocation;
  readonly facts: ExecFacts;
  readonly display: Display;
  /** How many lines of each repository go into the log. */
  readonly lines: number;
}

/** What programs need of one workspace. */
async function programPlace(ctx: ExecuteContext, ticket: string | null): Promise<ProgramPlace> {
  const { system, root, ecosystem } = ctx;
  const manifest = await scopeManifest({ ...ctx, ticket });
  if (ticket === null) return { manifest, variables: {} };
  const found = await requireTicketWorkspace(system, root, manifest, ticket);
  return { manifest, variables: ticketVariables({ root, ecosystem, ...found }) };
}

/** The places of a run by their labels, each with its workspace. */
async function groundsOf(
  ctx: ExecuteContext,
  places: readonly ExecPlace[],
): Promise<ReadonlyMap<string, { readonly place: ExecPlace; readonly ground: ProgramPlace }>> {
  const ticketOf = ({ ticket = ctx.ticket }: ExecPlace) => ticket;
  const grounds = new Map<string | null, ProgramPlace>();
  for (const ticket of new Set(places.map(ticketOf))) {
    grounds.set(ticket, await programPlace(ctx, ticket));
  }
  return new Map(places.flatMap((place) => {
    const ground = grounds.get(ticketOf(place));
    return ground === undefined ? [] : [[placeLabel(place), { place, ground }]];
  }));
}

/** How many last lines are kept of a program that did not end well. */
const TAIL_LINES = 10;

const TAIL_LINE_LENGTH = 300;

/** The last lines of a program. */
class Tail {
  readonly lines: string[] = [];

  /** Takes a line; blank ones are left out. */
  add(line: string): void {
    if (line.trim() === "") return;
    // Enough that no secret is cut in two before it can be told as one.
    this.lines.push(line.slice(0, 8 * TAIL_LINE_LENGTH));
    if (this.lines.length > TAIL_LINES) this.lines.shift();
  }

  /** As they may be kept: without secrets, and without what a terminal would obey. */
  get clean(): string[] {
    return this.lines.map((line) => maskSecrets(stripUnsafe(line)).slice(0, TAIL_LINE_LENGTH));
  }
}

function whyNotStarted(program: string, { startError }: ProcessResult): string {
  switch (startError) {
    case "not_found":
      return /[\\/]/.test(program)
        ? `${program} is not there`
        : `${program} is not installed, or not on PATH`;
    case "not_allowed":
      return `${program} may not be run: it is not executable`;
    case "bad_directory":
      return "The directory of the repository is gone";
    default:
      return `${program} could not be started`;
  }
}

function ofTicket({ ticket }: ExecPlace): OfTicket {
  return ticket === undefined ? {} : { ticket };
}

/** How a program ended in its place, as a row; `tail` holds its last lines. */
function execRow(
  place: ExecPlace,
  program: string,
  result: ProcessResult,
  tail: Tail,
): ExecRow {
  const outcome = result.cancelled
    ? "cancelled"
    : result.timedOut
    ? "timed_out"
    : result.startError === null && result.exitCode === 0
    ? "ok"
    : "failed";
  const why = result.startError === null ? null : whyNotStarted(program, result);
  const lines = why === null ? tail.clean : [why];
  return {
    ...ofTicket(place),
    name: place.name,
    outcome,
    exit_code: result.startError === null
      ? result.signal === null ? result.exitCode : null
      : startCode(result),
    signal: result.signal,
    seconds: Math.round(result.durationMs / 100) / 10,
    layer: place.layer,
    start_error: result.startError,
    last_line: lines.at(-1) ?? null,
    tail: outcome === "ok" ? [] : lines,
    because: null,
  };
}

/** The row of a place in which nothing was started, and why. */
function notStarted(place: ExecPlace, because: NonNullable<ExecRow["because"]>): ExecRow {
  return {
    ...ofTicket(place),
    name: place.name,
    outcome: "not_started",
    exit_code: null,
    signal: null,
    seconds: 0,
    layer: place.layer,
    start_error: null,
    last_line: null,
    tail: [],
    because,
  };
}

async function runIn(
  { ctx, invocation, facts, display, lines }: Work,
  place: ExecPlace,
  { manifest, variables }: ProgramPlace,
) {
  const { processes } = ctx.system;
  const [program, args] = vectorOf(invocation);
  const { name, directory, workspace } = place;
  const label = placeLabel(place);
  const branch = await ctx.git.at(directory).branches.current();
  const tail = new Tail();
  const unread = new AbortController();
  let logged = 0;
  const result = await processes.run({
    command: program,
    args,
    cwd: directory,
    ...environmentIn(ctx, manifest, facts.environment, {
      repo: name,
      label,
      directory,
      branch,
      workspace,
      task: invocation.task,
      ticket: variables,
    }),
    ownGroup: true,
    graceMs: GRACE_MS,
    ...(facts.time_limit_s === null ? {} : { timeoutMs: facts.time_limit_s * 1_000 }),
    signal: AbortSignal.any([ctx.signal, unread.signal]),
    maxOutputBytes: 1,
    onLine(stream, line) {
      // A program may print faster than lines can be written down, and for as long as it runs.
      if (logged <= lines) {
        const isLast = logged++ === lines;
        ctx.report.log(
          stream === "stderr" ? "warn" : "info",
          isLast ? `${lines} lines are kept; those behind them are not, but the last ones` : line,
          { stream, payload: { repo: label } },
        );
      }
      tail.add(line);
      // A program whose output nobody reads any more ends with it, as in any pipe.
      if (!display.line(label, stream, line)) unread.abort();
    },
  });
  if (result.timedOut && ctx.runId !== null) await endPart(ctx.system, ctx.runId, label);
  return execRow(place, program, result, tail);
}

/** What each place needs, by their labels: repositories of the same workspace. */
function needsOf(
  places: Awaited<ReturnType<typeof groundsOf>>,
): ReadonlyMap<string, readonly string[]> {
  const needs = new Map<string, readonly string[]>();
  for (const [ground, same] of Map.groupBy(places.values(), ({ ground }) => ground)) {
    const labels = new Map(same.map(({ place }) => [place.name, placeLabel(place)]));
    const toLabel = (name: string) => labels.get(name) ?? name;
    for (const [name, needed] of needsWithin(ground.manifest.repos, [...labels.keys()])) {
      needs.set(toLabel(name), needed.map(toLabel));
    }
  }
  // In the order of the run, which groups by layers.
  return new Map([...places.keys()].map((label) => [label, needs.get(label) ?? []]));
}

function isRunnable({ cloned, elsewhere }: ExecPlace): boolean {
  return cloned && elsewhere === undefined;
}

/** Runs an invocation in every repository of its facts; answers a row for each, in their order. */
export async function runInvocation(
  ctx: ExecuteContext,
  invocation: Invocation,
  facts: ExecFacts,
  output: OutputForm,
): Promise<readonly ExecRow[]> {
  const places = await groundsOf(ctx, facts.repos.filter(isRunnable));
  const names = [...places.keys()];
  const log = `amof runs logs ${ctx.runId?.slice(0, 8) ?? ""}`;
  const labels = facts.repos.map(placeLabel);
  const display = new Display(ctx.report, output, { names: labels, log });
  const lines = Math.max(LEAST_LINES, Math.floor(MOST_LINES / Math.max(1, names.length)));
  const work: Work = { ctx, invocation, facts, display, lines };
  // `--retry-failed` reads this event, which must be there also when the run is cut off.
  ctx.report.log("info", `Running ${shownLine(invocation)}`, {
    type: "state",
    payload: { exec: facts },
  });
  let done = 0;
  const tell = (repo: string, at: number, ended: boolean) =>
    ctx.report.progress(at, names.length, repo, { what: "running", repo, ended });
  const ended = (row: ExecRow) => {
    const note = noteOf(row);
    const label = placeLabel(row);
    const { tail: _tail, ...payload } = row;
    ctx.report.log(note === null ? "info" : "error", `${label}: ${note ?? "ok"}`, {
      type: "repo",
      payload: { ...payload, repo: label },
    });
    display.ended(label, troubleOf(row));
    tell(label, ++done, true);
    return row;
  };
  const inParallel = facts.order === "parallel";
  const outcomes = await inOrder({
    needs: inParallel ? new Map(names.map((name) => [name, []])) : needsOf(places),
    jobs: facts.order === "serial" ? 1 : ctx.jobs,
    keepGoing: facts.keep_going,
    failFast: facts.fail_fast,
    stopped: () => ctx.signal.aborted || display.closed,
    isGood: (row: ExecRow) => row.outcome === "ok",
    work: async (name) => {
      const at = places.get(name);
      if (at === undefined) throw new TypeError(`Cannot run in "${name}": it was not planned`);
      tell(name, done, false);
      return ended(await runIn(work, at.place, at.ground));
    },
  });
  if (ctx.signal.aborted && ctx.runId !== null) await endRun(ctx.system, ctx.runId);
  const rows = facts.repos.map((place) => {
    const outcome = outcomes.get(placeLabel(place));
    if (outcome !== undefined && "result" in outcome) return outcome.result;
    const because = outcome?.not ?? place.elsewhere ?? { reason: "not_cloned", repo: null };
    const row = notStarted(place, because);
    display.ended(placeLabel(row), troubleOf(row));
    return row;
  });
  display.finish();
  return rows;
}
