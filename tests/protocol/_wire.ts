/**
 * Lines and batches, for the tests of the wire.
 *
 * @module
 */

import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

/** A request that is answered at once. */
export const PING = '{"jsonrpc":"2.0","id":"p","method":"ping"}';

/** A client of a protocol version. */
export async function connected(world: World, version = "2025-06-18"): Promise<McpClient> {
  const client = new McpClient(world);
  await client.initialize({ version });
  return client;
}
