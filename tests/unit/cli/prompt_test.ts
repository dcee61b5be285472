// Covers askYesNo(): how a question stands on terminals of any width.

import { assertEquals } from "@std/assert";
import { askYesNo } from "../../../src/cli/prompt.ts";
import { memoryWorld } from "../../support/memory.ts";

const QUESTION = '"api" cannot be cloned. Install the others, and this one later with amof sync?';

Deno.test("a question is broken between its words, never inside of [y/N], at every width", async () => {
  const { signal } = new AbortController();
  for (let columns = 20; columns <= 120; columns++) {
    const { system, output } = memoryWorld({ terminal: true, input: ["y"] });
    const terminal = { ...system.terminal, columns };
    assertEquals(await askYesNo(terminal, QUESTION, signal), true);
    const lines = output.err.split("\n");
    assertEquals(lines.filter((line) => line.length > columns), [], String(columns));
    assertEquals(output.err.replaceAll(/\s+/g, " "), `${QUESTION} [y/N] `);
  }
});
