// What the machine does to the program: a full disk, directories without permission, locks of another git, clones
// that somebody deleted. Each repository gets its own clear outcome, and nothing is lost.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { pick, rows } from "../support/answers.ts";
import { APART, canMount } from "../support/mounts.ts";
import { program, type Ran, World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";

/** The words that make permissions count for the superuser too; null where that cannot be had. */
async function obeying(): Promise<string[] | null> {
  if (Deno.uid() !== 0) return [];
  const caps = "-dac_override,-dac_read_search";
  const words = ["setpriv", `--bounding-set=${caps}`, `--inh-caps=${caps}`];
  try {
    const tried = await new Deno.Command("setpriv", {
      args: [...words.slice(1), "true"],
      stderr: "null",
    }).output();
    return tried.success ? words : null;
  } catch {
    return null;
  }
}

const OBEYING = POSIX ? await obeying() : null;

/** Runs amof as somebody whom permissions stop. */
function plainly(world: World, ...args: string[]): Promise<Ran> {
  const [command = "", ...rest] = [...OBEYING ?? [], ...program(), ...args, "--json"];
  return world.command(command, rest);
}

/** Name, result and code of every repository in the answer of a run. */
function results(ran: Ran): unknown[] {
  return rows(ran.json(), "result", "repos").map((
    row,
  ) => [row["name"], row["result"], row["code"]]);
}

/** News on the base branch of a remote. */
async function publish(world: World, repo: string): Promise<void> {
  const seed = join(world.directory, "seed", repo);
  await world.git(seed, "commit", "--quiet", "--allow-empty", "-m", "News");
  await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
}

/** The database, in use. */
function openedBy(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.prepare("SELECT count(*) FROM runs").get();
  return database;
}

/** What the doctor says of the state database, its answer in `text`. */
function ofDatabase(text: string): unknown[] {
  const check = rows(JSON.parse(text), "checks").find(({ name }) => name === "state database");
  return [check?.["level"], check?.["detail"]];
}

Deno.test({
  name: "amof doctor finds a state database that may not be written, before anything fails of it",
  ignore: OBEYING === null,
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const database = join(world.env["AMOF_HOME"] ?? "", "state", "amof.db");
    await Deno.chmod(database, 0o444);
    assertEquals(ofDatabase((await plainly(world, "doctor")).stdout), [
      "problem",
      `${database} may not be written, so nothing that changes anything can begin`,
    ]);
    await Deno.chmod(database, 0o600);
    assertEquals((await plainly(world, "doctor")).code, 0);
  },
});

Deno.test({
  name: "amof doctor finds a state database on a disk that is mounted read-only",
  ignore: !await canMount(),
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const state = join(world.env["AMOF_HOME"] ?? "", "state");
    // As where another amof is at work, so that what is shared of it is there to be read.
    using _held = openedBy(join(state, "amof.db"));
    const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
    const call = ["sh", "-c", script, state, ...program(), "doctor", "--json"];
    assertEquals(ofDatabase((await world.command("unshare", [...APART, ...call])).stdout), [
      "problem",
      `${state} may not be written, so nothing that changes anything can begin`,
    ]);
    assertEquals((await world.amof(["doctor"])).code, 0);
  },
});

Deno.test("amof sync while another git holds the index of one repository does the others and says which failed", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await publish(world, "api");
  await publish(world, "web");
  await Deno.writeTextFile(join(world.clone("api"), ".git", "index.lock"), "");
  const ran = await world.amof(["sync", "--json"]);
  assertEquals(ran.code, 5, ran.stdout + ran.stderr);
  assertEquals(results(ran).map((row) => (row as unknown[])[1]), ["failed", "updated"]);
  assertStringIncludes(ran.stdout, "index.lock");
  await Deno.remove(join(world.clone("api"), ".git", "index.lock"));
  assertEquals((await world.amof(["sync"])).code, 0);
});

Deno.test("amof ticket start while another git holds the index of one repository changes none", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.writeTextFile(join(world.clone("web"), ".git", "index.lock"), "");
  const ran = await world.amof(["ticket", "start", "T-1", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertStringIncludes(String(pick(ran.json(), "message")), "index.lock");
  for (const repo of ["api", "web"]) {
    assertEquals(await world.git(world.clone(repo), "branch", "--format=%(refname:short)"), "main");
  }
  assertEquals((await world.state())["tickets"], {});
});

Deno.test("amof archive and discard while another git holds an index: archive goes, nothing is half done", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.writeTextFile(join(world.clone("api"), ".git", "index.lock"), "");
  const ran = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await world.exists(world.workspace()), false);
});

