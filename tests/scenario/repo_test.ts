/**
 * `amof repo add`, `remove` and `rename`, from outside.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { parse } from "@std/yaml";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

const MANIFEST = "ecosystems/demo/ecosystem.yaml";

function manifestOf(world: World): Promise<string> {
  return Deno.readTextFile(join(world.control, MANIFEST));
}

function writeManifest(world: World, lines: readonly string[]): Promise<void> {
  return Deno.writeTextFile(join(world.control, MANIFEST), `${lines.join("\n")}\n`);
}

/** An ecosystem of two repositories whose manifest somebody wrote by hand. */
async function handwritten(): Promise<World> {
  const world = await World.like("written by hand", async (world) => {
    await world.makeInstalled({ repos: ["api", "web"] });
    await world.addRemote("lib");
  });
  await writeManifest(world, [
    "# Our shop",
    "name: demo",
    "repos:",
    "  # The heart of it",
    `  - {name: api, url: "${world.url("api")}", branch: main}   # keep`,
    "  - name: web",
    `    url: ${world.url("web")}`,
    "    branch: main",
    "    depends_on: [api]   # calls it",
    "groups:",
    "  front: [web]",
    "  all:",
    "    - api   # first",
    "    - web",
    "# The end",
  ]);
  return world;
}

