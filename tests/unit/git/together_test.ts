// Covers Git.together: many repositories asked at once answer as each asked alone does, whatever is the matter with them.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { inPool } from "../../../src/base/async/pool.ts";
import { AmofError } from "../../../src/base/error.ts";
import { Git, type Repository } from "../../../src/git/mod.ts";
import { BranchOverview, CommitLog, Search } from "../../../src/git/read/mod.ts";
import type { ProcessResult, System } from "../../../src/base/system/mod.ts";
import { World } from "../../support/world.ts";
import { hermetic } from "../_support.ts";
import { commit, repository } from "./_support.ts";

/** The same world, which tells what helpers answer. */
function withHelpers(system: System, onAnswer: (result: ProcessResult | null) => void): System {
  const helpers: System["processes"]["helpers"] = (jobs) => {
    const real = system.processes.helpers(jobs);
    return real === null ? null : {
      lanes: real.lanes,
      async run(request) {
        const result = await real.run(request);
        onAnswer(result);
        return result;
      },
      turn: (work) => real.turn(work),
      close: () => real.close(),
    };
  };
  return { ...system, processes: { ...system.processes, helpers } };
}

/** What a question comes to: its answer, or all that is told of its failure. */
async function outcome(question: Promise<unknown>): Promise<unknown> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    const { code, message, hint, details } = error;
    return { code, message, hint, details };
  }
}

const QUESTIONS: Readonly<Record<string, (at: Repository) => Promise<unknown>>> = {
  status: (at) => at.status(),
  unpushed: (at) => at.history.unpushedCount(),
  branches: (at) => at.part(BranchOverview).compared("main", { remote: true }),
  log: (at) => at.part(CommitLog).newest({ from: "head", most: 10, paths: [], merges: true }),
  grep: (at) =>
    at.part(Search).find({
      pattern: "needle",
      syntax: "basic",
      ignoreCase: false,
      word: false,
      filesOnly: false,
      untracked: true,
      paths: [],
    }),
  "grep for no expression": (at) =>
    at.part(Search).find({
      pattern: "\\(",
      syntax: "basic",
      ignoreCase: false,
      word: false,
      filesOnly: false,
      untracked: false,
      paths: [],
    }),
};

/** Repositories in every state that git has something to say about; answers their directories. */
async function repositories(world: World): Promise<string[]> {
  const at = (name: string) => join(world.directory, name);
  const plain = await repository(world, "plain");
  await Deno.writeTextFile(join(plain, "a needle\tin \u00e4\u0441.txt"), "a needle\nand hay\n");
  await repository(world, "with spaces and \u00c1\u0441\u6f22 '$(exit 1)' \\ \"");
  const huge = await repository(world, "huge");
  await Deno.writeTextFile(join(huge, "hay.txt"), "needle in a haystack\n".repeat(250_000));
  const many = await repository(world, "many");
  for (let index = 0; index < 400; index++) {
    await Deno.writeTextFile(join(many, `${index} ${"long ".repeat(40)}`), "");
  }
  const detached = await repository(world, "detached");
  await world.git(detached, "switch", "--quiet", "--detach");
  await commit(world, detached, "second.txt");
  const damaged = await repository(world, "damaged");
  await Deno.writeTextFile(join(damaged, ".git", "HEAD"), "nonsense\n");
  const index = await repository(world, "damaged index");
  await Deno.writeTextFile(join(index, ".git", "index"), "nonsense\n");
  await Deno.mkdir(at("empty"));
  await Deno.mkdir(at("unborn"));
  await world.git(at("unborn"), "init", "--quiet", "--initial-branch=main");
  await Deno.mkdir(at("pointing"));
  await Deno.writeTextFile(join(at("pointing"), ".git"), "gitdir: /nowhere/at/all\n");
  await Deno.writeTextFile(at("a file"), "");
  await Deno.symlink(plain, at("a link"));
  return (await Array.fromAsync(Deno.readDir(world.directory))).map(({ name }) => at(name))
    .concat(at("missing")).sort();
}

Deno.test({
  name: "many repositories asked together answer as each asked alone",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await World.make();
    const directories = await repositories(world);
    let answered = 0;
    const git = new Git(withHelpers(hermetic(world), (result) => {
      if (result !== null) answered++;
    }));
    for (const [name, ask] of Object.entries(QUESTIONS)) {
      const asked = (by: Git, jobs: number) =>
        inPool(jobs, directories, (directory) => outcome(ask(by.at(directory, "its name"))));
      const together = await git.together({ count: directories.length, jobs: 3 }, asked);
      assertEquals(together, await asked(git, 3), name);
      // Most of them are answered with help, or nothing is compared here.
      assert(answered > directories.length / 2, `${name}: ${answered} of ${directories.length}`);
      answered = 0;
    }
  },
});
