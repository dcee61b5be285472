/**
 * What a valid manifest means: every field, every default.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { branchName, repoName } from "../../../../src/base/ids.ts";
import {
  checkManifest,
  loadManifest,
  type Manifest,
} from "../../../../src/workspace/manifest/manifest.ts";
import type { Problem } from "../../../../src/workspace/manifest/shape.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { check, FILE, manifest, places } from "./_support.ts";

// What a good manifest becomes.

Deno.test("checkManifest() fills in every default", async () => {
  const found = await check(manifest({}));
  const expected: Manifest = {
    name: "demo",
    description: "",
    workspaceDir: "worktrees/demo",
    workspaceBranch: "workspace/demo",
    featurePrefix: "feature",
    perTicket: false,
    engine: null,
    provisioner: null,
    provisionerEnv: [],
    retired: false,
    repos: [{
      name: repoName("api"),
      url: "https://host/api.git",
      branch: branchName("main"),
      branchGiven: true,
      clone: "full",
      mirrored: false,
      path: "repos/api",
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
    }],
    groups: {},
    tasks: [],
    noTouchPaths: [],
    forges: {},
    review: { draft: false, labels: [], reviewers: [], method: "merge" },
    ticketUpdate: "merge",
    undo: { on: true, days: null, runs: null, mb: null },
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
      "tags: [backend, go, backend]",
      "depends_on: []",
      'carry: [.env, ".vscode/"]',
      'include: ["src/**"]',
      'exclude: ["*.lock"]',
    ],
    top: [
      "description: The demo",
      "workspace_dir: work/demo/",
      "engine: cluster",
      "provisioner: k3d",
      "provisioner_env: [KUBECONFIG]",
      "retired: true",
      "workspace: {branch_prefix: ws/, repo_branch_prefix: topic//, per_ticket: true}",
      "devcontainer: {enabled: true}",
      "context: {max_files: 1, summary_tokens: 100}",
      'guardrails: {no_touch_paths: ["secrets/**"]}',
      "actors: [anything, {at: all}]",
      "components: {any: {thing: 1}}",
      "manifest_source: appdata",
      "forges: {git.example.com: gitlab}",
      "review: {draft: true, labels: [a, a], reviewers: [ada], method: squash}",
      "tickets: {update: rebase}",
      "undo: {keep: false, days: 3, runs: 5, mb: 100}",
      "groups: {all: [api, api]}",
    ],
  }));
  const expected: Manifest = {
    name: "demo",
    description: "The demo",
    workspaceDir: "work/demo",
    workspaceBranch: "ws/demo",
    featurePrefix: "topic",
    perTicket: true,
    engine: "cluster",
    provisioner: "k3d",
    provisionerEnv: ["KUBECONFIG"],
    retired: true,
    repos: [{
      name: repoName("api"),
      url: "https://host/api.git",
      branch: branchName("release/1.x"),
      branchGiven: true,
      clone: "full",
      mirrored: false,
      path: "lib/api",
      readonly: true,
      enabled: false,
      tags: ["backend", "go"],
      dependsOn: [],
      carry: [".env", ".vscode/"],
      sparse: [],
      lfs: false,
      submodules: false,
      include: ["src/**"],
      exclude: ["*.lock"],
    }],
    groups: { all: ["api"] },
    tasks: [],
    noTouchPaths: ["secrets/**"],
    forges: { "git.example.com": "gitlab" },
    review: { draft: true, labels: ["a"], reviewers: ["ada"], method: "squash" },
    ticketUpdate: "rebase",
    undo: { on: false, days: 3, runs: 5, mb: 100 },
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

Deno.test("checkManifest() checks a text once, and another one anew", async () => {
  const text = manifest({ top: ["groups: {all: [api]}"] });
  const first = await check(text);
  assert((await check(text)).manifest === first.manifest);
  const other = await check(text.replace("all:", "some:"));
  assertEquals(Object.keys(other.manifest?.groups ?? {}), ["some"]);
  assertEquals(Object.keys((await check(text)).manifest?.groups ?? {}), ["all"]);
  // The same text is another manifest in another directory, and its warnings have lines only where they are asked for.
  assertEquals((await check(text, "shop")).manifest, null);
  const doubtful = manifest({ top: ["descripton: x"] });
  const { system } = memoryWorld({ files: { [FILE]: doubtful } });
  assertEquals((await checkManifest(system, "/space", "demo")).warnings[0]?.line, null);
  assertEquals((await checkManifest(system, "/space", "demo", true)).warnings[0]?.line, 6);
});
