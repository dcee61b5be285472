/**
 * Codex: instructions, prompts and skills (PACK-23).
 *
 * `write_agents_skills` is off by default: only newer Codex versions read skills from `.agents/skills`, and existing
 * setups keep their output.
 *
 * @module
 */

import { join, resolve } from "@std/path";
import { expandTilde, userHome } from "../io.ts";
import { directoryIn, filesDirectory, instructionsFile, skillsDirectory } from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import { directoryOption, type Target, type TargetPlace } from "./target.ts";

/** The option `codex_home`, else the variable `CODEX_HOME`, else `~/.codex`. */
export function codexHome(place: TargetPlace): string {
  const { env } = place;
  const variable = env.get("CODEX_HOME") ?? "";
  return directoryOption(place, "codex_home") ??
    (variable.trim() === ""
      ? join(userHome(env), ".codex")
      : resolve(env.cwd, expandTilde(variable, env)));
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
    mcpServers("codex", "user", {
      option: "write_user_mcp",
      rootName: "<codex_home>",
      root: codexHome,
      rootOption: "codex_home",
    }),
  ],
};
