/**
 * VS Code: instructions and prompts of GitHub Copilot (PACK-23).
 *
 * @module
 */

import { join } from "@std/path";
import { instructionsFile, singleFiles } from "./layout.ts";
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
  always: [],
  options: [],
  rules: [
    instructionsFile("copilot-instructions.md", {
      scope: "project",
      option: "write_instructions",
      on: true,
      rootName: "<project>/.github",
      root: (place) => join(place.projectRoot, ".github"),
    }),
    {
      type: "prompt",
      scope: "project",
      option: "write_prompts",
      on: true,
      output: "<project>/.github/prompts/<name>.prompt.md",
      rootName: "<project>/.github/prompts",
      root: (place) => join(place.projectRoot, ".github", "prompts"),
      scanExtras: true,
      assets: { kind: "files", suffix: ".prompt.md" },
      render: singleFiles("", promptName),
    },
    mcpServers("vscode", "project", {
      option: "write_mcp",
      rootName: "<project>/.vscode",
      root: (place) => join(place.projectRoot, ".vscode"),
    }),
  ],
};
