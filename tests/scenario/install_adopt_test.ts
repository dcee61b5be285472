/**
 * `amof install --adopt`: clones stay where their owner has them, and nothing of theirs is ever lost.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

/** An ecosystem, and a clone of `api` in a directory of its owner, with work of every kind. */
function owned(): Promise<World> {
  return World.like("a clone of its owner", async (world) => {
    await world.makeControl();
    await world.addEcosystem("demo", { repos: ["api", "web"] });
    const code = join(world.directory, "code");
    await Deno.mkdir(code);
    await world.git(code, "clone", "--quiet", world.url("api"), "my-api");
    const api = join(code, "my-api");
    await Deno.writeTextFile(join(api, "README.md"), "put away\n");
    await world.git(api, "stash", "--quiet");
    await world.git(api, "branch", "idea");
    await world.git(api, "commit", "--quiet", "--allow-empty", "-m", "Not pushed");
    await Deno.writeTextFile(join(api, "wip.txt"), "mine\n");
  });
}

const api = (world: World) => join(world.directory, "code/my-api");
const link = (world: World) => join(world.workspace(), "repos/api");

/** Everything that the owner of the clone has in it. */
async function work(world: World): Promise<string> {
  const parts = [
    await world.git(api(world), "status", "--porcelain", "--branch"),
    await world.git(api(world), "for-each-ref"),
    await world.git(api(world), "stash", "list"),
    await world.git(api(world), "rev-parse", "HEAD"),
    await Deno.readTextFile(join(api(world), "wip.txt")),
    await Deno.readTextFile(join(api(world), ".git/config")),
  ];
  return parts.join("\n");
}

const INSTALL = ["install", "--adopt", "../code", "--yes", "--json"];

Deno.test("install --adopt links the clones that are there, clones the others, and changes nothing of theirs", async () => {
  await using world = await owned();
  const before = await work(world);
  const planned = await world.amof([...INSTALL, "--dry-run"]);
  assertEquals(planned.code, 0, planned.stdout);
  const effects = pick(planned.json(), "preview", "effects") ?? pick(planned.json(), "effects");
  assertStringIncludes(JSON.stringify(effects), "Adopt api: it stays in");
  assertEquals(
    pick(planned.json(), "undo", "brings_back"),
    "what was there before, as long as nothing of yours is in the new clones; of adopted clones only the links go",
  );
  assertEquals(await world.exists(world.workspace()), false);
  const installed = await world.amof(INSTALL);
  assertEquals(installed.code, 0, installed.stdout);
  const results = rows(installed.json(), "result", "repos");
  assertEquals(results.map(({ name, result }) => [name, result]), [
    ["api", "adopted"],
    ["web", "cloned"],
  ]);
  assertEquals(await Deno.readLink(link(world)), await Deno.realPath(api(world)));
  assertEquals(await work(world), before);
  const shown = await world.amof(["status", "--json"]);
  const [row] = rows(shown.json(), "repos");
  assertEquals([row?.["name"], row?.["status"]], ["api", "DIRTY+UNPUSHED"]);
  assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  assertEquals(await world.git(world.workspace(), "status", "--porcelain"), "");
  const doctor = await world.amof(["doctor", "--json"]);
  assertEquals(doctor.code, 0, doctor.stdout);
  const editor = await Deno.readTextFile(join(world.workspace(), "amof.demo.code-workspace"));
  assertStringIncludes(editor, "repos/api");
  // Commands work there as in any clone.
  await Deno.remove(join(api(world), "wip.txt"));
  await world.git(api(world), "push", "--quiet");
  const started = await world.amof(["ticket", "start", "T-1", "--json"]);
  assertEquals(started.code, 0, started.stdout);
  assertEquals(await world.git(api(world), "branch", "--show-current"), "feature/T-1");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
});

