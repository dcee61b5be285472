// Covers checkManifest() and loadManifest(): every member and rule of WORKSPACE-5 and WORKSPACE-6.

import { branchName, repoName } from "../../../src/ids.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import {
  checkManifest,
  loadManifest,
  type Manifest,
  type ManifestCheck,
} from "../../../src/workspace/manifest/manifest.ts";
import type { Problem } from "../../../src/workspace/manifest/problem.ts";
import { AmofError } from "../../../src/error.ts";
import { memoryWorld } from "../../support/memory.ts";

const FILE = "/space/ecosystems/demo/ecosystem.yaml";

function check(text: string, name = "demo"): Promise<ManifestCheck> {
  const { system } = memoryWorld({ files: { [`/space/ecosystems/${name}/ecosystem.yaml`]: text } });
  return checkManifest(system, "/space", name);
}

/** A manifest with one repository; lines of `repo` go into it, lines of `top` to the end. */
function manifest(
  { repo = [], top = [] }: { repo?: readonly string[]; top?: readonly string[] },
): string {
  return [
    "name: demo",
    "repos:",
    "  - name: api",
    "    url: https://host/api.git",
    ...(repo.some((line) => line.startsWith("branch:")) ? [] : ["    branch: main"]),
    ...repo.map((line) => `    ${line}`),
    ...top,
    "",
  ].join("\n");
}

const twoRepos = (first: string, second: string) =>
  `name: demo\nrepos:\n  - {url: "https://host/a", branch: main, ${first}}\n  - {url: "https://host/b", branch: main, ${second}}\n`;

const places = (problems: readonly Problem[]) => problems.map((problem) => problem.path);

// What a good manifest becomes.

Deno.test("checkManifest() fills in every default", async () => {
  const found = await check(manifest({}));
  const expected: Manifest = {
    name: "demo",
    description: "",
    workspaceDir: "worktrees/demo",
    workspaceBranch: "workspace/demo",
    featurePrefix: "feature",
    provisioner: null,
    provisionerEnv: [],
    retired: false,
    repos: [{
      name: repoName("api"),
      url: "https://host/api.git",
      branch: branchName("main"),
      path: "repos/api",
      readonly: false,
      enabled: true,
      include: [],
      exclude: [],
    }],
    noTouchPaths: [],
  };
  assertEquals(found, {
    file: "ecosystems/demo/ecosystem.yaml",
    manifest: expected,
    errors: [],
    warnings: [],
  });
});

Deno.test("checkManifest() takes over every field", async () => {
  const found = await check(manifest({
    repo: [
      "branch: release/1.x",
      "path: ./lib//api/",
      "readonly: true",
      "enabled: false",
      'include: ["src/**"]',
      'exclude: ["*.lock"]',
    ],
    top: [
      "description: The demo",
      "workspace_dir: work/demo/",
      "provisioner: k3d",
      "provisioner_env: [KUBECONFIG]",
      "retired: true",
      "workspace: {branch_prefix: ws/, repo_branch_prefix: topic//}",
      "devcontainer: {enabled: true}",
      "context: {max_files: 1, summary_tokens: 100}",
      'guardrails: {no_touch_paths: ["secrets/**"]}',
      "actors: [anything, {at: all}]",
      "components: {any: {thing: 1}}",
      "manifest_source: appdata",
    ],
  }));
  const expected: Manifest = {
    name: "demo",
    description: "The demo",
    workspaceDir: "work/demo",
    workspaceBranch: "ws/demo",
    featurePrefix: "topic",
    provisioner: "k3d",
    provisionerEnv: ["KUBECONFIG"],
    retired: true,
    repos: [{
      name: repoName("api"),
      url: "https://host/api.git",
      branch: branchName("release/1.x"),
      path: "lib/api",
      readonly: true,
      enabled: false,
      include: ["src/**"],
      exclude: ["*.lock"],
    }],
    noTouchPaths: ["secrets/**"],
  };
  assertEquals([found.manifest, found.errors, found.warnings], [expected, [], []]);
});

Deno.test("checkManifest() accepts a workspace without repositories", async () => {
  const found = await check("name: demo\nrepos: []\n");
  assertEquals([found.manifest?.repos, found.errors, found.warnings], [[], [], []]);
});

