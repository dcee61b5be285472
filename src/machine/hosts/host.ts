/**
 * The AI hosts that amof can be installed in: where each keeps its MCP servers on each system, and what it bears
 * (HOST-1).
 *
 * @module
 */

import { SERVER_FILES } from "../../state/entries/server_files.ts";
import type { SharedFile } from "../../state/entries/types.ts";
import { AmofError } from "../../base/error.ts";
import type { Environment } from "../../base/system/mod.ts";

/** The hosts. */
export const HOSTS = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "windsurf",
  "gemini",
  "zed",
] as const;
/** One of {@linkcode HOSTS}. */
export type Host = typeof HOSTS[number];

/** For whom an entry counts: for a user everywhere, or for everybody in a project. */
export const HOST_SCOPES = ["user", "project"] as const;

/** What tells where files of a user are. */
type Surroundings = Pick<Environment, "get" | "home" | "platform">;

/** What is known of a host. */
interface HostFacts {
  readonly title: string;
  /** The file of a user, from the directories of one. */
  readonly user: (of: Directories) => string;
  /** The file of a project, relative to it; null where projects have none. */
  readonly project: string | null;
  /** Whether it shows a person the forms in which they are asked; false also where nobody has seen it do so. */
  readonly forms: boolean;
  /** Whether a model writes code in it, which needs the tools of every day (MCP-8). */
  readonly codes: boolean;
}

/** The directories of a user, each of which joins the names of a place below it. */
interface Directories {
  readonly home: (...names: readonly string[]) => string;
  /** Where programs keep settings: what the system says, `.config` on Linux. */
  readonly settings: (...names: readonly string[]) => string;
  /** The same, but `.config` on macOS, too. */
  readonly config: (...names: readonly string[]) => string;
  /** The directory that a variable names, or else one of the home. */
  readonly named: (variable: string, otherwise: string, ...names: readonly string[]) => string;
}

const FACTS: Readonly<Record<Host, HostFacts>> = {
  "claude-code": {
    title: "Claude Code",
    user: ({ named }) => named("CLAUDE_CONFIG_DIR", "", ".claude.json"),
    project: ".mcp.json",
    forms: true,
    codes: true,
  },
  "claude-desktop": {
    title: "Claude Desktop",
    user: ({ settings }) => settings("Claude", "claude_desktop_config.json"),
    project: null,
    forms: false,
    codes: false,
  },
  cursor: {
    title: "Cursor",
    user: ({ home }) => home(".cursor", "mcp.json"),
    project: ".cursor/mcp.json",
    forms: true,
    codes: true,
  },
  vscode: {
    title: "VS Code",
    user: ({ settings }) => settings("Code", "User", "mcp.json"),
    project: ".vscode/mcp.json",
    forms: true,
    codes: true,
  },
  codex: {
    title: "Codex",
    user: ({ named }) => named("CODEX_HOME", ".codex", "config.toml"),
    project: ".codex/config.toml",
    forms: true,
    codes: true,
  },
  windsurf: {
    title: "Windsurf",
    user: ({ home }) => home(".codeium", "windsurf", "mcp_config.json"),
    project: null,
    forms: false,
    codes: true,
  },
  gemini: {
    title: "Gemini CLI",
    user: ({ home }) => home(".gemini", "settings.json"),
    project: ".gemini/settings.json",
    forms: false,
    codes: true,
  },
  zed: {
    title: "Zed",
    user: ({ config }) => config("settings.json"),
    project: ".zed/settings.json",
    forms: false,
    codes: true,
  },
};

/** What git needs to reach remotes, and amof to find what is its own, besides what every host hands on. */
const NEEDED = [
  "SSH_AUTH_SOCK",
  "GIT_SSH_COMMAND",
  "GIT_CONFIG_GLOBAL",
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "AMOF_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "XDG_STATE_HOME",
  "XDG_RUNTIME_DIR",
];

/**
 * What an entry says of variables that a host would keep from a server (HOST-9): Codex hands on a short list and those that are
 * named, Gemini CLI none whose name has AUTH, KEY or TOKEN in it. Values stay where they are.
 */
