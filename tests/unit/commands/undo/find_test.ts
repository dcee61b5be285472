// Covers which run an undo means, and why one cannot be undone.

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import {
  barOf,
  newerThan,
  newestOf,
  operationOf,
  overtakenBy,
  restOf,
  undoneBy,
  undoneIn,
  whyNot,
} from "../../../../src/commands/undo/find.ts";
import type { OperationRecord } from "../../../../src/commands/undo/record.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = 100 * DAY;

/** The run of a letter: its id consists of it. */
const idOf = (letter: string) => `${letter.repeat(8)}-0000-4000-8000-${letter.repeat(12)}`;

function run(letter: string, fields: Partial<OperationRecord> = {}): OperationRecord {
  return {
    version: 1,
    run_id: idOf(letter),
    action: "sync",
    root: "/control",
    ecosystem: "demo",
    ticket: null,
    workspace: "/control/workspace/demo",
    at: NOW - DAY,
    by: "tester",
    undoes: null,
    ended: true,
    repos: [],
    tickets: { before: null, after: null },
    ...fields,
  };
}

/** An undo of the run of a letter. */
const undo = (letter: string, of: string, fields: Partial<OperationRecord> = {}) =>
  run(letter, { action: "undo", undoes: idOf(of), ...fields });

const goes = () => Promise.resolve(true);

interface Case {
  /** Newest first. */
  readonly all: readonly OperationRecord[];
  /** Why each of them cannot be undone, by its letter. */
  readonly why?: Readonly<Record<string, string | null>>;
  /** Which is meant where none is named, or the message of the refusal. */
  readonly newest: string;
}

const CASES: Readonly<Record<string, Case>> = {
  "nothing was done": {
    all: [],
    newest: "Cannot undo anything: no run that changed repositories is kept",
  },
  "the newest of two": { all: [run("b"), run("a")], why: { a: null, b: null }, newest: "b" },
  "one that is undone counts no more, and its undo does": {
    all: [undo("c", "b"), run("b"), run("a")],
    why: { a: null, b: "run cccccccc has undone it", c: null },
    newest: "c",
  },
  "an undo that was undone itself leaves what it undid as it was": {
    all: [undo("d", "c"), undo("c", "b"), run("b")],
    why: { b: null, c: "run dddddddd has undone it", d: null },
    newest: "d",
  },
  "an undo that was cut off has undone nothing": {
    all: [undo("c", "b", { ended: false }), run("b")],
    why: { b: null, c: "nobody saw how it ended" },
    newest: "b",
  },
  "one that was cut off is passed over": {
    all: [run("b", { ended: false }), run("a")],
    why: { b: "nobody saw how it ended" },
    newest: "a",
  },
  "one that was cut off and is beyond undo is not passed over": {
    all: [run("b", { ended: false, stays: "what it pushed" }), run("a")],
    newest: "Cannot undo the newest run, sync bbbbbbbb: nobody saw how it ended",
  },
  "one that is beyond undo": {
    all: [run("b", { action: "release_bump", stays: "what it pushed; revert it: git revert" })],
    why: { b: "undo cannot take back what it pushed" },
    newest:
      "Cannot undo the newest run, release bump bbbbbbbb: undo cannot take back what it pushed",
  },
  "one that nobody undoes at all": {
    all: [run("b", { stays: "this" })],
    why: { b: "there is no undo for it" },
    newest: "Cannot undo the newest run, sync bbbbbbbb: there is no undo for it",
  },
  "the last moment of the fourteen days": {
    all: [run("b", { at: NOW - 14 * DAY })],
    why: { b: null },
    newest: "b",
  },
  "one moment later": {
    all: [run("b", { at: NOW - 14 * DAY - 1 })],
    why: { b: "it is too long ago" },
    newest: "Cannot undo the newest run, sync bbbbbbbb: it is too long ago",
  },
};

