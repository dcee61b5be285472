/**
 * Reads what stands behind the words of a command, of amof's and of other command lines, by one list of facts: flags,
 * and the members that stand without one. Help and completion read the same facts.
 */

import { parseArgs, type ParsedArgs } from "@std/cli/parse-args";
import type { Fields } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, shellWord } from "../../base/text/words.ts";
import { type FlagSpec, usage } from "./flags.ts";
import { flagsWithValue } from "./words.ts";

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

interface Taking {
  /** What its input is made of. */
  readonly own: readonly EntryFlag[];
  /** The members that stand without a flag, in order; the last may take all the rest. */
  readonly positionals: readonly string[];
  /** The member that takes everything behind `--` as it is; absent where that is like the rest. */
  readonly behind?: string | undefined;
  /** Flags of all commands, and of the door. */
  readonly others: readonly FlagSpec[];
  /** What the words of the command say already. */
  readonly preset?: Fields;
  /** What is meant by flags that do not exist. */
  readonly instead?: Readonly<Record<string, string>>;
  /** How words that no argument takes are said, as a hint; undefined where nothing is known of them. */
  readonly beyond?: ((words: readonly string[]) => string | undefined) | undefined;
  /** The value of a member whose flag is one of the others. */
  readonly shared?: (name: string, values: Fields) => unknown;
}

interface Taken {
  /** Every flag by its name. */
  readonly values: Fields;
  /** The members that were given, and those that the words say. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** A member as the name of a flag. */
export function dashed(member: string): string {
  return member.replaceAll("_", "-");
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
 * Joins a `-` behind a flag with a value to that flag. A single `-` is a value, of programs that write to
 * standard output or read standard input. Only what follows a dash makes it a flag.
 */
function withDashes(rest: readonly string[], all: readonly FlagSpec[]): readonly string[] {
  const withValue = flagsWithValue(all);
  const joined: string[] = [];
  for (let index = 0; index < rest.length; index++) {
    const token = rest[index] ?? "";
    if (token === "--") return [...joined, ...rest.slice(index)];
    if (!withValue.has(token)) {
      joined.push(token);
    } else if (rest[index + 1] === "-") {
      joined.push(`${token}=-`);
      index++;
    } else joined.push(token);
  }
  return joined;
}

/**
 * Tells flags, their values and what stands alone apart; `instead` says of flags that do not exist what is meant.
 * Throws `invalid_arguments`.
 */
export function readFlags(
  rest: readonly string[],
  { all, repeatable }: {
    readonly all: readonly FlagSpec[];
    readonly repeatable: readonly FlagSpec[];
  },
  path: string,
  instead: Readonly<Record<string, string>> = {},
): ParsedArgs {
  const unknown: string[] = [];
  const parsed = parseArgs(withDashes(rest, all), {
    boolean: all.filter((flag) => flag.value === undefined).map((flag) => flag.name),
    string: ["_", ...all.filter((flag) => flag.value !== undefined).map((flag) => flag.name)],
    collect: repeatable.map((flag) => flag.name),
    alias: Object.fromEntries(all.map((flag) => {
      const others = [flag.short, flag.also].filter((name) => name !== undefined);
      return [flag.name, others];
    })),
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

/** Reads what stands behind the words of a command, which are the end of `path`. Throws `invalid_arguments`. */
export function readArguments(rest: readonly string[], taking: Taking, path: string): Taken {
  const { own, others, instead, shared } = taking;
  const otherNames = new Set(others.map((flag) => flag.name));
  const mine = own.filter((flag) => !otherNames.has(flag.name));
  const lists = mine.filter((flag) => flag.type === "array");
  const { plain, words } = splitAtDashes(rest, taking, [...others, ...mine], path);
  const values = readFlags(plain, { all: [...others, ...mine], repeatable: lists }, path, instead);
  const args: Record<string, unknown> = { ...taking.preset };
  if (taking.behind !== undefined && words.length > 0) args[taking.behind] = words;
  for (const flag of own) {
    if (flag.means !== undefined) {
      if (values[flag.name] === true) addMeaning(args, flag, flag.means);
      continue;
    }
    const value = otherNames.has(flag.name) ? shared?.(flag.name, values) : values[flag.name];
    // A switch that nobody named is false, too; one without a default may be turned off by name.
    const isOff = value === false && flag.fallback === undefined &&
      plain.includes(`--${flag.name}=false`);
    if (
      value === undefined || value === null || value === false && !isOff ||
      (Array.isArray(value) && value.length === 0)
    ) continue;
    args[flag.member] = flag.type === "integer" && typeof value === "string"
      ? toNumber(value)
      : value;
  }
  placePositionals(args, taking, values._.map(String), path);
  return { values, args };
}

/**
 * Parts what belongs to the command from the words for another program, which stand behind `--`. Throws where they
 * stand there without it: nobody could tell whose flags are whose.
 */
function splitAtDashes(
  rest: readonly string[],
  { own, positionals, behind, instead = {} }: Taking,
  flags: readonly FlagSpec[],
  path: string,
): { readonly plain: readonly string[]; readonly words: readonly string[] } {
  if (behind === undefined) return { plain: rest, words: [] };
  const withValue = flagsWithValue(flags);
  // Where any number of arguments stand alone, those that were meant for the program are for the command to refuse.
  const last = own.find(({ member }) => member === positionals.at(-1));
  const most = last?.type === "array" ? Infinity : positionals.length;
  let alone = 0;
  for (let index = 0; index < rest.length; index++) {
    const token = rest[index] ?? "";
    if (token === "--") return { plain: rest.slice(0, index), words: rest.slice(index + 1) };
    if (withValue.has(token)) index++;
    else if (!token.startsWith("-") && alone++ === most) {
      // A flag that nobody knows makes its value look like such a word.
      readFlags(rest.slice(0, index), { all: flags, repeatable: [] }, path, instead);
      const before = [path, ...rest.slice(0, index).map(shellWord)].join(" ");
      const words = rest.slice(index).map(shellWord).join(" ");
      throw usage(
        `Cannot tell what "${
          cleanLine(token, 60)
        }" belongs to: the words of the program begin behind --`,
        `Write: ${before} -- ${words}`,
      );
    }
  }
  return { plain: rest, words: [] };
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

/** What is no number stays text, so that the schema says what is wrong with it. */
function toNumber(value: string): unknown {
  return /^-?(?=.{1,16}$)\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

function placePositionals(
  args: Record<string, unknown>,
  { own, positionals: names, beyond }: Taking,
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
        beyond?.(values.slice(index)) ?? `See: ${path} --help`,
      );
    }
    if (flag?.type === "array") args[name] = [...(args[name] as string[] | undefined ?? []), value];
    else args[name] = flag?.type === "integer" ? toNumber(value) : value;
  });
}
