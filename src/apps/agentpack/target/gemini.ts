/** Gemini CLI: its context files, commands, skills, subagents, MCP servers and hooks (PACK-23). */

import { hooks } from "./hooks.ts";
import {
  directoryIn,
  filesDirectory,
  instructionsFile,
  refusedAgent,
  rewritten,
  skillsDirectory,
} from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import { givenDescription } from "../config/metadata.ts";
import { geminiAgent } from "../module/gemini_agent.ts";
import { commandFrom } from "../module/toml.ts";
import type { OutputRule, Target } from "./target.ts";

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
const commandFiles = rewritten("gemini", ({ module, path, name, bytes }) => {
  if (path.endsWith(".toml")) return { path: name, bytes, wayBack: { kind: "whole" } };
  const made = commandFrom(bytes, givenDescription(module.config));
  return typeof made === "string" ? made : {
    path: `${name.replace(/\.md$/, "")}.toml`,
    bytes: made.bytes,
    wayBack: { kind: "generated" },
  };
});

/** A subagent as Gemini CLI has it: one in its own form as it is, any other rewritten. */
const subagentFiles = rewritten("gemini", ({ module, path, name, bytes }) => {
  if (path.endsWith(".toml")) return "is TOML, which Codex alone takes";
  const made = geminiAgent(bytes, module.head);
  if (typeof made === "string") return made;
  // It may bring servers of its own.
  const refused = "mcp_servers" in module.head ? refusedAgent(module) : null;
  if (refused !== null) return refused;
  return {
    path: name,
    bytes: made.bytes ?? bytes,
    wayBack: { kind: made.bytes === null ? "whole" : "generated" },
    lost: made.lost,
  };
});

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
    { ...filesDirectory("subagent", below("agents")), render: subagentFiles },
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
