// Covers noteOf() and noteLines(): what a person is told of a run who does not read its log.

import { assertEquals } from "@std/assert";
import { noteLines, noteOf } from "../../../../src/base/text/event_line.ts";

Deno.test("noteOf() tells warnings, and neither failures of repositories nor what programs print", () => {
  const of = (level: string, type: string, stream?: string) =>
    noteOf({ level, type, stream, message: "said\x1b[2J" });
  assertEquals(of("warn", "log"), "said");
  assertEquals(of("error", "log"), "said");
  for (const level of ["debug", "info"]) assertEquals(of(level, "log"), null);
  for (const type of ["repo", "undo", "progress", "step", "leftover", "exit", "internal"]) {
    assertEquals(of("error", type), null, type);
  }
  assertEquals(of("warn", "log", "stderr"), null);
});

Deno.test("noteLines() tells what is the same of many repositories once", () => {
  const notes = Array.from({ length: 14 }, (_, at) => `r${at}: no mirror of r${at}`);
  const names = Array.from({ length: 13 }, (_, at) => `r${at}`).join(", ");
  assertEquals(noteLines([...notes, "The branch stays", "The branch stays"]), [
    `⚠ ${names} and r13: no mirror of NAME`,
    "⚠ The branch stays",
  ]);
  assertEquals(noteLines(["a: one", "b: one"]), ["⚠ a: one", "⚠ b: one"]);
});
