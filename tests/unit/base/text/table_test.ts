// Covers table() and keyValues(): fixed widths measured in columns, not in characters.

import { assertEquals } from "@std/assert";
import {
  type Cell,
  columns,
  keyValues,
  table as tableOf,
} from "../../../../src/base/text/table.ts";

/** A table as text. */
function table(headers: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return String(tableOf(headers, rows));
}

Deno.test("table() pads all columns but the last below upper-case headers", () => {
  assertEquals(
    table(["repo", "status"], [["api", "OK"], ["website", "DIRTY"]]),
    ["REPO     STATUS", "api      OK", "website  DIRTY"].join("\n"),
  );
});

Deno.test("table() shows a dash for empty and missing cells", () => {
  assertEquals(
    table(["a", "b", "c"], [["1", ""], ["", "2", "3"]]),
    ["A  B  C", "1  —  —", "—  2  3"].join("\n"),
  );
});

Deno.test("table() aligns a column of numbers to the right, also as the last one", () => {
  assertEquals(
    table(["repo", "files", "commits"], [["api", 7, 1200], ["web", 12, null]]),
    ["REPO  FILES  COMMITS", "api       7     1200", "web      12        —"].join("\n"),
  );
});

Deno.test("table() measures wide characters in columns", () => {
  assertEquals(
    table(["name", "x"], [["你好吗", "1"], ["abcdef", "2"]]),
    ["NAME    X", "你好吗  1", "abcdef  2"].join("\n"),
  );
});

Deno.test("table() measures what a person sees, not code points", () => {
  for (const name of ["👨‍👩‍👧 x", "❤️ x", "한 x".normalize("NFD"), "👍🏽 x", "\x1b[31mabcd\x1b[0m"]) {
    assertEquals(
      table(["name", "x"], [[name, "1"], ["abcdef", "2"]]).split("\n")[1],
      `${name}    1`,
    );
  }
});

Deno.test("columns() indents rows and leaves the last column as it is", () => {
  assertEquals(
    columns([["a", "one"], ["long", "two"], ["none", ""]]),
    "  a     one\n  long  two\n  none",
  );
});

Deno.test("table() leaves no blanks at the end of a line", () => {
  assertEquals(
    table(["a", "long header"], [["1", "x"]]).split("\n").filter((line) => line !== line.trimEnd()),
    [],
  );
});

Deno.test("table() leaves a header empty that says nothing", () => {
  assertEquals(table(["a", "", "b"], [["1", "x", ""]]), "A     B\n1  x  —");
});

Deno.test("table() without rows is its headers", () => {
  assertEquals(table(["repo", "status"], []), "REPO  STATUS");
});

Deno.test("keyValues() aligns the values", () => {
  assertEquals(
    keyValues([["Name", "demo"], ["Description", "x"]]),
    "Name:         demo\nDescription:  x",
  );
});

Deno.test("keyValues() leaves out entries without a value and ignores them in the width", () => {
  assertEquals(
    keyValues([["Name", "demo"], ["Very long name", null], ["Nothing", undefined], ["Empty", ""]]),
    "Name:  demo",
  );
});

Deno.test("keyValues() without any value is empty", () =>
  assertEquals(keyValues([["a", null]]), ""));

Deno.test("table() leaves a column without a header without one", () => {
  assertEquals(table(["repo", ""], [["api", "x"], ["web", ""]]), "REPO\napi   x\nweb   —");
});
