// Covers layOutParts(): tables and text for terminals of any width, and for pipes.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { stripAnsiCode } from "@std/fmt/colors";
import fc from "fast-check";
import { layOutParts, shorten } from "../../../../src/doors/cli/layout.ts";
import { showColours } from "../../../../src/doors/cli/colors.ts";
import { wrapLine } from "../../../../src/doors/cli/wrap.ts";
import { partsOf, patch, plainText } from "../../../../src/base/text/parts.ts";
import { listOperations } from "../../../../src/commands/operations.ts";
import { wordingFor } from "../../../../src/pipeline/wording.ts";
import { Brief, table, textWidth } from "../../../../src/base/text/table.ts";
import { toned } from "../../../../src/base/text/tone.ts";

const HEADERS = ["repo", "branch", "commit", "mode", "status", "sync"];
const ROWS = [
  [
    "api",
    "feature/PROJ-1234-a-branch-with-a-long-name",
    "1a2b3c4",
    "RW",
    "DIRTY+UNPUSHED",
    "↑2 ±3",
  ],
  ["web-client", "main", "5d6e7f8", "RO", "OK", ""],
];

function lines(width: number | null, rows = ROWS): string[] {
  return layOutParts([table(HEADERS, rows)], width).split("\n");
}

/** Runs with colours, which tests otherwise do without. */
function coloured(act: () => void): void {
  showColours(true);
  try {
    act();
  } finally {
    showColours(false);
  }
}

Deno.test("layOutParts() shortens the longest cell in its middle before a column goes", () => {
  const narrow = layOutParts(
    [table(["repo", "author"], [["api", "somebody-with-a-long-name"]])],
    20,
  );
  assertEquals(narrow.split("\n")[1], "api   somebod…g-name");
});

Deno.test("layOutParts() lets names go on in the next line, between their parts if possible", () => {
  assert(lines(80).every((line) => textWidth(line) <= 80));
  assertEquals(lines(80)[0]?.split(/ +/), HEADERS.map((header) => header.toUpperCase()));
  const branch = String(ROWS[0]?.[1]);
  for (const width of [80, 60, 40]) {
    const shown = lines(width);
    const [first, ...more] = shown.slice(1, shown.findIndex((line) => line.startsWith("web")));
    const parts = [first?.split(/ +/)[1] ?? "", ...more.map((line) => line.trim().split(/ +/)[0])];
    assertEquals(parts.join(""), branch);
    for (const part of parts.slice(0, -1)) assert(/[/-]$/.test(part ?? ""), part);
  }
  const list = [["web", "api, a-name-that-is-wide and docs"], ["b", "anamewithoutanypartsinit"]];
  assertEquals(layOutParts([table(["name", "repos"], list)], 20).split("\n"), [
    "NAME  REPOS",
    "web   api, a-name-",
    "      that-is-wide",
    "      and docs",
    "b     anamewithoutan",
    "      ypartsinit",
  ]);
});

Deno.test("layOutParts() leaves the columns that are worth least out where the terminal is narrow", () => {
  assertEquals(lines(40)[0]?.split(/ +/), ["REPO", "BRANCH", "STATUS"]);
  assert(lines(40).every((line) => textWidth(line) <= 40));
  assertEquals(lines(160), lines(null));
});

Deno.test("amof operations tells on 40 columns what each run did", () => {
  const operation = {
    run_id: "4e8c1d72-0000-4000-8000-000000000000",
    at: "2026-01-02T03:04:05Z",
    by: "me",
    repos: 12,
    undoable: true,
    fix: null,
    undone_by: null,
    expires_at: "2026-02-02T03:04:05Z",
  };
  const operations = [
    { ...operation, action: "ticket_start", ticket: "PROJ-1", why_not: null },
    { ...operation, action: "push", ticket: null, why_not: "there is no undo for it" },
  ];
  const say = wordingFor("cli", Date.UTC(2026, 0, 3));
  const { details = [] } = listOperations.render({ operations }, {}, say);
  const shown = layOutParts(partsOf(details), 40);
  assertMatch(shown, /^RUN +ACTION +TICKET/m);
  assertMatch(shown, /^4e8c1d72 +ticket_start +PROJ-1/m);
  assert(shown.split("\n").every((line) => textWidth(line) <= 40));
});

