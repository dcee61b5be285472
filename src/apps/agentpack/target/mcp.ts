/** MCP servers in the files of coding tools: what each calls the members of a server, and the way back (PACK-63). */

import { canonicalJson } from "../../../base/policy/fingerprint.ts";
import { defined, type Fields, fieldsOf } from "../../../base/object.ts";
import { bytesOf, decodeText } from "../content.ts";
import { givenOutput } from "../config/metadata.ts";
import { skillName } from "../identity.ts";
import type { ComposedModule } from "../module/compose.ts";
import type { TargetName } from "../names.ts";
import type { SharedFile } from "../../../state/entries/types.ts";
import {
  type EntriesPlace,
  entriesRule,
  entryOf,
  secretWarnings,
  SHARED_FILES,
} from "./shared_files.ts";
import { type McpServer, readServer, serverText, type Transport } from "../shared.ts";
import { withoutSecrets } from "../../../state/entries/shown.ts";
import type { OutputRule, Rendering } from "./target.ts";

/** How a tool writes servers. */
interface Dialect {
  readonly shared: SharedFile;
  /** What it calls the address, by transport; a transport without one is unknown to it. */
  readonly url: Partial<Readonly<Record<Transport, string>>>;
  readonly headers: string;
  /** What it has to be told as `type`; null where it takes none. */
  readonly type: (transport: Transport) => string | null;
  /** Whether it takes a directory for programs. */
  readonly cwd: boolean;
  /** The names that it takes. */
  readonly names?: RegExp;
}

/** How each tool writes servers, as its documentation says. */
const DIALECTS = {
  // code.claude.com/docs/en/mcp: http and sse servers say so, stdio ones need not.
  claude_code: {
    shared: SHARED_FILES.claude_code.servers,
    url: { http: "url", sse: "url" },
    headers: "headers",
    type: (transport) => transport === "stdio" ? null : transport,
    cwd: false,
  },
  // cursor.com/docs/mcp: the transport of an address is found out.
  cursor: {
    shared: SHARED_FILES.cursor.servers,
    url: { http: "url", sse: "url" },
    headers: "headers",
    type: () => null,
    cwd: false,
  },
  // code.visualstudio.com/docs/copilot/reference/mcp-configuration: every server has a type.
  vscode: {
    shared: SHARED_FILES.vscode.servers,
    url: { http: "url", sse: "url" },
    headers: "headers",
    type: (transport) => transport,
    cwd: false,
  },
  // developers.openai.com/codex/mcp: programs and streamable HTTP; names are letters, digits, - and _.
  codex: {
    shared: SHARED_FILES.codex.servers,
    url: { http: "url" },
    headers: "http_headers",
    type: () => null,
    cwd: true,
    names: /^[A-Za-z0-9_-]+$/,
  },
  // geminicli.com/docs/tools/mcp-server: httpUrl is streamable HTTP, url is SSE; the settings may have comments.
  gemini: {
    shared: SHARED_FILES.gemini.servers,
    url: { http: "httpUrl", sse: "url" },
    headers: "headers",
    type: () => null,
    cwd: true,
    // In a file that has hooks, too, their names begin so here.
    names: /^(?!hooks\.)/,
  },
  // docs.windsurf.com/windsurf/cascade/mcp
  windsurf: {
    shared: SHARED_FILES.windsurf.servers,
    url: { http: "serverUrl", sse: "serverUrl" },
    headers: "headers",
    type: () => null,
    cwd: false,
  },
} as const satisfies Partial<Record<TargetName, Dialect>>;

/** A tool that has MCP servers. */
type McpHost = keyof typeof DIALECTS;

/** What a tool's file says about a server without what the module says for this tool alone. */
function translated(dialect: Dialect, server: McpServer): Fields {
  const { type, command, args, env, cwd, url, headers } = server;
  const address = dialect.url[type];
  return defined({
    type: dialect.type(type) ?? undefined,
    command,
    args,
    env,
    cwd: dialect.cwd ? cwd : undefined,
    ...(url === undefined || address === undefined ? {} : { [address]: url }),
    ...(headers === undefined ? {} : { [dialect.headers]: headers }),
  });
}

/** An entry for a tool; null where it knows no such transport. */
function entryFor(target: McpHost, server: McpServer): Fields | null {
  const dialect: Dialect = DIALECTS[target];
  if (server.url !== undefined && dialect.url[server.type] === undefined) return null;
  const own = Object.entries({ ...translated(dialect, server), ...server.hosts[target] });
  return Object.fromEntries(own.filter(([, value]) => value !== null));
}

