/**
 * What people do every day, as a model does it: looking across repositories, committing, editing the manifest and
 * locking, each answer against the schemas that are published for it.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Ajv } from "ajv";
import { pick, rows, until } from "../support/answers.ts";
import { answerChecker } from "../support/answer_schema.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { requestIn, runCount } from "./_support.ts";

const TOOLS = [
  "amof_get_commits",
  "amof_search_files",
  "amof_get_diff",
  "amof_list_branches",
  "amof_commit_ecosystem",
  "amof_add_repo",
  "amof_rename_repo",
  "amof_remove_repo",
  "amof_lock_ecosystem",
  "amof_ticket_conflicts",
];

type Call = (tool: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;

/** A server with these tools besides; each answer must be as both schemas say that are published. */
async function serving(
  world: World,
  work: (call: Call, client: McpClient) => Promise<void>,
): Promise<void> {
  await using client = new McpClient(world, ["--toolsets", "default", "--tools", TOOLS.join()]);
  await client.initialize();
  const problemOf = await answerChecker();
  const ajv = new Ajv({ strict: false });
  const listed = rows(await client.request("tools/list"), "result", "tools");
  const checks = new Map(
    listed.map((tool) =>
      [String(tool["name"]), ajv.compile(pick(tool, "outputSchema") as object)] as const
    ),
  );
  await work(async (tool, args = {}) => {
    const where = tool === "amof_confirm" ? {} : { ecosystem: "demo" };
    const answer = await client.call(tool, { ...where, ...args });
    const told = `${tool} ${JSON.stringify(args)}: ${answer.text}`;
    assert(checks.get(tool)?.(answer.data), told);
    assertEquals(problemOf(answer.data), null, told);
    return answer;
  }, client);
}

/** Two repositories with a tag, of which one is on a feature branch and changed. */
function busy(): Promise<World> {
  return World.like("a day of a model", async (world) => {
    await world.makeControl();
    await world.addEcosystem("demo", { repos: ["api", "web"], extra: "    tags: [site]\n" });
    await world.addRemote("billing");
    await world.install();
    await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/T-1");
    await Deno.writeTextFile(join(world.clone("api"), "README.md"), "a line to find\n");
  });
}

const names = (answer: ToolAnswer, list: string) =>
  rows(answer.data, list).map(({ repo, name }) => repo ?? name);

Deno.test("MCP looks across the repositories that a call selects", async () => {
  await using world = await busy();
  await serving(world, async (call) => {
    assertEquals(names(await call("amof_get_commits"), "commits"), ["api", "web"]);
    assertEquals(names(await call("amof_get_commits", { tags: ["site"] }), "commits"), ["web"]);
    const newest = await call("amof_get_commits", { limit: 1 });
    assertEquals([newest.data["more"], rows(newest.data, "commits").length], [true, 1]);
    assertStringIncludes(newest.text, "show them with limit=2");

    const found = await call("amof_search_files", { pattern: "to find", repos: ["!web"] });
    assertEquals(rows(found.data, "hits"), [
      { repo: "api", file: "repos/api/README.md", line: 1, text: "a line to find" },
    ]);
    assertEquals(found.data["repos_searched"], 1);
    const wrong = await call("amof_search_files", { pattern: "(", extended: true });
    assertEquals([wrong.isError, wrong.data["error"]], [true, "invalid_arguments"]);
    assertStringIncludes(String(wrong.data["hint"]), "fixed=true");

    const differing = await call("amof_get_diff", { only: ["dirty"], stat: true });
    assertEquals(rows(differing.data, "files"), [
      { repo: "api", path: "README.md", change: "modified", added: 1, deleted: 1 },
    ]);
    const branches = await call("amof_list_branches", { only: ["on:feature/*"] });
    assertEquals(names(branches, "branches"), ["feature/T-1", "main"]);

    const ticket = (branch: string) => ({
      created_at: "2026-01-02T03:04:05Z",
      ecosystem: "demo",
      repos: { api: branch },
    });
    await world.patchState({ tickets: { "T-1": ticket("feature/T-1"), "T-2": ticket("gone") } });
    const radar = await call("amof_ticket_conflicts");
    assertEquals(rows(radar.data, "pairs").map(({ a, b, state }) => [a, b, state]), [
      ["T-1", "T-2", "unknown"],
      ["T-2", null, "unknown"],
    ]);
    const nobody = await call("amof_ticket_conflicts", { tickets: ["T-3"] });
    assertEquals([nobody.isError, nobody.data["error"]], [true, "ticket_not_found"]);

    // A server stands nowhere; and what fits no repository is refused by every one of them.
    for (const tool of TOOLS.slice(0, 5)) {
      const args = tool === "amof_search_files" ? { pattern: "x" } : {};
      const more = tool === "amof_commit_ecosystem" ? { message: "x", mode: "plan" } : args;
      for (const repos of [["."], ["nowhere"]]) {
        const refused = await call(tool, { ...more, repos });
        assert(refused.isError, `${tool} ${repos}`);
        assertMatch(String(refused.data["error"]), /^(?:invalid_arguments|repo_not_found)$/);
      }
    }
  });
});

