/**
 * What a program comes to that nobody ran.
 *
 * @module
 */

import type { ProcessRequest, ProcessResult } from "../../src/base/system/mod.ts";

/** The result of a program that ended well and said nothing, but for these fields. */
export function processResult(
  { command, args }: Pick<ProcessRequest, "command" | "args">,
  fields: Partial<ProcessResult> = {},
): ProcessResult {
  return {
    command,
    args,
    exitCode: 0,
    signal: null,
    timedOut: false,
    cancelled: false,
    startError: null,
    stdout: "",
    stderr: "",
    truncated: false,
    durationMs: 0,
    ...fields,
  };
}
