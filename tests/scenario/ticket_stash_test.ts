/**
 * `amof ticket switch --stash` with real work on both sides: interrupted, killed, in conflict, all of it or nothing.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { pick } from "../support/answers.ts";
import { stride, THOROUGHLY } from "../support/sample.ts";
import { type Ran, World } from "../support/world.ts";

/** Wrapped programs and signals are POSIX matters. */
const ignore = Deno.build.os === "windows";
const REPOS = ["api", "web"];
/** Every so manieth call of git is broken; a sample takes one for each deed. */
const STRIDE = stride(3, 200);
/** More calls than any of these commands makes. */
const MOST = 200;

const lines = (...changed: string[]) => [...changed, "2", "3", "4", "5", "6", "7", ""].join("\n");

/** Changed, staged, staged and changed, deleted and new files, other ones for every ticket. */
async function work(world: World, ticket: string): Promise<void> {
  for (const repo of REPOS) {
    const clone = world.clone(repo);
    const write = (name: string, text: string) => Deno.writeTextFile(join(clone, name), text);
    await write("changed.txt", `${lines(`of ${ticket}`)}end of ${ticket}\n`);
    await write("staged.txt", `staged in ${ticket}\n`);
    await world.git(clone, "add", "staged.txt");
    await write("both.txt", `staged in ${ticket}\n`);
    await world.git(clone, "add", "both.txt");
    await write("both.txt", `staged in ${ticket}, and changed\n`);
    await Deno.remove(join(clone, "gone.txt"));
    await Deno.mkdir(join(clone, "new"), { recursive: true });
    await write("new/file.txt", `new in ${ticket}\n`);
    await write(`only-${ticket}.txt`, `only in ${ticket}\n`);
  }
}

/** Two tickets with commits and uncommitted work; B is active, the work of A is put away. */
function twoTickets(): Promise<World> {
  return World.like("two tickets", makeTwoTickets);
}

async function makeTwoTickets(world: World): Promise<void> {
  await world.makeInstalled({ repos: REPOS });
  for (const ticket of ["A", "B"]) {
    const started = await world.amof(["ticket", "start", ticket, "--stash"]);
    assertEquals(started.code, 0, started.stderr);
    for (const repo of REPOS) {
      const clone = world.clone(repo);
      for (const name of ["changed", "both", "gone"]) {
        await Deno.writeTextFile(join(clone, `${name}.txt`), lines(`of ${ticket}`));
      }
      await world.git(clone, "add", ".");
      await world.git(clone, "commit", "--quiet", "-m", `Work of ${ticket}`);
    }
    await work(world, ticket);
  }
}

/** Runs a command that must succeed. */
async function run(world: World, ...args: string[]): Promise<void> {
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, ran.stdout + ran.stderr);
}

/** Everything that must not be lost: branches, index, files, what is put away, and which ticket is active. */
async function picture(world: World): Promise<string> {
  const parts: string[] = [String((await world.state())["active_ticket"])];
  for (const repo of REPOS) {
    const clone = world.clone(repo);
    parts.push(
      await world.git(clone, "symbolic-ref", "HEAD"),
      // What is kept for undo is called by the run, and is nobody's work.
      (await world.git(clone, "for-each-ref", "refs/heads", "refs/amof"))
        .replaceAll(/^.*\trefs\/amof\/keep\/.*\n?/gm, ""),
      await world.git(clone, "ls-files", "--stage"),
      await world.git(clone, "status", "--porcelain", "-uall"),
      await world.git(clone, "stash", "list", "--format=%gs %T"),
    );
    for (const name of (await Array.fromAsync(Deno.readDir(clone))).map((e) => e.name).sort()) {
      if (name.endsWith(".txt")) parts.push(name, await Deno.readTextFile(join(clone, name)));
    }
    parts.push(await Deno.readTextFile(join(clone, "new", "file.txt")).catch(() => "none"));
  }
  return parts.join("\n");
}

/** Where a switch to A begins and ends; the same in every world of {@linkcode twoTickets}. */
let ends: Promise<{ readonly before: string; readonly after: string }> | null = null;

