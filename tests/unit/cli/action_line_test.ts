/**
 * Suggested actions as command lines.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { actionLine } from "../../../src/cli/next_steps.ts";

Deno.test("actionLine() repeats the flag of a list and quotes what a shell would read", () => {
  const line = actionLine("amof_push_ecosystem", {
    message: "it's $HOME; rm",
    repos: ["api", "web"],
    commit: true,
    allow_base: false,
  });
  assertEquals(
    line,
    "amof push --message 'it'\\''s $HOME; rm' --repo api --repo web --commit",
  );
});
