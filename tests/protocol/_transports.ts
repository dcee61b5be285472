/**
 * The ways in which MCP reaches the program, for tests of which every word must hold over each of them.
 *
 * @module
 */

import { McpClient } from "../support/mcp_client.ts";
import { HttpMcpClient } from "../support/mcp_http_client.ts";
import type { McpSession } from "../support/mcp_session.ts";
import { ServerOf } from "../support/server.ts";
import type { World } from "../support/world.ts";

/** A way of reaching a program. */
export interface Transport {
  readonly name: "standard input and output" | "HTTP";
  /** Serves a world; answers what opens sessions, each not yet initialized. */
  readonly serve: (world: World, start?: Start) => Promise<Served>;
}

/** How a server is started. */
export interface Start {
  readonly mode?: string;
  readonly toolsets?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What serves a world. */
export interface Served extends AsyncDisposable {
  readonly connect: () => Promise<McpSession>;
}

/** A process of its own for each session. */
const STDIO: Transport = {
  name: "standard input and output",
  serve: (world, { mode, toolsets, env = {} } = {}) =>
    Promise.resolve({
      connect: () =>
        Promise.resolve(
          new McpClient(world, [
            ...(mode === undefined ? [] : ["--mode", mode]),
            ...(toolsets === undefined ? [] : ["--toolsets", toolsets]),
          ], env),
        ),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
};

/** One server for all sessions, reached by the official client's transport. */
const HTTP: Transport = {
  name: "HTTP",
  async serve(world, { mode, toolsets, env = {} } = {}) {
    // What starts the server takes no flags of MCP; each has a twin in the environment.
    const server = await ServerOf.start(world, 0, {
      ...env,
      ...(mode === undefined ? {} : { AMOF_MODE: mode }),
      ...(toolsets === undefined ? {} : { AMOF_TOOLSETS: toolsets }),
    });
    return {
      connect: () => HttpMcpClient.open(server),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

/** Both ways. What costs much does a sample over HTTP: the same words pass the same pipeline there. */
export const TRANSPORTS = [STDIO, HTTP] as const;
