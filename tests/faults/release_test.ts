// Breaks a release at every change it makes: afterwards it is released or it is not, here and on the remote, in
// files, commits, tags and records alike.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { releaseWorld, trainWorld } from "../support/release_world.ts";
import { stride, THOROUGHLY } from "../support/sample.ts";
import { type World } from "../support/world.ts";
import { breakEverywhere, type Case, faulted, names, PHASES } from "./broken.ts";

const TAG = "v0.1.1-alpha.1";

function remote(world: World, name: string): string {
  return join(world.remotes, `${name}.git`);
}

async function record(world: World): Promise<Record<string, unknown> | null> {
  const text = await Deno.readTextFile(join(world.control, "releases", `${TAG}.json`))
    .catch(() => null);
  return text === null ? null : JSON.parse(text) as Record<string, unknown>;
}

/** Everything of a release but the repository's own refs: files as they are, and the remote. */
async function traces(world: World): Promise<unknown> {
  return {
    remote: await world.git(remote(world, "control"), "for-each-ref"),
    records: await names(join(world.control, "releases")),
    files: await Promise.all(
      ["package.json", "CHANGELOG.md", "README.md"].map((file) =>
        Deno.readTextFile(join(world.control, file))
      ),
    ),
  };
}

/** Whether all of the release is there; where room ran out it may be here only, if it says so. */
async function isReleased(world: World, everywhere: boolean): Promise<boolean> {
  const { control } = world;
  const found = await record(world);
  const commit = await world.git(control, "rev-parse", `${TAG}^{commit}`);
  const there = await world.git(remote(world, "control"), "tag", "--list", TAG);
  const text = await world.git(control, "show", `${TAG}:package.json`);
  const consistent = text.includes('"version": "0.1.1-alpha.1"') &&
    found?.["release_commit"] === commit && found?.["pushed"] === (there === TAG);
  if (!everywhere) return consistent;
  const [here, away] = [
    await world.git(control, "rev-parse", "main"),
    await world.git(remote(world, "control"), "rev-parse", "main"),
  ];
  return consistent && there === TAG && here === away &&
    await world.git(control, "status", "--porcelain") === "";
}

function bump(everywhere: boolean): Case {
  let start = "";
  return {
    args: ["release", "patch", "--alpha", "--yes"],
    where: "worker",
    async prepare() {
      const world = await releaseWorld();
      start = await world.git(world.control, "rev-parse", "HEAD");
      return world;
    },
    isDone: (world) => isReleased(world, everywhere),
    async reset(world) {
      await world.git(world.control, "reset", "--quiet", "--hard", start);
      await world.git(world.control, "clean", "--quiet", "-d", "--force");
      await world.git(world.control, "tag", "--delete", TAG);
      await world.git(remote(world, "control"), "update-ref", "refs/heads/main", start);
      await world.git(remote(world, "control"), "update-ref", "-d", `refs/tags/${TAG}`);
      await world.git(world.control, "fetch", "--quiet");
    },
    changes: 12,
    pushes: true,
    look: traces,
  };
}

for (const phase of ["before", "after", "full"] as const) {
  Deno.test({
    name: `amof release bump that ${PHASES[phase]} is released or is not, never between`,
    // Kills by signal; those before the changes that matter most have tests of their own below.
    ignore: Deno.build.os === "windows" || !(THOROUGHLY || phase === "after"),
    async fn() {
      // After a change the disk is as before the next one; only the journal differs.
      const test = { ...bump(phase !== "full"), every: phase === "after" ? 1 : 2 };
      const { faults, finished } = await breakEverywhere(test, phase);
      assert(faults >= test.changes - stride(), `only ${faults} changes were seen`);
      assert(finished > 0 && finished < faults, `${finished} of ${faults} ended in after`);
    },
  });
}

/** Changes before the push: the note for undo and its directory, the journal's marker, three files, the commit, the tag. */
const PUSH = 9;

for (const [at, done] of [[PUSH - 1, false], [PUSH, true]] as const) {
  Deno.test({
    name: `amof release bump that is repeated after a kill ${
      done ? "at the push is finished and not done twice" : "at the tag is undone and then done"
    }`,
    ignore: Deno.build.os === "windows", // kills by signal
    async fn() {
      const test = bump(true);
      await using world = await test.prepare();
      await faulted(world, test, at, "before");
      const status = (await world.amof(["release", "status", "--json"])).json();
      assertEquals(rows(status, "unfinished").map((left) => left["action"]), ["release_bump"]);
      const again = await world.amof([...test.args, "--json"]);
      assertEquals(again.code, 0, again.stdout);
      assertEquals(again.json()["already_done"], done ? true : undefined);
      assert(await isReleased(world, true));
      assertEquals(await world.git(world.control, "tag"), `v0.1.0\n${TAG}`);
      assertEquals(await names(join(world.control, "releases")), [`${TAG}.json`]);
    },
  });
}

