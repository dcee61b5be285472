/** MCP at `/mcp`, for hosts that speak it over HTTP (MCP-13). */

import { AmofError } from "../../base/error.ts";
import { type ModernHttp, namesModern, unreadable } from "../mcp/modern_http.ts";
import { isModern } from "../mcp/messages.ts";
import type { HttpSessions } from "../mcp/streamable.ts";
import type { System } from "../../base/system/mod.ts";
import { json, readBody, type Routes } from "./core.ts";

/** A body that is no JSON, in the words of JSON-RPC. */
const NO_JSON = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32700, message: "The body is not valid JSON in UTF-8" },
};

/** The parsed body of a request, or null for what is no JSON. */
async function parsed(
  request: Request,
  system: System,
): Promise<{ readonly body: unknown } | null> {
  try {
    return { body: JSON.parse(await readBody(request, system.clock)) };
  } catch (error) {
    if (error instanceof AmofError && error.code !== "invalid_arguments") throw error;
    return null;
  }
}

/** The route of MCP: each request by the revision that it names itself. */
export function mcpRoutes(system: System, sessions: HttpSessions, modern: ModernHttp): Routes {
  return (app) =>
    app.all("/mcp", async ({ req: { raw } }) => {
      // A request that says in its headers that it has no session is judged by them before it is read.
      const refused = namesModern(raw.headers) ? unreadable(raw) : null;
      if (refused !== null) return refused;
      if (raw.method !== "POST") return await sessions.answer(raw, undefined);
      const read = await parsed(raw, system);
      if (read === null) return json(NO_JSON, 400);
      const { body } = read;
      return namesModern(raw.headers) || isModern(body)
        ? await modern.answer(raw, body)
        : await sessions.answer(raw, body);
    });
}
