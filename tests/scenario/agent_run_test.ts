// `amof agent run`: a program in the workspace of a ticket, in a box and without one (BOX-6, BOX-7, BOX-8).

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows, until } from "../support/answers.ts";
import { MAKER, picture } from "../support/box.ts";
import { PseudoTerminal, quoted } from "../support/pseudo_terminal.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { program, World } from "../support/world.ts";

async function world(): Promise<World> {
  return await World.like("agent run", async (made) => {
    await made.makeInstalled({ repos: ["api", "web"] });
    await makeTicket(made, "P-1", { repos: ["api", "web"] });
    await makeTicket(made, "P-2");
    await made.write("home/.ssh/id", "a key\n");
  });
}

/** Commits in the box, leaves a file, and plants what git would run at the next look. */
const WORK = `
  cd repos/api && echo new > new.txt && echo more >> README.md && git add README.md &&
  git -c user.name=A -c user.email=a@example.invalid commit --quiet -m More
  git config core.fsmonitor "touch $AMOF_TICKET_DIR/../../planted"
  git config filter.x.clean "touch $AMOF_TICKET_DIR/../../planted; cat"; echo '* filter=x' > .gitattributes
  touch README.md
  cat "$HOME/.ssh/id" "$AMOF_ROOT/worktrees/demo@P-2/repos/api/README.md" 2>/dev/null
  echo evil > "$AMOF_ROOT/evil"
  echo "secret: $SECRET, named: $NAMED, state: $AMOF_STATE_HOME$AMOF_HOME, mark: \${AMOF_RUN_ID:+set}"
  exit 7
`;

Deno.test({
  name:
    "a program in the box works on its ticket alone; its exit code is passed on, and what it changed is told",
  ignore: MAKER === null,
  async fn() {
    await using made = await world();
    const ticket = join(made.control, "worktrees", "demo@P-1");
    const outside = async () =>
      (await picture(made.directory, ticket)).filter((line) => !line.includes("/state/"));
    const before = await outside();
    const env = { SECRET: "a token", NAMED: "passed" };
    const ran = await made.amof(
      ["agent", "run", "-t", "P-1", "--env", "NAMED", "--json", "--", "sh", "-c", WORK],
      { env },
    );
    assertEquals(ran.code, 7, ran.stderr);
    const answer = ran.json();
    const { repos, box, exit_code, outcome, run_id } = answer;
    assertEquals([exit_code, outcome], [7, "failed"]);
    assertEquals(box, { kind: "bubblewrap", network: "none" });
    assertStringIncludes(
      ran.stderr,
      "secret: , named: passed, state: /tmp/amof/state, mark: set\n",
    );
    assert(!ran.stderr.includes("a key") && !ran.stderr.includes("# api\n"), ran.stderr);
    const [api, web] = repos as readonly Record<string, unknown>[];
    assertEquals(
      [api?.["touched"], api?.["commits"], api?.["named"], web?.["touched"]],
      [true, 1, [".gitattributes", "README.md", "new.txt"], false],
    );
    assertEquals(await outside(), before);
    const summary = (await made.amof(["runs", "summary", String(run_id), "--json"])).json();
    assertEquals([summary["action"], summary["exit_code"]], ["agent", 7]);
    assertEquals((summary["result"] as Record<string, unknown>)["repos"], repos);
  },
});

