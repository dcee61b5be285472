/** What is answered about a program that worked on a ticket (BOX-6). */

import type { Rendered, Result } from "../../contract/mod.ts";
import { AmofError, type ProgramExit } from "../../base/error.ts";
import { blocks } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues, table } from "../../base/text/table.ts";
import { count, duration, shellWord } from "../../base/text/words.ts";
import type { AgentArrival } from "./engine/arrive.ts";
import type { AgentRow } from "./look.ts";
import type { AgentEnd } from "./work.ts";
import type { ExecRow } from "../exec/row.ts";

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

/** The answer where nothing was run. */
export function notRun(place: AgentPlace): AgentData {
  return { ...place, outcome: "not_started", exit_code: null, seconds: 0, repos: [], arrivals: [] };
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
