/**
 * JSON-RPC over standard input and output, one message per line.
 *
 * Unlike the SDK's own transport it answers malformed lines, serves batches where the negotiated revision
 * has them, survives oversized lines, keeps what was sent right behind `initialize` in order, and notices
 * the end of input (MCP-2, MCP-4).
 *
 * @module
 */

import { LineCutter, MAX_LINE_BYTES } from "./lines.ts";
import { ErrorCode, type JSONRPCMessage, type Transport } from "./sdk.ts";
import type { Wire } from "./wire.ts";
import {
  type ConnectionState,
  type ErrorAnswer,
  errorAnswer,
  INVALID_REQUEST,
  type Message,
  PARSE_ERROR,
  screen,
} from "./screen.ts";

/** More requests in one batch are refused, so that one line cannot start unbounded work. */
const MAX_BATCH = 100;

/** Takes a byte order mark away, and refuses what is no UTF-8 instead of changing it. */
const DECODER = new TextDecoder("utf-8", { fatal: true });

type Id = string | number;

/** Which request of the client a message of ours belongs to, by the id that the engine knows it by. */
interface About {
  readonly relatedRequestId?: Id;
}

/** A batch whose answers are still coming in. */
interface Batch {
  readonly waiting: Set<Id>;
  readonly answers: unknown[];
}

