/**
 * Whatever a status says a repository needs is pasted as it stands, line by line, until nothing is needed any more
 * (WORKSPACE-11).
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { program, World } from "../support/world.ts";

interface State {
  /** Makes it in the clone of api. */
  readonly make: (world: World, clone: string) => Promise<void>;
  /** The needs whose lines are pasted, by the number of the round; the first of each by default. */
  readonly at?: number;
  /** Files of the clone with what they hold in the end. */
  readonly files: Readonly<Record<string, string>>;
}

const write = (clone: string, file: string, text: string) =>
  Deno.writeTextFile(join(clone, file), text);

/** A commit of another person with one file. */
async function theirs(world: World, file: string, text: string, branch = "main"): Promise<void> {
  const host = join(world.directory, "host");
  await Deno.remove(host, { recursive: true }).catch(() => {});
  await world.git(world.directory, "clone", "--quiet", world.url("api"), host);
  await world.git(host, "switch", "--quiet", "-C", branch);
  await write(host, file, text);
  await world.git(host, "add", "--all");
  await world.git(host, "commit", "--quiet", "-m", "Theirs");
  await world.git(host, "push", "--quiet", "origin", branch);
}

/** The clone as `git init` makes it, on a branch without a commit. */
async function begun(world: World, clone: string, branch: string): Promise<void> {
  await Deno.remove(clone, { recursive: true });
  await world.git(world.directory, "init", "--quiet", `--initial-branch=${branch}`, clone);
  await world.git(clone, "remote", "add", "origin", world.url("api"));
  await world.git(clone, "fetch", "--quiet", "origin");
}

/** The clone as `git clone --single-branch` makes it, of another branch than its base branch. */
async function narrow(world: World, clone: string): Promise<void> {
  await theirs(world, "other.txt", "other\n", "other");
  await Deno.remove(clone, { recursive: true });
  const one = ["clone", "--quiet", "--single-branch", "--branch", "other", world.url("api"), clone];
  await world.git(world.directory, ...one);
}

