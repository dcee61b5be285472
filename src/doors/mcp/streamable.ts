/**
 * MCP over HTTP (MCP-13): each session is a connection as over standard input and output, behind the SDK's transport.
 */

import { isObject } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { errorAnswer, INVALID_REQUEST, type Wire } from "./messages.ts";
import type { JSONRPCMessage } from "./sdk.ts";
import { type EventStore, WebStandardStreamableHTTPServerTransport } from "./sdk_http.ts";

/** So many messages are kept, and so many characters of them; the oldest go first. */
const MAX_EVENTS = 1_000;
const MAX_CHARACTERS = 4_000_000;

/** The requests that came in one and are not answered; once there is none, its stream has nothing more to bring. */
type Open = Set<string | number>;

interface Event {
  readonly stream: string;
  readonly id: string;
  /** The requests of its stream; null where it belongs to none. */
  readonly requests: Open | null;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** The newest messages of one session. */
class Events implements EventStore {
  readonly #events: Event[] = [];
  readonly #requests: (message: JSONRPCMessage) => Open | null;
  #size = 0;
  #last = 0;

  /** `requests` says of a message to which it belongs. */
  constructor(requests: (message: JSONRPCMessage) => Open | null) {
    this.#requests = requests;
  }

  /** Keeps a message; answers its id. */
  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${++this.#last}`;
    const size = JSON.stringify(message).length;
    this.#events.push({ stream, id, requests: this.#requests(message), message, size });
    this.#size += size;
    while (this.#events.length > MAX_EVENTS || this.#size > MAX_CHARACTERS) {
      this.#size -= this.#events.shift()?.size ?? 0;
    }
    return Promise.resolve(id);
  }

  /** The stream of a message that is still kept. */
  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#events.find((event) => event.id === id)?.stream);
  }

  /** Sends what came behind a message on its stream, and on no other. */
  async replayEventsAfter(
    id: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    for (const event of this.#after(id)) await send(event.id, event.message);
    return this.#events.find((event) => event.id === id)?.stream ?? "";
  }

  /** What came behind a message on a stream that brings nothing more; null where more may come, or nothing is known. */
  restOf(id: string): readonly Pick<Event, "id" | "message">[] | null {
    const found = this.#events.find((event) => event.id === id);
    const { requests = null } = found ?? {};
    return requests === null || requests.size > 0 ? null : this.#after(id);
  }

  #after(id: string): readonly Event[] {
    const at = this.#events.findIndex((event) => event.id === id);
    const stream = this.#events[at]?.stream;
    return at < 0 ? [] : this.#events.slice(at + 1).filter((event) => event.stream === stream);
  }
}

/** With one more the session that was used least recently ends. */
const MAX_SESSIONS = 100;
/** So many requests of one session are worked on at once. */
const MAX_OPEN = 64;

const SESSION_HEADER = "mcp-session-id";
const REVISION_HEADER = "mcp-protocol-version";
const RESUMES_HEADER = "last-event-id";
/** The type of event streams. */
const STREAM = "text/event-stream";
/** The only revision with batches. */
const BATCHING = "2025-03-26";

type Id = string | number;

