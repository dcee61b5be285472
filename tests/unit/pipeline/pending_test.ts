// Covers decide(): whose word settles a pending request, with which signature, and how often (CONFIRM-12, SIGN-3).

import { assertEquals, assertRejects } from "@std/assert";
import type { App } from "../../../src/pipeline/app.ts";
import { Gate } from "../../../src/pipeline/consent/gate.ts";
import { decide, type Decider } from "../../../src/pipeline/consent/pending.ts";
import { loadCommand } from "../../../src/pipeline/registry.ts";
import { requirePending } from "../../../src/commands/approvals/pending.ts";
import type { Mutation } from "../../../src/contract/mod.ts";
import { AmofError } from "../../../src/base/error.ts";
import { fieldsOf } from "../../../src/base/object.ts";
import type { PasskeyEvidence } from "../../../src/base/policy/consent.ts";
import { openStore } from "../../../src/state/store/open.ts";
import { memoryWorld } from "../../support/memory.ts";

const SIGNED = { kind: "passkey" } as PasskeyEvidence;
const SILENT = { log: () => {} };

/** A request that waits for a person, and the program that asks them. */
async function pending({ passkeyOnly, hasKey }: { passkeyOnly: boolean; hasKey: boolean }) {
  const store = openStore(":memory:");
  const { system } = memoryWorld();
  if (hasKey) {
    store.passkeys.add({
      ...{ id: "key", name: "a key", publicKey: "", counter: 0, transports: [] },
      ...{ createdAt: 1, lastUsedAt: null },
    });
  }
  const { details } = await assertRejects(
    async () =>
      new Gate({ store, system }).consent(
        {
          command: await loadCommand("amof_push_ecosystem") as Mutation,
          ...{ input: {}, root: "/space", ecosystem: "demo", ticket: null, fingerprint: "f1" },
          preview: { facts: {}, summary: "Would", effects: [], current: "", alternatives: [] },
          ...{
            owner: "sess_1",
            lasts: true,
            door: "mcp",
            confirmBy: "human",
            pages: null,
            timeout: null,
          },
          asker: { root: "/space", sessionId: "sess_1", client: "test", place: {} },
          signal: new AbortController().signal,
        },
        { unable: true, ask: () => Promise.reject(new Error("nobody is asked")) },
        {},
      ),
    AmofError,
  );
  const id = String(fieldsOf(fieldsOf(details["confirmation"])["approval"])["id"]);
  const settings = { passkeyOnly };
  const app = { system, settings, store: () => Promise.resolve(store) } as unknown as App;
  return { app, store, of: requirePending(store.approvals, id) };
}

type Outcome = "approved" | "declined" | "pending";

for (
  const [what, { passkeyOnly = false, hasKey = false, ...by }, decision, outcome] of [
    ["a yes at a terminal", { door: "cli" }, "accepted", "approved"],
    ["a yes in a page", { door: "http" }, "accepted", "approved"],
    ["a no", { door: "cli" }, "declined", "declined"],
    ["no answer", { door: "cli" }, "cancelled", "pending"],
    ["a wrong name", { door: "cli" }, "wrong_name", "pending"],
    ["a yes in a page without the key", { door: "http", hasKey: true }, "accepted", null],
    ["a yes at a terminal beside a key", { door: "cli", hasKey: true }, "accepted", "approved"],
    [
      "a yes in a page with the key",
      { door: "http", hasKey: true, evidence: SIGNED },
      "accepted",
      "approved",
    ],
    [
      "a yes at a terminal where only keys count",
      { door: "cli", passkeyOnly: true },
      "accepted",
      null,
    ],
    [
      "a yes with a key where only keys count",
      { door: "http", passkeyOnly: true, evidence: SIGNED },
      "accepted",
      "approved",
    ],
    ["a no where only keys count", { door: "cli", passkeyOnly: true }, "declined", "declined"],
  ] as readonly (readonly [
    string,
    Omit<Decider, "client"> & { readonly passkeyOnly?: boolean; readonly hasKey?: boolean },
    Parameters<typeof decide>[2]["decision"],
    Outcome | null,
  ])[]
) {
  Deno.test(`decide() takes ${what} as ${outcome ?? "refused without a passkey"}`, async () => {
    const { app, store, of } = await pending({ passkeyOnly, hasKey });
    const decided = decide(app, of, { decision, by: { ...by, client: "alice" }, report: SILENT });
    if (outcome === null) {
      assertEquals((await assertRejects(() => decided, AmofError)).code, "passkey_required");
    } else await decided;
    const now = requirePending(store.approvals, of.id).request.approval;
    assertEquals(now?.decision ?? "pending", outcome ?? "pending");
    store.close();
  });
}

Deno.test("decide() lets nobody decide twice, and three wrong names are a no", async () => {
  const { app, store, of } = await pending({ passkeyOnly: false, hasKey: false });
  const says = (decision: Parameters<typeof decide>[2]["decision"]) =>
    decide(app, of, { decision, by: { door: "cli", client: "alice" }, report: SILENT });
  for (let tries = 0; tries < 3; tries++) await says("wrong_name");
  assertEquals(requirePending(store.approvals, of.id).request.approval?.decision, "declined");
  assertEquals(
    (await assertRejects(() => says("accepted"), AmofError)).code,
    "invalid_transition",
  );
  store.close();
});
