// Covers what is said of a release that undo cannot take back.

import { assertEquals } from "@std/assert";
import { releaseIrreversible, trainIrreversible } from "../../../../src/commands/release/answer.ts";

Deno.test("releaseIrreversible() names the tag and the commits, and no command that takes more", () => {
  const facts = { next: "v1.0.0-rc.1", branch: "main", head: "80b8b1fa983f" };
  assertEquals(
    releaseIrreversible({ ...facts, push: null }),
    "a release; as nothing is pushed, git can: the tag v1.0.0-rc.1, and on main what comes after 80b8b1f",
  );
  assertEquals(
    releaseIrreversible({ ...facts, push: { remote: "origin", url: "" } }),
    "what is pushed",
  );
  const sent = { ...facts, push: { remote: "origin", url: "" } };
  assertEquals(releaseIrreversible(sent, {}, { pushed: true }), "what is pushed");
  assertEquals(
    releaseIrreversible(sent, {}, { pushed: false }),
    releaseIrreversible({ ...facts, push: null }),
  );
});

Deno.test("trainIrreversible() calls nothing pushed of which nothing was", () => {
  const [sent, kept] = [{ pushed: true }, { pushed: false }];
  assertEquals(trainIrreversible({ push: true }), "what is pushed");
  assertEquals(trainIrreversible({ push: true }, {}, { repos: [kept, sent] }), "what is pushed");
  assertEquals(
    trainIrreversible({ push: true }, {}, { repos: [kept] }),
    "a train that could not be pushed; see its tags: amof release train status",
  );
  assertEquals(
    trainIrreversible({ push: false }, {}, { repos: [kept] }),
    "the train's record in the control repository",
  );
});
