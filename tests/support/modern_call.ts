/**
 * Calls of tools by clients without a session, whose every request says who it is from.
 *
 * @module
 */

import type { McpSession, Message } from "./mcp_session.ts";

/** A client that shows forms. */
export const FORMS = { elicitation: { form: {} } };

/** What a request says of its client. */
export function metaOf(capabilities: unknown): Message {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  };
}

/** Calls a tool, with more parameters beside its arguments. */
export function modernCall(
  client: McpSession,
  call: { readonly name: string; readonly args: Message },
  more: Message = {},
  capabilities: unknown = FORMS,
): Promise<Message> {
  return client.request("tools/call", {
    name: call.name,
    arguments: call.args,
    ...more,
    _meta: metaOf(capabilities),
  });
}