Deno.test({
  name:
    "a file with another name outside of the ticket, and settings that say so, leave no way into a box",
  ignore: MAKER === null,
  async fn() {
    await using made = await world();
    const run = (...flags: string[]) =>
      made.amof(["agent", "run", "-t", "P-1", ...flags, "--", "true"]);
    const set = (name: string, value: string) => made.amof(["config", "set", name, value]);
    const file = join(made.control, "worktrees", "demo@P-1", "shared");
    await Deno.link(join(made.control, "README.md"), file);
    const shared = await run();
    assertEquals(shared.code, 4);
    assertStringIncludes(shared.stderr, "1 file of it, such as demo@P-1/shared, can be reached");
    await Deno.remove(file);
    assertEquals((await set("box_network", "none")).code, 0);
    assertStringIncludes((await run("--net", "full")).stderr, "Cannot give the box the network");
    assertEquals((await set("box", "always")).code, 0);
    const refused = await run("--no-box", "--yes");
    assertEquals(refused.code, 4);
    assertStringIncludes(refused.stderr, "the setting box says that there always is one");
    await made.write("home/opened/old", "");
    assertEquals((await set("box_write", `~/opened:${join(made.control, "worktrees")}`)).code, 0);
    const line =
      'echo new > "$HOME/opened/new"; ls "$AMOF_ROOT/worktrees"; echo x > "$AMOF_ROOT/worktrees/x"';
    const opened = await made.amof(["agent", "run", "-t", "P-1", "--", "sh", "-c", line]);
    assertStringIncludes(opened.stdout, "demo\ndemo@P-1\n");
    assertEquals(await Deno.readTextFile(join(made.directory, "home/opened/new")), "new\n");
    assert(!await made.exists("control/worktrees/x"));
  },
});

Deno.test("without a box nothing is run until a person agrees; in the base workspace never", async () => {
  await using made = await world();
  const tools = join(made.directory, "tools");
  await made.script("tools/bwrap", "echo 'bwrap: Creating new namespace failed' >&2\nexit 1");
  const env = { PATH: `${tools}:${made.env["PATH"] ?? ""}` };
  const run = (...args: string[]) => made.amof(["agent", "run", ...args], { env });
  const refused = await run("-t", "P-1", "--", "touch", "ran");
  assertEquals(refused.code, 4);
  if (Deno.build.os === "linux") {
    assertMatch(
      refused.stderr,
      /Cannot run it in a box: .*\(bwrap: Creating new namespace failed\)/,
    );
  }
  assert(!await made.exists("control/worktrees/demo@P-1/ran"));
  const asked = await run("-t", "P-1", "--no-box", "--", "touch", "ran");
  assertEquals(asked.code, 4, asked.stdout);
  assert(!await made.exists("control/worktrees/demo@P-1/ran"));
  const done = await run("-t", "P-1", "--no-box", "--yes", "--json", "--", "touch", "ran");
  assertEquals(done.code, 0, done.stderr);
  assertEquals([done.json()["box"], done.json()["unboxed"]], [null, "a person wanted none"]);
  assert(await made.exists("control/worktrees/demo@P-1/ran"));
  assertEquals((await run("--", "touch", "ran")).code, 2);
  const none = await run("-t", "P-1");
  assertEquals(none.code, 2);
  assertStringIncludes(none.stderr, "amof -t P-1 agent run -- PROGRAM");
  assertEquals((await run("-t", "P-1", "--no-box", "--yes", "--", "no-such-program")).code, 127);
});

Deno.test("without a box nothing is run while a clone of the ticket waits for a look, whoever agrees", async () => {
  await using made = await world();
  const clone = join(made.control, "worktrees", "demo@P-1", "repos", "api");
  const planted = join(made.directory, "planted");
  await made.git(clone, "config", "core.fsmonitor", `touch ${planted}`);
  const line = 'git -C repos/api status >/dev/null; touch "$AMOF_TICKET_DIR/ran"';
  const run = (...flags: string[]) =>
    made.amof(["agent", "run", "-t", "P-1", ...flags, "--json", "--", "sh", "-c", line]);
  const refused = await run("--no-box", "--yes");
  assertEquals([refused.code, refused.json()["error"]], [4, "clone_untrusted"], refused.stdout);
  assertStringIncludes(refused.stdout, "core.fsmonitor");
  assertStringIncludes(refused.stdout, "-t P-1 repo trust api");
  assert(!refused.stdout.includes("--repo '!"), refused.stdout);
  assert(!await made.exists("control/worktrees/demo@P-1/ran"));
  assert(!await made.exists("planted"));
  const trust = (...flags: string[]) => made.amof(["-t", "P-1", "repo", "trust", "api", ...flags]);
  const seen = (await trust("--dry-run", "--json")).json()["preview"] as Record<string, unknown>;
  const trusted = await trust("--hash", String(seen["hash"]), "--yes");
  assertEquals(trusted.code, 0, trusted.stderr);
  const done = await run("--no-box", "--yes");
  assertEquals(done.code, 0, done.stdout);
  assert(await made.exists("control/worktrees/demo@P-1/ran"));
});

