// The table in undo.md says of every command that changes something what undo takes back of it (UNDO-7).

import { assert, assertEquals } from "@std/assert";
import { COMMANDS } from "../../support/loaded.ts";

/** What the table says of each command, by its words. */
async function said(): Promise<ReadonlyMap<string, string>> {
  const text = await Deno.readTextFile(
    new URL("../../../.github/docs/undo.md", import.meta.url),
  );
  const rows = text.split("\n").map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim())
  ).filter(([, undo = ""]) => ["yes", "partly", "no", "elsewhere"].includes(undo));
  return new Map(rows.flatMap(([names = "", undo = "", why = ""]) => {
    assert(why !== "", `${names} says no reason`);
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => [name, undo] as const);
  }));
}

Deno.test("every command that changes something says before what undo takes back of it, and undo.md says so, too", async () => {
  const table = await said();
  const known = new Set<string>();
  for (const command of COMMANDS) {
    if (command.kind !== "mutation") continue;
    const [room] = command.path;
    const name = room === "stocktrim" ? "stocktrim …" : command.path.join(" ");
    known.add(name);
    const undo = table.get(name);
    assert(undo !== undefined, `undo.md does not say what undo takes back of "${name}"`);
    const { undo: { changes, irreversible } = {} } = command;
    assertEquals(
      [changes !== undefined, irreversible !== undefined],
      undo === "partly" ? [true, true] : [undo === "yes", undo === "no"],
      `"${name}" is "${undo}" in undo.md, and its declaration says something else`,
    );
  }
  assertEquals([...table.keys()].filter((name) => !known.has(name)), []);
});
