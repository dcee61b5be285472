/** Words and schemas that the declarations of several tools share (PACK-45). */

import type { JsonSchema } from "../../../contract/input.ts";
import type { Selecting, ToolSpec } from "./command.ts";

/** The selecting arguments of most tools. */
export const EVERY_SELECTOR: readonly Selecting[] = ["repo", "profile", "target", "machine"];

/** The schemas of the selecting arguments. The contract names four targets; others are taken, too. */
export const SELECTING_SCHEMAS: Readonly<Record<Selecting, JsonSchema>> = {
  repo: {
    type: "string",
    description: "Path to the agentpack config repo (default: $AGENTPACK_HOME/repo).",
  },
  profile: { type: "string", default: "default" },
  target: {
    type: "string",
    default: "all",
    enum: ["all", "codex", "claude_code", "cursor", "vscode"],
  },
  machine: {
    type: "string",
    description: "Machine id for machine overlays. Omit to auto-detect.",
  },
};

/** `dry_run` without more words. */
export const DRY_RUN: JsonSchema = { type: "boolean", default: false };

/** `yes` where it must be true. */
export const MUST_SAY_YES: JsonSchema = {
  const: true,
  description: "Required explicit approval for mutating operations.",
};

/** `yes` where a dry run needs none. */
export const MAY_SAY_YES: JsonSchema = {
  type: "boolean",
  default: false,
  description: "Required explicit approval when not dry_run.",
};

/** The hints of tools that only read; a missing git checkout is fetched all the same. */
export const READS: ToolSpec["hints"] = {
  reads: true,
  destroys: false,
  idempotent: true,
  openWorld: true,
};
