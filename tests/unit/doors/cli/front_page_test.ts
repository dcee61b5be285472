// Covers frontPage(): what amof alone shows.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { takeWords } from "../../../../src/pipeline/line/words.ts";
import { fit } from "../../../../src/doors/cli/wrap.ts";
import { frontPage, type Stand } from "../../../../src/doors/cli/front_page.ts";
import { overview } from "../../../../src/doors/cli/asked_page.ts";
import { ENTRIES } from "../../../support/loaded.ts";

const STANDS: readonly Stand[] = [
  { kind: "nothing", founded: false, clones: null, control: null },
  { kind: "nothing", founded: true, clones: null, control: null },
  { kind: "nothing", founded: false, clones: "", control: null },
  { kind: "nothing", founded: false, clones: "..", control: null },
  { kind: "nothing", founded: true, clones: "..", control: null },
  { kind: "nothing", founded: true, clones: "..", control: "../control" },
  { kind: "listed", ecosystem: "shop", archived: false, commit: [] },
  {
    kind: "listed",
    ecosystem: "shop",
    archived: false,
    commit: ["git add :/ecosystems", "git commit -m 'Create ecosystem: shop'"],
  },
  { kind: "listed", ecosystem: "shop", archived: true, commit: [] },
  { kind: "listed", ecosystem: null, archived: false, commit: [] },
  { kind: "installed" },
];

/** The commands of a page, as they would be pasted. */
function commandsOf(page: string): string[] {
  return page.split("\n").flatMap((line) => /^ {2}(\S.*?) {2,}\S/.exec(line)?.[1] ?? []);
}

Deno.test("frontPage() leaves room for the prompt on a screen of 24 lines and 80 columns", () => {
  for (const stand of STANDS) {
    const lines = frontPage(stand).trimEnd().split("\n");
    assert(lines.length <= 23, `${lines.length}`);
    assertEquals(lines.filter((line) => line.length > 80), []);
  }
});

Deno.test("frontPage() is fitted to narrow terminals without losing a word", () => {
  for (const stand of STANDS) {
    const page = frontPage(stand);
    const narrow = fit(page, { stdoutIsTerminal: true, columns: 40 });
    // A command stays whole, to be pasted.
    const whole = commandsOf(page).map((line) => `  ${line}`);
    const long = narrow.split("\n").filter((line) => line.length > 40);
    assertEquals(long.filter((line) => !whole.includes(line)), []);
    assertEquals(narrow.split(/\s+/), page.split(/\s+/));
  }
});

Deno.test("frontPage() says what to begin with by how far somebody has come, then the ten commands of a day", () => {
  const begun = STANDS.map((stand) => commandsOf(frontPage(stand)).slice(0, -10));
  assertEquals(begun, [
    [
      "amof demo",
      "git init control && cd control",
      "amof ecosystem create NAME --commit --from DIR",
      "amof install --adopt DIR",
    ],
    ["amof demo", "amof ecosystem create NAME --commit --from DIR", "amof install --adopt DIR"],
    [
      "amof demo",
      "git init control && cd control",
      "amof ecosystem create NAME --commit --from ..",
      "amof install --adopt ..",
    ],
    [
      "amof demo",
      "git init ../control && cd ../control",
      "amof ecosystem create NAME --commit --from ..",
      "amof install --adopt ..",
    ],
    ["amof demo", "amof ecosystem create NAME --commit --from ..", "amof install --adopt .."],
    ["amof demo", "cd ../control"],
    ["amof install", "amof install --adopt DIR"],
    [
      "git add :/ecosystems",
      "git commit -m 'Create ecosystem: shop'",
      "amof install",
      "amof install --adopt DIR",
    ],
    ["amof archive restore", "amof install", "amof install --adopt DIR"],
    ["amof -e NAME install", "amof -e NAME install --adopt DIR"],
    [],
  ]);
});

Deno.test("frontPage() names commands that there are, those of the README", async () => {
  const readme = await Deno.readTextFile(new URL("../../../../README.md", import.meta.url));
  const all = STANDS.flatMap((stand) => commandsOf(frontPage(stand)));
  for (const line of all.filter((line) => line.startsWith("amof "))) {
    const argv = line.split(" ").slice(1);
    const { words } = takeWords(argv[0] === "-e" ? argv.slice(2) : argv, ENTRIES);
    assert(ENTRIES.some(({ path }) => path.join(" ") === words.join(" ")), line);
    assertStringIncludes(readme, `amof ${words.join(" ")}`);
  }
});

Deno.test("overview() has every command once", () => {
  const rows = overview(ENTRIES, []).split("\n").flatMap((line) =>
    /^ {2}(\S.*?) {2,}\S/.exec(line)?.[1] ?? []
  );
  assertEquals(rows.filter((row, at) => rows.indexOf(row) !== at), []);
  assert(rows.length > 100);
});
