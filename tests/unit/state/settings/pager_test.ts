// Covers pagerCommand(): who is asked for the pager, in which order, and where there is none.

import { assertEquals } from "@std/assert";
import { loadSettings, pagerCommand } from "../../../../src/state/settings/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";

const FILE = "/home/tester/.config/amof/config.yaml";

async function pager(
  env: Readonly<Record<string, string>>,
  file = "",
): Promise<string | null> {
  const { system } = memoryWorld({ env: { TERM: "xterm", ...env }, files: { [FILE]: file } });
  return pagerCommand(system.env, await loadSettings(system))?.join("|") ?? null;
}

Deno.test("AMOF_PAGER counts before the setting, that before PAGER, and less is the last", async () => {
  const set = "pager: most -s 'a b'\n";
  assertEquals(await pager({ AMOF_PAGER: "less -S", PAGER: "more" }, set), "less|-S");
  assertEquals(await pager({ PAGER: "more" }, set), "most|-s|a b");
  assertEquals(await pager({ PAGER: "more" }), "more");
  assertEquals(await pager({}), "less|-FRX");
});

Deno.test("there is no pager where it is turned off, or the terminal cannot move its cursor", async () => {
  for (const env of [{ AMOF_PAGER: "off" }, { AMOF_PAGER: "" }, { PAGER: "" }, { PAGER: "cat" }]) {
    assertEquals(await pager(env), null, JSON.stringify(env));
  }
  assertEquals(await pager({ PAGER: "more" }, "pager: off\n"), null);
  assertEquals(await pager({ PAGER: "more", TERM: "dumb" }), null);
  assertEquals(await pager({ PAGER: 'more "' }), null);
});
