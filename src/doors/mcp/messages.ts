/** JSON-RPC messages, whatever revision they belong to: what is one, and what is answered to what is none (MCP-2). */

import { defined, type Fields, fieldsOf, isObject } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { invalidParams, MODERN_REVISION, ProtocolError } from "./features.ts";
import { LOG_LEVELS, type LogLevel } from "./progress.ts";

/** What tells a request and its answer. */
export type Id = string | number;

/** A JSON-RPC message that may be passed on. */
export type Message = Readonly<Record<string, unknown>> & { readonly jsonrpc: "2.0" };

/** A JSON-RPC error answer. */
export interface ErrorAnswer {
  readonly jsonrpc: "2.0";
  readonly id: Id | null;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** See {@linkcode PARSE_ERROR}. */
export const INVALID_REQUEST = -32600;
/** See {@linkcode PARSE_ERROR}. */
export const METHOD_NOT_FOUND = -32601;
/** See {@linkcode PARSE_ERROR}. */
export const INVALID_PARAMS = -32602;
/** Makes an error answer. */
export function errorAnswer(
  id: Id | null,
  code: number,
  message: string,
  data?: unknown,
): ErrorAnswer {
  return { jsonrpc: "2.0", id, error: { code, message, ...defined({ data }) } };
}

/** The answer to a request whose id belongs to another that is not answered. */
export function inUse(id: Id): ErrorAnswer {
  return errorAnswer(id, INVALID_REQUEST, "The id is in use");
}

/** A value as an id; null for what is none. */
export function usableId(id: unknown): Id | null {
  return typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? id : null;
}

/** A request or notification without what the protocol does not know. */
interface Called {
  readonly method: string;
  readonly params: Fields | undefined;
}

/** What a value is: one of the kinds of message, or none, with the answer to it where there is one. */
type Read =
  | { readonly kind: "request"; readonly id: Id } & Called
  | { readonly kind: "notification" } & Called
  | { readonly kind: "answer"; readonly id: Id; readonly value: Fields }
  | { readonly kind: "wrong"; readonly answer: ErrorAnswer | null };

/** Reads one parsed message; batches are taken apart before. */
export function readMessage(value: unknown): Read {
  if (!isObject(value)) {
    const answer = errorAnswer(null, INVALID_REQUEST, "A message must be an object");
    return { kind: "wrong", answer };
  }
  const id = usableId(value["id"]);
  const refuse = (code: number, message: string): Read => ({
    kind: "wrong",
    answer: errorAnswer(id, code, message),
  });
  if (value["jsonrpc"] !== "2.0") {
    return refuse(INVALID_REQUEST, 'A message must have "jsonrpc": "2.0"');
  }
  const { method } = value;
  if (!("method" in value) && ("result" in value || "error" in value)) {
    return id === null ? { kind: "wrong", answer: null } : { kind: "answer", id, value };
  }
  if (typeof method !== "string") {
    return refuse(INVALID_REQUEST, 'A request must have a "method"');
  }
  const isNotification = !("id" in value);
  if (!isNotification && id === null) {
    return refuse(INVALID_REQUEST, "An id must be a string or an integer");
  }
  const params = value["params"] ?? undefined;
  if (params !== undefined && !isObject(params)) {
    return isNotification
      ? { kind: "wrong", answer: null }
      : refuse(INVALID_PARAMS, '"params" must be an object');
  }
  return isNotification || id === null
    ? { kind: "notification", method, params }
    : { kind: "request", id, method, params };
}

/** A way to a client and back: lines of JSON. Standard input and output are one. */
export interface Wire {
  /** What the client sends, as it comes. */
  input(): AsyncIterable<Uint8Array>;
  /** Sends a line, which is about a request of the client where that has an id. Throws when the client is gone. */
  out(line: string, about?: string | number): void;
}

// What every request of the modern revision says in `_meta`, and by which a message is known to be of it (MCP-17).

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
