/** Tools: their list out of the registry, their calls into the pipeline. */

import { nobody } from "../../pipeline/consent/approver.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { findCommand, type Listed } from "../../pipeline/registry.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { inputJsonSchema, type JsonSchema } from "../../pipeline/json_schema.ts";
import { outcomeInToolWords } from "../../pipeline/tool_words.ts";
import { AmofError, errorObject } from "../../base/error.ts";
import { withoutOwnPlaces } from "../../base/system/layout.ts";
import type { Command, Known, Reporter } from "../../contract/mod.ts";
import { type Fields, isObject, jsonIn } from "../../base/object.ts";
import type { EventLevel } from "../../state/store/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { partsOf } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import { type Asked, elicitingApprover } from "./elicit.ts";
import {
  askToOpen,
  type Exchange,
  invalidParams,
  isStructured,
  type Revision,
  type ToolFeature,
} from "./features.ts";
import type { LogLevel } from "./progress.ts";
import { declares, TASKS } from "./messages.ts";
import { resultOf } from "./result.ts";
import type { Tool } from "./sdk.ts";
import type { Availability, Door, Selection } from "./selection.ts";
import { type Asking, asking, startedTask, taskFeature, waitingTask } from "./tasks.ts";
import { toTool } from "./tool.ts";

// Arguments as hosts send them that write values as texts (MCP-16).

/** Arguments that were read, and what was made of those that came as something else. */
interface ReadArguments {
  readonly args: Fields;
  /** One sentence for each argument that was changed or left out, such as `limit: the text "5" was read as 5`. */
  readonly notes: readonly string[];
}

/** The argument that some hosts add to tools without any, because models want to fill in something. */
const DUMMY = "random_string";

/** One name as a list of texts holds it: no list that was written as a text. */
const LONE = /^[^\s,;"'[\]{}]+$/;

/** The lists of names that may stand in one text between commas, as on the command line. */
const COMMAS = /^(?:repos|tags|only)$/;

/** How lists are called, so that nearly all calls need no schema. */
const LISTS = /s$|^only$/;

/** True and false as other languages spell them. */
const SPELT = /^(?:true|false)$/i;

/** Consent is read as it is written, and counts as none otherwise. */
const CONSENT = /^(?:confirm|allow_)/;

/** What a value is called in a note. */
const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  number: "a number",
  boolean: "true or false",
};

/** The value that a text holds as JSON; undefined where it holds none, or only another text. */
function heldIn(text: string): unknown {
  const value = jsonIn(text);
  return typeof value === "string" ? undefined : value;
}

function alternatives(schema: JsonSchema): readonly JsonSchema[] | undefined {
  return (schema["anyOf"] ?? schema["oneOf"]) as readonly JsonSchema[] | undefined;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}

/** Whether a value is of the type that a schema declares; what is inside a list or object is not looked at. */
function isOfType(schema: JsonSchema, value: unknown): boolean {
  const among = alternatives(schema);
  if (among !== undefined) return among.some((one) => isOfType(one, value));
  if ("const" in schema) return schema["const"] === value;
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(value);
  const declared = schema["type"];
  if (declared === undefined) return true;
  const types: readonly unknown[] = Array.isArray(declared) ? declared : [declared];
  return types.includes(kindOf(value)) || (types.includes("integer") && Number.isInteger(value));
}

/** The schema of a member or item, as far as one is declared. */
function within(schema: JsonSchema, value: unknown, name: string): JsonSchema {
  const chosen = alternatives(schema)?.find((one) => isOfType(one, value)) ?? schema;
  const { properties, additionalProperties: others, items } = chosen;
  if (Array.isArray(value)) return isObject(items) ? items : {};
  if (isObject(properties) && Object.hasOwn(properties, name)) {
    return properties[name] as JsonSchema;
  }
  return isObject(others) ? others : {};
}

/** Whether a schema takes a list of texts, and no text. */
function takesTexts(schema: JsonSchema): boolean {
  const lists = (alternatives(schema) ?? [schema]).filter((one) => one["type"] === "array");
  return lists.some(({ items }) => isObject(items) && isOfType(items, ""));
}

/** What a text that is no JSON stands for where another type is wanted; undefined where that is nothing. */
function meantBy(schema: JsonSchema, text: string, path: string): unknown {
  if (CONSENT.test(path)) return undefined;
  if (SPELT.test(text)) return text.toLowerCase() === "true";
  const names = COMMAS.test(path) ? text.split(",").map((name) => name.trim()) : [text];
  return names.every((name) => LONE.test(name)) && takesTexts(schema) ? names : undefined;
}

