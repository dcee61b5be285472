/**
 * The fixtures of the conformance suite behind the program's own HTTP server: its checks of requests, its route, its
 * sessions. Prints port and token as a line of JSON and serves until it is killed.
 *
 * Given a revision it makes every client ask for that one, as `server.ts` does.
 *
 * @module
 */

import { answering, People } from "../../src/doors/http/core.ts";
import { mcpRoutes } from "../../src/doors/http/mcp.ts";
import { ModernHttp } from "../../src/doors/mcp/modern_http.ts";
import { serveFeatures } from "../../src/doors/mcp/serving.ts";
import { HttpSessions } from "../../src/doors/mcp/streamable.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { SERVED } from "./fixtures.ts";

const system = realSystem();
const [revision] = Deno.args;

/** The request with the wanted revision in whatever asks for one. */
async function asking(request: Request): Promise<Request> {
  if (revision === undefined || request.method !== "POST") return request;
  const body = (await request.text()).replace(/("protocolVersion":)"[^"]*"/, `$1"${revision}"`);
  const { url, method, headers } = request;
  return new Request(url, { method, headers, body });
}

const token = system.ids.hex(64);
const sessions = new HttpSessions(
  system,
  (wire) => serveFeatures(system, SERVED, wire),
);
const answer = answering({
  system,
  token,
  instance: "fixtures",
  people: new People(system.ids),
  routes: [mcpRoutes(system, sessions, new ModernHttp(system, SERVED.modern))],
});
const listener = await system.loopback.listen(
  "127.0.0.1",
  0,
  async (request) => await answer(await asking(request), Number(new URL(request.url).port)),
);
system.terminal.out(`${JSON.stringify({ port: listener?.port, token })}\n`);
