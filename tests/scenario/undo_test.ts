// `amof undo` and `amof operations`: what runs did to repositories is kept, listed, taken back and done again, and
// nothing that anybody wrote since is touched.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";
import { writeProgram } from "../support/program.ts";

const ignore = Deno.build.os === "windows"; // shell lines

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

const at = (world: World, repo: string, ...names: string[]) => join(world.clone(repo), ...names);

/** A commit that somebody else has pushed. */
async function pushedByOthers(world: World, repo: string): Promise<void> {
  const other = join(world.directory, "other");
  await world.git(
    world.directory,
    "clone",
    "-q",
    join(world.directory, "remotes", `${repo}.git`),
    other,
  );
  await Deno.writeTextFile(join(other, "theirs"), "theirs\n");
  await world.git(other, "add", "theirs");
  await world.git(other, "commit", "-q", "-m", "Theirs");
  await world.git(other, "push", "-q");
}

/** What is in a repository of the workspace, as git and the disk say. */
async function seen(world: World, repo: string): Promise<string> {
  const directory = at(world, repo);
  return [
    await world.git(directory, "status", "--porcelain=v2", "--branch", "-uall"),
    await world.git(directory, "for-each-ref", "refs/heads", "refs/tags", "refs/stash"),
    await world.git(directory, "diff", "HEAD"),
  ].join("\n");
}

/** The run that made the world's workspace, out of a list of operations: the oldest one. */
function installOf(listed: Record<string, unknown>): string {
  return String(rows(listed, "operations").at(-1)?.["run_id"]);
}

test("an undo of an undo names what is done again, and a third one what is undone after all", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const must = async (...words: string[]) => {
    const { code, stdout, stderr } = await world.amof(words);
    assertEquals(code, 0, stderr);
    return stdout;
  };
  await must("ticket", "start", "T-1");
  await must("ticket", "end", "T-1");
  await must("undo", "--yes");
  assertStringIncludes(await must("undo", "--dry-run"), "Would do ticket end T-1 again in 1 repo.");
  assertStringIncludes(await must("undo", "--yes"), "Did ticket end T-1 again in 1 repo.");
  assertStringIncludes(await must("undo", "--dry-run"), "Would undo ticket end T-1 in 1 repo.");
  const listed = await world.amof(["operations", "--json"]);
  assertEquals(rows(listed.json(), "operations").map(({ action, said }) => [action, said]), [
    ["undo", "ticket end T-1 again"],
    ["undo", "undo ticket end T-1"],
    ["ticket_end", undefined],
    ["ticket_start", undefined],
    ["install", undefined],
  ]);
  assertMatch(await must("operations"), / ticket end T-1 again {2}/);
});

