// What deletes commits that nothing else has asks for a typed name, whichever command it is (CONFIRM-2).

import { assert, assertEquals } from "@std/assert";
import { COMMANDS } from "../../support/loaded.ts";

/**
 * What each command that changes something does to commits that may be nowhere else: `keeps` deletes none, or only makes
 * them; `refuses` where it meets them; `typed` always asks for a name; `found` asks for one where it would delete them.
 */
const COMMITS: Readonly<Record<string, "keeps" | "refuses" | "typed" | "found">> = {
  "agent run": "keeps",
  archive: "found",
  "archive restore": "keeps",
  "campaign approve": "keeps",
  "campaign close": "found",
  "campaign push": "keeps",
  "campaign start": "keeps",
  "campaign update": "keeps",
  commit: "keeps",
  discard: "typed",
  doctor: "keeps",
  "ecosystem create": "keeps",
  exec: "keeps",
  "exec trust": "keeps",
  install: "refuses",
  "journal add": "keeps",
  lock: "keeps",
  "mcp install": "keeps",
  // A mirror has what the remotes had, and clones that borrow from it keep it.
  "mirror fetch": "keeps",
  "mirror prune": "keeps",
  "pr open": "keeps",
  "pr update": "keeps",
  "pr land": "keeps",
  "pr revert": "keeps",
  "pr close": "found",
  push: "keeps",
  "release bump": "keeps",
  "release init": "keeps",
  "release promote": "keeps",
  "release push": "keeps",
  "release train bump": "keeps",
  "release train promote": "keeps",
  "repo add": "keeps",
  "repo remove": "keeps",
  "repo rename": "keeps",
  "repo trust": "keeps",
  run: "keeps",
  "runs cancel": "keeps",
  // What is kept for undo alone was given up before, by name where it was the only copy.
  "runs prune": "keeps",
  "server restart": "keeps",
  "server start": "keeps",
  "server stop": "keeps",
  "spin deploy": "keeps",
  "spin destroy": "typed",
  "spin trust": "keeps",
  sync: "keeps",
  "ticket add": "keeps",
  "ticket detach": "keeps",
  "ticket end": "found",
  "ticket move": "keeps",
  "ticket start": "keeps",
  "ticket switch": "keeps",
  "ticket try": "keeps",
  "ticket update": "found",
  // It can be undone itself, which brings them back.
  undo: "keeps",
};

Deno.test("of every command it is known what it does to commits that nothing else has, and who deletes them can ask for the name", () => {
  const changing = COMMANDS.filter(({ kind, toolset }) =>
    kind === "mutation" && toolset !== "stocktrim"
  );
  assertEquals(
    changing.map(({ path }) => path.join(" ")).toSorted(),
    Object.keys(COMMITS).toSorted(),
  );
  for (const command of changing) {
    if (command.kind !== "mutation") continue;
    const name = command.path.join(" ");
    const what = COMMITS[name];
    if (what === "typed") assertEquals(command.confirm, "type", name);
    if (what === "found") {
      // Only then is a typed name an argument of theirs.
      assert(command.raised !== undefined, name);
    }
  }
});