Deno.test("layOutParts() never shortens what is pasted", () => {
  const name = "a-repository-with-a-name-that-is-wider-than-any-terminal";
  const [header, first, second] = lines(42, [[name, "main", "1a2b3c4", "RW", "OK", ""]]);
  assertEquals(header, "REPO  BRANCH  COMMIT   MODE  STATUS  SYNC");
  // It has a line of its own, so that the rest is there, too.
  assertEquals([first, second], [name, "      main    1a2b3c4  RW    OK      —"]);
});

Deno.test("layOutParts() goes on with a sentence below its column", () => {
  const parts = [
    table(["repo", "result", "detail"], [["api", "failed", "The remote said no, twice"]]),
  ];
  assertEquals(
    layOutParts(parts, 36),
    [
      "REPO  RESULT  DETAIL",
      "api   failed  The remote said no,",
      "              twice",
    ].join("\n"),
  );
});

Deno.test("layOutParts() breaks states between their words", () => {
  const parts = [table(["repo", "status"], [["api", "CONFLICT+DIRTY+UNPUSHED (merge)"]])];
  assertEquals(
    layOutParts(parts, 24),
    [
      "REPO  STATUS",
      "api   CONFLICT+DIRTY+",
      "      UNPUSHED (merge)",
    ].join("\n"),
  );
});

Deno.test("layOutParts() breaks text between words, but no command", () => {
  const hint =
    "✗ api: it stands elsewhere. Go to it: amof ticket switch PROJ-1 --stash; then repeat";
  assertEquals(layOutParts([hint], 40).split("\n"), [
    "✗ api: it stands elsewhere. Go to it:",
    "  amof ticket switch PROJ-1 --stash;",
    "  then repeat",
  ]);
  assertEquals(layOutParts([hint], 32).split("\n")[2], "  amof ticket switch PROJ-1 --stash;");
});

Deno.test("layOutParts() colours states, marks and patches, and nothing in the names of others", () =>
  coloured(() => {
    const text = layOutParts([
      table(["repo", "status"], [["OK", "DIRTY+UNPUSHED"], ["x", toned("bad", "gone")]]),
      "⚠ A warning about ERROR",
      patch("@@ -1 +1 @@ main\n-old\n+new"),
    ], null);
    assertEquals(text.split("\n"), [
      "\x1b[2mREPO\x1b[22m  \x1b[2mSTATUS\x1b[22m",
      "OK    \x1b[33mDIRTY\x1b[39m+\x1b[33mUNPUSHED\x1b[39m",
      "x     \x1b[31mgone\x1b[39m",
      "\x1b[33m⚠\x1b[39m A warning about ERROR",
      "\x1b[36m@@ -1 +1 @@\x1b[39m main",
      "\x1b[31m-old\x1b[39m",
      "\x1b[32m+new\x1b[39m",
    ]);
  }));

Deno.test("layOutParts() folds rows that need nobody, where a person has many", () => {
  const rows = Array.from(
    { length: 200 },
    (_, at) => [`repo-${at}`, at % 50 === 7 ? "DIRTY" : "OK"],
  );
  const whole = table(["repo", "status"], rows);
  const folded = whole.folding((at) => rows[at]?.[1] === "OK", "OK");
  assertEquals(
    layOutParts([folded], 80),
    [
      "REPO      STATUS",
      ...["repo-7", "repo-57", "repo-107", "repo-157"].map((name) => `${name.padEnd(10)}DIRTY`),
      "196 OK · --all",
    ].join("\n"),
  );
  assertEquals(layOutParts([folded], null), layOutParts([whole], null));
  assertEquals(layOutParts([whole], 80).split("\n").length, 201);
  // Few rows are all looked at, and one line instead of one row would save nothing.
  const few = table(["repo", "status"], rows.slice(0, 12)).folding(() => true, "OK");
  assertEquals(layOutParts([few], 80).split("\n").length, 13);
  const unlike = table(["repo", "status"], rows.map(([name = ""], at) => [name, `±${at}`]));
  assertEquals(layOutParts([unlike.folding((at) => at === 0, "OK")], 80).includes("--all"), false);
  assertEquals(layOutParts([whole.folding(() => true, "OK")], 80), "200 OK · --all");
  const counted = whole.folding(() => true, (at) => rows[at]?.[1] === "OK" ? "fine" : "dirty");
  assertEquals(layOutParts([counted], 80), "4 dirty, 196 fine · --all");
});