test("amof undo takes back what a program did in repositories, and a second one does it again", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.writeTextFile(at(world, "api", "README.md"), "mine, not committed\n");
  await Deno.writeTextFile(at(world, "api", "new"), "mine, not tracked\n");
  const before = [await seen(world, "api"), await seen(world, "web")];

  const line =
    "rm -f new; echo theirs > README.md; echo x > made; git checkout -q -b side; git commit -q -a -m Theirs; git add made; echo y >> .env";
  const ran = await world.amof(["exec", "--json", "--repo", "api", "--shell", line]);
  assertEquals(ran.code, 0, ran.stderr);
  const offer = pick(ran.json(), "undo");
  const run = String(pick(ran.json(), "undo", "run_id"));
  assertEquals(offer, {
    run_id: pick(ran.json(), "run_id"),
    until: pick(ran.json(), "undo", "until"),
    command: `amof undo ${run.slice(0, 8)}`,
  });
  const whole = [await seen(world, "api"), await seen(world, "web")];
  const after = whole.map((text) => text.replace("? .env\n", ""));
  const listed = await world.amof(["operations", "--json"]);
  assertEquals(
    rows(listed.json(), "operations").map((row) => [row["run_id"], row["action"], row["undoable"]]),
    // What is not committed would be lost with the workspace.
    [[run, "exec", true], [installOf(listed.json()), "install", false]],
  );
  const shown = await world.amof(["operations", "show", run.slice(0, 8), "--json"]);
  const [api] = rows(shown.json(), "repos");
  assertEquals(api?.["refs"], ["refs/heads/side"]);
  assertEquals(api?.["files"], ["README.md", "made", "new"]);

  const kept = join(world.env["AMOF_HOME"] ?? "", "state", "undo", run);
  assertEquals(((await Deno.stat(kept)).mode ?? 0) & 0o777, 0o700);
  assertEquals(
    ((await Deno.stat(join(kept, "operation.json"))).mode ?? 0) & 0o777,
    0o600,
  );

  const refused = await world.amof(["undo", "--json"]);
  assertEquals([refused.code, pick(refused.json(), "error")], [4, "confirmation_required"]);
  assertEquals([await seen(world, "api"), await seen(world, "web")], whole);
  const undone = await world.amof(["undo", "--yes", "--json"]);
  assertEquals(undone.code, 0, undone.stderr);
  assertEquals(pick(undone.json(), "undone"), run);
  assertEquals(pick(undone.json(), "stays"), [
    "api: .env looks like a secret, and is never kept",
  ]);
  assertEquals(await Deno.readTextFile(at(world, "api", ".env")), "y\n");
  await Deno.remove(at(world, "api", ".env"));
  assertEquals([await seen(world, "api"), await seen(world, "web")], before);
  assertEquals(await Deno.readTextFile(at(world, "api", "new")), "mine, not tracked\n");

  const redone = await world.amof(["undo", "--yes", "--json"]);
  assertEquals(redone.code, 0, redone.stderr);
  assertEquals(pick(redone.json(), "undone"), pick(undone.json(), "run_id"));
  assertEquals([await seen(world, "api"), await seen(world, "web")], after);
  assertEquals((await world.amof(["undo", "--yes"])).code, 0);
  assertEquals([await seen(world, "api"), await seen(world, "web")], before);
});

test("what changed since is not touched, and a repository can be left out", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const ran = await world.amof(["exec", "--json", "--shell", "echo made > made; git branch side"]);
  const run = String(pick(ran.json(), "undo", "run_id"));
  await Deno.writeTextFile(at(world, "api", "made"), "mine now\n");
  await Deno.writeTextFile(at(world, "api", "more"), "mine\n");
  const api = await seen(world, "api");
  const web = await seen(world, "web");
  const stale = await world.amof(["undo", run, "--yes", "--json"]);
  assertEquals([stale.code, pick(stale.json(), "error")], [4, "undo_stale"]);
  assertEquals(
    rows(pick(stale.json(), "details"), "repos").map((row) => [row["name"], row["paths"]]),
    [
      ["api", ["made", "more"]],
    ],
  );
  assertStringIncludes(
    String(pick(stale.json(), "hint")),
    `amof undo ${run.slice(0, 8)} --repo '!api'`,
  );
  assertEquals([await seen(world, "api"), await seen(world, "web")], [api, web]);
  const shown = await world.amof(["operations", run]);
  assertMatch(shown.stdout, /api .*made and more changed since/);

  const unknown = await world.amof(["undo", run, "--repo", "docs", "--yes", "--json"]);
  assertEquals([unknown.code, pick(unknown.json(), "error")], [2, "invalid_arguments"]);
  const part = await world.amof(["undo", run, "--repo", "!api", "--yes", "--json"]);
  assertEquals(part.code, 0, part.stderr);
  assertEquals(pick(part.json(), "left_out"), ["api"]);
  assertEquals(await seen(world, "api"), api);
  assertEquals(await Deno.stat(at(world, "web", "made")).catch(() => null), null);
  assertEquals(await world.git(at(world, "web"), "branch", "--list", "side"), "");

  // What is left of the run goes back once it is as the run left it, and each repository once.
  await Deno.writeTextFile(at(world, "api", "made"), "made\n");
  await Deno.remove(at(world, "api", "more"));
  const left = await world.amof(["operations", run]);
  assertMatch(left.stdout, /to be undone[^]*web .*run [0-9a-f]{8} has undone it/);
  const again = await world.amof(["undo", run, "--repo", "web", "--yes"]);
  assertEquals(again.code, 4);
  assertMatch(again.stderr, /in "web": run [0-9a-f]{8} has undone it there/);
  assertStringIncludes(again.stderr, `amof undo ${run.slice(0, 8)}\n`);
  const rest = await world.amof(["undo", run, "--yes", "--json"]);
  assertEquals(rest.code, 0, rest.stderr);
  assertEquals(rows(rest.json(), "repos").map(({ name }) => name), ["api"]);
  assertEquals(pick(rest.json(), "left_out"), []);
  assertEquals(await Deno.stat(at(world, "api", "made")).catch(() => null), null);
  const whole = await world.amof(["undo", run, "--yes"]);
  assertMatch(whole.stderr, /run [0-9a-f]{8} has undone it/);
});

