/**
 * What a manifest is only warned of.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { checkManifest } from "../../../../src/workspace/manifest/manifest.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { check, FILE, manifest, places } from "./_support.ts";

Deno.test("checkManifest() reports warnings besides errors", async () => {
  const found = await check("name: demo\nrepos: 5\ndescripton: x\n");
  assertEquals([places(found.errors), places(found.warnings)], [["repos"], ["descripton"]]);
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
  ["the older alias of the name", "ecosystem: demo\nrepos: []", "ecosystem", 'Write "name: demo"'],
  [
    "an address without a known scheme",
    'name: demo\nrepos: [{name: api, url: "host/x", branch: main}]',
    "repos[0].url",
    "Use https://, ssh://, git@host:path or file://",
  ],
  [
    "an address with a password",
    'name: demo\nrepos: [{name: api, url: "https://me:hunter2@host/x", branch: main}]',
    "repos[0].url",
    "Take it out of the address, let a credential helper of git give it, and have it replaced",
  ],
  [
    "two repositories with the same address",
    'name: demo\nrepos: [{name: api, url: "https://host/x", branch: main}, {name: two, url: "git@host:x.git", branch: v2}]',
    "repos[1].url",
    "Make one of them readonly, or leave one out when a ticket starts",
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