Deno.test("in an adopted clone the ecosystem that uses it is meant, and in no other clone", async () => {
  await using world = await owned();
  await world.addEcosystem("other", { repos: [] });
  const env = { AMOF_ROOT: "" };
  assertEquals((await world.amof(["-e", "demo", ...INSTALL])).code, 0);
  const below = join(api(world), "src");
  await Deno.mkdir(below);
  const here = await world.amof(["status", "--repo", ".", "--json"], { cwd: below, env });
  assertEquals(here.code, 0, here.stdout);
  assertEquals(rows(here.json(), "repos").map(({ name }) => name), ["api"]);
  const beside = join(world.directory, "code");
  assertEquals((await world.amof(["status"], { cwd: beside, env })).code, 2);
  // A worktree beside it belongs to no ecosystem, and leads to the one that has its clone.
  const linked = join(world.directory, "linked");
  await world.git(api(world), "worktree", "add", "--quiet", "--detach", linked);
  const away = await world.amof(["status", "--json"], { cwd: linked, env });
  assertEquals(away.code, 2);
  const [way = ""] = String(pick(away.json(), "hint")).split("\n");
  assertEquals(way, `Go to the one that has the clone of this worktree: cd ${world.control}`);
  // What is begun there is begun there.
  const begun = await world.amof(["ecosystem", "create", "new", "--dry-run"], { cwd: below, env });
  assertEquals(begun.code, 0, begun.stderr);
  const created = await world.amof(["ecosystem", "create", "new", "--yes"], { cwd: below, env });
  assertEquals(created.code, 0, created.stderr);
  assert(await world.exists(join(api(world), "ecosystems/new/ecosystem.yaml")));
});

Deno.test("where the link to an adopted clone is gone nothing is cloned there unasked, and it can be adopted again", async () => {
  await using world = await owned();
  assertEquals((await world.amof(INSTALL)).code, 0);
  const before = await work(world);
  await Deno.remove(link(world));
  const place = await Deno.realPath(join(world.directory, "code"));
  const again = `amof install --repair --repo api --adopt ${place}`;
  const shown = await world.amof(["status"]);
  assertStringIncludes(shown.stdout, `Adopt it again: ${again}\n`);
  assertStringIncludes(shown.stdout, "Or clone it anew: amof install --repair --repo api\n");
  assertStringIncludes((await world.amof(["sync", "--dry-run"])).stdout, "Leave api: ");
  const synced = await world.amof(["sync", "--json"]);
  assertEquals(synced.code, 5, synced.stdout);
  assertEquals(rows(synced.json(), "result", "repos").map(({ result }) => result), [
    "failed",
    "up_to_date",
  ]);
  assertEquals(await world.exists(link(world)), false);
  const adopted = await world.amof([...again.split(" ").slice(1), "--yes"]);
  assertEquals(adopted.code, 0, adopted.stdout + adopted.stderr);
  assertEquals(await Deno.readLink(link(world)), await Deno.realPath(api(world)));
  assertEquals(await work(world), before);
  // Where it was moved away, the others go on, too.
  await Deno.rename(api(world), join(world.directory, "elsewhere"));
  assertEquals((await world.amof(["sync"])).code, 5);
  await Deno.remove(link(world));
  const gone = await world.amof(["sync"]);
  assertStringIncludes(gone.stderr, "Or clone it anew: amof install --repair --repo api\n");
  // The clone itself may be named as well as the directory that has it.
  const itself = join(world.directory, "elsewhere");
  const back = await world.amof(["install", "--repair", "--repo", "api", "--adopt", itself, "-y"]);
  assertEquals(back.code, 0, back.stdout + back.stderr);
  assertEquals(await Deno.readLink(link(world)), await Deno.realPath(itself));
  assertEquals((await world.amof(["sync"])).code, 0);
});