test("nothing goes back to a branch that somebody has moved since the run left it", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const started = await world.amof(["ticket", "start", "T-1", "--json"]);
  const run = String(pick(started.json(), "undo", "run_id"));
  await pushedByOthers(world, "api");
  assertEquals((await world.amof(["sync"])).code, 0);
  const there = [await seen(world, "api"), await seen(world, "web")];
  const stale = await world.amof(["undo", run, "--yes"]);
  assertEquals(stale.code, 4, stale.stdout);
  assertStringIncludes(stale.stderr, `in "api": refs/heads/main changed since`);
  assertEquals([await seen(world, "api"), await seen(world, "web")], there);
  for (const words of [[], [run]]) {
    assertEquals((await world.amof(["undo", ...words, "--yes"])).code, 0);
  }
  assertEquals(await world.git(at(world, "api"), "branch", "--show-current"), "main");
});

test("tickets go back with their branches, and what was put away for them", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.writeTextFile(at(world, "api", "README.md"), "mine\n");
  const before = [await seen(world, "api"), await seen(world, "web")];
  const started = await world.amof(["ticket", "start", "T-1", "--stash", "--json"]);
  assertEquals(started.code, 0, started.stderr);
  assertMatch(String(pick(started.json(), "undo", "command")), /^amof undo [0-9a-f]{8}$/);
  const after = [await seen(world, "api"), await seen(world, "web")];
  assert((await world.amof(["ticket", "list"])).stdout.includes("T-1"));
  const undone = await world.amof(["undo", "--yes"]);
  assertStringIncludes(undone.stdout, "Undid ticket start in ");
  assertEquals(undone.code, 0, undone.stderr);
  assertEquals([await seen(world, "api"), await seen(world, "web")], before);
  assert(!(await world.amof(["ticket", "list"])).stdout.includes("T-1"));
  const redone = await world.amof(["undo", "--yes"]);
  assertEquals(redone.code, 0, redone.stderr);
  assertEquals([await seen(world, "api"), await seen(world, "web")], after);
  assert((await world.amof(["ticket", "list"])).stdout.includes("T-1"));
});

test("a run of a worker can be undone, what was pushed cannot, and what changed nothing is no operation", async () => {
  await using world = await World.installed({ repos: ["api"] });
  assertEquals((await world.amof(["sync"])).code, 0);
  const none = await world.amof(["operations", "--json"]);
  assertEquals(rows(none.json(), "operations").map(({ action }) => action), ["install"]);
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  await Deno.writeTextFile(at(world, "api", "README.md"), "mine\n");
  const before = await seen(world, "api");
  const committed = await world.amof(["commit", "-m", "Mine", "--yes", "--json"]);
  assertEquals(committed.code, 0, committed.stderr);
  const run = String(pick(committed.json(), "undo", "run_id"));
  assertEquals((await world.amof(["undo", run, "--yes"])).code, 0);
  assertEquals(await seen(world, "api"), before);

  const pushed = await world.amof(["push", "--commit", "-m", "Mine", "--yes", "--json"]);
  assertEquals(pushed.code, 0, pushed.stderr);
  // It is offered nowhere: not in the answer, not in the list, and not as the run before another one.
  assertEquals(pick(pushed.json(), "undo"), undefined);
  const last = String(pick(pushed.json(), "run_id"));
  await Deno.writeTextFile(at(world, "api", "README.md"), "more\n");
  const again = await world.amof(["push", "--commit", "-m", "More", "--yes"]);
  assertEquals(again.code, 0, again.stderr);
  const listed = rows((await world.amof(["operations", "--json"])).json(), "operations");
  assertEquals(listed.slice(0, 2).map(({ action, undoable }) => [action, undoable]), [
    ["push", false],
    ["push", false],
  ]);
  for (const named of [[], [last]]) {
    const refused = await world.amof(["undo", ...named, "--yes", "--json"]);
    assertEquals([refused.code, pick(refused.json(), "error")], [4, "undo_impossible"]);
    assertMatch(String(pick(refused.json(), "message")), /undo cannot take back what is pushed/);
    assertEquals(String(pick(refused.json(), "hint")).includes(", push: amof undo"), false);
  }
});

