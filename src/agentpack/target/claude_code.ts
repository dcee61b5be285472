/**
 * Claude Code: commands and, where switched on, skills (PACK-23).
 *
 * `write_claude_md` is off by default, so that existing setups keep their output: a `CLAUDE.md` that imports the
 * project's `AGENTS.md`, which other targets write.
 *
 * @module
 */

import { join } from "@std/path";
import { encodeText } from "../bytes.ts";
import { userHome } from "../io.ts";
import type { ComposedModule } from "../module/compose.ts";
import { INSTRUCTIONS_FILE, singleFiles, skillTrees } from "./layout.ts";
import type { OutputRule, Rendering, Target, TargetPlace } from "./target.ts";

const user = (name: string) => (place: TargetPlace): string =>
  join(userHome(place.env), ".claude", name);
const project = (name: string) => (place: TargetPlace): string =>
  join(place.projectRoot, ".claude", name);

function rule(
  type: "command" | "skill",
  scope: "user" | "project",
  option: string,
): OutputRule {
  const name = `${type}s`;
  const rootName = `${scope === "user" ? "~" : "<project>"}/.claude/${name}`;
  return {
    type,
    scope,
    option,
    on: type === "command",
    output: `${rootName}/${type === "command" ? "<file>" : "<skill_name>/…"}`,
    rootName,
    root: scope === "user" ? user(name) : project(name),
    scanExtras: true,
    render: type === "command" ? singleFiles("") : skillTrees(""),
  };
}

/** One line that imports the instructions beside it. */
function importLine(modules: readonly ComposedModule[]): Rendering {
  if (modules.length === 0) return { files: [] };
  return {
    files: [{
      path: "CLAUDE.md",
      bytes: encodeText(`@${INSTRUCTIONS_FILE}\n`),
      executable: false,
      origins: modules.map((module) => ({
        moduleId: module.config.id,
        moduleType: module.config.type,
        modulePath: INSTRUCTIONS_FILE,
      })),
      wayBack: { kind: "generated" },
    }],
  };
}

/** The target. */
export const claudeCode: Target = {
  name: "claude_code",
  always: [],
  options: [],
  rules: [
    rule("command", "user", "write_user_commands"),
    rule("command", "project", "write_repo_commands"),
    rule("skill", "user", "write_user_skills"),
    rule("skill", "project", "write_repo_skills"),
    {
      type: "instructions",
      scope: "project",
      option: "write_claude_md",
      on: false,
      output: "<project>/CLAUDE.md",
      rootName: "<project>",
      root: (place) => place.projectRoot,
      scanExtras: false,
      render: importLine,
    },
  ],
};