async function endsOfSwitch(): Promise<{ readonly before: string; readonly after: string }> {
  await using world = await twoTickets();
  const before = await picture(world);
  await must(world, "ticket", "switch", "A", "--stash");
  const after = await picture(world);
  await must(world, "ticket", "switch", "B", "--stash");
  assertEquals(await picture(world), before);
  return { before, after };
}

async function must(world: World, ...args: string[]): Promise<Ran> {
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran;
}

/** Makes one call of git, by its number, go wrong by shell lines in which `$git` is the real one. */
async function breaking(
  world: World,
  deed: string,
): Promise<(at: number) => Promise<Record<string, string>>> {
  const counter = join(world.directory, "calls");
  const found = await world.command("sh", ["-c", "command -v git"]);
  const env = await world.wrapGit([
    // Counted by the shell itself: a program for it would be started as often as git.
    `echo call >> '${counter}'; n=0; while read -r _; do n=$((n + 1)); done < '${counter}'`,
    `git='${found.stdout.trim()}'`,
    `if [ "$n" = "$BREAK_AT" ]; then`,
    deed,
    "fi",
  ].join("\n"));
  return async (at) => {
    await Deno.writeTextFile(counter, "");
    return { ...env, BREAK_AT: String(at) };
  };
}

const DEEDS: Readonly<Record<string, string>> = {
  "the program is killed before": "kill -9 $PPID; exit 1",
  "the program is killed after": '"$git" "$@"; kill -9 $PPID; exit 1',
  "git and the program are killed within":
    '"$git" "$@" & child=$!; sleep 0.004; kill -9 $child $PPID; exit 1',
  "git alone is killed within": '"$git" "$@" & child=$!; sleep 0.004; kill -9 $child; exit 137',
  "the program is interrupted at": 'kill -INT $PPID; sleep 0.05; kill -INT $PPID; exec "$git" "$@"',
};

for (const [turn, [what, deed]] of Object.entries(DEEDS).entries()) {
  Deno.test({
    name: `amof ticket switch --stash ends in before or after when ${what} any call of git`,
    ignore,
    async fn() {
      const { before, after } = await (ends ??= endsOfSwitch());
      await using world = await twoTickets();
      const broken = await breaking(world, deed);
      let breaks = 0;
      // Nothing has happened before the first calls, and each deed of a sample strikes another one.
      for (let at = THOROUGHLY ? 1 : 15 + 18 * turn; at < MOST; at += STRIDE) {
        const ran = await world.amof(["ticket", "switch", "A", "--stash", "--json"], {
          env: await broken(at),
        });
        const calls = await Deno.readTextFile(join(world.directory, "calls"));
        if (calls.split("\n").length <= at) break;
        breaks++;
        const where = `call ${at}: ${ran.stdout}`;
        if (what.includes("interrupted") && ran.code !== 0) {
          assertEquals([ran.code, pick(ran.json(), "error")], [130, "cancelled"], where);
        }
        const repaired = await world.amof(["doctor", "--repair"]);
        assertEquals(repaired.code, 0, `${where}${repaired.stdout}${repaired.stderr}`);
        const now = await picture(world);
        if (now === before) continue;
        assertEquals(now, after, where);
        await must(world, "ticket", "switch", "B", "--stash");
        assertEquals(await picture(world), before);
      }
      assert(breaks >= Math.ceil(40 / STRIDE), `only ${breaks} calls were broken`);
    },
  });
}

Deno.test({
  name: "amof doctor --repair takes a switch back that was cut off in the middle of a file",
  ignore,
  async fn() {
    await using world = await twoTickets();
    const before = await picture(world);
    const found = await world.command("sh", ["-c", "command -v git"]);
    // As far as git comes when the machine goes down: a lock, a file by half, one gone, one not there yet.
    const env = await world.wrapGit([
      `case "$PWD $* " in */web*" switch "*)`,
      ": > .git/index.lock",
      `'${found.stdout.trim()}' show feature/A:changed.txt | head -c 3 > changed.txt`,
      "rm -f both.txt",
      "kill -9 $PPID; exit 1;; esac",
    ].join("\n"));
    await world.amof(["ticket", "switch", "A", "--stash"], { env });
    const repaired = await must(world, "doctor", "--repair");
    assertStringIncludes(repaired.stdout, "An interrupted ticket_switch was undone first");
    assertEquals(await picture(world), before);
  },
});

