/**
 * A client that speaks to `amof mcp serve` line by line, so that a test sees every byte.
 *
 * @module
 */

import { assertInToolWords } from "./spoken.ts";
import { program, type World } from "./world.ts";

/** A JSON-RPC message. */
export type Message = Record<string, unknown>;

/** What a tool answered. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Record<string, unknown>;
}

function isObject(value: unknown): value is Message {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function messageProblem(value: unknown): string | null {
  if (!isObject(value)) return "is no object";
  if (value["jsonrpc"] !== "2.0") return 'has no "jsonrpc": "2.0"';
  const id = value["id"];
  const idIsUsable = typeof id === "string" || Number.isSafeInteger(id);
  if ("method" in value) {
    if (typeof value["method"] !== "string") return 'has a "method" that is no text';
    if ("result" in value || "error" in value) return "is a request and an answer at once";
    return "id" in value && !idIsUsable ? 'has an unusable "id"' : null;
  }
  if ("result" in value === "error" in value) return 'has not exactly one of "result" and "error"';
  if ("result" in value) {
    return !idIsUsable
      ? 'has an unusable "id"'
      : isObject(value["result"])
      ? null
      : 'has a "result" that is no object';
  }
  const error = value["error"];
  if (
    !isObject(error) || !Number.isInteger(error["code"]) || typeof error["message"] !== "string"
  ) {
    return 'has an "error" without code or message';
  }
  // Only an answer to something without a readable id may say null.
  return idIsUsable || id === null ? null : 'has an unusable "id"';
}

/** Why a line of standard output is no JSON-RPC message, nor a batch of answers; null when it is one. */
export function lineProblem(line: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "is no JSON";
  }
  if (!Array.isArray(value)) return messageProblem(value);
  if (value.length === 0) return "is an empty batch";
  return value.map(messageProblem).find((problem) => problem !== null) ?? null;
}

/** A connection to a server process. */
export class McpClient implements AsyncDisposable {
  readonly child: Deno.ChildProcess;
  /** Every line the server wrote, in order. */
  readonly lines: string[] = [];
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #waiting: {
    matches: (message: Message) => boolean;
    resolve: (message: Message) => void;
  }[] = [];
  readonly #unclaimed: Message[] = [];
  readonly #reading: Promise<void>;
  readonly #stderr: Promise<string>;
  #nextId = 1;
  #killed = false;
  #half = false;

  constructor(
    world: World,
    args: readonly string[] = [],
    env: Record<string, string> = {},
    options: { readonly cwd?: string; readonly words?: readonly string[] } = {},
  ) {
    const [command = "", ...before] = program();
    const words = options.words ?? ["mcp", "serve", "--root", world.control];
    this.child = world.spawn(command, [...before, ...words, ...args], {
      cwd: options.cwd ?? world.directory,
      stdin: true,
      env,
    });
    this.#writer = this.child.stdin.getWriter();
    this.#reader = this.child.stdout.getReader();
    this.#reading = this.#read();
    this.#stderr = new Response(this.child.stderr).text();
  }

  async #read(): Promise<void> {
    let pending = "";
    const decoder = new TextDecoder();
    for (let read = await this.#reader.read(); !read.done; read = await this.#reader.read()) {
      pending += decoder.decode(read.value, { stream: true });
      const lines = pending.split("\n");
      pending = lines.pop() ?? "";
      for (const line of lines) {
        this.lines.push(line);
        // What is no message is reported when the connection is disposed of.
        if (lineProblem(line) === null) this.#deliver(JSON.parse(line) as Message);
      }
    }
    // A server that is killed may leave half a line.
    if (pending !== "") this.lines.push(pending);
    this.#half = pending !== "";
  }

  /** Throws unless every complete line on standard output was a JSON-RPC message. */
  assertOnlyMessages(): void {
    const complete = this.#killed && this.#half ? this.lines.slice(0, -1) : this.lines;
    for (const line of complete) {
      const problem = lineProblem(line);
      if (problem !== null) {
        throw new Error(`A line on standard output ${problem}: ${line.slice(0, 300)}`);
      }
    }
  }

  #deliver(message: Message): void {
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

  /** Writes bytes as they are. */
  async raw(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Writes bytes that may be no text. */
  async bytes(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes);
  }

  /** Writes one message as a line. */
  async send(message: unknown): Promise<void> {
    await this.raw(`${JSON.stringify(message)}\n`);
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

  /** Answers a request of the server. */
  async respond(request: Message, result: unknown): Promise<void> {
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

  /** Stops reading for good, as a client that vanishes does. */
  async vanish(): Promise<void> {
    await this.#reader.cancel();
  }

  /** Waits for the server to end by itself and answers its exit code; one that does not is killed. */
  async exit(ms = 20_000): Promise<number> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.child.kill("SIGKILL");
    }, ms);
    const { code } = await this.child.status;
    clearTimeout(timer);
    if (late) throw new Error(`The server did not end within ${ms} ms`);
    return code;
  }

  /** Closes the server's input and waits for its end; answers exit code and standard error. */
  async end(): Promise<{ code: number; stderr: string }> {
    await this.#writer.close().catch(() => {});
    const code = await this.exit();
    await this.#reading;
    return { code, stderr: await this.#stderr };
  }

  /** Kills the server the hard way. */
  async kill(): Promise<void> {
    try {
      this.child.kill("SIGKILL");
      this.#killed = true;
    } catch {
      // It has ended by itself.
    }
    await this.child.status;
    await this.#reading.catch(() => {});
    await this.#writer.abort().catch(() => {});
    await this.#stderr;
  }

  /** Ends the server if it still runs, and checks that it wrote nothing but protocol. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.assertOnlyMessages();
  }
}
