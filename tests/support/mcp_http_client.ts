/**
 * A session with the server of a world over Streamable HTTP, carried by the transport of the official client.
 *
 * @module
 */

// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/types"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { McpSession, type Message } from "./mcp_session.ts";
import type { ServerOf } from "./server.ts";

/** A session over HTTP. */
export class HttpMcpClient extends McpSession {
  readonly #transport: StreamableHTTPClientTransport;

  private constructor(transport: StreamableHTTPClientTransport) {
    super();
    this.#transport = transport;
    transport.onmessage = (message) => {
      this.lines.push(JSON.stringify(message));
      this.deliver(message as unknown as Message);
    };
  }

  /** Connects to a server; `initialize()` begins the session. */
  static async open(server: ServerOf): Promise<HttpMcpClient> {
    const transport = new StreamableHTTPClientTransport(
      new URL(`http://127.0.0.1:${server.port}/mcp`),
      { requestInit: { headers: { authorization: `Bearer ${server.token}` } } },
    );
    await transport.start();
    return new HttpMcpClient(transport);
  }

  /** The name of the session, which the server gave. */
  get session(): string {
    return this.#transport.sessionId ?? "";
  }

  override async send(message: unknown): Promise<void> {
    await this.#transport.send(message as JSONRPCMessage);
  }

  /** As the client of the SDK does with what it was answered. */
  protected override negotiated(revision: string): void {
    this.#transport.setProtocolVersion(revision);
  }

  /** Ends the session. */
  override async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport.terminateSession().catch(() => {});
    await this.#transport.close();
  }
}
