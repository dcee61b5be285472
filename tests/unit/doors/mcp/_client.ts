/**
 * A client and a server in one process, with features made for the purpose.
 *
 * @module
 */

import { serveFeatures } from "../../../../src/doors/mcp/serving.ts";
import type { Exchange, Features, InputRequired } from "../../../../src/doors/mcp/features.ts";
import type { CallToolResult } from "../../../../src/doors/mcp/sdk.ts";
import { memoryWorld } from "../../../support/memory.ts";

/** A JSON-RPC message. */
export type Message = Record<string, unknown>;

/** What each request of the modern revision says of its client. */
export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
};

/** What a tool answers that has nothing to say. */
export const DONE: CallToolResult = { content: [{ type: "text", text: "done" }] };

/** Features whose one tool does what the test says. */
export function features(
  call: (exchange: Exchange) => Promise<CallToolResult | InputRequired>,
  more: Partial<Features> = {},
): Features {
  return {
    info: { name: "probe", title: "Probe" },
    instructions: "",
    tools: { list: () => Promise.resolve([]), call: (_params, exchange) => call(exchange) },
    ...more,
  };
}

/** A client in the same process. */
export class Client {
  readonly messages: Message[] = [];
  readonly served: Promise<void>;
  errors = "";
  #input: ReadableStreamDefaultController<Uint8Array> | null = null;
  readonly #waiting: { matches: (message: Message) => boolean; resolve: (m: Message) => void }[] =
    [];

  constructor(offered: Features) {
    const { system } = memoryWorld();
    const input = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#input = controller;
      },
    });
    const terminal = {
      ...system.terminal,
      input: () => input,
      out: (text: string) => this.#take(JSON.parse(text)),
      err: (text: string) => {
        this.errors += text;
      },
      onInterrupt: () => () => {},
    };
    // The clock stands still, so anything that waits for it waits until the test ends.
    const clock = { ...system.clock, sleep: () => new Promise<void>(() => {}) };
    this.served = serveFeatures({ ...system, terminal, clock }, {
      session: offered,
      modern: offered,
    });
  }

  #take(message: Message): void {
    this.messages.push(message);
    const index = this.#waiting.findIndex((waiter) => waiter.matches(message));
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.resolve(message);
  }

  wait(matches: (message: Message) => boolean): Promise<Message> {
    const found = this.messages.find(matches);
    return found === undefined
      ? new Promise((resolve) => this.#waiting.push({ matches, resolve }))
      : Promise.resolve(found);
  }

  /** Sends a text as it is. */
  raw(text: string): void {
    this.#input?.enqueue(new TextEncoder().encode(text));
  }

  send(message: Message): void {
    this.raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  request(id: string | number, method: string, params: unknown = {}): Promise<Message> {
    this.send({ id, method, params });
    return this.wait((message) => message["id"] === id && !("method" in message));
  }

  /** Makes a request of the modern revision. */
  modern(
    id: string | number,
    method: string,
    params: Message = {},
    meta: Message = {},
  ): Promise<Message> {
    return this.request(id, method, { ...params, _meta: { ...META, ...meta } });
  }

  async hello(capabilities: unknown = {}): Promise<this> {
    await this.request("hello", "initialize", {
      protocolVersion: "2025-06-18",
      capabilities,
      clientInfo: { name: "test", version: "1" },
    });
    this.send({ method: "notifications/initialized" });
    return this;
  }

  told(method: string): Message[] {
    return this.messages.filter((message) => message["method"] === method)
      .map((message) => message["params"] as Message);
  }

  /** Ends the input and waits for the server. */
  async end(): Promise<void> {
    this.#input?.close();
    await this.served;
  }
}
