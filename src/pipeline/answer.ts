/** How the answers look that are no command's own: previews, explanations, refusals. */

import { defined, type Fields } from "../base/object.ts";
import { AmofError, EXIT, toAmofError } from "../base/error.ts";
import type { Settled } from "../runs/steps/mod.ts";
import { changeLines, type Changes } from "../base/policy/changes.ts";
import type {
  CommandContext,
  Mutation,
  Preview,
  UnfinishedWork,
  Wording,
} from "../contract/mod.ts";
import { blocks, partsOf } from "../base/text/parts.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import type { App } from "./app.ts";
import { unfinishedLine } from "../workspace/mod.ts";
import type { Answer, Call } from "./call.ts";
import { namingPlace } from "./hint.ts";
import { failureSummary } from "./envelope.ts";
import type { Target } from "./context.ts";
import { asCancelled } from "./run_work.ts";
import { withWhereabouts } from "./whereabouts.ts";
import type { SessionView } from "../contract/place.ts";
import { outlookLine, startWith, wordingFor } from "./wording.ts";
import { repoReasons } from "../base/text/repo_reasons.ts";

/** Who asked for a preview, about what, and by which flag of the command line. */
interface PlannedBy {
  readonly door: Call["door"];
  /** Whether it lasts, so that the mode can be raised in it, and how far. */
  readonly session: Pick<SessionView, "lasts" | "maxMode">;
  readonly target: Target;
  readonly without: "--dry-run" | "--mode plan";
}

/** What carrying out a preview takes, or would come to. */
function executeHint(
  command: Mutation,
  { settled }: Preview<Fields, Fields>,
  { door, session: { lasts, maxMode }, target, without }: PlannedBy,
): string {
  if (settled !== undefined) {
    const { failure } = settled;
    return failure === undefined
      ? "There is nothing to carry out"
      : `As things stand it would fail: ${failure.message}. ${namingPlace(failure.hint, target)}`;
  }
  if (maxMode !== "execute" && door !== "cli") {
    return `Carrying it out is not allowed here. Only whoever starts the server can allow more: ${
      startWith(door, "execute")
    }`;
  }
  const how = {
    cli: `Carry it out: the same command without ${without}`,
    mcp: `Repeat the call with mode="execute"${
      lasts ? ', or first amof_set_mode(mode="execute")' : ""
    }`,
    http: 'Repeat the call with mode="execute"',
  }[door];
  return `${how}${command.confirm === "none" ? "" : "\nIt will ask for a confirmation"}`;
}

/** The answer of a mutation in plan mode or as a dry run (MODE-6). */
export function planned(
  command: Mutation,
  preview: Preview<Fields, Fields>,
  unfinished: readonly UnfinishedWork[],
  by: PlannedBy,
): Answer {
  // If nothing would happen, nothing is irreversible.
  const irreversible = preview.settled === undefined ? preview.irreversible : undefined;
  return {
    summary: `[plan] ${preview.summary}`,
    details: blocks(
      preview.details ?? preview.effects,
      irreversible === undefined ? null : `⚠ ${irreversible}`,
      outlookLine(preview),
      ...unfinished.map(unfinishedLine),
    ),
    data: {
      would_execute: false,
      action: command.name,
      preview: preview.facts,
      effects: preview.effects,
      ...defined({
        repos_affected: preview.facts["repos_affected"],
        irreversible,
        undo: preview.undo,
      }),
      ...(unfinished.length === 0 ? {} : { unfinished }),
      execute_hint: executeHint(command, preview, by),
    },
    phase: "preview",
  };
}

/** The error of a call that failed after its caller had interrupted it: the interrupt counts as the cause. */
function stopped(app: App, thrown: unknown): AmofError {
  const failure = toAmofError(thrown, () => app.system.ids.hex(8));
  // An interrupted confirmation has an error of its own.
  return failure.exit === EXIT.refused ? failure : asCancelled(failure);
}

/** The inodes of the files of the database, as text. */
async function inodes(app: App): Promise<Set<string>> {
  const { database } = app.layout;
  const told = await app.system.processes.run({
    command: "stat",
    args: ["-c", "%i", database, `${database}-shm`, `${database}-wal`],
    timeoutMs: 2_000,
  });
  return new Set(told.stdout.split("\n").filter((line) => line !== ""));
}