test("an upstream that was synced goes back, and what is on the remote is told", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const before = await seen(world, "api");
  await pushedByOthers(world, "api");
  const synced = await world.amof(["sync", "--json"]);
  assertEquals(synced.code, 0, synced.stderr);
  const undone = await world.amof(["undo", "--yes", "--json"]);
  assertEquals(undone.code, 0, undone.stderr);
  assertMatch(
    String((pick(undone.json(), "stays") as string[])[0]),
    /^api: commit [0-9a-f]{8} is on the remote$/,
  );
  assertEquals((await seen(world, "api")).split("\n")[0], before.split("\n")[0]);
  // What goes forwards leaves no commit behind, whoever has the one that it begins at.
  const redone = await world.amof(["undo", "--yes", "--json"]);
  assertEquals([redone.code, pick(redone.json(), "stays")], [0, []], redone.stderr);
});

test("what is to be undone is selected as everywhere: by name, by tag, and by how a repository stands", async () => {
  await using world = await World.installed({
    repos: ["api", "web", "docs"],
    extra: "groups: {shop: [api, web]}",
  });
  const made = async () =>
    (await Promise.all(
      ["api", "web", "docs"].map(async (repo) =>
        await Deno.stat(at(world, repo, "made")).then(() => [repo], () => [])
      ),
    )).flat();
  const ran = await world.amof(["exec", "--json", "--shell", "echo made > made"]);
  const run = String(pick(ran.json(), "undo", "run_id"));
  const none = await world.amof(["undo", run, "--only", "behind", "--yes", "--json"]);
  assertEquals([none.code, pick(none.json(), "repos")], [0, []], none.stdout);
  assertEquals(pick(none.json(), "left_out"), ["api", "web", "docs"]);
  const strange = await world.amof(["undo", run, "--repo", "x*", "--yes", "--json"]);
  assertEquals([strange.code, pick(strange.json(), "error")], [2, "invalid_arguments"]);
  assertEquals(await made(), ["api", "web", "docs"]);
  const both = ["--tag", "shop", "--only", "dirty", "--repo", "!we*"];
  const part = await world.amof(["undo", run, ...both, "--yes", "--json"]);
  assertEquals(part.code, 0, part.stdout);
  assertEquals(pick(part.json(), "left_out"), ["web", "docs"]);
  assertEquals(await made(), ["web", "docs"]);
});

test("of two undos of a run at once one takes it back, and the other says why it does not", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.writeTextFile(at(world, "api", "README.md"), "mine\n");
  const before = [await seen(world, "api"), await seen(world, "web")];
  const ran = await world.amof(["exec", "--json", "--shell", "echo theirs > README.md"]);
  const run = String(pick(ran.json(), "undo", "run_id"));
  const both = await Promise.all([1, 2].map(() => world.amof(["undo", run, "--yes", "--json"])));
  const refused = both.filter(({ code }) => code !== 0);
  assertEquals(refused.length, 1, both.map(({ stdout }) => stdout).join("\n"));
  assert(
    ["ecosystem_busy", "undo_impossible", "undo_stale", "confirmation_stale"].includes(
      String(pick(refused[0]?.json(), "error")),
    ),
    refused[0]?.stdout,
  );
  assertEquals([await seen(world, "api"), await seen(world, "web")], before);
});

test("what a killed run had begun to keep goes with the next operation, and what is younger stays", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const kept = join(world.env["AMOF_HOME"] ?? "", "state", "undo");
  const left = join(kept, "00000000-0000-4000-8000-000000000000", "api.git");
  await Deno.mkdir(left, { recursive: true });
  const half = join(kept, "00000000-0000-4000-8000-000000000001");
  await Deno.mkdir(half);
  await Deno.writeTextFile(join(half, "operation.json"), '{"version":1,"run_');
  const later = join(kept, "00000000-0000-4000-8000-000000000002");
  await Deno.mkdir(later);
  await Deno.writeTextFile(join(later, "operation.json"), '{"version":99}');
  const ran = await world.amof(["exec", "--json", "--shell", "echo made > made"]);
  const run = String(pick(ran.json(), "undo", "run_id"));
  const names = (await Array.fromAsync(Deno.readDir(kept))).map(({ name }) => name).sort();
  const listed = await world.amof(["operations", "--json"]);
  const install = installOf(listed.json());
  assertEquals(names, ["00000000-0000-4000-8000-000000000002", install, run].sort());
});

