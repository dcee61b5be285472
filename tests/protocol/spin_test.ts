/**
 * Environments over MCP: an agent may run what a person has approved, and can approve nothing (SPIN-4).
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { approve, worldWithProvisioner, writeScript } from "../support/provisioner.ts";
import { McpClient } from "../support/mcp_client.ts";
import { lastAudit, requestIn } from "./_support.ts";

const DEMO = { ecosystem: "demo", mode: "execute" };

Deno.test({
  name: "MCP spin tools run what a person approved, and nothing else",
  ignore: Deno.build.os === "windows", // shell scripts
  async fn() {
    await using world = await worldWithProvisioner(
      'echo "the key is $KEY"; touch "$AMOF_ROOT/$1ed"',
      "provisioner_env: [KEY]\n",
    );
    await using client = new McpClient(world, ["--toolsets", "default,spin"], {
      KEY: "very-secret-value",
    });
    await client.initialize();

    // Ask and plan tell what would run, and that it may not yet.
    const asked = await client.call("amof_spin_deploy", { ecosystem: "demo" });
    assertEquals(asked.data["error"], "mode_insufficient");
    const planned = await client.call("amof_spin_deploy", { ...DEMO, mode: "plan" });
    assertEquals(planned.isError, false);
    assertEquals(pick(planned.data, "preview", "approved"), false);
    assertStringIncludes(planned.text, "not approved");

    // Without an approval there is no token that could be spent.
    const refused = await client.call("amof_spin_deploy", DEMO);
    assertEquals([refused.isError, refused.data["error"]], [true, "provisioner_untrusted"]);
    assertEquals(refused.data["confirmation"], undefined);
    assertMatch(String(refused.data["hint"]), /in a terminal: amof -e demo spin trust/);
    assertEquals(pick(lastAudit(world), "decision"), "refused_trust");
    const tools = await client.request("tools/list");
    const names = rows(tools, "result", "tools").map((tool) => tool["name"]);
    assert(names.includes("amof_spin_deploy") && !names.includes("amof_spin_trust"));
    const trust = await client.request("tools/call", {
      name: "amof_spin_trust",
      arguments: { ...DEMO, confirm: true },
    });
    assert(trust["error"] !== undefined || pick(trust, "result", "isError") === true);
    // Not even with a token that the command line handed out.
    const seen = await world.amof(["spin", "trust", "--dry-run", "--json"]);
    const hash = String(pick(seen.json(), "preview", "hash"));
    const made = await world.amof(["spin", "trust", "--hash", hash, "--json"]);
    const token = pick(made.json(), "confirmation", "token");
    assertEquals(typeof token, "string", made.stdout);
    const foreign = await client.call("amof_confirm", { token, mode: "execute" });
    assertEquals(foreign.data["error"], "confirmation_invalid");
    assertEquals(
      (await client.call("amof_spin_deploy", DEMO)).data["error"],
      "provisioner_untrusted",
    );

    await approve(world);
    const request = requestIn(await client.call("amof_spin_deploy", DEMO));
    assertEquals(request["type"], "preview");
    // What was previewed is no longer what would run.
    await writeScript(world, 'touch "$AMOF_ROOT/swapped"');
    const swapped = await client.call("amof_confirm", { token: request.token, mode: "execute" });
    assertEquals(swapped.isError, true);
    await writeScript(world, 'echo "the key is $KEY"; touch "$AMOF_ROOT/$1ed"');
    assertEquals(await world.exists("control/swapped"), false);

    const again = requestIn(await client.call("amof_spin_deploy", DEMO));
    const started = await client.call("amof_confirm", { token: again.token, mode: "execute" });
    assertEquals(started.isError, false, started.text);
    const run = await client.finished(String(started.data["run_id"]));
    assertEquals(run["status"], "success");
    assert(await world.exists("control/deployed"));
    const logs = await client.call("amof_get_run_logs", { run_id: run["run_id"] });
    assertStringIncludes(logs.text, "the key is ***");
    const status = await client.call("amof_spin_status", { ecosystem: "demo" });
    assertEquals(pick(status.data, "environment", "state"), "deployed");

    const destroy = requestIn(await client.call("amof_spin_destroy", DEMO));
    assertEquals(destroy["type"], "type");
    const untyped = await client.call("amof_confirm", { token: destroy.token, mode: "execute" });
    assertEquals(untyped.data["error"], "type_to_confirm_failed");
    const typed = await client.call("amof_confirm", {
      token: destroy.token,
      typed_value: "demo",
      mode: "execute",
    });
    assertEquals(typed.isError, false, typed.text);
    assertEquals(
      rows(typed.data, "suggested_actions").map((action) => action["id"]),
      ["get_run_status", "get_run_logs"],
    );
    await client.finished(String(typed.data["run_id"]));
    assert(await world.exists("control/destroyed"));
    assertEquals(client.lines.join("\n").includes("very-secret-value"), false);
    assertEquals(
      (await world.contents(world.env["AMOF_HOME"] ?? "")).includes("very-secret"),
      false,
    );
  },
});

Deno.test({
  name: "MCP spin tools ask a client's person, who types the name to destroy",
  ignore: Deno.build.os === "windows", // shell scripts
  async fn() {
    await using world = await worldWithProvisioner('touch "$AMOF_ROOT/$1ed"');
    await approve(world);
    await using client = new McpClient(world);
    await client.initialize({ capabilities: { elicitation: {} } });
    const deploying = client.call("amof_spin_deploy", DEMO);
    const form = await client.asked("elicitation/create");
    assertMatch(String(pick(form, "params", "message")), /^⚠️ Deploy demo\?/);
    assertStringIncludes(String(pick(form, "params", "message")), "provisioners/here/spin.sh");
    const field = Object.keys(pick(form, "params", "requestedSchema", "properties") as object)[0];
    await client.respond(form, { action: "accept", content: { [field ?? ""]: true } });
    const deployed = await deploying;
    assertEquals(deployed.isError, false, deployed.text);
    await client.finished(String(deployed.data["run_id"]));

    const destroying = client.call("amof_spin_destroy", DEMO);
    const typing = await client.asked("elicitation/create");
    const name = Object.keys(pick(typing, "params", "requestedSchema", "properties") as object)[0];
    assertEquals(
      pick(typing, "params", "requestedSchema", "properties", name ?? "", "type"),
      "string",
    );
    await client.respond(typing, { action: "accept", content: { [name ?? ""]: "other" } });
    assertEquals((await destroying).data["error"], "type_to_confirm_failed");
    assertEquals(await world.exists("control/destroyed"), false);
  },
});
