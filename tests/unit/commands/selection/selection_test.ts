// What a selection answers where it selects nothing, in the words of each door.

import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { defined } from "../../../../src/base/object.ts";
import { checkManifest, type Manifest } from "../../../../src/workspace/manifest/manifest.ts";
import { select, type Selecting } from "../../../../src/commands/selection/selection.ts";
import { type SeenRun, selectTools } from "../../../support/select_tools.ts";
import { memoryWorld } from "../../../support/memory.ts";

const MANIFEST = `name: demo
repos:
  - {name: api, url: "https://h/api", branch: main, tags: [backend]}
  - {name: web, url: "https://h/web", branch: main}
  - {name: old, url: "https://h/old", branch: main, enabled: false, tags: [legacy]}
groups: {shop: [api, web]}
`;

async function selected(
  input: Selecting,
  { door = "cli", bare = false, runs = [], action }: {
    readonly door?: "cli" | "mcp";
    readonly bare?: boolean;
    readonly runs?: readonly SeenRun[];
    readonly action?: string;
  } = {},
): Promise<string[]> {
  const { system } = memoryWorld({
    cwd: "/space/elsewhere",
    files: {
      "/space/ecosystems/demo/ecosystem.yaml": bare
        ? MANIFEST.replaceAll(/, tags: \[\w+\]|^groups.*$/gm, "")
        : MANIFEST,
      "/space/elsewhere/x": "",
    },
  });
  const { manifest } = await checkManifest(system, "/space", "demo");
  const from = {
    manifest: manifest as Manifest,
    workspace: "/space/w",
    state: null,
    ...defined({ action }),
  };
  return (await select(selectTools(system, { door, runs }), from, input)).map(({ name }) => name);
}

async function refusal(input: Selecting, options: Parameters<typeof selected>[1] = {}) {
  const { code, message, hint } = await assertRejects(() => selected(input, options), AmofError);
  return [code, message, hint];
}

Deno.test("select() says which word fits nothing, and what there is", async () => {
  assertEquals(await refusal({ repos: ["api,wbe"] }), [
    "repo_not_found",
    'Cannot find repository "wbe" in "demo"; did you mean "web"?',
    "Available: api and web",
  ]);
  assertEquals(await refusal({ repos: ["svc-*"] }), [
    "repo_not_found",
    'Cannot find a repository that fits "svc-*" in "demo"',
    "Available: api and web",
  ]);
  assertEquals(await refusal({ repos: ["!wbe"] }), [
    "repo_not_found",
    'Cannot find repository "wbe" in "demo"; did you mean "web"?',
    "Available: api and web",
  ]);
  assertEquals(
    (await refusal({ repos: ["old"] }))[1],
    [
      'Cannot use repository "old": the manifest of "demo" disables it',
    ][0],
  );
  assertEquals(await refusal({ tags: ["bakend"] }), [
    "repo_not_found",
    'Cannot find a repository with the tag "bakend" in "demo"; did you mean "backend"?',
    "Available: backend, legacy and shop",
  ]);
  assertEquals(
    (await refusal({ tags: ["x"] }, { bare: true }))[2],
    [
      "The manifest has neither tags nor groups\nChoose by name: amof ecosystem describe",
    ][0],
  );
  assertEquals(
    (await refusal({ repos: ["backend"] }))[2],
    [
      "It is a tag: give it with --tag NAME instead",
    ][0],
  );
});

Deno.test("select() says what leaves nothing together, as it was asked", async () => {
  const input = { repos: ["web"], tags: ["backend", "legacy"] };
  assertEquals(await refusal(input), [
    "repo_not_found",
    'Cannot find a repository in "demo" for --repo web with --tag backend,legacy',
    "See the repositories with their tags: amof ecosystem describe",
  ]);
  assertEquals(
    (await refusal(input, { door: "mcp" }))[1],
    'Cannot find a repository in "demo" for repos "web" with tags "backend,legacy"',
  );
});

Deno.test("select() knows where one stands on the command line, and only there", async () => {
  assertEquals(await refusal({ repos: ["."] }), [
    "repo_not_found",
    'Cannot use "." as a repository of "demo": /space/elsewhere lies in none of its clones',
    "Go into one, or name it: the same command with --repo NAME",
  ]);
  assertEquals((await refusal({ repos: ["."] }, { door: "mcp" })).slice(0, 2), [
    "invalid_arguments",
    'Cannot use "." in repos: a server stands in no repository',
  ]);
});

Deno.test("select() refuses words that mean nothing", async () => {
  assertEquals(await refusal({ repos: ["api,"] }), [
    "invalid_arguments",
    "Cannot use an empty word in --repo",
    "Name what is meant, or leave it out",
  ]);
  assertEquals(
    (await refusal({ tags: ["!"] }, { door: "mcp" }))[1],
    "Cannot use an empty word in tags",
  );
  const USE =
    "Use dirty, ahead, behind, diverged, merged, missing, readonly, work, failed[=RUN], changed[=REF] or on:BRANCH";
  assertEquals(await refusal({ only: ["drity"] }), [
    "invalid_arguments",
    'Cannot use "drity" in --only; did you mean "dirty"?',
    USE,
  ]);
  assertEquals(
    (await refusal({ only: ["on"] }))[1],
    'Cannot use "on" in --only: write on:BRANCH',
  );
  assertEquals(
    (await refusal({ only: ["dirty=1"] }))[1],
    'Cannot use "dirty=1" in --only: "dirty" takes no value',
  );
});

/** A run that ended, with a row for each repository. */
function run(runId: string, action: string, repos: unknown, more: Partial<SeenRun> = {}): SeenRun {
  const result = repos === null ? null : { repos };
  return { runId, action, result, root: "/space", ecosystem: "demo", status: "failed", ...more };
}

Deno.test("select() takes what failed or was held back in the newest run of its kind, or in a named one", async () => {
  const runs = [
    run("f1000000", "push", [{ name: "api", result: "pushed", code: null }], { status: "running" }),
    run("e1000000", "spin_deploy", { no: "list" }),
    run("d1000000", "sync", [{ name: "api", result: "failed", code: "git_failed" }]),
    run("c1000000", "push", [
      { name: "api", result: "skipped", code: null },
      { name: "web", result: "skipped", code: "repo_dirty" },
    ]),
    run("b1000000", "exec", [{ name: "api", outcome: "not_started" }, {
      name: "web",
      outcome: "ok",
    }]),
  ];
  const only = (word: string, action?: string) =>
    selected({ only: [word] }, { runs, ...defined({ action }) });
  assertEquals(await only("failed", "push"), ["web"]);
  assertEquals(await only("failed", "sync"), ["api"]);
  assertEquals(await only("failed"), ["api"]);
  assertEquals(await only("failed=b1", "push"), ["api"]);
  assertEquals(await only("!failed", "push"), ["api"]);
});

Deno.test("select() says why it cannot tell what failed", async () => {
  const runs = [
    run("a1000000", "push", null),
    run("b1000000", "push", [], { ecosystem: "other" }),
  ];
  assertEquals(await refusal({ only: ["failed"] }, { action: "ticket_start" }), [
    "invalid_arguments",
    'Cannot select what failed: no ticket start of "demo" has ended yet',
    "See what ran: amof runs list",
  ]);
  assertEquals(
    (await refusal({ only: ["failed"] }, { runs, action: "push" }))[1],
    "Cannot select what failed in run a1000000: its record has no result for each repository",
  );
  assertEquals(
    (await refusal({ only: ["failed=b1"] }, { runs }))[1],
    'Cannot select what failed in run b1000000: it is none of "demo"',
  );
});
