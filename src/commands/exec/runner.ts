/**
 * Runs a deed in repositories, and writes down how it ended in each (EXEC-2, EXEC-6).
 *
 * @module
 */

import type { ExecuteContext } from "../../contract/mod.ts";
import { endPart, endRun } from "../../runs/mod.ts";
import type { ProcessResult } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import { duration } from "../../base/text/words.ts";
import { type Deed, environmentIn, shownLine, vectorOf } from "../../workspace/programs/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import {
  type OfTicket,
  requireTicketWorkspace,
  scopeManifest,
  ticketVariables,
} from "../../workspace/tickets/mod.ts";
import { needsWithin } from "./layers.ts";
import { Display, type OutputForm, type Trouble } from "./output.ts";
import { inOrder, type NotBegun } from "./schedule.ts";
import { type Elsewhere, type ExecFacts, type ExecPlace, placeLabel } from "./facts.ts";

/** How long a program may take to obey (EXEC-8); shorter than whoever cancels the run waits for its worker. */
const GRACE_MS = 3_000;
/** How many last lines are kept of a program that did not end well. */
const TAIL_LINES = 10;
const TAIL_LINE_LENGTH = 300;
/** How many lines of all repositories together go into the log, and how many of each in any case. */
const MOST_LINES = 100_000;
const LEAST_LINES = 1_000;

/**
 * How it can end on an engine besides: the shard did not act, the remote could not be reached or took no more requests
 * for now, the engine ended the shard or lost it; `unknown` where nobody can tell.
 */
type FarOutcome =
  | "refused"
  | "unreachable"
  | "deferred"
  | "out_of_memory"
  | "evicted"
  | "node_lost"
  | "unknown";

/** How a deed ended in one repository. */
export interface ExecRow extends OfTicket {
  readonly name: string;
  readonly outcome:
    | "ok"
    | "failed"
    | "timed_out"
    | "cancelled"
    | "not_started"
    | FarOutcome;
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
      readonly reason: NotBegun["reason"] | "not_cloned" | "time" | "shard";
      readonly repo: string | null;
    }
    | Elsewhere
    | null;
}

/** The last lines of a program. */
class Tail {
  readonly lines: string[] = [];

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
      return `${program} is not installed, or not where it was looked for`;
    case "not_allowed":
      return `${program} may not be run: it is not executable`;
    case "bad_directory":
      return "The directory of the repository is gone";
    default:
      return `${program} could not be started`;
  }
}

/** The exit codes that shells give for programs that cannot be started. */
function startCode({ startError }: ProcessResult): number {
  return startError === "not_found" ? 127 : 126;
}

function ofTicket({ ticket }: ExecPlace): OfTicket {
  return ticket === undefined ? {} : { ticket };
}

function rowOf(place: ExecPlace, program: string, result: ProcessResult, tail: Tail): ExecRow {
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

const FAR_WORDS = {
  out_of_memory: "ended for want of memory",
  evicted: "evicted from its node",
  node_lost: "its node failed",
  unknown: "its end is not known",
} as const;

/** How it ended, for people: `exit status 2`. */
export function resultText(row: ExecRow): string {
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
      return FAR_WORDS[row.outcome];
    case "not_started":
      return `not started: ${becauseText(row.because)}`;
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
    default:
      return "the run was ended";
  }
}

/** A workspace in which programs run. */
interface Ground {
  readonly manifest: Manifest;
  /** What programs are told of the ticket they run in; nothing in the base workspace. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What runs in one repository needs besides the repository. */
interface Work {
  readonly ctx: ExecuteContext;
  readonly deed: Deed;
  readonly facts: ExecFacts;
  readonly display: Display;
  /** How many lines of each repository go into the log. */
  readonly lines: number;
}

/** What programs need of one workspace. */
async function groundAt(ctx: ExecuteContext, ticket: string | null): Promise<Ground> {
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
): Promise<ReadonlyMap<string, { readonly place: ExecPlace; readonly ground: Ground }>> {
  const ticketOf = ({ ticket = ctx.ticket }: ExecPlace) => ticket;
  const grounds = new Map<string | null, Ground>();
  for (const ticket of new Set(places.map(ticketOf))) {
    grounds.set(ticket, await groundAt(ctx, ticket));
  }
  return new Map(places.flatMap((place) => {
    const ground = grounds.get(ticketOf(place));
    return ground === undefined ? [] : [[placeLabel(place), { place, ground }]];
  }));
}

async function runIn(
  { ctx, deed, facts, display, lines }: Work,
  place: ExecPlace,
  { manifest, variables }: Ground,
) {
  const { processes } = ctx.system;
  const [program, args] = vectorOf(deed);
  const { name, directory, workspace } = place;
  const label = placeLabel(place);
  const branch = await ctx.git.at(directory).headBranch();
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
      task: deed.task,
      ticket: variables,
    }),
    ownGroup: "soon",
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
  return rowOf(place, program, result, tail);
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

/** Runs a deed in every repository of its facts; answers a row for each, in their order. */
export async function runDeed(
  ctx: ExecuteContext,
  deed: Deed,
  facts: ExecFacts,
  output: OutputForm,
): Promise<readonly ExecRow[]> {
  const places = await groundsOf(ctx, facts.repos.filter(isRunnable));
  const names = [...places.keys()];
  const log = `amof runs logs ${ctx.runId?.slice(0, 8) ?? ""}`;
  const labels = facts.repos.map(placeLabel);
  const display = new Display(ctx.report, output, { names: labels, log });
  const lines = Math.max(LEAST_LINES, Math.floor(MOST_LINES / Math.max(1, names.length)));
  const work: Work = { ctx, deed, facts, display, lines };
  // `--retry-failed` reads this event, which must be there also when the run is cut off.
  ctx.report.log("info", `Running ${shownLine(deed)}`, { type: "state", payload: { exec: facts } });
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
