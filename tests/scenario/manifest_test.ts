/**
 * `amof manifest validate` and `amof manifest show`, from outside.
 *
 * @module
 */

import {
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertObjectMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";

/** Symbolic links need a privilege elsewhere. */
const POSIX = Deno.build.os !== "windows";

const FILE = "control/ecosystems/demo/ecosystem.yaml";

/** A world whose one manifest has this text. */
async function withManifest(text: string): Promise<World> {
  const world = await World.withEcosystem({ repos: [] });
  await world.write(FILE, text);
  return world;
}

function validate(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["manifest", "validate", "--json", ...args]);
}

function paths(ran: Ran, list: "errors" | "warnings"): unknown[] {
  return rows(ran.json(), list).map((problem) => problem["path"]);
}

Deno.test("amof manifest validate finds nothing wrong with a good manifest", async () => {
  await using world = await World.withEcosystem();
  const json = await validate(world, "--strict");
  assertEquals(json.code, 0);
  assertEquals(pick(json.json(), "valid"), true);
  assertEquals(pick(json.json(), "errors"), []);
  assertEquals(pick(json.json(), "warnings"), []);
  const human = await world.amof(["manifest", "validate"]);
  assertStringIncludes(human.stdout, "Found no errors in ecosystems/demo/ecosystem.yaml");
});

Deno.test("amof manifest validate exits 0 on mere warnings, each with place and fix", async () => {
  await using world = await withManifest(
    "name: demo\nrepos:\n  - name: api\n    url: ../api.git\n",
  );
  const ran = await validate(world);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "valid"), true);
  assertEquals(pick(ran.json(), "errors"), []);
  assertEquals(pick(ran.json(), "error"), undefined);
  assertEquals(rows(ran.json(), "warnings"), [
    {
      path: "repos[0].url",
      repo: "api",
      line: 4,
      column: 10,
      message: '"../api.git" has no known scheme',
      fix: "Use https://, ssh://, git@host:path or file://",
    },
  ]);
});

Deno.test("amof manifest validate --strict counts warnings as errors", async () => {
  await using world = await withManifest(
    "name: demo\nrepos:\n  - name: api\n    url: ../api.git\n",
  );
  const ran = await validate(world, "--strict");
  assertEquals(ran.code, 3);
  assertEquals(pick(ran.json(), "valid"), false);
  assertEquals(paths(ran, "errors"), ["repos[0].url"]);
  assertEquals(pick(ran.json(), "warnings"), []);
});

Deno.test("amof manifest validate exits 3 on errors and shows them on standard output", async () => {
  await using world = await withManifest("name: demo\nrepos:\n  - name: api\n");
  const json = await validate(world);
  assertEquals(json.code, 3);
  assertEquals(pick(json.json(), "valid"), false);
  assertEquals(pick(json.json(), "error"), "manifest_invalid");
  assertEquals(paths(json, "errors"), ["repos[0].url"]);
  assertMatch(String(pick(json.json(), "errors", 0, "fix")), /url/);
  const human = await world.amof(["manifest", "validate"]);
  assertEquals(human.code, 3);
  assertStringIncludes(
    human.stdout,
    [
      '✗ repos[0].url: "url" is missing',
      "    at ecosystems/demo/ecosystem.yaml:3:5 (repository api)",
      '    fix: Add "url:" with the address to clone from',
    ].join("\n"),
  );
  assertStringIncludes(human.stderr, "error: ");
});

Deno.test("amof manifest validate warns of unknown keys with the nearest known one", async () => {
  await using world = await withManifest(
    "name: demo\ndescripton: x\nrepos:\n  - {name: api, url: 'https://h/a.git', branch: main, readnly: true}\n",
  );
  const ran = await validate(world);
  assertEquals(ran.code, 0);
  assertEquals(
    rows(ran.json(), "warnings").map((problem) => [problem["path"], problem["fix"]]),
    [
      ["descripton", 'Did you mean "description"?'],
      ["repos[0].readnly", 'Did you mean "readonly"?'],
    ],
  );
});

Deno.test("amof manifest validate tells an empty, a broken and a missing file apart", async () => {
  await using world = await withManifest("");
  const empty = await validate(world);
  assertEquals(empty.code, 3);
  assertEquals(pick(empty.json(), "errors", 0, "message"), "The file is empty");
  await world.write(FILE, "name: demo\nrepos: [\n");
  const broken = await validate(world);
  assertEquals(broken.code, 3);
  assertMatch(String(pick(broken.json(), "errors", 0, "message")), /^Not valid YAML: /);
  assertEquals(pick(broken.json(), "errors", 0, "line"), 3);
  await Deno.remove(join(world.directory, FILE));
  const missing = await validate(world, "-e", "demo");
  assertEquals(missing.code, 2);
  assertEquals(pick(missing.json(), "error"), "ecosystem_not_found");
});

Deno.test({
  name: "amof manifest validate says so when the file is a link that leads nowhere",
  ignore: !POSIX, // links need a privilege there
  async fn() {
    await using world = await World.withEcosystem({ repos: [] });
    await Deno.remove(join(world.directory, FILE));
    await Deno.symlink("nowhere.yaml", join(world.directory, FILE));
    const ran = await validate(world);
    assertEquals(ran.code, 2);
    assertEquals(pick(ran.json(), "error"), "manifest_not_found");
  },
});

const REPO = "url: https://host/a.git, branch: main";

