/** The global options of agentpack's command line (PACK-38). */

import { type Selection, TARGET_NAMES } from "../../../apps/agentpack/mod.ts";
import { flagOrEnv } from "../../mcp/start.ts";
import type { Environment } from "../../../base/system/mod.ts";
import {
  type CommonFlags,
  type FlagSpec,
  LAST_FLAGS,
  NO_INPUT,
  readCommonFlags,
} from "../../../pipeline/line/flags.ts";

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