Deno.test("layOutParts() tells once what many rows say of each name, where a person has many", () => {
  const names = Array.from({ length: 40 }, (_, at) => `r${at + 10}`);
  const rows = names.map((name, at) => [
    `✗ ${name}`,
    `${at}abcdef`,
    "failed",
    `no /remotes/${name}.git`,
  ]);
  const whole = table(["repo", "commit", "result", "detail"], [
    ...rows,
    ["✗ web", "1234567", "failed", "timed out"],
    ["api", "1234567", "updated", ""],
    ["docs", "1234567", "updated", ""],
  ]);
  const shown = layOutParts([whole.folding((at) => at > 40, "updated")], 80);
  assertEquals(shown.split("\n"), [
    "REPO               COMMIT   RESULT  DETAIL",
    "✗ r10 and 39 more  —        failed  no /remotes/r10.git",
    "✗ web              1234567  failed  timed out",
    "2 updated · --all",
  ]);
  const alone = layOutParts([whole.folding(() => false, "updated")], 80);
  assertEquals(alone.split("\n").at(-1), "--all shows each");
  // Without a flag that shows them, for programs, and where there are few, each has its row.
  assertEquals(layOutParts([whole], 80).split("\n").length, 44);
  assertEquals(layOutParts([whole.folding(() => false, "")], null), layOutParts([whole], null));
  // How many there are makes no difference, and is told of all.
  const standing = table(
    ["ticket", "repo", "status", "sync", "added"],
    names.map((name, at) => [at < 20 ? "T-1" : "T-2", name, "DIRTY", `±${at + 1}`, at % 3]),
  );
  assertEquals(layOutParts([standing.foldingAlike()], 80).split("\n"), [
    "TICKET  REPO             STATUS  SYNC    ADDED",
    "T-1     r10 and 19 more  DIRTY   ±1–20   0–2",
    "T-2     r30 and 19 more  DIRTY   ±21–40  0–2",
    "-v shows each",
  ]);
  assertEquals(layOutParts([standing.foldingAlike()], 80, null).split("\n").length, 41);
  const few = table(["repo", "result"], rows.slice(0, 12).map(([name]) => [name, "failed"]));
  assertEquals(layOutParts([few.folding(() => false, "")], 80).split("\n").length, 13);
});

Deno.test("layOutParts() tells a person in brief what a program is told in full", () => {
  const cell = table(["ticket", "repos"], [["P-1", new Brief("api:x, web:x", "2 repos on x")]]);
  assert(layOutParts([cell], 80).includes("2 repos on x"));
  assert(layOutParts([cell], null).includes("api:x, web:x"));
});

const word = fc.oneof(
  fc.string({
    unit: fc.constantFrom(..."abcdefXYZ0123/-_.".split("")),
    minLength: 1,
    maxLength: 60,
  }),
  fc.string({ unit: fc.constantFrom("你", "好", "é", "e\u0301", "👍🏽", "👨‍👩‍👧", "a"), maxLength: 20 }),
);
const cells = fc.array(fc.tuple(word, word, word, word, word, word), { maxLength: 12 });