Deno.test("checkManifest() falls back where a prefix is empty", async () => {
  const found = await check(
    manifest({ top: ['workspace: {branch_prefix: "", repo_branch_prefix: "/"}'] }),
  );
  assertEquals([found.manifest?.workspaceBranch, found.manifest?.featurePrefix], [
    "workspace/demo",
    "feature",
  ]);
});

for (
  const url of ["git@host:a", "https://h/a", "http://h/a", "ssh://h/a", "file:///a", "local://a"]
) {
  Deno.test(`checkManifest() takes the address ${url} without a word`, async () => {
    const found = await check(`name: demo\nrepos:\n  - {name: api, url: "${url}", branch: main}\n`);
    assertEquals([found.errors, found.warnings], [[], []]);
  });
}

// The file as a whole.

const FILES: readonly (readonly [string, string, RegExp])[] = [
  ["an empty file", "", /^The file is empty$/],
  ["a file of blanks", " \n\n", /^The file is empty$/],
  ["a YAML syntax error", "name: demo\nrepos: [\n", /^Not valid YAML: /],
  [
    "a key that is given twice",
    "name: demo\nname: demo\nrepos: []\n",
    /^Not valid YAML: .*duplicate/i,
  ],
  ["two documents", "name: demo\nrepos: []\n---\nname: demo\n", /^Not valid YAML: /],
  ["an unknown tag", "name: demo\nrepos: !!js/function 'x'\n", /^Not valid YAML: /],
  ["a list", "- name: demo\n", /^The file must hold a mapping$/],
  ["a text", "demo\n", /^The file must hold a mapping$/],
  ["comments only", "# nothing\n", /^The file must hold a mapping$/],
  [
    "a file that is too large",
    `name: demo\nrepos: []\n#${"x".repeat(1024 * 1024)}`,
    /at most 1048576 are read$/,
  ],
  [
    "aliases that expand without bound",
    [
      "name: demo",
      "repos: []",
      "actors:",
      "  - &a0 [x, x, x, x, x, x, x, x, x, x]",
      ...Array.from(
        { length: 9 },
        (_, n) => `  - &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]`,
      ),
    ].join("\n"),
    /^The file expands to more than 100000 values or 100 levels$/,
  ],
  [
    "an alias that holds itself",
    "name: demo\nrepos: []\nactors: &a [*a]\n",
    /^(?:The file expands|Not valid YAML)/,
  ],
  [
    "nesting without bound",
    `name: demo\nrepos: []\nactors: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`,
    /^(?:The file expands|Not valid YAML)/,
  ],
];

for (const [what, text, message] of FILES) {
  Deno.test(`checkManifest() reports ${what} as one error of the file`, async () => {
    const found = await check(text);
    assertEquals([found.manifest, places(found.errors), found.warnings], [null, [""], []]);
    assertMatch(found.errors[0]?.message ?? "", message);
  });
}

Deno.test("checkManifest() says how to mend an empty file", async () => {
  assertEquals((await check("")).errors[0]?.fix, 'Write "name: demo" and "repos: []"');
});

Deno.test("checkManifest() names the line of a syntax error", async () => {
  const [error] = (await check("name: demo\nrepos: [\n")).errors;
  assertEquals([error?.line, error?.column], [3, 1]);
});

Deno.test("checkManifest() reports a directory in place of the file", async () => {
  const { system } = memoryWorld({ files: { [`${FILE}/x`]: "" } });
  const found = await checkManifest(system, "/space", "demo");
  assertEquals(found.errors, [{
    path: "",
    repo: null,
    line: null,
    column: null,
    message: "ecosystems/demo/ecosystem.yaml is not a file",
    fix: "Move it away and write a file",
  }]);
});

Deno.test("checkManifest() throws manifest_not_found where there is no file", async () => {
  const { system } = memoryWorld({ files: { "/space/ecosystems/other/ecosystem.yaml": "" } });
  const error = await assertRejects(() => checkManifest(system, "/space", "demo"), AmofError);
  assertEquals([error.code, error.hint], [
    "manifest_not_found",
    "Create it: amof ecosystem create demo",
  ]);
});

// Errors, each with its place.

