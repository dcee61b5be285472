/**
 * Claude Code: commands and, where switched on, skills, subagents, its memory, MCP servers and hooks (PACK-23).
 *
 * What writes a `CLAUDE.md` is off by default, so that existing setups keep their output. `write_claude_md`
 * writes one that imports the project's `AGENTS.md`, which other targets write. The other options write the
 * instructions themselves.
 */

import { encodeText } from "../content.ts";
import { configInvalid } from "../error.ts";
import type { ComposedModule } from "../module/compose.ts";
import { hooks } from "./hooks.ts";
import {
  directoryIn,
  filesDirectory,
  INSTRUCTIONS_FILE,
  instructionsFile,
  originOf,
  skillsDirectory,
} from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import { booleanOption, type OutputRule, type Rendering, type Target } from "./target.ts";

/** A directory of Claude Code's with the option that switches it; only commands are on by default. */
function below(scope: "user" | "project", name: string, option: string) {
  return { ...directoryIn(scope, `.claude/${name}`), option, on: name === "commands" };
}

/** One line that imports the instructions beside it. */
function importLine(modules: readonly ComposedModule[]): Rendering {
  if (modules.length === 0) return { files: [] };
  return {
    files: [{
      path: "CLAUDE.md",
      bytes: encodeText(`@${INSTRUCTIONS_FILE}\n`),
      executable: false,
      origins: modules.map((module) => originOf(module, INSTRUCTIONS_FILE)),
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
  rules: [
    filesDirectory("command", below("user", "commands", "write_user_commands")),
    filesDirectory("command", below("project", "commands", "write_repo_commands")),
    skillsDirectory(below("user", "skills", "write_user_skills")),
    skillsDirectory(below("project", "skills", "write_repo_skills")),
    filesDirectory("subagent", below("user", "agents", "write_user_agents")),
    filesDirectory("subagent", below("project", "agents", "write_repo_agents")),
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
    mcpServers("claude_code", { ...directoryIn("project"), option: "write_repo_mcp" }),
    hooks("claude_code", { ...directoryIn("user", ".claude"), option: "write_user_hooks" }),
    hooks("claude_code", { ...directoryIn("project", ".claude"), option: "write_repo_hooks" }),
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
