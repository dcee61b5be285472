/** Turns an argument vector into a command and its arguments, by what the command's schema says. */

import { defined, type Fields } from "../../base/object.ts";
import { MOST_SECONDS } from "../common.ts";
import { type Command, type InputSchema, isNetworked, lightly } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { list } from "../../base/text/words.ts";
import { dashed, type EntryFlag, readArguments } from "./arguments.ts";
import { beyondArguments } from "./beyond.ts";
import { takeFields } from "./fields.ts";
import {
  type FlagSpec,
  GLOBAL_FLAGS,
  type GlobalFlags,
  readGlobalFlags,
  TICKET_FLAG,
  usage,
} from "./flags.ts";
import type { Program } from "./program.ts";

interface Member {
  readonly name: string;
  readonly type: "boolean" | "string" | "integer" | "array";
  readonly description: string;
  /** The values of a closed set; empty for open ones. */
  readonly choices: readonly string[];
  /** The default, or undefined without one. */
  readonly fallback: unknown;
}

/** The part of a zod schema that is looked at (zod 4, `schema.def` and `schema.description`). */
interface Definition {
  readonly description?: string | undefined;
  readonly def: {
    readonly type: string;
    readonly innerType?: Definition;
    readonly defaultValue?: unknown;
    readonly entries?: Readonly<Record<string, string | number>>;
  };
}

const TYPES: Readonly<Record<string, Member["type"]>> = {
  boolean: "boolean",
  number: "integer",
  array: "array",
};

function member(name: string, schema: Definition): Member {
  let description = schema.description ?? "";
  let fallback: unknown;
  let inner = schema;
  while (inner.def.innerType !== undefined) {
    if (inner.def.type === "default") fallback = inner.def.defaultValue;
    inner = inner.def.innerType;
    description ||= inner.description ?? "";
  }
  return {
    name,
    type: TYPES[inner.def.type] ?? "string",
    description,
    choices: Object.values(inner.def.entries ?? {}).map(String),
    fallback,
  };
}

/**
 * The members of an object schema in the order they were written, read from zod's own definitions. That is much
 * cheaper than a JSON Schema, which a command line would have to make for every call.
 */
export function membersOf(schema: InputSchema): Member[] {
  return Object.entries(schema.shape).map(([name, inner]) =>
    member(name, inner as unknown as Definition)
  );
}

/** Flags whose last word is not what they take. */
const OTHERWISE: Readonly<Record<string, string>> = {
  "adopt": "DIR",
  "allow-no-touch": "PATH",
  "allow-secret": "PATH",
  "at": "COMMIT",
  "base": "REPO=BRANCH",
  "body": "TEXT",
  "depends-on": "REPO",
  "description": "TEXT",
  "env": "NAME",
  "exclude-tools": "NAMES",
  "failed-from": "RUN",
  "from": "PATH",
  "from-org": "NAME",
  "head": "HASH",
  "initial": "VERSION",
  "message": "TEXT",
  "message-for": "REPO=TEXT",
  "only": "STATE",
  "out": "FILE",
  "output": "FILE",
  "products": "CODE",
  "project-root": "DIR",
  "resume": "RUN",
  "retry-failed": "RUN",
  "search": "TEXT",
  "shell": "LINE",
  "since": "WHEN",
  "stale": "WHEN",
  "ticket": "ID",
  "time-limit": "TIME",
  "tools": "NAMES",
  "toolsets": "NAMES",
  "until": "WHEN",
};

/** The flags that {@linkcode valueName} names by the list and not by their own last word. */
export const NAMED_OTHERWISE: readonly string[] = Object.keys(OTHERWISE);

/** Whether choices are too many to stand beside a flag. */
function isLong(choices: readonly string[]): boolean {
  return choices.join("|").length > 50;
}

/** The name: the choices where they are few, `N` for numbers, else what is meant, as in `--lock-file FILE`. */
export function valueName(
  flag: string,
  type: "string" | "integer" | "array",
  choices: readonly string[],
): string {
  if (isLong(choices)) return "WORD";
  if (choices.length > 0) return choices.join("|");
  if (type === "integer") return "N";
  return OTHERWISE[flag] ?? flag.slice(flag.lastIndexOf("-") + 1).toUpperCase();
}

/** A command, or other words that mean it with some members given. */
export type CommandEntry = Command & { readonly preset?: Fields };

/** Anything that has words on the command line. */
export type Entry = CommandEntry | Program;

/** Switches that the door adds to some commands. */
interface DoorSwitches {
  readonly background: boolean;
  readonly follow: boolean;
  readonly watch: boolean;
  /** How long one transfer may take, in seconds; null for as long as it makes progress. */
  readonly timeout: number | null;
}

/** A parsed invocation. */
export interface Invocation {
  readonly entry: Entry;
  readonly flags: GlobalFlags;
  readonly args: Readonly<Record<string, unknown>>;
  readonly switches: DoorSwitches;
  /** What was typed behind the words of the command. */
  readonly rest: readonly string[];
}

/** The switches of a command that belong to the door and not to the command. */
export function doorFlags(entry: Entry): FlagSpec[] {
  return [
    ...(entry.kind !== "program" && entry.inTicket === "its workspace" ? [TICKET_FLAG] : []),
    ...(entry.kind === "mutation" && entry.runs !== undefined
      ? [{ name: "background", help: "Start the run and answer at once" }]
      : []),
    ...(entry.kind === "query" && entry.follows
      ? [{ name: "follow", short: "f", help: "Go on until the run has ended" }]
      : []),
    ...(entry.kind === "query" && entry.watches !== undefined
      ? [{ name: "watch", help: "Show it again whenever something changes, until you quit" }]
      : []),
    ...(entry.kind !== "program" && isNetworked(entry)
      ? [{
        name: "timeout",
        value: "SECONDS",
        help: "End any transfer that takes longer (without: what makes no progress for 60 s)",
      }]
      : []),
  ];
}

