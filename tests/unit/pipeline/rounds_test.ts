// Covers consentInRounds(): what becomes of a request whose form goes out with an answer and comes back with a call that
// repeats it (CONFIRM-18).

import { assertEquals, assertRejects } from "@std/assert";
import type { Mutation } from "../../../src/contract/mod.ts";
import type { CommonArguments } from "../../../src/pipeline/common.ts";
import type { Approval, Question, Rounds } from "../../../src/pipeline/consent/approver.ts";
import { Gate } from "../../../src/pipeline/consent/gate.ts";
import type { GateCall } from "../../../src/pipeline/consent/words.ts";
import { loadCommand } from "../../../src/pipeline/registry.ts";
import { AmofError } from "../../../src/base/error.ts";
import { TOKEN_LIFETIME_MS } from "../../../src/base/policy/consent.ts";
import { hashToken } from "../../../src/state/store/mod.ts";
import { openStore } from "../../../src/state/store/open.ts";
import { memoryWorld } from "../../support/memory.ts";

const NOTHING = {} as CommonArguments;

/** A person who is asked over several calls. */
async function asking() {
  const command = await loadCommand("amof_push_ecosystem") as Mutation;
  const store = openStore(":memory:");
  const { system } = memoryWorld();
  let now = system.clock.now();
  const gate = new Gate({
    store,
    system: { ...system, clock: { ...system.clock, now: () => now } },
  });
  const call = (ahead: number): GateCall => ({
    command,
    input: {},
    root: "/space",
    ecosystem: "demo",
    ticket: null,
    preview: {
      facts: { repos: [{ name: "api", ahead }] },
      summary: "Would push 1 repo.",
      effects: [],
      current: "",
      alternatives: [],
    },
    fingerprint: `f${ahead}`,
    owner: "local:1",
    lasts: false,
    door: "mcp",
    confirmBy: "token",
    pages: null,
    timeout: null,
    asker: { root: "/space", sessionId: "sess_1", client: "test", place: {} },
    signal: new AbortController().signal,
  });
  return {
    store,
    gate,
    call,
    later: (ms: number) => void (now += ms),
    /** What a call comes to, and what it asks. */
    async made(
      ahead: number,
      came: Rounds["came"] = null,
      decision: Approval["decision"] | "unattended" | null = null,
    ) {
      let question: Question | null = null;
      const rounds = {
        forms: true,
        pages: false,
        opened: () => null,
        came,
        answerTo: (): Approval | null =>
          decision === null
            ? null
            : decision === "unattended"
            ? { decision: "unsupported", way: "elicitation", unattended: true }
            : { decision, way: "elicitation" },
        put: (put: Question) => void (question = put),
      };
      const approver = {
        rounds,
        ask: () => Promise.reject(new Error("nobody is asked so")),
      };
      const ended = await gate.consent(call(ahead), approver, NOTHING)
        .then(({ way }) => way, (error) => {
          if (error instanceof AmofError) return error.code;
          throw error;
        });
      return { ended, question: question as Question | null };
    },
  };
}

/** The first question about a push of one commit. */
async function asked() {
  const at = await asking();
  const { ended, question } = await at.made(1);
  assertEquals(ended, "confirmation_required");
  if (question === null) throw new Error("nothing was asked");
  return { ...at, question, came: question.carried };
}

const DECISIONS: readonly (readonly [Approval["decision"], code: string, settled: string])[] = [
  ["accepted", "elicitation", "accepted"],
  ["declined", "confirmation_declined", "declined"],
  ["cancelled", "confirmation_cancelled", "cancelled"],
  ["wrong_name", "type_to_confirm_failed", "wrong_name"],
  ["ask_failed", "confirmation_failed", "ask_failed"],
];

