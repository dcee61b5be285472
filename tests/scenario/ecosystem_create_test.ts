/**
 * `amof ecosystem create`, from outside.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** Hooks are shell scripts. */
const POSIX = Deno.build.os !== "windows";

const SCHEMA = "ecosystems/ecosystem.schema.json";
const FILES = [
  SCHEMA,
  ...["ecosystem.yaml", "journal/.gitkeep", "kb/README.md", "playbooks/README.md"]
    .map((file) => `ecosystems/shop/${file}`),
];

async function control(): Promise<World> {
  const world = await World.make();
  await world.makeControl();
  await Deno.mkdir(join(world.control, "ecosystems"), { recursive: true });
  return world;
}

Deno.test("amof ecosystem create scaffolds a manifest that validates without warnings", async () => {
  await using world = await control();
  const created = await world.amof([
    "ecosystem",
    "create",
    "shop",
    "--description",
    "All of the shop",
    "--json",
  ]);
  assertEquals(created.code, 0);
  assertEquals(pick(created.json(), "path"), "ecosystems/shop");
  assertEquals((pick(created.json(), "files") as string[]).toSorted(), FILES);
  for (const file of FILES) assert(await world.exists(`control/${file}`), file);
  const validated = await world.amof(["-e", "shop", "manifest", "validate", "--strict", "--json"]);
  assertEquals(validated.code, 0);
  assertEquals(pick(validated.json(), "warnings"), []);
  const described = await world.amof(["ecosystem", "describe", "shop", "--json"]);
  assertEquals(pick(described.json(), "description"), "All of the shop");
  assertEquals(pick(described.json(), "repos"), []);
});

Deno.test("amof ecosystem create names the schema for editors, in a file of the control repository", async () => {
  await using world = await control();
  assertEquals((await world.amof(["ecosystem", "create", "shop"])).code, 0);
  const manifest = join(world.control, "ecosystems/shop/ecosystem.yaml");
  const [first = ""] = (await Deno.readTextFile(manifest)).split("\n");
  assertEquals(first, "# yaml-language-server: $schema=../ecosystem.schema.json");
  const schema = join(manifest, "..", first.split("=")[1] ?? "");
  const printed = await world.amof(["schema", "ecosystem"]);
  assertEquals(await Deno.readTextFile(schema), printed.stdout);
  // What is there already stays as it is, and the next ecosystem uses it.
  await Deno.writeTextFile(schema, "{}\n");
  const next = await world.amof(["ecosystem", "create", "other", "--json"]);
  assertEquals((pick(next.json(), "files") as string[]).includes(SCHEMA), false);
  assertEquals(await Deno.readTextFile(schema), "{}\n");
});

Deno.test("amof ecosystem create makes a control repository out of the git repository it is called in", async () => {
  await using world = await World.make();
  const outside = ["ecosystem", "create", "shop", "--json"];
  const nowhere = await world.amof(outside, { cwd: world.directory });
  assertEquals(pick(nowhere.json(), "error"), "root_not_found");
  assertStringIncludes(String(pick(nowhere.json(), "hint")), "repeat: amof ecosystem create shop");
  assertStringIncludes(String(pick(nowhere.json(), "hint")), "git init");
  assertStringIncludes(String(pick(nowhere.json(), "message")), "it is in no git repository");
  const offered = rows(nowhere.json(), "suggested_actions").map((action) => action["id"]);
  assertEquals(offered, ["list_runs"]);
  assertEquals((await world.amof(["runs", "list"], { cwd: world.directory })).code, 0);
  const shop = join(world.directory, "shop");
  await world.git(world.directory, "init", "--quiet", "--initial-branch=main", shop);
  await world.write("shop/src/README.md", "# Shop\n");
  const planned = await world.amof([...outside, "--dry-run"], { cwd: shop });
  assertEquals(planned.code, 0, planned.stdout);
  assertEquals(await world.exists("shop/ecosystems"), false);
  const created = await world.amof(outside, { cwd: join(shop, "src") });
  assertEquals(created.code, 0, created.stdout);
  assert(await world.exists("shop/ecosystems/shop/ecosystem.yaml"));
  const other = ["--root", shop, "ecosystem", "create", "other", "--json"];
  assertEquals((await world.amof(other, { cwd: world.directory })).code, 0);
  const listed = await world.amof(["ecosystem", "list", "--json"], { cwd: join(shop, "src") });
  assertEquals(rows(listed.json(), "ecosystems").map((row) => row["name"]), ["other", "shop"]);
});

