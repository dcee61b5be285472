/**
 * Files that are no manifests: each is told with its place.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { checkManifest } from "../../../../src/workspace/manifest/manifest.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { check, FILE, FILES, places } from "./_support.ts";

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
