// What a sync says of clones that leave the lock: how what is new is kept, and what goes back by itself.

import { assertEquals } from "@std/assert";
import {
  backToLock,
  leftLock,
  remedyLines,
  waysFromLock,
} from "../../../../src/commands/sync/past_lock.ts";

type Asked = Parameters<typeof backToLock>;

const LINK = "link";

function repo(name: string, enabled = true) {
  return { name, enabled, path: `repos/${name}` } as unknown as Asked[2]["repos"][number];
}

const CASES: readonly (readonly [
  what: string,
  asked: Partial<Asked[2]> & { readonly locked: Asked[2]["locked"] },
  back: Awaited<ReturnType<typeof backToLock>>,
])[] = [
  ["all by one command", { locked: new Map([["api", "a"], [LINK, "a"]]) }, "install"],
  ["adopted ones each by its own", {
    locked: new Map([["api", "a"], [LINK, "a"]]),
    leaving: ["api", LINK],
  }, "each"],
  ["by none that lacks a repository", { locked: new Map([["api", "a"]]) }, null],
  ["one that is off lacks nothing", {
    locked: new Map([["api", "a"]]),
    repos: [repo("api"), repo("old", false)],
  }, "install"],
];

for (const [what, asked, back] of CASES) {
  Deno.test(`backToLock(): ${what}`, async () => {
    const lstat = (path: string) =>
      Promise.resolve({ kind: path.endsWith(LINK) ? "symlink" : "directory" });
    const ctx = { system: { files: { lstat } } } as unknown as Asked[0];
    const given = { repos: [repo("api"), repo(LINK)], leaving: ["api"], ...asked };
    assertEquals(await backToLock(ctx, "/w", given), back);
  });
}

Deno.test("a sync says how many leave the lock before and after, with one command to a line", () => {
  assertEquals(leftLock(["api"], false), "1 repo can leave the lock: api");
  assertEquals(leftLock(["api", "web"], true), "2 repos left the lock: api and web");
  assertEquals(remedyLines(waysFromLock("install", true)), [
    "Keep what is new: amof lock",
    "Go back to the lock: amof install --locked",
  ]);
  assertEquals(
    remedyLines(waysFromLock("each", true))[1],
    "See how each goes back to the lock: amof lock --check",
  );
  assertEquals(remedyLines(waysFromLock(null, false)), ["Afterwards keep what is new: amof lock"]);
});
