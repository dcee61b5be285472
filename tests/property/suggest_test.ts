/**
 * Laws of the suggested actions that hold for every call (NEXT-10).
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { AmofError, ERROR_CODES, type ErrorCode } from "../../src/base/error.ts";
import { allows, type Mode, modeRequired, MODES } from "../../src/base/policy/mode.ts";
import { Session } from "../../src/pipeline/session.ts";
import { type ScopeName } from "../../src/contract/place.ts";
import { type Situation, suggest, type SuggestedAction } from "../../src/pipeline/suggest/mod.ts";
import { commandOfRun } from "../../src/pipeline/registry.ts";
import { TOOLS } from "../support/tools.ts";

const RUNS = ["4e8c1d72-0000-4000-8000-000000000001", "9b2f6a10-0000-4000-8000-000000000002"];

/** A value that is often what it should be, and often anything else. */
function mostly<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: fc.anything() });
}

function members(
  shape: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(shape, { requiredKeys: [] });
}

const runId = mostly(fc.constantFrom(...RUNS));
const name = mostly(fc.oneof(fc.constantFrom("demo", "shop"), fc.string({ maxLength: 60 })));
const flag = mostly(fc.boolean());
const runStatus = mostly(
  fc.constantFrom("queued", "paused", "running", "success", "failed", "cancelled"),
);

const data = members({
  ecosystem: name,
  run_id: runId,
  status: runStatus,
  action: mostly(fc.constantFrom("install", "sync", "push")),
  runs: mostly(fc.array(mostly(members({ run_id: runId, status: runStatus })), { maxLength: 3 })),
  ecosystems: mostly(fc.array(mostly(members({ name })), { maxLength: 5 })),
  tickets: mostly(fc.array(mostly(members({ ticket_id: name, active: flag })), { maxLength: 3 })),
  workspace: mostly(members({
    active_ticket: fc.oneof(name, fc.constant(null)),
    ticket_count: mostly(fc.nat(2)),
  })),
  repos: mostly(fc.array(
    mostly(members({
      mode: mostly(fc.constantFrom("RW", "RO")),
      status: mostly(fc.constantFrom("OK", "MISSING", "WRONG_BRANCH+DIRTY", "DIRTY", "UNPUSHED")),
      dirty: flag,
      unpushed: flag,
    })),
    { maxLength: 3 },
  )),
  installed: flag,
  ok: flag,
  valid: flag,
  running: flag,
  dirty: flag,
  version_drift: flag,
  commits_since_tag: mostly(fc.nat(2)),
  stage: mostly(fc.constantFrom("alpha", "beta", "rc", "stable")),
  version: mostly(fc.constantFrom("v1.0.0", "1.0.1-alpha.1", "1.0.1-rc.2")),
  preview: mostly(members({ run_id: runId })),
  confirmation: mostly(members({ token: name, typed_value_required: flag })),
});

const failure = fc.record({
  code: fc.constantFrom(...Object.keys(ERROR_CODES) as ErrorCode[]),
  details: members({
    run_id: runId,
    available: mostly(fc.array(name, { maxLength: 5 })),
    ecosystem: name,
    ticket_id: name,
    kind: mostly(fc.constantFrom("lock", "auth", "non_fast_forward")),
    reason: name,
  }),
}).map(({ code, details }) => new AmofError(code, "Cannot do it", { details }));

function sessionAt(scope: ScopeName, mode: Mode): Session {
  const session = new Session({ id: "sess_1", owner: "test", mode, maxMode: "execute" });
  const inside = scope !== "global" && scope !== "server";
  session.enter({
    scope,
    ecosystem: inside ? "demo" : null,
    runId: scope === "run" ? RUNS[0] ?? null : null,
    releaseTag: scope === "release" ? "v1.0.0" : null,
  });
  return session;
}

const situations: fc.Arbitrary<Situation> = fc.record({
  command: fc.constantFrom(...TOOLS.values()),
  phase: fc.constantFrom("result", "preview", "started", "refused"),
  data: fc.oneof({ weight: 1, arbitrary: fc.constant({}) }, { weight: 4, arbitrary: data }),
  failure: fc.option(failure),
  scope: fc.constantFrom<ScopeName>("global", "ecosystem", "run", "release", "server"),
  mode: fc.constantFrom(...MODES),
  hidden: fc.subarray([...TOOLS.keys()]),
  anyHidden: fc.boolean(),
  installed: fc.constantFrom(true, false, null),
  archived: fc.boolean(),
}).map(({ command, phase, scope, mode, hidden, anyHidden, ...rest }) => {
  const session = sessionAt(scope, mode);
  const acts = command.kind === "mutation";
  return {
    ...rest,
    command,
    // Only a mutation can be previewed or started.
    phase: acts || phase === "refused" ? phase : "result",
    session,
    mode,
    ecosystem: session.place.ecosystem,
    ticket: session.place.ticket,
    ofRun: commandOfRun,
    find: (wanted) => anyHidden && hidden.includes(wanted) ? null : TOOLS.get(wanted) ?? null,
  };
});

