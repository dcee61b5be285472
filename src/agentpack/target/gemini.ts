/**
 * Gemini CLI: its context files, commands, MCP servers and hooks (PACK-23).
 *
 * @module
 */

import { join } from "@std/path";
import { userHome } from "../io.ts";
import { hooks } from "./hooks.ts";
import { instructionsFile } from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import { givenDescription, givenOutput } from "../config/metadata.ts";
import type { ComposedModule } from "../module/compose.ts";
import { commandFrom } from "./gemini_command.ts";
import type { OutputRule, RenderedFile, Rendering, Target } from "./target.ts";

/** The file that Gemini CLI reads in every session. */
const FILE = "GEMINI.md";

function context(scope: "user" | "project"): OutputRule {
  const rootName = scope === "user" ? "~/.gemini" : "<project>";
  return instructionsFile(FILE, {
    scope,
    option: scope === "user" ? "write_user_gemini_md" : "write_repo_gemini_md",
    on: true,
    rootName,
    root: scope === "user"
      ? (place) => join(userHome(place.env), ".gemini")
      : (place) => place.projectRoot,
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

/** Off by default, so that existing setups keep their output. */
function commands(scope: "user" | "project"): OutputRule {
  const rootName = `${scope === "user" ? "~" : "<project>"}/.gemini/commands`;
  return {
    type: "command",
    scope,
    option: scope === "user" ? "write_user_commands" : "write_repo_commands",
    on: false,
    output: `${rootName}/<name>.toml`,
    rootName,
    root: (place) =>
      join(scope === "user" ? userHome(place.env) : place.projectRoot, ".gemini", "commands"),
    scanExtras: true,
    assets: { kind: "files", suffix: ".toml" },
    render: commandFiles,
  };
}

/** The target. */
export const gemini: Target = {
  name: "gemini",
  always: [],
  options: [],
  rules: [
    context("user"),
    context("project"),
    commands("user"),
    commands("project"),
    mcpServers("gemini", "user", {
      option: "write_user_mcp",
      rootName: "~/.gemini",
      root: (place) => join(userHome(place.env), ".gemini"),
    }),
    mcpServers("gemini", "project", {
      option: "write_repo_mcp",
      rootName: "<project>/.gemini",
      root: (place) => join(place.projectRoot, ".gemini"),
    }),
    hooks("gemini", "user", {
      option: "write_user_hooks",
      rootName: "~/.gemini",
      root: (place) => join(userHome(place.env), ".gemini"),
    }),
    hooks("gemini", "project", {
      option: "write_repo_hooks",
      rootName: "<project>/.gemini",
      root: (place) => join(place.projectRoot, ".gemini"),
    }),
  ],
};
