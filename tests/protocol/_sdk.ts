/**
 * The official SDK's own client, connected to a server of its own.
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
import { ServerOf } from "../support/server.ts";
import { program, type World } from "../support/world.ts";
import { gone } from "./_support.ts";

/** A client that can ask nobody anything. */
export function sdkClient(): Client {
  return new Client({ name: "sdk", version: "1.0.0" });
}

/** A connected client of the SDK, and what it talks to. */
export class SdkConnection implements AsyncDisposable {
  private constructor(readonly client: Client, readonly ended: () => Promise<void>) {}

  /** Connects over HTTP to a server of its own. */
  static async overHttp(world: World, client: Client): Promise<SdkConnection> {
    const server = await ServerOf.start(world);
    const transport = new StreamableHTTPClientTransport(
      new URL(`http://127.0.0.1:${server.port}/mcp`),
      { requestInit: { headers: { authorization: `Bearer ${server.token}` } } },
    );
    // The SDK's own types contradict each other where members may be undefined.
    await client.connect(transport as Transport);
    return new SdkConnection(client, async () => {
      await server[Symbol.asyncDispose]();
      await server.gone();
    });
  }

  static async open(
    world: World,
    client: Client,
    args: readonly string[] = ["--root", world.control],
    cwd = world.control,
  ): Promise<SdkConnection> {
    const [command = "", ...before] = program();
    const transport = new StdioClientTransport({
      command,
      args: [...before, "mcp", "serve", ...args],
      env: world.env,
      cwd,
      stderr: "ignore",
    });
    await client.connect(transport);
    const { pid } = transport;
    return new SdkConnection(client, async () => {
      if (pid !== null) await gone([pid]);
    });
  }

  /** Calls a tool; the client itself checks the answer against the output schema of the list. */
  async call(
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<{ readonly isError: boolean; readonly data: Record<string, unknown> }> {
    const result = await this.client.callTool({ name, arguments: args });
    return {
      isError: result["isError"] === true,
      data: (result["structuredContent"] ?? {}) as Record<string, unknown>,
    };
  }

  /** Polls a run to its end; answers its record. */
  async finished(runId: unknown): Promise<Record<string, unknown>> {
    for (let turn = 0; turn < 2_400; turn++) {
      const { data } = await this.call("amof_get_run_status", { run_id: runId });
      if (data["terminal"] === true) return data;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`Run ${runId} did not end`);
  }

  /** Closes the connection; the server must end by itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.ended();
  }
}
