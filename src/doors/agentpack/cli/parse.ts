/** Turns an argument vector into a command of agentpack and its input, by what the declaration says. */

import {
  type InputOf,
  longName,
  type Option,
  type Options,
  PACK_COMMANDS,
  type PackCommand,
  type Selection,
  TARGET_NAMES,
} from "../../../apps/agentpack/mod.ts";
import type { AmofError } from "../../../base/error.ts";
import type { Environment } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { didYouMean, list, meantText } from "../../../base/text/words.ts";
import { type EntryFlag, readArguments, readFlags } from "../../../pipeline/line/arguments.ts";
import {
  firstWord,
  flagsWithValue,
  takeWords,
  unknownCommand,
  type Worded,
} from "../../../pipeline/line/words.ts";
import { flagOrEnv } from "../../mcp/start.ts";
import {
  type CommonFlags,
  type FlagSpec,
  LAST_FLAGS,
  NO_INPUT,
  readCommonFlags,
  usage,
} from "../../../pipeline/line/flags.ts";

// The global options of agentpack's command line (PACK-38).

/** The global options in the order of help. */
export const PACK_FLAGS: readonly FlagSpec[] = [
  { name: "repo", value: "PATH", help: "The config repo ($AGENTPACK_HOME/repo)" },
  { name: "profile", value: "NAME", help: "Which modules (default)" },
  { name: "target", value: "NAME", choices: TARGET_NAMES, help: "Which tool (all)" },
  { name: "machine", value: "ID", help: "Whose machine overlays (this one's)" },
  {
    name: "project-root",
    value: "DIR",
    help: "The project, if not the current directory (or AGENTPACK_PROJECT_ROOT)",
  },
  { name: "dry-run", help: "Show what would change, and change nothing" },
  { name: "yes", short: "y", help: "Consent to what the command changes" },
  { name: "json", help: "Print one JSON envelope" },
  NO_INPUT,
  ...LAST_FLAGS,
];

/** The global options of one invocation. */
export interface PackFlags extends CommonFlags {
  readonly selection: Selection;
  readonly dryRun: boolean;
}

/** Reads the global options out of parsed values; throws `invalid_arguments`. */
export function readPackFlags(
  values: Readonly<Record<string, unknown>>,
  env: Environment,
): PackFlags {
  const text = (name: string) => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    ...readCommonFlags(values),
    selection: {
      repo: text("repo"),
      profile: text("profile"),
      target: text("target"),
      machine: text("machine"),
      project: flagOrEnv(env, "AGENTPACK_PROJECT_ROOT", text("project-root")) ?? undefined,
    },
    dryRun: values["dry-run"] === true,
  };
}

/** A command by all its words: of one with variants there is an entry for each. */
export interface PackEntry extends Worded {
  readonly command: PackCommand;
  /** What the words say about the input. */
  readonly given: Readonly<Record<string, string>>;
}

/** Every entry of the command line, in the order of help. */
export const PACK_ENTRIES: readonly PackEntry[] = PACK_COMMANDS.flatMap(entriesOf);

/** The entries of one command. */
export function entriesOf(command: PackCommand): PackEntry[] {
  const { path, variant } = command;
  if (variant === undefined) return [{ path, command, given: {} }];
  return (command.options[variant]?.choices ?? []).map((word) => ({
    path: [...path, word],
    command,
    given: { [variant]: word },
  }));
}

/** The options of an entry that are not settled by its words. */
export function openOptions({ command, given }: PackEntry): [string, Option][] {
  return Object.entries(command.options).filter(([id]) => given[id] === undefined);
}

/** The flags that an option is written with; none for what stands without one. */
export function flagsOf(id: string, option: Option): EntryFlag[] {
  if (option.positional) return [];
  const name = longName(id, option);
  const { help, choices, fallback } = option;
  const flag = { member: id, name, help, choices, fallback };
  switch (option.kind) {
    case "flag":
      return [{ ...flag, type: "boolean" }];
    case "switch":
      return [
        { ...flag, type: "boolean", means: { [id]: true } },
        {
          ...flag,
          type: "boolean",
          name: `no-${name}`,
          help: `The opposite of --${name}`,
          means: { [id]: false },
        },
      ];
    case "text":
    case "list": {
      const value = option.value ?? (choices.length > 0 ? choices.join("|") : "TEXT");
      return [{ ...flag, type: option.kind === "list" ? "array" : "string", value }];
    }
  }
}

/** A parsed invocation. */
export interface PackInvocation {
  readonly entry: PackEntry;
  readonly flags: PackFlags;
  readonly input: InputOf<Options>;
}

const WITH_VALUE = flagsWithValue(PACK_FLAGS);

/** The first words of an argument vector, passing over global options between them. */
export function takePackWords(
  argv: readonly string[],
  more: readonly Worded[] = [],
): ReturnType<typeof takeWords> {
  return takeWords(argv, [...PACK_ENTRIES, ...more], WITH_VALUE);
}

/** What is wrong with words that name no command. */
export function unknownPackCommand(
  words: readonly string[],
  rest: readonly string[],
  more: readonly Worded[],
  prefix: string,
): AmofError {
  return unknownCommand(words, rest, [...PACK_ENTRIES, ...more], { prefix, withValue: WITH_VALUE });
}

/** Whether nothing but flags stands behind the words of a group; throws `invalid_arguments` where one is wrong. */
export function asksForGroup(
  rest: readonly string[],
  words: readonly string[],
  prefix: string,
): boolean {
  if (firstWord(rest, WITH_VALUE) !== undefined || rest.includes("--json")) return false;
  readFlags(rest, { all: PACK_FLAGS, repeatable: [] }, [prefix, ...words].join(" "));
  return true;
}

/** Parses what stands behind the words of a command. Throws `invalid_arguments`. */
export function parsePack(
  entry: PackEntry,
  rest: readonly string[],
  env: Environment,
  prefix: string,
): PackInvocation {
  const path = [prefix, ...entry.path].join(" ");
  const open = openOptions(entry);
  const { values, args } = readArguments(rest, {
    own: open.flatMap(([id, option]) => flagsOf(id, option)),
    positionals: open.filter(([, option]) => option.positional).map(([id]) => id),
    others: PACK_FLAGS,
    preset: entry.given,
  }, path);
  const checked = open.map(([id, option]) => [id, valueOf(id, option, args[id], path)]);
  const input = { ...args, ...Object.fromEntries(checked) };
  return { entry, flags: readPackFlags(values, env), input };
}

/** What was given for an option, checked, or its fallback. */
function valueOf(id: string, option: Option, given: unknown, path: string): unknown {
  const name = option.positional ? id.toUpperCase() : `--${longName(id, option)}`;
  const check = (value: string): string => {
    if (option.choices.length === 0 || option.choices.includes(value)) return value;
    throw usage(
      `Cannot use ${name} "${cleanLine(value, 60)}"${meantText(didYouMean(value, option.choices))}`,
      `Use ${list(option.choices, "or")}`,
    );
  };
  if (Array.isArray(given)) {
    return given.flatMap((part) => String(part).split(",")).map((part) => part.trim())
      .filter((part) => part !== "").map(check);
  }
  if (typeof given === "boolean") return given;
  if (typeof given === "string" && given !== "") return check(given);
  if (option.required) throw usage(`${path} needs ${name}`, `See: ${path} --help`);
  return option.fallback;
}