function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

/** The server that an entry of a tool's file describes, so that {@linkcode entryFor} gives exactly this entry. */
function serverFrom(target: McpHost, entry: Fields): McpServer {
  const dialect: Dialect = DIALECTS[target];
  const said = entry["type"];
  const http = dialect.url.http;
  const sse = dialect.url.sse;
  const isStdio = typeof entry["command"] === "string";
  const isSse = !isStdio && (said === "sse" || (sse !== http && sse !== undefined && sse in entry));
  const type = isStdio ? "stdio" : isSse ? "sse" : "http";
  const given = (member: string | undefined) => member === undefined ? undefined : entry[member];
  // Windsurf takes the plain word for it, too.
  const address = given(dialect.url[type]) ?? entry["url"];
  const common = isStdio
    ? { command: given("command"), args: given("args"), env: given("env"), cwd: given("cwd") }
    : { url: address, headers: given(dialect.headers) };
  const plain = { ...defined(common), type, hosts: {} } as McpServer;
  const without = translated(dialect, plain);
  const own: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(entry)) {
    if (!same(without[member], value)) own[member] = value;
  }
  for (const member of Object.keys(without)) if (!(member in entry)) own[member] = null;
  return Object.keys(own).length === 0 ? plain : { ...plain, hosts: { [target]: own } };
}

/** The file of a module that gives an entry again; a text after `problem` says why there is none. */
export function moduleTextOf(
  target: TargetName,
  entry: unknown,
): { readonly text: string } | { readonly problem: string } {
  const text = serverText(serverFrom(target as McpHost, fieldsOf(entry)));
  const read = readServer(text);
  if (typeof read === "string") return { problem: `it ${read}` };
  const again = entryFor(target as McpHost, read);
  return again !== null && same(again, entry) ? { text } : {
    problem: "no module can say the same",
  };
}

/** An argument as a shell would need it, so that nobody takes two for one. */
function word(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : JSON.stringify(text);
}

/** What a tool does because of an entry, in full but for secrets. */
function whatRuns(entry: Fields): string {
  const { command, args, cwd } = entry;
  const address = ["url", "httpUrl", "serverUrl"].map((member) => entry[member])
    .find((value) => typeof value === "string");
  const words = [command, ...(Array.isArray(args) ? args : [])].map((one) => word(String(one)));
  const names = Object.keys(fieldsOf(entry["env"]));
  const said = typeof command === "string"
    ? `runs: ${words.join(" ")}${typeof cwd === "string" ? ` (in ${word(cwd)})` : ""}${
      names.length === 0 ? "" : ` (with ${names.join(", ")})`
    }`
    : `connects to: ${String(address)}`;
  return withoutSecrets(said, entry);
}

function rendered(target: McpHost, module: ComposedModule): Rendering {
  const [path, file] = [...module.files][0] ?? [];
  const bytes = file === undefined ? null : bytesOf(file.bytes);
  const server = readServer(decodeText(bytes ?? new Uint8Array()) ?? "");
  if (path === undefined || typeof server === "string") return { files: [] };
  const { id } = module.config;
  const dialect: Dialect = DIALECTS[target];
  const name = givenOutput(module.config) ?? skillName(module.config.id);
  const value = entryFor(target, server);
  const leave = (why: string): Rendering => ({
    files: [],
    warnings: [`The server "${id}" is left out of ${target}: ${why}`],
  });
  if (value === null) return leave(`it knows no servers of type ${server.type}`);
  if (dialect.names?.test(name) === false) {
    return leave(
      target === "codex"
        ? "a name is letters, digits, - and _ there; metadata.output gives another one"
        : 'a name that begins with "hooks." is one of hooks; metadata.output gives another one',
    );
  }
  const { shared } = dialect;
  const entry = entryOf(module, path, { shared, name, value, runs: whatRuns(value) });
  return {
    files: [],
    entries: [entry],
    warnings: [
      ...secretWarnings(id, value, shared.file),
      ...(server.cwd !== undefined && !dialect.cwd && value["cwd"] === undefined
        ? [`The server "${id}" has a cwd, which ${target} does not know`]
        : []),
    ],
  };
}

/** The rule by which a tool gets MCP servers. */
export function mcpServers(target: McpHost, place: EntriesPlace): OutputRule {
  const { shared } = DIALECTS[target];
  return entriesRule(
    "mcp_server",
    { kind: "entries", shared },
    place,
    (module) => rendered(target, module),
  );
}