/** What is said to whoever names a ticket to a command that has no place for it. */
const NO_TICKET = {
  ticket: "It is not about the workspace of one ticket: leave the ticket out",
  t: "It is not about the workspace of one ticket: leave the ticket out",
};

/** What a shortcut says by its words alone. */
function presetOf(entry: Entry): Fields {
  return entry.kind === "program" ? {} : entry.preset ?? {};
}

/** The member that takes what stands behind `--`. */
function behindOf(entry: Entry): string | undefined {
  return entry.kind === "program" ? undefined : entry.behind;
}

/** The switches that a command declares for values of its members. */
function declaredSwitches(entry: Entry): EntryFlag[] {
  if (entry.kind === "program") return [];
  return Object.entries(entry.switches ?? {}).map(([name, means]) => ({
    member: "",
    name,
    help: `Same as ${
      Object.entries(means).map(([member, value]) => `--${dashed(member)}=${value}`).join(" ")
    }`,
    type: "boolean",
    choices: [],
    fallback: false,
    means,
  }));
}

/** The flags of a command, out of its schema. */
export async function entryFlags(entry: Entry): Promise<EntryFlag[]> {
  const input = lightly((z) => entry.input(z)) ??
    entry.input(await import("../../contract/zod.ts"));
  const preset = presetOf(entry);
  const members = membersOf(input)
    .filter(({ name }) => !Object.hasOwn(preset, name) && name !== behindOf(entry));
  const names = new Set([
    ...GLOBAL_FLAGS.map((flag) => flag.name),
    ...members.map(({ name: member }) => entry.flags?.[member] ?? dashed(member)),
  ]);
  return [
    ...members.map(({ name: member, type, choices, description, fallback }): EntryFlag => {
      const short = entry.short?.[member];
      // A switch that is on by default only has the form that turns it off: `--no-NAME`.
      const off = type === "boolean" && fallback === true;
      // The name of the tool's member is accepted as well: `--repos` for `--repo`.
      const also = entry.flags?.[member] === undefined || names.has(dashed(member))
        ? undefined
        : dashed(member);
      const name = entry.flags?.[member] ?? `${off ? "no-" : ""}${dashed(member)}`;
      return {
        member,
        name,
        ...defined({ short, also }),
        ...(type === "boolean" ? {} : { value: valueName(name, type, choices) }),
        help: off
          ? `Do not ${description.charAt(0).toLowerCase()}${description.slice(1)}`
          : isLong(choices)
          ? `${description}: ${list(choices, "or")}`
          : description,
        type,
        choices,
        fallback: off ? false : fallback,
        ...(off ? { means: { [member]: false } } : {}),
      };
    }),
    ...declaredSwitches(entry),
  ];
}

/** Parses what stands behind the words of a command. Throws `invalid_arguments`. */
export async function parseInvocation(entry: Entry, rest: readonly string[]): Promise<Invocation> {
  const own = await entryFlags(entry);
  const positionals = entry.positionals ?? [];
  const mine = new Set(own.map(({ name }) => name));
  const extras = doorFlags(entry).filter(({ name }) => !mine.has(name));
  const path = ["amof", ...entry.path].join(" ");
  const instead = entry.kind === "program" ? {} : { ...NO_TICKET, ...entry.instead };
  const { rest: plain, fields } = takeFields(rest);
  const { values, args } = readArguments(plain, {
    own,
    positionals,
    others: [...GLOBAL_FLAGS, ...extras],
    preset: presetOf(entry),
    behind: behindOf(entry),
    instead,
    beyond: (words) =>
      beyondArguments(words, {
        path,
        rest: plain,
        own,
        others: [...GLOBAL_FLAGS, ...extras],
        positionals,
        isOfOne: entry.kind !== "program" && entry.scope === "ecosystem",
      }),
    // A member with the name of a global flag is given by that flag.
    shared: (name, values) =>
      GLOBAL_FLAGS.some((flag) => flag.name === name)
        ? globalValue(name, readGlobalFlags(values))
        : values[name],
  }, path);
  const flags = { ...readGlobalFlags(values), fields };
  const ticket = extras.includes(TICKET_FLAG) ? values[TICKET_FLAG.name] : undefined;
  return {
    entry,
    flags,
    rest,
    args: typeof ticket === "string" ? { ...args, ticket } : args,
    switches: {
      background: values["background"] === true &&
        extras.some((flag) => flag.name === "background"),
      follow: values["follow"] === true && extras.some((flag) => flag.name === "follow"),
      watch: values["watch"] === true && extras.some((flag) => flag.name === "watch"),
      timeout: extras.some((flag) => flag.name === "timeout") ? secondsOf(values["timeout"]) : null,
    },
  };
}

/** A number of seconds; null when there is none. Throws `invalid_arguments`. */
function secondsOf(value: unknown): number | null {
  if (value === undefined) return null;
  if (typeof value === "string" && /^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw usage(
    `Cannot use --timeout "${cleanLine(String(value), 60)}"`,
    `Use a number of seconds from 1 to ${MOST_SECONDS}`,
  );
}

function globalValue(name: string, flags: GlobalFlags): unknown {
  if (name === "ecosystem") return flags.ecosystem;
  if (name === "confirm-name") return flags.confirmName;
  if (name === "root") return flags.root;
  if (name === "mode") return flags.mode;
  return undefined;
}
