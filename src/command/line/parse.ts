/**
 * Turns an argument vector into a command and its arguments, by what the command's schema says.
 *
 * @module
 */

import { parseArgs, type ParsedArgs } from "@std/cli/parse-args";
import { defined } from "../../object.ts";
import { MOST_SECONDS } from "../common.ts";
import { membersOf } from "../members.ts";
import { AmofError } from "../../error.ts";
import { type Command, type Fields, isNetworked } from "../../contract/mod.ts";
import { cleanLine } from "../../text/sanitize.ts";
import { didYouMean, list } from "../../text/words.ts";
import { type FlagSpec, GLOBAL_FLAGS, type GlobalFlags, readGlobalFlags } from "./flags.ts";
import type { Program } from "./program.ts";

/** A command, or other words that mean it with some members given. */
export type CommandEntry = Command & { readonly preset?: Fields };

/** Anything that has words on the command line. */
export type Entry = CommandEntry | Program;

/** One flag of a command. */
export interface EntryFlag extends FlagSpec {
  /** The member of the input. */
  readonly member: string;
  readonly type: "boolean" | "string" | "integer" | "array";
  readonly choices: readonly string[];
  readonly fallback: unknown;
  /** What the flag means when it is given without a value of its own; absent for all other flags. */
  readonly means?: Fields;
}

/** Switches that the door adds to some commands. */
export interface DoorSwitches {
  readonly background: boolean;
  readonly follow: boolean;
  /** How long one transfer may take, in seconds; null for as long as it makes progress. */
  readonly timeout: number | null;
}

/** A parsed invocation. */
export interface Invocation {
  readonly entry: Entry;
  readonly flags: GlobalFlags;
  readonly args: Readonly<Record<string, unknown>>;
  readonly switches: DoorSwitches;
}