const ERRORS: readonly (readonly [string, string, string])[] = [
  ["a missing name", "repos: []", "name"],
  ["a name that is no text", "name: 5\nrepos: []", "name"],
  ["a name that is no slug", 'name: "de mo"\nrepos: []', "name"],
  ["a name that is not the directory's", "name: demo2\nrepos: []", "name"],
  ["an alias of the name that is not the directory's", "ecosystem: demo2\nrepos: []", "name"],
  ["missing repos", "name: demo", "repos"],
  ["repos that are null", "name: demo\nrepos:", "repos"],
  ["repos that are a mapping", "name: demo\nrepos: {api: {}}", "repos"],
  ["a repository that is no mapping", "name: demo\nrepos: [api]", "repos[0]"],
  [
    "a repository without a name",
    'name: demo\nrepos: [{url: "https://h/x", branch: main}]',
    "repos[0].name",
  ],
  [
    "a repository name that is no slug",
    'name: demo\nrepos: [{name: "../x", url: "https://h/x", branch: main}]',
    "repos[0].name",
  ],
  [
    "a repository without an address",
    "name: demo\nrepos: [{name: api, branch: main}]",
    "repos[0].url",
  ],
  ["an empty address", 'name: demo\nrepos: [{name: api, url: "", branch: main}]', "repos[0].url"],
  [
    "an address that runs a program",
    'name: demo\nrepos: [{name: api, url: "ext::sh -c x", branch: main}]',
    "repos[0].url",
  ],
  [
    "an address that is an option",
    'name: demo\nrepos: [{name: api, url: "--upload-pack=x", branch: main}]',
    "repos[0].url",
  ],
  [
    "a host that is an option",
    'name: demo\nrepos: [{name: api, url: "ssh://-oProxyCommand=x/y", branch: main}]',
    "repos[0].url",
  ],
  [
    "an address with a control character",
    'name: demo\nrepos: [{name: api, url: "https://h/\\e[31m", branch: main}]',
    "repos[0].url",
  ],
  ["a branch that begins with a dash", manifest({ repo: ["branch: -x"] }), "repos[0].branch"],
  ["a branch that git refuses", manifest({ repo: ["branch: a..b"] }), "repos[0].branch"],
  ["a branch that is no text", manifest({ repo: ["branch: 1.5"] }), "repos[0].branch"],
  ["an empty branch", manifest({ repo: ['branch: ""'] }), "repos[0].branch"],
  ["an absolute path", manifest({ repo: ["path: /srv/api"] }), "repos[0].path"],
  ["a path of a drive", manifest({ repo: ["path: 'C:/api'"] }), "repos[0].path"],
  ["a path with backslashes", manifest({ repo: ["path: 'repos\\api'"] }), "repos[0].path"],
  ["a path that leads upwards", manifest({ repo: ["path: ../api"] }), "repos[0].path"],
  [
    "a path that leads upwards in the end",
    manifest({ repo: ["path: repos/../../api"] }),
    "repos[0].path",
  ],
  ["a path that is the workspace itself", manifest({ repo: ["path: ."] }), "repos[0].path"],
  [
    "a path that comes back to the workspace",
    manifest({ repo: ["path: repos/.."] }),
    "repos[0].path",
  ],
  ["an empty path", manifest({ repo: ['path: ""'] }), "repos[0].path"],
  ["a path with a control character", manifest({ repo: ['path: "a\\u0007"'] }), "repos[0].path"],
  ["a path below .git", manifest({ repo: ["path: .git/hooks"] }), "repos[0].path"],
  [
    "a path below .GIT, which is .git on some systems",
    manifest({ repo: ["path: .GIT/hooks"] }),
    "repos[0].path",
  ],
  ["a path below .git in disguise", manifest({ repo: ["path: ./.git/hooks"] }), "repos[0].path"],
  ["a path below .git by a detour", manifest({ repo: ["path: x/../.git/hooks"] }), "repos[0].path"],
  ["a path that begins with a dash", manifest({ repo: ["path: -x"] }), "repos[0].path"],
  ["a path with an option in it", manifest({ repo: ["path: repos/--all"] }), "repos[0].path"],
  ["a path with .git in the middle", manifest({ repo: ["path: repos/.git/x"] }), "repos[0].path"],
  ["a path that ends in .Git", manifest({ repo: ["path: repos/.Git"] }), "repos[0].path"],
  ["a path with the short form of .git", manifest({ repo: ["path: GIT~1/x"] }), "repos[0].path"],
  [
    "a path with .git and a character that is not seen",
    manifest({ repo: ['path: "repos/.g\\u200cit"'] }),
    "repos[0].path",
  ],
  ["a path that is a device", manifest({ repo: ["path: repos/aux"] }), "repos[0].path"],
  ["a path below a device", manifest({ repo: ["path: COM1.d/api"] }), "repos[0].path"],
  ["a repository that is called like a device", twoRepos("name: nul", "name: b"), "repos[0].path"],
  ["a path with a colon", manifest({ repo: ["path: 'repos/api:x'"] }), "repos[0].path"],
  ["a path that ends with a dot", manifest({ repo: ["path: repos/api."] }), "repos[0].path"],
  ["a path that ends with a blank", manifest({ repo: ["path: 'repos/api '"] }), "repos[0].path"],
  ["a path with a delete character", manifest({ repo: ['path: "a\\u007f"'] }), "repos[0].path"],
  [
    "paths that differ in the way an accent is written only",
    twoRepos('name: a, path: "repos/\\u00e9"', 'name: b, path: "repos/e\\u0301"'),
    "repos[1].path",
  ],
  [
    "a workspace that begins with a dash",
    manifest({ top: ["workspace_dir: -x"] }),
    "workspace_dir",
  ],
  [
    "a workspace below .git in the middle",
    manifest({ top: ["workspace_dir: work/.git/x"] }),
    "workspace_dir",
  ],
  ["a workspace that is a device", manifest({ top: ["workspace_dir: work/con"] }), "workspace_dir"],
  [
    "a branch that is an option",
    manifest({ repo: ["branch: --upload-pack=x"] }),
    "repos[0].branch",
  ],
  [
    "an address that is an option",
    "name: demo\nrepos: [{name: a, branch: main, url: --upload-pack=x}]\n",
    "repos[0].url",
  ],
  [
    "a prefix that is an option",
    manifest({ top: ["workspace: {repo_branch_prefix: -x}"] }),
    "workspace.repo_branch_prefix",
  ],
  ["a path below .amof", manifest({ repo: ["path: .amof/x"] }), "repos[0].path"],
  ["a path below ecosystems", manifest({ repo: ["path: ecosystems/demo"] }), "repos[0].path"],
  ["readonly that is no boolean", manifest({ repo: ['readonly: "yes"'] }), "repos[0].readonly"],
  ["enabled that is no boolean", manifest({ repo: ["enabled: 1"] }), "repos[0].enabled"],
  ["include that is no list", manifest({ repo: ["include: src"] }), "repos[0].include"],
  [
    "an item of exclude that is no text",
    manifest({ repo: ["exclude: [a, 1]"] }),
    "repos[0].exclude[1]",
  ],
  ["a description that is no text", manifest({ top: ["description: [x]"] }), "description"],
  ["an absolute workspace directory", manifest({ top: ["workspace_dir: /srv"] }), "workspace_dir"],
  ["a workspace directory outside", manifest({ top: ["workspace_dir: ../x"] }), "workspace_dir"],
  ["the control repository as workspace", manifest({ top: ["workspace_dir: ."] }), "workspace_dir"],
  [
    "a workspace directory below .git",
    manifest({ top: ["workspace_dir: .git/x"] }),
    "workspace_dir",
  ],
  [
    "a workspace directory below .git in disguise",
    manifest({ top: ["workspace_dir: ./.git/x"] }),
    "workspace_dir",
  ],
  [
    "a workspace directory below ecosystems",
    manifest({ top: ["workspace_dir: ecosystems/x"] }),
    "workspace_dir",
  ],
  ["a provisioner that is a path", manifest({ top: ["provisioner: ../../x"] }), "provisioner"],
  [
    "a variable name that is none",
    manifest({ top: ['provisioner_env: ["A=B"]'] }),
    "provisioner_env[0]",
  ],
  ["retired that is no boolean", manifest({ top: ["retired: maybe"] }), "retired"],
  ["a workspace section that is no mapping", manifest({ top: ["workspace: x"] }), "workspace"],
  [
    "a branch prefix that git refuses",
    manifest({ top: ['workspace: {branch_prefix: "a b"}'] }),
    "workspace.branch_prefix",
  ],
  [
    "a branch prefix that begins with a dash",
    manifest({ top: ["workspace: {branch_prefix: -x}"] }),
    "workspace.branch_prefix",
  ],
  [
    "a feature prefix that git refuses",
    manifest({ top: ["workspace: {repo_branch_prefix: a..b}"] }),
    "workspace.repo_branch_prefix",
  ],
  [
    "a devcontainer switch that is no boolean",
    manifest({ top: ["devcontainer: {enabled: 1}"] }),
    "devcontainer.enabled",
  ],
  ["no files for context", manifest({ top: ["context: {max_files: 0}"] }), "context.max_files"],
  [
    "half a file for context",
    manifest({ top: ["context: {max_files: 1.5}"] }),
    "context.max_files",
  ],
  [
    "too few tokens",
    manifest({ top: ["context: {summary_tokens: 99}"] }),
    "context.summary_tokens",
  ],
  [
    "guarded paths that are no list",
    manifest({ top: ["guardrails: {no_touch_paths: x}"] }),
    "guardrails.no_touch_paths",
  ],
  ["actors that are no list", manifest({ top: ["actors: {}"] }), "actors"],
  ["components that are no mapping", manifest({ top: ["components: []"] }), "components"],
  ["two repositories of one name", twoRepos("name: a", "name: a, path: x"), "repos[1].name"],
  ["names that differ in case only", twoRepos("name: api", "name: API, path: x"), "repos[1].name"],
  [
    "two repositories of one path",
    twoRepos("name: a, path: x", "name: b, path: x"),
    "repos[1].path",
  ],
  [
    "one path in two spellings",
    twoRepos("name: a, path: x/y", "name: b, path: ./x//y/"),
    "repos[1].path",
  ],
  [
    "paths that differ in case only",
    twoRepos("name: a, path: lib", "name: b, path: LIB"),
    "repos[1].path",
  ],
  ["a path inside another", twoRepos("name: a, path: x", "name: b, path: x/y"), "repos[1].path"],
  ["a path around another", twoRepos("name: a, path: x/y", "name: b, path: x"), "repos[1].path"],
  [
    "a path that is another's default",
    twoRepos("name: a", "name: b, path: repos/a"),
    "repos[1].path",
  ],
];

