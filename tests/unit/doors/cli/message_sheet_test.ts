// The file in which messages are written: what begins a comment there.

import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  commentStart,
  messageIn,
  messagesIn,
  sheetText,
} from "../../../../src/doors/cli/compose.ts";

Deno.test("comments begin with what git is told to take, or else with a free character", () => {
  assertEquals(commentStart(), "#");
  assertEquals(commentStart([], ";"), ";");
  assertEquals(commentStart([], "//"), "//");
  assertEquals(commentStart(["#1 Fix\n;x"], "auto"), "@");
  assertEquals(commentStart(["Fix\n// why"], "//"), "#");
  assertEquals(commentStart([], "a\nb"), "#");
});

Deno.test("lines that begin with # stay where comments begin with something else", () => {
  const repos = [{ name: "api", branch: "main", commit_files: 0, files: [] }];
  const sheet = sheetText({ repos, empty: "stops", comment: "//" });
  assertStringIncludes(sheet, "\n// Write the message of the commits below.");
  assertEquals(messageIn(`#12 Fix it\n${sheet}`, "//"), "#12 Fix it");
  assertEquals(messageIn(`#12 Fix it\n${sheet}`, "#").includes("#12"), false);
  assertEquals([...messagesIn("[api]\n#1\n// no\n", ["api"], "//")], [["api", "#1"]]);
});
