/**
 * What registries and hosts are told of the server: manifests and links that install it.
 *
 * @module
 */

import { PROJECT, releaseUrl, SLUG } from "./project.ts";
import { json } from "./tools.ts";

/** How a host starts the server that npm fetches. */
const START = { command: "npx", args: ["-y", `amof@${PROJECT.version}`, "mcp", "serve"] } as const;

const ROOT_MEANS = "The control repository: the directory that holds ecosystems/";

/** A bundle that lies on the page of the release. */
export interface PublishedBundle {
  readonly file: string;
  /** Of the file, in hexadecimal. */
  readonly sha256: string;
}

/** The entry of the MCP registry. */
export function registryEntry(bundles: readonly PublishedBundle[]): Record<string, unknown> {
  const [owner] = SLUG.split("/");
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: `io.github.${owner}/amof`,
    title: PROJECT.name,
    description: PROJECT.short,
    version: PROJECT.version,
    websiteUrl: PROJECT.homepage,
    repository: { url: PROJECT.homepage, source: "github" },
    packages: [
      {
        registryType: "npm",
        identifier: PROJECT.name,
        version: PROJECT.version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: ["mcp", "serve"].map((value) => ({ type: "positional", value })),
        environmentVariables: [
          { name: "AMOF_ROOT", description: ROOT_MEANS, format: "filepath", isRequired: true },
          {
            name: "AMOF_READ_ONLY",
            description: "Offer only tools that change nothing",
            format: "boolean",
            default: "false",
          },
        ],
      },
      ...bundles.map(({ file, sha256 }) => ({
        registryType: "mcpb",
        identifier: releaseUrl(file),
        version: PROJECT.version,
        fileSha256: sha256,
        transport: { type: "stdio" },
      })),
    ],
  };
}

const GEMINI = {
  name: PROJECT.name,
  version: PROJECT.version,
  description: PROJECT.short,
  settings: [{ name: "Control repository", description: ROOT_MEANS, envVar: "AMOF_ROOT" }],
  mcpServers: { amof: { command: "amof", args: ["mcp", "serve"] } },
};

const CLAUDE_PLUGIN = {
  name: PROJECT.name,
  version: PROJECT.version,
  description: PROJECT.short,
  author: { name: PROJECT.author },
  homepage: PROJECT.homepage,
  repository: PROJECT.homepage,
  license: PROJECT.license,
  keywords: PROJECT.keywords,
  icon: "./icon.png",
  userConfig: { root: { type: "directory", title: "Control repository", description: ROOT_MEANS } },
  mcpServers: { amof: { ...START, env: { AMOF_ROOT: "${user_config.root}" } } },
};

const CLAUDE_MARKETPLACE = {
  name: PROJECT.name,
  owner: { name: PROJECT.author },
  metadata: { description: "amof for Claude Code" },
  plugins: [{ name: PROJECT.name, source: "./plugins/amof", description: PROJECT.short }],
};

/** The link that has VS Code ask for the control repository and add the server. */
export function vscodeLink(): string {
  const server = {
    name: PROJECT.name,
    ...START,
    env: { AMOF_ROOT: "${input:root}" },
    inputs: [{ type: "promptString", id: "root", description: ROOT_MEANS }],
  };
  const inner = `vscode:mcp/install?${encodeURIComponent(JSON.stringify(server))}`;
  return `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(inner)}`;
}

/** The link that has Cursor add the server. */
export function cursorLink(): string {
  const config = btoa(JSON.stringify({ ...START, env: { AMOF_ROOT: "" } }));
  return `https://cursor.com/en/install-mcp?name=amof&config=${encodeURIComponent(config)}`;
}

/** The files that lie in the repository, by path below `manifests/`. */
export function manifestFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["server.json", json(registryEntry([]))],
    ["gemini-extension.json", json(GEMINI)],
    ["claude/.claude-plugin/marketplace.json", json(CLAUDE_MARKETPLACE)],
    ["claude/plugins/amof/.claude-plugin/plugin.json", json(CLAUDE_PLUGIN)],
    ["links.json", json({ vscode: vscodeLink(), cursor: cursorLink() })],
  ]);
}