for (const [what, text, path] of ERRORS) {
  Deno.test(`checkManifest() makes ${what} an error at ${path}`, async () => {
    const found = await check(text);
    assertEquals([places(found.errors), found.manifest], [[path], null]);
  });
}

Deno.test("checkManifest() makes a name that no branch can end with an error", async () => {
  for (const name of ["a..b", "x.lock", "x."]) {
    assertEquals(places((await check(`name: ${name}\nrepos: []\n`, name)).errors), ["name"], name);
  }
});

Deno.test("checkManifest() keeps apart paths that only begin alike", async () => {
  assertEquals((await check(twoRepos("name: a, path: lib", "name: b, path: library"))).errors, []);
});

Deno.test("checkManifest() reports all errors at once", async () => {
  const found = await check(
    manifest({ repo: ["branch: -x", "path: /a"], top: ["workspace_dir: /b"] }),
  );
  assertEquals(places(found.errors), ["repos[0].branch", "repos[0].path", "workspace_dir"]);
});

Deno.test("checkManifest() reports warnings besides errors", async () => {
  const found = await check("name: demo\nrepos: 5\ndescripton: x\n");
  assertEquals([places(found.errors), places(found.warnings)], [["repos"], ["descripton"]]);
});

// Fixes.

const FIXES: readonly (readonly [string, string, string])[] = [
  ["a missing name", "repos: []", 'Add "name: demo"'],
  ["a wrong name", "name: other\nrepos: []", 'Write "name: demo", or rename the directory'],
  ["missing repos", "name: demo", 'Add "repos: []" or a list of repositories'],
  [
    "a missing address",
    "name: demo\nrepos: [{name: a}]",
    'Add "url:" with the address to clone from',
  ],
  [
    "a missing repository name",
    'name: demo\nrepos: [{url: "https://h/x"}]',
    'Add "name:" with a unique name',
  ],
  ["a bad path", manifest({ repo: ["path: /x"] }), "Use a relative path such as repos/api"],
  ["a bad branch", manifest({ repo: ["branch: -x"] }), "Use a name that git accepts, such as main"],
];

