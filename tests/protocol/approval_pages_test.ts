// Deciding about requests in the pages of the server, as a browser sends it: who may, what is shown, what comes of it.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ahead } from "../support/ahead.ts";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { ServerOf } from "../support/server.ts";
import { Visitor } from "../support/sign_in.ts";
import { Typist } from "../support/terminal.ts";
import { alter, query, requestIn, runCount } from "./_support.ts";

/** Terminals are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

const DEMO = { ecosystem: "demo", mode: "execute" };

Deno.test({
  name: "a person decides about requests in the pages, and nobody else does",
  ignore: !POSIX, // terminals
  async fn(t) {
    await using world = await ahead();
    await using server = await ServerOf.start(world);
    await using client = new McpClient(world, ["--confirm", "human"]);
    await client.initialize();
    const visitor = await Visitor.signIn(world, server);
    const asks = async (tool: string) => {
      const answer = await client.call(tool, DEMO);
      const { token, approval } = requestIn(answer);
      return { text: answer.text, token, id: String(pick(approval, "id")), approval };
    };
    const poll = (token: string) => client.call("amof_confirm", { token, mode: "execute" });
    const last = (most: number) =>
      query(
        world,
        "SELECT door, client, decision, way, outcome FROM audit ORDER BY id DESC LIMIT ?",
        most,
      ).map((row) => Object.values(row).join(" "));
    const runs = runCount(world);
    const push = await asks("amof_push_ecosystem");

    await t.step("the answer names the page beside the command", async () => {
      const address = `http://localhost:${server.port}/approvals/${push.id}`;
      assertEquals(pick(push.approval, "page"), address);
      assertEquals(pick(push.approval, "command"), `amof approve ${push.id}`);
      assertStringIncludes(push.text, address);
      const waits = await poll(push.token);
      assertStringIncludes(String(waits.data["hint"]), address);
    });

    await t.step("the token of the server reads the page and decides nothing", async () => {
      const read = await server.ask(`/approvals/${push.id}`);
      assertEquals(read.status, 200);
      for (const verb of ["approve", "deny"]) {
        const answer = await server.ask(`/approvals/${push.id}/${verb}`, { method: "POST" });
        assertEquals([answer.status, JSON.parse(answer.body)["error"]], [403, "person_required"]);
        const nobody = await server.ask(`/approvals/${push.id}/${verb}`, {
          method: "POST",
          token: null,
        });
        assertEquals(nobody.status, 401);
        const foreign = await visitor.sends(`/approvals/${push.id}/${verb}`, {
          csrf: "0".repeat(64),
        });
        assertEquals([foreign.status, JSON.parse(foreign.body)["error"]], [403, "csrf_refused"]);
      }
      assertEquals((await poll(push.token)).data["error"], "approval_pending");
    });

    await t.step("the page shows all that amof approve shows, as text", async () => {
      const { status, body } = await visitor.opens(`/approvals/${push.id}`);
      assertEquals(status, 200);
      for (
        const part of [
          "Push demo?",
          "Would push 1 repo.",
          "test/1.0.0",
          "amof_push_ecosystem",
          world.control,
          "feature/T-1",
          "a revert leaves them in the history",
          "Approve push",
          "Deny",
        ]
      ) assertStringIncludes(body, part);
      const [row] = query(world, "SELECT fingerprint FROM confirmations");
      assertStringIncludes(body, String(row?.["fingerprint"]));
      assertStringIncludes((await visitor.opens("/approvals")).body, `/approvals/${push.id}`);
    });

    await t.step("approving lets it happen once, and says so afterwards", async () => {
      const answer = await visitor.sends(`/approvals/${push.id}/approve`);
      assertEquals([answer.status, answer.headers.get("location")], [
        303,
        `/approvals/${push.id}`,
      ]);
      const [entry = ""] = last(1);
      assert(/^http \S+@page accepted human approved$/.test(entry), entry);
      assertStringIncludes((await visitor.opens(`/approvals/${push.id}`)).body, "approved");
      const again = await visitor.sends(`/approvals/${push.id}/approve`);
      assertEquals(again.status, 409);
      assert(/it was approved by \S+@page/.test(again.body), again.body);
      const listed = (await world.amof(["approvals", "--all", "--json"])).json();
      assert(/@page$/.test(String(pick(listed, "approvals", 0, "decided_by"))));
      const started = await poll(push.token);
      assert(!started.isError, started.text);
      assertEquals((await client.finished(String(started.data["run_id"])))["status"], "success");
      assertEquals(runCount(world), runs + 1);
    });

    await t.step("a name is typed: none is no try, three wrong ones refuse", async () => {
      const { id } = await asks("amof_discard_ecosystem");
      assertStringIncludes(
        (await visitor.opens(`/approvals/${id}`)).body,
        "Type the ecosystem name",
      );
      const says = async (typed: string) =>
        (await visitor.sends(`/approvals/${id}/approve`, { typed })).body;
      assertStringIncludes(await says(" "), "no name was typed");
      assertStringIncludes(await says("Demo"), "tries left: 2");
      assertStringIncludes(await says("demo2"), "tries left: 1");
      await says("d");
      assertStringIncludes(await says("demo"), "declined");
      assert(await world.exists(world.clone("api")));
    });

    await t.step("denying settles a request, and its caller is told", async () => {
      const { id, token } = await asks("amof_discard_ecosystem");
      assertEquals((await visitor.sends(`/approvals/${id}/deny`)).status, 303);
      assertEquals((await poll(token)).data["error"], "confirmation_declined");
      assertStringIncludes((await visitor.opens(`/approvals/${id}`)).body, "declined");
    });

    await t.step("what is stale, expired or unknown is told", async () => {
      const { id } = await asks("amof_discard_ecosystem");
      await world.commitOnFeature("api", "feature/T-2", "more.txt");
      const stale = await visitor.sends(`/approvals/${id}/approve`, { typed: "demo" });
      assertEquals(stale.status, 403);
      assertStringIncludes(stale.body, "Things changed since this was asked for");
      alter(world, "UPDATE confirmations SET expires_at = 1 WHERE settled_at IS NULL");
      const expired = await visitor.sends(`/approvals/${id}/approve`, { typed: "demo" });
      assertStringIncludes(expired.body, "it has expired");
      const unknown = await visitor.opens("/approvals/%3Cscript%3E");
      assertEquals(unknown.status, 404);
      assert(!unknown.body.includes("<script>"));
      const pending = (await world.amof(["approvals", "--json"])).json();
      assertEquals(rows(pending, "approvals"), []);
    });
  },
});

Deno.test({
  name: "with approve_with: passkey neither a terminal nor a page without a key approves",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    assertEquals((await world.amof(["config", "set", "approve_with", "passkey"])).code, 0);
    await using server = await ServerOf.start(world);
    await using client = new McpClient(world, ["--confirm", "human"]);
    await client.initialize();
    const { approval, token } = requestIn(await client.call("amof_push_ecosystem", DEMO));
    const id = String(pick(approval, "id"));
    const typist = await Typist.start(world, ["approve", id]);
    const { code, screen } = await typist.ends();
    assertEquals(code, 4);
    assertStringIncludes(screen, "without a passkey");
    assertStringIncludes(screen, "amof server open");
    const visitor = await Visitor.signIn(world, server);
    const { body } = await visitor.opens(`/approvals/${id}`);
    assertStringIncludes(body, "there is none yet");
    assert(!body.includes("Approve push"));
    assertEquals((await visitor.sends(`/approvals/${id}/approve`)).status, 403);
    const waits = await client.call("amof_confirm", { token, mode: "execute" });
    assertEquals(waits.data["error"], "approval_pending");
    assertEquals((await world.amof(["deny", id])).code, 0, "a no is always safe");
  },
});

Deno.test({
  name: "a client that opens pages is sent to the page, and told when it was decided",
  ignore: !POSIX, // terminals
  async fn(t) {
    await using world = await ahead();
    await using server = await ServerOf.start(world);
    const visitor = await Visitor.signIn(world, server);
    await using client = new McpClient(world, ["--confirm", "human"]);
    await client.initialize({ capabilities: { elicitation: { url: {} } } });

    await t.step("opening it decides nothing", async () => {
      const call = client.call("amof_push_ecosystem", DEMO);
      const question = await client.asked("elicitation/create");
      const [mode, message, url, elicitationId] = ["mode", "message", "url", "elicitationId"]
        .map((member) => pick(question, "params", member));
      assertEquals(mode, "url");
      assertEquals(message, "Would push 1 repo. Decide in the browser?");
      await client.respond(question, { action: "accept" });
      const answer = await call;
      assertEquals(answer.data["error"], "confirmation_required");
      const { token, approval } = requestIn(answer);
      assertEquals(pick(approval, "page"), url);
      const id = String(pick(approval, "id"));
      const poll = () => client.call("amof_confirm", { token, mode: "execute" });
      assertEquals((await poll()).data["error"], "approval_pending");
      const isDone = (message: Record<string, unknown>) =>
        message["method"] === "notifications/elicitation/complete";
      assert(!client.lines.some((line) => isDone(JSON.parse(line))));
      assertEquals((await visitor.sends(`/approvals/${id}/approve`)).status, 303);
      const done = await client.wait(isDone);
      assertEquals(pick(done, "params", "elicitationId"), elicitationId);
      const started = await poll();
      assert(!started.isError);
      assertEquals((await client.finished(String(started.data["run_id"])))["status"], "success");
    });

    await t.step("whoever does not open it, or cannot, has the answer in words", async () => {
      for (const action of ["decline", "cancel", "error"]) {
        const call = client.call("amof_discard_ecosystem", DEMO);
        const question = await client.asked("elicitation/create");
        if (action === "error") await client.refuse(question, -32602, "no");
        else await client.respond(question, { action });
        const answer = await call;
        assertEquals(answer.data["error"], "confirmation_required", action);
        assertStringIncludes(answer.text, "Or in a browser: http://localhost:");
      }
    });

    await t.step("without a server there is no page to open", async () => {
      assertEquals((await world.amof(["server", "stop"])).code, 0);
      const answer = await client.call("amof_discard_ecosystem", DEMO);
      assertEquals(pick(requestIn(answer), "approval", "page"), undefined);
      assert(!answer.text.includes("browser"));
    });
  },
});
