/**
 * How many git processes every command starts in each repository, and why: one day over two repositories, from the
 * install to the end of the workspace. A new command fails here until it has a line.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import { callsOfGit, perClone } from "../support/calls_of_git.ts";
import { trainWorld } from "../support/release_world.ts";
import { IN_TABLES, World } from "../support/world.ts";

const REPOS = ["api", "web"];

/** A command of the day. */
interface Line {
  readonly args: string;
  /** What git is asked in each repository, in order; a number where the order is no matter, as the most there may be. */
  readonly git: string | number;
  /** How many more it may be where refs are in tables: nothing but git reads those. */
  readonly tables?: number;
  readonly why: string;
  /** What others, or the user's own hands, have done before. */
  readonly before?: (world: World) => Promise<void>;
}

/** A file of every repository gets another text. */
function edit(file: string): (world: World) => Promise<void> {
  return async (world) => {
    for (const repo of REPOS) {
      await Deno.writeTextFile(join(world.clone(repo), file), crypto.randomUUID());
    }
  };
}

/** Somebody commits with git alone. */
function committed(name: string): (world: World) => Promise<void> {
  return async (world) => {
    await edit(name)(world);
    for (const repo of REPOS) {
      await world.git(world.clone(repo), "add", "--all");
      await world.git(world.clone(repo), "commit", "--quiet", "-m", `Add ${name}`);
    }
  };
}

/** Others push to every base branch. */
async function news(world: World): Promise<void> {
  for (const repo of REPOS) {
    const seed = join(world.directory, "seed", repo);
    await Deno.writeTextFile(join(seed, "news.txt"), crypto.randomUUID());
    await world.git(seed, "add", ".");
    await world.git(seed, "commit", "--quiet", "-m", "News");
    await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
  }
}

/** A run previews twice: for the caller, and once more under the lock of the ecosystem before it acts. */
const twice = (preview: string, ...rest: string[]) => [preview, preview, ...rest].join(" ");

/** Before and after a run that may change uncommitted work, git is asked how a repository stands. */
const watched = (...work: string[]) => ["status", ...work, "status"].join(" ");

