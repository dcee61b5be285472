/**
 * Campaigns from beginning to end, with real remotes and this machine as the engine: a change is run, its commits come
 * home, a person approves shapes, and branches are pushed.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { Screen } from "../support/screen.ts";
import { World } from "../support/world.ts";
import { writeProgram } from "../support/program.ts";

const ignore = Deno.build.os === "windows"; // shell lines

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

const REPOS = ["api", "core", "docs", "web"];

/** A shell line that appends a line in most repositories, another one in web, and nothing in docs. */
const CHANGE =
  'case $AMOF_REPO in docs) ;; web) echo other >> README.md ;; *) echo "a  b" >> README.md ;; esac';

function answer(ran: { json(): Record<string, unknown> }): Record<string, unknown> {
  const all = ran.json();
  return (all["result"] ?? all) as Record<string, unknown>;
}

function states(ran: { json(): Record<string, unknown> }): Record<string, unknown> {
  return Object.fromEntries(rows(answer(ran), "repos").map((row) => [row["repo"], row["state"]]));
}

async function git(world: World, repo: string, ...args: string[]): Promise<string> {
  const ran = await world.command("git", ["-C", join(world.remotes, `${repo}.git`), ...args]);
  return ran.stdout.trim();
}

async function branchOf(world: World, repo: string, branch = "campaign/tidy"): Promise<string> {
  return await git(world, repo, "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`);
}

/** Puts a file on the base branch of a remote. */
async function commitTo(
  world: World,
  repo: string,
  file: string,
  text: string,
  append = false,
): Promise<void> {
  const work = join(world.directory, `work-${repo}`);
  await world.git(world.directory, "clone", "-q", join(world.remotes, `${repo}.git`), work);
  await Deno.writeTextFile(join(work, file), text, { append });
  await world.git(work, "add", file);
  await world.git(work, "commit", "-q", "-m", `Change ${file}`);
  await world.git(work, "push", "-q", "origin", "HEAD:main");
}

/** A world in which the campaign `tidy` was started. */
function started(): Promise<World> {
  return World.like("campaign started", async (world) => {
    await world.makeControl();
    await world.addEcosystem("demo", { repos: REPOS });
    const ran = await world.amof(["campaign", "start", "tidy", "-m", "Tidy up", "--shell", CHANGE]);
    assertEquals(ran.code, 0, ran.stderr);
  });
}

test("a campaign runs, shows shapes, and pushes only what a person has approved", async () => {
  await using world = await World.withEcosystem({ repos: REPOS });
  const ran = await world.amof([
    "campaign",
    "start",
    "tidy",
    "-m",
    "Tidy up",
    "--json",
    "--shell",
    CHANGE,
  ]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(states(ran), { api: "changed", core: "changed", docs: "unchanged", web: "changed" });

  const shown = await world.amof(["campaign", "show", "tidy", "--json"]);
  const shapes = rows(answer(shown), "shapes");
  assertEquals(shapes.map(({ repos, outlier }) => [repos, outlier]), [
    [["api", "core"], false],
    [["web"], true],
  ]);
  const first = String(shapes[0]?.["id"]);
  const example = await world.amof(["campaign", "show", "tidy", "--shape", first]);
  assertStringIncludes(example.stdout, "+a  b");

  // Nothing may be pushed yet.
  const early = await world.amof(["campaign", "push", "tidy", "--yes"]);
  assertEquals(early.code, 0, early.stderr);
  assertEquals(await branchOf(world, "api"), "");
  assertStringIncludes(early.stdout, "nothing that is left is approved yet");
  assertStringIncludes(early.stdout, "amof campaign approve tidy --all");
  const updated = await world.amof(["campaign", "update", "tidy", "--yes"]);
  assertStringIncludes(updated.stdout, "3 commits not approved yet");

  const approve = ["campaign", "approve", "tidy", "--shape", first];
  const asked = await world.amof([...approve, "--dry-run"]);
  assertStringIncludes(asked.stdout, "⚠ Directories do not count");
  const approved = await world.amof([...approve, "--yes"]);
  assertEquals(approved.code, 0, approved.stderr);
  const pushed = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
  assertEquals(pushed.code, 0, pushed.stdout);
  assertEquals(rows(answer(pushed), "repos").map(({ name, result }) => [name, result]), [
    ["api", "pushed"],
    ["core", "pushed"],
  ]);
  assertEquals(await branchOf(world, "web"), "");
  const told = await git(world, "api", "log", "-1", "--format=%an <%ae>%n%B", "campaign/tidy");
  assertEquals(told, "Tester <tester@example.invalid>\nTidy up");
  assertEquals(
    await git(world, "api", "rev-parse", "campaign/tidy^"),
    await git(world, "api", "rev-parse", "main"),
  );

  const again = await world.amof(["campaign", "push", "tidy", "--yes"]);
  assertStringIncludes(again.stdout + again.stderr, "othing");
  const after = (call: typeof ran) =>
    rows(call.json(), "suggested_actions").map(({ id }) => id).slice(0, 2);
  assertEquals(after(ran), ["campaign_show", "campaign_status"]);
  assertEquals(after(shown), ["campaign_approve", "campaign_status"]);
  assertEquals(after(pushed), ["campaign_status", "summarize_run"]);
  const status = await world.amof(["campaign", "status", "--remotes", "--json"]);
  assertEquals(after(status), ["campaign_show"]);
  const [row] = rows(answer(status), "campaigns");
  const counts = ["changed", "approved", "pushed", "merged", "gone"].map((key) => row?.[key]);
  assertEquals(counts, [3, 2, 2, 0, 0]);
});

test("a branch that somebody else has made is never written over, and the others go", async () => {
  await using world = await started();
  await git(world, "core", "branch", "campaign/tidy", "main");
  const theirs = await branchOf(world, "core");
  await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
  const pushed = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
  assertEquals(pushed.code, 5, pushed.stdout);
  assertStringIncludes(pushed.stdout, "which is not by this campaign");
  assertEquals(await branchOf(world, "core"), theirs);
  assert(await branchOf(world, "api") !== "");
});

test("update runs again what is new, failed or behind; approvals hold for the same shape alone", async () => {
  await using world = await started();
  await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
  await world.amof(["campaign", "push", "tidy", "--yes"]);
  const first = await branchOf(world, "api");

  // Nothing is behind.
  const idle = await world.amof(["campaign", "update", "tidy", "--json"]);
  assertEquals(answer(idle)["outcome"], "nothing");

  // The bases of two have moved; what is added to core is another shape than before.
  await commitTo(world, "api", "more.txt", "more\n");
  await commitTo(world, "core", "README.md", "no line end", true);
  const updated = await world.amof(["campaign", "update", "tidy", "--json"]);
  assertEquals(updated.code, 0, updated.stdout);
  const counts = answer(updated)["counts"] as Record<string, unknown>;
  assertEquals([counts["changed"], counts["approved"], counts["pushed"]], [3, 2, 1]);

  const pushed = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
  assertEquals(rows(answer(pushed), "repos").map(({ name, result }) => [name, result]), [
    ["api", "pushed"],
  ]);
  const second = await branchOf(world, "api");
  assert(second !== first && second !== "");
  assertEquals(await git(world, "api", "rev-list", "--count", "main..campaign/tidy"), "1");
});

test("where nothing is left to change behind a pushed commit, it was merged", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  await world.amof(["campaign", "start", "tidy", "--shell", "touch new.txt"]);
  await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
  await world.amof(["campaign", "push", "tidy", "--yes"]);
  await commitTo(world, "api", "new.txt", "");
  const updated = await world.amof(["campaign", "update", "tidy", "--json"]);
  assertEquals(states(updated), { api: "merged" });
  const closed = await world.amof(["campaign", "close", "tidy", "--delete-branches", "--yes"]);
  assertEquals(closed.code, 0, closed.stderr);
  assertEquals(await branchOf(world, "api"), "");
});

test("close with nothing to delete says so and asks nobody", async () => {
  await using world = await started();
  const close = ["campaign", "close", "tidy", "--delete-branches"];
  const shown = await world.amof([...close, "--dry-run"]);
  assertStringIncludes(shown.stdout, "There is no branch to delete");
  const closed = await world.amof(close);
  assertEquals(closed.code, 0, closed.stderr);
  assertStringIncludes(closed.stdout, "Closed tidy; there was no branch to delete.");
});

test("close deletes only branches that are as the campaign left them", async () => {
  await using world = await started();
  await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
  await world.amof(["campaign", "push", "tidy", "--yes"]);
  await git(world, "core", "update-ref", "refs/heads/campaign/tidy", "main");
  const close = ["campaign", "close", "tidy", "--delete-branches"];
  assertEquals((await world.amof(close)).code, 4);
  const screen = Screen.start(world, close, { columns: 80, rows: 40 });
  await screen.shows(/Type the campaign to proceed:/m);
  await screen.types("\n");
  assertEquals(await screen.ends(), 4);
  assertEquals((await world.amof([...close, "--yes"])).code, 4);
  const closed = await world.amof([...close, "--confirm-name", "tidy", "--json"]);
  assertEquals(closed.code, 0, closed.stdout);
  assertEquals(rows(answer(closed), "repos").map(({ name, result }) => [name, result]), [
    ["api", "deleted"],
    ["core", "moved"],
    ["web", "deleted"],
  ]);
  assertEquals(await branchOf(world, "core"), await git(world, "core", "rev-parse", "main"));
  const over = await world.amof(["campaign", "push", "tidy", "--yes"]);
  assertStringIncludes(over.stderr, "it is closed");
});

test("no-touch paths, secrets, large changes and failures are told by repository, and none becomes a commit", async () => {
  await using world = await World.withEcosystem({
    repos: ["big", "fails", "guarded", "odd", "secret"],
    extra: "guardrails: {no_touch_paths: [legal/**]}",
  });
  const line = [
    "case $AMOF_REPO in",
    "big) head -c 5000000 /dev/urandom > blob ;;",
    "fails) exit 7 ;;",
    "guarded) mkdir legal; touch legal/LICENSE ;;",
    "odd) printf x > \"$(printf 'a \\t\\nü\\042.txt')\"; mkdir -- -d; touch -- -d/-f; git add .; git -c user.name=x -c user.email=x@y commit -qm own; git config core.hooksPath /x ;;",
    "secret) echo A=1 > .env ;; esac",
  ].join("\n");
  const ran = await world.amof(["campaign", "start", "Ünits-1.0", "--json", "--shell", line]);
  assertEquals(ran.code, 5, ran.stdout);
  const shown = await world.amof(["campaign", "status", "Ünits-1.0", "--json"]);
  assertEquals(states(shown), {
    big: "too_large",
    fails: "failed",
    guarded: "held_back",
    odd: "changed",
    secret: "held_back",
  });
  await world.amof(["campaign", "approve", "Ünits-1.0", "--all", "--yes"]);
  const pushed = await world.amof(["campaign", "push", "Ünits-1.0", "--yes"]);
  assertEquals(pushed.code, 0, pushed.stderr);
  // What the program has committed itself is a part of the one commit.
  assertEquals(await git(world, "odd", "rev-list", "--count", "main..campaign/Ünits-1.0"), "1");
});

test("what the manifest guards since a commit came home is held back from the push", async () => {
  await using world = await started();
  await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
  const manifest = join(world.control, "ecosystems/demo/ecosystem.yaml");
  await Deno.writeTextFile(manifest, "guardrails: {no_touch_paths: [README.md]}\n", {
    append: true,
  });
  const pushed = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
  const results = new Set(rows(answer(pushed), "repos").map(({ result }) => result));
  assertEquals([...results], ["held_back"], pushed.stdout);
  assertEquals(await branchOf(world, "api"), "");
});

test("what is kept of a commit and was changed is never pushed", async () => {
  await using world = await started();
  await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
  const state = join(world.env["AMOF_HOME"] ?? "", "state", "campaigns");
  let found = 0;
  for await (const { name } of Deno.readDir(state)) {
    for await (const pack of Deno.readDir(join(state, name, "packs"))) {
      const path = join(state, name, "packs", pack.name);
      assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o077, 0);
      const bytes = await Deno.readFile(path);
      bytes[40] = (bytes[40] ?? 0) ^ 1;
      await Deno.writeFile(path, bytes);
      found++;
    }
  }
  assertEquals(found, 3);
  const pushed = await world.amof(["campaign", "push", "tidy", "--yes"]);
  assertEquals(pushed.code, 1, pushed.stderr);
  assertStringIncludes(pushed.stderr, "was changed");
  assertEquals(await branchOf(world, "api"), "");
});

