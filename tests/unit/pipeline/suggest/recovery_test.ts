/**
 * What is suggested after an error, and for a confirmation request (NEXT-5, rows 1 and 2).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { suggest } from "../../../../src/pipeline/suggest/mod.ts";
import { first, OTHER_RUN, REQUEST, situation, testCases, TOKEN } from "./_support.ts";
import { RECOVERY } from "./cases/recovery.ts";

for (const mode of ["ask", "plan", "execute"] as const) {
  Deno.test(`suggest() offers a confirm that works in a session in mode ${mode}`, () => {
    const [confirm] = suggest(situation({
      tool: "amof_push_ecosystem",
      mode,
      code: "confirmation_required",
      data: { confirmation: REQUEST },
    }));
    assertEquals(confirm?.args, {
      token: TOKEN,
      ...(mode === "execute" ? {} : { mode: "execute" }),
    });
  });
}

Deno.test("suggest() offers to ask again for a request that waits for a person", () => {
  const approval = { id: "3f0c6f4e", command: "amof approve 3f0c6f4e" };
  for (const code of ["confirmation_required", "approval_pending"]) {
    const [again] = suggest(situation({
      tool: "amof_discard_ecosystem",
      code,
      data: { confirmation: { ...REQUEST, approval } },
    }));
    assertEquals([again?.id, again?.label], ["confirm", "Ask again"]);
  }
});

testCases(RECOVERY);

Deno.test("suggest() confirms with the token of the request and nothing else", () => {
  const confirmation = { token: TOKEN, type: "type", typed_value_required: true };
  const action = first({
    tool: "amof_discard_ecosystem",
    code: "confirmation_required",
    data: { confirmation },
  });
  assertEquals(action.args, { token: TOKEN });
  assertEquals(action.scope, "ecosystem");
  // The action carries out what was confirmed, so hosts must not take it for one that only reads.
  assertEquals(
    [action.safety, action.mode_required, action.confirm],
    ["dangerous-write", "execute", true],
  );
  assertEquals(action.description, "Carry it out; a person must type the name.");
});

Deno.test("suggest() asks about the run that holds the lock", () => {
  const action = first({
    tool: "amof_push_ecosystem",
    at: "run",
    code: "ecosystem_busy",
    details: { run_id: OTHER_RUN },
  });
  assertEquals(action.args, { run_id: OTHER_RUN });
});

Deno.test("suggest() leads to the status of the workspace in which work would be lost", () => {
  const lost = { tool: "amof_ticket_end", code: "would_lose_work" };
  assertEquals(first(lost).args, { ecosystem: "demo" });
  assertEquals(first({ ...lost, details: { workspace_ticket: "W-1" } }).args, {
    ecosystem: "demo",
    ticket: "W-1",
  });
});

Deno.test("suggest() repairs instead of installing anew when the state is damaged", () => {
  const action = first({
    tool: "amof_get_ecosystem_status",
    code: "state_corrupt",
    details: { reason: "its tickets are damaged" },
  });
  assertEquals(action.label, "Repair workspace");
  assertEquals(action.args, { ecosystem: "demo", repair: true });
});
