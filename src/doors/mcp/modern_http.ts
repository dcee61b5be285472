/**
 * The modern revision over HTTP (MCP-20): each POST is one request and its answer. What is told while it is worked on
 * turns the answer into an event stream; whoever closes it has cancelled.
 */

import { fieldsOf, isObject } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { type Features, MODERN_REVISION } from "./features.ts";
import {
  errorAnswer,
  type Id,
  INVALID_PARAMS,
  INVALID_REQUEST,
  metaOf,
  metaProblem,
  METHOD_NOT_FOUND,
  MISSING_CAPABILITY,
  readMessage,
  revisionNamed,
  UNSUPPORTED_VERSION,
  usableId,
} from "./messages.ts";
import { Modern } from "./modern.ts";

const REVISION_HEADER = "mcp-protocol-version";
const METHOD_HEADER = "mcp-method";
const NAME_HEADER = "mcp-name";
const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";

/** The code of a header that does not say what the body says. */
const HEADER_MISMATCH = -32020;

/** So many requests are worked on at once. */
const MAX_OPEN = 64;
/** For so long nothing needs to be heard of a request; then it becomes a stream, which is kept alive. */
const QUIET_MS = 15_000;

/** The statuses of errors that have one of their own. */
const STATUSES: Readonly<Record<number, number>> = {
  [METHOD_NOT_FOUND]: 404,
  [MISSING_CAPABILITY]: 400,
  [UNSUPPORTED_VERSION]: 400,
};

/** The parameter whose value stands in a header, by method. */
const NAMED: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": JSON_TYPE } });
}

function refused(status: number, code: number, message: string, id: Id | null = null): Response {
  return json(errorAnswer(id, code, message), status);
}

/** The value of a header, which stands encoded where it is no plain text; null for what cannot be read. */
function decoded(value: string | null): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  if (encoded === undefined) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(encoded));
  } catch {
    return null;
  }
}

/** The first header that does not say what the body says; null when all do. */
export function mismatch(headers: Headers, body: unknown): string | null {
  const { method, params } = fieldsOf(body);
  if (headers.get(REVISION_HEADER) !== revisionNamed(body)) return "MCP-Protocol-Version";
  if (headers.get(METHOD_HEADER) !== method) return "Mcp-Method";
  const member = typeof method === "string" && Object.hasOwn(NAMED, method) ? NAMED[method] : null;
  if (member === null || member === undefined) return null;
  // What is missing in the body as well is told by the method.
  const said = fieldsOf(params)[member];
  return said === undefined || decoded(headers.get(NAME_HEADER)) === said ? null : "Mcp-Name";
}

/** Whether the headers of a request say that it is of the modern revision. */
export function namesModern(headers: Headers): boolean {
  return headers.get(REVISION_HEADER) === MODERN_REVISION;
}

/** Why a request cannot be read, by its headers alone; null when it can. */
export function unreadable(
  { method, headers }: Pick<Request, "method" | "headers">,
): Response | null {
  if (method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== JSON_TYPE) {
    return refused(415, INVALID_REQUEST, `The body must be ${JSON_TYPE}`);
  }
  const accepted = (headers.get("accept") ?? "").split(",").map((part) =>
    part.split(";")[0]?.trim().toLowerCase() ?? ""
  );
  const accepts = (wanted: string) =>
    accepted.some((one) => one === wanted || one === "*/*" || one === wanted.replace(/\/.*/, "/*"));
  return accepts(JSON_TYPE) && accepts(STREAM_TYPE)
    ? null
    : refused(406, INVALID_REQUEST, `A client must accept ${JSON_TYPE} and ${STREAM_TYPE}`);
}

