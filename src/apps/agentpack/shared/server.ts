/** An MCP server as a module says it: one JSON object for all coding tools (PACK-63). */

import { type Fields, isObject } from "../../../base/object.ts";
import { withoutMark } from "../content.ts";
import { didYouMean, list } from "../../../base/text/words.ts";
import { isTargetName, TARGET_NAMES, type TargetName } from "../names.ts";
import type { Trouble } from "../../../state/entries/types.ts";
import { AgentpackError } from "../error.ts";

/** How a server is reached: a program that is started, or an address. */
const TRANSPORTS = ["stdio", "http", "sse"] as const;
/** One of {@linkcode TRANSPORTS}. */
export type Transport = typeof TRANSPORTS[number];

/** An MCP server. */
export interface McpServer {
  readonly type: Transport;
  /** The program, of stdio servers. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The address, of the others. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What one tool has besides, word for word; null leaves a member out. */
  readonly hosts: Partial<Readonly<Record<TargetName, Fields>>>;
}

const MEMBERS = ["type", "command", "args", "env", "cwd", "url", "headers", "hosts"];

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}

/** Reads the file of a module; a text says why it cannot be used, to complete "it …". */
export function readServer(text: string): McpServer | string {
  let raw: unknown;
  try {
    raw = JSON.parse(withoutMark(text));
  } catch {
    return "is not valid JSON";
  }
  if (!isObject(raw)) return "holds no JSON object";
  const unknown = Object.keys(raw).find((key) => !MEMBERS.includes(key));
  if (unknown !== undefined) {
    const near = didYouMean(unknown, MEMBERS);
    return `has the unknown member ${JSON.stringify(unknown)}; ${
      near === null
        ? `it takes ${list(MEMBERS)}; what one tool has besides goes into hosts`
        : `did you mean "${near}"?`
    }`;
  }
  return problemOf(raw) ?? serverOf(raw);
}

function problemOf(raw: Fields): string | null {
  const { type, command, args, env, cwd, url, headers, hosts } = raw;
  if (type !== undefined && !TRANSPORTS.some((one) => one === type)) {
    return `has another type than ${list(TRANSPORTS, "or")}`;
  }
  if ((typeof command === "string") === (typeof url === "string")) {
    return "needs either a command or a url";
  }
  if (command === "" || url === "") return "has an empty command or url";
  if (type !== undefined && (type === "stdio") !== (typeof command === "string")) {
    return "has a type that does not fit its command or url";
  }
  if (
    args !== undefined && !(Array.isArray(args) && args.every((one) => typeof one === "string"))
  ) {
    return "has args that are no list of texts";
  }
  if (env !== undefined && !isTexts(env)) return "has an env that does not map names to texts";
  if (headers !== undefined && !isTexts(headers)) {
    return "has headers that do not map names to texts";
  }
  if (cwd !== undefined && typeof cwd !== "string") return "has a cwd that is no text";
  const isRemote = typeof url === "string";
  const misplaced = isRemote ? [args, env, cwd] : [headers];
  if (misplaced.some((one) => one !== undefined)) {
    return isRemote
      ? "has args, env or cwd, which only a command takes"
      : "has headers, which only a url takes";
  }
  if (hosts === undefined) return null;
  if (!isObject(hosts)) return "has hosts that are no object";
  const stranger = Object.keys(hosts).find((name) => !isTargetName(name));
  if (stranger !== undefined) {
    return `names ${JSON.stringify(stranger)} in hosts, which is none of ${list(TARGET_NAMES)}`;
  }
  return Object.values(hosts).every(isObject) ? null : "has hosts whose members are no objects";
}

/** The server that members which were checked describe. */
function serverOf(raw: Fields): McpServer {
  const { hosts, type, ...rest } = raw;
  const transport = type ?? (typeof raw["command"] === "string" ? "stdio" : "http");
  return { ...rest, type: transport, hosts: hosts ?? {} } as McpServer;
}

/** The text of a module's file. */
export function serverText(server: McpServer): string {
  const { hosts, type, ...rest } = server;
  const isUsual = type === "stdio" || type === "http";
  return `${
    JSON.stringify(
      {
        ...(isUsual ? {} : { type }),
        ...rest,
        ...(Object.keys(hosts).length === 0 ? {} : { hosts }),
      },
      null,
      2,
    )
  }\n`;
}

/** The error for a shared file that cannot be used. */
export function sharedFileError(path: string, { problem, line }: Trouble): AgentpackError {
  const where = line === null ? path : `${path}:${line}`;
  return new AgentpackError(
    "E_SHARED_FILE_INVALID",
    `Cannot edit "${where}": ${problem}; it was left as it is`,
    { path, line, error: problem },
  );
}
