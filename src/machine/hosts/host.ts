/**
 * The AI hosts that amof can be installed in: where each keeps its MCP servers on each system, and what it bears
 * (HOST-1).
 */

import { SERVER_FILES, type SharedFile } from "../../state/entries/types.ts";
import { AmofError } from "../../base/error.ts";
import { defined, type Fields, fieldsOf } from "../../base/object.ts";
import type { Environment } from "../../base/system/mod.ts";

/** For whom an entry counts: for a user everywhere, or for everybody in a project. */
export const HOST_SCOPES = ["user", "project"] as const;

/** What tells where files of a user are. */
type Surroundings = Pick<Environment, "get" | "home" | "platform">;

/** The directories of a user, each of which joins the names of a place below it. */
interface Directories {
  readonly home: (...names: readonly string[]) => string;
  /** Where programs keep settings: what the system says, `.config` on Linux. */
  readonly settings: (...names: readonly string[]) => string;
  /** `XDG_CONFIG_HOME`, or `.config` on every system. */
  readonly xdg: (...names: readonly string[]) => string;
  /** The directory that a variable names, or else one of the home. */
  readonly named: (variable: string, otherwise: string, ...names: readonly string[]) => string;
  /** Whether a variable names a directory. */
  readonly has: (variable: string) => boolean;
  readonly platform: Surroundings["platform"];
}

/** How a host writes an entry that is not just `command`, `args` and `env`. */
interface Shape {
  readonly write: (entry: Fields) => Fields;
  readonly read: (entry: Fields) => Fields;
}

/** The program and its arguments are one list, and variables have the long word. */
const LISTED: Shape = {
  write: ({ command, args, env, ...members }) => ({
    ...members,
    command: [command, ...Array.isArray(args) ? args : []],
    environment: env,
  }),
  read: ({ command, environment, ...members }) => {
    const [program, ...args]: readonly unknown[] = Array.isArray(command) ? command : [command];
    return { ...members, command: program, args, ...defined({ env: environment }) };
  },
};

/** What starts the server may stand one level deeper, as the host itself writes it. */
const BELOW_TRANSPORT: Shape = {
  write: (entry) => entry,
  read: ({ transport, ...members }) => ({ ...members, ...fieldsOf(transport) }),
};

interface HostFacts {
  readonly title: string;
  /** The file of a user, from the directories of one. */
  readonly user: (of: Directories) => string;
  /** The file of a project, relative to it; null where projects have none. */
  readonly project: string | null;
  /** How it writes its servers. */
  readonly file: SharedFile;
  /** Whether it shows a person the forms in which they are asked; absent also where nobody has seen it do so. */
  readonly forms?: true;
  /** Whether a model writes code in it, which needs the tools of every day (MCP-8). */
  readonly codes: boolean;
  /** Members that every entry has besides. */
  readonly members?: Fields;
  readonly shape?: Shape;
  /** The directory of a project as its file names it, where that is not the one the server is started in. */
  readonly folder?: string;
  /** What a person has to allow before it starts the servers of a project. */
  readonly allow?: string;
  /** Names of variables that it hands on where an entry says so, and to no server otherwise. */
  readonly names?: readonly string[];
  /** Variables that it would keep back, as an entry gives them again. */
  readonly values?: Readonly<Record<string, string>>;
  /** What a person should know where the file is new. */
  readonly fresh?: string;
}

const TRUSTED = (title: string, what = "folder") =>
  `${title} starts it once the ${what} is trusted: start ${title} there, and say so.`;

/** What git needs to reach remotes, and amof to find what is its own, besides what every host hands on. */
const NEEDED = [
  "SSH_AUTH_SOCK",
  "GIT_SSH_COMMAND",
  "GIT_SSH",
  "GIT_ASKPASS",
  "SSH_ASKPASS",
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
  "AMOF_CONFIG",
  "AMOF_PATH",
  // Keys that commits are signed with, and whoever asks for their passphrase or keeps credentials.
  "GNUPGHOME",
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  // Engines.
  "KUBECONFIG",
  "SLURM_CONF",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "XDG_STATE_HOME",
  "XDG_RUNTIME_DIR",
];

