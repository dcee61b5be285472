/**
 * AI hosts: the official client of the protocol, over standard input and output and over HTTP.
 *
 * @module
 */

// The SDK's export map hides the types of its `.js` paths from Deno; the comments point at them.
// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "npm:@modelcontextprotocol/sdk@1.32.2/shared/transport";
import type { Choice } from "../chaos/choices.ts";
import { pick } from "../support/answers.ts";
import { program } from "../support/world.ts";
import { NOWHERE } from "./choices.ts";
import { type Answer, type Door, PATIENCE_MS } from "./doors.ts";
import type { Site } from "./site.ts";

/** How a client reaches a server. */
export type Carrier = "stdio" | "HTTP";

const RUN_TURNS = 400;

/** A host, which confirms what it has called with the token that it got. */
export class SdkDoor implements Door {
  readonly name: string;
  readonly #site: Site;
  readonly #carrier: Carrier;
  #client = new Client({ name: "soak", version: "1.0.0" });
  #tools: ReadonlySet<string> = new Set();
  pid: number | null = null;

  private constructor(site: Site, carrier: Carrier) {
    this.#site = site;
    this.#carrier = carrier;
    this.name = `MCP over ${carrier}`;
  }

  /** Connects. */
  static async open(site: Site, carrier: Carrier): Promise<SdkDoor> {
    const door = new SdkDoor(site, carrier);
    await door.#connect();
    return door;
  }

  async #connect(): Promise<void> {
    this.#client = new Client({ name: "soak", version: "1.0.0" });
    const transport = this.#carrier === "stdio" ? this.#stdio() : this.#http();
    // The SDK's own types contradict each other where members may be undefined.
    await this.#client.connect(transport as Transport, { timeout: PATIENCE_MS });
    this.pid = transport instanceof StdioClientTransport ? transport.pid : null;
    // From the list on the client checks every answer against its output schema.
    const { tools } = await this.#client.listTools(undefined, { timeout: PATIENCE_MS });
    this.#tools = new Set(tools.map(({ name }) => name));
  }

  #stdio(): StdioClientTransport {
    const [command = "", ...before] = program();
    const { world } = this.#site;
    const flags = ["--root", world.control, "--toolsets", "all", "--mode", "execute"];
    return new StdioClientTransport({
      command,
      args: [...before, "mcp", "serve", ...flags],
      env: world.env,
      cwd: world.directory,
      stderr: "ignore",
    });
  }

  #http(): StreamableHTTPClientTransport {
    const { port, token } = this.#site.server;
    return new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
  }

  offers({ tool }: Choice): boolean {
    return this.#tools.has(tool);
  }

  /** Calls a tool, as it is. */
  async tool(
    name: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown>> {
    const options = { timeout: PATIENCE_MS };
    const result = await this.#client.callTool({ name, arguments: args }, undefined, options);
    return (result["structuredContent"] ?? {}) as Record<string, unknown>;
  }

  async call({ tool, args }: Choice, ecosystem: string): Promise<Answer> {
    const where = NOWHERE.has(tool) ? {} : { ecosystem };
    let data = await this.tool(tool, { ...args, ...where, mode: "execute" });
    if (data["error"] === "confirmation_required") {
      const token = String(pick(data, "confirmation", "token"));
      data = await this.tool("amof_confirm", { token, mode: "execute" });
    }
    const run = data["run_id"];
    if (data["error"] === undefined && data["status"] === "queued" && typeof run === "string") {
      data = await this.#finished(run);
      return {
        code: String(pick(data, "run_error", "error") ?? "ok"),
        text: JSON.stringify(data),
      };
    }
    return { code: String(data["error"] ?? "ok"), text: JSON.stringify(data) };
  }

  async #finished(run: string): Promise<Record<string, unknown>> {
    for (let turn = 0; turn < RUN_TURNS; turn++) {
      const data = await this.tool("amof_get_run_status", { run_id: run });
      if (data["terminal"] === true) return data;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`Run ${run} did not end`);
  }

  async reopen(): Promise<void> {
    await this.#client.close().catch(() => {});
    await this.#connect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close().catch(() => {});
  }
}
