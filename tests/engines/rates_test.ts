/**
 * Git hosts that take only so many requests, against shards of this machine (PLAN-5).
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { GitHttp, type HttpLimit, perSecond } from "../support/git_http.ts";
import { World } from "../support/world.ts";
import { answerOf, ends } from "./suite.ts";

const ignore = Deno.build.os === "windows";

/** A world whose remotes are served over HTTP, and what serves them. */
async function served(
  repos: readonly string[],
  { limit = null, settings }: { readonly limit?: HttpLimit | null; readonly settings?: string },
): Promise<{ readonly world: World; readonly server: GitHttp }> {
  const world = await World.withEcosystem({ repos });
  const server = new GitHttp(world.remotes, limit);
  const path = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(
    path,
    text.replace(/file:\/\/\S*\/(\S+)\.git/g, (_, name) => server.url(name)),
  );
  if (settings !== undefined) await world.write("state/config/config.yaml", settings);
  return { world, server };
}

/** Lets the only host there is take as much as it likes. */
const NO_LIMIT = "hosts:\n  127.0.0.1: {per_minute: 600000, concurrent: 8}\n";
const EXEC = ["exec", "--engine", "local"];

Deno.test({
  name: "a host is asked no more often than a person has said",
  ignore,
  async fn() {
    const repos = ["a", "b", "c", "d", "e", "f"];
    const { world, server } = await served(repos, {
      limit: { isTooOften: perSecond(12), retryAfter: "1" },
      settings: "hosts:\n  127.0.0.1: {per_minute: 300, concurrent: 2}\n",
    });
    await using _world = world;
    await using _server = server;
    const plan = await world.amof([...EXEC, "--dry-run", "--json", "--shards", "3", "--", "true"]);
    assertEquals(pick(plan.json(), "preview", "far", "parallel"), 2);
    const ran = await world.amof([...EXEC, "--json", "--shards", "3", "--", "true"]);
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(server.refused, 0);
    assert(server.asked >= 3 * repos.length, `${server.asked} requests`);
    assert(server.most <= 2, `${server.most} at once`);
  },
});

Deno.test({
  name: "who asks too often comes back when the host says so, and nothing is lost",
  ignore,
  async fn() {
    const repos = ["a", "b", "c", "d"];
    const { world, server } = await served(repos, {
      limit: { isTooOften: (count) => count > 4 && count < 7, retryAfter: "1" },
      settings: NO_LIMIT,
    });
    await using _world = world;
    await using _server = server;
    const ran = await world.amof([
      ...EXEC,
      "--json",
      "--shards",
      "1",
      "--",
      "test",
      "-f",
      "README.md",
    ]);
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(ends(ran), repos.map((repo) => [repo, "ok", 0]));
    assertEquals(server.refused, 2);
    const log = await world.amof(["runs", "logs", String(ran.json()["run_id"])]);
    assertStringIncludes(log.stdout, "127.0.0.1 takes no more requests; it is asked again in");
  },
});