/** The transport. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #wire: Wire;
  readonly #anyArguments: boolean;
  readonly #batches = new Map<Id, Batch>();
  /**
   * Requests that were passed on and are neither answered nor cancelled: the client's id, and the one the
   * engine knows them by. The engine gets ids of our own because it cannot cancel 0 and "".
   */
  readonly #open = new Map<Id, number>();
  /** The same the other way round. */
  readonly #clientIds = new Map<number, Id>();
  #lastId = 0;
  /** Requests of ours that the client has not answered. */
  readonly #asked = new Set<Id>();
  /** The `initialize` that is being answered, and what came behind it. */
  #handshake: { readonly id: Id; readonly behind: unknown[] } | null = null;
  #input: AsyncIterator<Uint8Array> | null = null;
  #initialized = false;
  #batchesAllowed = false;
  #closed = false;
  /** Resolves when the connection is closed. */
  readonly ended: Promise<void>;
  /** Resolves when the client will send no more. */
  readonly inputEnded: Promise<void>;
  #end: () => void = () => {};
  #endInput: () => void = () => {};
  #noMoreInput = false;
  #allAnswered: () => void = () => {};

  /** `anyArguments` says that the tools themselves refuse arguments that are no object. */
  constructor(wire: Wire, anyArguments = false) {
    this.#wire = wire;
    this.#anyArguments = anyArguments;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.inputEnded = new Promise((resolve) => {
      this.#endInput = resolve;
    });
  }

  #state(): ConnectionState {
    return { initialized: this.#initialized, anyArguments: this.#anyArguments };
  }

  /** Resolves once every request that came in is answered. */
  answered(): Promise<void> {
    return new Promise((resolve) => {
      this.#allAnswered = resolve;
      this.#checkAnswered();
    });
  }

  #checkAnswered(): void {
    if (this.#open.size === 0) this.#allAnswered();
  }

  /** Tells the transport what was negotiated: from now on other methods are served, and perhaps batches. */
  negotiated(batchesAllowed: boolean): void {
    this.#initialized = true;
    this.#batchesAllowed = batchesAllowed;
  }

  /** Begins to read. */
  start(): Promise<void> {
    this.#input = this.#wire.input()[Symbol.asyncIterator]();
    void this.#read(this.#input);
    return Promise.resolve();
  }

  async #read(input: AsyncIterator<Uint8Array>): Promise<void> {
    const cutter = new LineCutter();
    try {
      while (!this.#closed) {
        const { done, value } = await input.next();
        if (done === true || this.#closed) break;
        for (const line of cutter.feed(value)) this.#line(line);
      }
      if (!this.#closed) { for (const line of cutter.end()) this.#line(line); }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    this.#noMoreInput = true;
    for (const id of this.#asked) this.#answerForClient(id);
    this.#endInput();
  }

  /** Settles a question to a client that can no longer answer it. */
  #answerForClient(id: Id): void {
    this.#asked.delete(id);
    const error = { code: ErrorCode.ConnectionClosed, message: "The client has gone" };
    this.onmessage?.({ jsonrpc: "2.0", id, error });
  }

  #line(bytes: Uint8Array | null): void {
    if (bytes === null) {
      const why = `A message must not be longer than ${MAX_LINE_BYTES} bytes`;
      this.#write(errorAnswer(null, INVALID_REQUEST, why));
      return;
    }
    let value: unknown;
    try {
      const line = DECODER.decode(bytes).trim();
      if (line === "") return;
      value = JSON.parse(line);
    } catch {
      this.#write(errorAnswer(null, PARSE_ERROR, "The line is not valid JSON in UTF-8"));
      return;
    }
    this.#accept(value);
  }

  #accept(value: unknown): void {
    // The handshake decides how everything after it is served.
    if (this.#handshake !== null) this.#handshake.behind.push(value);
    else if (Array.isArray(value)) this.#batch(value);
    else this.#one(value);
  }

  #one(value: unknown): void {
    const verdict = screen(value, this.#state());
    if ("answer" in verdict) this.#write(verdict.answer);
    if (!("pass" in verdict)) return;
    const id = requestId(verdict.pass);
    if (id !== undefined && this.#open.has(id)) this.#write(inUse(id));
    else this.#pass(verdict.pass);
  }

  #batch(values: readonly unknown[]): void {
    if (!this.#batchesAllowed || values.length === 0 || values.length > MAX_BATCH) {
      const why = !this.#batchesAllowed
        ? "Batches are not part of the negotiated revision"
        : values.length === 0
        ? "A batch must not be empty"
        : `A batch must not hold more than ${MAX_BATCH} messages`;
      this.#write(errorAnswer(null, INVALID_REQUEST, why));
      return;
    }
    const batch: Batch = { waiting: new Set(), answers: [] };
    const passing: Message[] = [];
    for (const value of values) {
      const verdict = screen(value, this.#state());
      if ("answer" in verdict) batch.answers.push(verdict.answer);
      if (!("pass" in verdict)) continue;
      const id = requestId(verdict.pass);
      if (id !== undefined) {
        if (batch.waiting.has(id) || this.#open.has(id)) {
          batch.answers.push(inUse(id));
          continue;
        }
        batch.waiting.add(id);
        this.#batches.set(id, batch);
      }
      passing.push(verdict.pass);
    }
    this.#finishBatch(batch);
    for (const message of passing) this.#pass(message);
  }

  /** Answers a batch once everything in it is answered; one of notifications only gets no answer. */
  #finishBatch(batch: Batch): void {
    if (batch.waiting.size === 0 && batch.answers.length > 0) this.#write(batch.answers);
  }

  #pass(message: Message): void {
    const id = requestId(message);
    if (id !== undefined) {
      const inner = ++this.#lastId;
      this.#open.set(id, inner);
      this.#clientIds.set(inner, id);
      if (message["method"] === "initialize") this.#handshake = { id, behind: [] };
      this.#deliver({ ...message, id: inner });
    } else if (message["method"] === "notifications/cancelled") this.#cancel(message);
    else {
      if (!("method" in message)) this.#asked.delete(message["id"] as Id);
      this.#deliver(message);
    }
  }

  #deliver(message: Message): void {
    this.onmessage?.(message as unknown as JSONRPCMessage);
  }

  /** Cancels a request, which is never answered then; `initialize` and what is not open cannot be. */
  #cancel(message: Message): void {
    const params = message["params"] as { readonly requestId?: Id } | undefined;
    const id = params?.requestId;
    const inner = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || inner === undefined || this.#handshake?.id === id) return;
    this.#deliver({ ...message, params: { ...params, requestId: inner } });
    this.#settle(id, []);
  }

  /** Strikes a request off; answers go to the batch it came in, if it did, else to the client at once. */
  #settle(id: Id, answers: readonly JSONRPCMessage[]): void {
    const inner = this.#open.get(id);
    this.#open.delete(id);
    if (inner !== undefined) this.#clientIds.delete(inner);
    const batch = this.#batches.get(id);
    if (batch === undefined) {
      for (const answer of answers) this.#write(answer);
    } else {
      this.#batches.delete(id);
      batch.waiting.delete(id);
      batch.answers.push(...answers);
      this.#finishBatch(batch);
    }
    if (this.#handshake?.id === id) {
      const { behind } = this.#handshake;
      this.#handshake = null;
      for (const value of behind) this.#accept(value);
    }
    this.#checkAnswered();
  }

  /** Sends a message; an answer to a part of a batch waits for the rest of it. */
  send(message: JSONRPCMessage, about?: About): Promise<void> {
    if (!("method" in message)) {
      const id = this.#clientIds.get(Number(message.id));
      if (id !== undefined) this.#settle(id, [{ ...message, id }]);
      return Promise.resolve();
    }
    const related = about?.relatedRequestId;
    this.#write(message, related === undefined ? undefined : this.#clientIds.get(Number(related)));
    if ("id" in message) {
      const { id } = message;
      this.#asked.add(id);
      // The answer is delivered later, because the sender starts waiting for it only after this call.
      if (this.#noMoreInput) queueMicrotask(() => this.#answerForClient(id));
    }
    return Promise.resolve();
  }

  #write(message: JSONRPCMessage | ErrorAnswer | readonly unknown[], about?: Id): void {
    if (this.#closed) return;
    try {
      this.#wire.out(`${JSON.stringify(message)}\n`, about);
    } catch {
      // The client stopped reading: there is nobody left to serve.
      void this.close();
    }
  }

  /** Ends the connection; safe to call more than once. */
  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#asked.clear();
    this.onclose?.();
    this.#end();
    // It waits for what is being read, which may never come.
    this.#input?.return?.().catch(() => {});
    return Promise.resolve();
  }
}

/** The id of a request; undefined for notifications and answers. */
function requestId(message: Message): Id | undefined {
  return "method" in message ? message["id"] as Id | undefined : undefined;
}

function inUse(id: Id): ErrorAnswer {
  return errorAnswer(id, INVALID_REQUEST, "The id is in use");
}