test("a preview says what undoing could bring back, and what not, before anything is done", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const outlook = async (...args: string[]) => {
    const planned = await world.amof([...args, "--dry-run", "--json"]);
    assertEquals(planned.code, 0, planned.stdout);
    return pick(planned.json(), "undo");
  };
  const ignored = "ignored files, and what programs do outside of the repositories";
  assertEquals(await outlook("exec", "--shell", "true"), {
    brings_back: "commits, branches, index, files and stashes in api and web",
    cannot: ignored,
  });
  assertEquals(await outlook("ticket", "start", "T-1"), {
    brings_back: "what is checked out, branches and tags in api and web",
    cannot: null,
  });
  assertEquals(await outlook("discard"), { brings_back: null, cannot: "what is deleted" });
  assertEquals(await outlook("journal", "add", "Today"), {
    brings_back: null,
    cannot: "the note; delete its file",
  });
  const shown = await world.amof(["exec", "--repo", "api", "--dry-run", "--", "true"]);
  assertStringIncludes(
    shown.stdout,
    "Undo will bring back commits, branches, index, files and stashes in api; not ignored files",
  );
  const asked = await world.amof(["discard", "--json"]);
  assertEquals(pick(asked.json(), "confirmation", "undo"), {
    brings_back: null,
    cannot: "what is deleted",
  });
  const told = await world.amof(["archive"]);
  assertStringIncludes(
    told.stderr,
    "Undo cannot take back this; bring the workspace back: amof archive restore",
  );
  const explained = await world.amof(["ticket", "start", "T-1", "--mode", "ask", "--json"]);
  assertEquals(pick(explained.json(), "explanation", "undo", "cannot"), null);

  await world.amof(["config", "set", "undo", "off"]);
  assertEquals(await outlook("exec", "--shell", "true"), {
    brings_back: null,
    cannot: "this: it is switched off",
  });
});

test("settings and the manifest say whether, how long and how many runs are kept, the less of both", async () => {
  await using world = await World.installed({
    repos: ["api"],
    extra: "undo: {days: 3, runs: 2}",
  });
  const run = async (env: Record<string, string> = {}) => {
    const ran = await world.amof(["exec", "--json", "--shell", "echo x >> made"], { env });
    assertEquals(ran.code, 0, ran.stdout);
    return ran.json();
  };
  const kept = async () =>
    rows((await world.amof(["operations", "--json"])).json(), "operations")
      .filter(({ action }) => action !== "install");
  assertEquals(pick(await run({ AMOF_UNDO: "off" }), "undo"), undefined);
  assertEquals(await kept(), []);
  const [first, second, third] = [await run(), await run(), await run()];
  const ids = [third, second].map((answer) => pick(answer, "run_id"));
  assertEquals((await kept()).map((row) => row["run_id"]), ids);
  const until = Date.parse(String(pick(first, "undo", "until"))) - Date.now();
  assert(until < 3 * 86_400_000 && until > 2.9 * 86_400_000, String(until));
  await world.amof(["config", "set", "undo_runs", "1"]);
  await world.amof(["config", "set", "undo_days", "1"]);
  const last = await run();
  assertEquals((await kept()).map((row) => row["run_id"]), [pick(last, "run_id")]);
  assert(Date.parse(String(pick(last, "undo", "until"))) - Date.now() < 86_400_000);
  await world.amof(["config", "unset", "undo_runs"]);
  await world.amof(["config", "set", "undo_mb", "1"]);
  await Deno.writeFile(
    at(world, "api", "large"),
    crypto.getRandomValues(new Uint8Array(65_536)),
  );
  for (let piece = 0; piece < 30; piece++) {
    await Deno.writeFile(
      at(world, "api", "large"),
      crypto.getRandomValues(new Uint8Array(65_536)),
      { append: true },
    );
  }
  const large = await run();
  assertEquals((await kept()).map((row) => row["run_id"]), [pick(large, "run_id")]);
});

