/**
 * Windsurf: the MCP servers of Cascade (PACK-23).
 *
 * @module
 */

import { join } from "@std/path";
import { userHome } from "../io.ts";
import { mcpServers } from "./mcp.ts";
import type { Target } from "./target.ts";

/** The target. */
export const windsurf: Target = {
  name: "windsurf",
  always: [],
  options: [],
  rules: [
    mcpServers("windsurf", "user", {
      option: "write_user_mcp",
      rootName: "~/.codeium/windsurf",
      root: (place) => join(userHome(place.env), ".codeium", "windsurf"),
    }),
  ],
};
