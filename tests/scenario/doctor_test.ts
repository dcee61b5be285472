/**
 * `amof doctor`, from outside, and workspaces without a state file.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { checkClones } from "../../src/commands/doctor/checks.ts";
import { loadManifest } from "../../src/workspace/manifest/manifest.ts";
import { Git } from "../../src/git/mod.ts";
import type { CommandContext } from "../../src/contract/mod.ts";
import { pick, rows } from "../support/answers.ts";
import { VERSION } from "../../src/base/version.ts";
import { World } from "../support/world.ts";
import { hermetic } from "../unit/_support.ts";

/** The checks of an answer as `name: level`. */
async function levels(world: World, ...words: string[]): Promise<string[]> {
  const ran = await world.amof([...words, "doctor", "--json"]);
  return rows(ran.json(), "checks").map((check) => `${check["name"]}: ${check["level"]}`);
}

Deno.test("amof doctor looks at the machine where there is no control repository", async () => {
  await using world = await World.make();
  const ran = await world.amof(["doctor"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertMatch(ran.stdout, /✓ git: \d/);
  assertMatch(ran.stdout, /✓ control repository: none at or above/);
  const repair = await world.amof(["doctor", "--repair"]);
  assertEquals(repair.code, 0, repair.stderr);
});

Deno.test("amof doctor tells of a control repository without a commit, and of nobody who commits", async () => {
  await using world = await World.make();
  await world.git(world.directory, "init", "--quiet", world.control);
  assertEquals((await world.amof(["ecosystem", "create", "demo"])).code, 0);
  const nobody = [
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
  ];
  const env = Object.fromEntries(nobody.map((name) => [name, ""]));
  const told = await world.amof(["doctor"], { env });
  assertMatch(told.stdout, /⚠ who commits: .*\n +fix: .*git config --global user\./);
  const ran = await world.amof(["doctor", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "error")], [3, "check_failed"]);
  const check = rows(ran.json(), "checks").find(({ level }) => level === "problem");
  for (const line of String(check?.["fix"]).split("\n")) {
    assertEquals((await world.command("sh", ["-c", line], { cwd: world.control })).code, 0, line);
  }
  assertEquals((await world.amof(["doctor"])).code, 0);
  assertEquals((await world.amof(["install", "--yes"])).code, 0);
});

Deno.test("amof doctor looks at every ecosystem where none is meant, and repairs a named one", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.addEcosystem("other", { repos: ["web"] });
  await world.install();
  const all = await levels(world);
  assertEquals(all.includes("demo: workspace: ok") && all.includes("other: workspace: ok"), true);
  const repair = await world.amof(["doctor", "--repair", "--json"]);
  assertEquals([repair.code, pick(repair.json(), "error")], [2, "scope_required"]);
  assertEquals((await world.amof(["-e", "demo", "doctor", "--repair"])).code, 0);
  // Also a fix that comes from an error means its ecosystem, wherever it is pasted.
  await Deno.writeTextFile(world.stateFile(), "{");
  const broken = await world.amof(["doctor"]);
  assertMatch(broken.stdout, /✗ demo: workspace: .*\n +fix: .*: amof -e demo install --repair$/m);
});

