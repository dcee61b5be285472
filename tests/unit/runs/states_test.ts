import { assertEquals } from "@std/assert";
import { statusPhrase } from "../../../src/runs/mod.ts";

for (
  const [status, error, phrase] of [
    ["success", null, "has succeeded"],
    ["failed", { error: "partial_failure" }, "was partly done"],
    // A script that ended with 5, the exit code of what was partly done.
    ["failed", { error: "subprocess_failed", details: { exit_code: 5 } }, "has failed"],
    ["failed", null, "has failed"],
    ["cancelled", { error: "cancelled" }, "was cancelled"],
    ["running", null, "is running"],
    ["orphaned", null, "is orphaned"],
  ] as const
) {
  Deno.test(`a run that is ${status} with ${JSON.stringify(error)} ${phrase}`, () => {
    assertEquals(statusPhrase(status, error), phrase);
  });
}
