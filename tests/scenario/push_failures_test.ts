/**
 * `amof push` where servers and hooks refuse: the others go on, and the answer says why.
 *
 * @module
 */

import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows, until } from "../support/answers.ts";
import { World } from "../support/world.ts";
import { outcome, POSIX, push, refs, remote, results } from "./_push.ts";

Deno.test("amof push answers in manifest order, however the repositories fare", async () => {
  await using world = await World.installed({ repos: ["a", "b", "c", "d"] });
  await world.commitOnFeature("b");
  await world.commitOnFeature("d");
  await Deno.writeTextFile(join(world.clone("c"), "new.txt"), "new\n");
  const ran = await push(world);
  assertEquals(ran.code, 5);
  assertEquals(pick(ran.json(), "error"), "partial_failure");
  assertEquals(pick(ran.json(), "result", "outcome"), "partial");
  assertEquals(outcome(ran), [
    ["a", "skipped", null],
    ["b", "pushed", null],
    ["c", "skipped", "repo_dirty"],
    ["d", "pushed", null],
  ]);
  assertEquals(
    pick(ran.json(), "message"),
    'Pushed 2 of 3 repos; "c" was held back: 1 file not committed',
  );
});

Deno.test({
  name: "amof push goes on when the server refuses one repository, and says why",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const mine = await world.commitOnFeature("api");
    const head = await world.commitOnFeature("web");
    const before = await refs(world, "api");
    await world.hook(
      join(world.remotes, "api.git"),
      "pre-receive",
      "echo no release on fridays >&2; exit 1",
    );
    const ran = await push(world);
    assertEquals(ran.code, 5);
    assertEquals(outcome(ran), [["api", "failed", "git_failed"], ["web", "pushed", null]]);
    assertMatch(String(results(ran)[0]?.["detail"]), /pre-receive hook declined/);
    const logs = await world.amof(["runs", "logs", String(pick(ran.json(), "run_id"))]);
    assertStringIncludes(logs.stdout, "no release on fridays");
    assertEquals(await refs(world, "api"), before);
    assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), mine);
    assertEquals(await remote(world, "web", "feature/T-1"), head);
  },
});

Deno.test({
  name: "amof push runs the user's pre-push hook and obeys it",
  ignore: !POSIX, // a hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const seen = join(world.directory, "seen.txt");
    const head = await world.commitOnFeature("api");
    await world.commitOnFeature("web");
    await world.hook(join(world.clone("api"), ".git"), "pre-push", `echo "$1" > '${seen}'`);
    await world.hook(
      join(world.clone("web"), ".git"),
      "pre-push",
      "echo tests are red >&2; exit 1",
    );
    const ran = await push(world);
    assertEquals(ran.code, 5);
    assertEquals(await Deno.readTextFile(seen), "origin\n");
    assertEquals(await remote(world, "api", "feature/T-1"), head);
    assertEquals(await remote(world, "web", "feature/T-1"), null);
    const logs = await world.amof(["runs", "logs", String(pick(ran.json(), "run_id"))]);
    assertStringIncludes(logs.stdout, "tests are red");
  },
});

Deno.test("amof push says pushed of what was pushed although the upstream could not be set", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const head = await world.commitOnFeature("api");
  await Deno.writeTextFile(join(world.clone("api"), ".git", "config.lock"), "");
  const ran = await push(world);
  assertEquals(ran.code, 0);
  assertEquals(outcome(ran), [["api", "pushed", null]]);
  assertMatch(String(results(ran)[0]?.["detail"]), /upstream could not be set/);
  assertEquals(await remote(world, "api", "feature/T-1"), head);
  assertEquals(pick(await world.state(), "repos", 0, "last_push", "commit_full"), head);
});

Deno.test("amof push never shows or stores a token of the remote URL", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
  await world.git(
    world.clone("api"),
    "remote",
    "set-url",
    "origin",
    // Nothing listens on the discard port, so that the push fails at once.
    `http://x-access-token:${secret}@127.0.0.1:9/api.git`,
  );
  await world.trust(world.clone("api"));
  const ran = await world.amof(["push", "--yes", "--verbose"]);
  assertEquals(ran.code, 1);
  assertStringIncludes(ran.stderr, "127.0.0.1");
  const runs = await world.amof(["runs", "list", "--json"]);
  const id = String(pick(runs.json(), "runs", 0, "run_id"));
  const answers = [
    ran,
    runs,
    await world.amof(["push", "--dry-run", "--json"]),
    await world.amof(["push", "--json"]),
    await world.amof(["runs", "status", id, "--json"]),
    await world.amof(["runs", "logs", id, "--json"]),
    await world.amof(["runs", "summary", id]),
  ];
  for (const { stdout, stderr } of answers) assertNotMatch(stdout + stderr, new RegExp(secret));
  // The database and its journal hold the same texts.
  const stored = await world.contents(world.env["AMOF_HOME"] ?? "");
  assertStringIncludes(stored, "127.0.0.1");
  assertNotMatch(stored, new RegExp(secret));
});

