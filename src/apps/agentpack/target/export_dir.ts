/** A directory with everything, for tools without a target of their own (PACK-23). */

import { join } from "@std/path";
import { configInvalid } from "../error.ts";
import { MODULE_TYPES, type ModuleType } from "../names.ts";
import { aggregatedInto, singleFiles, skillTrees } from "./layout.ts";
import {
  booleanOption,
  directoryOption,
  type OutputRule,
  type Target,
  type TargetPlace,
} from "./target.ts";

const OUTPUTS: Readonly<Record<ExportedType, Pick<OutputRule, "output" | "render">>> = {
  instructions: { output: "<root>/AGENTS.md", render: aggregatedInto("AGENTS.md") },
  skill: { output: "<root>/skills/<skill_name>/…", render: skillTrees("skills/") },
  prompt: { output: "<root>/prompts/<file>", render: singleFiles("prompts/") },
  command: { output: "<root>/commands/<file>", render: singleFiles("commands/") },
  subagent: { output: "<root>/agents/<file>", render: singleFiles("agents/") },
};

/** What the directory holds: servers and hooks are entries of files that tools have, and no files. */
type ExportedType = Exclude<ModuleType, "mcp_server" | "hook">;

function isExported(type: ModuleType): type is ExportedType {
  return type !== "mcp_server" && type !== "hook";
}

function exportRoot(place: TargetPlace, scope: "user" | "project"): string {
  const root = directoryOption(place, "root") ?? place.projectRoot;
  return place.scope === "both" ? join(root, scope) : root;
}

function rule(type: ExportedType, scope: "user" | "project"): OutputRule {
  return {
    type,
    scope,
    option: null,
    on: true,
    rootName: `<root>, with scope both <root>/${scope}`,
    root: (place) => exportRoot(place, scope),
    rootOption: "root",
    scanExtras: (place) => booleanOption(place.options, "scan_extras", true),
    ...OUTPUTS[type],
  };
}

/** The target. */
export const exportDir: Target = {
  name: "export_dir",
  options: ["root", "scan_extras"],
  rules: (["user", "project"] as const).flatMap((scope) =>
    MODULE_TYPES.filter(isExported).map((type) => rule(type, scope))
  ),
  check(place) {
    if (directoryOption(place, "root") !== null) return;
    throw configInvalid('The target "export_dir" needs the option "root"', {
      target: "export_dir",
      option: "root",
    });
  },
};