for (const [decision, code, settled] of DECISIONS) {
  Deno.test(`an answer that is ${decision} settles the request, once`, async () => {
    const { store, made, came } = await asked();
    assertEquals((await made(1, came, decision)).ended, code);
    assertEquals((await made(1, came, "accepted")).ended, "confirmation_invalid");
    assertEquals(store.confirmations.live("local:1", 0), []);
    const row = store.confirmations.find(hashToken(`requestState\0${came.nonce}`), "local:1");
    assertEquals(row?.outcome, settled);
    store.close();
  });
}

Deno.test("no answer puts the same question again and settles nothing", async () => {
  const { store, made, came } = await asked();
  const again = await made(1, came);
  assertEquals([again.ended, again.question?.carried], ["confirmation_required", came]);
  assertEquals((await made(1, came, "accepted")).ended, "elicitation");
  store.close();
});

Deno.test("a client that answers by itself leaves a request that waits for a person", async () => {
  const { store, made, came } = await asked();
  assertEquals((await made(1, came, "unattended")).ended, "confirmation_required");
  const [waiting] = store.approvals.list(0, false, 9);
  assertEquals(waiting?.request.approval?.decision, "pending");
  store.close();
});

Deno.test("a changed world asks again with what changed, three times at most", async () => {
  const { store, made, came } = await asked();
  let carried = came;
  for (const [round, ahead] of [[2, 2], [3, 3]] as const) {
    const { ended, question } = await made(ahead, carried, "accepted");
    assertEquals(ended, "confirmation_required");
    assertEquals(question?.changed, [`api, ahead: ${ahead - 1} → ${ahead}`]);
    assertEquals(question?.carried.round, round);
    // What was agreed to before counts for nothing any more.
    assertEquals((await made(ahead, carried, "accepted")).ended, "confirmation_invalid");
    if (question !== null) carried = question.carried;
  }
  assertEquals((await made(4, carried, "accepted")).ended, "confirmation_stale");
  assertEquals(store.confirmations.live("local:1", 0), []);
  store.close();
});

Deno.test("a person who declines is not asked again because things changed", async () => {
  const { store, made, came } = await asked();
  assertEquals((await made(2, came, "declined")).ended, "confirmation_declined");
  store.close();
});

Deno.test("an answer that comes too late changes nothing", async () => {
  const { store, made, came, later } = await asked();
  later(TOKEN_LIFETIME_MS);
  assertEquals((await made(1, came, "accepted")).ended, "confirmation_expired");
  assertEquals((await made(1, came, "accepted")).ended, "confirmation_invalid");
  store.close();
});

Deno.test("of two clients with one state only one may act", async () => {
  const { store, made, came } = await asked();
  const { find } = store.confirmations;
  let looked = 0;
  store.confirmations.find = (...of) => {
    const request = find.apply(store.confirmations, of);
    // Another process settles it between the look at it and its end.
    if (looked++ === 0 && request !== null) {
      store.confirmations.settle(request.tokenHash, "accepted", 1);
    }
    return request;
  };
  assertEquals((await made(1, came, "accepted")).ended, "confirmation_invalid");
  store.close();
});

Deno.test("the secret of a state is no token, and no call finds its request by consenting", async () => {
  const { store, gate, call, came } = await asked();
  const redeeming = {
    tokenHash: hashToken(came.nonce),
    token: came.nonce,
    typedValue: null,
    tool: null,
  };
  await assertRejects(
    async () => await Promise.resolve(gate.redeem(call(1), redeeming)),
    AmofError,
  );
  assertEquals(gate.redeeming(call(1), { confirm: true } as CommonArguments), null);
  store.close();
});

Deno.test("a caller without a session has to name the token", async () => {
  const { store, gate, call } = await asking();
  const nobody = {
    ask: () => Promise.resolve({ decision: "unsupported" as const, way: "elicitation" as const }),
  };
  await assertRejects(() => gate.consent(call(1), nobody, NOTHING), AmofError);
  assertEquals(gate.redeeming(call(1), { confirm: true } as CommonArguments), null);
  store.close();
});
