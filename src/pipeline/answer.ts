/** How the answers look that are no command's own: previews, explanations, refusals. */

import { defined, type Fields } from "../base/object.ts";
import { AmofError, EXIT, toAmofError } from "../base/error.ts";
import type { Settled } from "../runs/steps/mod.ts";
import { changeLines, type Changes } from "../base/policy/changes.ts";
import type { Door, Mode } from "../base/policy/mode.ts";
import type {
  CommandContext,
  Mutation,
  Preview,
  UnfinishedWork,
  Wording,
} from "../contract/mod.ts";
import { blocks, partsOf } from "../base/text/parts.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { type App, withDatabaseHolder } from "./app.ts";
import { unfinishedLine } from "../commands/advice/clone.ts";
import { type Answer, type Call, makePreview, type MutationCall } from "./preview.ts";
import { namingPlace } from "./hint.ts";
import { failureSummary } from "./envelope.ts";
import type { Target } from "./context.ts";
import { asCancelled } from "./run_work.ts";
import { tellingOfGoneTicket } from "./gone_ticket.ts";
import type { SessionView } from "../contract/place.ts";
import { startWith, undoLine, wordingFor } from "./wording.ts";
import { repoReasons } from "../base/text/alike.ts";

/** How a program's call goes on from mode ask, as far as whoever started the server lets it. */
function allowedHint({ maxMode: most, lasts }: SessionView, door: Exclude<Door, "cli">): string {
  const raise = door === "mcp" && lasts
    ? (mode: Mode) => `amof_set_mode(mode="${mode}")`
    : (mode: Mode) => `mode="${mode}"`;
  const preview = `Preview it: ${raise("plan")}`;
  switch (most) {
    case "execute":
      return `${preview}; carry it out: ${raise("execute")}`;
    case "plan":
      return `${preview}; carrying it out is not allowed here`;
    case "ask":
      return `Only whoever starts the server can allow more: ${startWith(door, "execute")}`;
  }
}

/** The ask-mode refusal: what would happen, how things stand, what else could be done (MODE-4). */
export async function explained(
  { app, call, command, input, progress: { target } }: MutationCall,
): Promise<AmofError> {
  const common = { mode_required: "execute", preview_mode: "plan", max_mode: call.session.maxMode };
  let explanation: Fields;
  let cause: AmofError | undefined;
  try {
    const { preview } = await makePreview({ app, caller: call, target, command, input });
    explanation = {
      summary: preview.summary,
      effects: preview.effects,
      current_state: preview.current,
      // The session may stand elsewhere, and so may a terminal.
      alternatives: preview.alternatives.map((line) => namingPlace(line, target)),
      // If nothing would happen, nothing is irreversible.
      ...(preview.settled === undefined ? defined({ irreversible: preview.irreversible }) : {}),
      ...defined({ undo: preview.undo }),
    };
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    cause = thrown;
    explanation = {
      summary: command.summary,
      effects: [],
      current_state: thrown.message,
      alternatives: [namingPlace(thrown.hint, target)],
      blocked_by: thrown.code,
    };
  }
  return new AmofError(
    "mode_insufficient",
    `${command.title} needs ${
      command.safety === "safe-write"
        ? "plan mode to preview and execute mode to act"
        : "execute mode"
    }; the mode is ask`,
    {
      hint: call.door === "cli"
        ? "Preview it: the same command with --dry-run\nCarry it out: the same command without --mode ask"
        : allowedHint(call.session, call.door),
      details: { ...common, explanation },
      cause,
    },
  );
}

/** Who asked for a preview, about what, and by which flag of the command line. */
interface PlannedBy {
  readonly door: Call["door"];
  /** Whether it lasts, so that the mode can be raised in it, and how far. */
  readonly session: Pick<SessionView, "lasts" | "maxMode">;
  readonly target: Target;
  readonly without: "--dry-run" | "--mode plan";
}

/** What stands beside a preview: the run that would keep it from being carried out, and what was interrupted. */
interface Beside {
  readonly busy: AmofError | null;
  readonly unfinished: readonly UnfinishedWork[];
}

/** What carrying out a preview takes, or would come to. */
function executeHint(
  command: Mutation,
  { settled }: Pick<Preview<Fields, Fields>, "settled">,
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
  { busy, unfinished }: Beside,
  by: PlannedBy,
): Answer {
  // If nothing would happen, nothing is irreversible.
  const irreversible = preview.settled === undefined ? preview.irreversible : undefined;
  return {
    summary: `[plan] ${preview.summary}`,
    details: blocks(
      busy === null ? null : `⚠ ${busy.message}`,
      preview.details ?? preview.effects,
      irreversible === undefined ? null : `⚠ ${irreversible}`,
      undoLine(preview),
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
      execute_hint: executeHint(
        command,
        busy === null ? preview : { settled: { data: {}, failure: busy } },
        by,
      ),
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

/** The answer to a call that was refused or broke, with what is known of the reason besides. */
export async function refused(
  app: App,
  call: Call,
  ctx: CommandContext,
  thrown: unknown,
): Promise<Answer> {
  const told = await tellingOfGoneTicket(ctx, await withDatabaseHolder(app, thrown));
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
  const undo = undoLine(explanation);
  return [
    String(explanation["summary"]),
    ...bullets("What would happen:", lines(explanation["effects"])),
    ...(explanation["irreversible"] === undefined ? [] : [`⚠ ${explanation["irreversible"]}`]),
    ...(undo === null ? [] : [undo]),
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
    const undo = undoLine(confirmation);
    return [
      ...changed,
      String(confirmation["summary"]),
      ...(typeof confirmation["details"] === "string"
        ? confirmation["details"].split("\n")
        : lines(confirmation["effects"])).map((line) => line === "" ? "" : `  ${line}`),
      ...(confirmation["irreversible"] === undefined ? [] : [`⚠ ${confirmation["irreversible"]}`]),
      ...(undo === null ? [] : [undo]),
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
function ofProgram({ code, message, details }: AmofError): string[] {
  const { repo, exit_code: exit, stderr_tail: said } = details;
  // One that an interrupt ended did not fail.
  if (typeof exit !== "number" || code === "cancelled") return [];
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