/** Moves the branch of ticket A on in one clone while B is active: a commit that changes a file. */
async function moveOn(world: World, repo: string, text: string): Promise<void> {
  const clone = world.clone(repo);
  const other = join(world.directory, "elsewhere");
  await world.git(clone, "worktree", "add", "--quiet", other, "feature/A");
  await Deno.writeTextFile(join(other, "changed.txt"), text);
  await world.git(other, "commit", "--quiet", "-am", "Moved on");
  await world.git(clone, "worktree", "remove", other);
}

Deno.test({
  name:
    "work that does not fit its branch any more leaves every repository as it was, and says what to do",
  ignore,
  async fn() {
    await using world = await twoTickets();
    await moveOn(world, "web", lines("another beginning").replace("7", "another end"));
    const before = await picture(world);
    const preview = await must(world, "ticket", "switch", "A", "--stash", "--dry-run");
    // Only trying tells, which a preview does not.
    assertMatch(
      preview.stdout,
      /Switch web .*, restoring amof:A if it fits changed\.txt, changed there since; else nothing/,
    );
    assertEquals(preview.stdout.match(/ if it fits /g)?.length, 1, preview.stdout);
    const ran = await world.amof(["ticket", "switch", "A", "--stash", "--json"]);
    assertEquals([ran.code, pick(ran.json(), "error")], [1, "would_lose_work"], ran.stdout);
    assertMatch(String(pick(ran.json(), "message")), /"web" kept as amof:A.*changed\.txt/);
    assertEquals(await picture(world), before);
    assertEquals((await world.amof(["doctor"])).code, 0);
    // By hand, as the hint says.
    const clone = world.clone("web");
    assertEquals(
      pick(ran.json(), "hint"),
      [
        `Go to feature/A: git -C ${clone} switch feature/A`,
        `Bring them back by hand: git -C ${clone} stash pop stash@{0}`,
        `When that is resolved, drop what was kept: git -C ${clone} stash drop stash@{0}`,
      ].join("\n"),
    );
    await world.git(clone, "stash", "push", "--quiet", "-u", "-m", "amof:B");
    await world.git(clone, "switch", "--quiet", "feature/A");
    await world.command("git", ["stash", "pop", "--quiet", "stash@{1}"], { cwd: clone });
    await Deno.writeTextFile(join(clone, "changed.txt"), "resolved\n");
    await world.git(clone, "add", ".");
    await world.git(clone, "commit", "--quiet", "-m", "Resolved");
    await world.git(clone, "stash", "drop", "--quiet", "stash@{1}");
    await must(world, "ticket", "switch", "A", "--stash");
    // What git itself put away under the ticket's name comes back as well.
    await must(world, "ticket", "switch", "B", "--stash");
    assertEquals(await Deno.readTextFile(join(clone, "new", "file.txt")), "new in B\n");
    assertEquals(await world.git(clone, "stash", "list"), "");
  },
});

Deno.test({
  name: "work comes back onto a branch that moved on elsewhere in the same file",
  ignore,
  async fn() {
    await using world = await twoTickets();
    await moveOn(world, "web", lines("of A").replace("3", "three"));
    await must(world, "ticket", "switch", "A", "--stash");
    const text = await Deno.readTextFile(join(world.clone("web"), "changed.txt"));
    assertEquals(text, `${lines("of A").replace("3", "three")}end of A\n`);
    assertEquals(
      await world.git(world.clone("web"), "stash", "list", "--format=%gs"),
      "On feature/B: amof:B",
    );
  },
});

