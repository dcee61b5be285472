/**
 * The page about error codes and exit codes.
 *
 * @module
 */

import { AGENTPACK_CODES } from "../../../src/apps/agentpack/error.ts";
import { EXIT_CODES } from "../../../src/doors/cli/topics.ts";
import { ERROR_CODES, type ErrorCode } from "../../../src/base/error_codes.ts";
import { ERROR_MEANINGS } from "./error_meanings.ts";
import { code, head, page, table } from "./markdown.ts";

/** `errors.md`. */
export function errorsPage(): string {
  const rows = Object.entries(ERROR_CODES).map(([name, { http, exit, hint }]) => [
    code(name),
    ERROR_MEANINGS[name as ErrorCode],
    hint,
    String(exit),
    http === 0 ? "–" : String(http),
  ]);
  const pack = Object.entries(AGENTPACK_CODES).map(([name, { reason, next }]) => [
    code(name),
    reason,
    next.map(code).join(", "),
  ]);
  return page([
    ...head(
      "Errors and exit codes",
      "A failure has a code that does not change, a message that says what was tried and found, and a hint what to do. The hint of an answer is often more exact than the one given here. With `--json`, and over MCP, these are the members `error`, `message` and `hint`. The rules are in [answers, errors and exit codes](../answers.md).",
    ),
    "",
    "## Exit codes",
    ...table(["code", "meaning"], EXIT_CODES),
    "",
    "`amof agent run` ends with the exit code of the program that it runs.",
    "",
    "## Codes of amof",
    ...table(["code", "meaning", "what to do", "exit", "HTTP"], rows),
    "",
    "## Codes of agentpack",
    "",
    "`amof agentpack` answers by a contract of its own: exit code 1, 2 or 3, and with `--json` an envelope whose `errors` have these codes ([agentpack](../agentpack.md)).",
    ...table(["code", "reason", "what to do next"], pack),
  ]);
}