const LINES: readonly Line[] = [
  { args: "install --yes", git: "", why: "one clone, started where the clone will be" },
  { args: "status", git: "status", tables: 1, why: "all of it is in one answer" },
  { args: "log", git: "log", why: "all of it is in one answer" },
  { args: "grep Begin", git: "grep", why: "all of it is in one answer" },
  { args: "diff", git: "status", why: "a clean repository has no patch to ask for" },
  { args: "branches", git: "for-each-ref", why: "all of it is in one answer" },
  { args: "path api", git: "", why: "the manifest knows" },
  { args: "ecosystem describe", git: "", why: "the manifest knows" },
  { args: "ecosystem list", git: "", why: "the manifests know" },
  { args: "manifest show", git: "", why: "the manifest knows" },
  { args: "manifest validate", git: "", why: "remotes are not asked" },
  {
    args: "doctor",
    git: "status ls-files",
    tables: 1,
    why: "how it stands, and which files git overlooks",
  },
  {
    args: "sync",
    git: "fetch status merge",
    tables: 7,
    why: "fetch, look, and move forward: what was there is still in the branch",
    before: news,
  },
  { args: "exec -- true", git: watched(), tables: 3, why: "the program alone runs there" },
  { args: "run touch", git: watched(), tables: 3, why: "the program alone runs there" },
  {
    args: "lock",
    git: "status ls-remote",
    tables: 1,
    why: "how it stands, and whether its remote has that",
  },
  {
    args: "install --locked --yes",
    git: "status status",
    why: "how it stands, and whether it is at its commit: then nothing is left to do",
  },
  {
    args: "ticket start T-1",
    git: "status ls-remote switch",
    tables: 7,
    why: "how it stands, the branches of its remote, and the switch; its own are in files",
  },
  {
    args: "undo --yes",
    git: 11,
    tables: 6,
    why: "how it stands, how it stood, and the way back",
  },
  { args: "undo --yes", git: 11, tables: 5, why: "and forth again" },
  {
    args: "operations",
    git: "status status",
    why: "how it stands, for each of the two runs that its files let go back",
  },
  {
    args: "ticket list",
    git: "status",
    tables: 4,
    why: "how it stands; what no remote has, the refs tell",
  },
  {
    args: "commit -m Work --yes",
    git: `status var status ${watched("status add commit rev-parse log")}`,
    tables: 4,
    why: "a look before the commit, and who makes it, the commit, and what became of it",
    before: edit("work.txt"),
  },
  {
    args: "ticket update",
    git: twice(
      "status rev-list rev-list",
      watched("fetch status rev-list rev-list merge rev-list"),
      "update-ref",
    ),
    tables: 7,
    why: "how it stands, how far it is from its base, once more behind the fetch, and the merge",
    before: news,
  },
  {
    args: "ticket conflicts",
    git: "for-each-ref status",
    tables: 1,
    why: "the branches, and what of the active ticket is not committed; merges are tried elsewhere",
  },
  {
    args: "diff --stat",
    git: "status diff",
    why: "the files, and the lines of those that changed",
    before: edit("README.md"),
  },
  {
    args: "ticket update --stash",
    git: 51,
    tables: 1,
    why: "a snapshot is made, taken out, brought back and forgotten",
    before: news,
  },
  {
    args: "push --commit -m More --yes",
    git: 17,
    tables: 6,
    why: "two previews with what would be sent, the commit, the push, and what became of both",
  },
  {
    args: "push --yes",
    git: "status",
    tables: 1,
    why: "there is nothing to send",
  },
  {
    args: "push --yes",
    git: "status remote log status remote push",
    tables: 2,
    why: "what would be sent and where to, whether it still stands so, and the push",
    before: committed("pushed.txt"),
  },
  {
    args: "ticket switch main --stash",
    git: 21,
    tables: 4,
    why: "a snapshot is made and taken out, and the switch",
    before: edit("README.md"),
  },
  {
    args: "ticket switch T-1",
    git: 26,
    tables: 4,
    why: "the switch, and a snapshot is seen to fit, brought back and forgotten",
  },
  {
    args: "commit -m Last --yes",
    git: `status var status ${watched("status add commit rev-parse log")} update-ref`,
    tables: 4,
    why: "with an upstream, status knows what is nowhere else",
  },
  {
    args: "ticket move T-1 --workspace --yes",
    git: 27,
    tables: 14,
    why: "stock, the branch brought, looked at again, and taken away",
  },
  {
    args: "ticket move T-1 --in-place --yes",
    git: 45,
    tables: 3,
    why: "stock of the workspace three times, as when it ends, and the branch brought back",
  },
  {
    args: "ticket switch T-1",
    git: 25,
    tables: 4,
    why: "in place nothing was switched to it",
  },
  {
    args: "ticket end T-1",
    git: "log status rev-parse switch",
    tables: 7,
    why: "what is put away, how it stands, where its base branch is, and the switch",
  },
  {
    args: "repo add docs file:///nowhere/docs.git --branch main",
    git: "",
    why: "a manifest is edited",
  },
  { args: "repo remove docs --yes", git: "", why: "there is no clone to look at" },
  { args: "repo trust", git: "", why: "what is sealed is read without git" },
  { args: "repo rename web site --yes", git: "", why: "a manifest is edited" },
  { args: "repo rename site web --yes", git: "", why: "a manifest is edited" },
  {
    args: "archive --yes --delete-workspace",
    git: 33,
    why: "stock is taken three times, the last time when nobody can reach it, and its branches go",
  },
  {
    args: "archive restore --yes",
    git: 5,
    tables: 2,
    why: "one clone beside, and the branches of the record",
  },
  {
    args: "discard --confirm-name demo",
    git: 21,
    why: "stock is taken three times, the last time when nobody can reach it",
  },
];

/** The same for a release train, which has a world of its own. */
const TRAIN: readonly Line[] = [
  {
    args: "release train status",
    git: 6,
    why: "how it stands, its tags, its commits, its versions",
  },
  {
    args: "release train bump patch --alpha --yes",
    git: 35,
    tables: 1,
    why:
      "that three times with a question to the remote, then a commit, the index beside it, a tag and a push",
  },
  {
    args: "release train promote --rc --yes",
    git: 35,
    tables: 1,
    why:
      "that three times with a question to the remote, then a commit, the index beside it, a tag and a push",
  },
];

/** Whether git does something besides telling of refs, and of the branch that is checked out. */
function isWork(verb: string): boolean {
  return !["for-each-ref", "branch", "worktree"].includes(verb);
}