Deno.test({
  name: "what somebody wrote after an interruption is neither overwritten nor in the way for ever",
  ignore,
  async fn() {
    await using world = await twoTickets();
    const before = await picture(world);
    const found = await world.command("sh", ["-c", "command -v git"]);
    const env = await world.wrapGit(
      `case "$PWD $* " in */web*" switch "*) '${found.stdout.trim()}' "$@"; kill -9 $PPID; exit 1;; esac`,
    );
    await world.amof(["ticket", "switch", "A", "--stash"], { env });
    const clone = world.clone("web");
    assertEquals(await world.git(clone, "symbolic-ref", "HEAD"), "refs/heads/feature/A");
    await Deno.writeTextFile(join(clone, "changed.txt"), "written after the crash\n");
    await Deno.mkdir(join(clone, "new"));
    await Deno.writeTextFile(join(clone, "new", "file.txt"), "this, too\n");
    const refused = await world.amof(["doctor", "--repair", "--json"]);
    assertEquals(
      [refused.code, pick(refused.json(), "error")],
      [1, "state_corrupt"],
      refused.stdout,
    );
    assertEquals(await Deno.readTextFile(join(clone, "changed.txt")), "written after the crash\n");
    // Each refusal names one command, and then the repair once more.
    let turns = 0;
    for (let last = refused; last.code !== 0 && turns < 4; turns++) {
      const hint = String(pick(last.json(), "hint"));
      const command = /(git -C .*)\nThen: amof .*doctor --repair$/.exec(hint)?.[1] ?? "";
      assert(command !== "", hint);
      const done = await world.command("sh", ["-c", command]);
      assertEquals(done.code, 0, `${command}: ${done.stderr}`);
      last = await world.amof(["doctor", "--repair", "--json"]);
      if (last.code === 0) break;
    }
    assert(turns < 3, "it never came to an end");
    // A file of theirs that is in nobody's way stays, and how it was before is listed beside what was put aside.
    assertEquals(await Deno.readTextFile(join(clone, "new", "file.txt")), "this, too\n");
    const aside = await world.git(clone, "stash", "list", "--format=%gs");
    const numbers = aside.split("\n").flatMap((line, at) => /: amof:/.test(line) ? [] : [at]);
    const former = aside.split("\n").findIndex((line) =>
      line.endsWith("before amof:B was put back")
    );
    assert(numbers.includes(former), aside);
    let kept = "";
    for (const number of numbers) {
      kept += await world.git(clone, "stash", "show", "-p", "-u", `stash@{${number}}`);
    }
    assertStringIncludes(kept, "+written after the crash");
    await world.git(clone, "restore", "--source", `stash@{${former}}^3`, "--", "new/file.txt");
    for (const number of numbers.reverse()) {
      await world.git(clone, "stash", "drop", "--quiet", `stash@{${number}}`);
    }
    assertEquals(await picture(world), before);
  },
});

Deno.test({
  name:
    "a journal that an older version left open is settled, also where it speaks of git's own stashes",
  ignore,
  async fn() {
    await using world = await twoTickets();
    const before = await picture(world);
    const env = await world.wrapGit('case " $* " in *" switch "*) kill -9 $PPID; exit 1;; esac');
    await world.amof(["ticket", "switch", "A", "--stash"], { env });
    await must(world, "doctor", "--repair");
    assertEquals(await picture(world), before);
    const clone = world.clone("web");
    await world.git(clone, "stash", "push", "--quiet", "-u", "-m", "amof:B");
    const state = join(world.env["AMOF_HOME"] ?? "", "state");
    const reopen = async (op: string) => {
      using database = new DatabaseSync(join(state, "amof.db"));
      const run = String(database.prepare("SELECT run_id FROM journals").get()?.["run_id"]);
      const args = JSON.stringify({ repo: "web", directory: clone, name: "amof:B" });
      database.exec("UPDATE journals SET closed = NULL, point_of_no_return = NULL");
      database.exec("DELETE FROM journal_steps");
      database.prepare("INSERT INTO journal_steps VALUES (?, 0, ?, ?, 'begun')").run(run, op, args);
      await Deno.writeTextFile(join(state, "unfinished", run), "");
    };
    await reopen("stash_save");
    await must(world, "doctor", "--repair");
    assertEquals(await picture(world), before);
    // Brought back by half: the stash is there still.
    await world.git(clone, "stash", "push", "--quiet", "-u", "-m", "amof:B");
    const away = await picture(world);
    await Deno.writeTextFile(
      join(clone, "changed.txt"),
      await world.git(clone, "show", "stash@{0}:changed.txt") + "\n",
    );
    await reopen("stash_restore");
    await must(world, "doctor", "--repair");
    assertEquals(await picture(world), away);
  },
});

