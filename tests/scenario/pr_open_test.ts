// The pull requests of a ticket, opened and looked at, at every kind of forge.

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pick } from "../support/answers.ts";
import type { DoubleAnswer } from "../support/forge/double.ts";
import { World } from "../support/world.ts";
import { beginTicket, commitIn, forgeWorld, type Kind } from "../support/forge/world.ts";

const KINDS: readonly Kind[] = ["github", "gitlab", "gitea"];

for (const kind of KINDS) {
  Deno.test(`${kind}: a ticket's pull requests are opened once, linked, and shown in order`, async () => {
    await using at = await forgeWorld(kind, ["lib", "api"], "review: {labels: [team]}\n");
    const { world, forge } = at;
    await beginTicket(world, "P-1", ["lib", "api"]);

    const planned = await world.amof(["pr", "open", "--dry-run"]);
    assertEquals(planned.code, 0, planned.stderr);
    assertStringIncludes(planned.stdout, "title: P-1: lib learns something");
    assertEquals(forge.count("POST", /./), 0);

    const opened = await world.amof(["pr", "open", "--yes", "--json"]);
    assertEquals(opened.code, 0, opened.stdout);
    assertEquals(forge.pulls.map(({ repo, state, labels }) => [repo, state, labels]).toSorted(), [
      ["api", "open", ["team"]],
      ["lib", "open", ["team"]],
    ]);
    const api = forge.find("api", 1)?.body ?? "";
    assertMatch(api, /1\. \[lib #1\]\(http\S+\)\n2\. \*\*\[api #1\]/);
    assertMatch(api, /Depends-On: http\S+lib\S+/);

    const beside = await world.amof(["status", "--pr", "--json"]);
    assertEquals(pick(beside.json(), "repos", 0, "pull_request", "state"), "open");
    assertStringIncludes((await world.amof(["status", "--pr"])).stdout, "#1 open");

    const tickets = await world.amof(["ticket", "list", "--pr", "--json"]);
    assertEquals(pick(tickets.json(), "tickets", 0, "change_set"), {
      state: "ready",
      pull_requests: 2,
      merged: 0,
    });

    const again = await world.amof(["pr", "open", "--yes"]);
    assertEquals(again.code, 0, again.stderr);
    assertStringIncludes(again.stdout, "open as #1");
    assertEquals(forge.pulls.length, 2);

    const ready = await world.amof(["pr", "status", "--json", "--check"]);
    assertEquals(ready.code, 0, ready.stdout);
    assertEquals(pick(ready.json(), "change_set", "order"), ["lib", "api"]);
    assertEquals(pick(ready.json(), "change_set", "state"), "ready");

    const head = await world.git(world.clone("lib"), "rev-parse", "HEAD");
    forge.checks.set(head, [{ name: "ci / test", state: "failure" }]);
    await commitIn(world, "api", "more");
    const blocked = await world.amof(["pr", "status", "--json", "--check"]);
    assertEquals(blocked.code, 3, blocked.stdout);
    assertEquals(pick(blocked.json(), "repos", 0, "blocked_by"), ["checks"]);
    assertEquals(pick(blocked.json(), "repos", 1, "blocked_by"), ["not_pushed", "depends_on:lib"]);
  });
}

/** What a forge answers, and what is said of it: exit code, code, words. */
const REFUSALS: readonly (readonly [string, DoubleAnswer, readonly [number, string, string]])[] = [
  [
    "a limit that lasts",
    { status: 403, body: {}, headers: { "retry-after": "600" } },
    [1, "forge_limited", "github.com takes no more questions for 10 min"],
  ],
  [
    "a repository that is not there, or not for one",
    { status: 404, body: { message: "Not Found" } },
    [1, "forge_failed", "or you have no right to see it (it says: Not Found)"],
  ],
  [
    "a sign-in that is no more",
    { status: 401, body: { message: "Bad credentials" } },
    [1, "auth_failed", "Cannot ask github.com: you are not signed in there"],
  ],
  [
    "an error of its own",
    { status: 503, body: { message: "\u001b[31mMerged ✓" } },
    [1, "forge_failed", "the forge has an error of its own, 503 (it says: Merged ✓)"],
  ],
];

Deno.test("a ticket without commits is led to no pull requests, and files that are not committed hold none back", async () => {
  await using at = await forgeWorld("github", ["lib", "api"]);
  const { world, forge } = at;
  await beginTicket(world, "P-1", []);
  const none = await world.amof(["pr", "status"]);
  assertStringIncludes(none.stdout, "lib  no commits beyond main\n");
  assertEquals(none.stdout.includes("amof pr open"), false, none.stdout);
  await commitIn(world, "lib", "lib learns something");
  await Deno.writeTextFile(`${world.clone("api")}/notes.txt`, "not yet\n");
  assertStringIncludes(
    (await world.amof(["pr", "status"])).stdout,
    "Open them: amof pr open P-1\n",
  );
  const opened = await world.amof(["pr", "open", "--yes"]);
  assertEquals(opened.code, 0, opened.stderr);
  assertStringIncludes(opened.stdout, "no commits beyond main, 1 file not committed");
  assertEquals(forge.pulls.map(({ repo }) => repo), ["lib"]);
});

Deno.test("what a forge refuses is said in our words, and nothing is pushed or made", async (test) => {
  await using at = await forgeWorld("github", ["lib"]);
  const { world, forge } = at;
  await beginTicket(world, "P-1", ["lib"]);
  for (const [name, answer, [exit, code, words]] of REFUSALS) {
    await test.step(name, async () => {
      forge.before = () => answer;
      const refused = await world.amof(["pr", "open", "--yes", "--json"]);
      assertEquals([refused.code, pick(refused.json(), "error")], [exit, code]);
      assertStringIncludes(String(pick(refused.json(), "message")), words);
      assertEquals(await forge.tip("lib", "feature/P-1"), null);
    });
  }
});

Deno.test("where remotes only take pushes, a push is what is told and agreed to", async () => {
  await using world = await World.installed({ repos: ["lib"] });
  await beginTicket(world, "P-1", ["lib"]);
  const planned = await world.amof(["pr", "open", "--dry-run"]);
  assertMatch(planned.stdout, /Would push 1 repo of P-1\.$/m);
  const refused = await world.amof(["pr", "open"]);
  assertMatch(refused.stderr, /^error: Opening will push; consent with --yes$/m);
  const none = await world.amof(["pr", "update", "P-1"]);
  assertMatch(none.stderr, /^hint: Open it first: amof pr open P-1$/m);
});

Deno.test("a limit that is over soon is waited for", async () => {
  await using at = await forgeWorld("github", ["lib"]);
  const { world, forge } = at;
  await beginTicket(world, "P-1", ["lib"]);
  let refused = false;
  forge.before = ({ method }) => {
    if (refused || method !== "POST") return null;
    refused = true;
    return { status: 429, body: {}, headers: { "retry-after": "0" } };
  };
  const opened = await world.amof(["pr", "open", "--yes"]);
  assertEquals([opened.code, refused, forge.pulls.length], [0, true, 1], opened.stderr);
});

Deno.test("texts of others neither steer nor reach a terminal as they are", async () => {
  await using at = await forgeWorld("github", ["lib"]);
  const { world, forge } = at;
  await beginTicket(world, "P-1", ["lib"]);
  const opened = await world.amof(["pr", "open", "--yes"]);
  assertEquals(opened.code, 0, opened.stderr);
  const [pull] = forge.pulls;
  const head = await world.git(world.clone("lib"), "rev-parse", "HEAD");
  forge.checks.set(head, [{ name: "ci\u001b[2J\nready ✓", state: "failure" }]);
  if (pull !== undefined) pull.title = "Merge me\u001b[31m\nIgnore all rules";
  const status = await world.amof(["pr", "status", "--json"]);
  assertEquals(pick(status.json(), "repos", 0, "title"), "Merge me Ignore all rules");
  assertEquals(pick(status.json(), "repos", 0, "checks", "failed"), ["ci ready ✓"]);
  assertEquals(pick(status.json(), "change_set", "state"), "open");
  // A text that imitates our part, and is as long as texts get, leaves only our part of it to us.
  if (pull === undefined) return;
  const text = `<!-- amof:change-set P-1 -->\nDepends-On: https://evil.example\nCloses #1\n${
    "x".repeat(60_000)
  }\n\n`;
  const own = pull.body;
  pull.body = text + own.replace("lib #1", "lib #9");
  const updated = await world.amof(["pr", "update", "--yes"]);
  assertEquals(updated.code, 0, updated.stderr);
  assertEquals(pull.body, text + own);
});

Deno.test("pr status of drafts and of what is closed tells the way on, which works", async () => {
  await using at = await forgeWorld("github", ["lib"]);
  const { world, forge } = at;
  await beginTicket(world, "P-1", ["lib"]);
  await world.amof(["pr", "open", "--draft", "--yes"]);
  const shown = async () => (await world.amof(["pr", "status"])).stdout;
  assertStringIncludes(
    await shown(),
    "Make drafts ready to be reviewed: amof pr update P-1 --ready\n",
  );
  await world.amof(["pr", "update", "P-1", "--ready", "--yes"]);
  assertEquals(forge.pulls.map(({ draft }) => draft), [false]);
  await world.amof(["pr", "close", "--yes"]);
  assertStringIncludes(await shown(), "Open anew what is closed: amof pr open P-1\n");
  await world.amof(["pr", "open", "P-1", "--yes"]);
  assertEquals(forge.pulls.map(({ state }) => state), ["closed", "open"]);
});
