/**
 * Claude Code: commands and, where switched on, skills, subagents, its memory, MCP servers and hooks (PACK-23).
 *
 * What writes a `CLAUDE.md` is off by default, so that existing setups keep their output: `write_claude_md` writes one
 * that imports the project's `AGENTS.md`, which other targets write, the others the instructions themselves.
 *
 * @module
 */

import { join } from "@std/path";
import { encodeText } from "../bytes.ts";
import { configInvalid } from "../error.ts";
import { userHome } from "../io.ts";
import type { ComposedModule } from "../module/compose.ts";
import { hooks } from "./hooks.ts";
import { INSTRUCTIONS_FILE, instructionsFile, singleFiles, skillTrees } from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import {
  booleanOption,
  type OutputRule,
  type Rendering,
  type Target,
  type TargetPlace,
} from "./target.ts";

const user = (name: string) => (place: TargetPlace): string =>
  join(userHome(place.env), ".claude", name);
const project = (name: string) => (place: TargetPlace): string =>
  join(place.projectRoot, ".claude", name);

/** What is in which directory of Claude Code's. */
const DIRECTORIES = { command: "commands", skill: "skills", subagent: "agents" } as const;

/** Whether a command is one of Gemini CLI alone. */
function isToml({ files }: ComposedModule): boolean {
  return [...files.keys()].some((path) => path.endsWith(".toml"));
}

function rule(
  type: "command" | "skill" | "subagent",
  scope: "user" | "project",
  option: string,
): OutputRule {
  const name = DIRECTORIES[type];
  const rootName = `${scope === "user" ? "~" : "<project>"}/.claude/${name}`;
  return {
    type,
    scope,
    option,
    on: type === "command",
    output: `${rootName}/${type === "skill" ? "<skill_name>/…" : "<file>"}`,
    rootName,
    root: scope === "user" ? user(name) : project(name),
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
  const rootName = scope === "user" ? "~/.claude" : "<project>";
  return instructionsFile("CLAUDE.md", {
    scope,
    option: scope === "user" ? "write_user_claude_md" : "write_repo_claude_md",
    on: false,
    rootName,
    root: scope === "user"
      ? (place) => join(userHome(place.env), ".claude")
      : (place) => place.projectRoot,
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
      scope: "project",
      option: "write_claude_md",
      on: false,
      output: "<project>/CLAUDE.md",
      rootName: "<project>",
      root: (place) => place.projectRoot,
      scanExtras: false,
      render: importLine,
    },
    memory("user"),
    memory("project"),
    mcpServers("claude_code", "project", {
      option: "write_repo_mcp",
      rootName: "<project>",
      root: (place) => place.projectRoot,
    }),
    hooks("claude_code", "user", {
      option: "write_user_hooks",
      rootName: "~/.claude",
      root: (place) => join(userHome(place.env), ".claude"),
    }),
    hooks("claude_code", "project", {
      option: "write_repo_hooks",
      rootName: "<project>/.claude",
      root: (place) => join(place.projectRoot, ".claude"),
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
