// Covers writeChange(): what a host wrote meanwhile stays, and what was there is kept beside it.

import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { backupPath, type HostChange, writeChange } from "../../../../src/machine/hosts/edit.ts";
import { memoryWorld } from "../../../support/memory.ts";

const PATH = "/home/me/.claude.json";

function change(text: string): HostChange {
  const table = { whole: {}, entries: new Map() };
  const file = { path: PATH, real: PATH, isLink: false, text, mode: 0o600, table };
  return { file, after: '{"a":1}', backup: text, diff: "" };
}

Deno.test("writeChange() writes the file, and what it was beside it", async () => {
  const { system: { files } } = memoryWorld({ files: { [PATH]: "{}" } });
  await writeChange({ files }, change("{}"));
  assertEquals([await files.readText(PATH), await files.readText(backupPath(PATH))], [
    '{"a":1}',
    "{}",
  ]);
});

Deno.test("writeChange() leaves a file alone that something else has changed", async () => {
  const { system: { files } } = memoryWorld({ files: { [PATH]: '{"theirs":1}' } });
  const error = await assertRejects(() => writeChange({ files }, change("{}")), AmofError);
  assertEquals(error.code, "confirmation_stale");
  assertEquals([await files.readText(PATH), await files.readText(backupPath(PATH))], [
    '{"theirs":1}',
    null,
  ]);
});