Deno.test({
  name: "at a terminal the program has the keys, and Ctrl-C is for it alone",
  ignore: MAKER === null,
  async fn() {
    await using made = await world();
    const line =
      "trap 'echo heard; exit 9' INT; [ -t 0 ] && stty size; echo ready; while :; do sleep 0.1; done";
    const words = [...program(), "agent", "run", "-t", "P-1", "--", "sh", "-c", line];
    const terminal = new PseudoTerminal(
      made,
      `trap : INT; stty rows 33 cols 77; ${words.map(quoted).join(" ")}; echo "code $?"`,
      { env: { TERM: "xterm" } },
    );
    const told = () => terminal.text;
    await terminal.until(() => told().includes("ready"), 60_000, told);
    await terminal.types("\x03");
    assertEquals(await terminal.ends(60_000, told), 0);
    const text = told();
    assertStringIncludes(text, "33 77");
    assertStringIncludes(text, "heard");
    assertStringIncludes(text, "code 9");
  },
});

Deno.test({
  name: "a program at a terminal hears of its new size",
  ignore: MAKER === null,
  async fn() {
    await using made = await world();
    const line =
      "trap 'echo now $(stty size); exit 0' WINCH; echo ready; while :; do sleep 0.1; done";
    const words = [...program(), "agent", "run", "-t", "P-1", "--", "sh", "-c", line];
    await made.command("mkfifo", [join(made.control, "size")]);
    const terminal = new PseudoTerminal(
      made,
      `stty rows 33 cols 77; (read -r size < size; stty rows 40 cols 90 < /dev/tty) & ${
        words.map(quoted).join(" ")
      }`,
      { env: { TERM: "xterm" }, cwd: made.control },
    );
    const told = () => terminal.text;
    await terminal.until(() => told().includes("ready"), 60_000, told);
    await Deno.writeTextFile(join(made.control, "size"), "now\n");
    assertEquals(await terminal.ends(60_000, told), 0);
    assertStringIncludes(told(), "now 40 90");
  },
});