test("names that are none, names that are taken, base branches and unknown shapes are refused", async () => {
  await using world = await started();
  const failing = async (...args: string[]) => {
    const ran = await world.amof(["campaign", ...args]);
    assertEquals(ran.code, 2, `${args.join(" ")}: ${ran.stderr}`);
    return ran.stderr;
  };
  assertStringIncludes(await failing("start", "a b", "--", "true"), "Cannot call a campaign");
  assertStringIncludes(await failing("start", "../up", "--", "true"), "Cannot call a campaign");
  assertStringIncludes(await failing("start", "tidy", "--", "true"), "is there already");
  assertStringIncludes(
    await failing("start", "more", "--branch", "main", "--", "true"),
    "it is a base branch",
  );
  assertStringIncludes(await failing("start", "more"), "none was named");
  assertStringIncludes(await failing("approve", "tidy", "--shape", "0000"), "no commit has it");
  assertStringIncludes(await failing("approve", "tidy"), "no shape was named");
  const nothing = await world.amof(["campaign", "approve", "tidy", "--json"]);
  assertEquals(
    nothing.json()["hint"],
    "See the shapes there are: amof campaign show tidy\nApprove all of them: amof campaign approve tidy --all",
  );
  assertStringIncludes(await failing("show", "tdiy"), 'did you mean "tidy"?');
});