Deno.test("amof doctor names its warnings, which do not fail", async () => {
  await using world = await World.installed({ repos: ["api", "web"], extra: "colour: blue\n" });
  await Deno.remove(world.clone("web"), { recursive: true });
  const ran = await world.amof(["doctor"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertMatch(ran.stdout, /^Found no problem, 2 warnings: manifest and clones\.$/m);
  assertMatch(ran.stdout, /⚠ manifest: 0 errors, 1 warning: colour: /);
  assertMatch(ran.stdout, /⚠ clones: not cloned: web\n +fix: amof sync/);
  await world.git(join(world.remotes, "api.git"), "branch", "-m", "main", "trunk");
  await world.git(world.clone("api"), "fetch", "--quiet", "--prune");
  const renamed = await world.amof(["doctor"]);
  assertMatch(
    renamed.stdout,
    /⚠ clone api: its remote has no branch main any more\n +fix: amof sync --repo api/,
  );
});

Deno.test("amof doctor sees clones that git cannot read", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.remove(join(world.clone("web"), ".git"), { recursive: true });
  const ran = await world.amof(["doctor", "--json"]);
  assertEquals(ran.code, 3);
  assertMatch(String(pick(ran.json(), "message")), /^Found 1 problem: clone web: /);
});

Deno.test("amof doctor warns of an index that somebody holds for long, and names its lock", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const [fresh, old] = ["api", "web"].map((repo) => join(world.clone(repo), ".git", "index.lock"));
  for (const lock of [fresh, old]) await Deno.writeTextFile(lock ?? "", "");
  const past = new Date(Date.now() - 120_000);
  await Deno.utime(old ?? "", past, past);
  const ran = await world.amof(["doctor", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  const told = rows(ran.json(), "checks").filter(({ name }) => String(name).startsWith("clone"));
  assertEquals(told.map(({ name, level }) => [name, level]), [["clone web", "warning"]]);
  assertMatch(String(told[0]?.["fix"]), /rm .*web.*index\.lock$/);
});

Deno.test("amof doctor tells of a control repository that git does not trust, with what trusts it", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const ran = await world.amof(["doctor", "--json"], {
    env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" },
  });
  const check = rows(ran.json(), "checks").find(({ name }) => name === "control repository");
  assertMatch(String(check?.["detail"]), /git does not trust .*control/);
  assertMatch(String(check?.["fix"]), /git config --global --add safe\.directory /);
});

Deno.test("amof doctor sees clones that cannot be written", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  // Whoever runs the tests may be allowed to write everything, so permissions are told here instead of set.
  const real = hermetic(world);
  const closed = join(world.clone("web"), ".git", "objects");
  const system = {
    ...real,
    files: { ...real.files, isWritable: (path: string) => Promise.resolve(path !== closed) },
  };
  const ctx = {
    system,
    git: new Git(system),
    jobs: 4,
    root: world.control,
    report: { log: () => {}, progress: () => {} },
  } as unknown as CommandContext;
  const manifest = await loadManifest(system, world.control, "demo");
  assertEquals(
    (await checkClones(ctx, manifest, world.workspace(), null)).map(({ name, level, detail }) => [
      name,
      level,
      detail,
    ]),
    [["clone web", "problem", `${closed} cannot be written`]],
  );
});

Deno.test("amof doctor tells of clones on other branches than they should be on, as status does", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs"] });
  assertEquals((await world.amof(["ticket", "start", "T-1", "--repo", "api,docs"])).code, 0);
  await world.git(world.clone("docs"), "switch", "--quiet", "main");
  await world.git(world.clone("web"), "switch", "--quiet", "--create", "spike");
  const ran = await world.amof(["doctor"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stdout, "⚠ clone web: on spike instead of main");
  assertStringIncludes(ran.stdout, "⚠ clone docs: on main instead of feature/T-1");
  assertStringIncludes(ran.stdout, "amof status --repo web");
  assertEquals(ran.stdout.includes("clone api"), false);
});

Deno.test("submodules that nobody said anything of are told while they are not there", async () => {
  await using world = await World.installed({ repos: ["api", "lib"] });
  const api = world.clone("api");
  const url = world.url("lib");
  const git = ["-c", "protocol.file.allow=always"];
  await world.git(api, ...git, "submodule", "--quiet", "add", url, "third/lib");
  await world.git(api, "commit", "--quiet", "-m", "Name lib");
  await world.git(api, "push", "--quiet", "origin", "main");
  await world.git(api, "submodule", "--quiet", "deinit", "--force", "third/lib");
  const told = "not checked out (submodules: true or false in the manifest says whether they come";
  for (const command of ["status", "doctor"]) {
    const { stdout, code } = await world.amof([command]);
    assertEquals(code, 0, stdout);
    assertStringIncludes(stdout, told, command);
    assertStringIncludes(stdout, `git -C ${api} submodule update --init --recursive -- third/lib`);
  }
  assertMatch((await world.amof(["status"])).stdout, /^api +main +\w+ +RW +OK/m);
  const file = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(file);
  const says = async (value: boolean) => {
    await Deno.writeTextFile(
      file,
      text.replace("name: api", `name: api\n    submodules: ${value}`),
    );
    return (await world.amof(["status"])).stdout;
  };
  assertEquals((await says(false)).includes("third/lib"), false);
  assertMatch(await says(true), /^api .* SUBMODULE/m);
});

