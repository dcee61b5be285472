/**
 * A client of MCP over HTTP that sends exactly what a test says.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { Answered, Asking, ServerOf } from "../support/server.ts";

/** What a client of MCP over HTTP must accept. */
export const BOTH = "application/json, text/event-stream";

/** A message as it came in an event stream. */
export interface Event {
  readonly id: string;
  readonly message: Record<string, unknown>;
}

/** The messages of an event stream. */
export function events(body: string): Event[] {
  return body.split("\n\n").flatMap((block) => {
    const fields = new Map(
      block.split("\n").map((line) => {
        const at = line.indexOf(": ");
        return [line.slice(0, at), line.slice(at + 2)] as const;
      }),
    );
    const data = fields.get("data");
    return data === undefined ? [] : [{ id: fields.get("id") ?? "", message: JSON.parse(data) }];
  });
}

/** A client of one session. */
export class HttpClient {
  session = "";

  constructor(readonly server: ServerOf) {}

  post(message: unknown, asking: Asking = {}): Promise<Answered> {
    return this.server.ask("/mcp", {
      ...asking,
      method: asking.method ?? "POST",
      body: typeof message === "string" ? message : JSON.stringify(message),
      headers: {
        accept: BOTH,
        "content-type": "application/json",
        "mcp-protocol-version": "2025-06-18",
        ...(this.session === "" ? {} : { "mcp-session-id": this.session }),
        ...asking.headers,
      },
    });
  }

  /** Makes a request; answers the last message of its stream. */
  async request(
    method: string,
    params: unknown = {},
    id: number | string = 1,
  ): Promise<Record<string, unknown>> {
    const { status, body } = await this.post({ jsonrpc: "2.0", id, method, params });
    assertEquals(status, 200, body);
    return events(body).at(-1)?.message ?? {};
  }

  async initialize(capabilities = {}): Promise<Record<string, unknown>> {
    const { status, headers, body } = await this.post({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities,
        clientInfo: { name: "test", version: "1" },
      },
    });
    assertEquals(status, 200, body);
    this.session = headers.get("mcp-session-id") ?? "";
    assert(this.session.length >= 32);
    assertEquals(
      (await this.post({ jsonrpc: "2.0", method: "notifications/initialized" })).status,
      202,
    );
    return events(body)[0]?.message ?? {};
  }
}

/** The whole answer to a client that comes back for what was sent to it behind a message; throws where it never ends. */
export async function resumed(
  { server, session }: HttpClient,
  after: string | undefined,
): Promise<Pick<Answered, "status" | "body">> {
  const response = await fetch(`http://127.0.0.1:${server.port}/mcp`, {
    headers: {
      accept: BOTH,
      authorization: `Bearer ${server.token}`,
      "mcp-session-id": session,
      "last-event-id": after ?? "",
    },
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, body: await response.text() };
}
