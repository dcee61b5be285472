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

/** An ecosystem with a ticket in the base workspace and one in its own, with work in both; then all of it is elsewhere. */
async function movedWith(how: "moved" | "copied") {
  const world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("api");
  await Deno.writeTextFile(join(world.clone("api"), "dirty.txt"), "mine\n");
  const started = ["ticket", "start", "B-1", "--workspace", "--repo", "web", "--yes"];
  assertEquals((await world.amof(started)).code, 0);
  const [old, control] = [world.control, join(world.directory, "elsewhere/control")];
  await Deno.mkdir(join(world.directory, "elsewhere"));
  if (how === "moved") await Deno.rename(old, control);
  else await world.git(world.directory, "-c", "alias.copy=!cp -R", "copy", old, control);
  return { world, old, control, workspace: join(control, "worktrees/demo") };
}

for (const how of ["moved", "copied"] as const) {
  Deno.test(`amof install --repair mends the link of a workspace that was ${how} with its control repository`, async () => {
    const { world, old, control, workspace } = await movedWith(how);
    await using _ = world;
    const api = join(workspace, "repos/api");
    const head = await world.git(api, "rev-parse", "HEAD");
    // From within as from outside it is that control repository which is asked about.
    for (const cwd of [control, api]) {
      const status = await world.amof(["status", "--json"], { cwd });
      assertEquals(pick(status.json(), "error"), "workspace_not_installed", cwd);
      assertMatch(String(pick(status.json(), "message")), /it was moved with the control repo/);
      assertEquals(
        pick(status.json(), "hint"),
        "Mend the link: amof install --repair",
      );
      const [first] = rows(status.json(), "suggested_actions");
      assertEquals([first?.["tool"], first?.["args"]], [
        "amof_install_ecosystem",
        { ecosystem: "demo", repair: true },
      ]);
    }
    const listed = await world.amof(["ticket", "list"], { cwd: control });
    assertMatch(
      listed.stdout,
      /^⚠ .* its tickets are not listed\n\n?⚠ Mend the link: amof install --repair\n[^]*\nB-1 /m,
    );
    for (const words of [["install"], ["discard", "--confirm-name", "demo"]]) {
      const refused = await world.amof([...words, "--yes", "--json"], { cwd: control });
      assertMatch(String(pick(refused.json(), "hint")), /^Mend the link: amof .*install --repair$/);
    }
    const ran = await world.amof(["install", "--repair", "--yes", "--json"], { cwd: api });
    assertEquals(ran.code, 0, ran.stdout);
    assertObjectMatch(ran.json(), {
      result: {
        action: "repair",
        repos: [{ name: "api", result: "present" }, { name: "web", result: "present" }],
      },
    });
    assertEquals(await world.exists(old), how === "copied");
    const list = await world.git(control, "worktree", "list", "--porcelain");
    assertMatch(list, new RegExp(`worktree ${workspace}\nHEAD \\w+\nbranch refs/heads/`));
    assertEquals(list.match(/^worktree /gm)?.length, 2);
    assertEquals(await world.git(workspace, "status", "--porcelain"), "");
    assertEquals(await world.git(api, "rev-parse", "HEAD"), head);
    const status = await world.amof(["status", "--json"], { cwd: api });
    assertEquals(status.code, 0, status.stdout);
    assertEquals(
      rows(status.json(), "repos").map((row) => [row["name"], row["branch"]]),
      [["api", "feature/T-1"], ["web", "main"]],
    );
    const ticket = await world.amof(["status", "--ticket", "B-1", "--json"], { cwd: control });
    assertEquals(ticket.code, 0, ticket.stdout);
    if (how === "copied") {
      assertEquals((await world.amof(["status"])).code, 0);
      assertEquals(await world.git(world.workspace(), "status", "--porcelain"), "");
    }
  });
}

Deno.test("amof install --repair makes no workspace where the control repository was moved from", async () => {
  const { world, old, control, workspace } = await movedWith("moved");
  await using _ = world;
  await Deno.rename(workspace, join(world.directory, "aside"));
  const ran = await world.amof(["install", "--repair", "--yes", "--json"], { cwd: control });
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await world.exists(old), false);
  assert(await world.exists(join(workspace, "repos/api")));
  // Another directory is not cleared away for it.
  await Deno.rename(control, old);
  await world.write("control/worktrees/demo/.git", "gitdir: /nowhere/worktrees/none\n");
  const refused = await install(world, "--repair");
  assertEquals(pick(refused.json(), "error"), "workspace_exists", refused.stdout);
  assertMatch(String(pick(refused.json(), "message")), /is not empty and not a workspace/);
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