Deno.test({
  name: "amof push cleans what a hostile server says",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    await world.hook(
      join(world.remotes, "api.git"),
      "pre-receive",
      "printf 'bad \\033[31mcolour\\033]0;title\\007 \\342\\200\\256end\\n' >&2; exit 1",
    );
    const ran = await world.amof(["push", "--yes", "--verbose"]);
    assertEquals(ran.code, 1);
    assertStringIncludes(ran.stderr, "remote: bad colour end");
    // deno-lint-ignore no-control-regex -- control characters are what must not be there
    assertNotMatch(ran.stdout + ran.stderr, /[\u001b\u0007\u202e]/);
  },
});

Deno.test("amof push cleans a hostile branch name for readers and still pushes that branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const branch = "feature/\u202egnp";
  const head = await world.commitOnFeature("api", branch);
  const preview = await world.amof(["push", "--dry-run"]);
  assertStringIncludes(preview.stdout, "feature/gnp → origin");
  const ran = await world.amof(["push", "--yes"]);
  assertEquals(ran.code, 0);
  assertNotMatch(preview.stdout + ran.stdout + ran.stderr, /\u202e/);
  assertEquals(await remote(world, "api", branch), head);
});

Deno.test({
  name: "amof push sends who may not push a base branch to a ticket that takes the commits along",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "--message", "Early");
    await world.hook(join(world.remotes, "api.git"), "pre-receive", "! grep -q refs/heads/main");
    const ran = await world.amof(["push", "--allow-base", "--yes", "--json"]);
    const hint = String(ran.json()["hint"]);
    assertEquals(hint, "Begin a ticket with it: amof ticket start TICKET-ID --carry --repo api");
    const begun = await world.amof(["ticket", "start", "T-1", "--carry", "--repo", "api"]);
    assertEquals(begun.code, 0);
    assertEquals((await world.amof(["push", "--yes"])).code, 0);
  },
});

Deno.test({
  name:
    "amof push names the active ticket that can take commits of a base branch that may not be pushed",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    assertEquals((await world.amof(["ticket", "start", "T-1", "--repo", "web"])).code, 0);
    await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "--message", "Early");
    await world.hook(join(world.remotes, "api.git"), "pre-receive", "! grep -q refs/heads/main");
    const ran = await world.amof(["push", "--allow-base", "--yes", "--json", "--repo", "api"]);
    const hint = String(ran.json()["hint"]);
    assertEquals(hint, "Take it into T-1: amof ticket add T-1 --repo api");
    assertEquals((await world.amof(["ticket", "add", "T-1", "--repo", "api"])).code, 0);
    assertEquals((await world.amof(["push", "--yes"])).code, 0);
  },
});

Deno.test({
  name:
    "amof push says where commits of a base branch that may not be pushed go where tickets have workspaces of their own",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({
      repos: ["api"],
      extra: "workspace:\n  per_ticket: true\n",
    });
    await world.hook(join(world.remotes, "api.git"), "pre-receive", "! grep -q refs/heads/main");
    assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
    const own = join(world.control, "worktrees/demo@T-1/repos/api");
    const refusal = async (at: string, ...args: string[]) => {
      await world.git(at, "commit", "--quiet", "--allow-empty", "--message", "Early");
      const ran = await world.amof(["push", "--allow-base", "--yes", "--json", ...args]);
      return String(ran.json()["hint"]);
    };
    await world.git(own, "switch", "--quiet", "main");
    const words = [["switch", "feature/T-1"], ["merge", "main"]] as const;
    assertEquals(
      await refusal(own, "--ticket", "T-1"),
      `Go to the branch of the ticket: git -C ${own} ${words[0].join(" ")}\n` +
        `Bring them there: git -C ${own} ${words[1].join(" ")}`,
    );
    for (const line of words) await world.git(own, ...line);
    assertEquals((await world.amof(["push", "--yes", "--ticket", "T-1"])).code, 0);
    assertEquals(
      await refusal(world.clone("api")),
      "Begin a ticket with it: amof ticket start TICKET-ID --carry --repo api --in-place",
    );
    const begin = ["ticket", "start", "T-2", "--carry", "--repo", "api", "--in-place"];
    assertEquals((await world.amof(begin)).code, 0);
    assertEquals((await world.amof(["push", "--yes"])).code, 0);
  },
});