Deno.test({
  name: "work that is put away is counted wherever work that would be lost is counted",
  ignore,
  async fn() {
    await using world = await twoTickets();
    await must(world, "ticket", "switch", "main", "--stash");
    const status = (await must(world, "status", "--json")).json();
    assertEquals(pick(status, "repos", 0, "stashes"), 2);
    const archived = await world.amof(["archive", "--yes", "--json"]);
    assertEquals(pick(archived.json(), "error"), "would_lose_work", archived.stdout);
    const discarded = await world.amof(["discard", "--dry-run"]);
    assertStringIncludes(discarded.stdout, "2 stashes: On feature/B: amof:B, On feature/A: amof:A");
    const ended = await world.amof(["ticket", "end", "A", "--json"]);
    assertEquals(pick(ended.json(), "error"), "would_lose_work", ended.stdout);
    for (const repo of REPOS) await world.git(world.clone(repo), "gc", "--quiet", "--prune=now");
    await must(world, "ticket", "switch", "A");
    assertEquals(
      await Deno.readTextFile(join(world.clone("api"), "only-A.txt")),
      "only in A\n",
    );
  },
});

Deno.test("work outside of a sparse checkout is put away and comes back", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await run(world, "ticket", "start", "A");
  for (const directory of ["in", "out"]) {
    await Deno.mkdir(join(clone, directory));
    await Deno.writeTextFile(join(clone, directory, "file"), `${directory}\n`);
  }
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "Two directories");
  await world.git(clone, "sparse-checkout", "set", "in");
  await Deno.mkdir(join(clone, "out"));
  for (const directory of ["in", "out"]) {
    await Deno.writeTextFile(join(clone, directory, "file"), `mine ${directory}\n`);
  }
  await run(world, "ticket", "start", "B", "--stash");
  await run(world, "ticket", "switch", "A", "--stash");
  for (const directory of ["in", "out"]) {
    assertEquals(await Deno.readTextFile(join(clone, directory, "file")), `mine ${directory}\n`);
  }
  assertEquals(await world.git(clone, "stash", "list"), "");
});

Deno.test("work does not come back over changes that git was told to overlook", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const clone = world.clone("api");
  await run(world, "ticket", "start", "A");
  await Deno.writeTextFile(join(clone, "README.md"), "of A\n");
  await run(world, "ticket", "start", "B", "--stash");
  await world.git(clone, "update-index", "--assume-unchanged", "README.md");
  await Deno.writeTextFile(join(clone, "README.md"), "mine\n");
  const before = await world.fingerprint();
  const ran = await world.amof(["ticket", "switch", "A", "--stash", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "error")], [1, "would_lose_work"], ran.stdout);
  assertStringIncludes(String(pick(ran.json(), "message")), "README.md would be overwritten");
  assertEquals(await world.changesSince(before), []);
  await world.git(clone, "update-index", "--no-assume-unchanged", "--", "README.md");
  await run(world, "ticket", "switch", "A", "--stash");
  assertEquals(await Deno.readTextFile(join(clone, "README.md")), "of A\n");
  await run(world, "ticket", "switch", "B", "--stash");
  assertEquals(await Deno.readTextFile(join(clone, "README.md")), "mine\n");
});

Deno.test("what is put away for a ticket is in the way of archive, which leads back to the ticket, not to a base branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const hint = async () =>
    String((await world.amof(["archive", "-m", "Words", "--yes", "--json"])).json()["hint"]);
  assertEquals((await world.amof(["ticket", "start", "T-1", "--quiet"])).code, 0);
  await Deno.writeTextFile(join(world.clone("api"), "wip.txt"), "wip\n");
  const end = await world.amof(["ticket", "end", "T-1", "--json"]);
  // Nothing was committed, so that the remote has all of its branch.
  assertEquals(String(end.json()["hint"]).split("\n").slice(0, 2), [
    "Commit them: amof commit -m TEXT --repo api",
    "Leave the ticket open, and put them away: amof ticket switch main --stash",
  ]);
  assertEquals((await world.amof(["ticket", "switch", "main", "--stash", "--quiet"])).code, 0);
  assertEquals(await hint(), "Bring it back: amof ticket switch T-1");
  assertEquals((await world.amof(["ticket", "switch", "T-1", "--quiet"])).code, 0);
  assertEquals(await hint(), "Commit and push them: amof push --repo api --commit");
});
