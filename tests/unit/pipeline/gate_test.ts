// Covers Gate: what counts as a consent, whose, to what, and how often (CONFIRM-5 to CONFIRM-9).

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Mutation } from "../../../src/contract/mod.ts";
import type { CommonArguments } from "../../../src/pipeline/common.ts";
import type { Approval, Approver } from "../../../src/pipeline/consent/approver.ts";
import { Gate, type Redeeming } from "../../../src/pipeline/consent/gate.ts";
import type { GateCall } from "../../../src/pipeline/consent/words.ts";
import { loadCommand } from "../../../src/pipeline/registry.ts";
import { AmofError } from "../../../src/base/error.ts";
import { fieldsOf } from "../../../src/base/object.ts";
import { hashToken } from "../../../src/state/store/mod.ts";
import { openStore } from "../../../src/state/store/open.ts";
import { memoryWorld } from "../../support/memory.ts";

const NOTHING = {} as CommonArguments;

/** An approver that gives one answer. */
function answering(decision: Approval["decision"], unable = false): Approver {
  return { unable, ask: () => Promise.resolve({ decision, way: "elicitation" }) };
}

/** A gate over a store of its own, and a call that reaches it. */
async function reached(fields: Partial<GateCall> = {}) {
  const command = await loadCommand("amof_push_ecosystem") as Mutation;
  const store = openStore(":memory:");
  const { system } = memoryWorld();
  const facts = { repos: ["api"] };
  const call: GateCall = {
    command,
    input: {},
    root: "/space",
    ecosystem: "demo",
    ticket: null,
    preview: { facts, summary: "Would push 1 repo.", effects: [], current: "", alternatives: [] },
    fingerprint: "f1",
    owner: "sess_1",
    lasts: true,
    door: "mcp",
    confirmBy: "token",
    pages: null,
    timeout: null,
    asker: { root: "/space", sessionId: "sess_1", client: "test", place: {} },
    signal: new AbortController().signal,
    ...fields,
  };
  return { gate: new Gate({ store, system }), call, store };
}

/** The token that a call is answered with. */
async function tokenFor(
  { gate, call }: Awaited<ReturnType<typeof reached>>,
  common: CommonArguments = NOTHING,
): Promise<Redeeming> {
  const work = () => gate.consent(call, answering("unsupported"), common);
  const { details } = await assertRejects(work, AmofError);
  const token = String(fieldsOf(details["confirmation"])["token"]);
  return { tokenHash: hashToken(token), token, typedValue: null, tool: call.command.name };
}

function code(work: () => unknown): string {
  return assertThrows(work, AmofError).code;
}

Deno.test("a token is spent once, by its owner, for its tool and what was shown", async () => {
  const at = await reached();
  const redeeming = await tokenFor(at);
  const { call } = at;
  assertEquals(
    [
      () => at.gate.redeem({ ...call, owner: "sess_2" }, redeeming),
      () => at.gate.redeem(call, { ...redeeming, tool: "amof_undo" }),
    ].map(code),
    ["confirmation_invalid", "confirmation_invalid"],
  );
  assertEquals(at.gate.redeem(call, redeeming), { way: "token", waited: false });
  assertEquals(code(() => at.gate.redeem(call, redeeming)), "confirmation_invalid");
  assertEquals(code(() => at.gate.lookUp(redeeming.tokenHash, "sess_1")), "confirmation_invalid");
  at.store.close();
});

Deno.test("of two callers with one token at the same moment only one may act", async () => {
  const at = await reached();
  const redeeming = await tokenFor(at);
  // Another process settles it between the look at it and its end.
  const { find } = at.store.confirmations;
  at.store.confirmations.find = (...of) => {
    const request = find.apply(at.store.confirmations, of);
    at.store.confirmations.settle(redeeming.tokenHash, "accepted", 1);
    return request;
  };
  assertEquals(code(() => at.gate.redeem(at.call, redeeming)), "confirmation_invalid");
  at.store.close();
});

Deno.test("a token for another state is settled, and nothing is done", async () => {
  const at = await reached();
  const redeeming = await tokenFor(at);
  const now = { ...at.call, fingerprint: "f2" };
  assertEquals(code(() => at.gate.redeem(now, redeeming)), "confirmation_stale");
  assertEquals(code(() => at.gate.redeem(at.call, redeeming)), "confirmation_invalid");
  at.store.close();
});

