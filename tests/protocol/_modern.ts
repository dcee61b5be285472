/**
 * Clients whose every request stands alone, and what they are answered.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { pick } from "../support/answers.ts";
import { McpClient, type Message } from "../support/mcp_client.ts";
import { FORMS, modernCall } from "../support/modern_call.ts";
import type { World } from "../support/world.ts";
import { Revision, WITHOUT_SCHEMAS } from "./_schemas.ts";

/** Arguments of a push that is to be made. */
export const PUSH = { ecosystem: "demo", mode: "execute" };
/** What a person answers who agrees. */
export const YES = { confirm: { action: "accept", content: { confirm: true } } };

/** The schema that answers are checked against. */
export const revision = WITHOUT_SCHEMAS ? null : await Revision.load("2026-07-28");

/** A client whose every request stands alone. */
export class ModernClient extends McpClient {
  readonly #capabilities: unknown;

  constructor(
    world: World,
    args: readonly string[] = [],
    capabilities: unknown = FORMS,
    env: Record<string, string> = {},
  ) {
    super(world, args, env);
    this.#capabilities = capabilities;
  }

  /** Calls a tool, with more parameters beside it; checks the answer as the schema has it. */
  async made(
    name: string,
    args: Message,
    more: Message = {},
    capabilities: unknown = this.#capabilities,
  ): Promise<Message> {
    const answer = await modernCall(this, { name, args }, more, capabilities);
    revision?.line(JSON.stringify(answer));
    if ("result" in answer) revision?.check("CallToolResultResponse", answer);
    return answer;
  }

  /** Asks for a push; answers the state of the question. */
  async state(): Promise<string> {
    const answer = await this.made("amof_push_ecosystem", PUSH);
    assertEquals(pick(answer, "result", "resultType"), "input_required", JSON.stringify(answer));
    return String(pick(answer, "result", "requestState"));
  }
}

/** The code of what an answer refuses; `ok` for none, and a number for an error of the protocol. */
export function codeOf(answer: Message): unknown {
  return pick(answer, "error", "code") ??
    pick(answer, "result", "structuredContent", "error") ??
    (pick(answer, "result", "resultType") === "complete" ? "ok" : "input_required");
}
