/**
 * Tickets that have ended, and hooks of the repositories, as a model meets them that has only the answers.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { requestIn } from "./_support.ts";

const REPOS = ["api", "web"] as const;

async function connected(world: World): Promise<McpClient> {
  const client = new McpClient(world, ["--mode", "execute", "--ecosystem", "demo"]);
  await client.initialize();
  return client;
}

/** Spends the token of a request; answers the run as it ended. */
async function confirmed(client: McpClient, asked: ToolAnswer): Promise<Record<string, unknown>> {
  const started = await client.call("amof_confirm", { token: requestIn(asked).token });
  assert(!started.isError, started.text);
  return await client.finished(String(started.data["run_id"]));
}

/** Commits a file in a clone. */
async function commit(world: World, repo: string): Promise<void> {
  const clone = world.clone(repo);
  await Deno.writeTextFile(join(clone, "work.txt"), `${repo}\n`);
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", `Work in ${repo}`);
}

function offered(answer: ToolAnswer): unknown[] {
  return rows(answer.data, "suggested_actions").map(({ tool }) => tool);
}

/** Puts a hook into a clone. */
async function hook(world: World, repo: string, name: string, lines: string): Promise<void> {
  await world.hook(join(world.clone(repo), ".git"), name, lines);
}

Deno.test("a ticket that has ended is listed with its branches until they are cleaned up", async () => {
  await using world = await World.installed({ repos: [...REPOS] });
  await using client = await connected(world);
  assert(!(await client.call("amof_ticket_start", { ticket_id: "T-1" })).isError);
  for (const repo of REPOS) await commit(world, repo);
  const end = await client.call("amof_ticket_end", { ticket_id: "T-1" });
  assert(!end.isError, end.text);

  const open = await client.call("amof_ticket_list");
  assertEquals([open.data["tickets"], open.data["ended_count"]], [[], 1]);
  assertStringIncludes(open.text, 'amof_ticket_list(ended=true, ecosystem="demo")');
  const ended = await client.call("amof_ticket_list", { ended: true });
  assertEquals(
    rows(ended.data, "tickets").map(({ ticket_id, phase, states }) => [ticket_id, phase, states]),
    [["T-1", "ended", { api: "here", web: "here" }]],
  );
  assertStringIncludes(
    ended.text,
    'amof_ticket_end(ticket_id="ID", cleanup=true, ecosystem="demo")',
  );
  // It is no ticket any more, so that nobody can switch to it.
  assertEquals(offered(ended), ["amof_get_ecosystem_status", "amof_sync_ecosystem"]);
  const again = await client.call("amof_ticket_end", { ticket_id: "T-1" });
  assertEquals(again.data["error"], "ticket_not_found");
  assertStringIncludes(
    String(again.data["hint"]),
    'amof_ticket_list(ended=true, ecosystem="demo")',
  );

  const early = await client.call("amof_ticket_end", { ticket_id: "T-1", cleanup: true });
  assertEquals([early.isError, early.data["error"]], [true, "would_lose_work"]);
  for (const repo of REPOS) {
    await world.git(world.clone(repo), "push", "--quiet", "origin", "feature/T-1:main");
  }
  const sync = await client.call("amof_sync_ecosystem");
  await client.finished(String(sync.data["run_id"]));
  const asked = await client.call("amof_ticket_end", { ticket_id: "T-1", cleanup: true });
  assertEquals(
    asked.data["message"],
    "Ending will delete 2 branches here. Set confirm=true.",
  );
  const { token } = requestIn(asked);
  const gone = await client.call("amof_confirm", { token });
  assert(!gone.isError, gone.text);
  assertEquals((await client.call("amof_ticket_list", { ended: true })).data["tickets"], []);
  for (const repo of REPOS) {
    assertEquals(await world.git(world.clone(repo), "branch", "--list", "feature/*"), "");
  }
});

Deno.test({
  name:
    "hooks that talk and read do not get into the protocol; what they refuse is told in their words",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await World.installed({ repos: [...REPOS] });
    await using client = await connected(world);
    // Were it given the server's own input and output, it would swallow calls and forge answers.
    await hook(world, "api", "post-checkout", 'echo "{}"; cat > /dev/null; echo said >&2');
    const started = await client.call("amof_ticket_start", { ticket_id: "T-1" });
    assert(!started.isError, started.text);
    for (const repo of REPOS) await commit(world, repo);

    await hook(world, "web", "pre-push", 'cat > /dev/null; echo "no pushes on Sundays"; exit 1');
    const push = await confirmed(client, await client.call("amof_push_ecosystem"));
    assertEquals([push["exit_code"], pick(push, "run_error", "error")], [5, "partial_failure"]);
    const results = rows(push, "result", "repos").map(({ name, result, detail }) => [
      name,
      result,
      detail,
    ]);
    assertEquals(results, [
      ["api", "pushed", "origin/feature/T-1 (new branch)"],
      ["web", "failed", "no pushes on Sundays"],
    ]);

    await hook(world, "api", "pre-commit", 'echo "the linter says no"; exit 1');
    await Deno.writeTextFile(join(world.clone("api"), "more.txt"), "more\n");
    const held = await confirmed(
      client,
      await client.call("amof_push_ecosystem", { commit: true, repos: ["api"] }),
    );
    assertEquals(held["exit_code"], 1);
    const told = await client.call("amof_summarize_run", { run_id: held["run_id"] });
    assertMatch(
      told.text,
      /Cannot commit the changes of "api": a hook refused it: the linter says no/,
    );
    assertEquals(await world.git(world.clone("api"), "status", "--porcelain"), "?? more.txt");
    client.assertOnlyMessages();
  },
});