for (const [what, text, fix] of FIXES) {
  Deno.test(`checkManifest() says how to mend ${what}`, async () => {
    assertEquals((await check(text)).errors[0]?.fix, fix);
  });
}

/** The whole of every error: repository, line, column, path, message, fix. */
async function told(text: string): Promise<unknown[]> {
  return (await check(text)).errors.map(({ repo, line, column, path, message, fix }) => [
    repo,
    line,
    column,
    path,
    message,
    fix,
  ]);
}

Deno.test("checkManifest() tells mistakes of shape and of meaning at once, in the order of the file", async () => {
  const text = [
    "name: demo",
    "repos:",
    "  - name: api",
    "    url: ext::sh",
    "    readonly: yes",
    "  - url: https://host/b.git",
    "    branch: 1.10",
    "  - name: api",
    "    url: https://host/c.git",
    "    branch: a..b",
    "    include: src",
    "retired: 1",
    "workspace_dir: ../out",
    "",
  ].join("\n");
  assertEquals(
    await told(text),
    [
      [
        "api",
        4,
        10,
        "repos[0].url",
        '"ext::sh" is not an address that may be cloned',
        "Use https://, ssh://, git@host:path or file://",
      ],
      [
        "api",
        5,
        15,
        "repos[0].readonly",
        'must be true or false, not "yes"',
        'Write readonly: true (in YAML 1.2 "yes" is text; only true and false are booleans)',
      ],
      [null, 6, 5, "repos[1].name", '"name" is missing', 'Add "name:" with a unique name'],
      [
        null,
        7,
        13,
        "repos[1].branch",
        "must be text, not the number 1.10",
        'Put it in quotes: branch: "1.10"',
      ],
      [
        "api",
        8,
        11,
        "repos[2].name",
        'The name "api" is already used by repos[0]',
        "Give each repository its own name",
      ],
      [
        "api",
        10,
        13,
        "repos[2].branch",
        '"a..b" cannot be the name of a branch',
        "Use a name that git accepts, such as main",
      ],
      [
        "api",
        11,
        14,
        "repos[2].include",
        'must be a list, not "src"',
        "Write a list: include: [src]",
      ],
      [null, 12, 10, "retired", "must be true or false, not the number 1", "Write true or false"],
      [
        null,
        13,
        16,
        "workspace_dir",
        '"../out" cannot hold a workspace: it leads out of there, or is that directory itself',
        "Use a relative path such as worktrees/<name>",
      ],
    ],
  );
});