/** Carries out a day, and compares what git was asked. */
async function count(world: World, day: readonly Line[]): Promise<void> {
  for (const { args, git, tables = 0, why, before } of day) {
    await before?.(world);
    const { ran, calls } = await callsOfGit(world, args.split(" "));
    assertEquals(ran.code, 0, `${args}: ${ran.stdout}${ran.stderr}`);
    const clones = perClone(calls);
    let probes = 0;
    for (const repo of REPOS) {
      // Which git it is asks the first that needs to know it, once for each program.
      const verbs = (clones[repo] ?? []).filter((verb) => verb !== "version");
      const words = typeof git === "number" ? null : git.split(" ").filter((verb) => verb !== "");
      const most = (words?.length ?? Number(git)) + (IN_TABLES ? tables : 0);
      if (words === null || IN_TABLES) {
        assert(verbs.length <= most, `${args} in ${repo} (${why}): ${verbs.join(" ")}`);
        if (words !== null) assertEquals(verbs.filter(isWork), words.filter(isWork), args);
        continue;
      }
      // An old git is asked once whether it knows how far branches are apart.
      if (args === "branches" && verbs.length === 2 && probes++ === 0) verbs.pop();
      assertEquals(verbs.join(" "), git, `${args} in ${repo}: ${why}`);
    }
  }
}

Deno.test({
  name: "every command starts as many git processes in each repository as it needs",
  ignore: Deno.build.os === "windows", // a wrapped git
  async fn() {
    await using world = await World.withEcosystem({
      repos: REPOS,
      extra: 'tasks: {touch: {run: ["true"]}}',
    });
    await count(world, LINES);
  },
});

Deno.test({
  name: "a release train starts as many git processes in each repository as it needs",
  ignore: Deno.build.os === "windows", // a wrapped git
  async fn() {
    await using world = await trainWorld(REPOS);
    await count(world, TRAIN);
  },
});

/** Commands that ask git nothing in the repositories of an ecosystem, by what they are about. */
const OTHERS: Readonly<Record<string, string>> = {
  "the control repository that is released":
    "release status, release validate, release bump, release promote, release log, release show, release init, release push",
  "the control repository and its files":
    "ecosystem create, ecosystem switch, tasks, archive list, journal add, ticket path, ticket env",
  "engines": "engine check",
  "campaigns, which have clones of their own":
    "campaign start, campaign show, campaign approve, campaign push, campaign status, campaign update, campaign close",
  "pull requests, which are at forges, and the push that is counted above":
    "pr open, pr status, pr update, pr land, pr revert, pr close",
  "environments": "spin status, spin deploy, spin destroy, spin trust",
  "runs": "runs list, runs active, runs status, runs logs, runs summary, runs cancel, runs prune",
  "mirrors, which are of no ecosystem, and clones that borrow from them":
    "mirror list, mirror fetch, mirror prune, ticket detach, ticket add, ticket try",
  "a box, in which the program that works there asks": "agent run",
  "files of AI hosts": "mcp install",
  "the server": "server status, server start, server stop, server restart",
  "the caller": "telemetry, agent stats, mode, scope, back",
  "what was approved":
    "exec trust, exec trust --list, confirm, confirm --cancel, approvals, audit, audit verify",
  "what StockTrim keeps":
    "stocktrim product search, stocktrim product get, stocktrim product save, stocktrim product delete, stocktrim customer list, stocktrim customer get, stocktrim supplier list, stocktrim supplier get, stocktrim supplier save, stocktrim supplier delete, stocktrim location list, stocktrim location create, stocktrim inventory set, stocktrim purchase-order list, stocktrim purchase-order get, stocktrim purchase-order create, stocktrim purchase-order delete, stocktrim purchase-order generate, stocktrim sales-order list, stocktrim sales-order create, stocktrim sales-order delete, stocktrim order-plan, stocktrim forecast run",
};

Deno.test("every command is counted, or asks git nothing in the repositories of an ecosystem", () => {
  const named = new Set(Object.values(OTHERS).flatMap((words) => words.split(", ")));
  const uncounted = COMMANDS.map(({ path }) => path.join(" ")).filter((words) =>
    ![...LINES, ...TRAIN].some(({ args }) => `${args} `.startsWith(`${words} `))
  );
  assertEquals(uncounted.toSorted(), [...named].toSorted());
});
