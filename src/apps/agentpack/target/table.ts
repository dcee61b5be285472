/** All targets, and the table of their outputs that help is made of (PACK-23). */

import { type ModuleType, TARGET_NAMES, type TargetName } from "../names.ts";
import { claudeCode } from "./claude_code.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { exportDir } from "./export_dir.ts";
import { gemini } from "./gemini.ts";
import type { Target } from "./target.ts";
import { vscode } from "./vscode.ts";
import { windsurf } from "./windsurf.ts";
import { directoryIn, instructionsFile } from "./layout.ts";

/** The target. */
const jetbrains: Target = {
  name: "jetbrains",
  rules: [instructionsFile("guidelines.md", {
    ...directoryIn("project", ".junie"),
    option: "write_guidelines",
    on: true,
    scanExtras: true,
  })],
};

/** The target. */
const zed: Target = {
  name: "zed",
  rules: [
    instructionsFile(".rules", { ...directoryIn("project"), option: "write_rules", on: true }),
  ],
};

/** Every target by name. */
export const TARGETS: Readonly<Record<TargetName, Target>> = {
  codex,
  claude_code: claudeCode,
  cursor,
  vscode,
  jetbrains,
  zed,
  gemini,
  windsurf,
  export_dir: exportDir,
};

/** One row of the table: what a module of a type becomes. */
export interface OutputRow {
  readonly target: TargetName;
  readonly type: ModuleType;
  readonly scope: "user" | "project";
  /** Where the files are. */
  readonly output: string;
  /** The directory with the manifest. */
  readonly root: string;
  /** The option that switches it, or null. */
  readonly option: string | null;
  /** Whether it is on when the option is absent. */
  readonly default: boolean;
}

/** The table of outputs, in the order of {@linkcode TARGET_NAMES}. */
export function outputTable(): OutputRow[] {
  return TARGET_NAMES.flatMap((name) =>
    TARGETS[name].rules.map((rule) => ({
      target: name,
      type: rule.type,
      scope: rule.scope,
      output: rule.output,
      root: rule.rootName,
      option: rule.option,
      default: rule.on,
    }))
  );
}
