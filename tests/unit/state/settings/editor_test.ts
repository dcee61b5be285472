// Covers editorCommand(): who is asked for the editor, in which order.

import { assertEquals } from "@std/assert";
import { NO_SETTINGS } from "../../../../src/state/settings/mod.ts";
import { editorCommand } from "../../../../src/state/settings/changing.ts";
import type { ProcessRequest } from "../../../../src/base/system/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { processResult } from "../../../support/process_result.ts";

/** The editor as a shell would be given it. */
async function editor(
  env: Readonly<Record<string, string>>,
  set: string | null = null,
  terminal = true,
): Promise<string | null> {
  const { system } = memoryWorld({ env, cwd: "/home/tester", terminal });
  const processes = {
    ...system.processes,
    run: (request: ProcessRequest) => Promise.resolve(processResult(request, { exitCode: 1 })),
  };
  const argv = await editorCommand({ ...system, processes }, { ...NO_SETTINGS, editor: set });
  if (argv === null) return null;
  assertEquals(argv.slice(0, 2), ["sh", "-c"]);
  assertEquals(argv[2], `${argv[3]} "$@"`);
  return argv[3] ?? null;
}

Deno.test("the setting counts before everything that git would ask", async () => {
  const env = { GIT_EDITOR: "one", VISUAL: "two", EDITOR: "three", TERM: "xterm" };
  assertEquals(await editor(env, "code --wait"), "code --wait");
  assertEquals(await editor(env), "one");
});

Deno.test("without a setting it is the editor that git would open", async () => {
  assertEquals(await editor({ VISUAL: "two", EDITOR: "three", TERM: "xterm" }), "two");
  assertEquals(await editor({ VISUAL: "two", EDITOR: "three", TERM: "dumb" }), "three");
  assertEquals(await editor({ GIT_EDITOR: " ", TERM: "xterm" }), "vi");
  assertEquals(await editor({ TERM: "dumb" }), null);
  // Where nobody could press a key in it, only an editor counts that somebody named.
  assertEquals(await editor({ TERM: "xterm" }, null, false), null);
  assertEquals(await editor({ EDITOR: "three", TERM: "xterm" }, null, false), "three");
});
