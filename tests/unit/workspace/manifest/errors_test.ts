/**
 * What is wrong in a manifest, all of it at once, and how each is mended.
 *
 * @module
 */

import { assertEquals, assertMatch } from "@std/assert";
import { check, FILES, manifest, places } from "./_support.ts";

/** A manifest with these two repositories. */
const twoRepos = (first: string, second: string) =>
  `name: demo\nrepos:\n  - {url: "https://host/a", branch: main, ${first}}\n  - {url: "https://host/b", branch: main, ${second}}\n`;

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
  ["a path below .git by a bypass", manifest({ repo: ["path: x/../.git/hooks"] }), "repos[0].path"],
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

Deno.test("every problem of every bad manifest has a fix", async () => {
  const texts = [...ERRORS, ...FILES].map(([, text]) => text);
  for (const text of texts) {
    const found = await check(text);
    for (const { fix, message } of [...found.errors, ...found.warnings]) {
      assertMatch(fix, /^[A-Z].*[^.]$/s, message);
    }
  }
});