const FACTS = {
  "claude-code": {
    title: "Claude Code",
    user: ({ named }) => named("CLAUDE_CONFIG_DIR", "", ".claude.json"),
    project: ".mcp.json",
    file: SERVER_FILES["claude-code"],
    forms: true,
    codes: true,
    allow: "Start Claude Code there once, and approve the server when it asks.",
  },
  "claude-desktop": {
    title: "Claude Desktop",
    user: ({ settings }) => settings("Claude", "claude_desktop_config.json"),
    project: null,
    file: SERVER_FILES["claude-desktop"],
    codes: false,
  },
  cursor: {
    title: "Cursor",
    user: ({ home }) => home(".cursor", "mcp.json"),
    project: ".cursor/mcp.json",
    file: SERVER_FILES.cursor,
    forms: true,
    codes: true,
    folder: "${workspaceFolder}",
    allow: "Cursor starts it once you have trusted it there.",
  },
  vscode: {
    title: "VS Code",
    user: ({ settings }) => settings("Code", "User", "mcp.json"),
    project: ".vscode/mcp.json",
    file: SERVER_FILES.vscode,
    forms: true,
    codes: true,
    members: { type: "stdio" },
    folder: "${workspaceFolder}",
    allow: "VS Code starts it once you have trusted it there.",
  },
  codex: {
    title: "Codex",
    user: ({ named }) => named("CODEX_HOME", ".codex", "config.toml"),
    project: ".codex/config.toml",
    file: SERVER_FILES.codex,
    forms: true,
    codes: true,
    allow: TRUSTED("Codex", "project"),
    names: NEEDED,
  },
  windsurf: {
    title: "Windsurf",
    user: ({ home }) => home(".codeium", "windsurf", "mcp_config.json"),
    project: null,
    file: SERVER_FILES.windsurf,
    codes: true,
  },
  gemini: {
    title: "Gemini CLI",
    user: ({ home }) => home(".gemini", "settings.json"),
    project: ".gemini/settings.json",
    file: SERVER_FILES.gemini,
    codes: true,
    allow: TRUSTED("Gemini CLI"),
    // It hands on no variable whose name has AUTH, KEY or TOKEN in it.
    values: { SSH_AUTH_SOCK: "$SSH_AUTH_SOCK" },
  },
  zed: {
    title: "Zed",
    user: ({ home, settings, platform }) =>
      platform === "darwin"
        ? home(".config", "zed", "settings.json")
        : settings(platform === "windows" ? "Zed" : "zed", "settings.json"),
    project: ".zed/settings.json",
    file: SERVER_FILES.zed,
    codes: true,
  },
  copilot: {
    title: "Copilot CLI",
    user: ({ named }) => named("COPILOT_HOME", ".copilot", "mcp-config.json"),
    project: ".github/mcp.json",
    file: { file: "mcp-config.json", syntax: "jsonc", table: "mcpServers" },
    forms: true,
    codes: true,
    members: { type: "local", tools: ["*"] },
    allow: TRUSTED("Copilot CLI"),
  },
  qwen: {
    title: "Qwen Code",
    user: ({ home }) => home(".qwen", "settings.json"),
    project: ".qwen/settings.json",
    file: { file: "settings.json", syntax: "jsonc", table: "mcpServers" },
    codes: true,
    allow: "Start Qwen Code there once, and approve the server when it asks.",
  },
  opencode: {
    title: "opencode",
    user: ({ xdg }) => xdg("opencode", "opencode.jsonc"),
    project: "opencode.jsonc",
    file: { file: "opencode.jsonc", syntax: "jsonc", table: "mcp" },
    codes: true,
    members: { type: "local" },
    shape: LISTED,
  },
  kilo: {
    title: "Kilo Code",
    user: ({ xdg }) => xdg("kilo", "kilo.jsonc"),
    project: "kilo.jsonc",
    file: { file: "kilo.jsonc", syntax: "jsonc", table: "mcp" },
    codes: true,
    members: { type: "local" },
    shape: LISTED,
  },
  cline: {
    title: "Cline",
    user: ({ home }) => home(".cline", "data", "settings", "cline_mcp_settings.json"),
    project: null,
    file: { file: "cline_mcp_settings.json", syntax: "json", table: "mcpServers" },
    codes: true,
    shape: BELOW_TRANSPORT,
  },
  amp: {
    title: "Amp",
    user: ({ xdg }) => xdg("amp", "settings.json"),
    project: ".amp/settings.json",
    file: { file: "settings.json", syntax: "jsonc", table: "amp.mcpServers" },
    codes: true,
    allow: "Amp starts it once you have approved it there: amp mcp approve amof",
  },
  continue: {
    title: "Continue",
    user: ({ home }) => home(".continue", "config.yaml"),
    project: null,
    file: {
      file: "config.yaml",
      syntax: "yaml",
      table: "mcpServers",
      // It takes no file without them.
      seed: { name: "Local Config", version: "1.0.0", schema: "v1" },
    },
    codes: true,
    fresh: "Continue finds its models in this file, too, and a new one has none: add yours.",
  },
  mcporter: {
    title: "mcporter",
    user: ({ has, home, xdg }) =>
      has("XDG_CONFIG_HOME")
        ? xdg("mcporter", "mcporter.json")
        : home(".mcporter", "mcporter.json"),
    project: "config/mcporter.json",
    file: { file: "mcporter.json", syntax: "jsonc", table: "mcpServers" },
    codes: false,
    // It starts a server in the directory of the file.
    folder: "..",
  },
} as const satisfies Readonly<Record<string, HostFacts>>;

