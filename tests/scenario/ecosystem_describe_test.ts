/**
 * `amof ecosystem describe`, from outside.
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
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

const MANIFEST = `name: demo
description: The demo ecosystem
provisioner: k3d
workspace_dir: work/here
workspace:
  repo_branch_prefix: topic//
repos:
  - name: api
    url: https://me:hunter2@host/api.git
    branch: develop
  - name: docs
    url: git@host:docs.git
    branch: main
    path: books/docs
    readonly: true
    enabled: false
    tags: [texts]
    depends_on: [api]
groups:
  all: [api, docs]
`;

Deno.test("amof ecosystem describe shows what the manifest means, with every default", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.write("control/ecosystems/demo/ecosystem.yaml", MANIFEST);
  await world.write("control/ecosystems/demo/kb/a.md", "a\n");
  const ran = await world.amof(["ecosystem", "describe", "demo", "--json"]);
  assertEquals(ran.code, 0);
  assertObjectMatch(ran.json(), {
    name: "demo",
    path: "ecosystems/demo",
    description: "The demo ecosystem",
    repos_count: 2,
    kb_files_count: 1,
    journal_files_count: 0,
    last_index_time: null,
    provisioner: "k3d",
    branch_prefix: "topic",
    installed: false,
    worktree: "work/here",
    workspace_branch: "workspace/demo",
  });
  assertEquals(rows(ran.json(), "repos")[1], {
    name: "docs",
    url: "git@host:docs.git",
    branch: "main",
    path: "books/docs",
    clone: "full",
    readonly: true,
    enabled: false,
    tags: ["texts"],
    depends_on: ["api"],
  });
  assertEquals(pick(ran.json(), "groups"), { all: ["api", "docs"] });
});

Deno.test("amof ecosystem describe never shows the credentials of a URL", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.write("control/ecosystems/demo/ecosystem.yaml", MANIFEST);
  const json = await world.amof(["ecosystem", "describe", "--json"]);
  const human = await world.amof(["ecosystem", "describe"]);
  assertEquals(pick(json.json(), "repos", 0, "url"), "https://***@host/api.git");
  assertNotMatch(json.stdout + human.stdout + human.stderr, /hunter2/);
});

Deno.test("amof ecosystem describe shows mode and disabled repositories to readers", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.write("control/ecosystems/demo/ecosystem.yaml", MANIFEST);
  const ran = await world.amof(["ecosystem", "describe"]);
  assertStringIncludes(ran.stdout, "2 repos, not installed");
  assertStringIncludes(ran.stdout, "docs (disabled)  RO");
  assertMatch(ran.stdout, /Groups: +all \(api, docs\)/);
  assertMatch(ran.stdout, /docs \(disabled\) +RO +main +texts +git@/);
});

Deno.test("amof ecosystem describe tells when the ecosystem is installed", async () => {
  await using world = await World.installed({ repos: [] });
  const ran = await world.amof(["ecosystem", "describe", "--json"]);
  assertEquals(pick(ran.json(), "installed"), true);
});

Deno.test("amof ecosystem describe answers an unknown name with the nearest and all names", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.addEcosystem("platform", { repos: [] });
  const ran = await world.amof(["ecosystem", "describe", "plattform", "--json"]);
  assertEquals(ran.code, 2);
  assertEquals(pick(ran.json(), "error"), "ecosystem_not_found");
  assertEquals(pick(ran.json(), "details", "did_you_mean"), "platform");
  assertEquals(pick(ran.json(), "details", "available"), ["demo", "platform"]);
});

Deno.test("amof ecosystem describe refuses an invalid manifest with its errors", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.write("control/ecosystems/demo/ecosystem.yaml", "name: demo\nrepos: none\n");
  const ran = await world.amof(["ecosystem", "describe"]);
  assertEquals(ran.code, 2);
  assertEquals(ran.stdout, "");
  assertStringIncludes(ran.stderr, "repos: ");
});
