/**
 * `guardrails.no_touch_paths` in releases, trains and archives.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { releaseWorld, trainWorld } from "../support/release_world.ts";
import { type Ran, World } from "../support/world.ts";

/** Gives the ecosystem `demo` guards, in a commit that the remote has, if there is one. */
async function guard(world: World, ...globs: string[]): Promise<void> {
  const file = join(world.control, "ecosystems/demo/ecosystem.yaml");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(
    file,
    `${text.replace(/guardrails.*\n/, "")}guardrails: {no_touch_paths: ${JSON.stringify(globs)}}\n`,
  );
  await world.git(world.control, "commit", "--quiet", "--all", "-m", "Guard");
  const remotes = await world.git(world.control, "remote");
  if (remotes !== "") await world.git(world.control, "push", "--quiet");
}

/** The problem of the gate in an answer, wherever it has them. */
function problem(ran: Ran): Record<string, unknown> | undefined {
  const json = ran.json();
  const lists = [pick(json, "errors"), pick(json, "problems"), pick(json, "validation", "errors")];
  return lists.flatMap((list) => Array.isArray(list) ? list as Record<string, unknown>[] : [])
    .find((entry) => entry["gate"] === "no_touch");
}

async function refs(world: World, repo: string): Promise<string> {
  return await world.git(join(world.remotes, `${repo}.git`), "for-each-ref");
}

Deno.test("a release writes into no no-touch path, and sends no commit that touches one", async () => {
  await using world = await releaseWorld();
  const bump = ["release", "minor", "--alpha", "--yes", "--json"];
  await guard(world, "package.json");
  const before = [await refs(world, "control"), await world.git(world.control, "for-each-ref")];
  const written = await world.amof(bump);
  assertEquals(written.code, 1, written.stdout);
  assertStringIncludes(String(problem(written)?.["message"]), "package.json (package.json)");
  assertEquals(
    [await refs(world, "control"), await world.git(world.control, "for-each-ref")],
    before,
  );
  const validated = await world.amof(["release", "validate", "--json"]);
  assertEquals([validated.code, problem(validated) !== undefined], [3, true]);
  await guard(world, "releases/");
  assertStringIncludes(String(problem(await world.amof(bump))?.["message"]), "releases/v0.2.0");
  await guard(world, "legal/**");
  await world.write("control/legal/terms.txt", "new\n");
  await world.git(world.control, "add", "legal");
  await world.git(world.control, "commit", "--quiet", "-m", "Change the terms");
  const sent = await world.amof(bump);
  assertStringIncludes(String(problem(sent)?.["message"]), "legal/terms.txt (legal/**, in ");
  const other = await world.amof([...bump, "--allow-no-touch", "legal/other.txt"]);
  assert(problem(other) !== undefined);
  const named = await world.amof([...bump, "--allow-no-touch", "legal/terms.txt"]);
  assertEquals(named.code, 0, named.stdout);
});

Deno.test("a release that was not pushed is not pushed with a no-touch path either", async () => {
  await using world = await releaseWorld();
  await guard(world, "legal/**");
  await world.write("control/legal/terms.txt", "new\n");
  await world.git(world.control, "add", "legal");
  await world.git(world.control, "commit", "--quiet", "-m", "Change the terms");
  assertEquals((await world.amof(["release", "minor", "--alpha", "--no-push", "--yes"])).code, 0);
  const before = await refs(world, "control");
  const ran = await world.amof(["release", "push", "--yes", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "error")], [1, "push_refused"], ran.stdout);
  assertStringIncludes(String(pick(ran.json(), "message")), "legal/terms.txt");
  assertEquals(await refs(world, "control"), before);
  const args = ["release", "push", "--allow-no-touch", "legal/**", "--yes", "--json"];
  assertEquals((await world.amof(args)).code, 0);
});

Deno.test("a train stays when one repository touches a no-touch path, and goes with the typed name", async () => {
  await using world = await trainWorld(["api", "web"]);
  await guard(world, "legal/**");
  const clone = world.clone("api");
  await Deno.mkdir(join(clone, "legal"));
  await Deno.writeTextFile(join(clone, "legal", "a.txt"), "x\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "Terms");
  const bump = ["release", "train", "bump", "minor", "--alpha", "--json"];
  const before = [await refs(world, "api"), await refs(world, "web")];
  const ran = await world.amof([...bump, "--yes"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertEquals(problem(ran)?.["repo"], "api");
  assertStringIncludes(String(problem(ran)?.["message"]), "legal/a.txt");
  assertEquals([await refs(world, "api"), await refs(world, "web")], before);
  const allowed = [...bump, "--allow-no-touch", "legal/a.txt"];
  assertEquals((await world.amof([...allowed, "--yes"])).code, 4);
  const typed = await world.amof([...allowed, "--confirm-name", "demo"]);
  assertEquals(typed.code, 0, typed.stdout);
});

Deno.test("a train writes no version into a no-touch path", async () => {
  await using world = await trainWorld(["api"]);
  await guard(world, "VERSION");
  const ran = await world.amof(["release", "train", "bump", "minor", "--yes", "--json"]);
  assertStringIncludes(String(problem(ran)?.["message"]), "VERSION");
});

Deno.test("amof archive pushes no no-touch path, and lets nothing go over MCP", async () => {
  await using world = await World.installed({
    repos: ["api"],
    extra: 'guardrails: {no_touch_paths: ["legal/"]}\n',
  });
  await world.commitOnFeature("api", "feature/T-1");
  await Deno.mkdir(join(world.clone("api"), "legal"));
  await Deno.writeTextFile(join(world.clone("api"), "legal", "a.txt"), "x\n");
  await world.git(world.clone("api"), "add", ".");
  await world.git(world.clone("api"), "commit", "--quiet", "-m", "Terms");
  await world.git(world.clone("api"), "switch", "--quiet", "main");
  const before = await refs(world, "api");
  const ran = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertEquals(pick(ran.json(), "error"), "push_refused");
  assertStringIncludes(String(pick(ran.json(), "message")), "legal/a.txt (legal/, in ");
  assertEquals(await refs(world, "api"), before);
  {
    await using client = new McpClient(world, ["--mode", "execute"]);
    await client.initialize();
    const answer = await client.call("amof_archive_ecosystem", {
      ecosystem: "demo",
      allow_no_touch: ["legal/a.txt"],
      confirm_name: "demo",
    });
    assertEquals(answer.data["error"], "tool_not_available");
  }
  const args = ["archive", "--allow-no-touch", "legal/a.txt", "--json"];
  assertEquals((await world.amof([...args, "--yes"])).code, 4);
  const typed = await world.amof([...args, "--confirm-name", "demo"]);
  assertEquals(typed.code, 0, typed.stdout);
  assertEquals(await world.exists(world.workspace()), false);
});
