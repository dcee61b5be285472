/**
 * Programs in repositories over MCP: only what a person has approved, and only in execute (EXEC-7).
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { approveExec } from "../support/exec.ts";
import { McpClient } from "../support/mcp_client.ts";
import { Typist } from "../support/terminal.ts";
import { World } from "../support/world.ts";
import { lastAudit, requestIn, runCount } from "./_support.ts";

const DEMO = { ecosystem: "demo", mode: "execute" };
const TASK = { ...DEMO, task: "test" };
const SERVER = ["--toolsets", "default,exec,run"];
const ignore = Deno.build.os === "windows"; // shell lines

function world(): Promise<World> {
  return World.installed({
    repos: ["api", "web"],
    extra: [
      "tasks:",
      "  test: {shell: 'touch ran; echo \"$AMOF_REPO: $KEY,$OTHER\"', repos: [api], env: [KEY]}",
    ].join("\n"),
  });
}

async function rewrite(place: World, from: string, to: string): Promise<void> {
  const path = join(place.control, "ecosystems", "demo", "ecosystem.yaml");
  await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace(from, to));
}

Deno.test({
  name: "MCP runs in repositories what a person approved, and nothing else",
  ignore,
  async fn() {
    await using place = await world();
    const ran = (repo: string) => place.exists(join(place.clone(repo), "ran"));
    const runs = runCount(place);
    await using client = new McpClient(place, SERVER, { KEY: "the-key", OTHER: "not-this" });
    await client.initialize();
    const listed = await client.request("tools/list");
    const names = rows(listed, "result", "tools").map((tool) => tool["name"]);
    assert(names.includes("amof_exec") && names.includes("amof_list_tasks"));
    for (const absent of ["amof_exec_trust", "amof_run_task"]) assert(!names.includes(absent));

    // A free program is refused with the words by which a person approves it, and so is a task.
    const free = await client.call("amof_exec", {
      ...DEMO,
      command: ["touch", "ran"],
      repos: ["api"],
    });
    assertEquals([free.isError, free.data["error"]], [true, "task_untrusted"]);
    assertEquals(free.data["summary"], 'Ran nothing: "touch ran" was begun in no repository.');
    assertEquals(free.data["confirmation"], undefined);
    assertMatch(
      String(free.data["hint"]),
      /in a terminal: amof -e demo exec trust --repo api -- touch ran$/,
    );
    assertEquals(pick(lastAudit(place), "decision"), "refused_trust");
    assertEquals((await client.call("amof_exec", TASK)).data["error"], "task_untrusted");
    const planned = await client.call("amof_exec", { ...TASK, mode: "plan" });
    assertEquals(planned.isError, false);
    assertStringIncludes(planned.text, "not approved");

    await approveExec(place, ["test"]);
    await approveExec(place, ["--repo", "api", "--", "touch", "ran"]);
    const asked = await client.call("amof_exec", { ...TASK, mode: "ask" });
    assertEquals(asked.data["error"], "mode_insufficient");
    assertEquals((await client.call("amof_exec", { ...TASK, mode: "plan" })).isError, false);
    assertEquals(runCount(place), runs, "nothing has run");
    // Not in another repository, with other words, with more, or repeated as something else.
    for (
      const other of [
        { ...DEMO, command: ["touch", "ran"], repos: ["web"] },
        { ...DEMO, command: ["touch", "ran"] },
        { ...DEMO, command: ["touch", "ran", "x"], repos: ["api"] },
        { ...DEMO, command: ["touch", "ran"], repos: ["api"], env: ["HOME"] },
        { ...DEMO, shell: "touch ran", repos: ["api"] },
        { ...TASK, repos: ["web"] },
        { ...TASK, command: ["touch", "ran"] },
      ]
    ) {
      const answer = await client.call("amof_exec", other);
      assert(answer.isError, JSON.stringify(other));
      assertEquals(answer.data["confirmation"], undefined, JSON.stringify(other));
    }
    assertEquals([await ran("api"), await ran("web"), runCount(place)], [false, false, runs]);

    // What was previewed is no longer what would run.
    const request = requestIn(await client.call("amof_exec", TASK));
    await rewrite(place, "touch ran;", "touch ran other;");
    const swapped = await client.call("amof_confirm", { token: request.token, mode: "execute" });
    assert(swapped.isError);
    const changed = await client.call("amof_exec", TASK);
    assertEquals([changed.data["error"], pick(changed.data, "details", "changed")], [
      "task_untrusted",
      true,
    ]);
    assertMatch(String(changed.data["message"]), /changed since it was approved/);
    await rewrite(place, "touch ran other;", "touch ran;");
    assertEquals(await ran("api"), false);

    const again = requestIn(await client.call("amof_exec", TASK));
    const started = await client.call("amof_confirm", { token: again.token, mode: "execute" });
    assertEquals(started.isError, false, started.text);
    const run = await client.finished(String(started.data["run_id"]));
    assertEquals(run["status"], "success", JSON.stringify(run));
    assertEquals([await ran("api"), await ran("web")], [true, false]);
    // It gets the variables that were approved and no other.
    assertEquals(pick(run["result"], "repos", 0, "last_line"), "api: the-key,");
    const tasks = await client.call("amof_list_tasks", { ecosystem: "demo" });
    assertEquals(pick(tasks.data, "tasks", 0, "approved"), true);
  },
});

Deno.test({
  name: "a run of approved programs can wait for a person in a terminal with another environment",
  ignore,
  async fn() {
    await using place = await world();
    await approveExec(place, ["test"]);
    await using client = new McpClient(place, [...SERVER, "--confirm", "human"], { KEY: "k" });
    await client.initialize();
    const asked = requestIn(await client.call("amof_exec", TASK));
    const typist = await Typist.start(place, ["approve", String(pick(asked["approval"], "id"))]);
    await typist.sees("? [y/N] ");
    await typist.types("y\n");
    assertEquals((await typist.ends()).code, 0);
    const started = await client.call("amof_confirm", { token: asked.token, mode: "execute" });
    assertEquals(started.isError, false, started.text);
    const run = await client.finished(String(started.data["run_id"]));
    assertEquals(run["status"], "success");
  },
});
