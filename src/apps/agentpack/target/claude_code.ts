/**
 * Claude Code: commands and, where switched on, skills, subagents, its memory, MCP servers and hooks (PACK-23).
 *
 * What writes a `CLAUDE.md` is off by default, so that existing setups keep their output: `write_claude_md` writes one
 * that imports the project's `AGENTS.md`, which other targets write, the others the instructions themselves.
 */

import { encodeText } from "../content.ts";
import { configInvalid } from "../error.ts";
import type { ComposedModule } from "../module/compose.ts";
import { hooks } from "./hooks.ts";
import {
  directoryIn,
  INSTRUCTIONS_FILE,
  instructionsFile,
  isToml,
  singleFiles,
  skillTrees,
} from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import { booleanOption, type OutputRule, type Rendering, type Target } from "./target.ts";

/** What is in which directory of Claude Code's. */
const DIRECTORIES = { command: "commands", skill: "skills", subagent: "agents" } as const;

function rule(
  type: "command" | "skill" | "subagent",
  scope: "user" | "project",
  option: string,
): OutputRule {
  const directory = directoryIn(scope, `.claude/${DIRECTORIES[type]}`);
  return {
    type,
    ...directory,
    option,
    on: type === "command",
    output: `${directory.rootName}/${type === "skill" ? "<skill_name>/…" : "<file>"}`,
    scanExtras: true,
    assets: type === "skill" ? { kind: "trees" } : { kind: "files", suffix: ".md" },
    render: type === "skill"
      ? skillTrees("")
      : (modules) => singleFiles("")(modules.filter((module) => !isToml(module))),
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

/** All instructions in the file that Claude Code reads at the start of every session. */
function memory(scope: "user" | "project"): OutputRule {
  return instructionsFile("CLAUDE.md", {
    ...directoryIn(scope, scope === "user" ? ".claude" : ""),
    option: scope === "user" ? "write_user_claude_md" : "write_repo_claude_md",
    on: false,
  });
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
    rule("subagent", "user", "write_user_agents"),
    rule("subagent", "project", "write_repo_agents"),
    {
      type: "instructions",
      ...directoryIn("project"),
      option: "write_claude_md",
      on: false,
      output: "<project>/CLAUDE.md",
      scanExtras: false,
      render: importLine,
    },
    memory("user"),
    memory("project"),
    mcpServers("claude_code", "project", {
      ...directoryIn("project"),
      option: "write_repo_mcp",
    }),
    hooks("claude_code", "user", {
      ...directoryIn("user", ".claude"),
      option: "write_user_hooks",
    }),
    hooks("claude_code", "project", {
      ...directoryIn("project", ".claude"),
      option: "write_repo_hooks",
    }),
  ],
  check({ options }) {
    const both = ["write_claude_md", "write_repo_claude_md"];
    if (!both.every((option) => booleanOption(options, option, false))) return;
    throw configInvalid(
      `The options ${
        both.join(" and ")
      } of "claude_code" both write the project's CLAUDE.md; switch one off`,
      { target: "claude_code", options: both },
    );
  },
};