Deno.test("an adopted clone stays adopted after the control repository was moved", async () => {
  await using world = await owned();
  assertEquals((await world.amof(INSTALL)).code, 0);
  const before = await work(world);
  const control = join(world.directory, "control-2");
  await Deno.rename(world.control, control);
  const at = { cwd: control };
  const refused = await world.amof(INSTALL, at);
  assertEquals(pick(refused.json(), "hint"), "Mend the link: amof install --repair");
  const ran = await world.amof(["install", "--repair", "--yes", "--json"], at);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(
    rows(ran.json(), "result", "repos").map(({ result }) => result),
    ["present", "present"],
  );
  assertEquals(
    await Deno.readLink(join(control, "worktrees/demo/repos/api")),
    api(world),
  );
  assertEquals(await work(world), before);
  const status = await world.amof(["status", "--json"], { cwd: api(world) });
  assertEquals(status.code, 0, status.stdout);
  assertEquals(rows(status.json(), "repos").map(({ name }) => name), ["api", "web"]);
});

Deno.test("discard takes only the link to an adopted clone; archive refuses", async () => {
  await using world = await owned();
  assertEquals((await world.amof(INSTALL)).code, 0);
  const before = await work(world);
  const archived = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(pick(archived.json(), "error"), "would_lose_work", archived.stdout);
  assertStringIncludes(String(pick(archived.json(), "message")), "stays in");
  const planned = await world.amof(["discard", "--dry-run"]);
  assertStringIncludes(planned.stdout, "Leave api as it is in");
  assert(!/Lose api/.test(planned.stdout), planned.stdout);
  // The clone has commits of its own, and stays; an archive of it is refused.
  const asked = await world.amof(["discard", "--json"]);
  assertStringIncludes(asked.stdout, "no work is only there");
  assert(!/every branch|amof archive/.test(asked.stdout + planned.stdout), asked.stdout);
  const discarded = await world.amof(["discard", "--confirm-name", "demo", "--json"]);
  assertEquals(discarded.code, 0, discarded.stdout);
  const home = await Deno.realPath(join(world.directory, "code"));
  assertEquals(pick(discarded.json(), "result", "next"), `amof install --adopt ${home}`);
  assertEquals(await world.exists(world.workspace()), false);
  assertEquals(await work(world), before);
  // It can be adopted again afterwards, and undoing that takes the link as well.
  assertEquals((await world.amof(INSTALL)).code, 0);
  const undoing = await world.amof(["undo", "--dry-run"]);
  assertStringIncludes(undoing.stdout, "Leave api as it is in");
  const code = await Deno.realPath(join(world.directory, "code"));
  assertStringIncludes(undoing.stdout, `install --adopt ${code}`);
  assertEquals((await world.amof(["undo", "--yes"])).code, 0);
  assertEquals(await world.exists(world.workspace()), false);
  assertEquals(await work(world), before);
});

Deno.test("an install that fails takes its links back and leaves the clones as they are", async () => {
  await using world = await owned();
  const before = await work(world);
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "gone.git"));
  const failed = await world.amof(INSTALL);
  assertEquals(failed.code, 1, failed.stdout);
  assertEquals(await world.exists(world.workspace()), false);
  assertEquals(await work(world), before);
  const left = await world.git(world.control, "worktree", "list", "--porcelain");
  assertEquals(left.split("worktree ").length, 2);
});

Deno.test("a clone is adopted once, and only where it is plain which one is meant", async () => {
  await using world = await owned();
  await world.git(join(world.directory, "code"), "clone", "--quiet", world.url("web"), "one");
  await world.git(join(world.directory, "code"), "clone", "--quiet", world.url("web"), "two");
  const first = await world.amof(INSTALL);
  assertEquals(
    rows(first.json(), "result", "repos").map(({ result }) => result),
    ["adopted", "cloned"],
  );
  await world.addEcosystem("other", { repos: ["api"] });
  const second = await world.amof(["-e", "other", ...INSTALL]);
  assertEquals(rows(second.json(), "result", "repos").map(({ result }) => result), ["cloned"]);
  const inside = ["install", "--repair", "--adopt", "worktrees", "--yes", "--json"];
  await Deno.remove(join(world.workspace("other"), "repos/api"), { recursive: true });
  const nested = await world.amof(["-e", "other", ...inside]);
  assertEquals(rows(nested.json(), "result", "repos").map(({ result }) => result), ["cloned"]);
});