Deno.test("no line of a table is wider than the terminal, unless the word to be pasted is", () => {
  fc.assert(fc.property(cells, fc.integer({ min: 20, max: 160 }), (rows, width) => {
    const shown = layOutParts(
      [table(["repo", "branch", "", "note", "sync", "detail"], rows)],
      width,
    );
    const widest = Math.max(4, ...rows.map(([name]) => textWidth(name)));
    for (const line of shown.split("\n")) {
      assert(textWidth(line) <= Math.max(width, widest), `${line}|${textWidth(line)}|${width}`);
    }
    // Every row is there, with its name.
    for (const [name] of rows) assert(shown.includes(name));
  }));
});

Deno.test("nothing is lost where a program reads, and colours change no letter", () => {
  fc.assert(fc.property(cells, (rows) => {
    const parts = [table(HEADERS, rows), "✗ failed"];
    const plain = layOutParts(parts, null);
    assertEquals(plain, plainText(parts));
    for (const cell of rows.flat()) assert(plain.includes(cell));
    coloured(() => assertEquals(stripAnsiCode(layOutParts(parts, null)), plain));
  }));
});

Deno.test("wrapLine() loses no word, and breaks only where a line would be too long", () => {
  const text = fc.array(word.filter((one) => one.trim() !== ""), { minLength: 1, maxLength: 30 });
  fc.assert(fc.property(text, fc.integer({ min: 40, max: 120 }), (words, width) => {
    const wrapped = wrapLine(words.join(" "), width);
    assertEquals(wrapped.join(" ").split(/ +/).filter((one) => one !== ""), words);
    for (const line of wrapped) {
      assert(textWidth(line) <= width || !line.trim().includes(" "), `${line}|${width}`);
    }
  }));
});

Deno.test("wrapLine() breaks no command that mends something, whichever program it is", () => {
  const place = `/home/somebody/${"deep/".repeat(12)}repos/api`;
  const commands = [
    `git -C ${place} switch main`,
    `printf '%s\\n' '' /.env >> ${place}/.gitignore`,
    `rm ${place}`,
  ];
  for (const command of commands) {
    assertEquals(
      wrapLine(`    fix: ${command}`, 60).at(-1)?.trim().endsWith(command),
      true,
      command,
    );
    assertEquals(wrapLine(`Or clone it anew: ${command}`, 60).at(-1)?.trim(), command);
  }
});

Deno.test("shorten() keeps beginning and end, and cuts no character in two", () => {
  assertEquals(shorten("feature/PROJ-1234", 9), "feat…1234");
  assertEquals(shorten("你好你好你好", 6), "你…好");
  assertEquals(shorten("ab👨‍👩‍👧👨‍👩‍👧cd", 7), "ab…👨‍👩‍👧cd");
  fc.assert(fc.property(word, fc.integer({ min: 1, max: 30 }), (text, width) => {
    const short = shorten(text, width);
    assert(textWidth(short) <= width);
    assert(short === text || short.includes("…"));
  }));
});

Deno.test("columns stand below each other behind wide characters, at every width of a terminal", () => {
  const wide = table(["repo", "branch", "status"], [
    ["api", "機能/日本語のとても長いブランチ名テストですよ長い長い", "OK"],
    ["web", "feature/🚀🚀🚀-wide-emoji-branch-😀😀😀", "DIRTY"],
    ["docs", "main", "BEHIND"],
  ]);
  for (const width of [40, 80, 160]) {
    const all = layOutParts([wide], width).split("\n");
    for (const line of all) assert(textWidth(line) <= width, line);
    const lines = all.filter((line) => !line.startsWith(" "));
    const starts = lines.map((line, index) => {
      const state = ["STATUS", "OK", "DIRTY", "BEHIND"][index] ?? "";
      assert(line.endsWith(state), line);
      return textWidth(line.slice(0, -state.length));
    });
    assertEquals(new Set(starts).size, 1, lines.join("\n"));
  }
});

Deno.test("wrapLine() sets every line of what mends a problem below its first", () => {
  const command = "git -C /a/long/way/to/a/repository switch main";
  const lines = `    fix: ${command}\n         ${command}`.split("\n");
  assertEquals(lines.flatMap((line) => wrapLine(line, 40)), [
    "    fix:",
    `         ${command}`,
    `         ${command}`,
  ]);
});
