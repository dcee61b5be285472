// Covers hear() and frame(): what is known of the work, and what a terminal of any size shows of it.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  ASCII,
  frame,
  type FrameOptions,
  hear,
  type LiveWork,
  NOTHING,
  signsFor,
  UNICODE,
} from "../../../../../src/doors/cli/live/frame.ts";
import type { NewEvent } from "../../../../../src/state/store/mod.ts";
import { stripUnsafe } from "../../../../../src/base/text/sanitize.ts";
import { textWidth } from "../../../../../src/base/text/table.ts";

const { test } = Deno;

const OPTIONS: FrameOptions = {
  columns: 80,
  rows: 24,
  now: 60_000,
  action: "install",
  since: 46_000,
  signs: UNICODE,
  tall: false,
};

/** The work after progress events at given moments. */
function heard(...told: readonly (readonly [number, Record<string, unknown>])[]): LiveWork {
  return told.reduce<LiveWork>(
    (work, [at, payload]) =>
      hear(work, { at, level: "debug", type: "progress", message: "", payload }),
    NOTHING,
  );
}

/** The lines of a frame without colours. */
function lines(work: LiveWork, options: Partial<FrameOptions> = {}): string[] {
  return frame(work, { ...OPTIONS, ...options }).lines.map(stripUnsafe);
}

const CLONING = heard(
  [46_000, { what: "cloning", repo: "api", done: 3, total: 6 }],
  [47_000, { what: "cloning", repo: "worker", done: 3, total: 6 }],
  [48_000, { what: "cloning", repo: "mobile", done: 3, total: 6 }],
  [50_000, { repo: "worker", phase: "receiving", percent: 38 }],
  [50_000, { what: "cloning", repo: "api", ended: true, done: 4, total: 6 }],
);

test("frame() shows the count and each repository in work in one line where it fits", () => {
  assertEquals(lines(CLONING), ["cloning 4/6 ▸ worker 38 % · mobile 12 s"]);
  assertEquals(lines(CLONING, { signs: ASCII }), ["cloning 4/6 > worker 38 % - mobile 12 s"]);
});

test("frame() calls work by words and not by the name of its action", () => {
  const [line = ""] = lines(NOTHING, { action: "release_train_bump" });
  assert(line.startsWith("release train bump ▸"), line);
});

test("frame() gives each a line where they do not fit, and leaves it at that", () => {
  const narrow = ["cloning 4/6 · 14 s", "  worker  38 %", "  mobile  12 s"];
  assertEquals(lines(CLONING, { columns: 30 }), narrow);
  assertEquals(lines(CLONING, { tall: true }), narrow);
  assertEquals(lines(CLONING, { columns: 13 }), ["cloning 4/6 ", "  wo…r  38 %", "  mo…e  12 s"]);
});

test("frame() says what is done to one where that differs, and what git is at", () => {
  const work = heard(
    [59_500, { what: "syncing", repo: "api", doing: "cloning", done: 0, total: 3 }],
    [50_000, { what: "syncing", repo: "web", done: 0, total: 3 }],
    [50_000, { what: "syncing", repo: "docs", done: 0, total: 3 }],
    [59_000, { repo: "docs", phase: "unpacking", percent: 5 }],
  );
  assertEquals(lines(work), ["syncing 0/3 ▸ api cloning · web 10 s · docs unpacking 5 %"]);
});

test("frame() names only as many as there is room for", () => {
  const many = heard(
    ...Array.from({ length: 30 }, (_, at): readonly [number, Record<string, unknown>] => [
      0,
      { what: "cloning", repo: `repository-${at}`, done: 0, total: 30 },
    ]),
  );
  const shown = lines(many, { rows: 8 });
  assertEquals(shown.length, 7);
  assertEquals(shown.at(-1), "  … and 25 more");
  assertEquals(lines(many).length, 11);
});

test("frame() shows the step or the last words where no repository is in work", () => {
  assertEquals(lines(NOTHING), ["install ▸ 14 s"]);
  const event = (type: NewEvent["type"], message: string, payload?: unknown): NewEvent => ({
    at: 0,
    level: "info",
    type,
    message,
    payload,
  });
  const stepped = [
    event("progress", "", { done: 1, total: 4 }),
    event("step", "Create workspace/demo"),
  ].reduce(hear, NOTHING);
  assertEquals(lines(stepped), ["install 1/4 ▸ Create workspace/demo · 14 s"]);
  const said = hear(NOTHING, event("log", "Waiting for the \u001b[31mdatabase\nto answer"));
  assertEquals(lines(said, { action: "spin:deploy", columns: 40 }), [
    "spin:deploy ▸ Waiting f…o answer · 14 s",
  ]);
});

test("frame() is never wider nor taller than the terminal, whatever the names", () => {
  const repo = fc.record({
    what: fc.constant("cloning"),
    repo: fc.string({ unit: "grapheme", maxLength: 60 }),
    phase: fc.option(fc.constantFrom("receiving", "writing files"), { nil: undefined }),
    percent: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
    done: fc.nat(999),
    total: fc.nat(999),
  });
  fc.assert(
    fc.property(
      fc.array(repo, { maxLength: 14 }),
      fc.integer({ min: 30, max: 120 }),
      fc.integer({ min: 4, max: 40 }),
      (repos, columns, rows) => {
        const work = heard(...repos.map((told) => [1, told] as const));
        const shown = lines(work, { columns, rows });
        assert(shown.length < rows, `${shown.length} lines in ${rows} rows`);
        for (const line of shown) {
          assert(textWidth(line) < columns, `"${line}" in ${columns} columns`);
        }
      },
    ),
  );
});

test("hear() takes nothing for granted", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (payload) => {
      const work = hear(CLONING, { at: 1, level: "debug", type: "progress", message: "", payload });
      frame(work, OPTIONS);
    }),
  );
});

test("signsFor() follows the language of the terminal", () => {
  const signs = (vars: Record<string, string>, platform = "linux") =>
    signsFor({ platform, get: (name) => vars[name] });
  assertEquals(signs({ LANG: "de_DE.UTF-8" }), UNICODE);
  assertEquals(signs({ LANG: "de_DE.UTF-8", LC_ALL: "C" }), ASCII);
  assertEquals(signs({ LC_CTYPE: "en_US.utf8", LANG: "C" }), UNICODE);
  assertEquals([signs({}), signs({}, "windows")], [ASCII, UNICODE]);
});
