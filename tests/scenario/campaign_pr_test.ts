// A campaign opens the pull requests of what it has pushed, once.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { pick } from "../support/answers.ts";
import { forgeWorld } from "../support/forge/world.ts";

Deno.test("campaign push opens pull requests, once, and those that were missing later", async () => {
  await using at = await forgeWorld("github", ["lib", "api"], "review: {labels: [team]}\n");
  const { world, forge } = at;
  const must = async (...args: readonly string[]) => {
    const ran = await world.amof(args);
    assertEquals(ran.code, 0, ran.stderr);
    return ran;
  };
  await must("campaign", "start", "tidy", "-m", "Tidy up\n\nBecause.", "--shell", "touch new");
  await must("campaign", "approve", "tidy", "--all", "--yes");
  const planned = await must("campaign", "push", "tidy", "--dry-run");
  assertStringIncludes(planned.stdout, "new branch, pull request at github.com");

  forge.before = ({ method, path }) =>
    method === "POST" && path.includes("/api/") ? { status: 500, body: {} } : null;
  const partly = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
  assertEquals(partly.code, 5, partly.stdout);
  assertEquals(pick(partly.json(), "details", "repos", 0, "result"), "unopened");
  assertEquals(forge.pulls.map(({ repo, title, labels }) => [repo, title, labels]), [
    ["lib", "Tidy up", ["team"]],
  ]);
  assertStringIncludes(forge.pulls[0]?.body ?? "", "Because.\n\nCampaign tidy, shape ");

  forge.before = () => null;
  await must("campaign", "push", "tidy", "--yes");
  assertEquals(forge.pulls.map(({ repo }) => repo), ["lib", "api"]);
  const nothing = await must("campaign", "push", "tidy", "--yes");
  assertStringIncludes(nothing.stdout, "every commit is up to date");
  assertEquals(forge.pulls.length, 2);
});