Deno.test({
  name:
    "a campaign over a host that refuses again and again loses nothing, and sends nothing twice",
  ignore,
  async fn() {
    const repos = Array.from({ length: 8 }, (_, at) => `r${at}`);
    const { world, server } = await served(repos, {
      settings: NO_LIMIT,
    });
    await using _world = world;
    await using _server = server;
    // The requests that are refused, counted from now on; the first are by the one who submits, four at once.
    const refuse = (...counts: readonly number[]) => {
      const from = server.asked;
      server.limit = { isTooOften: (count) => counts.includes(count - from), retryAfter: "1" };
    };
    for (const repo of repos) {
      await world.git(join(world.remotes, `${repo}.git`), "config", "http.receivepack", "true");
    }
    refuse(1, 2, 3, 4, 5, 6, 30, 31, 32);
    const line = "echo tidy >> README.md";
    const start = ["campaign", "start", "tidy", "--shards", "4", "--json", "--shell", line];
    const begun = await world.amof(start);
    assertEquals(begun.code, 0, begun.stdout);
    assert(rows(answerOf(begun.json()), "repos").every(({ state }) => state === "changed"));
    await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
    assertEquals(server.refused, 9);
    refuse(1, 2, 3, 4, 5, 20, 21);
    const push = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
    assertEquals(push.code, 0, push.stdout);
    assertEquals(
      rows(answerOf(push.json()), "repos").map(({ result }) => result),
      repos.map(() => "pushed"),
    );
    assertEquals(server.refused, 16);
    for (const repo of repos) {
      const bare = join(world.remotes, `${repo}.git`);
      assertEquals(
        (await world.git(bare, "rev-list", "--count", "main..campaign/tidy")).trim(),
        "1",
      );
    }
    refuse(1, 2, 3, 4);
    const status = await world.amof(["campaign", "status", "tidy", "--remotes", "--json"]);
    assertEquals(
      rows(answerOf(status.json()), "repos").map(({ remote }) => remote),
      repos.map(() => "ours"),
    );
    refuse(1, 2, 3, 4, 18);
    const close = [
      "campaign",
      "close",
      "tidy",
      "--delete-branches",
      "--confirm-name=tidy",
      "--json",
    ];
    const closed = await world.amof(close);
    assertEquals(closed.code, 0, closed.stdout);
    assertEquals(
      rows(answerOf(closed.json()), "repos").map(({ result }) => result),
      repos.map(() => "deleted"),
    );
  },
});

Deno.test({
  name: "a host that never answers puts its repositories off, and others are worked on meanwhile",
  ignore,
  async fn() {
    const { world, server } = await served(["a", "b", "c"], {
      limit: { isTooOften: () => true, retryAfter: "1" },
      settings: NO_LIMIT,
    });
    await using _world = world;
    await using _server = server;
    await world.addRemote("near");
    const path = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
    await Deno.writeTextFile(
      path,
      `${await Deno.readTextFile(path)}  - name: near\n    url: ${world.url("near")}\n`,
    );
    const ran = await world.amof([...EXEC, "--json", "--shards", "1", "--", "true"]);
    assertEquals(ran.code, 5, ran.stdout);
    assertEquals(ends(ran), [
      ["a", "deferred", null],
      ["b", "deferred", null],
      ["c", "deferred", null],
      ["near", "ok", 0],
    ]);
    // Asked four times in all: what it says of one repository, it says of all.
    assertEquals(server.asked, 4);
    assertStringIncludes(String(rows(answerOf(ran.json()), "repos")[0]?.["last_line"]), "429");
    server.limit = null;
    const again = await world.amof([
      "exec",
      "--json",
      "--retry-failed",
      String(ran.json()["run_id"]),
    ]);
    assertEquals(ends(again).map((row) => (row as unknown[])[1]), ["ok", "ok", "ok"], again.stdout);
  },
});

Deno.test({
  name: "a host that asks for hours is not asked again",
  ignore,
  async fn() {
    const { world, server } = await served(["a", "b"], {
      limit: { isTooOften: () => true, retryAfter: "7200" },
      settings: NO_LIMIT,
    });
    await using _world = world;
    await using _server = server;
    const ran = await world.amof([...EXEC, "--json", "--shards", "1", "--", "true"]);
    assertEquals(ends(ran), [["a", "deferred", null], ["b", "deferred", null]]);
    assertEquals(server.asked, 1);
    const shards = [];
    for await (const entry of Deno.readDir(join(world.directory, "state/state/engine"))) {
      const results = join(world.directory, "state/state/engine", entry.name, "results");
      for await (const { name } of Deno.readDir(results)) {
        shards.push((await Deno.readTextFile(join(results, name))).trim().split("\n").at(-1));
      }
    }
    assertEquals(shards.length, 1);
    // Another start may do better.
    assertEquals(JSON.parse(shards[0] ?? "{}")["exit"], 75);
  },
});
