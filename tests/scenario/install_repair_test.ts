/**
 * `amof install --repair`: what is missing is made anew, the rest stays.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertObjectMatch } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";
import { breakRemote, install, names } from "./_install.ts";

Deno.test("amof install refuses to install twice and points to status and --repair", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  const before = await world.fingerprint();
  const ran = await install(world);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "workspace_exists");
  assertMatch(
    String(pick(ran.json(), "hint")),
    /: amof status\n.*: amof install --repair$/,
  );
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install --repair clones what is missing and leaves the rest alone", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  await Deno.writeTextFile(join(world.clone("api"), "dirty.txt"), "mine\n");
  await world.write("control/worktrees/demo/notes.txt", "mine\n");
  const state = await world.state();
  await Deno.remove(world.clone("web"), { recursive: true });
  const ran = await install(world, "--repair");
  assertEquals(ran.code, 0);
  assertObjectMatch(ran.json(), {
    result: {
      action: "repair",
      repos: [{ name: "api", result: "present" }, { name: "web", result: "cloned" }],
    },
  });
  assertEquals(await world.git(world.clone("web"), "branch", "--show-current"), "main");
  assertEquals(await world.git(world.clone("api"), "status", "--porcelain"), "?? dirty.txt");
  assertEquals(
    await Deno.readTextFile(join(world.workspace(), "notes.txt")),
    "mine\n",
  );
  assertEquals(await world.state(), state);
});

Deno.test("amof install --repair makes the workspace anew after its directory was deleted by hand", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.write("control/worktrees/demo/kept.txt", "kept\n");
  await world.git(world.workspace(), "add", "--force", "kept.txt");
  await world.git(world.workspace(), "commit", "--quiet", "-m", "Keep");
  await Deno.remove(world.workspace(), { recursive: true });
  const plain = await install(world);
  assertEquals(pick(plain.json(), "error"), "workspace_exists");
  assertMatch(String(pick(plain.json(), "hint")), /--repair/);
  const status = await world.amof(["status", "--json"]);
  assertEquals(pick(status.json(), "error"), "workspace_not_installed");
  const ran = await install(world, "--repair");
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "result", "action"), "attach");
  assert(await world.exists(join(world.workspace(), "kept.txt")));
  assert(await world.exists(world.clone("api")));
});

Deno.test("amof install --repair does not call repaired what is no repository, and mends the rest", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs"] });
  const api = world.clone("api");
  await Deno.remove(join(api, ".git"), { recursive: true });
  await Deno.remove(world.clone("web"), { recursive: true });
  for (const turn of ["with a clone to make", "with nothing else to do"]) {
    const ran = await install(world, "--repair");
    assertEquals([ran.code, pick(ran.json(), "error")], [5, "partial_failure"], turn);
    assertEquals(pick(ran.json(), "message"), 'Repaired 2 of 3 repos, without "api"');
    assertMatch(String(pick(ran.json(), "details", "repos", 0, "detail")), /repos\/api/);
    assertMatch(
      String(pick(ran.json(), "hint")),
      /^Move it away: mv \S+ \S+\.aside\nThen: amof (?:-e demo )?install --repair/,
    );
    const found = rows(ran.json(), ...(pick(ran.json(), "result") ? ["result"] : []), "repos");
    assertEquals(
      found.map(({ name, result }) => `${name} ${result}`),
      [
        "api failed",
        `web ${turn === "with nothing else to do" ? "present" : "cloned"}`,
        "docs present",
      ],
    );
  }
  assertEquals(await Deno.readTextFile(join(api, "README.md")), "# api\n");
  await Deno.rename(api, join(world.directory, "away"));
  assertEquals((await install(world, "--repair")).code, 0);
  assertEquals((await world.amof(["status", "--check"])).code, 0);
});

Deno.test("amof install --repair asks for nothing when nothing is missing", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const before = await world.fingerprint();
  const ran = await world.amof(["install", "--repair", "--json"]);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "repos"), [{ name: "api", result: "present" }]);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install --repair that fails takes back its own clones and nothing else", async () => {
  await using world = await World.installed();
  await world.commitOnFeature("api");
  await Deno.remove(world.clone("web"), { recursive: true });
  await Deno.remove(world.clone("docs"), { recursive: true });
  await breakRemote(world, "web");
  const before = await world.fingerprint();
  const ran = await install(world, "--repair");
  assertEquals(ran.code, 1);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof install --repair clears away half-made clones of a killed install", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.remove(world.clone("api"), { recursive: true });
  const repos = join(world.workspace(), "repos");
  await Deno.mkdir(join(repos, ".api.amof-0123abcd", ".git"), { recursive: true });
  await Deno.mkdir(join(repos, ".api.mine"));
  assertEquals((await install(world, "--repair")).code, 0);
  assertEquals(await names(repos), [".api.mine", "api"]);
});
