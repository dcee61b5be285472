// Covers the routes of the HTTP API (SERVER-8, SERVER-9): arguments, answers and their statuses, from end to end.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Asks a route of the API; answers status and JSON. */
function api(server: ServerOf) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = JSON_TYPE,
  ): Promise<Record<string, unknown>> => {
    const answer = await server.ask(`/api/v1${path}`, {
      method,
      headers: body === undefined ? {} : headers,
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return {
      ...JSON.parse(answer.body),
      status_code: answer.status,
      location: answer.headers.get("location"),
    };
  };
}

Deno.test("an ecosystem is installed, looked at and taken away over HTTP", async (t) => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await using server = await ServerOf.start(world);
  const ask = api(server);
  const demo = "/ecosystems/demo";
  let installed = "";

  await t.step("reads: the answers of the commands", async () => {
    const listed = await ask("GET", "/ecosystems");
    assertEquals([listed["status_code"], pick(listed, "ecosystems", 0, "name")], [200, "demo"]);
    assertEquals(pick(listed, "_context", "mode"), "ask");
    assertEquals((await ask("GET", demo))["name"], "demo");
    assertEquals((await ask("POST", `${demo}/actions/validate`, {}))["valid"], true);
    assertEquals((await ask("GET", "/release/log?limit=1"))["status_code"], 200);
    assertEquals((await ask("GET", "/telemetry"))["status_code"], 200);
    assertEquals((await ask("GET", "/openapi.json"))["openapi"], "3.1.0");
  });

  await t.step("mode ask explains, plan previews, execute asks for a consent", async () => {
    const explained = await ask("POST", `${demo}/actions/install`);
    assertEquals([explained["status_code"], explained["error"]], [403, "mode_insufficient"]);
    const planned = await ask("POST", `${demo}/actions/install`, { mode: "plan" });
    assertEquals([planned["status_code"], planned["would_execute"]], [200, false]);
    const asked = await ask("POST", `${demo}/actions/install`, { mode: "execute" });
    assertEquals([asked["status_code"], asked["error"]], [403, "confirmation_required"]);
    const token = pick(asked, "confirmation", "token");
    const low = await ask("POST", "/confirmations", { token });
    assertEquals([low["status_code"], low["error"]], [403, "mode_insufficient"]);
    const begun = await ask("POST", "/confirmations", { token, mode: "execute" });
    assertEquals([begun["status_code"], begun["status"]], [202, "queued"]);
    assertEquals(begun["task_id"], begun["run_id"]);
    installed = String(begun["run_id"]);
    assertEquals(begun["location"], `/api/v1/runs/${installed}`);
    const again = await ask("POST", "/confirmations", { token, mode: "execute" });
    assertEquals([again["status_code"], again["error"]], [403, "confirmation_invalid"]);
  });

  await t.step("the run is followed to its end, and looked up", async () => {
    const { body } = await server.ask(`/api/v1/runs/${installed}/stream`);
    assertStringIncludes(body, "Started install");
    assert(body.endsWith("data: [DONE]\n\n"));
    const run = await ask("GET", `/runs/${installed.slice(0, 8)}`);
    assertEquals([run["status"], run["origin"], run["run_id"]], ["success", "http", installed]);
    const state = await ask("GET", `/runs/${installed}/status`);
    assertEquals([state["terminal"], state["exit_code"], state["args"]], [true, 0, undefined]);
    assertEquals(rows(await ask("GET", "/runs?ecosystem=demo&limit=1"), "runs").length, 1);
    const logs = await ask("GET", `/runs/${installed}/logs?tail=1`);
    assertEquals(rows(logs, "events").length, 1);
    const stop = { action: "stop", mode: "execute" };
    const over = await ask("POST", `/runs/${installed}/control`, stop);
    assertEquals([over["status_code"], over["error"]], [409, "invalid_transition"]);
  });

  await t.step("what is done at once is answered with its result", async () => {
    const begun = await ask("POST", `${demo}/actions/ticket-start`, {
      ticket_id: "T-1",
      mode: "execute",
    });
    assertEquals([begun["status_code"], begun["task_id"]], [200, undefined]);
    const status = await ask("POST", `${demo}/actions/status`, { repos: ["api"] });
    assertEquals(rows(status, "repos").map(({ branch }) => branch), ["feature/T-1"]);
    const tickets = await ask("POST", `${demo}/actions/ticket-list`);
    assertEquals(tickets["active_ticket"], "T-1");
  });

  const hasCurl = (await world.command("sh", ["-c", "command -v curl"])).code === 0;
  await t.step({
    name: "the example of the guide works as it stands there",
    ignore: !hasCurl,
    async fn() {
      const file = new URL("../../.github/docs/guide.md", import.meta.url);
      const guide = await Deno.readTextFile(file);
      const [, example = ""] = /```sh\namof server start\n([\s\S]*?)```/.exec(guide) ?? [];
      assertStringIncludes(example, "curl");
      const script = example.replaceAll(":8000", `:${server.port}`).replaceAll("/shop/", "/demo/");
      const { stdout, stderr } = await world.command("sh", ["-c", script], { cwd: world.control });
      const answers = stdout.trim().split("\n").map((line) => JSON.parse(line));
      assertEquals(answers.length, 4, stderr);
      assertEquals(pick(answers, 0, "ecosystems", 0, "name"), "demo");
      assertEquals(pick(answers, 1, "would_execute"), false);
      assertEquals(pick(answers, 2, "status"), "queued");
      assertEquals(pick(answers, 3, "runs", 0, "run_id"), pick(answers, 2, "task_id"));
      await server.ask(`/api/v1/runs/${pick(answers, 2, "run_id")}/stream`);
    },
  });

  await t.step("DELETE takes the workspace away, once its name is typed", async () => {
    const asked = await ask("DELETE", `${demo}?mode=execute`);
    assertEquals([asked["status_code"], asked["error"]], [403, "confirmation_required"]);
    const token = pick(asked, "confirmation", "token");
    const wrong = { token, mode: "execute", typed_value: "dem" };
    assertEquals((await ask("POST", "/confirmations", wrong))["error"], "type_to_confirm_failed");
    const begun = await ask("POST", "/confirmations", { ...wrong, typed_value: "demo" });
    assertEquals(begun["status_code"], 202);
    await server.ask(`/api/v1/runs/${begun["run_id"]}/stream`);
    const listed = rows(await ask("GET", "/ecosystems"), "ecosystems");
    assertEquals(listed.map(({ name, installed }) => [name, installed]), [["demo", false]]);
  });

  await t.step("the audit log tells of it, with filters", async () => {
    const log = await ask("GET", "/audit?door=http&tool=discard&decision=accepted");
    assertEquals(
      rows(log, "entries").map(({ door, decision, way }) => [door, decision, way]),
      [["http", "accepted", "token"]],
    );
    const verified = await ask("GET", "/audit/verify");
    assertEquals([verified["status_code"], verified["in_order"]], [200, true]);
  });
});

