/**
 * Windsurf: rules, workflows, skills and MCP servers of Cascade (PACK-23). Its memories are its own; what people want it to
 * remember are rules, as its documentation says.
 *
 * `metadata.windsurf` of a module says when its rule applies: `trigger` (`always_on`, `glob`, `model_decision` or
 * `manual`), `globs` and `description`. `header` is the head of a rule word for word, and `file` is where the rule stands.
 */

import type { ModuleConfig } from "../config/config.ts";
import { toolSettings } from "../config/metadata.ts";
import { fsKey } from "../identity.ts";
import type { ComposedModule } from "../module/compose.ts";
import {
  directoryIn,
  filesDirectory,
  instructionsFile,
  ruleFile,
  skillsDirectory,
} from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import type { OutputRule, Rendering, Target } from "./target.ts";

/** The block at the head of a rule, with the empty line below it; a head that was given, word for word. */
function headOf(module: ModuleConfig): string {
  const { header, trigger, description, globs } = toolSettings(module, "windsurf");
  if (typeof header === "string") return header;
  const list: readonly unknown[] = Array.isArray(globs) ? globs : [globs];
  const patterns = list.filter((glob) => typeof glob === "string").join(",");
  const when = typeof trigger === "string" ? trigger : patterns === "" ? "always_on" : "glob";
  return [
    "---",
    `trigger: ${when}`,
    ...(typeof description === "string" ? [`description: ${JSON.stringify(description)}`] : []),
    ...(patterns === "" ? [] : [`globs: ${patterns}`]),
    "---",
    "",
    "",
  ].join("\n");
}

function rules(modules: readonly ComposedModule[]): Rendering {
  return {
    files: modules.map((module) => {
      const { file } = toolSettings(module.config, "windsurf");
      const path = typeof file === "string" ? file : `${fsKey(module.config.id)}.md`;
      return ruleFile(module, path, headOf(module.config));
    }),
  };
}

/** Prompts as workflows of Cascade, which people call by name. */
function workflows(scope: "user" | "project"): OutputRule {
  return filesDirectory(
    "prompt",
    scope === "project"
      ? { ...directoryIn(scope, ".windsurf/workflows"), option: "write_workflows", on: true }
      : {
        ...directoryIn(scope, ".codeium/windsurf/global_workflows"),
        option: "write_user_workflows",
        on: false,
      },
  );
}

/** The target. What was not there from the beginning is off by default, so that existing setups keep their output. */
export const windsurf: Target = {
  name: "windsurf",
  rules: [
    instructionsFile("global_rules.md", {
      ...directoryIn("user", ".codeium/windsurf/memories"),
      option: "write_global_rules",
      on: true,
    }),
    {
      type: "instructions",
      ...directoryIn("project", ".windsurf/rules"),
      option: "write_rules",
      on: true,
      output: "<project>/.windsurf/rules/<fs_key>.md",
      scanExtras: true,
      assets: { kind: "rules", suffix: ".md" },
      render: rules,
    },
    workflows("project"),
    workflows("user"),
    skillsDirectory({
      ...directoryIn("project", ".windsurf/skills"),
      option: "write_skills",
      on: false,
    }),
    skillsDirectory({
      ...directoryIn("user", ".codeium/windsurf/skills"),
      option: "write_user_skills",
      on: false,
    }),
    mcpServers("windsurf", {
      ...directoryIn("user", ".codeium/windsurf"),
      option: "write_user_mcp",
    }),
  ],
};