Deno.test({
  name:
    "a release that is killed before it looks at what a hook made of its commit is taken back by a repair",
  ignore: Deno.build.os === "windows", // kills by signal
  async fn() {
    const test = bump(true);
    await using world = await test.prepare();
    const start = await world.git(world.control, "rev-parse", "HEAD");
    await world.hook(join(world.control, ".git"), "commit-msg", 'echo "Other words" > "$1"');
    await faulted(world, test, PUSH - 2, "after");
    assertEquals(await world.git(world.control, "log", "-1", "--format=%s"), "Other words");
    const repaired = await world.amof(["doctor", "--repair", "--yes"]);
    assertEquals(repaired.code, 0, repaired.stderr);
    assertEquals(await world.git(world.control, "rev-parse", "HEAD"), start);
    assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  },
});

const CARS = ["api", "web", "lib"];

/** A train of three repositories: whether all of it arrived, or, where room ran out, is told as it is. */
function trainOf(everywhere: boolean): Case {
  const starts = new Map<string, string>();
  const tag = "v1.1.0-alpha.1";
  return {
    args: ["release", "train", "bump", "minor", "--alpha", "--yes"],
    where: "worker",
    async prepare() {
      const world = await trainWorld(CARS);
      for (const directory of [world.control, ...CARS.map((repo) => world.clone(repo))]) {
        starts.set(directory, await world.git(directory, "rev-parse", "HEAD"));
      }
      return world;
    },
    async isDone(world) {
      const [name = ""] = await names(join(world.control, "releases", "trains"));
      const text = await Deno.readTextFile(join(world.control, "releases", "trains", name));
      const { repos } = JSON.parse(text) as { repos: Record<string, Record<string, unknown>> };
      for (const repo of CARS) {
        const here = await world.git(world.clone(repo), "rev-parse", `${tag}^{commit}`);
        const there = await world.git(remote(world, repo), "tag", "--list", tag);
        const told = repos[repo]?.["commit"] === here && repos[repo]["pushed"] === (there === tag);
        if (!told || (everywhere && there !== tag)) return false;
        if (await world.git(world.clone(repo), "status", "--porcelain") !== "") return false;
      }
      return !everywhere || await world.git(world.control, "status", "--porcelain") === "";
    },
    async reset(world) {
      for (const [directory, start] of starts) {
        await world.git(directory, "reset", "--quiet", "--hard", start);
        await world.git(directory, "clean", "--quiet", "-d", "--force");
      }
      for (const repo of CARS) {
        await world.git(world.clone(repo), "tag", "--delete", tag);
        const start = starts.get(world.clone(repo)) ?? "";
        await world.git(remote(world, repo), "update-ref", "refs/heads/main", start);
        await world.git(remote(world, repo), "update-ref", "-d", `refs/tags/${tag}`);
        await world.git(world.clone(repo), "fetch", "--quiet");
      }
    },
    changes: 18,
    pushes: true,
    look: async (world) => ({
      records: await names(join(world.control, "releases", "trains")),
      repos: await Promise.all(CARS.map(async (repo) => [
        await world.git(remote(world, repo), "for-each-ref"),
        await world.git(world.clone(repo), "for-each-ref", "refs/heads", "refs/tags"),
        await world.git(world.clone(repo), "status", "--porcelain"),
        await Deno.readTextFile(join(world.clone(repo), "VERSION")),
      ])),
    }),
  };
}

for (const [phase, every] of [["after", 1], ["before", 4], ["full", 4]] as const) {
  Deno.test({
    name: `amof release train bump of three repositories that ${
      PHASES[phase]
    } arrives or never left`,
    ignore: Deno.build.os === "windows" || !(THOROUGHLY || phase === "full"), // kills by signal
    async fn() {
      const test = { ...trainOf(phase !== "full"), every };
      const { faults, finished } = await breakEverywhere(test, phase);
      assert(faults >= test.changes - stride(every), `only ${faults} changes were seen`);
      assert(finished > 0 && finished < faults, `${finished} of ${faults} ended in after`);
    },
  });
}
