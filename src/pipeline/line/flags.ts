/** The flags every command of the command line has (EXIT-3). */

import { type Color, COLORS, isColor } from "../../state/settings/mod.ts";
import { isMode, type Mode, MODES, MODES_IN_WORDS } from "../../base/policy/mode.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, meantText } from "../../base/text/words.ts";

/** One global flag. */
export interface FlagSpec {
  readonly name: string;
  readonly short?: string;
  /** Another spelling that is accepted and not shown. */
  readonly also?: string;
  /** What the value is called in help; absent for switches. */
  readonly value?: string;
  /** What a value is called that the flag may have behind `=` and does without. */
  readonly optional?: string;
  /** The values of a closed set; absent or empty for open ones. */
  readonly choices?: readonly string[];
  readonly help: string;
}

/** Refuses instead of asking. */
export const NO_INPUT: FlagSpec = {
  name: "no-input",
  help: "Never ask; a missing consent is a refusal",
};

/** The ticket whose own workspace a command works in, where it can. */
export const TICKET_FLAG: FlagSpec = {
  name: "ticket",
  short: "t",
  value: "ID",
  help: "Work in this ticket's own workspace (main: in the base workspace)",
};

/** What stands last on every command line of the program. */
export const LAST_FLAGS: readonly FlagSpec[] = [
  {
    name: "color",
    value: "WHEN",
    choices: COLORS,
    help: "auto, always or never (or NO_COLOR)",
  },
  { name: "help", short: "h", help: "Show help" },
  { name: "version", short: "V", help: "Show the version" },
];

/** The flags that every command line of the program has. */
export interface CommonFlags {
  readonly yes: boolean;
  readonly json: boolean;
  readonly noInput: boolean;
  readonly color: Color;
}

/** The global flags in the order of help. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  { name: "root", value: "DIR", help: "The control repository (or AMOF_ROOT)" },
  { name: "ecosystem", short: "e", value: "NAME", help: "The ecosystem meant" },
  {
    name: "mode",
    value: "MODE",
    choices: MODES,
    help: `${MODES_IN_WORDS} (default)`,
  },
  { name: "dry-run", help: "Preview only, the same as --mode plan" },
  { name: "yes", short: "y", help: "Consent to what the command asks for" },
  { name: "confirm-name", value: "NAME", help: "Consent to a command that asks to type a name" },
  { name: "json", optional: "FIELD,…", help: "Print one JSON object, or only these fields of it" },
  { name: "jq", value: "EXPR", help: "Print what a jq expression makes of that object" },
  NO_INPUT,
  { name: "jobs", value: "N", help: "How many repositories to work on at once" },
  { name: "quiet", short: "q", help: "No progress and no next steps" },
  { name: "verbose", short: "v", help: "More about what happens, on standard error" },
  { name: "no-pager", help: "Show long output as it is, without a pager" },
  ...LAST_FLAGS,
];

/** The global flags of one invocation. */
export interface GlobalFlags extends CommonFlags {
  readonly root: string | null;
  readonly ecosystem: string | null;
  /** Null when not given; the command line acts then. */
  readonly mode: Mode | null;
  readonly confirmName: string | null;
  readonly jobs: number | null;
  /** The fields behind `--json=`, or null for all of them. */
  readonly fields: readonly string[] | null;
  /** The expression of `--jq`, or null. */
  readonly jq: string | null;
  /** Whether long output may go through a pager. */
  readonly pager: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

function text(values: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = values[name];
  return typeof value === "string" ? value : null;
}

/** A value that is none, with the one that was probably meant. */
function wrong(value: string, choices: readonly string[]): string {
  return `"${cleanLine(value, 60)}"${meantText(didYouMean(value, choices))}`;
}

/** A refusal of a command line. */
export function usage(message: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", message, { hint });
}

/** Reads the flags that every command line has; throws `invalid_arguments`. */
export function readCommonFlags(values: Readonly<Record<string, unknown>>): CommonFlags {
  const color = text(values, "color") ?? "auto";
  if (!isColor(color)) {
    throw usage(`Cannot use color ${wrong(color, COLORS)}`, "Use auto, always or never");
  }
  return {
    yes: values["yes"] === true,
    json: values["json"] === true,
    noInput: values["no-input"] === true,
    color,
  };
}

/** Reads the global flags out of parsed values; throws `invalid_arguments`. */
export function readGlobalFlags(values: Readonly<Record<string, unknown>>): GlobalFlags {
  const mode = text(values, "mode");
  if (mode !== null && !isMode(mode)) {
    throw usage(`Cannot use mode ${wrong(mode, MODES)}`, "Use ask, plan or execute");
  }
  const jobs = text(values, "jobs");
  if (jobs !== null && !/^[1-9]\d{0,2}$/.test(jobs)) {
    throw usage(`Cannot use --jobs "${jobs}"`, "Use a number from 1 to 999");
  }
  return {
    ...readCommonFlags(values),
    json: values["json"] === true || text(values, "jq") !== null,
    fields: null,
    jq: text(values, "jq"),
    pager: values["no-pager"] !== true,
    root: text(values, "root"),
    ecosystem: text(values, "ecosystem"),
    mode: values["dry-run"] === true && mode !== "ask" ? "plan" : mode,
    confirmName: text(values, "confirm-name"),
    jobs: jobs === null ? null : Number(jobs),
    quiet: values["quiet"] === true,
    verbose: values["verbose"] === true,
  };
}
