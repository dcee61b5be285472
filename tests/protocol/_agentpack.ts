/**
 * The server of agentpack, for its tests.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { pick } from "../support/answers.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { PackWorld } from "../support/pack_world.ts";

/** The tools of the server. */
export const TOOLS = [
  "plan",
  "diff",
  "preview",
  "status",
  "doctor",
  "deploy",
  "deploy_apply",
  "rollback",
  "evolve_propose",
  "evolve_restore",
  "explain",
];

/** A client of the server. */
export function serve(
  world: PackWorld,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  cwd = world.project,
): McpClient {
  return new McpClient(
    world.world,
    ["--toolsets", "agentpack", ...args],
    { AGENTPACK_MACHINE_ID: "box", ...env },
    { cwd, words: ["mcp", "serve"] },
  );
}

/** The first error of an answer. */
function error(answer: ToolAnswer): { code: string; details: Record<string, unknown> } {
  return pick(answer.data, "errors", 0) as { code: string; details: Record<string, unknown> };
}

/** Refused with a code: an envelope in text and structured content, and nothing else. */
export function assertRefused(answer: ToolAnswer, code: string): Record<string, unknown> {
  assertEquals(answer.isError, true, answer.text);
  assertEquals(JSON.parse(answer.text), answer.data);
  assertEquals([answer.data["ok"], answer.data["data"]], [false, {}]);
  assertEquals(error(answer).code, code, answer.text);
  assert(Array.isArray(error(answer).details["next_actions"]), answer.text);
  assertEquals(typeof error(answer).details["reason_code"], "string");
  return error(answer).details;
}

/** A member of the data as text. */
export function text(answer: ToolAnswer, member: string): string {
  return String(pick(answer.data, "data", member));
}
