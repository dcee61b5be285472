/**
 * Gemini CLI: its context files (PACK-23).
 *
 * @module
 */

import { join } from "@std/path";
import { userHome } from "../io.ts";
import { aggregatedInto } from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import type { OutputRule, Target } from "./target.ts";

/** The file that Gemini CLI reads in every session. */
const FILE = "GEMINI.md";

function context(scope: "user" | "project"): OutputRule {
  const rootName = scope === "user" ? "~/.gemini" : "<project>";
  return {
    type: "instructions",
    scope,
    option: scope === "user" ? "write_user_gemini_md" : "write_repo_gemini_md",
    on: true,
    output: `${rootName}/${FILE}`,
    rootName,
    root: scope === "user"
      ? (place) => join(userHome(place.env), ".gemini")
      : (place) => place.projectRoot,
    scanExtras: false,
    assets: { kind: "file", name: FILE },
    render: aggregatedInto(FILE),
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
  ],
};