/** Starts a program in the box that obeys no signal, with a child that left its group; answers amof, and their sign. */
async function stubbornIn(made: World): Promise<{ amof: Deno.ChildProcess; sign: string }> {
  // How long it sleeps tells it from all other programs of the machine.
  const sign = `90000.${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  const line =
    `trap '' TERM INT HUP; setsid sleep ${sign} & sleep ${sign} & echo ready > ready; while :; do sleep ${sign}; done`;
  const [command = "", ...args] = program();
  const words = [...args, "agent", "run", "-t", "P-1", "--", "sh", "-c", line];
  const amof = made.spawn(command, words, { cwd: made.control });
  const ready = join(made.control, "worktrees", "demo@P-1", "ready");
  await until("the program works", () => Deno.stat(ready).then(() => true, () => false));
  return { amof, sign };
}

/** The processes of the machine that have a sign in their words. */
async function signed(made: World, sign: string): Promise<string[]> {
  const ran = await made.command("ps", ["-A", "-o", "args="]);
  return ran.stdout.split("\n").filter((line) => line.includes(sign));
}

Deno.test({
  name: "an amof that is killed takes its box along, and the run is settled by whoever looks next",
  ignore: MAKER === null,
  async fn() {
    await using made = await world();
    const { amof, sign } = await stubbornIn(made);
    assert((await signed(made, sign)).length > 0);
    amof.kill("SIGKILL");
    await Promise.all([
      amof.status,
      new Response(amof.stdout).text(),
      new Response(amof.stderr).text(),
    ]);
    await until("the box has gone", async () => (await signed(made, sign)).length === 0);
    const list = await made.amof(["runs", "list", "--json"]);
    const [run] = rows(list.json(), "runs");
    assertEquals([run?.["action"], run?.["status"]], ["agent", "failed"]);
    // Nobody is at work there any more.
    const next = await made.amof(["agent", "run", "-t", "P-1", "--", "true"]);
    assertEquals(next.code, 0, next.stderr);
  },
});

Deno.test({
  name: "amof runs cancel ends everything in the box, whether it obeys or not",
  ignore: MAKER === null,
  async fn() {
    await using made = await world();
    const { amof, sign } = await stubbornIn(made);
    const active = await made.amof(["runs", "active", "--json"]);
    const id = String(rows(active.json(), "runs")[0]?.["run_id"]);
    // Nobody takes the workspace away from under it.
    for (const words of [["discard", "--tickets"], ["ticket", "end", "P-1", "--discard-local"]]) {
      const busy = await made.amof([...words, "--confirm-name", "demo", "--json"]);
      assertEquals(pick(busy.json(), "error"), "ecosystem_busy", busy.stdout);
    }
    const cancelled = await made.amof(["runs", "cancel", id, "--yes", "--json"]);
    assertEquals(cancelled.code, 0, cancelled.stdout);
    const [status] = await Promise.all([
      amof.status,
      new Response(amof.stdout).text(),
      new Response(amof.stderr).text(),
    ]);
    assertEquals(status.code, 130);
    await until("the box has gone", async () => (await signed(made, sign)).length === 0);
    const record = await made.amof(["runs", "status", id, "--json"]);
    assertEquals(record.json()["status"], "cancelled");
  },
});

/** The number of the user `nobody`, as which a test of the superuser can run a program. */
const NOBODY = "65534";
const AS_NOBODY = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"];

/** Whether that user can start the program, wherever it and its runtime lie. */
async function nobodyCan(): Promise<boolean> {
  if (MAKER === null || Deno.build.os !== "linux" || Deno.uid() !== 0) return false;
  const args = [...AS_NOBODY, ...program(), "--version"];
  try {
    return (await new Deno.Command("setpriv", { args, stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "somebody who is not the superuser gets a box as well",
  ignore: !await nobodyCan(),
  async fn() {
    await using made = await world();
    await made.command("chown", ["-R", `${NOBODY}:${NOBODY}`, made.directory]);
    for (let place = made.directory; place !== "/"; place = join(place, "..")) {
      const { mode } = await Deno.stat(place);
      if (mode !== null && (mode & 0o001) === 0) await Deno.chmod(place, (mode & 0o7777) | 0o011);
    }
    const line = "id -u; echo mine > repos/api/mine; echo x > ../x; cat ~/.ssh/id";
    const words = [...AS_NOBODY, ...program(), "agent", "run", "-t", "P-1", "--shell", line];
    const ran = await made.command("setpriv", words, { cwd: made.control });
    assertStringIncludes(ran.stdout, `${NOBODY}\n`, ran.stderr);
    assert(!ran.stdout.includes("a key"));
    assertStringIncludes(ran.stdout, "1 file changed");
    const ticket = join(made.control, "worktrees", "demo@P-1");
    assertEquals((await Deno.stat(join(ticket, "repos/api/mine"))).uid, Number(NOBODY));
    assert(!await made.exists("control/worktrees/x"));
  },
});

Deno.test({
  name:
    "a ticket that was started with a workspace can be worked on in its box: its clones borrow from mirrors",
  ignore: MAKER === null,
  async fn() {
    await using made = await World.installed({ repos: ["api"] });
    const started = await made.amof(["ticket", "start", "P-1", "--workspace"]);
    assertEquals(started.code, 0, started.stderr);
    const line = [
      "cd repos/api && echo more >> README.md && git add . && git commit --quiet -m More",
      "git fsck --connectivity-only && git gc --quiet --prune=now && git log --format=%s",
      'echo "$AMOF_SLUG $AMOF_PORT_COUNT"',
    ].join("\n");
    const author = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME"];
    const env = [...author, "GIT_COMMITTER_EMAIL"].flatMap((name) => ["--env", name]);
    const ran = await made.amof(["agent", "run", "-t", "P-1", ...env, "--shell", line]);
    assertEquals(ran.code, 0, ran.stderr);
    assertStringIncludes(ran.stdout, "More\nBegin api\ndemo__p_1 20\n");
    assertStringIncludes(ran.stdout, "1 new commit, 1 file changed");
  },
});