Deno.test("a request that cannot be a call is refused with what is wrong", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await using server = await ServerOf.start(world);
  const ask = api(server);
  const install = "/ecosystems/demo/actions/install";
  const refused = async (
    wanted: readonly [number, string, RegExp],
    ...request: Parameters<typeof ask>
  ) => {
    const answer = await ask(...request);
    const where = JSON.stringify(request);
    assertEquals([answer["status_code"], answer["error"]], wanted.slice(0, 2), where);
    const said = `${answer["message"]} ${answer["hint"]}`;
    assert(wanted[2].test(said), `${where}: ${said}`);
    assertEquals([typeof answer["category"], typeof answer["details"]], ["string", "object"]);
  };
  const bad = "invalid_arguments";

  await refused([400, bad, /no valid JSON/], "POST", install, "{");
  await refused([400, bad, /no JSON object/], "POST", install, "[]");
  await refused([400, bad, /application\/json/], "POST", install, "mode=execute", {
    "content-type": "application/x-www-form-urlencoded",
  });
  await refused([400, bad, /query/], "POST", `${install}?mode=execute`);
  await refused([400, bad, /did you mean "mode"/], "POST", install, { mod: "plan" });
  await refused([400, bad, /stands in the path/], "POST", install, { ecosystem: "other" });
  await refused([400, bad, /__proto__/], "POST", install, '{"__proto__": {"mode": "execute"}}');
  await refused([400, bad, /mode/], "POST", install, { mode: "root" });
  await refused([400, bad, /limit/], "GET", "/runs?limit=many");
  await refused([400, bad, /limit/], "GET", "/runs?limit=5000");
  await refused([400, bad, /twice/], "GET", "/runs?limit=1&limit=2");
  await refused([400, bad, /constructor/], "GET", "/runs?constructor=1");
  await refused([400, bad, /action/], "POST", "/runs/4e8c1d72/control", { action: "restart" });
  await refused([404, "run_not_found", /runs list/], "GET", "/runs/00000000");
  await refused([404, "approval_not_found", /approvals/], "GET", "/approvals/00000000");
  await refused([404, "ecosystem_not_found", /Available: demo/], "GET", "/ecosystems/none");
  await refused([404, "route_not_found", /GET and DELETE/], "PUT", "/ecosystems/demo");
  await refused([404, "route_not_found", /no route/], "GET", "/nothing");
  // What leads elsewhere is a name like any other, and none that there is.
  const before = await world.fingerprint();
  for (const name of ["..%2f..%2fetc", "%2e%2e", "..%5c..", "demo%00", "%2Fetc%2Fpasswd"]) {
    const away = await ask("DELETE", `/ecosystems/${name}?mode=execute&confirm_name=${name}`);
    assert([400, 404].includes(Number(away["status_code"])), name);
  }
  const gone = await ask("DELETE", "/ecosystems/../../etc?mode=execute");
  assertEquals(gone["error"], "route_not_found");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("a request that waits for a person is listed with its preview", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await using server = await ServerOf.start(world, 0, {
    AMOF_CONFIRM: "human",
    AMOF_MAX_MODE: "execute",
  });
  const ask = api(server);
  const asked = await ask("POST", "/ecosystems/demo/actions/discard", { mode: "execute" });
  const id = String(pick(asked, "confirmation", "approval", "id"));
  const token = pick(asked, "confirmation", "token");
  assertEquals(rows(await ask("GET", "/approvals"), "approvals").map((each) => each["id"]), [id]);
  const [one] = rows(await ask("GET", `/approvals/${id.slice(0, 4)}`), "approvals");
  assertEquals([one?.["status"], one?.["tool"]], ["pending", "amof_discard_ecosystem"]);
  assertEquals(one?.["preview"], pick(asked, "confirmation", "preview"));
  const shown = await world.amof(["approvals", id]);
  assertStringIncludes(shown.stdout, '"workspace"');
  // Whoever holds the token of the server cannot approve for themselves.
  const spent = await ask("POST", "/confirmations", {
    token,
    mode: "execute",
    typed_value: "demo",
  });
  assertEquals([spent["status_code"], spent["error"]], [403, "approval_pending"]);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    assertEquals((await ask(method, `/approvals/${id}`, {}))["error"], "route_not_found", method);
  }
});
