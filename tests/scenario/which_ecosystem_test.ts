/**
 * Which control repository and which ecosystem a command line means, from outside: the same call must mean
 * the same thing wherever it is made.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";

/** Symbolic links need a privilege elsewhere. */
const POSIX = Deno.build.os !== "windows";

/** An answer without what differs from call to call. */
function answer(ran: Ran): Record<string, unknown> {
  const { _context: _, ...rest } = ran.json();
  return { code: ran.code, ...rest };
}

Deno.test("amof status answers the same in the control repository, the worktree and a clone", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.addEcosystem("shop", { repos: [] });
  await world.commitOnFeature("api");
  const named = answer(await world.amof(["-e", "demo", "status", "--json"]));
  assertEquals(rows(named, "repos").map((row) => row["status"]), ["UNPUSHED", "OK"]);
  await Deno.mkdir(join(world.clone("web"), "src", "deep"), { recursive: true });
  const places = [
    world.workspace(),
    world.clone("api"),
    join(world.clone("web"), "src", "deep"),
    join(world.control, "ecosystems", "demo"),
  ];
  for (const cwd of places) {
    assertEquals(answer(await world.amof(["status", "--json"], { cwd })), named, cwd);
    assertEquals(answer(await world.amof(["-e", "demo", "status", "--json"], { cwd })), named, cwd);
  }
});

Deno.test("amof status keeps two control repositories with the same ecosystem name apart", async () => {
  await using one = await World.installed({ repos: ["api"] });
  await using two = await World.withEcosystem({ repos: ["api", "web"] });
  const env = { AMOF_HOME: join(one.directory, "state") };
  const installed = await two.amof(["install", "--yes"], { env });
  assertEquals(installed.code, 0);
  await one.commitOnFeature("api");
  const first = await one.amof(["status", "--json"]);
  const second = await two.amof(["status", "--json"], { env });
  assertEquals(rows(first.json(), "repos").map((row) => row["status"]), ["UNPUSHED"]);
  assertEquals(rows(second.json(), "repos").map((row) => row["status"]), ["OK", "OK"]);
});

Deno.test("amof status takes -e before and after the words", async () => {
  await using world = await World.installed({ repos: [] });
  await world.addEcosystem("shop", { repos: [] });
  for (
    const args of [
      ["-e", "demo", "status"],
      ["status", "-e", "demo"],
      ["--ecosystem", "demo", "status"],
      ["status", "--ecosystem=demo"],
    ]
  ) {
    assertEquals((await world.amof(args)).code, 0, args.join(" "));
  }
});

Deno.test("amof status answers an unknown ecosystem with the nearest name and all names", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.addEcosystem("shop", { repos: [] });
  const ran = await world.amof(["-e", "demi", "status"]);
  assertEquals(ran.code, 2);
  assertEquals(ran.stdout, "");
  assertStringIncludes(ran.stderr, 'Cannot find ecosystem "demi"; did you mean "demo"?');
  assertStringIncludes(ran.stderr, "Available: demo and shop");
});

Deno.test("amof status takes the only ecosystem there is", async () => {
  await using world = await World.installed({ repos: [] });
  assertEquals((await world.amof(["status"])).code, 0);
});

Deno.test("amof status asks which ecosystem is meant when nothing tells", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.addEcosystem("shop", { repos: [] });
  const ran = await world.amof(["status", "--json"]);
  assertEquals(ran.code, 2);
  assertEquals(pick(ran.json(), "error"), "scope_required");
  assertEquals(pick(ran.json(), "details", "available"), ["demo", "shop"]);
});

Deno.test("amof status follows the checked-out workspace branch, wherever it lies", async () => {
  await using world = await World.installed({ repos: [] });
  await world.addEcosystem("shop", { repos: [] });
  const elsewhere = join(world.directory, "elsewhere");
  await world.git(
    world.control,
    "worktree",
    "add",
    "--quiet",
    "-b",
    "workspace/shop",
    elsewhere,
    "HEAD",
  );
  const ran = await world.amof(["ecosystem", "describe", "--json"], { cwd: elsewhere });
  assertEquals(pick(ran.json(), "name"), "shop");
});

Deno.test("amof status takes the default of .amof/agent.yaml where nothing else tells", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.addEcosystem("shop", { repos: [] });
  await world.write("control/.amof/agent.yaml", "default_ecosystem: shop\n");
  const ran = await world.amof(["ecosystem", "describe", "--json"]);
  assertEquals(pick(ran.json(), "name"), "shop");
});