Deno.test("checkManifest() knows what people mean by the booleans of YAML 1.1, and by quoted ones", async () => {
  for (
    const [written, fix] of [
      ["yes", "Write readonly: true (in YAML 1.2"],
      ["Off", "Write readonly: false (in YAML 1.2"],
      ['"true"', "Write it without quotes: readonly: true"],
      ["maybe", "Write true or false"],
    ] as const
  ) {
    const [error] = (await check(manifest({ repo: [`readonly: ${written}`] }))).errors;
    assertEquals(error?.fix.startsWith(fix), true, error?.fix);
  }
});

Deno.test("checkManifest() tells every syntax error with its place", async () => {
  const found = await check("name: demo\nrepos:\n\t- x\nname: demo\n");
  assertEquals(found.errors.map(({ line, repo }) => [line, repo]), [[3, null], [4, null]]);
  for (const { message, fix } of found.errors) {
    assertMatch(message, /^Not valid YAML: /);
    assert(fix.length > 10);
  }
});

Deno.test("checkManifest() finds places behind aliases and merges, and gives up where it cannot", async () => {
  const text = [
    "name: demo",
    "x-base: &base {url: https://host/a.git, branch: 5}",
    "repos:",
    "  - <<: *base",
    "    name: a",
    "",
  ].join("\n");
  const [error] = (await check(text)).errors;
  assertEquals([error?.path, error?.line, error?.repo], ["repos[0].branch", 4, "a"]);
});

Deno.test("every problem of every bad manifest has a fix", async () => {
  const texts = [...ERRORS, ...FILES].map(([, text]) => text);
  for (const text of texts) {
    const found = await check(text);
    for (const { fix, message } of [...found.errors, ...found.warnings]) {
      assertMatch(fix, /^[A-Z].*[^.]$/s, message);
    }
  }
});

Deno.test("checkManifest() looks for the lines of mere warnings only where it is asked to", async () => {
  const { system } = memoryWorld({ files: { [FILE]: manifest({ top: ["zzzzzzzz: 1"] }) } });
  const usual = await checkManifest(system, "/space", "demo");
  const asked = await checkManifest(system, "/space", "demo", true);
  assertEquals([usual.warnings[0]?.line, asked.warnings[0]?.line], [null, 6]);
  assertEquals(asked.warnings[0]?.column, 1);
});

// Warnings, which never make a manifest unusable.

