// The pull requests of a ticket, opened and looked at, at every kind of forge.

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pick } from "../support/answers.ts";
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

    const again = await world.amof(["pr", "open", "--yes"]);
    assertEquals(again.code, 0, again.stderr);
    assertStringIncludes(again.stdout, "nothing is missing");
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
