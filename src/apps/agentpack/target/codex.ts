/**
 * Codex: instructions, prompts, skills, subagents and MCP servers (PACK-23).
 *
 * `write_agents_skills` is off by default: only newer Codex versions read skills from `.agents/skills`, and existing
 * setups keep their output.
 *
 * @module
 */

import { join, resolve } from "@std/path";
import { list } from "../../../base/text/words.ts";
import { allowsRemoteProgram, givenOutput } from "../config/metadata.ts";
import { expandTilde, userHome } from "../io.ts";
import type { ComposedModule } from "../module/compose.ts";
import { agentFrom, limitsOf } from "../module/toml.ts";
import { directoryIn, filesDirectory, instructionsFile, skillsDirectory } from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import {
  directoryOption,
  type OutputRule,
  type RenderedFile,
  type Rendering,
  type Target,
  type TargetPlace,
} from "./target.ts";

/** The option `codex_home`, else the variable `CODEX_HOME`, else `~/.codex`. */
export function codexHome(place: TargetPlace): string {
  const { env } = place;
  const variable = env.get("CODEX_HOME") ?? "";
  return directoryOption(place, "codex_home") ??
    (variable.trim() === ""
      ? join(userHome(env), ".codex")
      : resolve(env.cwd, expandTilde(variable, env)));
}

/** A subagent as Codex has it: what is TOML already as it is, Markdown rewritten; or why it is left out. */
function subagent(module: ComposedModule): { readonly file: RenderedFile } | string {
  const [path = "", file] = [...module.files][0] ?? [];
  const { config, head, upstream } = module;
  const name = givenOutput(config) ?? path.slice(path.lastIndexOf("/") + 1);
  const common = {
    executable: false,
    origins: [{ moduleId: config.id, moduleType: config.type, modulePath: path }],
  };
  const bytes = file?.bytes ?? new Uint8Array();
  if (path.endsWith(".toml")) {
    // It may bring servers and a sandbox of its own.
    if (upstream.source.kind === "git" && !allowsRemoteProgram(config)) {
      return "may run programs and comes from a git source; metadata.allow_remote_program lets it";
    }
    return { file: { ...common, path: name, bytes, wayBack: { kind: "whole" } } };
  }
  const made = agentFrom(bytes, head);
  if (typeof made === "string") return made;
  const renamed = `${name.replace(/\.md$/, "")}.toml`;
  return { file: { ...common, path: renamed, bytes: made.bytes, wayBack: { kind: "generated" } } };
}

function renderSubagents(modules: readonly ComposedModule[]): Rendering {
  const warnings: string[] = [];
  const files = modules.flatMap((module): RenderedFile[] => {
    const { id } = module.config;
    const made = subagent(module);
    if (typeof made === "string") {
      warnings.push(`The subagent "${id}" is left out of codex: it ${made}`);
      return [];
    }
    const limits = limitsOf(module.head);
    if (limits.length > 0) {
      warnings.push(`The subagent "${id}" has ${list(limits, "and")}, which codex does not know`);
    }
    return [made.file];
  });
  return { files, warnings };
}

/** Subagents, off by default, so that existing setups keep their output. */
function subagents(
  ground: Pick<OutputRule, "scope" | "option" | "rootName" | "root"> & { rootOption?: string },
): OutputRule {
  return {
    type: "subagent",
    on: false,
    output: `${ground.rootName}/<name>.toml`,
    scanExtras: true,
    assets: { kind: "files", suffix: ".toml" },
    render: renderSubagents,
    ...ground,
  };
}

/** The target. */
export const codex: Target = {
  name: "codex",
  always: ["instructions", "skill"],
  options: ["codex_home"],
  rules: [
    instructionsFile("AGENTS.md", {
      scope: "user",
      option: "write_agents_global",
      on: true,
      rootName: "<codex_home>",
      root: codexHome,
      rootOption: "codex_home",
    }),
    instructionsFile("AGENTS.md", {
      ...directoryIn("project"),
      option: "write_agents_repo_root",
      on: true,
    }),
    filesDirectory("prompt", {
      scope: "user",
      option: "write_user_prompts",
      on: true,
      rootName: "<codex_home>/prompts",
      root: (place) => join(codexHome(place), "prompts"),
      rootOption: "codex_home",
    }),
    skillsDirectory({
      scope: "user",
      option: "write_user_skills",
      on: true,
      rootName: "<codex_home>/skills",
      root: (place) => join(codexHome(place), "skills"),
      rootOption: "codex_home",
    }),
    skillsDirectory({
      ...directoryIn("project", ".codex/skills"),
      option: "write_repo_skills",
      on: true,
    }),
    skillsDirectory({
      ...directoryIn("user", ".agents/skills"),
      option: "write_agents_skills",
      on: false,
    }),
    skillsDirectory({
      ...directoryIn("project", ".agents/skills"),
      option: "write_agents_skills",
      on: false,
    }),
    subagents({
      scope: "user",
      option: "write_user_agents",
      rootName: "<codex_home>/agents",
      root: (place) => join(codexHome(place), "agents"),
      rootOption: "codex_home",
    }),
    subagents({ ...directoryIn("project", ".codex/agents"), option: "write_repo_agents" }),
    mcpServers("codex", "user", {
      option: "write_user_mcp",
      rootName: "<codex_home>",
      root: codexHome,
      rootOption: "codex_home",
    }),
    mcpServers("codex", "project", {
      ...directoryIn("project", ".codex"),
      option: "write_repo_mcp",
    }),
  ],
};
