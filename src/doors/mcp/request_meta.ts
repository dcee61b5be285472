/** What every request of the modern revision says in `_meta`, and by which a message is known to be of it (MCP-17). */

import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { invalidParams, MODERN_REVISION, ProtocolError } from "./features.ts";
import type { Id } from "./messages.ts";
import { LOG_LEVELS, type LogLevel } from "./progress.ts";

const PREFIX = "io.modelcontextprotocol/";
const VERSION = `${PREFIX}protocolVersion`;
const CAPABILITIES = `${PREFIX}clientCapabilities`;
const CLIENT = `${PREFIX}clientInfo`;
const LOG_LEVEL = `${PREFIX}logLevel`;
/** What a result says of the server. */
export const SERVER_INFO = `${PREFIX}serverInfo`;
/** What a notification of a subscription says it belongs to. */
export const SUBSCRIPTION = `${PREFIX}subscriptionId`;

/** The code of a request that needs more than its client declares. */
export const MISSING_CAPABILITY = -32021;
/** The code of a revision that is not spoken. */
export const UNSUPPORTED_VERSION = -32022;

/** The extension by which runs are tasks. */
export const TASKS = `${PREFIX}tasks`;
/** The extension by which instructions for models are read. */
export const SKILLS = `${PREFIX}skills`;

/** The method by which clients ask what a server speaks. */
export const DISCOVER = "server/discover";

/** What a request says of itself and its client; it counts for this request alone. */
export interface RequestMeta {
  readonly capabilities: Fields;
  /** Name and version of the client. */
  readonly client: string;
  /** The least serious log message it wants; null for none. */
  readonly logLevel: LogLevel | null;
  /** What progress is told with; null where nobody asks. */
  readonly progressToken: Id | null;
}

/** The `_meta` of a parsed message; empty where there is none. */
export function metaOf(message: unknown): Fields {
  const params = isObject(message) ? message["params"] : undefined;
  const meta = isObject(params) ? params["_meta"] : undefined;
  return isObject(meta) ? meta : {};
}

/** Whether a parsed message is of the modern revision, whatever came before it on the same connection. */
export function isModern(message: unknown): boolean {
  if (!isObject(message)) return false;
  // No other revision has this method, so who calls it is told what it lacks.
  if (message["method"] === DISCOVER) return true;
  const meta = metaOf(message);
  return VERSION in meta || CAPABILITIES in meta;
}

/** The revision that a parsed message names; undefined for none. */
export function revisionNamed(message: unknown): unknown {
  return metaOf(message)[VERSION];
}

/** What is missing in a `_meta` or of the wrong type; null when nothing is. */
export function metaProblem(
  { [VERSION]: version, [CAPABILITIES]: capabilities }: Fields,
): string | null {
  if (typeof version !== "string") return `_meta needs "${VERSION}", a text`;
  return isObject(capabilities) ? null : `_meta needs "${CAPABILITIES}", an object`;
}

function clientOf(info: unknown): string {
  if (!isObject(info) || typeof info["name"] !== "string") return "unknown";
  const { name, version } = info;
  return cleanLine(typeof version === "string" ? `${name}/${version}` : name, 100);
}

/** Reads it; throws −32602 for what is missing or of the wrong type, −32022 for a revision that is not spoken. */
export function readMeta(meta: Fields): RequestMeta {
  const { [VERSION]: version, [CAPABILITIES]: capabilities, [LOG_LEVEL]: level } = meta;
  const problem = metaProblem(meta);
  if (problem !== null) throw invalidParams(problem);
  if (version !== MODERN_REVISION) {
    throw new ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", {
      supported: [MODERN_REVISION],
      requested: version,
    });
  }
  const logLevel = LOG_LEVELS.find((known) => known === level) ?? null;
  if (level !== undefined && logLevel === null) {
    throw invalidParams(`"${LOG_LEVEL}" must be one of ${LOG_LEVELS.join(", ")}`);
  }
  const token = meta["progressToken"];
  return {
    capabilities: fieldsOf(capabilities),
    // What cleans a name is slow at first, and the first answer needs none.
    get client() {
      return clientOf(meta[CLIENT]);
    },
    logLevel,
    progressToken: typeof token === "string" || typeof token === "number" ? token : null,
  };
}

/** Whether a client declares an extension. */
export function declares(capabilities: Fields, extension: string): boolean {
  return isObject(fieldsOf(capabilities["extensions"])[extension]);
}

/** Throws −32021 for a client that does not declare an extension. */
export function requireExtension(capabilities: Fields, extension: string): void {
  if (declares(capabilities, extension)) return;
  throw new ProtocolError(MISSING_CAPABILITY, "This is for clients that declare the extension", {
    requiredCapabilities: { extensions: { [extension]: {} } },
  });
}