Deno.test("a token alone is no consent, and a consent finds only the request for this very call", async () => {
  const at = await reached();
  const { token } = await tokenFor(at);
  const { call } = at;
  const found = (common: object, of: GateCall = call) =>
    at.gate.redeeming(of, common as CommonArguments)?.tokenHash ?? null;
  assertEquals(found({ confirmation_token: token }), null);
  assertEquals(found({ confirmation_token: token, confirm: true }), hashToken(token ?? ""));
  assertEquals(found({ confirm: true }), hashToken(token ?? ""));
  assertEquals(found({ confirm: true }, { ...call, fingerprint: "f2" }), null);
  assertEquals(found({ confirm: true }, { ...call, owner: "sess_2" }), null);
  at.store.close();
});

Deno.test("a call that consents in advance does not settle the request that it was answered with", async () => {
  const at = await reached();
  await tokenFor(at, { confirm: true } as CommonArguments);
  assertEquals(at.gate.redeeming(at.call, { confirm: true } as CommonArguments), null);
  at.store.close();
});

Deno.test("where the host shows forms a token asks the person, whose no settles it", async () => {
  for (const decision of ["declined", "cancelled", "timed_out"] as const) {
    const at = await reached();
    const redeeming = await tokenFor(at);
    await assertRejects(() => at.gate.settle(at.call, redeeming, answering(decision)), AmofError);
    const outcome = at.store.confirmations.find(redeeming.tokenHash, "sess_1")?.outcome;
    assertEquals(outcome, decision === "timed_out" ? null : decision);
    at.store.close();
  }
});

Deno.test("a consent in a form spends the token, and says that time has passed", async () => {
  const at = await reached();
  const redeeming = await tokenFor(at);
  assertEquals(await at.gate.settle(at.call, redeeming, answering("accepted")), {
    way: "elicitation",
    waited: true,
  });
  assertEquals(code(() => at.gate.redeem(at.call, redeeming)), "confirmation_invalid");
  at.store.close();
});

Deno.test("after three wrong names a request is void, and no name at all is no try", async () => {
  const command = await loadCommand("amof_discard_ecosystem") as Mutation;
  const at = await reached({ command });
  const redeeming = await tokenFor(at);
  const typed = (typedValue: string | null) =>
    code(() => at.gate.redeem(at.call, { ...redeeming, typedValue }));
  const outcome = () => at.store.confirmations.find(redeeming.tokenHash, "sess_1")?.outcome;
  for (let turn = 0; turn < 4; turn++) typed(null);
  assertEquals([typed("dem"), typed("demos"), outcome()], [
    "type_to_confirm_failed",
    "type_to_confirm_failed",
    null,
  ]);
  assertEquals([typed(""), outcome()], ["type_to_confirm_failed", "wrong_name"]);
  assertEquals(typed("demo"), "confirmation_invalid");
  at.store.close();
});

Deno.test("with --confirm human no form counts, and the token waits for a person", async () => {
  const at = await reached({ confirmBy: "human" });
  const { details } = await assertRejects(
    () => at.gate.consent(at.call, answering("accepted"), NOTHING),
    AmofError,
  );
  const token = String(fieldsOf(details["confirmation"])["token"]);
  const tool = at.call.command.name;
  const redeeming = { tokenHash: hashToken(token), token, typedValue: null, tool };
  assertEquals(code(() => at.gate.redeem(at.call, redeeming)), "approval_pending");
  at.store.close();
});

Deno.test("what takes a person is no token's, also where the host shows no forms", async () => {
  const at = await reached();
  const redeeming = await tokenFor(at);
  const call = { ...at.call, command: { ...at.call.command, byPerson: true } };
  const work = () => at.gate.settle(call, redeeming, answering("unsupported", true));
  assertEquals((await assertRejects(work, AmofError)).code, "confirmation_required");
  at.store.close();
});

Deno.test("recheck() refuses anything but what was agreed to", async () => {
  const at = await reached();
  at.gate.recheck(at.call, at.call);
  const now = { ...at.call, fingerprint: "f2" };
  assertEquals(code(() => at.gate.recheck(at.call, now)), "confirmation_stale");
  at.store.close();
});
