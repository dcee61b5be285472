// Covers count(), list(), few(), duration(), fixLine(), remediesByRepo(), remediesOf(), sharedRemedies() and didYouMean().

import { assertEquals } from "@std/assert";
import {
  count,
  didYouMean,
  duration,
  few,
  fixLine,
  list,
  remediesByRepo,
  remediesOf,
  sharedRemedies,
} from "../../../../src/base/text/words.ts";

Deno.test("count() uses the singular for one only", () => {
  assertEquals([0, 1, 2].map((n) => count(n, "repo")), ["0 repos", "1 repo", "2 repos"]);
});

Deno.test("count() takes an irregular plural", () => {
  assertEquals([1, 3].map((n) => count(n, "repository", "repositories")), [
    "1 repository",
    "3 repositories",
  ]);
});

Deno.test("list() joins with commas and one last word", () => {
  assertEquals([[], ["a"], ["a", "b"], ["a", "b", "c"]].map((items) => list(items)), [
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
});

Deno.test("few() counts the rest, where that is more than one", () => {
  assertEquals([["a"], ["a", "b", "c"], ["a", "b", "c", "d"]].map((items) => few(items, 2)), [
    "a",
    "a, b and c",
    "a, b and 2 more",
  ]);
});

Deno.test("list() takes another last word", () => {
  assertEquals(list(["a", "b", "c"], "or"), "a, b or c");
});

const DURATIONS: readonly (readonly [number, string])[] = [
  [0, "0.0s"],
  [4.2, "4.2s"],
  [59.94, "59.9s"],
  [59.96, "1m 0s"],
  [72, "1m 12s"],
  [3599.4, "59m 59s"],
  [3599.6, "1h 0m"],
  [7380, "2h 3m"],
];

for (const [seconds, text] of DURATIONS) {
  Deno.test(`duration() writes ${seconds} seconds as ${text}`, () => {
    assertEquals(duration(seconds), text);
  });
}

const NEAR: readonly (readonly [string, readonly string[], string | null])[] = [
  ["brnch", ["name", "branch", "path"], "branch"],
  ["ECOSYSTEM", ["ecosystem", "repos"], "ecosystem"],
  ["repo", ["repos", "path"], "repos"],
  ["x", ["y"], "y"],
  ["jsno", ["name", "json"], "json"],
  ["strat", ["switch", "start"], "start"],
  ["dmeo", ["demo"], "demo"],
  ["Ends", ["sand", "neds"], "neds"],
  ["dem", ["ab"], null],
  ["ab", ["xy"], null],
  ["zzzzzz", ["name", "branch"], null],
  ["", ["name"], null],
  ["name", [], null],
  ["n".repeat(101), ["n".repeat(100)], null],
];

for (const [word, candidates, expected] of NEAR) {
  Deno.test(`didYouMean() answers ${expected} for "${word.slice(0, 12)}" out of ${candidates.length}`, () => {
    assertEquals(didYouMean(word, candidates), expected);
  });
}

Deno.test("remediesByRepo() tells four remedies at most, those of most repositories first", () => {
  const failed = ["a1", "b1", "b2", "c1", "d1", "e1"].map((name) => ({
    name,
    fix: `Mend ${name.charAt(0)}`,
  }));
  assertEquals(
    remediesByRepo([...failed, { name: "x", fix: null }]),
    ["b1 and b2: Mend b", "a1: Mend a", "c1: Mend c", "d1: Mend d", "e1: see the reason"],
  );
  assertEquals(remediesByRepo([{ name: "x", fix: null }]), []);
});

Deno.test("sharedRemedies() says a command that names each repository once, with all of them", () => {
  const again = (name: string) => ({ name, fix: `push it: amof push --repo ${name} --commit` });
  const twice = [again("api"), again("api")];
  assertEquals(sharedRemedies([...twice, { name: "x", fix: null }, again("web")]), [
    { fix: "push it: amof push --repo api,web --commit", names: ["api", "web"] },
  ]);
});

Deno.test("fixLine() sets every line of what mends a problem below the first, or says nothing", () => {
  assertEquals(fixLine("Do this\nOr that"), "\n    fix: Do this\n         Or that");
  assertEquals(fixLine(null), "");
});

Deno.test("remediesOf() says a line once that several need beside others of their own", () => {
  const begin = (name: string) => `begin a ticket: amof ticket start ID --repo ${name}`;
  assertEquals(
    remediesOf([
      { name: "api", fix: `${begin("api")}\npush it: amof push --repo api` },
      { name: "web", fix: `${begin("web")}\ncommit it: amof push --repo web --commit` },
      { name: "docs", fix: null },
    ]),
    [
      "Begin a ticket: amof ticket start ID --repo api,web",
      "Push it: amof push --repo api",
      "Commit it: amof push --repo web --commit",
    ],
  );
});

Deno.test("remediesOf() says what several do last behind what each of them does first", () => {
  const orders: readonly (readonly [string, readonly string[][], string[]])[] = [
    ["last", [["add api", "go on", "go back"], ["add web", "go on", "go back"]], [
      "Add api",
      "Add web",
      "Go on",
      "Go back",
    ]],
    ["first", [["sign in", "push api"], ["sign in", "push web"]], [
      "Sign in",
      "Push api",
      "Push web",
    ]],
    ["in one more", [["a", "z"], ["b", "z"], ["z"], ["c", "z"]], ["A", "B", "C", "Z"]],
    ["the other way round", [["a", "b"], ["b", "a"]], ["A", "B"]],
  ];
  for (const [what, fixes, lines] of orders) {
    const failed = fixes.map((fix, at) => ({ name: `r${at}`, fix: fix.join("\n") }));
    assertEquals(remediesOf(failed), lines, what);
  }
});

Deno.test("remediesOf() tells of many different remedies the first, and names nobody where all need one", () => {
  const of = (many: number, fix: (name: string) => string) =>
    Array.from({ length: many }, (_, at) => ({ name: `r${at}`, fix: fix(`r${at}`) }));
  const push = of(3, (name) => `let it go: amof push --repo ${name} --commit`);
  assertEquals(remediesOf(push), ["Let it go: amof push --repo r0,r1,r2 --commit"]);
  assertEquals(remediesOf(push, []), ["Let it go: amof push --commit"]);
  const unlike = of(6, (name) => `git -C ${name} fetch`);
  assertEquals(remediesOf([...push, ...unlike.slice(0, 1)], []), [
    "Let it go: amof push --repo r0,r1,r2 --commit",
    "git -C r0 fetch",
  ]);
  // Of many those are named that are left out.
  const many = of(
    14,
    (name) => `push it: amof push --repo ${name}\nor: amof ticket start --repo ${name}`,
  );
  const odd = { name: "odd", fix: "git -C odd fetch" };
  assertEquals(remediesOf([...many, odd], ["idle"]), [
    "Push it: amof push --repo '!odd'",
    "Or: amof ticket start --repo '!odd,!idle'",
    "git -C odd fetch",
  ]);
  assertEquals(remediesOf(many, ["idle"])[0], "Push it: amof push");
  const names = many.map(({ name }) => name);
  assertEquals(remediesOf(many)[0], `Push it: amof push --repo ${names.join(",")}`);
  assertEquals(remediesOf(unlike.slice(0, 5)).length, 5);
  assertEquals(remediesOf(unlike).at(-1), "Look at the others: amof status");
  const waiting = of(6, (name) => `git -C ${name} add f\ngo on: amof ticket update --continue`);
  assertEquals(remediesOf(waiting).slice(-2), [
    "Look at the others: amof status",
    "Go on: amof ticket update --continue",
  ]);
  assertEquals(remediesOf(unlike).length, 5);
});
