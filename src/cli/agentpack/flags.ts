/**
 * The global options of agentpack's command line (PACK-38).
 *
 * @module
 */

import { type Selection, TARGET_NAMES } from "../../agentpack/mod.ts";
import { AmofError } from "../../error.ts";
import type { Environment } from "../../system/mod.ts";
import { type Color, COLORS, type FlagSpec, isColor } from "../../command/line/flags.ts";

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
  { name: "no-input", help: "Never ask; a missing consent is a refusal" },
  {
    name: "color",
    value: "WHEN",
    choices: COLORS,
    help: "auto, always or never (or NO_COLOR)",
  },
  { name: "help", short: "h", help: "Show help" },
  { name: "version", short: "V", help: "Show the version" },
];

/** The global options of one invocation. */
export interface PackFlags {
  readonly selection: Selection;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
  readonly noInput: boolean;
  readonly color: Color;
}

/** The project a server or a call is told to work in, by flag or environment variable; undefined for neither. */
function givenProject(env: Environment, flag: unknown): string | undefined {
  if (typeof flag === "string") return flag;
  return env.get("AGENTPACK_PROJECT_ROOT") || undefined;
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
  const color = text("color") ?? "auto";
  if (!isColor(color)) {
    throw new AmofError("invalid_arguments", `Cannot use color "${color}"`, {
      hint: "Use auto, always or never",
    });
  }
  return {
    selection: {
      repo: text("repo"),
      profile: text("profile"),
      target: text("target"),
      machine: text("machine"),
      project: givenProject(env, values["project-root"]),
    },
    dryRun: values["dry-run"] === true,
    yes: values["yes"] === true,
    json: values["json"] === true,
    noInput: values["no-input"] === true,
    color,
  };
}
