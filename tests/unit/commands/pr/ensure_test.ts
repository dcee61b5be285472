import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { ensureOpen } from "../../../../src/commands/pr/ensure.ts";
import type { ChangeWish, Forge, PullRequest } from "../../../../src/forge/port.ts";

const WISH = {
  head: "feature/P-1",
  base: "main",
  title: "P-1",
  body: "",
  draft: false,
  labels: ["team", "new"],
  reviewers: ["ada"],
};

/** A forge that refuses no second pull request, as some do; `made` comes of what it is asked to make. */
function forgeWith(
  states: readonly PullRequest["state"][],
  made: (create: () => PullRequest) => PullRequest = (create) => create(),
) {
  const pulls = states.map((state, at) => pull(at + 1, state));
  const invited: unknown[] = [];
  const forge: Partial<Forge> = {
    find: () =>
      Promise.resolve(pulls.find(({ state }) => state === "open") ?? pulls.at(-1) ?? null),
    // deno-lint-ignore require-await -- what it throws is to be a rejection
    create: async (wish: ChangeWish) =>
      made(() => {
        assertEquals(Object.keys(wish).toSorted(), ["base", "body", "draft", "head", "title"]);
        pulls.push(pull(pulls.length + 1, "open"));
        return pull(pulls.length, "open");
      }),
    invite: (_, what) => Promise.resolve(void invited.push(what)),
  };
  return { forge: forge as Forge, pulls, invited };
}

function pull(number: number, state: PullRequest["state"]): PullRequest {
  const at = { branch: "main", sha: "" };
  const words = { url: "", draft: false, title: "", body: "", merge_sha: null };
  return { ...words, number, state, head: at, base: at, labels: ["team"], reviewers: [] };
}

Deno.test("ensureOpen() takes the one that is open, and asks for what it lacks", async () => {
  const { forge, pulls, invited } = forgeWith(["open"]);
  const { change, made } = await ensureOpen(forge, WISH);
  assertEquals([change.number, made, pulls.length], [1, false, 1]);
  assertEquals(invited, [{ labels: ["new"], reviewers: ["ada"] }]);
});

Deno.test("ensureOpen() opens one beside those that are merged or closed, and repeated no other", async () => {
  const { forge, pulls } = forgeWith(["merged", "closed"]);
  assertEquals((await ensureOpen(forge, WISH)).change.number, 3);
  assertEquals((await ensureOpen(forge, WISH)).made, false);
  assertEquals(pulls.length, 3);
});

Deno.test("ensureOpen() looks for what an error may have made all the same", async () => {
  const failed = new AmofError("forge_failed", "It has an error of its own");
  const { forge, pulls } = forgeWith([], (create) => {
    create();
    throw failed;
  });
  assertEquals((await ensureOpen(forge, WISH)).change.number, 1);
  assertEquals(pulls.length, 1);
  const none = forgeWith(["closed"], () => {
    throw failed;
  });
  assertEquals(await assertRejects(() => ensureOpen(none.forge, WISH)), failed);
});
