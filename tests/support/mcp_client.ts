/**
 * A client that speaks to `amof mcp serve` line by line, so that a test sees every byte.
 *
 * @module
 */

import { McpSession, type Message } from "./mcp_session.ts";
import { program, type World } from "./world.ts";

export type { Message, ToolAnswer } from "./mcp_session.ts";

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
export class McpClient extends McpSession {
  readonly child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #reading: Promise<void>;
  readonly #stderr: Promise<string>;
  #killed = false;
  #half = false;

  constructor(
    world: World,
    args: readonly string[] = [],
    env: Record<string, string> = {},
    options: {
      readonly cwd?: string;
      readonly words?: readonly string[];
      /** A program that starts the server, with its own arguments. */
      readonly under?: readonly string[];
      /** Another build of the program. */
      readonly binary?: string;
    } = {},
  ) {
    super();
    const [command = "", ...before] = [
      ...options.under ?? [],
      ...options.binary === undefined ? program() : [options.binary],
    ];
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

  /** A greeted client in mode execute, about the ecosystem `demo`, with a toolset beside the usual ones. */
  static async executing(
    world: World,
    toolset: string,
    args: readonly string[] = [],
  ): Promise<McpClient> {
    const toolsets = ["--toolsets", `default,${toolset}`];
    const client = new McpClient(
      world,
      ["--mode", "execute", "--ecosystem", "demo", ...toolsets, ...args],
    );
    await client.initialize();
    return client;
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
        if (lineProblem(line) === null) this.deliver(JSON.parse(line) as Message);
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

  /** Writes bytes as they are. */
  async raw(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Writes bytes that may be no text. */
  async bytes(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes);
  }

  /** Writes one message as a line. */
  override async send(message: unknown): Promise<void> {
    await this.raw(`${JSON.stringify(message)}\n`);
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
  override async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.assertOnlyMessages();
  }
}