const STATES: Readonly<Record<string, State>> = {
  "behind, with a new file that comes in, too": {
    make: async (world, clone) => {
      await theirs(world, "new.txt", "theirs\n");
      await world.git(clone, "fetch", "--quiet");
      await write(clone, "new.txt", "mine\n");
      await write(clone, "other.txt", "mine\n");
    },
    files: { "new.txt": "theirs\n", "other.txt": "mine\n" },
  },
  "in conflict after changes came back on top of what was pulled": {
    make: async (world, clone) => {
      await theirs(world, "README.md", "theirs\n");
      await write(clone, "README.md", "mine\n");
      await world.git(clone, "pull", "--quiet", "--ff-only", "--autostash", "origin", "main");
    },
    at: 1,
    files: { "README.md": "theirs\n" },
  },
  "without a commit, with files, behind": {
    make: async (world, clone) => {
      await begun(world, clone, "main");
      await write(clone, "mine.txt", "mine\n");
    },
    files: { "mine.txt": "mine\n" },
  },
  "without a commit, with a file that comes in, too": {
    make: async (world, clone) => {
      await theirs(world, "new.txt", "theirs\n");
      await begun(world, clone, "main");
      await write(clone, "new.txt", "mine\n");
    },
    files: { "new.txt": "theirs\n" },
  },
  "without a commit, with files, on another branch": {
    make: async (world, clone) => {
      await begun(world, clone, "master");
      await write(clone, "mine.txt", "mine\n");
    },
    files: { "mine.txt": "mine\n" },
  },
  "without a commit, on another branch, with a file that its own has, too": {
    make: async (world, clone) => {
      await theirs(world, "new.txt", "theirs\n");
      await begun(world, clone, "master");
      await write(clone, "new.txt", "mine\n");
    },
    files: { "new.txt": "theirs\n" },
  },
  "ahead where git pushes to another remote": {
    make: async (world, clone) => {
      const fork = join(world.directory, "fork.git");
      await world.git(world.directory, "init", "--quiet", "--bare", fork);
      await world.git(clone, "remote", "add", "fork", fork);
      await world.git(clone, "config", "remote.pushDefault", "fork");
      await world.git(clone, "switch", "--quiet", "--create", "feature/mine");
      await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Mine");
    },
    files: {},
  },
  "with changes put away on a branch of no ticket": {
    make: async (world, clone) => {
      await world.git(clone, "switch", "--quiet", "--create", "feature/my-idea");
      await write(clone, "idea.txt", "mine\n");
      const plan = await world.amof(["ticket", "start", "T-1", "--stash", "--dry-run"]);
      assertStringIncludes(plan.stdout, "as amof:main, which wait for feature/my-idea");
      await world.amof(["ticket", "start", "T-1", "--stash"]);
      await world.amof(["ticket", "end", "T-1"]);
      const where = await world.git(clone, "status", "--porcelain", "--branch");
      assertEquals(where, "## main...origin/main");
    },
    files: { "idea.txt": "mine\n" },
  },
  "with changes on the branch of the ticket, which has another name now": {
    make: async (world, clone) => {
      await world.amof(["ticket", "start", "T-1"]);
      await write(clone, "work.txt", "work\n");
      await world.git(clone, "add", "--all");
      await world.git(clone, "commit", "--quiet", "-m", "Work");
      await write(clone, "more.txt", "mine\n");
      await world.git(clone, "branch", "-m", "feature/T-1-better");
    },
    files: { "work.txt": "work\n", "more.txt": "mine\n" },
  },
  "on the base branch, and the branch of the ticket has another name now": {
    make: async (world, clone) => {
      await world.amof(["ticket", "start", "T-1"]);
      await write(clone, "work.txt", "work\n");
      await world.git(clone, "add", "--all");
      await world.git(clone, "commit", "--quiet", "-m", "Work");
      await world.git(clone, "switch", "--quiet", "main");
      await world.git(clone, "branch", "-m", "feature/T-1", "feature/T-1-better");
    },
    files: { "work.txt": "work\n" },
  },
  "on the base branch, and somebody deleted the branch of the ticket with work": {
    make: async (world, clone) => {
      await world.amof(["ticket", "start", "T-1"]);
      await write(clone, "work.txt", "work\n");
      await world.git(clone, "add", "--all");
      await world.git(clone, "commit", "--quiet", "-m", "Work");
      await world.git(clone, "switch", "--quiet", "main");
      await world.git(clone, "branch", "--quiet", "-D", "feature/T-1");
    },
    files: { "work.txt": "work\n" },
  },
  "on the base branch, and somebody deleted the branch of the ticket, which is squashed": {
    make: async (world, clone) => {
      await world.amof(["ticket", "start", "T-1"]);
      await write(clone, "work.txt", "work\n");
      await world.git(clone, "add", "--all");
      await world.git(clone, "commit", "--quiet", "-m", "Work");
      await world.git(clone, "switch", "--quiet", "main");
      await theirs(world, "work.txt", "work\n");
      await world.git(clone, "pull", "--quiet");
      await world.git(clone, "branch", "--quiet", "-D", "feature/T-1");
      const [row = {}] = rows((await world.amof(["ticket", "list", "--json"])).json(), "tickets");
      assertEquals(pick(row, "states"), { api: "gone" });
      const shown = await world.amof(["status", "--json"]);
      assertEquals(pick(rows(shown.json(), "repos")[0], "deleted"), 0);
      assertEquals(pick(rows(shown.json(), "suggested_actions")[0], "id"), "ticket_end");
      const { stdout } = await world.amof(["status"]);
      assertStringIncludes(stdout, "which was deleted; nothing of it is only here");
    },
    files: { "work.txt": "work\n" },
  },
  "on the only branch of a narrow clone": { make: narrow, files: {} },
  "on the only branch of a narrow clone, with changes": {
    make: async (world, clone) => {
      await narrow(world, clone);
      await write(clone, "other.txt", "mine\n");
    },
    files: {},
  },
};

/** How often what is needed is done. */
const ROUNDS = 2;

for (const [state, { make, at = 0, files }] of Object.entries(STATES)) {
  Deno.test(`what a status says is needed works: ${state}`, async () => {
    await using world = await World.installed({ repos: ["api"] });
    const [clone, cwd] = [world.clone("api"), world.control];
    await make(world, clone);
    const needs = async () => {
      const [row = {}] = rows((await world.amof(["status", "--json"], { cwd })).json(), "repos");
      return "needs" in row ? rows(row, "needs") : [];
    };
    const words = program().map((word) => `'${word}'`).join(" ");
    const done: string[] = [];
    for (let round = 0, found = await needs(); found.length > 0; found = await needs(), round++) {
      assertEquals(round < ROUNDS, true, `still needed: ${JSON.stringify(found)}`);
      const lines = String(pick(found[round === 0 ? at : 0], "fix")).split("\n");
      for (const line of lines) {
        const ran = await world.command("sh", ["-c", `amof() { ${words} "$@"; }; ${line}`], {
          cwd,
        });
        done.push(line);
        assertEquals(ran.code, 0, `${done.join("\n")}: ${ran.stderr}`);
      }
    }
    assertEquals(done.length > 0, true);
    for (const [file, text] of Object.entries(files)) {
      assertEquals(await Deno.readTextFile(join(clone, file)), text);
    }
  });
}
