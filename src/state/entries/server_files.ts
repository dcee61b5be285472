/** In which syntax, and under which member, each coding tool keeps its MCP servers. */

import type { SharedFile } from "./types.ts";

const SERVERS = "mcpServers";

/** The files of servers, as they are called in a project where the tool has them there. */
export const SERVER_FILES = {
  "claude-code": { file: ".mcp.json", syntax: "json", table: SERVERS },
  "claude-desktop": { file: "claude_desktop_config.json", syntax: "json", table: SERVERS },
  cursor: { file: "mcp.json", syntax: "json", table: SERVERS },
  vscode: { file: "mcp.json", syntax: "jsonc", table: "servers" },
  codex: { file: "config.toml", syntax: "toml", table: "mcp_servers" },
  windsurf: { file: "mcp_config.json", syntax: "json", table: SERVERS },
  // Settings of these two may have comments.
  gemini: { file: "settings.json", syntax: "jsonc", table: SERVERS },
  zed: { file: "settings.json", syntax: "jsonc", table: "context_servers" },
} as const satisfies Readonly<Record<string, SharedFile>>;
