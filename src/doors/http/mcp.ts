/**
 * MCP at `/mcp`, for hosts that speak it over HTTP (MCP-13).
 *
 * @module
 */

import { AmofError } from "../../base/error.ts";
import type { HttpSessions } from "../mcp/streamable.ts";
import type { System } from "../../base/system/mod.ts";
import { readBody } from "./body.ts";
import { json } from "./answers.ts";
import type { Routes } from "./core.ts";

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

/** The route of MCP. */
export function mcpRoutes(system: System, sessions: HttpSessions): Routes {
  return (app) =>
    app.all("/mcp", async ({ req: { raw } }) => {
      if (raw.method !== "POST") return await sessions.answer(raw, undefined);
      const read = await parsed(raw, system);
      return read === null ? json(NO_JSON, 400) : await sessions.answer(raw, read.body);
    });
}
