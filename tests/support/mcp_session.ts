/**
 * What a test says to an MCP server and hears from it, whatever carries the messages.
 *
 * @module
 */

import { pick } from "./answers.ts";
import { assertInToolWords } from "./spoken.ts";

/** A JSON-RPC message. */
export type Message = Record<string, unknown>;

/** What a tool answered. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Record<string, unknown>;
}

/** Longer than a program takes, and shorter than any person. */
export const READING_MS = 550;

/** One session with a server. */
export abstract class McpSession implements AsyncDisposable {
  /** Every message of the server as a line of JSON, in order. */
  readonly lines: string[] = [];
  readonly #waiting: {
    matches: (message: Message) => boolean;
    resolve: (message: Message) => void;
  }[] = [];
  readonly #unclaimed: Message[] = [];
  #nextId = 1;

  /** Sends one message. */
  abstract send(message: unknown): Promise<void>;
  abstract [Symbol.asyncDispose](): Promise<void>;

  /** Takes note of the revision that was agreed on. */
  protected negotiated(_revision: string): void {}

  /** Hands a message to who waits for it. */
  protected deliver(message: Message): void {
    const index = this.#waiting.findIndex((waiter) => waiter.matches(message));
    if (index < 0) {
      this.#unclaimed.push(message);
      return;
    }
    this.#waiting.splice(index, 1)[0]?.resolve(message);
  }

  /** Waits for a message the server sends; one that has come already counts. */
  wait(matches: (message: Message) => boolean, ms = 20_000): Promise<Message> {
    const index = this.#unclaimed.findIndex(matches);
    if (index >= 0) return Promise.resolve(this.#unclaimed.splice(index, 1)[0] ?? {});
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () =>
          reject(
            new Error(`No such message within ${ms} ms; got ${this.lines.slice(-5).join("\n")}`),
          ),
        ms,
      );
      this.#waiting.push({
        matches,
        resolve: (message) => {
          clearTimeout(timer);
          resolve(message);
        },
      });
    });
  }

  /** Sends a request and resolves to the whole answer. */
  async request(method: string, params?: unknown): Promise<Message> {
    const id = this.#nextId++;
    const answer = this.wait((message) => message["id"] === id && !("method" in message));
    await this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return await answer;
  }

  /** Sends a notification. */
  async notify(method: string, params?: unknown): Promise<void> {
    await this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  /** Waits for the next message that holds an answer to this id; an id of null stands for faults without one. */
  answer(id: string | number | null): Promise<Message> {
    return this.wait((message) => message["id"] === id && !("method" in message));
  }

  /** Waits for a request of the server. */
  asked(method: string): Promise<Message> {
    return this.wait((message) => message["method"] === method && "id" in message);
  }

  /** Answers a request of the server; a person who says no has read it. */
  async respond(request: Message, result: unknown): Promise<void> {
    const action = pick(result, "action");
    if (action === "decline" || action === "cancel") {
      await new Promise((resolve) => setTimeout(resolve, READING_MS));
    }
    await this.respondAtOnce(request, result);
  }

  /** Answers a request of the server as a program does. */
  async respondAtOnce(request: Message, result: unknown): Promise<void> {
    await this.send({ jsonrpc: "2.0", id: request["id"], result });
  }

  /** Answers a request of the server with an error. */
  async refuse(request: Message, code: number, message: string): Promise<void> {
    await this.send({ jsonrpc: "2.0", id: request["id"], error: { code, message } });
  }

  /** Shakes hands; `capabilities` are the client's. */
  async initialize(
    options: {
      readonly version?: string;
      readonly capabilities?: unknown;
      readonly clientInfo?: { readonly name: string; readonly version: string };
    } = {},
  ): Promise<Message> {
    const answer = await this.request("initialize", {
      protocolVersion: options.version ?? "2025-06-18",
      capabilities: options.capabilities ?? {},
      clientInfo: options.clientInfo ?? { name: "test", version: "1.0.0" },
    });
    this.negotiated(String(pick(answer, "result", "protocolVersion")));
    await this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer;
  }

  /** Calls a tool; throws on a protocol error. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const answer = await this.request("tools/call", { name, arguments: args });
    const result = answer["result"] as {
      isError?: boolean;
      content: { text: string }[];
      structuredContent?: Record<string, unknown>;
    } | undefined;
    if (result === undefined) throw new Error(`Protocol error: ${JSON.stringify(answer["error"])}`);
    const text = result.content[0]?.text ?? "";
    const data = result.structuredContent ?? {};
    await assertInToolWords(name, text, data);
    return { isError: result.isError ?? false, text, data };
  }

  /** Polls a run until it has ended, at most 400 times. */
  async finished(runId: string): Promise<Record<string, unknown>> {
    for (let turn = 0; turn < 400; turn++) {
      const { data } = await this.call("amof_get_run_status", { run_id: runId });
      if (data["terminal"] === true) return data;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`Run ${runId} did not end`);
  }
}
