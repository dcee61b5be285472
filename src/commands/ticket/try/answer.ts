/** What is answered of tickets that were tried together (TRY-3). */

import type { Rendered, Result } from "../../../contract/mod.ts";
import { AmofError, type ProgramExit } from "../../../base/error.ts";
import type { ProcessResult } from "../../../base/system/mod.ts";
import { blocks, type Folding } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { table } from "../../../base/text/table.ts";
import { count, duration, few } from "../../../base/text/words.ts";
import { startCode } from "../../../workspace/programs/mod.ts";
import type { Joined } from "./joint.ts";
import type { TryFacts } from "./plan.ts";
import type { Tried } from "./run.ts";

/** The answer. */
export interface TryData {
  readonly tickets: readonly string[];
  readonly argv: readonly string[] | null;
  readonly shell: string | null;
  /** `conflict`: the tickets do not go together, and nothing was run. */
  readonly outcome: "ok" | "failed" | "timed_out" | "cancelled" | "not_started" | "conflict";
  /** Null where it did not run to its end. */
  readonly exit_code: number | null;
  readonly seconds: number;
  readonly repos: readonly Joined[];
  /** Where the workspace is, absolute; null where it was thrown away. */
  readonly kept: string | null;
  readonly notes: readonly string[];
}

function outcomeOf(result: ProcessResult | null): TryData["outcome"] {
  if (result === null) return "conflict";
  if (result.cancelled) return "cancelled";
  if (result.timedOut) return "timed_out";
  if (result.startError !== null) return "not_started";
  return result.exitCode === 0 ? "ok" : "failed";
}

/** Files that do not go together, by repository and ticket: `api: T-2 conflicts in a.txt`. */
function conflictLines(repos: readonly Joined[]): string[] {
  return repos.flatMap(({ name, conflicts }) =>
    conflicts.flatMap(({ ticket, files }) =>
      files.map((file) => `${name}: ${ticket} conflicts in ${cleanLine(file, 200)}`)
    )
  );
}

/** Why it is a failure, or null. */
function failureOf(data: TryData, result: ProcessResult | null): AmofError | null {
  const { outcome, tickets, seconds, repos } = data;
  const what = `"${cleanLine(data.shell ?? data.argv?.[0] ?? "", 60)}"`;
  const together = tickets.join(" with ");
  switch (outcome) {
    case "ok":
      return null;
    case "conflict":
      return new AmofError(
        "check_failed",
        `Cannot try ${together}: they conflict in ${
          few(repos.filter(({ conflicts }) => conflicts.length > 0).map(({ name }) => name), 4)
        }; nothing was run`,
        {
          hint:
            "See which tickets conflict: amof ticket conflicts\nRun without what conflicts: the same command with --keep-going",
          details: { repos: repos.map(({ name, conflicts }) => ({ name, conflicts })) },
        },
      );
    case "cancelled":
      return new AmofError("cancelled", `${what} was stopped`, { details: { seconds } });
    case "timed_out":
      return new AmofError("timeout", `${what} was ended after ${duration(seconds)}`, {
        hint: "Give it longer: the same command with --time-limit DURATION",
        details: { seconds },
      });
    case "not_started":
      return new AmofError(
        "subprocess_failed",
        `Cannot start ${what}: it is not installed, or may not be run`,
        {
          hint: "Name the program by its whole path",
          exit: (result === null ? 127 : startCode(result)) as ProgramExit,
        },
      );
    case "failed":
      return new AmofError(
        "subprocess_failed",
        `${what} ended with ${
          result?.signal === null ? `exit status ${data.exit_code}` : `${result?.signal}`
        } in ${together}`,
        {
          hint: "Look at what it saw: the same command with --keep",
          details: { exit_code: data.exit_code, seconds },
          ...(data.exit_code === null ? {} : { exit: data.exit_code as ProgramExit }),
        },
      );
  }
}

/** Puts together how it ended. */
export function concludeTry(
  { tickets, argv, shell }: Pick<TryFacts, "tickets" | "argv" | "shell">,
  { joined, result, kept, notes }: Tried,
): Result<TryData> {
  const ran = result !== null && result.startError === null && result.signal === null;
  const data: TryData = {
    tickets,
    argv,
    shell,
    outcome: outcomeOf(result),
    exit_code: ran ? result.exitCode : null,
    seconds: Math.round((result?.durationMs ?? 0) / 100) / 10,
    repos: joined,
    kept,
    notes,
  };
  const failure = failureOf(data, result);
  return failure === null ? { data } : { data, failure };
}

/** Says the answer. */
export function renderTry(data: TryData, { all }: Folding = {}): Rendered {
  const { tickets, repos, outcome, kept, notes } = data;
  const worked = repos.filter(({ tickets, conflicts }) => tickets.length + conflicts.length > 0);
  const conflicts = conflictLines(repos);
  const together = cleanLine(tickets.join(" with "), 40);
  const shown = table(
    ["repo", "tickets", "base"],
    worked.map(({ name, tickets, base }) => [name, tickets.join(", "), cleanLine(base, 60)]),
  );
  return {
    summary: outcome === "conflict"
      ? `Joined ${together} not: ${count(conflicts.length, "file")} in conflict.`
      : `Ended after ${duration(data.seconds)}: ${together} in ${count(worked.length, "repo")}.`,
    details: blocks(
      all ? shown : shown.folding(
        (at) => worked[at]?.conflicts.length === 0,
        (at) => `with ${cleanLine(worked[at]?.tickets.join(" and ") ?? "", 60)}`,
      ),
      ...conflicts.map((line) => `✗ ${line}`),
      ...notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
      kept === null ? null : `Its files: ${kept}`,
    ),
  };
}
