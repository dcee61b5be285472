/** Turns an argument vector into a command and its arguments, by what the command's schema says. */

import { defined, type Fields } from "../../base/object.ts";
import { MOST_SECONDS } from "../common.ts";
import { membersOf } from "../members.ts";
import { type Command, isNetworked, lightly } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { list } from "../../base/text/words.ts";
import { dashed, type EntryFlag, readArguments, usage } from "./arguments.ts";
import { beyondArguments } from "./beyond.ts";
import { takeFields } from "./fields.ts";
import {
  type FlagSpec,
  GLOBAL_FLAGS,
  type GlobalFlags,
  readGlobalFlags,
  TICKET_FLAG,
} from "./flags.ts";
import type { Program } from "./program.ts";
import { isLong, valueName } from "./value_name.ts";

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
    ...(entry.kind !== "program" && entry.inTicket === true ? [TICKET_FLAG] : []),
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
