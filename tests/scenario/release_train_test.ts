/**
 * `amof release train …` from outside: several repositories released together, or none of them.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { trainWorld } from "../support/release_world.ts";
import { type Ran, type World } from "../support/world.ts";

/** Hooks are shell scripts. */
const POSIX = Deno.build.os !== "windows";

const BUMP = ["release", "train", "bump", "minor", "--alpha", "--yes", "--json"];

function bare(world: World, repo: string): string {
  return join(world.remotes, `${repo}.git`);
}

function tagsOf(world: World, directory: string): Promise<string> {
  return world.git(directory, "tag");
}

/** The answer of a train: that of its run, or that there was no need for one. */
function answer(ran: Ran): Record<string, unknown> {
  const whole = ran.json();
  return { ...whole, ...(whole["result"] as Record<string, unknown> | undefined) };
}

/** The record a run left. */
async function train(world: World, name: unknown): Promise<Record<string, unknown>> {
  const file = join(world.control, "releases", "trains", `${name}.json`);
  return JSON.parse(await Deno.readTextFile(file)) as Record<string, unknown>;
}

Deno.test("amof release train releases what has changed, and leaves out what has not", async (t) => {
  await using world = await trainWorld(["api", "web", "lib"], ["lib"]);

  await t.step("status tells the version and the news of each repository", async () => {
    const ran = await world.amof(["release", "train", "status", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(
      rows(ran.json(), "repos").map((row) => [
        row["name"],
        row["tag"],
        row["commits_since_tag"],
        row["changed"],
        row["problems"],
      ]),
      [["api", "v1.0.0", 1, true, []], ["web", "v1.0.0", 1, true, []], [
        "lib",
        "v1.0.0",
        0,
        false,
        [],
      ]],
    );
    assertEquals(ran.json()["last_train"], null);
  });

  await t.step("one preview shows all of it", async () => {
    const before = await world.fingerprint();
    const ran = await world.amof([...BUMP, "--dry-run"]);
    assertEquals(ran.code, 0, ran.stdout);
    const preview = ran.json()["preview"];
    assertEquals(pick(preview, "repos_affected"), ["api", "web"]);
    assertEquals(pick(preview, "repos", 0, "next"), "v1.1.0-alpha.1");
    assertEquals(pick(preview, "repos", 0, "commit_subjects"), ["Work on api"]);
    assertEquals(pick(preview, "left_out"), [
      { name: "lib", current: "v1.0.0", reason: "no commits since v1.0.0" },
    ]);
    assertEquals(await world.changesSince(before), []);
  });

  await t.step("all are tagged and pushed, and the train is recorded", async () => {
    const ran = await world.amof([...BUMP, "-m", "Together"]);
    assertEquals(ran.code, 0, ran.stdout);
    const name = answer(ran)["train"];
    const record = await train(world, name);
    for (const repo of ["api", "web"]) {
      const clone = world.clone(repo);
      assertEquals(await tagsOf(world, clone), "v1.0.0\nv1.1.0-alpha.1");
      assertEquals(await tagsOf(world, bare(world, repo)), "v1.0.0\nv1.1.0-alpha.1");
      const commit = await world.git(clone, "rev-parse", "v1.1.0-alpha.1^{commit}");
      assertEquals(await world.git(bare(world, repo), "rev-parse", "main"), commit);
      assertEquals(await world.git(clone, "show", `${commit}:VERSION`), "1.1.0-alpha.1");
      assertEquals(await world.git(clone, "status", "--porcelain"), "");
      assertStringIncludes(await world.git(clone, "log", "-1", "--format=%B"), "Together");
      assertEquals(pick(record, "repos", repo), {
        version: "1.1.0-alpha.1",
        tag: "v1.1.0-alpha.1",
        previous_tag: "v1.0.0",
        branch: "main",
        action: "release",
        commit,
        pushed: true,
        push_error: null,
      });
    }
    assertEquals(await tagsOf(world, world.clone("lib")), "v1.0.0");
    assertEquals(record["left_out"], { lib: "no commits since v1.0.0" });
    assertEquals(
      [record["ecosystem"], record["action"], record["bump_part"], record["stage"]],
      ["demo", "bump", "minor", "alpha"],
    );
    assertEquals(await world.git(world.control, "status", "--porcelain"), "");
    assertEquals(
      await world.git(world.control, "log", "-1", "--format=%s"),
      `chore(release): record train ${name}`,
    );
  });

  await t.step("again there is nothing to release", async () => {
    const ran = await world.amof(BUMP);
    assertEquals([ran.code, ran.json()["train"]], [0, null]);
  });

  await t.step("a promotion takes the pre-releases on, here only one of them", async () => {
    for (const repo of ["api", "web"]) {
      await Deno.writeTextFile(
        join(world.clone(repo), "CHANGELOG.md"),
        "# Changelog\n\n## [1.1.0]\n\n- All\n",
      );
      await world.git(world.clone(repo), "add", ".");
      await world.git(world.clone(repo), "commit", "--quiet", "-m", "Begin a changelog");
    }
    const ran = await world.amof([
      "release",
      "train",
      "promote",
      "--repos",
      "api,lib",
      "--yes",
      "--json",
    ]);
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(rows(answer(ran), "left_out").map((row) => row["reason"]), ["v1.0.0 is stable"]);
    assertStringIncludes(await tagsOf(world, bare(world, "api")), "v1.1.0\n");
    assertEquals(await tagsOf(world, world.clone("web")), "v1.0.0\nv1.1.0-alpha.1");
    const status = await world.amof(["release", "train", "status", "--json"]);
    assertEquals(pick(status.json(), "last_train", "repos"), {
      api: { tag: "v1.1.0", pushed: true },
    });
  });
});

Deno.test("amof release train finds the problems of all repositories before it touches one", async () => {
  await using world = await trainWorld(["api", "web", "lib", "docs"]);
  await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
  await world.git(world.clone("web"), "switch", "--quiet", "-c", "feature/x");
  await world.git(world.clone("lib"), "tag", "--delete", "v1.0.0");
  await world.git(world.clone("docs"), "push", "--quiet", "origin", "HEAD~1:refs/tags/v7.0.0");
  const before = await world.fingerprint();
  const wanted = [["api", "clean"], ["web", "branch"], ["lib", "version"], ["docs", "remote_tag"]];
  const found = (answer: Record<string, unknown>, ...steps: string[]) =>
    rows(answer, ...steps).map((problem) => [problem["repo"], problem["gate"]]);

  const dry = await world.amof([...BUMP, "--dry-run"]);
  assertEquals(dry.code, 0, dry.stdout);
  assertEquals(found(dry.json(), "preview", "problems"), wanted);
  const ran = await world.amof(BUMP);
  assertEquals([ran.code, ran.json()["error"]], [1, "release_blocked"], ran.stdout);
  assertEquals(found(ran.json(), "details", "errors"), wanted);
  assertEquals(await world.changesSince(before), []);

  const said = await world.amof(BUMP.filter((word) => word !== "--json"));
  const again = BUMP.filter((word) => word !== "--json").join(" ");
  assertStringIncludes(
    said.stdout,
    `fix: Name one for it: amof ${again} --initial 0.1.0-alpha.1\n`,
  );
  assertStringIncludes(
    said.stdout,
    `fix: Switch to main: git -C ${world.clone("web")} switch main`,
  );

  // In a ticket its own command takes all of them back.
  await world.git(world.clone("web"), "switch", "--quiet", "main");
  const others = ["--repo", "web,docs"];
  const started = await world.amof(["-e", "demo", "ticket", "start", "T-1", ...others]);
  assertEquals(started.code, 0, started.stderr);
  const inTicket = (await world.amof(BUMP)).json();
  assertEquals(
    rows(inTicket, "details", "errors").filter(({ gate }) => gate === "branch").map(({ fix }) =>
      fix
    ),
    Array(2).fill("Go back to the base branches: amof ticket switch main"),
  );
  const ended = await world.amof(["-e", "demo", "ticket", "switch", "main", "--stash"]);
  assertEquals(ended.code, 0, ended.stderr);
  const back = await world.amof(["-e", "demo", "ticket", "switch", "main"]);
  assertEquals(back.code, 0, back.stderr);

  // What is not behind a problem goes, and a repository without a version begins with the one that is named.
  const begin = ["--repos", "lib", "--initial", "0.1.0-alpha.1", "--no-push"];
  const some = await world.amof([...BUMP, ...begin]);
  assertEquals(some.code, 0, some.stdout);
  assertEquals(await tagsOf(world, world.clone("lib")), "v0.1.0-alpha.1");
  assertEquals(pick(answer(some), "repos", 0, "pushed"), false);
  const wrong = await world.amof([...BUMP, "--initial", "one"]);
  assertEquals([wrong.code, wrong.json()["error"]], [2, "invalid_arguments"]);
  const stable = await world.amof([...BUMP, "--initial", "0.1.0"]);
  assertEquals([stable.code, stable.json()["error"]], [2, "invalid_arguments"]);
  assertStringIncludes(String(stable.json()["hint"]), "--initial 0.1.0-alpha.1");
  const nobody = await world.amof([...BUMP, "--repos", "api,nobody"]);
  assertEquals([nobody.code, nobody.json()["error"]], [2, "repo_not_found"]);
});

Deno.test({
  name: "amof release train takes everything back when one repository cannot commit",
  ignore: !POSIX, // hooks
  async fn() {
    await using world = await trainWorld(["api", "web", "lib"]);
    await world.hook(join(world.clone("lib"), ".git"), "pre-commit", "exit 1");
    const look = async () =>
      await Promise.all(["api", "web", "lib"].map(async (repo) => [
        await world.git(world.clone(repo), "for-each-ref"),
        await world.git(world.clone(repo), "status", "--porcelain"),
        await Deno.readTextFile(join(world.clone(repo), "VERSION")),
        await world.git(bare(world, repo), "for-each-ref"),
      ]));
    const before = await look();
    const ran = await world.amof(BUMP);
    assertEquals([ran.code, ran.json()["error"]], [1, "git_failed"], ran.stdout);
    assertEquals(await look(), before);
    assert(!await world.exists("control/releases"));
  },
});

Deno.test("a train leads to where the manifest has a clone, when its remote or its adopted clone is elsewhere by now", async () => {
  await using world = await trainWorld(["api", "web"]);
  const api = world.clone("api");
  await world.git(api, "remote", "set-url", "origin", "/nowhere/api.git");
  const problems = async () =>
    rows((await world.amof([...BUMP, "--dry-run"])).json(), "preview", "problems")
      .map(({ repo, gate, fix }) => [repo, gate, fix]);
  const url = world.url("api");
  const mend = `git -C ${api} remote set-url origin ${url}`;
  assertEquals(await problems(), [["api", "remote", `Mend its address: ${mend}`]]);
  await world.git(api, "remote", "set-url", "origin", url);
  assertEquals(await problems(), []);

  const own = join(world.directory, "own", "web");
  await Deno.mkdir(join(world.directory, "own"));
  await Deno.rename(world.clone("web"), own);
  const install = ["install", "--repair", "--repo", "web", "--yes", "--adopt"];
  const adopted = await world.amof(["-e", "demo", ...install, join(world.directory, "own")]);
  assertEquals(adopted.code, 0, adopted.stderr);
  await Deno.remove(world.clone("web"));
  const again = `Adopt it again: amof install --repair --repo web --adopt ${dirname(own)}`;
  assertEquals(await problems(), [[
    "web",
    "readable",
    `${again}\nOr clone it anew: amof install --repair --repo web`,
  ]]);
});

Deno.test("a train that is pushed at last takes along the tags of the trains before it", async () => {
  await using world = await trainWorld(["api", "web"]);
  const alpha = await world.amof([...BUMP, "--no-push"]);
  assertEquals(alpha.code, 0, alpha.stdout);
  const beta = ["release", "train", "promote", "beta", "--yes", "--json"];
  assertEquals((await world.amof([...beta, "--no-push"])).code, 0);
  await world.git(world.clone("api"), "tag", "v1.1.0-alpha.7", "HEAD~1");
  assertEquals(await tagsOf(world, bare(world, "api")), "v1.0.0");
  const sent = await world.amof(beta);
  assertEquals(sent.code, 0, sent.stdout);
  // What somebody has tagged otherwise is not amof's.
  for (const repo of ["api", "web"]) {
    assertEquals(
      await tagsOf(world, bare(world, repo)),
      "v1.0.0\nv1.1.0-alpha.1\nv1.1.0-beta.1",
    );
  }
});

Deno.test({
  name: "a train pushes first what others need, and what needs one that failed waits for it",
  ignore: !POSIX, // hooks
  async fn() {
    await using world = await trainWorld(["web", "api", "docs", "lib"]);
    const manifest = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
    const text = await Deno.readTextFile(manifest);
    await Deno.writeTextFile(
      manifest,
      text.replace(/^( +)- name: web$/m, "$&\n$1  depends_on: [api]")
        .replace(/^( +)- name: api$/m, "$&\n$1  depends_on: [lib]"),
    );
    await world.git(world.control, "commit", "--quiet", "--all", "-m", "Order");
    await world.hook(bare(world, "api"), "pre-receive", "exit 1");
    const ran = await world.amof(BUMP);
    assertEquals(ran.code, 5, ran.stdout);
    const pushed = (of: Ran) =>
      rows(answer(of), "repos").map(({ name, pushed, push_error: error }) => [
        name,
        pushed || (String(error).startsWith("it waits") ? error : "failed"),
      ]);
    assertEquals(pushed(ran), [
      ["web", "it waits for api"],
      ["api", "failed"],
      ["docs", true],
      ["lib", true],
    ]);
    assertEquals(await tagsOf(world, bare(world, "web")), "v1.0.0");
    assertStringIncludes(String(ran.json()["message"]), "but api was not pushed (and 1 more)");

    await Deno.remove(join(bare(world, "api"), "hooks", "pre-receive"));
    const again = await world.amof(BUMP);
    assertEquals(again.code, 0, again.stdout);
    assertEquals(pushed(again), [["web", true], ["api", true]]);
  },
});

Deno.test({
  name:
    "amof release train says which repository was not pushed, and goes on from there when repeated",
  ignore: !POSIX, // hooks
  async fn() {
    await using world = await trainWorld(["api", "web", "lib"]);
    await world.hook(bare(world, "web"), "pre-receive", "exit 1");
    const ran = await world.amof(BUMP);
    assertEquals([ran.code, ran.json()["error"]], [5, "partial_failure"], ran.stdout);
    assertEquals(rows(ran.json(), "details", "repos").map((row) => row["name"]), ["web"]);
    assertEquals(rows(answer(ran), "repos").map((row) => [row["name"], row["pushed"]]), [
      ["api", true],
      ["web", false],
      ["lib", true],
    ]);
    assertEquals(await tagsOf(world, bare(world, "web")), "v1.0.0");
    assertEquals(await tagsOf(world, world.clone("web")), "v1.0.0\nv1.1.0-alpha.1");
    const record = await train(world, answer(ran)["train"]);
    assertEquals(pick(record, "repos", "web", "pushed"), false);

    // The same failure once more is no news: neither a record nor a commit.
    const head = await world.git(world.control, "rev-parse", "HEAD");
    const same = await world.amof(BUMP);
    assertEquals(same.code, 5, same.stdout);
    assertStringIncludes(String(same.json()["message"]), "Released nothing new, but web was not");
    assertEquals(
      [answer(same)["train"], rows(answer(same), "repos").map((row) => row["action"])],
      [answer(ran)["train"], ["push"]],
    );
    assertEquals(await world.git(world.control, "rev-parse", "HEAD"), head);
    assertEquals(await world.git(world.control, "status", "--porcelain"), "");
    const shown = (await world.amof(["release", "train", "status", "--json"])).json();
    const push = String(pick(shown, "last_train", "push"));
    assertEquals(push, "amof release train promote --repo web");

    await Deno.remove(join(bare(world, "web"), "hooks", "pre-receive"));
    const again = await world.amof([...push.split(" ").slice(1), "--yes", "--json"]);
    assertEquals(again.code, 0, again.stdout);
    assertEquals(
      rows(answer(again), "repos").map((row) => [row["name"], row["action"], row["tag"]]),
      [["web", "push", "v1.1.0-alpha.1"]],
    );
    assertEquals(await tagsOf(world, bare(world, "web")), "v1.0.0\nv1.1.0-alpha.1");
  },
});