/** Ends every process of the program that works for a world, as soon as one remote has taken a push. */
const ENDS_CALLERS = String.raw`#!/bin/sh
[ -e ended ] && exit 0
touch ended
for one in /proc/[0-9]*; do
  case $(readlink "$one/exe") in */git|*/sh|*/dash|*/bash) continue ;; esac
  tr '\0' '\n' < "$one/environ" 2>/dev/null | grep -qxF "AMOF_HOME=$HOME_OF" && kill -9 "$(basename "$one")"
done
exit 0
`;

/** A campaign whose push into `api` was ended between what the remote took and what was written down of it. */
async function cutOff(begun: () => Promise<World> = started): Promise<World> {
  const world = await begun();
  await world.amof(["campaign", "approve", "tidy", "--all", "--yes"]);
  const hook = join(world.remotes, "api.git", "hooks", "post-receive");
  const text = ENDS_CALLERS.replace("$HOME_OF", world.env["AMOF_HOME"] ?? "");
  await writeProgram(hook, text);
  const ended = await world.amof(["campaign", "push", "tidy", "--yes"]);
  assert(ended.code !== 0, ended.stdout);
  return world;
}

const linux = Deno.build.os === "linux";

Deno.test({
  name: "what a push was ended over is known as the campaign's own when its base has moved since",
  ignore: !linux,
  async fn() {
    await using world = await cutOff();
    const first = await branchOf(world, "api");
    assert(first !== "");
    await commitTo(world, "api", "LATER.md", "later\n");
    const updated = await world.amof(["campaign", "update", "tidy", "--yes", "--json"]);
    assertEquals(updated.code, 0, updated.stdout);
    const pushed = await world.amof(["campaign", "push", "tidy", "--yes", "--json"]);
    assertEquals(pushed.code, 0, pushed.stdout);
    assertEquals(
      rows(answer(pushed), "repos").find(({ name }) => name === "api")?.["result"],
      "pushed",
    );
    assert(await branchOf(world, "api") !== first);
    assertEquals(
      await git(world, "api", "rev-parse", "campaign/tidy^"),
      await git(world, "api", "rev-parse", "main"),
    );
    assertEquals(await git(world, "api", "rev-list", "--count", "main..campaign/tidy"), "1");
  },
});

