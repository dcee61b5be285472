/** JSON-RPC messages, whatever revision they belong to: what is one, and what is answered to what is none (MCP-2). */

import { defined, type Fields, isObject } from "../../base/object.ts";

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
