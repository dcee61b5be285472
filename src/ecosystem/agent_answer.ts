/**
 * What is answered about a program that worked on a ticket (BOX-6).
 *
 * @module
 */

import type { Rendered, Result } from "../contract/mod.ts";
import { AmofError, type ProgramExit } from "../error.ts";
import { blocks } from "../text/parts.ts";
import { cleanLine } from "../text/sanitize.ts";
import { keyValues, table } from "../text/table.ts";
import { count, duration, shellWord } from "../text/words.ts";
import type { AgentRow } from "./agent_look.ts";
import type { AgentEnd } from "./agent_work.ts";

/** The answer. */
export interface AgentData {
  readonly ticket_id: string;
  /** Relative to the control repository. */
  readonly directory: string;
  readonly command: readonly string[];
  /** Null where there was none. */
  readonly box:
    | { readonly kind: "bubblewrap" | "seatbelt"; readonly network: "none" | "full" }
    | null;
  /** Why there was none, or null. */
  readonly unboxed: string | null;
  readonly outcome: "ok" | "failed" | "timed_out" | "cancelled" | "not_started";
  readonly exit_code: number | null;
  readonly seconds: number;
  readonly repos: readonly AgentRow[];
}

/** What is known before it runs. */
export type AgentPlace = Pick<
  AgentData,
  "ticket_id" | "directory" | "command" | "box" | "unboxed"
>;

/** A command line as a person reads it. */
export function lineOfAgent(command: readonly string[]): string {
  return cleanLine(command.map(shellWord).join(" "), 200);
}

/** The answer where nothing was run. */
export function notRun(place: AgentPlace): AgentData {
  return { ...place, outcome: "not_started", exit_code: null, seconds: 0, repos: [] };
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
  const data: AgentData = { ...place, outcome, exit_code: exitCode, seconds, repos };
  if (outcome === "ok") return { data };
  const what = `"${cleanLine(place.command[0] ?? "", 60)}"`;
  const details = { exit_code: exitCode, seconds };
  const hint = "See what it left: amof runs summary";
  switch (outcome) {
    case "timed_out":
      return {
        data,
        failure: new AmofError("timeout", `${what} was ended after ${duration(seconds)}`, {
          hint,
          details,
        }),
      };
    case "cancelled":
      return {
        data,
        failure: new AmofError("cancelled", `${what} was stopped`, { hint, details }),
      };
    case "not_started":
      return {
        data,
        failure: new AmofError(
          "subprocess_failed",
          `Cannot start ${what}: it is not installed, or may not be run`,
          { hint: "Name the program by its whole path", details, exit: 127 as ProgramExit },
        ),
      };
    case "failed":
      return {
        data,
        failure: new AmofError(
          "subprocess_failed",
          `${what} ended with exit status ${exitCode}`,
          { hint, details, exit: exitCode as ProgramExit },
        ),
      };
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

/** Says the answer. */
export function renderAgent(data: AgentData): Rendered {
  const touched = data.repos.filter((row) => row.touched);
  const changed = touched.length === 0
    ? "changed no repository"
    : `changed ${count(touched.length, "repository", "repositories")}`;
  const program = cleanLine(data.command[0] ?? "", 30);
  return {
    summary: data.outcome === "not_started"
      ? `Ran nothing in ${data.ticket_id}.`
      : `Ended after ${duration(data.seconds)}: ${program} ${changed}.`,
    details: data.outcome === "not_started" ? "" : blocks(
      keyValues([
        ["Ticket", data.ticket_id],
        [
          "Box",
          data.box === null ? "none" : `${data.box.kind}, network ${data.box.network}`,
        ],
      ]),
      touched.length === 0 ? null : table(
        ["repo", "what became of it"],
        touched.map((row) => [row.name, becameOf(row)]),
      ),
    ),
  };
}
