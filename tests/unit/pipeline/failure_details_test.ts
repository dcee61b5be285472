// Covers failureDetails(): what there is to read of a program that failed, and of one that an interrupt ended.

import { assertEquals } from "@std/assert";
import { AmofError } from "../../../src/base/error.ts";
import { failureDetails } from "../../../src/pipeline/answer.ts";
import { wordingFor } from "../../../src/pipeline/wording.ts";

Deno.test("failureDetails() tells how a program ended, but where an interrupt ended it", () => {
  const details = { repo: "api", exit_code: 143, stderr_tail: ["fatal: no"] };
  const told = (code: "git_failed" | "cancelled") =>
    failureDetails(new AmofError(code, "It ended", { details }), wordingFor("cli", 0));
  assertEquals([told("git_failed"), told("cancelled")], [
    "  Repo: api\n  Exit code: 143\n  | fatal: no",
    "",
  ]);
});