/** Whether a text stands where an object may do without the member and no text can stand. */
function saysNothing(owner: JsonSchema, name: string, text: string): boolean {
  const required = owner["required"];
  return !(Array.isArray(required) && required.includes(name)) &&
    (text === "" || heldIn(text) === null);
}

/** Reads a value where it stands; tells `notes` what it made of it. */
function readValue(schema: JsonSchema, given: unknown, path: string, notes: string[]): unknown {
  // Nothing is declared here, nor deeper.
  if (Object.keys(schema).length === 0) return given;
  if (typeof given === "string" && !isOfType(schema, given)) {
    const held = heldIn(given);
    const meant = held === undefined ? meantBy(schema, given, path) : undefined;
    if (meant !== undefined && isOfType(schema, meant)) {
      const [read, wanted] = Array.isArray(meant)
        ? [meant.length === 1 ? "a list of one" : "a list", "a list"]
        : [String(meant), KINDS["boolean"]];
      notes.push(`${path}: a text was read as ${read}; send ${wanted}`);
      return meant;
    }
    if (held === undefined || held === null || !isOfType(schema, held)) return given;
    const read = ["array", "object"].includes(kindOf(held)) ? KINDS[kindOf(held)] : String(held);
    const wanted = KINDS[kindOf(held)];
    notes.push(`${path}: JSON in a text was read as ${read}; send ${wanted}, not a text`);
    return readValue(schema, held, path, notes);
  }
  if (Array.isArray(given)) {
    return given.map((item, at) =>
      readValue(within(schema, given, ""), item, `${path}.${at}`, notes)
    );
  }
  return isObject(given) ? readMembers(schema, given, path, notes) : given;
}

function readMembers(schema: JsonSchema, given: Fields, path: string, notes: string[]): Fields {
  const owner = alternatives(schema)?.find((one) => isOfType(one, given)) ?? schema;
  const properties = owner["properties"];
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const here = path === "" ? name : `${path}.${name}`;
      const member = within(owner, given, name);
      const isKnown = isObject(properties) && Object.hasOwn(properties, name);
      if (
        isKnown && typeof value === "string" && !isOfType(member, value) &&
        saysNothing(owner, name, value)
      ) {
        notes.push(`${here}: ${value === "" ? "an empty text" : '"null"'} counts as left out`);
        return [];
      }
      return [[name, readValue(member, value, here, notes)]];
    }),
  );
}

/** Whether a value has a text in it that may stand for something else. A client may nest as deep as it likes. */
function hasDoubtful(value: unknown): boolean {
  const open = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === "string" && (one === "" || SPELT.test(one) || heldIn(one) !== undefined)) {
      return true;
    }
    if (one === null || typeof one !== "object") continue;
    for (const inner of Object.values(one)) open.push(inner);
  }
  return false;
}

/** Whether arguments may have to be read; false for nearly all, which are as the schema wants them. */
export function mayNeedReading(args: Fields): boolean {
  return Object.hasOwn(args, DUMMY) || hasDoubtful(args) ||
    Object.entries(args).some(([name, value]) => typeof value === "string" && LISTS.test(name));
}

/**
 * Reads arguments by the schema of a tool. JSON in a text is read where the declared type is no text, and so are names
 * for a list and other spellings of true and false. An empty text is left out where an optional argument takes none,
 * and so is the dummy that is sent to a tool which `lists` no arguments. What stands where a text is wanted, and
 * whatever is wrong otherwise, stays as it is.
 */
export function readArguments(schema: JsonSchema, lists: JsonSchema, given: Fields): ReadArguments {
  const notes: string[] = [];
  const { [DUMMY]: dummy, ...others } = given;
  const isBare = Object.keys(lists["properties"] as object).length === 0;
  const isDummy = isBare && dummy !== undefined;
  if (isDummy) notes.push(`${DUMMY}: left out, because the tool has no arguments`);
  return { args: readMembers(schema, isDummy ? others : given, "", notes), notes };
}

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
    list: (revision) =>
      made.getOrInsertComputed(revision, () => {
        const structured = isStructured(revision);
        return Promise.all(
          selection.listed.map(async (command) => toTool(await command.load(), structured)),
        );
      }),

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
      const outcome = withNotes(await outcomeInToolWords(answer, offers, session.mode), notes);
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
  if (command !== null && command.mcp !== "never") return command;
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
