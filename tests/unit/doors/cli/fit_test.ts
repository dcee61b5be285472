// Covers fit(): help pages on terminals of any width.

import { assert, assertEquals } from "@std/assert";
import { fit } from "../../../../src/doors/cli/wrap.ts";
import { commandHelp, groupHelp, overview } from "../../../../src/doors/cli/asked_page.ts";
import { ENTRIES } from "../../../support/loaded.ts";

function terminal(columns: number, stdoutIsTerminal = true) {
  return { columns, stdoutIsTerminal };
}

/** Neither a line to paste, nor a flag with its values, nor one word. */
function isBreakable(line: string): boolean {
  return !/^ *amof /.test(line) && /\S +\S/.test(line.replace(/^ *--\S+ +/, ""));
}

const ROW = "  push     Push local commits of the writable repositories to their remotes";

Deno.test("fit() breaks between words and goes on below the second column", () => {
  assertEquals(
    fit(ROW, terminal(50)),
    [
      "  push     Push local commits of the writable",
      "           repositories to their remotes",
    ].join("\n"),
  );
});

Deno.test("fit() sets a column that would be too narrow below the one before it", () => {
  const row = "      --confirm-name NAME  Consent to a command that asks to type a name";
  assertEquals(
    fit(row, terminal(40)),
    [
      "      --confirm-name NAME",
      "          Consent to a command that asks",
      "          to type a name",
    ].join("\n"),
  );
});

Deno.test("fit() leaves a page as it is where it is written to a pipe, and lines to paste everywhere", () => {
  assertEquals(fit(ROW, terminal(40, false)), ROW);
  const line = "  amof ecosystem create shop --repo api=https://host/api.git@main --commit";
  assertEquals(fit(line, terminal(40)), line);
});

Deno.test("every help page fits on 40, 80 and 160 columns without losing a word", async () => {
  const pages = [
    overview(ENTRIES, []),
    groupHelp(["release"], ENTRIES),
    ...await Promise.all(ENTRIES.map((entry) => commandHelp(entry, ENTRIES))),
  ];
  for (const page of pages) {
    for (const width of [40, 80, 160]) {
      const shown = fit(page, terminal(width));
      assertEquals(
        shown.split("\n").filter((line) => line.length > width && isBreakable(line)),
        [],
      );
      assertEquals(shown.split(/\s+/), page.split(/\s+/));
    }
  }
  assert(pages.length > 50);
});
