// Covers redeemed(): a token carries out only what is offered to whoever has it, in a mode that may act.

import { assertEquals, assertRejects } from "@std/assert";
import type { ConfirmCommand, Mutation } from "../../../src/contract/mod.ts";
import { makeApp } from "../../../src/pipeline/app.ts";
import type { Call, Progress } from "../../../src/pipeline/preview.ts";
import { Gate } from "../../../src/pipeline/consent/gate.ts";
import { redeemed } from "../../../src/pipeline/redeem.ts";
import { loadCommand } from "../../../src/pipeline/registry.ts";
import { Session } from "../../../src/pipeline/session.ts";
import { AmofError } from "../../../src/base/error.ts";
import { fieldsOf } from "../../../src/base/object.ts";
import type { Mode } from "../../../src/base/policy/mode.ts";
import { layoutOf } from "../../../src/state/store/mod.ts";
import { openStore } from "../../../src/state/store/open.ts";
import { memoryWorld } from "../../support/memory.ts";
import { rememberingReporter } from "../_support.ts";

for (
  const { mode, isOffered, expected } of [
    { mode: "execute", isOffered: true, expected: "amof_push_ecosystem" },
    { mode: "execute", isOffered: false, expected: "tool_not_available" },
    { mode: "plan", isOffered: true, expected: "mode_insufficient" },
    { mode: "ask", isOffered: true, expected: "mode_insufficient" },
  ] as const
) {
  const offered = isOffered ? "offered" : "not offered";
  Deno.test(`a token for what is ${offered}, redeemed in mode ${mode}: ${expected}`, async () => {
    const { system } = memoryWorld({ env: { HOME: "/home/me" } });
    const store = openStore(":memory:");
    const app = {
      ...makeApp(system, layoutOf(system.env), { root: null, jobs: null }),
      store: () => Promise.resolve(store),
    };
    const confirm = await loadCommand("amof_confirm") as ConfirmCommand;
    const command = await loadCommand("amof_push_ecosystem") as Mutation;
    const session = new Session({ id: "sess_1", owner: "sess_1", mode, maxMode: "execute" });
    const { signal } = new AbortController();
    const asked = await assertRejects(
      () =>
        new Gate({ store, system }).consent(
          {
            ...{ command, input: {}, root: "", ecosystem: "demo", ticket: null, fingerprint: "f1" },
            preview: { facts: {}, summary: "Would.", effects: [], current: "", alternatives: [] },
            ...{ owner: "sess_1", lasts: true, door: "mcp", confirmBy: "token", pages: null },
            asker: { root: "", sessionId: "sess_1", client: "test", place: {} },
            ...{ timeout: null, signal },
          },
          {
            unable: false,
            ask: () => Promise.resolve({ decision: "unsupported", way: "elicitation" }),
          },
          {} as never,
        ),
      AmofError,
    );
    const { token } = fieldsOf(asked.details["confirmation"]);
    const call = {
      ...{ command: confirm, args: { token }, session, door: "mcp", client: "test", signal },
      ...{ offers: () => isOffered, report: rememberingReporter() },
    } as unknown as Call;
    const outcome = await redeemed(app, call, confirm, { mode: "ask" as Mode } as Progress).then(
      ({ command: { name } }) => name,
      (error: AmofError) => error.code,
    );
    assertEquals(outcome, expected);
    store.close();
  });
}
