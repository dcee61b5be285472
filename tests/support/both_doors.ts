/**
 * Calls both doors in this process, for what needs many calls. The command line goes from its words to what is
 * on the screen, the MCP server from a line of its input to a line of its output.
 *
 * @module
 */

import { runCommandLine } from "../../src/doors/cli/start.ts";
import type { System } from "../../src/base/system/mod.ts";
import {
  runHere,
  type Surroundings as InProcess,
  systemIn as narrowed,
  type Written,
} from "./in_process.ts";
import type { ToolAnswer } from "./mcp_client.ts";
import { program, type World } from "./world.ts";

/** Where and with what a door is called. */
export interface Surroundings {
  readonly world: World;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The surroundings as the program sees them. */
function around({ world, cwd, env }: Surroundings): InProcess {
  return { cwd, env: { ...world.env, ...env }, program };
}

/** The real world narrowed to the surroundings; what it starts for good is the program under test. */
export function systemIn(surroundings: Surroundings): System {
  return narrowed(around(surroundings));
}

/** Runs one command line to its end. */
export function commandLine(
  surroundings: Surroundings,
  args: readonly string[],
): Promise<Written> {
  return runHere(around(surroundings), args);
}

/** A server in this process; dispose of it to end it. */
export class Server implements AsyncDisposable {
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #served: Promise<number>;
  readonly #waiting = new Map<number, (message: Record<string, unknown>) => void>();
  #pending = "";
  #nextId = 1;

  constructor(surroundings: Surroundings, flags: readonly string[]) {
    const stream = new TransformStream<Uint8Array, Uint8Array>();
    this.#input = stream.writable.getWriter();
    const system = systemIn(surroundings);
    this.#served = runCommandLine({
      ...system,
      terminal: {
        ...system.terminal,
        out: (text) => this.#read(text),
        err: () => {},
        input: () => stream.readable,
        guardOutput: () => {},
        onInterrupt: () => () => {},
      },
    }, ["mcp", "serve", ...flags]);
  }

  #read(text: string): void {
    this.#pending += text;
    const lines = this.#pending.split("\n");
    this.#pending = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as Record<string, unknown>;
      const id = Number(message["id"]);
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
    }
  }

  async #send(message: unknown): Promise<void> {
    await this.#input.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  /** Sends a request and resolves to the whole answer. */
  async request(method: string, params: unknown): Promise<Record<string, unknown>> {
    const id = this.#nextId++;
    const answer = new Promise<Record<string, unknown>>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    await this.#send({ jsonrpc: "2.0", id, method, params });
    return await answer;
  }

  /** Shakes hands. */
  async initialize(): Promise<void> {
    await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1.0.0" },
    });
    await this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** Calls a tool; a protocol error is an answer with its data. */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
    const answer = await this.request("tools/call", { name, arguments: args });
    const result = answer["result"] as {
      isError?: boolean;
      content: { text: string }[];
      structuredContent?: Record<string, unknown>;
    } | undefined;
    if (result === undefined) {
      const error = answer["error"] as { message: string; data?: Record<string, unknown> };
      return { isError: true, text: error.message, data: error.data ?? {} };
    }
    return {
      isError: result.isError ?? false,
      text: result.content[0]?.text ?? "",
      data: result.structuredContent ?? {},
    };
  }

  /** Closes the input and waits for the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close();
    await this.#served;
  }
}