Deno.test("amof goes on around a clone that was deleted by hand, and sync brings it back", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.commitOnFeature("web");
  await Deno.remove(world.clone("api"), { recursive: true });
  const pushed = await world.amof(["push", "--yes", "--json"]);
  assertEquals(pushed.code, 0, pushed.stdout);
  assertEquals(results(pushed), [["api", "skipped", null], ["web", "pushed", null]]);
  const started = await world.amof(["ticket", "start", "T-2", "--json"]);
  assertEquals(pick(started.json(), "skipped", 0, "name"), "api", started.stdout);
  assertEquals((await world.amof(["sync"])).code, 0);
  assert(await world.exists(join(world.clone("api"), ".git")));
  await Deno.remove(world.clone("api"), { recursive: true });
  const archived = await world.amof(["archive", "--yes", "--json"]);
  assertEquals(archived.code, 0, archived.stdout);
});

Deno.test({
  name: "amof install without room on the disk takes everything back and says why",
  ignore: !POSIX, // limits of the shell
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api", "big"] });
    const seed = join(world.directory, "seed", "big");
    const noise = new Uint8Array(12 * 1024 * 1024);
    for (let at = 0; at < noise.length; at += 65_536) {
      crypto.getRandomValues(noise.subarray(at, at + 65_536));
    }
    await Deno.writeFile(join(seed, "noise.bin"), noise);
    await world.git(seed, "add", ".");
    await world.git(seed, "commit", "--quiet", "-m", "Noise");
    await world.git(seed, "push", "--quiet", join(world.remotes, "big.git"), "main");
    const before = await world.fingerprint();
    // No file may grow beyond 8 MiB, as on a disk that has no more.
    const limited = 'ulimit -f 16384; trap "" XFSZ; exec "$@"';
    const words = [...program(), "install", "--yes", "--json"];
    const ran = await world.command("sh", ["-c", limited, "sh", ...words]);
    assertEquals(ran.code, 1, ran.stdout);
    assertStringIncludes(String(pick(ran.json(), "message")), "nothing was installed");
    assertEquals(await world.changesSince(before), []);
    assertEquals((await world.amof(["install", "--yes"])).code, 0);
  },
});

Deno.test({
  name: "amof without permission for the directory of the workspace changes nothing and says which",
  ignore: OBEYING === null, // permissions do not count here
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const above = join(world.control, "worktrees");
    await Deno.chmod(above, 0o555);
    try {
      const before = await world.fingerprint();
      for (const words of [["discard", "--confirm-name", "demo"], ["archive", "--yes"]]) {
        const ran = await plainly(world, ...words);
        assertEquals(ran.code, 1, ran.stdout);
        assertStringIncludes(String(pick(ran.json(), "message")), "worktrees", ran.stdout);
      }
      assertEquals(await world.changesSince(before), []);
    } finally {
      await Deno.chmod(above, 0o755);
    }
    assertEquals((await world.amof(["status", "--check"])).code, 0);
  },
});

Deno.test({
  name: "amof without permission in one clone says so of that one and does the others",
  ignore: OBEYING === null, // permissions do not count here
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await publish(world, "api");
    await publish(world, "web");
    const closed = join(world.clone("api"), ".git");
    await Deno.chmod(closed, 0o555);
    try {
      const synced = await plainly(world, "sync");
      assertEquals(synced.code, 5, synced.stdout);
      assertEquals(results(synced).map((row) => (row as unknown[])[1]), ["failed", "updated"]);
      const started = await plainly(world, "ticket", "start", "T-1");
      assertEquals(started.code, 1, started.stdout);
      assertEquals(await world.git(world.clone("web"), "branch", "--show-current"), "main");
    } finally {
      await Deno.chmod(closed, 0o755);
    }
    assertEquals((await world.amof(["sync"])).code, 0);
  },
});

Deno.test({
  name:
    "amof discard that may not delete a file says which place is left, and doctor goes on telling",
  ignore: OBEYING === null, // permissions do not count here
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const closed = join(world.clone("api"), "closed");
    await Deno.mkdir(closed);
    await Deno.writeTextFile(join(closed, "file.txt"), "x\n");
    await Deno.chmod(closed, 0o555);
    const ran = await plainly(world, "discard", "--confirm-name", "demo");
    assertEquals(ran.code, 5, ran.stdout);
    assertEquals(pick(ran.json(), "error"), "partial_failure");
    assertEquals(await world.exists(world.workspace()), false);
    const told = await plainly(world, "doctor", "--repair");
    assertEquals(told.code, 3, told.stdout);
    assertStringIncludes(told.stdout, ".demo.amof-removed-");
    await world.install();
    assertEquals((await world.amof(["doctor", "--repair"])).code, 0);
  },
});