Deno.test({
  name:
    "what a push was ended over is told and deleted as the campaign's own, and nobody else's is",
  ignore: !linux,
  async fn() {
    await using world = await cutOff();
    const status = await world.amof(["campaign", "status", "tidy", "--remotes", "--json"]);
    assertEquals(
      rows(answer(status), "repos").find(({ repo }) => repo === "api")?.["remote"],
      "ours",
    );
    const theirs = ["update-ref", "refs/heads/campaign/tidy", "refs/heads/main"];
    if (await branchOf(world, "core") !== "") await git(world, "core", ...theirs);
    const closed = await world.amof([
      "campaign",
      "close",
      "tidy",
      "--delete-branches",
      "--confirm-name=tidy",
    ]);
    assertEquals(closed.code, 0, closed.stderr);
    assertEquals(await branchOf(world, "api"), "");
  },
});

/** A world in which the campaign `tidy` has made a file in `api`, where it can be merged. */
async function oneFile(): Promise<World> {
  const world = await World.withEcosystem({ repos: ["api"] });
  await world.amof(["campaign", "start", "tidy", "--shell", "touch new.txt"]);
  return world;
}

Deno.test({
  name: "what a push was ended over and somebody has merged since was merged, not left unchanged",
  ignore: !linux,
  async fn() {
    await using world = await cutOff(oneFile);
    await commitTo(world, "api", "new.txt", "");
    await git(world, "api", "branch", "-D", "campaign/tidy");
    const updated = await world.amof(["campaign", "update", "tidy", "--json"]);
    assertEquals(states(updated), { api: "merged" });
  },
});