function idOf(message: unknown): Id | null {
  if (!isObject(message)) return null;
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** The ids of the requests that came in one. */
function requestsIn(body: unknown): Id[] {
  const messages = Array.isArray(body) ? body : [body];
  return messages.filter((message) => isObject(message) && "method" in message).map(idOf)
    .filter((id) => id !== null);
}

/** A JSON-RPC error as the whole answer to a request over HTTP. */
function refused(status: number, message: string, id: Id | null = null): Response {
  return new Response(JSON.stringify(errorAnswer(id, INVALID_REQUEST, message)), {
    status,
    headers: { "content-type": "application/json" },
  });
}

class HttpSession implements Wire {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Requests that are not answered, each with those that came in one with it. */
  readonly #open = new Map<Id, Open>();
  /** The requests that arrive together. */
  readonly #arriving = new Map<Id, Open>();
  /** What a message on its way out belongs to. */
  readonly #about = new WeakMap<JSONRPCMessage, Open>();
  readonly #events = new Events((message) => this.#about.get(message) ?? null);
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Open from the beginning: the first message comes before anybody reads. */
  readonly #input = new ReadableStream<Uint8Array>({
    start: (controller) => {
      this.#controller = controller;
    },
  });
  #ended = false;

  constructor(id: string, onEnd: () => void) {
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: this.#events,
    });
    this.transport.onmessage = (message) => this.#take(message);
    this.transport.onclose = () => {
      onEnd();
      this.#end();
    };
  }

  input(): ReadableStream<Uint8Array> {
    return this.#input;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    try {
      this.#controller?.close();
    } catch {
      // The connection has given it up itself.
    }
  }

  #take(message: JSONRPCMessage): void {
    const id = idOf(message);
    if ("method" in message && id !== null) {
      this.#open.set(id, this.#arriving.get(id) ?? new Set([id]));
    }
    if (!this.#ended) {
      this.#controller?.enqueue(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
    }
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const cancelled = message.params?.["requestId"];
    if (typeof cancelled !== "string" && typeof cancelled !== "number") return;
    // A cancelled request is never answered, so its stream is closed here.
    if (this.#settle(cancelled) !== null) this.transport.closeSSEStream(cancelled);
  }

  /** Counts a request as over; answers those that came in one with it and are not, or null when it was over before. */
  #settle(id: Id): Open | null {
    const requests = this.#open.get(id) ?? null;
    this.#open.delete(id);
    requests?.delete(id);
    return requests;
  }

  out(line: string, about?: Id): void {
    const value: unknown = JSON.parse(line);
    for (const message of Array.isArray(value) ? value : [value]) {
      const id = idOf(message);
      const answers = isObject(message) && !("method" in message) && id !== null;
      const belongs = answers ? this.#settle(id) : this.#open.get(about ?? "");
      if (belongs) this.#about.set(message, belongs);
      const related = about === undefined ? {} : { relatedRequestId: about };
      // A client that went away meanwhile finds the message when it resumes its stream.
      this.transport.send(message as JSONRPCMessage, related).catch(() => {}).finally(() => {
        // The transport waits for the answers to what was cancelled, too.
        if (answers && belongs?.size === 0) this.transport.closeSSEStream(id);
      });
    }
  }

  /** Answers a request that is none of those that {@linkcode refusal} is about. */
  async handle(request: Request, body: unknown): Promise<Response> {
    const resumed = request.method === "GET" ? this.#rest(request) : null;
    if (resumed !== null) return resumed;
    const ids = requestsIn(body);
    const together = new Set(ids);
    for (const id of ids) this.#arriving.set(id, together);
    try {
      return await this.transport.handleRequest(request, { parsedBody: body });
    } finally {
      for (const id of ids) this.#arriving.delete(id);
    }
  }

  /**
   * What a client has missed of a stream that brings nothing more, which ends at once: the transport would hold it open
   * for ever. Null where the transport answers.
   */
  #rest(request: Request): Response | null {
    const after = request.headers.get(RESUMES_HEADER);
    const accepts = request.headers.get("accept")?.includes(STREAM) === true;
    const missed = after === null || !accepts ? null : this.#events.restOf(after);
    if (missed === null) return null;
    const headers = { "content-type": STREAM, "cache-control": "no-cache, no-transform" };
    // Clients of event streams come back after any end but that of 204.
    if (missed.length === 0) return new Response(null, { status: 204, headers });
    const text = missed.map(({ id, message }) =>
      `event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`
    ).join("");
    return new Response(text, { headers });
  }

  /** Why a request cannot be taken now, or null. */
  refusal(body: unknown): Response | null {
    const ids = requestsIn(body);
    const twice = ids.find((id, at) => this.#open.has(id) || ids.indexOf(id) !== at);
    if (twice !== undefined) return refused(400, "The id is in use", twice);
    if (ids.length + this.#open.size > MAX_OPEN) {
      return refused(429, `No more than ${MAX_OPEN} requests are worked on at once`);
    }
    return null;
  }
}

/** The sessions of a server. */
export class HttpSessions {
  readonly #system: System;
  readonly #begin: (wire: Wire) => Promise<unknown>;
  /** The one that was used last stands last. */
  readonly #sessions = new Map<string, HttpSession>();
  readonly #running = new Set<Promise<unknown>>();

  /** `begin` serves one client over a wire, until its input ends. */
  constructor(system: System, begin: (wire: Wire) => Promise<unknown>) {
    this.#system = system;
    this.#begin = begin;
  }

  /** Answers a request; `body` is what it brought, parsed. */
  async answer(request: Request, body: unknown): Promise<Response> {
    if (Array.isArray(body) && (request.headers.get(REVISION_HEADER) ?? BATCHING) !== BATCHING) {
      return refused(400, "Batches are not part of the negotiated revision");
    }
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return await this.#first(request, body);
    const session = this.#sessions.get(id);
    // The specification asks for this answer when a session has ended: clients then begin a new one.
    if (session === undefined) {
      return refused(404, "There is no such session; initialize a new one");
    }
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const refusal = request.method === "POST" ? session.refusal(body) : null;
    return refusal ?? await session.handle(request, body);
  }

  /** A request without a session: the beginning of one, or nothing that can be answered. */
  async #first(request: Request, body: unknown): Promise<Response> {
    const begins = request.method === "POST" && isObject(body) && body["method"] === "initialize";
    if (!begins) {
      return ["GET", "POST", "DELETE"].includes(request.method)
        ? refused(400, "The header Mcp-Session-Id is missing: call initialize first", idOf(body))
        : new Response(null, { status: 405, headers: { allow: "GET, POST, DELETE" } });
    }
    const id = this.#system.ids.hex(32);
    const session = new HttpSession(id, () => void this.#sessions.delete(id));
    const running = this.#begin(session).catch((error: unknown) => {
      this.#system.terminal.err(`${error instanceof Error ? error.stack : String(error)}\n`);
    }).finally(() => {
      this.#running.delete(running);
      void session.transport.close();
    });
    this.#running.add(running);
    const answer = await session.handle(request, body);
    if (answer.status !== 200) {
      await session.transport.close();
      return answer;
    }
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions.values();
    if (this.#sessions.size > MAX_SESSIONS) await oldest?.transport.close();
    return answer;
  }

  /** Ends every session and waits until what they do has come to a safe point. */
  async close(): Promise<void> {
    for (const { transport } of [...this.#sessions.values()]) await transport.close();
    await Promise.allSettled(this.#running);
  }
}
