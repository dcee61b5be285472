/**
 * Remotes that are slow, dead or come back, as a model meets them that has only the answers.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { requestIn } from "./_support.ts";

/** Wrapped programs are POSIX matters. */
const ignore = Deno.build.os === "windows";

type Fields = Record<string, unknown>;

/** Calls a tool in mode execute and spends the token it asks for; answers the run as it ended. */
async function carriedOut(
  client: McpClient,
  tool: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const asked = await client.call(tool, { ecosystem: "demo", mode: "execute", ...args });
  const started = asked.data["error"] === "confirmation_required"
    ? await client.call("amof_confirm", { token: requestIn(asked).token, mode: "execute" })
    : asked;
  assert(!started.isError, started.text);
  return await client.finished(String(started.data["run_id"]));
}

/** The tools that an answer offers, with their arguments. */
function offered(answer: Pick<ToolAnswer, "data">): unknown[] {
  return rows(answer.data, "suggested_actions").map(({ tool, args }) => [tool, args]);
}

Deno.test({
  name: "timeout limits the transfers of a run over MCP, also where a token starts it",
  ignore,
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    // A clone that goes on showing progress for ten minutes.
    const env = await world.wrapGit(
      `case " $* " in *" clone "*) i=0; while [ $i -lt 3000 ]; do i=$((i+1)); printf 'Receiving objects: %d\\r' $i >&2; sleep 0.2; done ;; esac`,
    );
    await using client = new McpClient(world, [], env);
    await client.initialize();
    const run = await carriedOut(client, "amof_install_ecosystem", { timeout: 1 });
    assertEquals([run["status"], run["exit_code"]], ["failed", 124]);
    const shown = await client.call("amof_get_run_status", { run_id: run["run_id"] });
    assertEquals(pick(shown.data, "run_error", "error") ?? pick(shown.data, "error"), "timeout");
    assertStringIncludes(shown.text, "timeout=10");
  },
});

Deno.test("timeout is accepted where transfers happen and nowhere else, and never listed", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await using client = new McpClient(world, ["--toolsets", "all"]);
  await client.initialize();
  for (
    const tool of [
      "amof_install_ecosystem",
      "amof_sync_ecosystem",
      "amof_push_ecosystem",
      "amof_get_ecosystem_status",
      "amof_ticket_start",
      "amof_ticket_end",
      "amof_archive_ecosystem",
      "amof_release_bump",
      "amof_release_promote",
      "amof_release_push",
      "amof_release_train_bump",
      "amof_confirm",
    ]
  ) {
    for (const timeout of [0, -1, 1.5, 1_000_000, "soon", true]) {
      const refused = await client.call(tool, { timeout });
      assertEquals(refused.data["error"], "invalid_arguments", `${tool} ${timeout}`);
      const issues = rows(refused.data, "details", "issues");
      assert(issues.some(({ path }) => path === "timeout"), `${tool}: ${JSON.stringify(issues)}`);
    }
  }
  for (const tool of ["amof_ticket_list", "amof_discard_ecosystem", "amof_ticket_switch"]) {
    const refused = await client.call(tool, { ecosystem: "demo", timeout: 60 });
    assertMatch(refused.text, /timeout is not one of its arguments/, tool);
  }
  const status = await client.call("amof_get_ecosystem_status", { ecosystem: "demo", timeout: 60 });
  assertEquals(status.data["error"], "workspace_not_installed");
  const listed = rows(await client.request("tools/list"), "result", "tools")
    .filter((tool) => pick(tool, "inputSchema", "properties", "timeout") !== undefined)
    .map(({ name }) => name);
  // An environment has a limit of its own, which is not that of a transfer.
  assertEquals(listed, ["amof_spin_deploy", "amof_spin_destroy"]);
});

Deno.test("install with keep_going over MCP keeps what works, says what is missing, and sync completes it", async () => {
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  const [remote, away] = [join(world.remotes, "web.git"), join(world.remotes, "away.git")];
  await Deno.rename(remote, away);
  await using client = new McpClient(world);
  await client.initialize();
  const refused = await carriedOut(client, "amof_install_ecosystem", {});
  assertEquals([refused["status"], refused["exit_code"]], ["failed", 1]);
  assert(!await world.exists("control/worktrees/demo"));
  const told = await client.call("amof_get_run_status", { run_id: refused["run_id"] });
  assertStringIncludes(told.text, 'amof_install_ecosystem(keep_going=true, ecosystem="demo")');

  assertEquals((await client.call("amof_set_mode", { mode: "execute" })).isError, false);
  const run = await carriedOut(client, "amof_install_ecosystem", { keep_going: true });
  assertEquals([run["status"], run["exit_code"]], ["failed", 5]);
  assertEquals(pick(run, "run_error", "error"), "partial_failure");
  assertEquals(
    rows(run, "result", "repos").map(({ name, result, code }) => [name, result, code]),
    [["api", "cloned", undefined], ["web", "failed", "git_failed"]],
  );
  const { run_id } = run;
  for (const tool of ["amof_get_run_status", "amof_summarize_run"]) {
    const answer = await client.call(tool, { run_id });
    assertMatch(answer.text, / was partly done\./);
    assertEquals(answer.isError, false, "the question was answered, however the run ended");
    assertEquals(offered(answer)[0], ["amof_sync_ecosystem", { ecosystem: "demo" }]);
  }
  const shown = await client.call("amof_get_run_status", { run_id });
  assertStringIncludes(shown.text, 'clone the rest: amof_sync_ecosystem(ecosystem="demo")');
  assertMatch(shown.text, /Installed 1 of 2 repos/);
  assertMatch(shown.text, /\n✗ web: .*not appear to be a git repository/);
  const missing = await client.call("amof_get_ecosystem_status", { ecosystem: "demo" });
  assertEquals(rows(missing.data, "repos").map(({ status }) => status), ["OK", "MISSING"]);
  assert(offered(missing).some((action) => pick(action, 0) === "amof_sync_ecosystem"));

  // While the remote is away, sync says the same of it and offers to repeat for it alone.
  const still = await carriedOut(client, "amof_sync_ecosystem", {});
  assertEquals([still["exit_code"], pick(still, "result", "result")], [5, "partial"]);
  const [again] = offered({ data: still });
  assertEquals(again, [
    "amof_sync_ecosystem",
    { ecosystem: "demo", only: [`failed=${String(still["run_id"])}`] },
  ]);
  await Deno.rename(away, remote);
  const synced = await carriedOut(client, "amof_sync_ecosystem", pick(again, 1) as Fields);
  assertEquals([synced["status"], synced["exit_code"]], ["success", 0]);
  assertEquals(rows(synced, "result", "repos").map(({ name, result }) => [name, result]), [
    ["web", "cloned"],
  ]);
  const all = await client.call("amof_get_ecosystem_status", { ecosystem: "demo" });
  assertEquals(rows(all.data, "repos").map(({ status }) => status), ["OK", "OK"]);
});
