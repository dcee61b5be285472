// Covers which tools a server offers by the mode that it may reach, and that every tool has its command.

import { assert, assertEquals } from "@std/assert";
import { select } from "../../../../src/doors/mcp/selection.ts";
import { COMMAND_ENTRIES } from "../../../../src/pipeline/line/entries.ts";
import { COMMANDS } from "../../../../src/pipeline/registry.ts";

const USUAL = { toolsets: null, tools: [], excluded: [], readOnly: false };

Deno.test("amof_confirm is offered only where a call may be carried out, and the server says why not", () => {
  for (
    const [options, offered, said] of [
      [USUAL, true, null],
      [{ ...USUAL, maxMode: "execute" }, true, null],
      [{ ...USUAL, maxMode: "plan" }, false, /--max-mode plan: no call changes anything/],
      [{ ...USUAL, maxMode: "ask" }, false, /--max-mode ask/],
      [{ ...USUAL, readOnly: true }, false, /--read-only: tools that change anything/],
    ] as const
  ) {
    const { listed, note, judge } = select(COMMANDS, options);
    assertEquals(listed.some(({ name }) => name === "amof_confirm"), offered);
    assert(said === null ? note === null : said.test(note ?? ""), note ?? "null");
    const confirm = COMMANDS.find(({ name }) => name === "amof_confirm");
    assert(confirm !== undefined);
    const verdict = judge(confirm);
    assert(verdict.offered === offered && (verdict.offered || verdict.remedy !== ""));
  }
});

Deno.test("every tool has its command on the command line", () => {
  const typed = new Set(COMMAND_ENTRIES.map(({ path }) => path.join(" ")));
  for (const { name, path } of COMMANDS) assert(typed.has(path.join(" ")), name);
});

Deno.test("what is for the command line alone is no tool of any server", () => {
  for (const options of [USUAL, { ...USUAL, toolsets: ["all"] }]) {
    const { listed, judge } = select(COMMANDS, options);
    for (const command of COMMANDS.filter(({ mcp }) => mcp === "never")) {
      const verdict = judge(command);
      assert(!verdict.offered && verdict.remedy.includes("in a terminal"), command.name);
      assert(!listed.some(({ name }) => name === command.name), command.name);
    }
  }
});