Deno.test("amof doctor --remotes asks every remote and tells the reason of each that fails", async () => {
  await using world = await World.withEcosystem();
  await Deno.remove(join(world.remotes, "web.git"), { recursive: true });
  await world.git(join(world.remotes, "docs.git"), "branch", "-m", "main", "trunk");
  const ran = await world.amof(["doctor", "--remotes", "--json"]);
  assertEquals(ran.code, 3);
  const checks = rows(ran.json(), "checks").filter(({ name }) => /^remote/.test(String(name)));
  assertEquals(checks.map(({ name, level }) => [name, level]), [
    ["remotes", "ok"],
    ["remote of web", "problem"],
    ["remote of docs", "problem"],
  ]);
  assertStringIncludes(String(checks[1]?.["detail"]), "does not appear to be a git repository");
  assertEquals(checks[2]?.["detail"], "has no branch main");
  assertEquals(await levels(world), [
    "git: ok",
    "state database: ok",
    "control repository: ok",
    "manifest: ok",
    "workspace: ok",
    "interrupted work: ok",
  ]);
});

Deno.test("a workspace without a state file is read as one without tickets, with a warning", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.remove(world.stateFile());
  for (const words of [["status"], ["ticket", "list"]]) {
    const ran = await world.amof([...words, "--json"]);
    assertEquals(ran.code, 0, words.join(" "));
    assertMatch(String(pick(ran.json(), "warnings", 0)), /no state file.*no tickets are known/);
    assertMatch((await world.amof(words)).stdout, /⚠ The workspace has no state file/);
  }
  assertEquals((await world.amof(["sync"])).code, 0);
  assertEquals((await world.amof(["discard", "--dry-run"])).code, 0);
  assertEquals((await world.amof(["archive", "--dry-run"])).code, 0);
  assertEquals((await levels(world)).includes("workspace: warning"), true);
  // Only what writes asks for it to be made.
  const start = await world.amof(["ticket", "start", "T-1", "--json"]);
  assertEquals([start.code, pick(start.json(), "error")], [1, "state_corrupt"]);
  assertStringIncludes(String(pick(start.json(), "hint")), "install --repair");
  assertEquals((await world.amof(["install", "--repair", "--yes"])).code, 0);
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
});