Deno.test("amof install in a linked worktree of the user installs into the control repository", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const mine = join(world.directory, "mine");
  await world.git(world.control, "worktree", "add", "--quiet", "-b", "topic", mine, "HEAD");
  const ran = await world.amof(["install", "--yes"], { cwd: mine });
  assertEquals(ran.code, 0);
  assertEquals(await world.exists(world.clone("api")), true);
  assertEquals(await world.exists(join(mine, "worktrees")), false);
});

Deno.test({
  name: "amof status answers the same through a symbolic link",
  ignore: !POSIX, // links need a privilege there
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const link = join(world.directory, "link");
    await Deno.symlink(world.control, link);
    const direct = answer(await world.amof(["status", "--json"]));
    assertEquals(answer(await world.amof(["status", "--json"], { cwd: link })), direct);
    assertEquals(
      answer(
        await world.amof(["--root", link, "status", "--json"], { cwd: world.directory }),
      ),
      direct,
    );
  },
});

Deno.test("amof takes the control repository from --root, then AMOF_ROOT, then the place", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await using other = await World.make();
  await other.makeControl();
  await other.addEcosystem("shop", { repos: [] });
  const names = async (args: readonly string[], env: Record<string, string>) => {
    const ran = await world.amof([...args, "ecosystem", "list", "--json"], { env });
    return rows(ran.json(), "ecosystems").map((row) => row["name"]);
  };
  const root = other.control;
  assertEquals(await names([], {}), ["demo"]);
  assertEquals(await names([], { AMOF_ROOT: root }), ["shop"]);
  assertEquals(await names(["--root", root], { AMOF_ROOT: world.control }), ["shop"]);
  assertEquals(await names([`--root=${root}`], {}), ["shop"]);
});

Deno.test("amof refuses a named root that is no control repository", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const env = { AMOF_ROOT: world.directory };
  for (
    const [args, extra, source] of [
      [["--root", join(world.directory, "nowhere")], {}, "--root"],
      [["--root", world.directory], {}, "--root"],
      [[], env, "AMOF_ROOT"],
    ] as const
  ) {
    const ran = await world.amof([...args, "status", "--json"], { env: extra });
    assertEquals(ran.code, 2);
    assertEquals(pick(ran.json(), "error"), "root_not_found");
    assertEquals(pick(ran.json(), "details", "source"), source);
  }
});

Deno.test("amof refuses to guess a control repository where there is none", async () => {
  await using world = await World.make();
  const ran = await world.amof(["status"], { cwd: world.directory });
  assertEquals(ran.code, 2);
  assertStringIncludes(ran.stderr, "Cannot find a control repository");
  assertStringIncludes(ran.stderr, "--root DIR");
});

Deno.test("what mends a problem is told so that it can be pasted where it was asked: among ecosystems, and from elsewhere", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const { directory, control } = world;
  const seed = join(directory, "seed", "api");
  await Deno.writeTextFile(join(seed, "news.txt"), "news\n");
  await world.git(seed, "add", ".");
  await world.git(seed, "commit", "--quiet", "-m", "News");
  await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "main");
  await world.git(world.clone("api"), "fetch", "--quiet");
  const told = async (args: string[], cwd: string) => {
    const shown = (await world.amof([...args, "status"], { cwd })).stdout;
    const json = (await world.amof([...args, "status", "--json"], { cwd })).json();
    const [, fix = ""] = /^ +fix: amof (.*)$/m.exec(shown) ?? [];
    assertEquals(`amof ${fix}`, pick(json, "repos", 0, "needs", 0, "fix"));
    return fix;
  };
  assertEquals(await told([], control), "sync --repo api");
  await world.addEcosystem("shop", { repos: [] });
  assertEquals(await told(["-e", "demo"], control), "-e demo sync --repo api");
  const list = await world.amof(["-e", "demo", "ticket", "list"]);
  assertStringIncludes(list.stdout, ": amof -e demo ticket start ID");
  const fix = await told(["--root", control, "-e", "demo"], directory);
  assertEquals(fix, `--root ${control} -e demo sync --repo api`);
  assertEquals((await world.amof(fix.split(" "), { cwd: directory })).code, 0);
  const after = await world.amof(["-e", "demo", "status", "--json"]);
  assertEquals(pick(after.json(), "repos", 0, "status"), "OK");
});
