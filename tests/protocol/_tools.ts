/**
 * Lists of tools, for the tests of what a server offers.
 *
 * @module
 */

import { rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";

export type Tool = Record<string, unknown>;

/** The tools of a server. */
export async function toolsOf(client: McpClient): Promise<Tool[]> {
  return rows(await client.request("tools/list"), "result", "tools");
}
