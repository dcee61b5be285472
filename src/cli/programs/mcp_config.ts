/**
 * `amof mcp config HOST`: what to write into the configuration of an AI host (mcp.md §6.1).
 *
 * @module
 */

import { findRoot } from "../../ecosystem/mod.ts";
import { EXIT } from "../../error.ts";
import { program } from "../program.ts";

const HOSTS = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "windsurf",
  "gemini",
  "zed",
] as const;
type Host = typeof HOSTS[number];

/** Where each host keeps its configuration. */
const PLACES: Readonly<Record<Host, string>> = {
  "claude-code": ".mcp.json in the project",
  "claude-desktop": "claude_desktop_config.json (Settings → Developer)",
  cursor: "~/.cursor/mcp.json",
  vscode: ".vscode/mcp.json",
  codex: "~/.codex/config.toml",
  windsurf: "~/.codeium/windsurf/mcp_config.json",
  gemini: "~/.gemini/settings.json",
  zed: "settings.json",
};

/** The text for a host that starts `argv` for the control repository `root`, with more environment if need be. */
export function hostConfig(
  host: Host,
  argv: readonly string[],
  root: string,
  extra: Readonly<Record<string, string>> = {},
): string {
  const [command = "amof", ...before] = argv;
  const args = [...before, "mcp", "serve"];
  const env = { AMOF_ROOT: root, ...extra };
  if (host === "codex") {
    const quoted = (text: string) => JSON.stringify(text);
    return [
      "[mcp_servers.amof]",
      `command = ${quoted(command)}`,
      `args = [${args.map(quoted).join(", ")}]`,
      `env = { ${
        Object.entries(env).map(([name, value]) => `${name} = ${quoted(value)}`).join(", ")
      } }`,
    ].join("\n");
  }
  const entry = { command, args, env };
  const document = host === "vscode"
    ? { servers: { amof: { type: "stdio", ...entry } } }
    : host === "zed"
    ? { context_servers: { amof: entry } }
    : { mcpServers: { amof: entry } };
  return JSON.stringify(document, null, 2);
}

/** `amof mcp config`. */
export const mcpConfig = program({
  path: ["mcp", "config"],
  summary: "Print what to write into an AI host's configuration.",
  description: "Paths are absolute, because hosts start servers in unrelated directories.",
  positionals: ["host"],
  examples: ["mcp config claude-code", "mcp config codex --root ~/control"],
  input: (z) => z.strictObject({ host: z.enum(HOSTS).default("claude-code").describe("The host") }),
  async main({ app, flags }, input) {
    const root = await findRoot(app.system, app.root);
    const { terminal, processes } = app.system;
    if (!flags.quiet && !flags.json) terminal.err(`Write this into ${PLACES[input.host]}:\n\n`);
    terminal.out(`${hostConfig(input.host, processes.self(), root)}\n`);
    return EXIT.ok;
  },
});
