// Covers cleanMessage(): what becomes of a message that was given on the command line.

import { assertEquals } from "@std/assert";
import { cleanMessage } from "../../../../src/commands/commit/plan.ts";

Deno.test("cleanMessage() cleans a message as `git commit -m` does", () => {
  const rows = [
    ["Title", "Title"],
    ["Title   \n\nbody\n \n\n\n", "Title\n\nbody"],
    ["\n \nTitle\r\n\t\n\n\nbody", "Title\n\nbody"],
    ["Title\n\n# not a comment\n  indented", "Title\n\n# not a comment\n  indented"],
  ] as const;
  for (const [given, cleaned] of rows) assertEquals(cleanMessage(given), cleaned);
});