for (const [what, { all, why = {}, newest }] of Object.entries(CASES)) {
  Deno.test(`newestOf() and whyNot(): ${what}`, async () => {
    for (const [letter, expected] of Object.entries(why)) {
      assertEquals(whyNot(operationOf(all, idOf(letter)), all, NOW), expected, letter);
    }
    if (newest.length === 1) assertEquals((await newestOf(all, NOW, goes)).run_id, idOf(newest));
    else await assertRejects(() => newestOf(all, NOW, goes), AmofError, newest);
  });
}

Deno.test("newestOf() says what to do instead, and which older run could be undone", async () => {
  const hint = async (stays: string, ...older: readonly OperationRecord[]) =>
    (await assertRejects(() => newestOf([run("b", { stays }), ...older], NOW, goes), AmofError))
      .hint;
  assertEquals(await hint("what it pushed"), "See what it did: amof runs status bbbbbbbb");
  assertEquals(
    await hint("what it pushed; revert it: git revert HEAD"),
    "Revert it: git revert HEAD",
  );
  assertEquals(
    await hint("this; archive again: amof archive", run("a", { action: "ticket_start" })),
    "Archive again: amof archive\nUndo the newest that can be undone, ticket start: amof undo aaaaaaaa",
  );
  const old = run("b", { at: 0 });
  assertEquals(
    (await assertRejects(() => newestOf([old], NOW, goes), AmofError)).hint,
    "See what it did: amof operations bbbbbbbb",
  );
});

Deno.test("newestOf() names the newest older run that goes as things are now, or none", async () => {
  const all = [
    run("e", { stays: "what it pushed" }),
    undo("d", "c"),
    run("c"),
    run("b", { ended: false }),
    run("a"),
  ];
  const older = async (...letters: readonly string[]) => {
    const asked: string[] = [];
    const error = await assertRejects(
      () =>
        newestOf(all, NOW, ({ run_id: runId }) => {
          asked.push(runId);
          return Promise.resolve(letters.map(idOf).includes(runId));
        }),
      AmofError,
    );
    return [error.details["older"], error.hint.includes("amof undo"), asked.length];
  };
  assertEquals(await older("a", "c", "d"), [idOf("d"), true, 1]);
  // What records refuse is not looked at.
  assertEquals(await older("a", "b", "c"), [idOf("a"), true, 2]);
  assertEquals(await older("b", "c", "e"), [null, false, 2]);
});

Deno.test("operationOf() takes an id or a beginning that is long enough and means one run", () => {
  const all = [run("a"), run("b"), run("c", { run_id: "aaaaaaaa-1111-4000-8000-000000000000" })];
  assertEquals(operationOf(all, "bbbb").run_id, idOf("b"));
  assertEquals(operationOf(all, idOf("a")).run_id, idOf("a"));
  const refused: Readonly<Record<string, string>> = {
    "bbb": 'Cannot find what run "bbb" changed',
    "": 'Cannot find what run "" changed',
    "dddd": 'Cannot find what run "dddd" changed',
    "aaaaaaaa": 'Cannot tell which run "aaaaaaaa" is: several begin so',
  };
  for (const [id, message] of Object.entries(refused)) {
    const error = assertThrows(() => operationOf(all, id), AmofError, message);
    assertEquals([error.code, error.details["run_id"]], ["operation_not_found", id]);
  }
});

