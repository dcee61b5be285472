/** VS Code: instructions, prompts, skills, custom agents and MCP servers of GitHub Copilot (PACK-23). */

import {
  directoryIn,
  filesDirectory,
  instructionsFile,
  singleFiles,
  skillsDirectory,
} from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import type { Target } from "./target.ts";

/** The name a prompt file has for Copilot: it ends in `.prompt.md`. */
export function promptName(name: string): string {
  if (name.endsWith(".prompt.md")) return name;
  return `${name.endsWith(".md") ? name.slice(0, -".md".length) : name}.prompt.md`;
}

/** The target. */
export const vscode: Target = {
  name: "vscode",
  rules: [
    instructionsFile("copilot-instructions.md", {
      ...directoryIn("project", ".github"),
      option: "write_instructions",
      on: true,
    }),
    {
      type: "prompt",
      ...directoryIn("project", ".github/prompts"),
      option: "write_prompts",
      on: true,
      output: "<project>/.github/prompts/<name>.prompt.md",
      scanExtras: true,
      assets: { kind: "files", suffix: ".prompt.md" },
      render: singleFiles("", promptName),
    },
    skillsDirectory({
      ...directoryIn("project", ".github/skills"),
      option: "write_skills",
      on: false,
    }),
    filesDirectory("subagent", {
      ...directoryIn("project", ".github/agents"),
      option: "write_agents",
      on: false,
    }),
    mcpServers("vscode", { ...directoryIn("project", ".vscode"), option: "write_mcp" }),
  ],
};