type Law = (actions: readonly SuggestedAction[], situation: Situation) => void;

/** The same for all laws: drawing a situation takes ten times as long as what is to be tested. */
const DRAWN = fc.sample(situations, 2000)
  .map((situation) => ({ situation, actions: suggest(situation) }));

function holdsAlways(law: Law): void {
  try {
    for (const { situation, actions } of DRAWN) law(actions, situation);
  } catch {
    // Once more, for the smallest situation in which it does not hold.
    fc.assert(fc.property(situations, (one) => law(suggest(one), one)), { numRuns: 2000 });
    throw new Error("A law that did not hold holds when it is looked at again");
  }
}

Deno.test("suggest() never offers more than five actions, and three after a question", () => {
  holdsAlways((actions, situation) => {
    const most = situation.command.kind === "query" ? 3 : 5;
    assert(actions.length <= most);
  });
});

Deno.test("suggest() never offers an id or a call twice", () => {
  holdsAlways((actions) => {
    assertEquals(new Set(actions.map((action) => action.id)).size, actions.length);
    const calls = actions.map((action) => JSON.stringify([action.tool, action.args]));
    assertEquals(new Set(calls).size, actions.length);
  });
});

Deno.test("suggest() never offers what is above the mode, but to settle the request at hand", () => {
  holdsAlways((actions, situation) => {
    for (const action of actions) {
      assert(action.id === "confirm" || allows(situation.mode, action.mode_required));
    }
  });
});

Deno.test("suggest() never offers the tool just called, except to look again at a run", () => {
  holdsAlways((actions, situation) => {
    for (const action of actions) {
      if (action.tool !== situation.command.name) continue;
      assertEquals(action.id, "get_run_status");
    }
  });
});

Deno.test("suggest() never looks again at a run that has ended", () => {
  holdsAlways((actions, situation) => {
    const ended = ["success", "failed", "cancelled"].includes(String(statusOf(situation)));
    if (situation.command.name !== "amof_get_run_status" || !ended) return;
    assert(actions.every((action) => action.id !== "get_run_status"));
  });
});

function statusOf({ data: { run_id, status } }: Situation): unknown {
  return typeof run_id === "string" && typeof status === "string" ? status : "";
}

Deno.test("suggest() never offers a tool that cannot be found", () => {
  holdsAlways((actions, situation) => {
    for (const action of actions) assert(situation.find(action.tool) !== null);
  });
});

Deno.test("suggest() never offers an ecosystem-scoped action without an ecosystem", () => {
  holdsAlways((actions) => {
    for (const action of actions) {
      if (action.scope !== "ecosystem" || action.args["token"] !== undefined) continue;
      assert(typeof action.args["ecosystem"] === "string" && action.args["ecosystem"] !== "");
    }
  });
});

Deno.test("suggest() never destroys after a question", () => {
  const destructive = ["amof_discard_ecosystem", "amof_spin_destroy", "amof_archive_ecosystem"];
  holdsAlways((actions, situation) => {
    if (situation.command.kind !== "query") return;
    for (const action of actions) assert(!destructive.includes(action.tool));
  });
});

Deno.test("suggest() always sorts by priority and derives every field from the safety", () => {
  holdsAlways((actions) => {
    let priority = 1;
    for (const action of actions) {
      assert(action.priority >= priority && action.priority <= 5);
      priority = action.priority;
      assert(action.label.length >= 1 && action.label.length <= 30);
      assert(!/[\n\r]/.test(action.label));
      assertEquals(action.mode_required, modeRequired(action.safety));
      assertEquals(action.confirm, action.safety === "dangerous-write");
      assertEquals("condition" in action, action.condition !== undefined);
    }
  });
});

Deno.test("suggest() always gives the same answer to the same situation", () => {
  holdsAlways((actions, situation) => assertEquals(suggest(situation), actions));
});