Deno.test("a link that no install made leads nowhere, and neither does one to another place", async () => {
  await using world = await owned();
  assertEquals((await world.amof(INSTALL)).code, 0);
  const other = join(world.directory, "code/other");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), other);
  await Deno.remove(link(world));
  await Deno.symlink(other, link(world));
  const shown = await world.amof(["status", "--json"]);
  assertEquals(rows(shown.json(), "repos")[0]?.["status"], "ERROR", shown.stdout);
  assertStringIncludes(shown.stdout, `--repo api --adopt ${await Deno.realPath(other)}`);
  await Deno.remove(link(world));
  await Deno.rename(api(world), `${api(world)}-moved`);
  await Deno.symlink(api(world), link(world));
  const moved = await world.amof(["sync", "--json"]);
  assertStringIncludes(JSON.stringify(moved.json()), "was adopted from");
  const hint = String(pick(moved.json(), "hint"));
  // It was moved and not lost: what finds it beside where it was comes first.
  assertStringIncludes(
    hint,
    `amof install --repair --repo api --adopt ${await Deno.realPath(
      join(world.directory, "code"),
    )}`,
  );
  // The line of the hint is enough.
  const line = /^Remove the link: (rm .*)$/m.exec(hint)?.[1] ?? "false";
  assertStringIncludes(hint, "\nOr clone it anew: amof install --repair");
  assertEquals((await world.command("sh", ["-c", line])).code, 0, moved.stdout);
  const mended = await world.amof(["install", "--repair", "--yes", "--json"]);
  assertEquals(mended.code, 0, mended.stderr);
});

Deno.test("over MCP no clone is adopted", async () => {
  await using world = await owned();
  await using client = new McpClient(world, ["--mode", "execute"]);
  await client.initialize();
  const answer = await client.call("amof_install_ecosystem", {
    ecosystem: "demo",
    adopt: "../code",
  });
  assertEquals(answer.data["error"], "tool_not_available", answer.text);
});

Deno.test("where the workspace is gone that had adopted clones, what is offered uses them again", async () => {
  await using world = await owned();
  assertEquals((await world.amof(INSTALL)).code, 0);
  const before = await work(world);
  await Deno.remove(world.workspace(), { recursive: true });
  const code = join(world.directory, "code");
  const repair = "amof -e demo install --repair";
  const hint =
    `Use the clones again that it had adopted: ${repair} --adopt ${code}\nOr clone all of them anew: ${repair}`;
  const said = hint.replaceAll("amof -e demo", "amof");
  for (const words of [["status"], ["sync"], ["install"], ["push"]]) {
    assertEquals((await world.amof([...words, "--json"])).json()["hint"], said, words.join(" "));
  }
  const doctor = await world.amof(["doctor"]);
  assertStringIncludes(doctor.stdout, `install --repair --adopt ${code}`);
  // Nothing that would clone them once more is offered to programs.
  const { json } = await world.amof(["status", "--json"]);
  const offered = rows(json(), "suggested_actions").map(({ id }) => id);
  assertEquals(offered.includes("install_ecosystem"), false, JSON.stringify(offered));
  const again = await world.amof(["install", "--repair", "--adopt", code, "--yes"]);
  assertEquals(again.code, 0, again.stderr);
  assertEquals(await Deno.readLink(link(world)), api(world));
  assertEquals(await work(world), before);
});

Deno.test("where a workspace is gone that had its own clones, programs are offered the install that works", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.remove(world.workspace(), { recursive: true });
  const { json } = await world.amof(["status", "--json"]);
  const [first] = rows(json(), "suggested_actions");
  assertEquals([first?.["id"], pick(first, "args", "repair")], ["install_ecosystem", true]);
  assertEquals((await world.amof(["install", "--repair", "--yes"])).code, 0);
});
