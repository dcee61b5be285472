/**
 * Gemini CLI: its context files, commands, skills, subagents, MCP servers and hooks (PACK-23).
 *
 * @module
 */

import { hooks } from "./hooks.ts";
import { directoryIn, filesDirectory, instructionsFile, skillsDirectory } from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import { givenDescription, givenOutput } from "../config/metadata.ts";
import type { ComposedModule } from "../module/compose.ts";
import { commandFrom } from "../module/toml.ts";
import type { OutputRule, RenderedFile, Rendering, Target } from "./target.ts";

/** The file that Gemini CLI reads in every session. */
const FILE = "GEMINI.md";

/** What a scope is called in the names of options. */
const WORD = { user: "user", project: "repo" } as const;

function context(scope: "user" | "project"): OutputRule {
  return instructionsFile(FILE, {
    ...directoryIn(scope, scope === "user" ? ".gemini" : ""),
    option: `write_${WORD[scope]}_gemini_md`,
    on: true,
  });
}

/** A command as Gemini CLI has it: what is TOML already as it is, Markdown rewritten. */
function commandFiles(modules: readonly ComposedModule[]): Rendering {
  const warnings: string[] = [];
  const files = modules.flatMap((module): RenderedFile[] => {
    const [path, file] = [...module.files][0] ?? [];
    if (path === undefined || file === undefined) return [];
    const { config } = module;
    const name = givenOutput(config) ?? path.slice(path.lastIndexOf("/") + 1);
    const common = {
      executable: false,
      origins: [{ moduleId: config.id, moduleType: config.type, modulePath: path }],
    };
    if (path.endsWith(".toml")) {
      return [{ ...common, path: name, bytes: file.bytes, wayBack: { kind: "whole" } }];
    }
    const made = commandFrom(file.bytes, givenDescription(config));
    if (typeof made === "string") {
      warnings.push(`The command "${config.id}" is left out of gemini: it ${made}`);
      return [];
    }
    const renamed = `${name.replace(/\.md$/, "")}.toml`;
    return [{ ...common, path: renamed, bytes: made.bytes, wayBack: { kind: "generated" } }];
  });
  return { files, warnings };
}

/** What is off by default, so that existing setups keep their output. */
function besidesContext(scope: "user" | "project"): OutputRule[] {
  const below = (name: string) => ({
    ...directoryIn(scope, `.gemini/${name}`),
    option: `write_${WORD[scope]}_${name}`,
    on: false,
  });
  const own = directoryIn(scope, ".gemini");
  const commands = below("commands");
  return [
    {
      type: "command",
      ...commands,
      output: `${commands.rootName}/<name>.toml`,
      scanExtras: true,
      assets: { kind: "files", suffix: ".toml" },
      render: commandFiles,
    },
    skillsDirectory(below("skills")),
    filesDirectory("subagent", below("agents")),
    mcpServers("gemini", scope, { ...own, option: `write_${WORD[scope]}_mcp` }),
    hooks("gemini", scope, { ...own, option: `write_${WORD[scope]}_hooks` }),
  ];
}

/** The target. */
export const gemini: Target = {
  name: "gemini",
  always: [],
  options: [],
  rules: [
    context("user"),
    context("project"),
    ...besidesContext("user"),
    ...besidesContext("project"),
  ],
};
