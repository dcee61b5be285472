/**
 * Requests and tokens, for the tests of confirmation over MCP.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import type { World } from "../support/world.ts";
import { requestIn } from "./_support.ts";

/** The call that is to be confirmed. */
export const PUSH = { ecosystem: "demo" };

/** A token that nobody gave out. */
export const NOBODY = "3f0c6f4e-8a39-4a57-9d0f-2f6f6f7f8a90";

/** A server whose session is in mode execute and whose client cannot be asked. */
export async function connected(world: World, mode = "execute"): Promise<McpClient> {
  const client = new McpClient(world, ["--mode", mode]);
  await client.initialize();
  return client;
}

/** Asks for a push; answers the token of the request. */
export async function request(
  client: McpClient,
  args: Record<string, unknown> = PUSH,
): Promise<string> {
  return requestIn(await client.call("amof_push_ecosystem", args)).token;
}

/** Spends a token. */
export async function confirm(client: McpClient, token: string): Promise<ToolAnswer> {
  return await client.call("amof_confirm", { token });
}

/** Waits for the run an answer started, which must succeed. */
export async function succeeded(client: McpClient, answer: ToolAnswer): Promise<void> {
  assert(!answer.isError, answer.text);
  const run = await client.finished(String(answer.data["run_id"]));
  assertEquals(run["status"], "success");
}

/** The code of the error in an answer. */
export function codeIn(answer: ToolAnswer): unknown {
  assertEquals(answer.isError, answer.data["error"] !== undefined);
  return answer.data["error"];
}

/** Another commit, so that there is something to push again, or something that changes. */
export async function commit(world: World, file: string): Promise<void> {
  const clone = world.clone("api");
  await Deno.writeTextFile(`${clone}/${file}`, "more\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", `Add ${file}`);
}