/** The process that has a write lock on the database, with its name; null where the platform does not tell. */
async function holder(app: App): Promise<{ pid: number; program: string } | null> {
  const { env, processes } = app.system;
  if (env.platform !== "linux") return null;
  const cat = (path: string) => processes.run({ command: "cat", args: [path], timeoutMs: 2_000 });
  const files = await inodes(app);
  const me = await processes.me();
  for (const line of (await cat("/proc/locks")).stdout.split("\n")) {
    // "1: POSIX  ADVISORY  WRITE 4242 fe:00:131 120 120"; those who wait have an arrow behind the number.
    const [, , , kind, pid, place] = line.split(/\s+/);
    if (kind !== "WRITE" || !files.has(place?.split(":")[2] ?? "")) continue;
    if (Number(pid) <= 0 || Number(pid) === me.pid) continue;
    const program = (await cat(`/proc/${pid}/comm`)).stdout.trim();
    if (program !== "") return { pid: Number(pid), program: cleanLine(program, 40) };
  }
  return null;
}

/** What was thrown, with the program that is in the way where the state database was held. */
async function withDatabaseHolder(app: App, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof AmofError) || thrown.code !== "state_busy") return thrown;
  const found = await holder(app);
  if (found === null) return thrown;
  const { pid, program } = found;
  return new AmofError(
    "state_busy",
    `Cannot use the state database: "${program}" (process ${pid}) holds it and does not let go`,
    {
      hint: `Repeat in a moment, or end that program: process ${pid}`,
      details: { pid, program },
      cause: thrown,
    },
  );
}

/** The answer to a call that was refused or broke, with what is known of the reason besides. */
export async function refused(
  app: App,
  call: Call,
  ctx: CommandContext,
  thrown: unknown,
): Promise<Answer> {
  const told = await withWhereabouts(ctx, await withDatabaseHolder(app, thrown));
  return refusal(app, call, call.signal.aborted ? stopped(app, told) : told);
}

function refusal(app: App, call: Call, thrown: unknown): Answer {
  const failure = toAmofError(thrown, () => app.system.ids.hex(8));
  if (failure.code === "internal_error") {
    const cause = failure.cause instanceof Error
      ? failure.cause.stack ?? failure.cause.message
      : String(failure.cause);
    call.report.log("error", `${failure.message}\n${cause}`, { type: "internal" });
  }
  const { confirmation, explanation } = failure.details as {
    confirmation?: Fields;
    explanation?: Fields;
  };
  const affected = (confirmation?.["preview"] as Fields | undefined)?.["repos_affected"];
  return {
    summary: failureSummary(failure.message),
    details: failureDetails(failure, wordingFor(call.door, app.system.clock.now())),
    // These stand at the top level of an answer, where callers look first (MODE-4, CONFIRM-7).
    data: {
      ...defined({ repos_affected: affected, confirmation, explanation }),
    },
    failure: withoutDetails(failure, ["confirmation", "explanation"]),
    phase: "refused",
  };
}

/** The same error without the details that stand at the top level of the answer. */
function withoutDetails(error: AmofError, names: readonly string[]): AmofError {
  if (!names.some((name) => name in error.details)) return error;
  return new AmofError(error.code, error.message, {
    hint: error.hint,
    details: Object.fromEntries(
      Object.entries(error.details).filter(([name]) => !names.includes(name)),
    ),
    exit: error.exit,
    cause: error,
  });
}

