/**
 * Asserts about errors of the agentpack contract.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { AgentpackError } from "../../src/apps/agentpack/error.ts";

/** Fails unless the work is refused with this code and at least these details; answers the error. */
export async function assertCode(
  code: string,
  work: () => PromiseLike<unknown>,
  details: Readonly<Record<string, unknown>> = {},
): Promise<AgentpackError> {
  const error = await assertRejects(work, AgentpackError);
  assertEquals(error.code as string, code, error.message);
  for (const [name, value] of Object.entries(details)) {
    assertEquals(error.details?.[name], value, `details.${name} of: ${error.message}`);
  }
  return error;
}