function commentsOf(text: string): string[] {
  return [...text.matchAll(/# .*$/gm)].map(([comment]) => comment);
}

Deno.test("amof repo add asks the remote for its branch, shows the diff, and keeps every comment", async () => {
  await using world = await handwritten();
  const remote = join(world.remotes, "lib.git");
  await world.git(remote, "branch", "--move", "main", "trunk");
  await world.git(remote, "symbolic-ref", "HEAD", "refs/heads/trunk");
  const before = await manifestOf(world);
  const words = ["repo", "add", "lib", world.url("lib"), "--tag", "core", "--depends-on", "api"];

  const planned = await world.amof([...words, "--dry-run"]);
  assertEquals(planned.code, 0, planned.stderr);
  assertStringIncludes(planned.stdout, "+  - name: lib\n");
  assertEquals(await manifestOf(world), before);

  const ran = await world.amof(words);
  assertEquals(ran.code, 0, ran.stderr);
  const after = await manifestOf(world);
  assertEquals(commentsOf(after), commentsOf(before));
  assertEquals((parse(after) as { repos: unknown[] }).repos[2], {
    name: "lib",
    url: world.url("lib"),
    branch: "trunk",
    tags: ["core"],
    depends_on: ["api"],
  });
  const synced = await world.amof(["sync", "--json"]);
  assertEquals(synced.code, 0, synced.stdout);
  assertEquals(await world.git(world.clone("lib"), "branch", "--show-current"), "trunk");
});

Deno.test("amof repo add says which argument cannot be, and changes nothing", async () => {
  await using world = await handwritten();
  const before = await manifestOf(world);
  const nowhere = world.url("nowhere");
  for (
    const [words, field, said] of [
      [["API", world.url("lib")], "name", 'has a repository "api"'],
      [["lib", world.url("web")], "url", 'that of "web" already'],
      [["lib", "ext::sh -c id"], "url", "not an address that may be cloned"],
      [["lib", "https://me:secret@host/lib.git"], "url", "holds credentials"],
      [["lib", world.url("lib"), "--branch", "a..b"], "branch", "cannot be the name of a branch"],
      [["a/b", world.url("lib")], "name", "is not a name"],
      [["lib", world.url("lib"), "--path", "repos/api"], null, "repos/api"],
      [["lib", world.url("lib"), "--path", "../x"], null, "cannot be a place"],
    ] as const
  ) {
    const ran = await world.amof(["repo", "add", ...words, "--json"]);
    assertEquals([ran.code, ran.json()["error"]], [2, "invalid_arguments"], ran.stdout);
    assertStringIncludes(String(ran.json()["message"]), said);
    if (field !== null) assertEquals(pick(ran.json(), "details", "field"), field);
    assert(!ran.stdout.includes("secret"), ran.stdout);
  }
  const unreachable = await world.amof(["repo", "add", "lib", nowhere]);
  assertEquals(unreachable.code, 1);
  assertStringIncludes(unreachable.stderr, "--branch main");
  assertEquals(await manifestOf(world), before);
  // The name of a user of SSH is no secret; nobody listens there.
  const ssh = await world.amof(["repo", "add", "lib", "ssh://git@127.0.0.1:1/lib.git"]);
  assertEquals(ssh.code, 1, ssh.stderr);
  assertStringIncludes(ssh.stderr, "--branch main");
  assertEquals(await manifestOf(world), before);
  // What is a clone has an address that others have, too.
  const clone = join(world.directory, "lib");
  await world.git(world.directory, "clone", "--quiet", world.url("lib"), clone);
  const mine = ["repo", "add", "lib", clone, "--tag", "x", "--branch", "main"];
  const here = await world.amof([...mine, "--json"]);
  assertEquals([here.code, pick(here.json(), "details", "field")], [2, "url"], here.stdout);
  const line = `amof repo add lib ${world.url("lib")} --branch main --tag x`;
  assertStringIncludes(String(here.json()["hint"]), `: ${line}\n`);
  assertEquals(await manifestOf(world), before);
  // Whoever says the branch asks nobody.
  const told = await world.amof(["repo", "add", "lib", nowhere, "--branch", "main"]);
  assertEquals(told.code, 0, told.stderr);
  assertStringIncludes(told.stdout, "⚠ Its address leads to a place on this machine");
});

Deno.test("amof repo remove takes the entry and what names it, and leaves the clone", async () => {
  await using world = await handwritten();
  await Deno.writeTextFile(join(world.clone("api"), "work.txt"), "work\n");
  const asked = await world.amof(["repo", "remove", "api"]);
  assertEquals(asked.code, 4);
  assertStringIncludes(
    asked.stderr,
    "Leave the clone where it is, with 1 uncommitted file that only it has: ",
  );
  assertStringIncludes(asked.stderr, `amof repo add api ${world.url("api")} --branch main`);
  const ran = await world.amof(["repo", "remove", "api", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(ran.json()["only_there"], ["1 uncommitted file"]);
  const after = await manifestOf(world);
  assertEquals(parse(after), {
    name: "demo",
    repos: [{ name: "web", url: world.url("web"), branch: "main", depends_on: [] }],
    groups: { front: ["web"], all: ["web"] },
  });
  for (const comment of ["# Our shop", "# calls it", "# The end"]) {
    assertStringIncludes(after, comment);
  }
  assert(await world.exists(join(world.clone("api"), "work.txt")));
});

Deno.test("amof repo remove refuses what a ticket works on, and what is not there", async () => {
  await using world = await handwritten();
  await world.amof(["ticket", "start", "T-1", "--offline"]);
  const before = await manifestOf(world);
  const tracked = await world.amof(["repo", "remove", "web", "--yes", "--json"]);
  assertEquals(tracked.json()["error"], "invalid_transition");
  assertEquals(pick(tracked.json(), "details", "tickets"), ["T-1"]);
  const unknown = await world.amof(["repo", "remove", "wbe", "--yes", "--json"]);
  assertEquals(unknown.json()["error"], "repo_not_found");
  assertStringIncludes(String(unknown.json()["message"]), 'did you mean "web"');
  const two = await world.amof([
    "repo",
    "rename",
    "api,web",
    "--branch",
    "trunk",
    "--yes",
    "--json",
  ]);
  assertEquals(two.json()["error"], "repo_not_found");
  assertEquals(await manifestOf(world), before);
});

Deno.test("amof repo rename keeps the clone, the ticket and the last push, and follows every mention", async () => {
  await using world = await handwritten();
  await world.amof(["ticket", "start", "T-1", "--offline"]);
  await world.git(world.clone("web"), "commit", "--quiet", "--allow-empty", "-m", "Work");
  await world.amof(["push", "--yes"]);
  const before = await manifestOf(world);
  const dry = await world.amof(["repo", "rename", "web", "site", "--dry-run"]);
  assertStringIncludes(dry.stdout, "amof repo rename site web");
  const ran = await world.amof(["repo", "rename", "web", "site", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(ran.json()["tickets"], ["T-1"]);
  const after = await manifestOf(world);
  assertEquals(commentsOf(after), commentsOf(before));
  const { repos, groups } = parse(after) as { repos: Record<string, unknown>[]; groups: unknown };
  assertEquals([repos[1]?.["name"], repos[1]?.["path"]], ["site", "repos/web"]);
  assertEquals(groups, { front: ["site"], all: ["api", "site"] });
  const status = await world.amof(["status", "--json"]);
  const [, site] = rows(status.json(), "repos");
  assertEquals([site?.["name"], site?.["branch"], site?.["status"]], ["site", "feature/T-1", "OK"]);
  assertEquals(pick(site, "last_push", "branch"), "feature/T-1");
});

Deno.test("amof repo rename refuses a name that another one has, or that is none", async () => {
  await using world = await handwritten();
  for (const to of ["API", "web", "a b"]) {
    const ran = await world.amof(["repo", "rename", "web", to, "--yes", "--json"]);
    assertEquals([ran.code, ran.json()["error"]], [2, "invalid_arguments"], to);
  }
});

Deno.test("amof repo rename --branch writes another base branch, also where none was written", async () => {
  await using world = await handwritten();
  const branchOf = async (name: string) => {
    const { repos } = parse(await manifestOf(world)) as { repos: Record<string, unknown>[] };
    return repos.find((repo) => repo["name"] === name)?.["branch"];
  };
  for (const branch of ["trunk", "main"]) {
    const ran = await world.amof(["repo", "rename", "web", "--branch", branch, "--yes", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals([await branchOf("web"), pick(ran.json(), "branch", "to")], [branch, branch]);
  }
  const both = await world.amof(["repo", "rename", "web", "site", "--branch", "next", "--yes"]);
  assertStringIncludes(both.stdout, "Renamed web to site and the base branch of web to next.");
  assertEquals(await branchOf("site"), "next");
  const refused: readonly (readonly [string[], string])[] = [
    [["--branch", "next"], "branch"],
    [["--branch", "a..b"], "branch"],
    [[], "to"],
  ];
  for (const [words, field] of refused) {
    const ran = await world.amof(["repo", "rename", "site", ...words, "--yes", "--json"]);
    assertEquals([ran.code, pick(ran.json(), "details", "field")], [2, field], words.join(" "));
  }
});

Deno.test("amof_remove_repo is stale when the manifest was edited between preview and consent", async () => {
  await using world = await handwritten();
  await using client = new McpClient(world, ["--tools", "amof_remove_repo,amof_confirm"]);
  await client.initialize();
  const args = { ecosystem: "demo", name: "web", mode: "execute" };
  const asked = await client.call("amof_remove_repo", args);
  assertEquals(asked.data["error"], "confirmation_required");
  assertStringIncludes(asked.text, "-  - name: web");
  const edited = (await manifestOf(world)).replace("# The end", "# Another end");
  await Deno.writeTextFile(join(world.control, MANIFEST), edited);
  const token = String(pick(asked.data, "confirmation", "token"));
  const late = await client.call("amof_confirm", { token, mode: "execute" });
  assertEquals(late.data["error"], "confirmation_stale");
  assertEquals(await manifestOf(world), edited);
});