/** The switches of a command that belong to the door and not to the command. */
export function doorFlags(entry: Entry): FlagSpec[] {
  return [
    ...(entry.kind === "mutation" && entry.runs !== undefined
      ? [{ name: "background", help: "Start the run and answer at once" }]
      : []),
    ...(entry.kind === "query" && entry.follows
      ? [{ name: "follow", short: "f", help: "Go on until the run has ended" }]
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

/** What a shortcut says by its words alone. */
function presetOf(entry: Entry): Fields {
  return entry.kind === "program" ? {} : entry.preset ?? {};
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

function dashed(member: string): string {
  return member.replaceAll("_", "-");
}

/** Whether choices are too many to stand beside a flag. */
function isLong(choices: readonly string[]): boolean {
  return choices.join("|").length > 50;
}

/** What the value of a flag is called in help. */
function valueName(type: EntryFlag["type"], choices: readonly string[]): string {
  if (isLong(choices)) return "WORD";
  return choices.length > 0 ? choices.join("|") : type === "integer" ? "N" : "TEXT";
}

/** The flags of a command, out of its schema. */
export async function entryFlags(entry: Entry): Promise<EntryFlag[]> {
  const { z } = await import("../../contract/zod.ts");
  const preset = presetOf(entry);
  const members = membersOf(entry.input(z)).filter(({ name }) => !Object.hasOwn(preset, name));
  return [
    ...members.map(({ name: member, type, choices, description, fallback }): EntryFlag => {
      const short = entry.short?.[member];
      // A switch that is on by default only has the form that turns it off: `--no-NAME`.
      const off = type === "boolean" && fallback === true;
      return {
        member,
        name: entry.flags?.[member] ?? `${off ? "no-" : ""}${dashed(member)}`,
        ...defined({ short }),
        ...(type === "boolean" ? {} : { value: valueName(type, choices) }),
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

function usage(message: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", message, { hint });
}

function unknownFlag(
  flag: string,
  known: readonly FlagSpec[],
  path: string,
  instead: Readonly<Record<string, string>>,
): AmofError {
  const written = flag.replace(/^-+/, "").replace(/=.*$/s, "");
  const bare = written === "f" ? "force" : written;
  const meant = Object.hasOwn(instead, bare) ? instead[bare] : undefined;
  const near = meant === undefined ? didYouMean(bare, known.map((spec) => spec.name)) : null;
  return usage(
    `Cannot use ${cleanLine(flag.replace(/=.*$/s, ""), 60)}: ${path} has no such flag${
      near === null ? "" : `; did you mean --${near}?`
    }`,
    meant ?? `See: ${path} --help`,
  );
}

/**
 * Tells flags, their values and what stands alone apart; `instead` says of flags that do not exist what is meant.
 * Throws `invalid_arguments`.
 */
export function readFlags(
  rest: readonly string[],
  all: readonly FlagSpec[],
  repeatable: readonly FlagSpec[],
  path: string,
  instead: Readonly<Record<string, string>> = {},
): ParsedArgs {
  const unknown: string[] = [];
  const parsed = parseArgs(rest, {
    boolean: all.filter((flag) => flag.value === undefined).map((flag) => flag.name),
    string: ["_", ...all.filter((flag) => flag.value !== undefined).map((flag) => flag.name)],
    collect: repeatable.map((flag) => flag.name),
    alias: Object.fromEntries(
      all.flatMap((flag) => flag.short === undefined ? [] : [[flag.name, flag.short]]),
    ),
    unknown: (argument, key) => {
      if (key !== undefined) unknown.push(argument);
      return key === undefined;
    },
  });
  if (unknown[0] !== undefined) throw unknownFlag(unknown[0], all, path, instead);
  for (const flag of all) {
    const given = parsed[flag.name];
    if (
      flag.value !== undefined && (given === "" || (Array.isArray(given) && given.includes("")))
    ) {
      throw usage(
        `Cannot use --${flag.name} without a value`,
        `Write --${flag.name}=${flag.value}`,
      );
    }
  }
  return parsed;
}

/** Parses what stands behind the words of a command. Throws `invalid_arguments`. */
export async function parseInvocation(entry: Entry, rest: readonly string[]): Promise<Invocation> {
  const own = await entryFlags(entry);
  const positionals = entry.positionals ?? [];
  const extras = doorFlags(entry);
  // A member with the name of a global flag is given by that flag.
  const globalNames = new Set(GLOBAL_FLAGS.map((flag) => flag.name));
  const mine = own.filter((flag) => !globalNames.has(flag.name));
  const all: FlagSpec[] = [...GLOBAL_FLAGS, ...extras, ...mine];
  const path = ["amof", ...entry.path].join(" ");
  const instead = entry.kind === "program" ? {} : entry.instead ?? {};
  const lists = mine.filter((flag) => flag.type === "array");
  const parsed = readFlags(rest, all, lists, path, instead);
  const flags = readGlobalFlags(parsed);
  const args: Record<string, unknown> = { ...presetOf(entry) };
  for (const flag of own) {
    if (flag.means !== undefined) {
      if (parsed[flag.name] === true) addMeaning(args, flag, flag.means);
      continue;
    }
    const value = globalNames.has(flag.name) ? globalValue(flag.name, flags) : parsed[flag.name];
    if (
      value === undefined || value === null || value === false ||
      (Array.isArray(value) && value.length === 0)
    ) continue;
    args[flag.member] = flag.type === "integer" && typeof value === "string"
      ? toInteger(value)
      : value;
  }
  placePositionals(args, own, positionals, parsed._.map(String), path);
  return {
    entry,
    flags,
    args,
    switches: {
      background: parsed["background"] === true &&
        extras.some((flag) => flag.name === "background"),
      follow: parsed["follow"] === true && extras.some((flag) => flag.name === "follow"),
      timeout: extras.some((flag) => flag.name === "timeout") ? secondsOf(parsed["timeout"]) : null,
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

/** Adds what a switch stands for; two that say different things contradict each other. */
function addMeaning(args: Record<string, unknown>, flag: EntryFlag, means: Fields): void {
  for (const [member, value] of Object.entries(means)) {
    if (Object.hasOwn(args, member) && args[member] !== value) {
      throw usage(
        `Cannot use --${flag.name} together with --${dashed(member)}=${String(args[member])}`,
        `Choose one of them`,
      );
    }
    args[member] = value;
  }
}

function globalValue(name: string, flags: GlobalFlags): unknown {
  if (name === "ecosystem") return flags.ecosystem;
  if (name === "confirm-name") return flags.confirmName;
  if (name === "root") return flags.root;
  if (name === "mode") return flags.mode;
  return undefined;
}

/** What is no integer stays text, so that the schema says what is wrong with it. */
function toInteger(value: string): unknown {
  return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

function placePositionals(
  args: Record<string, unknown>,
  own: readonly EntryFlag[],
  names: readonly string[],
  values: readonly string[],
  path: string,
): void {
  values.forEach((value, index) => {
    const name = names[Math.min(index, names.length - 1)];
    const flag = own.find((candidate) => candidate.member === name);
    if (name === undefined || (index >= names.length && flag?.type !== "array")) {
      throw usage(
        `Cannot use "${cleanLine(value, 60)}": ${path} takes ${
          names.length === 0 ? "no arguments" : `only ${names.join(", ").toUpperCase()}`
        }`,
        `See: ${path} --help`,
      );
    }
    if (flag?.type === "array") args[name] = [...(args[name] as string[] | undefined ?? []), value];
    else args[name] = flag?.type === "integer" ? toInteger(value) : value;
  });
}
