// Covers keysIn(), press() and screen(): what a keyboard sends, what that does, and rows that fit every screen.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Key, keysIn } from "../../../../../src/doors/cli/watch/full_screen.ts";
import {
  FIRST_VIEW,
  press,
  screen,
  settled,
  type Sheet,
  type View,
  type Wish,
} from "../../../../../src/doors/cli/watch/view.ts";
import { stripUnsafe } from "../../../../../src/base/text/sanitize.ts";
import { textWidth } from "../../../../../src/base/text/table.ts";

const { test } = Deno;

/** A sheet with a table of so many repositories. */
function sheetOf(count: number, folded = false): Sheet {
  const repos = Array.from({ length: count }, (_, at) => `repo-${at}`);
  return {
    summary: `Checked ${count} repos.`,
    lines: [
      { text: "Workspace demo", repo: null },
      { text: "REPO", repo: null },
      ...repos.map((repo) => ({ text: `${repo}  main  OK`, repo })),
      { text: "the end", repo: null },
    ],
    folded,
    note: "12:34:56",
  };
}

/** The view after everything was typed, and what was wished last. */
function after(input: string, sheet: Sheet, rows = 10, from: View = FIRST_VIEW): [View, Wish] {
  return keysIn(input).reduce<[View, Wish]>(
    ([view, wish], key) => {
      const [next, now] = press(view, key, sheet, rows);
      return [next, now ?? wish];
    },
    [from, null],
  );
}

test("keysIn() reads keys as terminals send them, however many at once", () => {
  const names = (input: string) =>
    keysIn(input).map((key: Key) => key.name === "text" ? key.text : key.name);
  assertEquals(names("\u001b[A\u001bOBj\u001b[5~é"), ["up", "down", "j", "page_up", "é"]);
  assertEquals(names("\r\u007f\u0003\u001b"), ["enter", "erase", "interrupt", "escape"]);
  // What has no meaning here is not taken for text.
  assertEquals(names("\u001b[1;5C\u001b[15~\u0001\u200b"), []);
});

test("press() marks one repository after the other and keeps it on the screen", () => {
  const sheet = sheetOf(20);
  assertEquals(after("j", sheet)[0].selected, "repo-0");
  assertEquals(after("jj\u001b[B", sheet)[0].selected, "repo-2");
  assertEquals(after("jjk", sheet)[0].selected, "repo-0");
  assertEquals(after("jjjjjjjjjj", sheet)[0].top, 5);
  const [last] = after("\u001b[F", sheet);
  assertEquals([last.selected, last.top], ["repo-19", 16]);
  assertEquals(after("\u001b[H", sheet, 10, last)[0].top, 0);
});

test("press() filters by name, and gives the filter up", () => {
  const sheet = sheetOf(3);
  assertEquals(after("/qo", sheet), [{ ...FIRST_VIEW, typing: true, filter: "qo" }, null]);
  assertEquals(after("fab\u007f\r", sheet)[0], { ...FIRST_VIEW, filter: "a" });
  assertEquals(after("fab\u001b", sheet)[0], FIRST_VIEW);
  assertEquals(after("fab\r\u001b", sheet)[0], FIRST_VIEW);
  assertEquals(after("f\u0003", sheet)[1], "quit");
});

test("press() goes between all and what needs attention, beginning with what is hidden", () => {
  assertEquals(after("a", sheetOf(3))[0].scope, "trouble");
  assertEquals(after("aa", sheetOf(3))[0].scope, "all");
  assertEquals(after("a", sheetOf(3, true))[0].scope, "all");
  assertEquals([after("r", sheetOf(1))[1], after("o", sheetOf(1))[1]], ["refresh", "open"]);
});

test("screen() has exactly its rows, none too wide, and marks what is chosen", () => {
  const keys = fc.array(fc.constantFrom("j", "k", "a", "/x", "\r", "\u001b[6~", "\u001b[5~"), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(
      fc.nat(30),
      fc.integer({ min: 10, max: 120 }),
      fc.integer({ min: 4, max: 40 }),
      keys,
      (count, columns, rows, typed) => {
        const sheet = sheetOf(count);
        const view = settled(after(typed.join(""), sheet, rows)[0], sheet, rows);
        const shown = screen(view, sheet, { columns, rows });
        assertEquals(shown.length, rows);
        for (const row of shown) assert(textWidth(row) <= columns, row);
        if (view.selected === null) return;
        const marked = shown.filter((row) => row.includes("\u001b[7m"));
        assertEquals(marked.length, 1);
        assert(stripUnsafe(marked[0] ?? "").startsWith(view.selected.slice(0, columns - 1)));
      },
    ),
  );
});

test("screen() says where one is and what can be pressed", () => {
  const shown = screen(FIRST_VIEW, sheetOf(20), { columns: 80, rows: 10 }).map(stripUnsafe);
  assertEquals(shown.slice(0, 3), [
    "Checked 20 repos.",
    "lines 1–7 of 23: j k ↓ ↑",
    "Workspace demo",
  ]);
  assertEquals(shown.at(-1), "q quit  / filter  a problems  o open  r refresh  12:34:56");
  const typing = screen({ ...FIRST_VIEW, typing: true, filter: "ap" }, sheetOf(2), {
    columns: 80,
    rows: 10,
  });
  assertEquals(stripUnsafe(typing.at(-1) ?? ""), "/ap_");
});
