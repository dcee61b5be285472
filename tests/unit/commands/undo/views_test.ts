// What a run is refused with when what it would change could not be kept for undo.

import { assert, assertEquals } from "@std/assert";
import { unkept } from "../../../../src/commands/undo/views.ts";
import { AmofError } from "../../../../src/base/error.ts";

Deno.test("what could not be kept says how to go on, and asks for room only on a full disk", () => {
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [full, /^Make room on the disk/],
    [new AmofError("git_failed", "x", { details: { kind: "disk_full" } }), /^Make room/],
    [new Error('File name or path "no\\xFEwhere" is not valid UTF-8'), /AMOF_UNDO=off/],
    [new AmofError("file_failed", "x"), /AMOF_UNDO=off/],
  ];
  for (const [error, hint] of cases) {
    const told = unkept(error, "commit");
    assert(told instanceof AmofError && hint.test(told.hint), String(error));
    assertEquals(told.code, "file_failed");
  }
});