Deno.test("overtakenBy() names the run that left every repository otherwise since", () => {
  /** What is checked out, and the names that the run has moved, made or deleted. */
  type View = readonly [head: string, refs: Readonly<Record<string, string>>];
  const changed = (letter: string, views: Readonly<Record<string, readonly [View, View | null]>>) =>
    run(letter, {
      repos: Object.entries(views).map(([name, [before, after]]) => {
        const view = ([head, refs]: View) => ({ head, branch: `on ${head}`, refs });
        return {
          name,
          directory: `/w/${name}`,
          what: "names",
          before: view(before),
          after: after === null ? null : view(after),
        };
      }) as unknown as OperationRecord["repos"],
    });
  const synced: [View, View] = [["f", { main: "1" }], ["f", { main: "2" }]];
  const sync = changed("a", { api: synced, web: synced });
  const gone: [View, View] = [["f", { feature: "f" }], ["2", {}]];
  const back: [View, View] = [["2", {}], ["f", { feature: "f" }]];
  const none: [View, View] = [["f", {}], ["f", { other: "1" }]];
  const again: [View, View] = [["f", { main: "2" }], ["f", { main: "3" }]];
  const both = (letter: string, views: readonly [View, View | null]) =>
    changed(letter, { api: views, web: views });
  const table: readonly (readonly [readonly OperationRecord[], string | null])[] = [
    [[], null],
    [[both("b", gone)], "b"],
    // In one of both it can still go back.
    [[changed("b", { api: gone })], null],
    [[changed("c", { web: gone }), changed("b", { api: gone })], "b"],
    [[both("c", back), both("b", gone)], null],
    // What moves nothing of it, and what nobody has seen the end of.
    [[both("b", none)], null],
    [[both("b", [gone[0], null])], null],
    [[both("c", none), both("b", again)], "b"],
  ];
  for (const [later, by] of table) {
    const found = overtakenBy(sync, [...later, sync]);
    assertEquals(found?.run_id ?? null, by === null ? null : idOf(by));
  }
  assertEquals(overtakenBy(run("a"), [both("b", gone), run("a")]), null);
});

Deno.test("newerThan() names what came after and still stands", () => {
  const table: readonly (readonly [readonly OperationRecord[], string, readonly string[]])[] = [
    [[run("a")], "a", []],
    [[run("c"), run("b"), run("a")], "a", ["c", "b"]],
    [[run("c"), run("b"), run("a")], "c", []],
    // What was undone is gone, and so is the undo that did it.
    [[undo("c", "b"), run("b"), run("a")], "a", []],
    // The undo of an older run stands.
    [[undo("d", "a"), run("c"), run("b"), run("a")], "b", ["d", "c"]],
    [[undo("d", "c"), undo("c", "b"), run("b"), run("a")], "a", ["b"]],
  ];
  for (const [all, of, expected] of table) {
    const newer = newerThan(operationOf(all, idOf(of)), all).map(({ run_id: id }) => id);
    assertEquals(newer, expected.map(idOf));
  }
});

Deno.test("restOf() is what no undo has taken back, repository by repository", () => {
  const at = (...names: string[]) => ({
    repos: names.map((name) => ({ name, directory: `/w/${name}` })) as unknown as OperationRecord[
      "repos"
    ],
  });
  const ran = run("a", at("api", "web"));
  const table: readonly (readonly [readonly OperationRecord[], string, string | null])[] = [
    [[], "api web", null],
    [[undo("b", "a", at("web"))], "api", null],
    [[undo("c", "a", at("api")), undo("b", "a", at("web"))], "", "c"],
    [[undo("b", "a", at("api", "web"))], "", "b"],
    [[undo("b", "a", { ...at("api", "web"), ended: false })], "api web", null],
    // One that was taken back itself, in one repository or in both.
    [[undo("c", "b", at("web")), undo("b", "a", at("api", "web"))], "web", null],
    [[undo("c", "b", at("web")), undo("b", "a", at("web"))], "api web", null],
    [
      [undo("d", "a", at("web")), undo("c", "b", at("web")), undo("b", "a", at("web"))],
      "api",
      null,
    ],
  ];
  for (const [later, rest, by] of table) {
    const all = [...later, ran];
    assertEquals(restOf(ran, all).map(({ name }) => name).join(" "), rest);
    assertEquals(undoneBy(ran, all), by === null ? null : idOf(by));
  }
  const later = [undo("c", "a", at("api")), undo("b", "a", at("web"))];
  assertEquals(ran.repos.map((repo) => undoneIn(ran, repo, later)), [idOf("c"), idOf("b")]);
});

Deno.test("undoneBy() and barOf() of a run that nothing was done about", () => {
  assertEquals(undoneBy(run("a"), [run("b"), run("a")]), null);
  assertEquals(barOf("what it deleted"), {
    why: "undo cannot take back what it deleted",
    instead: null,
  });
});
