/** How an invocation ended in one repository: the row that is kept of it, and how people are told (EXEC-6). */

import type { ProcessResult } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import { duration } from "../../base/text/words.ts";
import { startCode } from "../../workspace/programs/mod.ts";
import type { OfTicket } from "../../workspace/tickets/mod.ts";
import type { Elsewhere, ExecPlace } from "./facts.ts";
import type { Trouble } from "./output.ts";
import type { NotBegun } from "./schedule.ts";

/** How many last lines are kept of a program that did not end well. */
const TAIL_LINES = 10;
const TAIL_LINE_LENGTH = 300;

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

/** How an invocation ended in one repository. */
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
      readonly reason: NotBegun["reason"] | "not_cloned" | "time" | "shard" | "engine";
      readonly repo: string | null;
    }
    | Elsewhere
    | null;
}

/** The last lines of a program. */
export class Tail {
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
      return `${program} is not installed, or not where it was looked for`;
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
export function execRow(
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
export function notStarted(place: ExecPlace, because: NonNullable<ExecRow["because"]>): ExecRow {
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
