/** Tools: their list out of the registry, their calls into the pipeline. */

import { nobody } from "../../pipeline/consent/approver.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { findCommand, type Listed } from "../../pipeline/registry.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { inputJsonSchema } from "../../pipeline/json_schema.ts";
import { outcomeInToolWords } from "../../pipeline/outcome_words.ts";
import { AmofError, errorObject } from "../../base/error.ts";
import { withoutOwnPlaces } from "../../base/system/own_places.ts";
import type { Command, Known, Reporter } from "../../contract/mod.ts";
import type { Fields } from "../../base/object.ts";
import type { EventLevel } from "../../state/store/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { partsOf } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import { mayNeedReading, type ReadArguments, readArguments } from "./arguments.ts";
import type { Door } from "./door.ts";
import { type Asked, elicitingApprover } from "./elicit.ts";
import {
  type Exchange,
  invalidParams,
  isStructured,
  type Revision,
  type ToolFeature,
} from "./features.ts";
import type { LogLevel } from "./progress.ts";
import { askToOpen } from "./open_page.ts";
import { type Asking, asking } from "./returning.ts";
import { declares, TASKS } from "./request_meta.ts";
import { resultOf } from "./result.ts";
import type { Tool } from "./sdk.ts";
import type { Availability, Selection } from "./selection.ts";
import { startedTask, taskFeature, waitingTask } from "./tasks.ts";
import { toTool } from "./tool.ts";

/** The levels of events in the words of the protocol. */
const LEVELS: Readonly<Record<EventLevel, LogLevel>> = {
  debug: "debug",
  info: "info",
  warn: "warning",
  error: "error",
};

/** The tools of a door. */
export function toolFeature(door: Door): ToolFeature {
  const { app, selection, forms } = door;
  const made = new Map<Revision, Promise<Tool[]>>();
  const asked: Asked = { unable: false };
  return {
    list(revision) {
      const known = made.get(revision);
      if (known !== undefined) return known;
      const structured = isStructured(revision);
      const tools = Promise.all(
        selection.listed.map(async (command) => toTool(await command.load(), structured)),
      );
      made.set(revision, tools);
      return tools;
    },

    async call(params, exchange) {
      const command = await requireTool(params.name, selection).load();
      const availability = selection.judge(command);
      const offers = (other: Known) => selection.judge(other).offered;
      const session = door.session();
      const given = params.arguments ?? {};
      const { client, returning } = exchange;
      const asTask = command.kind === "mutation" && command.runs !== undefined &&
        returning !== null && declares(returning.capabilities, TASKS) && taskFeature(door) !== null;
      const came = { app, session, tool: command.name, args: given, client, forms, asTask };
      const { approver, question } = returning === null
        ? byForm(door, exchange, asked)
        : await asking(came, returning);
      const { args, notes } = await argumentsFor(command, given);
      const answer = await carryOut(app, {
        command,
        args,
        session,
        door: "mcp",
        client,
        signal: exchange.signal,
        report: reporter(door, exchange),
        approver,
        confirmBy: door.confirmBy,
        inPieces: true,
        offers,
        ...(availability.offered ? {} : { refusal: notOffered(command, availability) }),
      });
      const put = await question();
      if (put !== null) return put;
      if (exchange.opener !== null) {
        await askToOpen(app, answer, exchange.opener, exchange.signal);
      }
      const outcome = withNotes(await outcomeInToolWords(answer, offers), notes);
      exchange.log(command.kind === "query" ? "debug" : "info", {
        message: outcome.summary,
        tool: command.name,
        outcome: outcome.isError ? outcome.envelope["error"] : "ok",
        ...(outcome.runId === null ? {} : { run_id: outcome.runId }),
      });
      const task = !asTask
        ? null
        : outcome.isError
        ? waitingTask(app, outcome)
        : outcome.runId === null
        ? null
        : startedTask(outcome);
      return task ?? resultOf(outcome, session, exchange.revision);
    },
  };
}

/** Asks by forms that the client shows while the call waits. */
function byForm(
  { app, forms }: Door,
  { elicit }: Exchange,
  asked: Asked,
): Asking {
  const { clock } = app.system;
  const approver = elicit === null || !forms ? nobody : elicitingApprover(elicit, clock, asked);
  return { approver, question: () => Promise.resolve(null) };
}

/** The arguments of a call as its command takes them; nearly always as they came. */
async function argumentsFor(command: Command, given: Fields): Promise<ReadArguments> {
  if (!mayNeedReading(given)) return { args: given, notes: [] };
  const { inputSchema } = await toTool(command, true);
  return readArguments(await inputJsonSchema(command), inputSchema, given);
}

/** The answer with what was made of the arguments of its call. */
function withNotes(outcome: Outcome, notes: readonly string[]): Outcome {
  if (notes.length === 0) return outcome;
  const clean = notes.map((note) => cleanLine(note, 200));
  return {
    ...outcome,
    envelope: { ...outcome.envelope, argument_notes: clean },
    notes: [...partsOf(outcome.notes), ...clean.map((note) => `Argument ${note}`)],
  };
}

/** What a command says while it works: to the client, and what is serious also to standard error. */
function reporter(door: Door, exchange: Exchange): Reporter {
  return {
    log: (level, message, fields) => {
      // The client learns this from progress notifications.
      if (fields?.type === "progress" || fields?.type === "step") return;
      if (level === "error" || level === "warn") door.app.system.terminal.err(`${message}\n`);
      // A defect has a stack, which belongs to whoever runs the server and not to the client.
      const told = fields?.type === "internal" ? message.split("\n")[0] ?? "" : message;
      const discreet = withoutOwnPlaces(door.app.system, maskSecrets(told));
      exchange.log(LEVELS[level], { message: cleanLine(discreet, 2_000) });
    },
    progress: (done, total, message) => exchange.progress(done, total, message),
  };
}

function requireTool(name: string, selection: Selection): Listed {
  const command = findCommand(name);
  if (command !== null && command.only !== "cli") return command;
  const near = didYouMean(name, selection.listed.map((entry) => entry.name));
  const shown = cleanLine(name, 100) || "(empty)";
  const unknown = new AmofError(
    "unknown_tool",
    `Unknown tool: ${shown}${near === null ? "" : `; did you mean ${near}?`}`,
    { details: { tool: shown, ...(near === null ? {} : { did_you_mean: near }) } },
  );
  throw invalidParams(unknown.message, errorObject(unknown));
}

function notOffered(
  command: Known,
  { reason, remedy }: Exclude<Availability, { readonly offered: true }>,
): AmofError {
  return new AmofError("tool_not_available", `Cannot call ${command.name}: ${reason}`, {
    hint: remedy,
    details: { tool: command.name, reason },
  });
}
