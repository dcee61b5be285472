/**
 * Decides about each message of a session before the protocol engine sees it, so that whatever a client sends gets the
 * answer the specification asks for (MCP-2).
 */

import { defined, type Fields, isObject } from "../../base/object.ts";
import {
  type ErrorAnswer,
  errorAnswer,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type Message,
  readMessage,
} from "./messages.ts";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  RequestSchema,
  ResultSchema,
  SetLevelRequestSchema,
} from "./sdk.ts";

/** What is known of the connection. */
export interface ConnectionState {
  readonly initialized: boolean;
  /** Whether the tools themselves refuse arguments that are no object. */
  readonly anyArguments: boolean;
}

/** Either a message for the engine, an error answer, or nothing at all. */
type Verdict =
  | { readonly pass: Message }
  | { readonly answer: ErrorAnswer }
  | { readonly drop: true };

/** Methods that need `initialize` first; unknown ones go to the engine, which answers "not found". */
const NEEDS_INITIALIZE = /^(?:tools|resources|prompts|logging|completion|skills)\//;

/** What can tell whether a value has a shape. */
interface Shape {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly error?: {
      readonly issues: readonly { readonly path: PropertyKey[]; readonly message: string }[];
    };
  };
}

/** What the engine takes for each method; it would answer anything else with its validator's dump, or never. */
const SHAPES: Readonly<Record<string, Shape>> = {
  initialize: InitializeRequestSchema,
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
  "resources/list": ListResourcesRequestSchema,
  "resources/templates/list": ListResourceTemplatesRequestSchema,
  "resources/read": ReadResourceRequestSchema,
  "prompts/list": ListPromptsRequestSchema,
  "prompts/get": GetPromptRequestSchema,
  "completion/complete": CompleteRequestSchema,
  "logging/setLevel": SetLevelRequestSchema,
};

/** Judges one parsed message; batches are taken apart before. */
export function screen(value: unknown, state: ConnectionState): Verdict {
  const read = readMessage(value);
  if (read.kind === "wrong") return read.answer === null ? { drop: true } : { answer: read.answer };
  if (read.kind === "answer") return { pass: screenAnswer(read.value, read.id) };
  const { method, params } = read;
  // Members the protocol does not know are left behind: the engine would ignore the whole message.
  const rest = { method, ...defined({ params }) };
  if (read.kind === "notification") return { pass: { jsonrpc: "2.0", ...rest } };
  const { id } = read;
  const message: Message = { jsonrpc: "2.0", id, ...rest };
  const refuse = (code: number, text: string): Verdict => ({ answer: errorAnswer(id, code, text) });
  if (!state.initialized && NEEDS_INITIALIZE.test(method)) {
    return refuse(INVALID_REQUEST, `Call initialize before ${method}`);
  }
  if (method === "initialize" && state.initialized) {
    return refuse(INVALID_REQUEST, "initialize was called already");
  }
  const verdict = method === "tools/call"
    ? screenToolCall(message, params, state, refuse)
    : { pass: method === "initialize" ? withRevision(message, params) : message };
  const wrong = "pass" in verdict ? wrongMember(verdict.pass, method) : null;
  return wrong === null ? verdict : refuse(INVALID_PARAMS, `Cannot serve ${method}: ${wrong}`);
}

/** A handshake that names a revision: whatever is no name of one is answered like a revision nobody knows. */
function withRevision(message: Message, params: Fields | undefined): Message {
  return params === undefined || typeof params["protocolVersion"] === "string"
    ? message
    : { ...message, params: { ...params, protocolVersion: "" } };
}

/** The first member of a request that the engine would not take, and why; null when all is well. */
function wrongMember(message: Message, method: string): string | null {
  const shape = Object.hasOwn(SHAPES, method) ? SHAPES[method] : undefined;
  const checked = (shape ?? RequestSchema).safeParse(message);
  if (checked.success) return null;
  const [issue] = checked.error?.issues ?? [];
  const problem = issue?.message.replace(/^Invalid input: /, "") ?? "wrong parameters";
  return `${issue?.path.map(String).join(".") || "params"}: ${problem}`;
}

/** An answer of the client; a malformed one becomes an error, so that nobody waits for another. */
function screenAnswer(value: Fields, id: string | number): Message {
  const { result, error } = value;
  if (!("error" in value) && ResultSchema.safeParse(result).success) {
    return { jsonrpc: "2.0", id, result };
  }
  const usable = isObject(error) && Number.isSafeInteger(error["code"]) &&
    typeof error["message"] === "string";
  return {
    jsonrpc: "2.0",
    id,
    error: usable ? error : { code: INVALID_REQUEST, message: "The answer was malformed" },
  };
}

function screenToolCall(
  message: Message,
  params: Fields | undefined,
  state: ConnectionState,
  refuse: (code: number, message: string) => Verdict,
): Verdict {
  if (typeof params?.["name"] !== "string") {
    return refuse(INVALID_PARAMS, 'tools/call needs "name", the name of a tool');
  }
  let args = params["arguments"] ?? undefined;
  if (args !== undefined && !isObject(args)) {
    if (!state.anyArguments) return refuse(INVALID_PARAMS, '"arguments" must be an object');
    // The engine takes nothing but objects: no tool has a member of this name, so each refuses it.
    args = { arguments: args };
  }
  // A task is asked for by clients of later revisions; who does not offer tasks must serve the call as usual.
  const { arguments: _null, task: _task, ...rest } = params;
  return { pass: { ...message, params: args === undefined ? rest : { ...rest, arguments: args } } };
}