test("amof undo names beforehand what it puts back and what it deletes, and what people wrote meanwhile with it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const mine = at(world, "api", "mine");
  const line = "until [ -e mine ]; do sleep 0.05; done; echo theirs > README.md";
  const ran = world.amof(["exec", "--json", "--shell", `touch ../begun; ${line}`]);
  while (!await world.exists(at(world, "api", "..", "begun"))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await Deno.writeTextFile(mine, "mine\n");
  assertEquals((await ran).code, 0);

  const preview = await world.amof(["undo", "--dry-run"]);
  assertEquals(preview.code, 0, preview.stderr);
  assertStringIncludes(
    preview.stdout,
    "api: on main, 2 files (puts back README.md; deletes mine)",
  );
  assertStringIncludes(preview.stdout, "What people wrote there while the program ran");
  assertEquals((await world.amof(["undo", "--yes"])).code, 0);
  assertEquals(await world.exists(mine), false);
  assertEquals((await world.amof(["undo", "--yes"])).code, 0);
  assertEquals(await Deno.readTextFile(mine), "mine\n");
});

/** A git that commits as somebody does in the very moment in which a branch has gone forward. */
const MEANWHILE = `#!/bin/sh
"$REAL" "$@"
code=$?
case "$*" in *"merge --ff-only"*) "$REAL" commit -q --allow-empty -m Meanwhile ;; esac
exit $code
`;

test("amof undo of sync leaves what somebody committed while it was at work, and says so", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await pushedByOthers(world, "api");
  const bin = join(world.directory, "bin");
  await writeProgram(join(bin, "git"), MEANWHILE);
  const real = (await world.command("sh", ["-c", "command -v git"])).stdout.trim();
  const env = { REAL: real, PATH: `${bin}:${world.env["PATH"] ?? ""}` };
  const synced = await world.amof(["sync", "--json"], { env, apart: true });
  assertEquals(synced.code, 0, synced.stdout);
  const tip = () => world.git(at(world, "api"), "log", "-1", "--format=%s %H", "main");
  const made = await tip();
  assertMatch(made, /^Meanwhile /);
  const undone = await world.amof(["undo", "--yes", "--json"]);
  assertEquals(undone.json()["error"], "undo_impossible", undone.stdout);
  assertStringIncludes(undone.stdout, "refs/heads/main");
  assertEquals(await tip(), made);
});

test("amof undo leaves what it could not bring back whole, and says why of each repository", async () => {
  await using world = await World.installed({ repos: ["api", "docs", "web"] });
  for (const repo of ["api", "docs"]) {
    await world.git(world.clone(repo), "commit", "-q", "--allow-empty", "-m", "Mine");
    await world.git(world.clone(repo), "branch", "topic");
  }
  const work = [
    "api) git reset -q --hard HEAD~1; git branch -q -D topic",
    "docs) git branch -q -f topic HEAD~1",
    "web) echo theirs > README.md",
  ];
  const line = `case "$AMOF_REPO" in ${work.map((each) => `${each};;`).join(" ")} esac`;
  const ran = await world.amof(["exec", "--json", "--shell", line]);
  assertEquals(ran.code, 0, ran.stdout);
  // Whoever tidies up thoroughly takes what was kept along.
  const [api, docs] = [world.clone("api"), world.clone("docs")];
  const kept = `refs/amof/keep/${pick(ran.json(), "run_id")}/0`;
  const commit = await world.git(api, "rev-parse", "--short=8", kept);
  await world.git(api, "update-ref", "-d", kept);
  await world.git(api, "reflog", "expire", "--expire=now", "--all");
  await world.git(api, "gc", "--quiet", "--prune=now");
  await world.git(docs, "worktree", "add", "-q", join(world.directory, "t"), "topic");
  const before = await world.fingerprint();
  const undone = await world.amof(["undo", "--yes", "--json"]);
  assertEquals([undone.code, pick(undone.json(), "error")], [4, "undo_impossible"], undone.stdout);
  assertEquals(
    rows(undone.json(), "details", "repos").map(({ name, detail }) => `${name}: ${detail}`),
    [
      `api: commit ${commit} is no longer there`,
      "docs: topic is checked out in another worktree",
    ],
  );
  assertEquals(await world.changesSince(before), []);
});