/** What is wrong, the manifest, and where the error must point. */
const WRONG: readonly (readonly [string, string, readonly string[]])[] = [
  ["no repos", "name: demo\n", ["repos"]],
  ["repos that are no list", "name: demo\nrepos: {}\n", ["repos"]],
  ["an item that is no mapping", "name: demo\nrepos: [api]\n", ["repos[0]"]],
  ["no name", "repos: []\n", ["name"]],
  ["another name than the directory's", "name: other\nrepos: []\n", ["name"]],
  ["a document that is no mapping", "- name: demo\n", [""]],
  ["a name used twice", `name: demo\nrepos: [{name: a, ${REPO}}, {name: A, path: b, ${REPO}}]\n`, [
    "repos[1].name",
  ]],
  ["a name that is no slug", `name: demo\nrepos: [{name: ../a, ${REPO}}]\n`, ["repos[0].name"]],
  [
    "a path used twice",
    `name: demo\nrepos: [{name: a, ${REPO}}, {name: b, path: repos/a/, ${REPO}}]\n`,
    [
      "repos[1].path",
    ],
  ],
  [
    "a path below another",
    `name: demo\nrepos: [{name: a, ${REPO}}, {name: b, path: repos/a/b, ${REPO}}]\n`,
    [
      "repos[1].path",
    ],
  ],
  ["a path that leaves the workspace", `name: demo\nrepos: [{name: a, path: ../a, ${REPO}}]\n`, [
    "repos[0].path",
  ]],
  ["an absolute path", `name: demo\nrepos: [{name: a, path: /tmp/a, ${REPO}}]\n`, [
    "repos[0].path",
  ]],
  ["a path into .git", `name: demo\nrepos: [{name: a, path: .git/hooks, ${REPO}}]\n`, [
    "repos[0].path",
  ]],
  [
    "a branch like an option",
    "name: demo\nrepos: [{name: a, url: 'https://h/a', branch: --force}]\n",
    [
      "repos[0].branch",
    ],
  ],
  ["a branch git refuses", "name: demo\nrepos: [{name: a, url: 'https://h/a', branch: a..b}]\n", [
    "repos[0].branch",
  ]],
  ["a URL like an option", "name: demo\nrepos: [{name: a, url: --upload-pack=x, branch: main}]\n", [
    "repos[0].url",
  ]],
  ["a URL that runs a command", "name: demo\nrepos: [{name: a, url: 'ext::sh', branch: main}]\n", [
    "repos[0].url",
  ]],
  ["a branch that is no text", "name: demo\nrepos: [{name: a, url: 'https://h/a', branch: 1}]\n", [
    "repos[0].branch",
  ]],
  ["a workspace outside", "name: demo\nrepos: []\nworkspace_dir: ../out\n", ["workspace_dir"]],
  ["a provisioner that is a path", "name: demo\nrepos: []\nprovisioner: ../../x\n", [
    "provisioner",
  ]],
  ["a bad branch prefix", "name: demo\nrepos: []\nworkspace: {repo_branch_prefix: '-x'}\n", [
    "workspace.repo_branch_prefix",
  ]],
  [
    "numbers below their least",
    "name: demo\nrepos: []\ncontext: {max_files: 0, summary_tokens: 99}\n",
    [
      "context.max_files",
      "context.summary_tokens",
    ],
  ],
];

Deno.test("amof manifest validate points to the place of every known mistake", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  for (const [what, text, places] of WRONG) {
    await world.write(FILE, text);
    const ran = await validate(world);
    assertEquals(ran.code, 3, what);
    assertEquals(paths(ran, "errors"), [...places], what);
  }
});

Deno.test("amof manifest validate refuses a file that would expand without bound", async () => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(",")}]`,
  );
  await using world = await withManifest(
    `name: demo\nrepos: []\nl0: &l0 [x]\n${levels.join("\n")}\n`,
  );
  const ran = await validate(world);
  assertEquals(ran.code, 3);
  assertMatch(String(pick(ran.json(), "errors", 0, "message")), /expands to more than/);
});

Deno.test("amof status works with a manifest that has mere warnings", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.write(
    FILE,
    `name: demo\nunknown: 1\nrepos:\n  - name: api\n    url: ${world.url("api")}\n`,
  );
  const ran = await world.amof(["status", "--json"]);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "repos", 0, "status"), "OK");
});

Deno.test("amof manifest show fills in every default and hides credentials", async () => {
  await using world = await withManifest(
    "name: demo\nrepos:\n  - name: api\n    url: https://me:hunter2@host/api.git\n",
  );
  const json = await world.amof(["manifest", "show", "--json"]);
  assertEquals(json.code, 0);
  assertObjectMatch(json.json(), {
    file: "ecosystems/demo/ecosystem.yaml",
    manifest: { name: "demo", description: "", provisioner: null, retired: false },
  });
  assertEquals(pick(json.json(), "manifest", "repos"), [{
    name: "api",
    url: "https://***@host/api.git",
    branch: "main",
    path: "repos/api",
    clone: "full",
    readonly: false,
    enabled: true,
    tags: [],
    dependsOn: [],
    carry: [],
    sparse: [],
    lfs: false,
    submodules: false,
    include: [],
    exclude: [],
  }]);
  const human = await world.amof(["manifest", "show"]);
  assertStringIncludes(human.stdout, "worktrees/demo on workspace/demo");
  assertMatch(human.stdout, /api +RW +yes +main +repos\/api +https:\/\/\*\*\*@host/);
  assertNotMatch(json.stdout + human.stdout + human.stderr, /hunter2/);
});

Deno.test("amof manifest show refuses an invalid manifest", async () => {
  await using world = await withManifest("name: demo\nrepos: 3\n");
  const ran = await world.amof(["manifest", "show"]);
  assertEquals(ran.code, 2);
  assertEquals(ran.stdout, "");
  assertStringIncludes(ran.stderr, "repos: ");
});
