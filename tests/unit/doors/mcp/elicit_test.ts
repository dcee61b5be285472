// How the answer to a form counts.

import { assertEquals } from "@std/assert";
import type { ApprovalRequest } from "../../../../src/pipeline/consent/approver.ts";
import { readForm } from "../../../../src/doors/mcp/elicit.ts";

const SIMPLE = { typed: null } as unknown as ApprovalRequest;
const NAMED = { typed: { what: "name", value: "demo" } } as unknown as ApprovalRequest;
const yes = { confirm: true };

/** The request, the client's answer, after how many milliseconds, and how it counts. */
const ANSWERS: readonly (readonly [ApprovalRequest, unknown, unknown, number, string])[] = [
  [SIMPLE, "accept", yes, 1, "accepted"],
  [SIMPLE, "accept", { confirm: false }, 1, "declined"],
  [SIMPLE, "accept", { confirm: "true" }, 1, "declined"],
  [SIMPLE, "accept", undefined, 1, "declined"],
  [SIMPLE, "decline", yes, 500, "declined"],
  [SIMPLE, "decline", yes, 499, "unsupported"],
  [SIMPLE, "cancel", yes, 500, "cancelled"],
  [SIMPLE, "cancel", yes, 0, "unsupported"],
  [SIMPLE, "approve", yes, 900, "ask_failed"],
  [SIMPLE, undefined, yes, 900, "ask_failed"],
  [NAMED, "accept", yes, 900, "declined"],
  [NAMED, "accept", { name: "" }, 900, "declined"],
  [NAMED, "accept", { name: "Demo" }, 900, "wrong_name"],
  [NAMED, "accept", { name: "demo" }, 900, "accepted"],
  [NAMED, "submit", { name: "demo" }, 900, "ask_failed"],
];

for (const [request, action, content, afterMs, decision] of ANSWERS) {
  const what = `${action} ${JSON.stringify(content)} to a ${
    request.typed === null ? "switch" : "name"
  } after ${afterMs} ms`;
  Deno.test(`readForm() takes ${what} for ${decision}`, () => {
    assertEquals(readForm(request, { action, content }, afterMs).decision, decision);
  });
}