function lines(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function bullets(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [title, ...items.map((item) => `  - ${item}`)];
}

function explanationText(explanation: Fields): string {
  const outlook = outlookLine(explanation);
  return [
    String(explanation["summary"]),
    ...bullets("What would happen:", lines(explanation["effects"])),
    ...(explanation["irreversible"] === undefined ? [] : [`⚠ ${explanation["irreversible"]}`]),
    ...(outlook === null ? [] : [outlook]),
    `${
      explanation["blocked_by"] === undefined ? "Current state" : "As things stand it would fail"
    }: ${explanation["current_state"]}`,
    ...bullets("Alternatives:", lines(explanation["alternatives"])),
  ].join("\n");
}

/** What there is to read about a failure besides its message: explanation, request, changes, wrong places. */
export function failureDetails(failure: AmofError, say: Wording): string {
  const { confirmation, explanation } = failure.details as {
    confirmation?: Fields;
    explanation?: Fields;
  };
  if (explanation !== undefined) return explanationText(explanation);
  const changed = Array.isArray(failure.details["changed"])
    ? bullets("What changed:", changeLines(failure.details as unknown as Changes))
    : [];
  if (confirmation !== undefined) {
    const approval = confirmation["approval"] as Fields | undefined;
    const outlook = outlookLine(confirmation);
    return [
      ...changed,
      String(confirmation["summary"]),
      ...(typeof confirmation["details"] === "string"
        ? confirmation["details"].split("\n")
        : lines(confirmation["effects"])).map((line) => line === "" ? "" : `  ${line}`),
      ...(confirmation["irreversible"] === undefined ? [] : [`⚠ ${confirmation["irreversible"]}`]),
      ...(outlook === null ? [] : [outlook]),
      ...(approval !== undefined
        ? [
          `A person decides in a terminal: ${approval["command"]}${
            approval["page"] === undefined ? "" : `\nOr in a browser: ${approval["page"]}`
          }`,
        ]
        : confirmation["typed_value_required"] === true
        ? [`A person must type the ${confirmation["typed_value_is"]} to proceed.`]
        // A program puts the question to a person; to a person it would look as if it could be answered here.
        : say.watched
        ? []
        : [`Proceed with ${confirmation["deed"]}?`]),
      `Expires: ${say.time(String(confirmation["expires_at"]))}`,
    ].join("\n");
  }
  if (changed.length > 0) return changed.join("\n");
  const errors = failure.details["errors"];
  const issues = failure.details["issues"];
  const places = [
    ...(Array.isArray(errors) ? errors : []),
    ...(Array.isArray(issues) ? issues : []),
  ] as Fields[];
  return [
    ...repoLines(failure),
    ...ofProgram(failure),
    // A single problem already stands in the message.
    ...(places.length === 1 && failure.code === "invalid_arguments" ? [] : places).slice(0, 15).map(
      (entry) => `  ${entry["path"] || "file"}: ${entry["message"] ?? entry["problem"]}`,
    ),
  ].join("\n");
}

/** Why each of several repositories failed or was refused, one line each; empty where the message says it all. */
export function repoLines({ message, details }: AmofError): string[] {
  return repoReasons(message, details).map((line) => `  ${line}`);
}

/** Where a program failed, how, and what it said last (ERROR-3). */
function ofProgram({ message, details }: AmofError): string[] {
  const { repo, exit_code: exit, stderr_tail: said } = details;
  if (typeof exit !== "number") return [];
  // A program that could not be started has no exit code, and what it "said" is the system's error.
  if (exit < 0) return [];
  return [
    ...(typeof repo === "string" ? [`  Repo: ${cleanLine(repo, 60)}`] : []),
    `  Exit code: ${exit}`,
    ...lines(said).slice(-10).filter((line) => !message.includes(line))
      .map((line) => `  | ${cleanLine(line)}`),
  ];
}

/** The answer to a call that an earlier, interrupted one has just made good. */
export function finishedBefore(command: Mutation): Answer {
  return {
    summary: `Finished what was interrupted; ${command.title.toLowerCase()} was not done twice.`,
    details: "Repeat the command if it is to be done once more.",
    data: { already_done: true },
    phase: "result",
  };
}

/** Adds to an answer what was settled before the command itself. */
export function withSettled(answer: Answer, settled: readonly Settled[]): Answer {
  if (settled.length === 0) return answer;
  const lines = settled.map((entry) =>
    `⚠ An interrupted ${entry.action} was ${entry.outcome} first (run ${entry.run_id.slice(0, 8)}).`
  );
  return {
    ...answer,
    details: [...lines, ...partsOf(answer.details)],
    data: { ...answer.data, settled_first: settled },
  };
}