Deno.test("amof ecosystem create neither switches the branch nor commits on its own", async () => {
  await using world = await control();
  const head = await world.git(world.control, "rev-parse", "HEAD");
  const ran = await world.amof(["ecosystem", "create", "shop", "--json"]);
  assertEquals(pick(ran.json(), "commit"), null);
  assertEquals(await world.git(world.control, "rev-parse", "HEAD"), head);
  assertEquals(await world.git(world.control, "branch", "--format=%(refname:short)"), "main");
  assertEquals(await world.git(world.control, "status", "--porcelain"), "?? ecosystems/");
});

Deno.test("amof ecosystem create --commit commits exactly the new files although others are staged", async () => {
  await using world = await control();
  await world.write("control/staged.txt", "mine\n");
  await world.git(world.control, "add", "staged.txt");
  await world.write("control/loose.txt", "mine too\n");
  const ran = await world.amof(["ecosystem", "create", "shop", "--commit", "--json"]);
  assertEquals(ran.code, 0);
  const head = await world.git(world.control, "rev-parse", "HEAD");
  assertEquals(pick(ran.json(), "commit"), head);
  const committed = await world.git(world.control, "show", "--format=%s", "--name-only", "HEAD");
  assertEquals(committed.split("\n"), ["Create ecosystem: shop", "", ...FILES]);
  assertEquals(
    await world.git(world.control, "status", "--porcelain"),
    "A  staged.txt\n?? loose.txt",
  );
});

Deno.test({
  name: "amof ecosystem create --commit takes everything back when a hook refuses the commit",
  ignore: !POSIX, // a commit hook is a shell script
  async fn() {
    await using world = await control();
    await world.write("control/staged.txt", "mine\n");
    await world.git(world.control, "add", "staged.txt");
    await world.hook(join(world.control, ".git"), "pre-commit", "echo not today >&2; exit 1");
    const ran = await world.amof(["ecosystem", "create", "shop", "--commit"]);
    assertEquals(ran.code, 1);
    assertEquals(ran.stdout, "");
    assertStringIncludes(ran.stderr, "not today");
    assertEquals(await world.exists("control/ecosystems/shop"), false);
    // What stays staged would go into the user's next commit.
    assertEquals(await world.git(world.control, "status", "--porcelain"), "A  staged.txt");
  },
});

Deno.test("amof ecosystem create refuses an existing directory and leaves it as it is", async () => {
  await using world = await control();
  await world.write("control/ecosystems/shop/notes.txt", "mine\n");
  const before = await world.fingerprint();
  const ran = await world.amof(["ecosystem", "create", "shop", "--json"]);
  assertEquals(ran.code, 1);
  assertEquals(pick(ran.json(), "error"), "ecosystem_exists");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof ecosystem create refuses a name that differs from an existing one only in case", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const before = await world.fingerprint();
  const ran = await world.amof(["ecosystem", "create", "DEMO"]);
  assertEquals(ran.code, 1);
  assertStringIncludes(ran.stderr, "ecosystems/demo exists");
  assertEquals(await world.changesSince(before), []);
});

Deno.test({
  name: "an ecosystem whose directory is a link is named everywhere, with what puts it right",
  ignore: Deno.build.os === "windows", // links
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    const place = join(world.control, "ecosystems", "demo");
    await Deno.rename(place, join(world.directory, "elsewhere"));
    await Deno.symlink(join(world.directory, "elsewhere"), place);
    let fix = "";
    for (const line of ["status", "ecosystem create demo", "ecosystem describe demo", "doctor"]) {
      const ran = await world.amof([...line.split(" "), "--json"]);
      assertStringIncludes(ran.stdout, "ecosystems/demo is a link", line);
      fix = String(ran.json()["hint"]).replace(/^.*?: /, "");
    }
    assertEquals((await world.command("sh", ["-c", fix])).code, 0, fix);
    assertEquals((await world.amof(["ecosystem", "describe", "demo"])).code, 0);
  },
});

