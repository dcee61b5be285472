import { assertEquals } from "@std/assert";
import plugin from "./hints.ts";

function found(text: string): number {
  return Deno.lint.runPlugin(plugin, "/project/src/x.ts", text).length;
}

Deno.test("a line with two commands, or with words behind one, is refused", () => {
  for (
    const line of [
      "See them: amof ticket list; or go to one: amof ticket switch ID",
      "See them: amof ticket list; then repeat",
      "See them: amof ticket list, or amof runs list",
      "Decide: amof approve X or amof deny X",
      "Commit: amof commit; or the same command with --stash",
    ]
  ) assertEquals(found(`const a = ${JSON.stringify(line)};`), 1, line);
  assertEquals(found("const a = `Go on: ${it}; or back: amof undo`;"), 1);
  assertEquals(found("const a = `Go on: amof ${it}; or back: amof undo`;"), 1);
});

Deno.test("several ways are several lines", () => {
  assertEquals(
    found('const a = "See them: amof ticket list\\nGo to one: amof ticket switch ID";'),
    0,
  );
  assertEquals(found('const a = { hint: "Repeat it in a moment; or wait" };'), 1);
  assertEquals(found("const a = { hint: \"Mend it: sh -c 'a; b'\" };"), 0);
});
