/**
 * The messages of a session on their way to the protocol engine and back.
 *
 * Unlike the SDK's own transport it serves batches where the negotiated revision has them. It keeps what was
 * sent right behind `initialize` in order, and notices the end of input (MCP-2, MCP-4).
 */

import { fieldsOf } from "../../base/object.ts";
import {
  errorAnswer,
  type Id,
  inUse,
  INVALID_REQUEST,
  isModern,
  type Message,
  usableId,
} from "./messages.ts";
import { type ConnectionState, screen } from "./screen.ts";
import { ErrorCode, type JSONRPCMessage, type Transport } from "./sdk.ts";

/** More requests in one batch are refused, so that one line cannot start unbounded work. */
const MAX_BATCH = 100;

/** The verdict on a request of a revision that has no batches. */
function alone(value: unknown) {
  const id = usableId(fieldsOf(value)["id"]);
  return {
    answer: errorAnswer(id, INVALID_REQUEST, "A request of this revision stands in no batch"),
  };
}

/** The id of a request of ours: some clients take a number that they count up to for their own. */
function ourId(id: unknown): string {
  return `amof-${id}`;
}

/** Which request of the client a message of ours belongs to, by the id that the engine knows it by. */
interface About {
  readonly relatedRequestId?: Id;
}

/** A batch whose answers are still coming in. */
interface Batch {
  readonly waiting: Set<Id>;
  readonly answers: unknown[];
}

/** Writes a message to the client, which is about a request of it where that has an id. */
export type Write = (message: unknown, about?: Id) => void;

/** The transport. */
export class SessionTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #write: Write;
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
  /** Requests of ours that the client has not answered: the id that it knows, and the engine's. */
  readonly #asked = new Map<Id, Id>();
  /** The `initialize` that is being answered, and what came behind it. */
  #handshake: { readonly id: Id; readonly behind: unknown[] } | null = null;
  #initialized = false;
  #batchesAllowed = false;
  #closed = false;
  #noMoreInput = false;
  #allAnswered: () => void = () => {};

  /** `anyArguments` says that the tools themselves refuse arguments that are no object. */
  constructor(write: Write, anyArguments = false) {
    this.#write = (message, about) => {
      if (!this.#closed) write(message, about);
    };
    this.#anyArguments = anyArguments;
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

  /** Messages are handed over by whoever reads them. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Settles what the client is asked, which can no longer answer, now and from now on. */
  inputEnded(): void {
    this.#noMoreInput = true;
    for (const id of [...this.#asked.keys()]) this.#answerForClient(id);
  }

  /** Whether a request is neither answered nor cancelled. */
  isOpen(id: Id): boolean {
    return this.#open.has(id);
  }

  /** Settles a question to a client that can no longer answer it. */
  #answerForClient(id: Id): void {
    const error = { code: ErrorCode.ConnectionClosed, message: "The client has gone" };
    this.#answered({ jsonrpc: "2.0", id, error });
  }

  /** Hands an answer of the client on; one to what it was not asked is left out. */
  #answered(answer: Message): void {
    const id = this.#asked.get(answer["id"] as Id);
    if (id === undefined) return;
    this.#asked.delete(answer["id"] as Id);
    this.#deliver({ ...answer, id });
  }

  /** Takes what the client sent: a parsed message, or a batch of them. */
  accept(value: unknown): void {
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
      const verdict = isModern(value) ? alone(value) : screen(value, this.#state());
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
    else if (!("method" in message)) this.#answered(message);
    else this.#deliver(message);
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
      for (const value of behind) this.accept(value);
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
    const to = related === undefined ? undefined : this.#clientIds.get(Number(related));
    if ("id" in message) {
      const id = ourId(message.id);
      this.#asked.set(id, message.id);
      this.#write({ ...message, id }, to);
      // The answer is delivered later, because the sender starts waiting for it only after this call.
      if (this.#noMoreInput) queueMicrotask(() => this.#answerForClient(id));
    } else if (message.method === "notifications/cancelled") {
      const { params } = message;
      this.#write(
        { ...message, params: { ...params, requestId: ourId(params?.["requestId"]) } },
        to,
      );
    } else this.#write(message, to);
    return Promise.resolve();
  }

  /** Ends the connection; safe to call more than once. */
  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#asked.clear();
    this.onclose?.();
    return Promise.resolve();
  }
}

/** The id of a request; undefined for notifications and answers. */
function requestId(message: Message): Id | undefined {
  return "method" in message ? message["id"] as Id | undefined : undefined;
}
