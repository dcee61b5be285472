// Covers calls that come through the server (SERVER-7): modes, previews and confirmations as at every other door.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeApp } from "../../src/pipeline/app.ts";
import type { Outcome } from "../../src/pipeline/envelope.ts";
import { carrying, clientOf, type Limits } from "../../src/doors/http/call.ts";
import { layoutOf } from "../../src/base/system/layout.ts";
import { pick, rows } from "../support/answers.ts";
import { systemIn } from "../support/both_doors.ts";
import { findCommand } from "../support/loaded.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

const LIMITS: Limits = { mode: "ask", maxMode: "execute", confirmBy: "token" };

/** A caller in the control repository of a world: calls a tool and answers the envelope. */
function caller(world: World, limits: Limits, owner = "http:test") {
  const system = systemIn({ world, cwd: world.control });
  const app = makeApp(system, layoutOf(system.env), { root: world.control, jobs: 2 });
  const carryOut = carrying(app, limits, () => true);
  return async (tool: string, args: Record<string, unknown>): Promise<Outcome["envelope"]> => {
    const command = findCommand(tool);
    if (command === null) throw new Error(tool);
    const by = {
      sessionId: "sess_1",
      owner,
      client: clientOf(new Headers({ "user-agent": "curl/8\u0007" })),
      signal: AbortSignal.timeout(60_000),
    };
    return (await carryOut({ command, args, by })).envelope;
  };
}

Deno.test("a call through the server passes mode, preview and confirmation, and is written down", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const call = caller(world, LIMITS);
  const other = caller(world, LIMITS, "http:other");
  const ticket = { ecosystem: "demo", ticket_id: "T-1" };

  const asked = await call("amof_ticket_start", ticket);
  assertEquals([asked["error"], pick(asked, "_context", "mode")], ["mode_insufficient", "ask"]);
  assertEquals(asked["hint"], 'Preview it: mode="plan"; carry it out: mode="execute"');

  const planned = await call("amof_ticket_start", { ...ticket, mode: "plan" });
  assertEquals(planned["would_execute"], false);
  assertEquals(planned["execute_hint"], 'Repeat the call with mode="execute"');

  const execute = { ...ticket, mode: "execute" };
  assertEquals((await call("amof_ticket_start", execute))["error"], undefined);

  const unconfirmed = await call("amof_ticket_end", { ...execute, cleanup: true });
  assertEquals(unconfirmed["error"], "confirmation_required");
  assertEquals(pick(unconfirmed, "confirmation", "how"), [
    "POST /api/v1/confirmations with token",
    "same call with confirm=true and confirmation_token",
  ]);
  const token = pick(unconfirmed, "confirmation", "token");
  const spend = { mode: "execute", token };
  assertEquals((await other("amof_confirm", spend))["error"], "confirmation_invalid");
  const below = await call("amof_confirm", { ...spend, mode: "plan" });
  assertEquals(below["hint"], 'Confirm again with mode="execute"');
  const done = await call("amof_confirm", spend);
  assertEquals([done["error"], done["action"]], [undefined, "ticket_end"]);
  assertEquals((await call("amof_confirm", spend))["error"], "confirmation_invalid");

  const { runs } = (await call("amof_list_runs", { limit: 2 })) as { runs: unknown };
  assertEquals(rows(runs).map(({ origin }) => origin), ["http", "http"]);
  const log = await call("amof_audit", { limit: 2, tool: "ticket_end" });
  assertEquals(
    rows(log["entries"]).map(({ door, client, decision }) => [door, client, decision]),
    [["http", "curl/8", "accepted"], ["http", "curl/8", "unsupported"]],
  );
});

Deno.test("a server's own limits bind every call that comes through it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const plan = caller(world, { mode: "execute", maxMode: "plan", confirmBy: "token" });
  const planned = await plan("amof_ticket_start", { ecosystem: "demo", ticket_id: "T-1" });
  assertEquals(pick(planned, "_context", "mode"), "plan");
  const refused = await plan("amof_ticket_start", {
    ecosystem: "demo",
    ticket_id: "T-1",
    mode: "execute",
  });
  assertEquals(refused["error"], "mode_insufficient");
  assertStringIncludes(String(refused["hint"]), "AMOF_MAX_MODE=execute amof server start");

  const human = caller(world, { ...LIMITS, mode: "execute", confirmBy: "human" });
  const pending = await human("amof_discard_ecosystem", { ecosystem: "demo" });
  const id = pick(pending, "confirmation", "approval", "id");
  assertEquals(
    pending["hint"],
    `Ask a person to run in a terminal: amof approve ${id}\nThen poll POST /api/v1/confirmations with token`,
  );
  const token = pick(pending, "confirmation", "token");
  const polled = await human("amof_confirm", { token });
  assertEquals(polled["error"], "approval_pending");
});

Deno.test("a call through the server works in the ticket that its argument names", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await makeTicket(world, "T-1", { repos: ["api"] });
  const call = caller(world, LIMITS);
  const seen = async (ticket?: string) => {
    const answer = await call("amof_get_ecosystem_status", {
      ecosystem: "demo",
      ...(ticket === undefined ? {} : { ticket }),
    });
    return answer["error"] ?? [
      pick(answer, "workspace", "ticket") ?? null,
      rows(answer, "repos").map(({ name }) => name),
    ];
  };
  assertEquals(await seen(), [null, ["api", "web"]]);
  assertEquals(await seen("T-1"), ["T-1", ["api"]]);
  assertEquals(await seen("main"), [null, ["api", "web"]]);
  assertEquals(await seen("T-9"), "ticket_not_found");
});
