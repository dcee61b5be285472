/**
 * `amof mcp config HOST`: what to write into the configuration of an AI host (MCP-11).
 *
 * @module
 */

import { resolve } from "@std/path";
import { findRoot } from "../../workspace/mod.ts";
import { EXIT } from "../../error.ts";
import type { GlobalFlags } from "../../command/line/flags.ts";
import { program } from "../../command/line/program.ts";
import { selectionOf, serveInput } from "./mcp_selection.ts";

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

/** What a host is told besides: flags of `mcp serve`, and environment. */
export interface HostExtras {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the server is called; after its toolset when absent. */
  readonly name?: string;
  /** JSON also for a host whose configuration is TOML. */
  readonly json?: boolean;
}

/**
 * The text for a host that starts `argv` for the control repository `root`; without one it is the server of
 * agentpack, which needs none.
 */
export function hostConfig(
  host: Host,
  argv: readonly string[],
  root: string | null,
  extras: HostExtras = {},
): string {
  const name = extras.name ?? (root === null ? "agentpack" : "amof");
  const [command = "amof", ...before] = argv;
  const args = [...before, "mcp", "serve", ...extras.flags ?? []];
  const env = { ...(root === null ? {} : { AMOF_ROOT: root }), ...extras.env };
  if (host === "codex" && !extras.json) {
    const quoted = (text: string) => JSON.stringify(text);
    return [
      `[mcp_servers.${name}]`,
      `command = ${quoted(command)}`,
      `args = [${args.map(quoted).join(", ")}]`,
      `env = { ${
        Object.entries(env).map(([name, value]) => `${name} = ${quoted(value)}`).join(", ")
      } }`,
    ].join("\n");
  }
  const entry = { command, args, env };
  const document = host === "vscode"
    ? { servers: { [name]: { type: "stdio", ...entry } } }
    : host === "zed"
    ? { context_servers: { [name]: entry } }
    : host === "codex"
    ? { mcp_servers: { [name]: entry } }
    : { mcpServers: { [name]: entry } };
  return JSON.stringify(document, null, 2);
}

/** The flags of `mcp serve` that were given. */
function asFlags(
  global: GlobalFlags,
  options: Readonly<Record<string, string | boolean | undefined>>,
): string[] {
  const given = { ecosystem: global.ecosystem, mode: global.mode, ...options };
  return Object.entries(given).flatMap(([member, value]) => {
    const flag = `--${member.replaceAll("_", "-")}`;
    if (typeof value === "string") return [flag, value];
    return value === true ? [flag] : [];
  });
}

/** `amof mcp config`. */
export const mcpConfig = program({
  path: ["mcp", "config"],
  summary: "Print what to write into an AI host's configuration.",
  description:
    "Paths are absolute, because hosts start servers in unrelated directories. The flags of the server become part of the configuration.",
  positionals: ["host"],
  examples: [
    "mcp config claude-code",
    "mcp config codex --root ~/control",
    "mcp config cursor --read-only",
    "mcp config claude-code --toolsets agentpack",
  ],
  input: (z) =>
    serveInput(z).extend({ host: z.enum(HOSTS).default("claude-code").describe("The host") }),
  async main({ app, flags }, { host, ...options }) {
    const { env, terminal, processes } = app.system;
    // Wrong names of tools are reported now, because a host would only say that the server did not start.
    const { own } = await selectionOf(env, options);
    const root = own === null ? null : await findRoot(app.system, app.root, app.settings.root);
    const { project_root: project } = options;
    const absolute = project === undefined
      ? options
      : { ...options, project_root: resolve(env.cwd, project) };
    const text = hostConfig(host, processes.self(), root, {
      flags: asFlags(flags, absolute),
      json: flags.json,
    });
    if (!flags.quiet && !flags.json) terminal.err(`Write this into ${PLACES[host]}:\n\n`);
    terminal.out(`${text}\n`);
    return EXIT.ok;
  },
});