const WARNINGS: readonly (readonly [string, string, string, string | null])[] = [
  [
    "a missing branch",
    'name: demo\nrepos: [{name: api, url: "https://h/x"}]',
    "repos[0].branch",
    'Add "branch: main"',
  ],
  ["the older alias of the name", "ecosystem: demo\nrepos: []", "ecosystem", 'Write "name: demo"'],
  [
    "an address without a known scheme",
    'name: demo\nrepos: [{name: api, url: "host/x", branch: main}]',
    "repos[0].url",
    "Use https://, ssh://, git@host:path or file://",
  ],
  [
    "a guarded path that is absolute",
    manifest({ top: ["guardrails: {no_touch_paths: [a, /b]}"] }),
    "guardrails.no_touch_paths[1]",
    "Write it relative to the repository",
  ],
  [
    "very many files",
    manifest({ top: ["context: {max_files: 50001}"] }),
    "context.max_files",
    "Keep it at or below 50000",
  ],
  [
    "very many tokens",
    manifest({ top: ["context: {summary_tokens: 200001}"] }),
    "context.summary_tokens",
    "Keep it at or below 200000",
  ],
  [
    "a misspelt key",
    manifest({ top: ["descripton: x"] }),
    "descripton",
    'Did you mean "description"?',
  ],
  [
    "a misspelt key of a repository",
    manifest({ repo: ["brnch: x"] }),
    "repos[0].brnch",
    'Did you mean "branch"?',
  ],
  [
    "a misspelt key of a section",
    manifest({ top: ["workspace: {branch_prefx: x}"] }),
    "workspace.branch_prefx",
    'Did you mean "branch_prefix"?',
  ],
  ["a key like no other", manifest({ top: ["zzzzzzzz: 1"] }), "zzzzzzzz", "Remove it"],
  [
    "a key that every object has",
    manifest({ top: ["constructor: 1"] }),
    "constructor",
    "Remove it",
  ],
];

for (const [what, text, path, fix] of WARNINGS) {
  Deno.test(`checkManifest() only warns of ${what}, at ${path}`, async () => {
    const found = await check(text);
    assertEquals([places(found.errors), places(found.warnings)], [[], [path]]);
    assertEquals(found.warnings[0]?.fix, fix);
    assert(found.manifest !== null);
  });
}

Deno.test("checkManifest() takes the limits themselves without a word", async () => {
  const found = await check(
    manifest({ top: ["context: {max_files: 50000, summary_tokens: 200000}"] }),
  );
  assertEquals(found.warnings, []);
});

Deno.test("checkManifest() assumes main where no branch is given", async () => {
  const found = await check('name: demo\nrepos: [{name: api, url: "https://h/x"}]');
  assertEquals(found.manifest?.repos[0]?.branch, "main");
});

Deno.test("checkManifest() shows no credentials of an address", async () => {
  for (const url of ["git://me:hunter2@host/x", "ext::https://me:hunter2@host/x"]) {
    const found = await check(`name: demo\nrepos: [{name: api, url: "${url}", branch: main}]\n`);
    assert(found.errors.length + found.warnings.length > 0);
    assertEquals(JSON.stringify([found.errors, found.warnings]).includes("hunter2"), false);
  }
});

Deno.test("checkManifest() repeats no control characters of the file", async () => {
  const found = await check('name: demo\nrepos: []\n"\\e[31mx\\u202e": 1\n');
  assertEquals(places(found.warnings), ["x"]);
  assertMatch(found.warnings[0]?.message ?? "", /^[\p{L}\p{P}\p{S} ]+$/u);
});

// loadManifest()

Deno.test("loadManifest() answers a valid manifest, warnings or not", async () => {
  const { system } = memoryWorld({ files: { [FILE]: manifest({ top: ["zzzzzzzz: 1"] }) } });
  assertEquals((await loadManifest(system, "/space", "demo")).repos.length, 1);
});

Deno.test("loadManifest() throws manifest_invalid with the first error and all in the details", async () => {
  const { system } = memoryWorld({
    files: { [FILE]: manifest({ repo: ["branch: -x", "path: /a"] }) },
  });
  const error = await assertRejects(() => loadManifest(system, "/space", "demo"), AmofError);
  assertEquals(error.code, "manifest_invalid");
  assertStringIncludes(error.message, "2 errors, the first: repos[0].branch: ");
  assertEquals(places(error.details["errors"] as Problem[]), ["repos[0].branch", "repos[0].path"]);
});