Deno.test({
  name: "amof push says that the time limit ended it, and whether it has arrived all the same",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await world.commitOnFeature("api");
    const head = await world.commitOnFeature("web");
    // The one waits before the remote takes the branch, the other behind that.
    const wait = (repo: string, when: string) =>
      world.hook(join(world.remotes, `${repo}.git`), when, "exec sleep 20");
    await wait("api", "pre-receive");
    await wait("web", "post-receive");
    const ran = await push(world, "--timeout", "2");
    assertEquals(outcome(ran), [["api", "failed", "timeout"], ["web", "pushed", null]]);
    assertMatch(
      String(results(ran)[0]?.["detail"]),
      /^the time limit of \d+ s ended it; it has not arrived$/,
    );
    assertEquals(
      pick(ran.json(), "hint"),
      "Repeat, and allow it more: amof push --yes --timeout 10",
    );
    assertEquals(await remote(world, "web", "feature/T-1"), head);
    // What arrived is known here, too: nothing is left to push.
    const status = await world.amof(["status", "--json", "--repo", "web"]);
    assertEquals(pick(status.json(), "repos", 0, "unpushed"), false);
  },
});

Deno.test({
  name:
    "amof push that is interrupted asks the remotes what has arrived, and tells what nobody knows",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const head = await world.commitOnFeature("api");
    await world.commitOnFeature("web");
    const at = (name: string) => join(world.directory, name);
    await world.hook(
      join(world.remotes, "api.git"),
      "post-receive",
      `touch '${at("api-has-it")}'; exec sleep 20`,
    );
    // It takes the branch and is not to be asked any more.
    await world.hook(
      join(world.remotes, "web.git"),
      "post-receive",
      `mv "$PWD" '${at("away.git")}'; touch '${at("web-has-it")}'; exec sleep 20`,
    );
    const child = world.start(["push", "--yes", "--json"]);
    await until(
      "both remotes have it",
      async () => await world.exists("api-has-it") && await world.exists("web-has-it"),
    );
    child.kill("SIGINT");
    const answer = JSON.parse(new TextDecoder().decode((await child.output()).stdout));
    const told = rows(answer, "result", "repos")
      .map(({ name, result, code, detail }) => [name, result, code, detail]);
    assertEquals(told, [
      ["api", "pushed", null, "origin/feature/T-1 (new branch)"],
      ["web", "failed", "cancelled", "cancelled; whether it arrived is unknown"],
    ]);
    assertEquals(
      pick(answer, "result", "repos", 1, "fix"),
      "see whether it arrived: amof sync --repo web",
    );
    const git = (repo: string, ...args: string[]) => world.git(world.clone(repo), ...args);
    assertEquals(await git("api", "rev-parse", "feature/T-1@{upstream}"), head);
    await Deno.rename(at("away.git"), join(world.remotes, "web.git"));
    assertEquals((await world.amof(["sync", "--repo", "web"])).code, 0);
    const status = await world.amof(["status", "--json"]);
    assertEquals(rows(status.json(), "repos").map((row) => row["unpushed"]), [false, false]);
  },
});

Deno.test({
  name: "amof push that commits and is interrupted does not say that it was not pushed",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
    const away = join(world.directory, "away.git");
    const script = `mv "$PWD" '${away}'; exec sleep 20`;
    await world.hook(join(world.remotes, "api.git"), "post-receive", script);
    const child = world.start(["push", "--commit", "-m", "New", "--yes", "--json"]);
    await until("the remote has it", () => world.exists("away.git"));
    child.kill("SIGINT");
    const answer = JSON.parse(new TextDecoder().decode((await child.output()).stdout));
    assertEquals(
      pick(answer, "result", "repos", 0, "detail"),
      "committed: cancelled; whether it arrived is unknown",
    );
  },
});

Deno.test({
  name: "amof push that loses its remote once that has taken the branch counts as pushed",
  ignore: !POSIX, // a server hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    await world.hook(join(world.remotes, "api.git"), "post-receive", "kill -9 $PPID");
    const ran = await push(world);
    assertEquals([ran.code, outcome(ran)], [0, [["api", "pushed", null]]]);
  },
});