/** One of the hosts. */
export type Host = keyof typeof FACTS;
/** The hosts. */
export const HOSTS = Object.keys(FACTS) as readonly Host[] as readonly [Host, ...Host[]];

/** What is known of a host. */
export function factsOf(host: Host): HostFacts {
  return FACTS[host];
}

/** What an entry says of variables that a host would keep from a server (HOST-9). Values stay where they are. */
export function handedOn(host: Host): {
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
} {
  const { names = [], values = {} } = factsOf(host);
  return { names, values };
}

/**
 * The control repository as everybody in a project names it. Where the host has a variable for the folder, it
 * is named by that, else relative to where the host starts its servers. `way` leads there from the project, `.`
 * for itself.
 */
export function sharedRoot(host: Host, way: string): string {
  const { folder } = factsOf(host);
  return folder === undefined ? way : way === "." ? folder : `${folder}/${way}`;
}

/** An entry of `command`, `args` and `env` as a host writes it. */
export function writtenFor(host: Host, entry: Fields): Fields {
  const { members, shape } = factsOf(host);
  const whole = { ...members, ...entry };
  return shape?.write(whole) ?? whole;
}

/** What an entry of a host says as `command`, `args` and `env`, with whatever else stands in it. */
export function readAs(host: Host, entry: unknown): Fields {
  return factsOf(host).shape?.read(fieldsOf(entry)) ?? fieldsOf(entry);
}

/** The flags by which a server of amof's own tools fits a host: few tools where a model has its own besides. */
export function fittingFlags(host: Host): readonly string[] {
  return factsOf(host).codes ? ["--toolsets", "daily"] : [];
}

/** How a server of a host gets a person's consent where nothing else is said: by its forms, or by `amof approve`. */
export function consentBy(host: Host): "form" | "human" {
  return factsOf(host).forms ? "form" : "human";
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
    xdg: below(xdg),
    named: (variable, otherwise, ...names) =>
      below(absolute(variable) ?? atHome(otherwise))(...names),
    has: (variable) => absolute(variable) !== null,
    platform,
  };
}

/** The file of a user in which a host keeps its servers; throws `invalid_arguments` where no home is known. */
export function userFile(host: Host, of: Surroundings): string {
  return factsOf(host).user(directoriesOf(of));
}

/** The file of a project in which a host keeps its servers, or null. */
export function projectFile(
  host: Host,
  project: string,
  { platform }: Surroundings,
): string | null {
  const { project: name } = factsOf(host);
  if (name === null) return null;
  const separator = platform === "windows" ? "\\" : "/";
  return `${project}${separator}${name.replaceAll("/", separator)}`;
}

/** Where a host keeps its servers, as far as that is known: for a user, and for a project. */
export function placesOf(host: Host, project: string, of: Surroundings): readonly string[] {
  const own = projectFile(host, project, of);
  return [...(of.home === null ? [] : [userFile(host, of)]), ...(own === null ? [] : [own])];
}