test("what a push was about to send and never sent was merged by nobody", async () => {
  await using world = await oneFile();
  for (const directory of await keptCampaigns(world)) {
    const journal = join(directory, "repos.jsonl");
    const row = JSON.parse((await Deno.readTextFile(journal)).trim());
    const text = JSON.stringify({ ...row, sending: row.commit });
    await Deno.writeTextFile(journal, `${text}\n`, { append: true });
  }
  await commitTo(world, "api", "new.txt", "");
  const updated = await world.amof(["campaign", "update", "tidy", "--json"]);
  assertEquals(states(updated), { api: "unchanged" });
});

/** Where campaigns of a world are kept. */
async function keptCampaigns(world: World): Promise<string[]> {
  const kept = join(world.env["AMOF_HOME"] ?? "", "state", "campaigns");
  return (await Array.fromAsync(Deno.readDir(kept))).map(({ name }) => join(kept, name));
}

test("a commit that cannot be written down when it arrives is told, and the next update makes it again", async () => {
  await using world = await started();
  for (const directory of await keptCampaigns(world)) {
    await Deno.writeTextFile(join(directory, "arrived"), "in the way\n");
  }
  await commitTo(world, "core", "LATER.md", "later\n");
  await commitTo(world, "api", "LATER.md", "later\n");
  const failed = await world.amof(["campaign", "update", "tidy", "--yes", "--json"]);
  assertEquals(failed.code, 5, failed.stdout);
  assertEquals(states(failed), { api: "lost", core: "lost", docs: "unchanged", web: "changed" });
  assertStringIncludes(failed.stdout, "arrived");

  const again = await world.amof(["campaign", "update", "tidy", "--yes", "--json"]);
  assertEquals(again.code, 0, again.stdout);
  assertEquals(states(again), {
    api: "changed",
    core: "changed",
    docs: "unchanged",
    web: "changed",
  });
});

test("update runs no more than it has said where a run was ended before anything was submitted", async () => {
  await using world = await started();
  for (const directory of await keptCampaigns(world)) {
    const file = join(directory, "campaign.json");
    const campaign = JSON.parse(await Deno.readTextFile(file));
    assertEquals(campaign.run, null);
    campaign.run = "0b54e1c2-5b0e-4a53-9c7e-2f1d9a3b6c10";
    await Deno.writeTextFile(file, JSON.stringify(campaign));
  }
  await commitTo(world, "core", "LATER.md", "later\n");
  const preview = await world.amof(["campaign", "update", "tidy", "--dry-run"]);
  assertStringIncludes(preview.stdout, "in 1 repo.");
  const before = await world.amof(["campaign", "status", "tidy", "--json"]);
  const updated = await world.amof(["campaign", "update", "tidy", "--yes", "--json"]);
  assertEquals(updated.code, 0, updated.stdout);
  const after = await world.amof(["campaign", "status", "tidy", "--json"]);
  const commits = (ran: typeof before) =>
    Object.fromEntries(rows(answer(ran), "repos").map((row) => [row["repo"], row["commit"]]));
  const { core: was, ...others } = commits(before);
  const { core, ...same } = commits(after);
  assertEquals(same, others);
  assert(core !== was);
});