Deno.test("amof doctor looks at the entries by which AI hosts start amof", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const of = (ran: { json(): Record<string, unknown> }) =>
    rows(ran.json(), "checks").filter(({ name }) => /^(?:hosts|entry of )/.test(String(name)));
  assertEquals(of(await world.amof(["doctor", "--json"])), []);
  await world.amof(["mcp", "install", "windsurf", "--yes"]);
  const whole = of(await world.amof(["doctor", "--json"]));
  assertEquals(whole.map(({ level, detail }) => [level, detail]), [["ok", "amof in Windsurf"]]);

  const serve = (command: string, ...flags: string[]) => ({
    command,
    args: ["mcp", "serve", ...flags],
  });
  const npx = (version: string) => ({
    command: "npx",
    args: ["-y", `amof@${version}`, "mcp", "serve"],
  });
  const servers = {
    amof: serve("/gone/amof"),
    agentpack: serve("env", "--toolsets", "agentpack", "--quick"),
    stocktrim: npx("0.0.1"),
    own: { ...npx("latest"), env: { AMOF_ROOT: "/gone" } },
    other: npx("latest"),
    fetch: { command: "/gone/fetch", args: ["serve"] },
  };
  const elsewhere = { ...npx("latest"), env: { AMOF_ROOT: world.directory } };
  const write = (path: string, value: unknown) =>
    world.write(path, typeof value === "string" ? value : JSON.stringify(value));
  await write("home/.codeium/windsurf/mcp_config.json", { mcpServers: servers });
  await write("control/.cursor/mcp.json", { mcpServers: { amof: elsewhere } });
  await write("home/.codex/config.toml", "[mcp_servers.amof\n");
  await write("home/.gemini/settings.json", "{ broken");
  const ran = await world.amof(["doctor", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  const found = of(ran).map(({ name, detail, fix }) => `${name}: ${detail} → ${fix}`);
  const here = (path: string) => join(world.directory, path);
  const windsurf = `(${here("home/.codeium/windsurf/mcp_config.json")})`;
  assertEquals(found, [
    `entry of amof in Cursor: it is for ${world.directory}, which is no control repository (${
      here("control/.cursor/mcp.json")
    }) → amof mcp install cursor --scope project`,
    `entry of amof in Codex: Cannot use ${
      here("home/.codex/config.toml")
    }:1: it is not valid TOML; it was left as it is → null`,
    `entry of amof in Windsurf: it starts /gone/amof, which is gone ${windsurf} → amof mcp install windsurf`,
    `entry of agentpack in Windsurf: it has the flag --quick, which this version does not know ${windsurf} → amof mcp install windsurf --server agentpack`,
    `entry of stocktrim in Windsurf: it starts version 0.0.1, and this is ${VERSION} ${windsurf} → amof mcp install windsurf --server stocktrim`,
    `entry of own in Windsurf: it is for /gone, which is gone ${windsurf} → null`,
    "hosts: other in Windsurf → null",
  ]);
});

Deno.test("a ticket whose branch somebody deleted says how to make it again, out of what there is", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  for (const words of [["start", "T-1"], ["start", "T-2"]]) {
    assertEquals((await world.amof(["ticket", ...words])).code, 0);
  }
  await world.amof(["-t", "T-2", "push", "--yes"]);
  const clone = world.clone("api");
  const left = (await world.git(clone, "rev-parse", "feature/T-1")).trim();
  await world.git(clone, "branch", "-D", "feature/T-1");
  const refused = await world.amof(["ticket", "switch", "T-1", "--json"]);
  assertEquals([refused.code, pick(refused.json(), "error")], [1, "repo_diverged"]);
  assertMatch(
    String(pick(refused.json(), "message")),
    /"api" has no branch feature\/T-1 any more; nothing was changed$/,
  );
  const told = await world.amof(["doctor"]);
  assertEquals(told.code, 0, told.stderr);
  assertMatch(told.stdout, /⚠ ticket T-1: api has no branch feature\/T-1 any more\n/);
  const hint = String(pick(refused.json(), "hint"));
  const fix = /git -C .*/.exec(hint)?.[0] ?? "";
  // Git's log of what was checked out has the commit at which it was left.
  assert(fix.endsWith(` branch --no-track feature/T-1 ${left}`), fix);
  assertStringIncludes(told.stdout, fix);
  // Where the remote has the branch it is made out of that.
  await world.git(clone, "update-ref", "refs/remotes/origin/feature/T-1", "HEAD");
  assertStringIncludes(
    (await world.amof(["doctor"])).stdout,
    "branch --track feature/T-1 origin/feature/T-1",
  );
  await world.git(clone, "update-ref", "-d", "refs/remotes/origin/feature/T-1");
  assertEquals((await world.command("sh", ["-c", fix])).code, 0);
  assertEquals((await world.amof(["ticket", "switch", "T-1"])).code, 0);
  assertMatch((await world.amof(["doctor"])).stdout, /Found everything in order/);
});