Deno.test("amof ecosystem create refuses names that are no slugs and writes nothing", async () => {
  await using world = await control();
  const before = await world.fingerprint();
  for (const name of ["../shop", "a/b", ".shop", "two words", "-shop", "", "x".repeat(65)]) {
    const ran = await world.amof(["ecosystem", "create", "--json", "--", name]);
    assertEquals(ran.code, 2, name);
    assertEquals(pick(ran.json(), "error"), "invalid_arguments", name);
  }
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof ecosystem create needs a name", async () => {
  await using world = await control();
  const ran = await world.amof(["ecosystem", "create"]);
  assertEquals(ran.code, 2);
  assertStringIncludes(ran.stderr, "NAME is missing");
});

Deno.test("amof ecosystem create reads every form of --repo", async () => {
  await using world = await control();
  const ran = await world.amof([
    "ecosystem",
    "create",
    "shop",
    "--repo",
    "api=https://host/api.git",
    "--repo",
    "web=git@host:team/web.git@develop",
    "--repo=docs=ssh://git@host/docs.git@release/1.x:ro",
    "--repo",
    "tools=git@host:tools.git:ro",
  ]);
  assertEquals(ran.code, 0);
  const described = await world.amof(["ecosystem", "describe", "shop", "--json"]);
  assertEquals(
    rows(described.json(), "repos").map((row) => [
      row["name"],
      row["url"],
      row["branch"],
      row["readonly"],
    ]),
    [
      ["api", "https://host/api.git", "main", false],
      ["web", "git@host:team/web.git", "develop", false],
      ["docs", "ssh://git@host/docs.git", "release/1.x", true],
      ["tools", "git@host:tools.git", "main", true],
    ],
  );
});

Deno.test("amof ecosystem create refuses bad --repo values and writes nothing", async () => {
  await using world = await control();
  const before = await world.fingerprint();
  const bad = [
    "no-equals-sign",
    "=https://host/api.git",
    "../up=https://host/api.git",
    "api=",
    "api=--upload-pack=touch x",
    "api=ext::sh -c true",
    "api=https://host/api.git@-b",
    "api=https://host/api.git@a..b",
    "api=ssh://-oProxyCommand=true/api.git",
  ];
  for (const repo of bad) {
    const ran = await world.amof(["ecosystem", "create", "shop", "--json", `--repo=${repo}`]);
    assertEquals(ran.code, 2, repo);
    assertEquals(pick(ran.json(), "error"), "invalid_arguments", repo);
  }
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof ecosystem create never repeats the password of a --repo it refuses", async () => {
  await using world = await control();
  const ran = await world.amof([
    "ecosystem",
    "create",
    "shop",
    "--repo",
    "api=https://me:hunter2@host/api.git@-b",
  ]);
  assertEquals(ran.code, 2);
  assertNotMatch(ran.stdout + ran.stderr, /hunter2/);
});

Deno.test("amof ecosystem create leaves nothing behind when the manifest would not be valid", async () => {
  await using world = await control();
  const before = await world.fingerprint();
  const ran = await world.amof([
    "ecosystem",
    "create",
    "shop",
    "--repo",
    "api=https://host/api.git",
    "--repo",
    "API=https://host/other.git",
    "--json",
  ]);
  assertEquals(ran.code, 2);
  assertEquals(pick(ran.json(), "error"), "manifest_invalid");
  assertMatch(String(pick(ran.json(), "message")), /already used/);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof ecosystem create refuses a description that is far too long", async () => {
  await using world = await control();
  const ran = await world.amof(["ecosystem", "create", "shop", "--description", "x".repeat(1001)]);
  assertEquals(ran.code, 2);
  assertEquals(await world.exists("control/ecosystems/shop"), false);
});

Deno.test({
  name: "amof ecosystem create that is killed while it commits can be repeated",
  ignore: Deno.build.os === "windows", // kills by signal
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    const before = await world.fingerprint();
    const create = [
      "ecosystem",
      "create",
      "shop",
      "--repo",
      "api=https://h.test/a.git",
      "--commit",
    ];
    const env = await world.wrapGit('case "$*" in *"commit --file"*) kill -9 "$PPID" ;; esac');
    await world.amof(create, { env: { ...env } });
    // What was left is taken back before anything else happens in the control repository.
    await world.amof(["-e", "demo", "doctor", "--repair"]);
    const left = (await world.changesSince(before)).filter((line) => !line.includes("/.git/"));
    const committed = (await world.git(world.control, "log", "-1", "--format=%s")).includes("shop");
    assertEquals(committed || left.length === 0, true, left.join("\n"));
    const again = await world.amof([...create, "--json"]);
    assertEquals(again.code, committed ? 1 : 0, again.stdout);
    assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  },
});