Deno.test("MCP commits, edits the manifest and locks: nothing in ask and plan, with consent in execute", async () => {
  await using world = await busy();
  const manifest = join(world.control, "ecosystems/demo/ecosystem.yaml");
  const untouched = async () => [
    await Deno.readTextFile(manifest),
    await world.git(world.clone("api"), "status", "--porcelain", "--branch"),
    await world.exists(join(world.control, "ecosystems/demo/lock.json")),
    runCount(world),
  ];
  const before = await untouched();
  const url = world.url("billing");
  const commit = { message: "T-1 Find it" };
  await serving(world, async (call, client) => {
    const calls = [
      ["amof_commit_ecosystem", commit],
      ["amof_add_repo", { name: "billing", url }],
      ["amof_rename_repo", { name: "web", to: "site" }],
      ["amof_remove_repo", { name: "web" }],
      ["amof_lock_ecosystem", {}],
    ] as const;
    for (const [tool, args] of calls) {
      const asked = await call(tool, { ...args, mode: "ask" });
      assertEquals([asked.isError, asked.data["error"]], [true, "mode_insufficient"], tool);
      const planned = await call(tool, { ...args, mode: "plan" });
      // What could not be done is refused in plan, too.
      if (tool === "amof_lock_ecosystem") assertEquals(planned.data["error"], "repo_dirty");
      else assertEquals(planned.data["would_execute"], false, planned.text);
    }
    assertEquals(await untouched(), before);

    const execute = { mode: "execute" };
    // A run that goes on behind the answer has its result in its record.
    const ended = async (answer: ToolAnswer): Promise<ToolAnswer> => {
      if (answer.data["status"] !== "queued") return answer;
      const run_id = answer.data["run_id"];
      return await until("the run ends", async () => {
        const now = await client.call("amof_get_run_status", { run_id });
        return now.data["terminal"] === true ? { ...now, data: pick(now.data, "result") } : null;
      }) as ToolAnswer;
    };
    const agree = async (tool: string, args: Record<string, unknown>) => {
      const { token } = requestIn(await call(tool, { ...args, ...execute }));
      return await ended(await call("amof_confirm", { token, ...execute }));
    };
    const committed = await agree("amof_commit_ecosystem", commit);
    assertEquals(committed.isError, false, committed.text);
    assertEquals(await world.git(world.clone("api"), "log", "-1", "--format=%s"), commit.message);

    const added = await ended(await call("amof_add_repo", { name: "billing", url, ...execute }));
    assertEquals([added.isError, added.data["branch"]], [false, "main"], added.text);
    assertStringIncludes(String(added.data["diff"]), "+  - name: billing");
    const renamed = await agree("amof_rename_repo", { name: "billing", to: "invoices" });
    assertEquals(renamed.isError, false, renamed.text);
    const removed = await agree("amof_remove_repo", { name: "invoices" });
    assertEquals(removed.isError, false, removed.text);
    assertEquals(await Deno.readTextFile(manifest), before[0]);

    // What only this machine has is locked only where that is said.
    const refused = await call("amof_lock_ecosystem", execute);
    assertEquals(refused.data["error"], "would_lose_work", refused.text);
    const locked = await ended(
      await call("amof_lock_ecosystem", { allow_local: true, ...execute }),
    );
    assertEquals([locked.isError, locked.data["local"]], [false, ["api"]], locked.text);
    const check = await ended(await call("amof_lock_ecosystem", { check: true, ...execute }));
    assertEquals(check.data["drift"], [], check.text);
  });
});
