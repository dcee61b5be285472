// parseStatus() over output of git's documented form: nothing is lost, whatever names hold.

import { sha } from "../../src/base/ids.ts";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseStatus } from "../../src/git/read/status_v2.ts";

const ID = "0123456789abcdef0123456789abcdef01234567";

const path = fc.array(
  fc.constantFrom(
    "a",
    "b",
    " ",
    "\n",
    "\t",
    '"',
    "\\",
    "/x",
    "1 ",
    "2 ",
    "? ",
    "u ",
    "# ",
    ".amof",
    "é",
    "💥",
  ),
  { minLength: 1, maxLength: 6 },
).map((pieces) => pieces.join(""));

const letters = fc.constantFrom("M.", ".M", "MM", "A.", "D.", ".D", ".T");

const record = fc.oneof(
  fc.tuple(letters, path).map(([code, name]) => ({
    text: [`1 ${code} N... 100644 100644 100644 ${ID} ${ID} ${name}`],
    change: { path: name, code, conflicted: false },
  })),
  fc.tuple(fc.constantFrom("R.", "RM", "C."), path, path).map(([code, name, old]) => ({
    text: [`2 ${code} N... 100644 100644 100644 ${ID} ${ID} R100 ${name}`, old],
    change: { path: name, code, conflicted: false },
  })),
  fc.tuple(fc.constantFrom("UU", "AA", "DU"), path).map(([code, name]) => ({
    text: [`u ${code} N... 100644 100644 100644 100644 ${ID} ${ID} ${ID} ${name}`],
    change: { path: name, code, conflicted: true },
  })),
  path.map((name) => ({
    text: [`? ${name}`],
    change: { path: name, code: "??", conflicted: false },
  })),
);

const headers = fc.record({
  head: fc.constantFrom(ID, null),
  branch: fc.constantFrom("main", "feature/a b", null),
  upstream: fc.option(
    fc.record({
      name: fc.constantFrom("origin/main", "origin/feature/x"),
      distance: fc.option(fc.tuple(fc.nat(999), fc.nat(999)), { nil: null }),
    }),
    { nil: null },
  ),
  stashes: fc.nat(9),
});

Deno.test("parseStatus() reads back what git would print", () => {
  fc.assert(fc.property(headers, fc.array(record, { maxLength: 6 }), (given, records) => {
    const distance = given.upstream?.distance ?? null;
    const output = [
      `# branch.oid ${given.head ?? "(initial)"}`,
      `# branch.head ${given.branch ?? "(detached)"}`,
      ...(given.upstream === null ? [] : [`# branch.upstream ${given.upstream.name}`]),
      ...(distance === null ? [] : [`# branch.ab +${distance[0]} -${distance[1]}`]),
      ...(given.stashes === 0 ? [] : [`# stash ${given.stashes}`]),
      ...records.flatMap((one) => one.text),
    ].map((text) => `${text}\0`).join("");
    const { changes, ...found } = parseStatus(output);
    assertEquals(found, {
      head: given.head === null ? null : sha(given.head),
      branch: given.branch,
      upstream: given.upstream?.name ?? null,
      ahead: distance?.[0] ?? null,
      behind: distance?.[1] ?? null,
      stashes: given.stashes,
      submodules: [],
    });
    assertEquals(
      changes.map(({ path, code, conflicted }) => ({ path, code, conflicted })),
      records.map((one) => one.change).filter((change) =>
        change.path !== ".amof" && !change.path.startsWith(".amof/")
      ),
    );
  }));
});