export function handedOn(host: Host): {
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
} {
  return {
    names: host === "codex" ? NEEDED : [],
    values: host === "gemini" ? { SSH_AUTH_SOCK: "$SSH_AUTH_SOCK" } : {},
  };
}

/**
 * The control repository as everybody in a project names it: by the host's own variable for the folder where it has one,
 * else relative to it, which is where hosts start their servers. `way` leads there from the project, `.` for itself.
 */
export function sharedRoot(host: Host, way: string): string {
  if (host !== "vscode" && host !== "cursor") return way;
  return way === "." ? "${workspaceFolder}" : `\${workspaceFolder}/${way}`;
}

/** What a person has to allow in a host before it starts the servers of a project; null where nothing is known. */
export function allowedBy(host: Host): string | null {
  switch (host) {
    case "claude-code":
      return "Start Claude Code there once, and approve the server when it asks.";
    case "codex":
      return "Codex reads it once the project is trusted: start Codex there, and say so.";
    case "gemini":
      return "Gemini CLI starts it once the folder is trusted: start it there, and say so.";
    case "vscode":
    case "cursor":
      return `${titleOf(host)} starts it once you have trusted it there.`;
    default:
      return null;
  }
}

/** What a host is called by people. */
export function titleOf(host: Host): string {
  return FACTS[host].title;
}

/** How a host writes its servers. */
export function serverFileOf(host: Host): SharedFile {
  return SERVER_FILES[host];
}

/** The flags by which a server of amof's own tools fits a host: few tools where a model has its own besides. */
export function fittingFlags(host: Host): readonly string[] {
  return FACTS[host].codes ? ["--toolsets", "daily"] : [];
}

/** How a server of a host gets a person's consent where nothing else is said: by its forms, or by `amof approve`. */
export function consentBy(host: Host): "form" | "human" {
  return FACTS[host].forms ? "form" : "human";
}

function directoriesOf({ get, home, platform }: Surroundings): Directories {
  const separator = platform === "windows" ? "\\" : "/";
  const below = (directory: string) => (...names: readonly string[]) =>
    [directory, ...names.filter((name) => name !== "")].join(separator);
  if (home === null) {
    throw new AmofError(
      "invalid_arguments",
      "Cannot tell where the host keeps its settings: HOME is not set to an absolute path",
      { hint: "Set HOME, or use --scope project" },
    );
  }
  const absolute = (variable: string) => {
    const value = get(variable) ?? "";
    return /^(?:\/|[A-Za-z]:[\\/])/.test(value) ? value : null;
  };
  const atHome = below(home);
  const roaming = absolute("APPDATA") ?? atHome("AppData", "Roaming");
  const xdg = absolute("XDG_CONFIG_HOME") ?? atHome(".config");
  return {
    home: atHome,
    settings: below(
      platform === "windows"
        ? roaming
        : platform === "darwin"
        ? atHome("Library", "Application Support")
        : xdg,
    ),
    config: below(
      platform === "windows"
        ? below(roaming)("Zed")
        : platform === "darwin"
        ? atHome(".config", "zed")
        : below(xdg)("zed"),
    ),
    named: (variable, otherwise, ...names) =>
      below(absolute(variable) ?? atHome(otherwise))(...names),
  };
}

/** The file of a user in which a host keeps its servers; throws `invalid_arguments` where no home is known. */
export function userFile(host: Host, of: Surroundings): string {
  return FACTS[host].user(directoriesOf(of));
}

/** The file of a project in which a host keeps its servers, or null. */
export function projectFile(
  host: Host,
  project: string,
  { platform }: Surroundings,
): string | null {
  const { project: name } = FACTS[host];
  if (name === null) return null;
  const separator = platform === "windows" ? "\\" : "/";
  return `${project}${separator}${name.replaceAll("/", separator)}`;
}

/** Where a host keeps its servers, as far as that is known: for a user, and for a project. */
export function placesOf(host: Host, project: string, of: Surroundings): readonly string[] {
  const own = projectFile(host, project, of);
  return [...(of.home === null ? [] : [userFile(host, of)]), ...(own === null ? [] : [own])];
}
