/**
 * `amof commit`: what is committed over repositories, with which message, and what never is.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { atWork, commit, committed, message, outcome, state } from "./_commit.ts";
import { activate, POSIX } from "./_push.ts";

Deno.test("amof commit takes tracked, untracked and deleted files of every repository, and pushes nothing", async () => {
  await using world = await atWork("api", "web", "docs");
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "README.md"), "changed\n");
  await Deno.remove(join(world.clone("web"), "README.md"));
  await Deno.remove(join(world.clone("docs"), "new.txt"));
  await Deno.mkdir(join(api, ".amof"));
  await Deno.writeTextFile(join(api, ".amof", "profile.md"), "ours\n");
  const text = "-- $(touch x) `id`\n\n# not a comment";
  const ran = await commit(world, `-m${text}`);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(outcome(ran), [
    ["api", "committed", null],
    ["web", "committed", null],
    ["docs", "skipped", null],
  ]);
  assertEquals(await message(world, "api"), text);
  assertEquals(
    await world.git(api, "show", "--format=", "--name-status", "HEAD"),
    "M\tREADME.md\nA\tnew.txt",
  );
  assertEquals(
    await world.git(world.clone("web"), "show", "--format=", "--name-status", "HEAD"),
    "D\tREADME.md\nA\tnew.txt",
  );
  assertEquals(await state(world, "api"), "?? .amof/");
  assertEquals(
    await world.git(join(world.remotes, "api.git"), "for-each-ref", "--format=%(refname)"),
    "refs/heads/main",
  );
  // The next step is the push of what was committed.
  const [next] = rows(ran.json(), "suggested_actions");
  assertEquals(next?.["tool"], "amof_push_ecosystem");
});

Deno.test("amof commit gives a repository a message of its own", async () => {
  await using world = await atWork("api", "web");
  const ran = await commit(world, "-am", "Use it", "--message-for", "api=Fix it, all=of it");
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals([await message(world, "api"), await message(world, "web")], [
    "Fix it, all=of it",
    "Use it",
  ]);
});

Deno.test("amof commit shows files and messages before it asks, and is bound to them", async () => {
  await using world = await atWork("api", "web");
  const before = await world.fingerprint();
  const plan = await world.amof([
    "commit",
    "--dry-run",
    "-m",
    "Use it",
    "--message-for=api=Fix it",
  ]);
  assertEquals(plan.code, 0, plan.stderr);
  assertStringIncludes(plan.stdout, "[plan] Would commit in 2 repos.");
  assertStringIncludes(
    plan.stdout,
    "api  feature/T-1  (1 file to commit)\n    untracked  new.txt\n",
  );
  assertStringIncludes(plan.stdout, "│ Fix it");
  assertStringIncludes(plan.stdout, "│ Use it");
  assertEquals(await world.changesSince(before), []);
  const asked = await world.amof(["commit", "-m", "Use it", "--json"]);
  assertEquals(asked.code, 4);
  const token = String(pick(asked.json(), "confirmation", "token"));
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "something else\n");
  const stale = await world.amof(["confirm", token, "--json"]);
  assertEquals([stale.code, stale.json()["error"]], [4, "confirmation_stale"], stale.stdout);
  assertEquals(await message(world, "api"), "Begin api");
});

Deno.test("amof commit --staged commits what is staged, and leaves the rest as it is", async () => {
  await using world = await atWork("api", "web");
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "README.md"), "staged\n");
  await world.git(api, "add", "README.md");
  await Deno.writeTextFile(join(api, "README.md"), "later\n");
  const ran = await commit(world, "--staged", "-m", "Half of it");
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(outcome(ran), [["api", "committed", null], ["web", "skipped", null]]);
  assertEquals(await world.git(api, "show", "HEAD:README.md"), "staged");
  assertEquals(await state(world, "api"), " M README.md\n?? new.txt");
  assertMatch(String(committed(ran)[1]?.["detail"]), /1 file changed, none staged/);
});

Deno.test("amof commit without a message, or with wrong ones, commits nothing and says what is missing", async () => {
  await using world = await atWork("api", "web");
  const before = await world.fingerprint();
  for (
    const [args, says] of [
      [[], /without a message for 2 repos/],
      [["--message-for=api=Fix it"], /without a message for "web"/],
      [["-m", "  "], /with an empty message/],
      [["-m", "x", "--message-for=apj=Fix it"], /did you mean "api"/],
      [["-m", "x", "--message-for=Fix it"], /names no repository/],
      [["--message-for=api=a", "--message-for=api=b"], /two messages for "api"/],
      [["-m", "x", "--all", "--staged"], /--all together with --staged/],
      [["-m", "x", "--edit"], /nobody sits at a terminal/],
      [["-m", "x", "--amend"], /git commit --amend/],
    ] as const
  ) {
    const ran = await commit(world, ...args);
    assertEquals([ran.code, ran.json()["error"]], [2, "invalid_arguments"], ran.stdout);
    assertMatch(`${String(ran.json()["message"])} ${String(ran.json()["hint"])}`, says);
  }
  assertEquals(await world.changesSince(before), []);
});

Deno.test({
  name:
    "a hook that refuses a commit is quoted, leaves the index as it was, and stops no other repository",
  ignore: !POSIX, // a hook is a shell script
  async fn() {
    await using world = await atWork("api", "web");
    const api = world.clone("api");
    await Deno.writeTextFile(join(api, "half.txt"), "staged\n");
    await world.git(api, "add", "half.txt");
    await Deno.writeTextFile(join(api, "half.txt"), "later\n");
    const before = [await state(world, "api"), await world.git(api, "diff", "--cached")];
    await world.hook(
      join(api, ".git"),
      "pre-commit",
      'git add new.txt; echo "checking"; echo "lint: new.txt:1 is wrong" >&2; exit 1',
    );
    const ran = await world.amof(["commit", "--yes", "-m", "Work"]);
    assertEquals(ran.code, 5, ran.stdout);
    assertStringIncludes(
      ran.stderr,
      'Committed in 1 of 2 repos; "api" failed: a hook refused it: lint: new.txt:1',
    );
    assertStringIncludes(ran.stdout, "    lint: new.txt:1 is wrong");
    assertEquals([await state(world, "api"), await world.git(api, "diff", "--cached")], before);
    assertEquals(await message(world, "api"), "Begin api");
    assertEquals(await message(world, "web"), "Work");
    assertEquals(
      [...Deno.readDirSync(join(api, ".git", "amof"))].map(({ name }) => name),
      ["turn.lock"],
    );
  },
});

Deno.test("amof commit holds back what must not be committed, each with the reason", async () => {
  await using world = await World.installed({
    repos: ["api", "base", "detached", "env", "guarded", "merging", "read"],
    readonly: ["read"],
    extra: "guardrails: {no_touch_paths: [legal/**]}\n",
  });
  const write = async (repo: string, file: string) => {
    await Deno.mkdir(join(world.clone(repo), "legal"), { recursive: true });
    await Deno.writeTextFile(join(world.clone(repo), file), "new\n");
  };
  for (const repo of ["api", "env", "guarded", "merging"]) {
    await world.git(world.clone(repo), "switch", "--quiet", "-c", "feature/T-1");
  }
  await world.git(world.clone("detached"), "switch", "--quiet", "--detach");
  for (const repo of ["api", "base", "detached", "merging", "read"]) await write(repo, "new.txt");
  await write("env", ".env");
  await write("guarded", "legal/LICENSE");
  const head = await world.git(world.clone("merging"), "rev-parse", "HEAD");
  await Deno.writeTextFile(join(world.clone("merging"), ".git", "MERGE_HEAD"), `${head}\n`);
  const ran = await commit(world, "-m", "Work");
  assertEquals(ran.code, 5, ran.stdout);
  assertEquals(outcome(ran), [
    ["api", "committed", null],
    ["base", "skipped", "commit_refused"],
    ["detached", "skipped", "commit_refused"],
    ["env", "skipped", "commit_refused"],
    ["guarded", "skipped", "commit_refused"],
    ["merging", "skipped", "repo_in_progress"],
    ["read", "skipped", null],
  ]);
  assertMatch(String(committed(ran)[1]?.["fix"]), /amof commit --repo base -m Work --allow-base/);
  assertMatch(String(committed(ran)[2]?.["fix"]), /: git -C \S+ switch main$/m);
  assertEquals(await world.git(world.clone("base"), "log", "--format=%s"), "Begin base");
  const allowed = await commit(world, "-m", "Work", "--repo=base,env", "--allow-base");
  assertEquals(outcome(allowed), [["base", "committed", null], [
    "env",
    "skipped",
    "commit_refused",
  ]]);
  const typed = ["--repo=guarded", "--allow-no-touch=legal/LICENSE"];
  assertEquals((await commit(world, "-m", "Work", ...typed)).code, 4);
  assertEquals((await commit(world, "-m", "Work", ...typed, "--confirm-name=demo")).code, 0);
});

Deno.test({
  name: "a commit into which a hook puts a guarded file is taken back, with the index",
  ignore: !POSIX, // a hook is a shell script
  async fn() {
    await using world = await World.installed({
      repos: ["api"],
      extra: "guardrails: {no_touch_paths: [legal/**]}\n",
    });
    const api = world.clone("api");
    await world.git(api, "switch", "--quiet", "-c", "feature/T-1");
    await Deno.writeTextFile(join(api, "new.txt"), "new\n");
    await world.hook(
      join(api, ".git"),
      "pre-commit",
      "mkdir -p legal; echo x > legal/x; git add legal",
    );
    const ran = await commit(world, "-m", "Work");
    assertEquals([ran.code, outcome(ran)], [1, [["api", "failed", "commit_refused"]]]);
    assertEquals(await message(world, "api"), "Begin api");
    assertEquals(await state(world, "api"), "?? legal/\n?? new.txt");
  },
});

Deno.test({
  name:
    "a commit that is killed while its hooks run leaves the index that it had to the next command",
  ignore: !POSIX, // a hook is a shell script
  async fn() {
    await using world = await atWork("api");
    const api = world.clone("api");
    await Deno.writeTextFile(join(api, "half.txt"), "staged\n");
    await world.git(api, "add", "half.txt");
    await Deno.writeTextFile(join(api, "half.txt"), "later\n");
    const before = [await state(world, "api"), await world.git(api, "diff", "--cached")];
    // The hook's parent is git, and git's parent is the worker.
    await world.hook(
      join(api, ".git"),
      "pre-commit",
      'worker=$(ps -o ppid= -p "$PPID"); kill -9 $worker $PPID',
    );
    const killed = await commit(world, "-m", "Work");
    assertEquals(killed.code, 1, killed.stdout);
    // A lock from before that is somebody else's, and stays; what to do about it is told once.
    const lock = join(api, ".git", "index.lock");
    await Deno.writeTextFile(lock, "");
    const past = new Date(Date.now() - 120_000);
    await Deno.utime(lock, past, past);
    const held = await world.amof(["doctor", "--repair", "--yes", "--json"]);
    assertEquals([held.code, held.json()["error"]], [1, "state_corrupt"], held.stdout);
    assertMatch(
      String(held.json()["hint"]),
      /^Wait for it, or where it has died: rm \S+index\.lock\nThen: amof doctor --repair$/,
    );
    await Deno.remove(lock);
    const settled = await world.amof(["doctor", "--repair", "--yes", "--json"]);
    assertEquals(settled.code, 0, settled.stdout);
    assertEquals([await state(world, "api"), await world.git(api, "diff", "--cached")], before);
    assertEquals(await message(world, "api"), "Begin api");
  },
});

Deno.test("a commit is not made by half a person: what git was not told is said before anything happens", async () => {
  await using world = await atWork("api");
  for (const role of ["AUTHOR", "COMMITTER"]) {
    for (const part of ["NAME", "EMAIL"]) delete world.env[`GIT_${role}_${part}`];
  }
  const config = join(world.directory, "home", "half");
  world.env["GIT_CONFIG_GLOBAL"] = config;
  for (
    const [told, detail, fix] of [
      ["name = Ada", "git does not know your address", "git config --global user.email EMAIL"],
      [
        "email = a@example.org",
        "git does not know your name",
        "git config --global user.name NAME",
      ],
    ] as const
  ) {
    await Deno.writeTextFile(config, `[user]\n${told}\n`);
    const before = await world.fingerprint();
    for (const words of [["commit"], ["push", "--commit"]]) {
      const shown = await world.amof([...words, "-m", "Work", "--dry-run"]);
      assertStringIncludes(shown.stdout, `⚠ ${detail}, so nothing can be committed`);
      const ran = await world.amof([...words, "-m", "Work", "--yes"]);
      assertStringIncludes(ran.stderr, `"api" failed: ${detail}`);
      assertStringIncludes(ran.stderr, fix);
    }
    assertEquals(await world.changesSince(before), []);
  }
  await Deno.writeTextFile(config, "[user]\nname = Ada\nemail = a@example.org\n");
  assertEquals((await commit(world, "-m", "Work")).code, 0);
});

Deno.test("amof commit stays off a branch that is not the ticket's", async () => {
  await using world = await atWork("api");
  await activate(world, "T-2", { api: "feature/T-2" });
  const ran = await commit(world, "-m", "Work");
  assertEquals([ran.code, outcome(ran)], [1, [["api", "skipped", "commit_refused"]]]);
  assertMatch(String(committed(ran)[0]?.["detail"]), /on feature\/T-1 instead of feature\/T-2/);
});

Deno.test("over MCP a commit previews, is confirmed, and takes a message per repository", async () => {
  await using world = await atWork("api", "web");
  await using client = new McpClient(world, ["--toolsets", "all"]);
  await client.initialize({});
  const args = {
    ecosystem: "demo",
    message: "Use it",
    message_for: [{ repo: "api", message: "Fix it" }],
  };
  const plan = await client.call("amof_commit_ecosystem", { ...args, mode: "plan" });
  assertEquals(rows(plan.data, "preview", "repos").map((row) => row["message"]), [
    "Fix it",
    "Use it",
  ]);
  const nameless = await client.call("amof_commit_ecosystem", {
    ecosystem: "demo",
    mode: "execute",
  });
  assertEquals(nameless.data["error"], "invalid_arguments");
  const edit = await client.call("amof_commit_ecosystem", { ...args, edit: true, mode: "execute" });
  assertEquals(edit.data["error"], "tool_not_available");
  const asked = await client.call("amof_commit_ecosystem", { ...args, mode: "execute" });
  assert(asked.isError, asked.text);
  const started = await client.call("amof_confirm", {
    token: String(pick(asked.data, "confirmation", "token")),
    mode: "execute",
  });
  assert(!started.isError, started.text);
  const run = await client.finished(String(started.data["run_id"]));
  assertEquals(run["status"], "success", JSON.stringify(run));
  assertEquals(await message(world, "api"), "Fix it");
});

Deno.test({
  name: "a git that is killed while it stages leaves no lock, and the index as it was",
  ignore: Deno.build.os === "windows", // kills by signal
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const clone = world.clone("api");
    await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
    await Deno.writeTextFile(join(clone, "new"), "new\n");
    const index = await world.git(clone, "ls-files", "--stage");
    const lock = join(clone, ".git", "index.lock");
    const env = await world.wrapGit(
      `case "$*" in *"add --all"*) touch '${lock}'; kill -9 $$ ;; esac`,
    );
    const killed = await world.amof(["commit", "-m", "New", "--yes"], { env });
    assertEquals(killed.code === 0, false);
    assertEquals(await world.exists(lock), false);
    assertEquals(await world.git(clone, "ls-files", "--stage"), index);
    assertEquals((await world.amof(["commit", "-m", "New", "--yes"])).code, 0);
  },
});

Deno.test({
  name: "hooks get the message as git commit -m gives it to them: it ends with a line feed",
  ignore: !POSIX,
  async fn() {
    await using world = await atWork("api");
    await world.hook(
      join(world.clone("api"), ".git"),
      "commit-msg",
      'echo "Change-Id: I1" >> "$1"; sed -i.old "1s/^/[T-1] /" "$1"',
    );
    const ran = await commit(world, "-m", "Fix it");
    assertEquals(await message(world, "api"), "[T-1] Fix it\nChange-Id: I1");
    // What is told is what came of it.
    assertMatch(String(committed(ran)[0]?.["detail"]), /^[0-9a-f]{7} \[T-1\] Fix it/);
  },
});

Deno.test({
  name:
    "a file whose name is no UTF-8 is shown with its bytes written out, and committed; exactly what was shown",
  // Other systems have no such names.
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await atWork("api");
    const api = world.clone("api");
    const shell = async (line: string) => {
      const { success } = await new Deno.Command("sh", { args: ["-c", line], cwd: api }).output();
      assert(success, line);
    };
    await shell(`echo a > "$(printf 'caf\\351.txt')"; echo b > "$(printf 'caf\\352.txt')"`);
    const asked = await world.amof(["commit", "-m", "Names", "--json", "--no-input"]);
    assertStringIncludes(asked.stdout, "caf\\\\xe9.txt");
    // Its content counts, though this program cannot open it.
    await shell(`echo c > "$(printf 'caf\\351.txt')"`);
    const token = String(
      asked.json()["confirmation_token"] ?? pick(asked.json(), "details", "token"),
    );
    assertEquals((await world.amof(["confirm", token])).code, 4);
    assertEquals((await commit(world, "-m", "Names")).code, 0);
    assertEquals(
      await world.git(api, "show", "--format=", "--name-only", "HEAD"),
      '"caf\\351.txt"\n"caf\\352.txt"\nnew.txt',
    );
    assertEquals(await state(world, "api"), "");
    // What takes the commit back leaves the files.
    const undone = await world.amof(["undo", "--yes"]);
    assertEquals(undone.code, 0, undone.stderr);
    assertStringIncludes(await state(world, "api"), '?? "caf\\351.txt"\n?? "caf\\352.txt"');
    await shell(`test "$(cat caf*)" = "c\nb"`);
  },
});

const ODD: readonly {
  readonly what: string;
  readonly change: (world: World, clone: string) => Promise<void>;
  readonly ignore?: boolean;
}[] = [
  {
    what: "a directory that became a link",
    ignore: !POSIX,
    async change(_, clone) {
      await Deno.remove(join(clone, "d"), { recursive: true });
      await Deno.symlink("e", join(clone, "d"));
    },
  },
  {
    what: "a directory that became a file, and a file that became a directory",
    async change(_, clone) {
      await Deno.remove(join(clone, "d"), { recursive: true });
      await Deno.writeTextFile(join(clone, "d"), "no directory\n");
      await Deno.remove(join(clone, "README.md"));
      await Deno.mkdir(join(clone, "README.md"));
      await Deno.writeTextFile(join(clone, "README.md", "x"), "x\n");
    },
  },
  {
    what: "a new file outside of a sparse checkout, with a change inside",
    async change(world, clone) {
      await world.git(clone, "sparse-checkout", "set", "--cone", "e");
      await Deno.mkdir(join(clone, "d"), { recursive: true });
      await Deno.writeTextFile(join(clone, "d", "new"), "new\n");
      await Deno.writeTextFile(join(clone, "e", "g"), "changed\n");
    },
  },
];

for (const { what, change, ignore = false } of ODD) {
  Deno.test({
    name: `amof commit takes ${what}, and loses nothing`,
    ignore,
    async fn() {
      await using world = await World.installed({ repos: ["api"] });
      const clone = world.clone("api");
      await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
      for (const path of ["d/f", "d/deep/h", "e/g"]) {
        await Deno.mkdir(join(clone, path, ".."), { recursive: true });
        await Deno.writeTextFile(join(clone, path), `${path}\n`);
      }
      assertEquals((await commit(world, "-m", "Before")).code, 0);
      await change(world, clone);
      const ran = await commit(world, "-m", "After");
      assertEquals([ran.code, await state(world, "api")], [0, ""], ran.stdout);
      assertEquals(await message(world, "api"), "After");
    },
  });
}

Deno.test("amof commit leads back to the branch of the ticket from a base branch and from a head on none", async () => {
  await using world = await World.installed({ repos: ["api"] });
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  const api = world.clone("api");
  await world.git(api, "switch", "--quiet", "main");
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  const onBase = String(committed(await commit(world, "-m", "Work"))[0]?.["fix"]);
  const [first = "", second = ""] = onBase.split("\n");
  assertEquals(first, `go to its branch: git -C ${api} switch feature/T-1`);
  assertMatch(second, /--allow-base$/);
  await world.git(api, "switch", "--quiet", "--detach");
  await world.git(api, "commit", "--quiet", "--allow-empty", "-m", "Loose");
  const loose = String(committed(await commit(world, "-m", "Work"))[0]?.["fix"]);
  const line = /: (git -C \S+ switch --create kept-[0-9a-f]+)$/.exec(loose)?.[1] ?? "false";
  assertEquals((await world.command("sh", ["-c", line])).code, 0, loose);
});