/** An event stream that ends with the answer. */
class Stream {
  readonly response: Response;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  /** `onClose` is called when the client closes it. */
  constructor(onClose: () => void) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = null;
        onClose();
      },
    });
    this.response = new Response(body, {
      headers: {
        "content-type": STREAM_TYPE,
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no",
      },
    });
  }

  #write(text: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(text));
  }

  message(message: unknown): void {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  /** Says that the request is still worked on. */
  breathe(): void {
    this.#write(": still working\n\n");
  }

  end(): void {
    this.#controller?.close();
    this.#controller = null;
  }
}

/** Answers the POSTs of clients without a session. */
export class ModernHttp {
  readonly #system: Pick<System, "clock" | "terminal">;
  readonly #modern: Modern;
  readonly #open = new Set<AbortController>();
  readonly #working = new Set<Promise<unknown>>();

  constructor(system: Pick<System, "clock" | "terminal">, features: Features) {
    this.#system = system;
    this.#modern = new Modern(system, features);
  }

  /** Answers a request whose parsed body, or headers, are of the modern revision. */
  async answer(request: Request, body: unknown): Promise<Response> {
    const wrong = unreadable(request);
    if (wrong !== null) return wrong;
    const id = usableId(fieldsOf(body)["id"]);
    if (!isObject(body)) return refused(400, INVALID_REQUEST, "A body is one message");
    const { headers } = request;
    if (!headers.has(REVISION_HEADER)) {
      return refused(400, HEADER_MISMATCH, "The header MCP-Protocol-Version is missing", id);
    }
    const read = readMessage(body);
    if (read.kind === "wrong") return json(read.answer, 400);
    if (read.kind === "answer") {
      return refused(400, INVALID_REQUEST, "This revision asks nothing of its clients", id);
    }
    // Closing the answer cancels; there is nothing else to notify of.
    if (read.kind === "notification") return new Response(null, { status: 202 });
    const problem = metaProblem(metaOf(body));
    if (problem !== null) return refused(400, INVALID_PARAMS, problem, id);
    const header = mismatch(headers, body);
    if (header !== null) {
      return refused(
        400,
        HEADER_MISMATCH,
        `The header ${header} does not say what the body says`,
        id,
      );
    }
    if (this.#open.size >= MAX_OPEN) {
      return refused(
        429,
        INVALID_REQUEST,
        `No more than ${MAX_OPEN} requests are worked on at once`,
        id,
      );
    }
    return await this.#work(request, read);
  }

  async #work(request: Request, read: Parameters<Modern["answer"]>[0]): Promise<Response> {
    const abort = new AbortController();
    const cancel = () => abort.abort();
    request.signal.addEventListener("abort", cancel, { once: true });
    this.#open.add(abort);
    const stream = new Stream(cancel);
    const told = Promise.withResolvers<"stream">();
    const working = this.#modern.answer(read, {
      signal: abort.signal,
      tell: (method, params) => {
        stream.message({ jsonrpc: "2.0", method, params });
        told.resolve("stream");
      },
    });
    const done = working.then((answer) => {
      stream.message(answer);
      stream.end();
      this.#open.delete(abort);
      this.#working.delete(done);
      request.signal.removeEventListener("abort", cancel);
    });
    this.#working.add(done);
    const quiet = new AbortController();
    const late = this.#system.clock.sleep(QUIET_MS, quiet.signal).then(() => "stream" as const);
    const first = await Promise.race([told.promise, late, working]);
    quiet.abort();
    if (first === "stream") {
      void this.#keepAlive(stream, done);
      return stream.response;
    }
    const code = "error" in first ? first.error.code : 0;
    return json(first, STATUSES[code] ?? 200);
  }

  async #keepAlive(stream: Stream, done: Promise<void>): Promise<void> {
    const over = new AbortController();
    const ended = done.then(() => over.abort());
    while (!over.signal.aborted) {
      stream.breathe();
      await Promise.race([ended, this.#system.clock.sleep(QUIET_MS, over.signal)]);
    }
  }

  /** Ends what is worked on, and waits until it has come to a safe point. */
  async close(): Promise<void> {
    for (const abort of this.#open) abort.abort();
    await Promise.allSettled(this.#working);
  }
}
