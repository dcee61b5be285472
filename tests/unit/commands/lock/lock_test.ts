// What leads on from repositories that differ from their lock: nothing that is refused, or does nothing.

import { assertEquals } from "@std/assert";
import { driftHint } from "../../../../src/commands/lock/lock.ts";

type Arguments = Parameters<typeof driftHint>;

const GO = "Go to what is locked: amof install --locked";
const LOCK = "Lock what is here: amof lock";
const AWAY = "git -C w/api stash push --include-untracked";

const [OTHER, LACKING] = ["another commit", "it is not in the lock"];
const PUT: Arguments[1][number] = { name: "api", way: { to: "put", head: "a" } };
const THERE: Arguments[1][number] = { name: "api", way: { to: "there" } };
const DIRTY: Arguments[1][number] = {
  name: "api",
  way: { to: "stay", detail: "1 file not committed", code: "repo_dirty", fix: AWAY },
};
const GONE: Arguments[1][number] = {
  name: "api",
  way: { to: "stay", detail: "it is not cloned", code: "repo_not_found", fix: "" },
};

const CASES: readonly (readonly [
  what: string,
  difference: string,
  ways: Arguments[1],
  missing: readonly string[],
  hint: readonly string[],
])[] = [
  ["another commit", OTHER, [PUT], [], [GO, LOCK]],
  ["its commit, with another address", OTHER, [THERE], [], [LOCK]],
  ["changes in the way", OTHER, [DIRTY], [], [AWAY]],
  ["not cloned", OTHER, [GONE], ["api"], [GO]],
  ["not in the lock", LACKING, [], [], [LOCK]],
  ["not in the lock, and not cloned", LACKING, [], ["api"], [
    "Clone what is missing first: amof sync --repo api",
  ]],
  ["not in the manifest", OTHER, [], [], [LOCK]],
];

for (const [what, difference, ways, missing, hint] of CASES) {
  Deno.test(`driftHint() of a lock: ${what}`, () => {
    assertEquals(driftHint([{ name: "api", difference }], ways, { file: null, missing }), hint);
  });
}

Deno.test("driftHint() names another lock than the usual one", () => {
  const drift = [{ name: "api", difference: OTHER }];
  assertEquals(driftHint(drift, [PUT], { file: "old.json", missing: [] }), [
    "Go to what is locked: amof install --lock-file old.json",
    "Lock what is here: amof lock --out old.json",
  ]);
});
