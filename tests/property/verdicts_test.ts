/**
 * What is remembered of a clone is what git says of it, whatever was done there.
 *
 * Every step does something to a clone, and then asks both. Mostly nothing waits for a clock, so that changes fall into
 * the tick of the look before them.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { inPool } from "../../src/base/async/pool.ts";
import { Git, type GitGuard, Verdicts } from "../../src/git/mod.ts";
import { Checkpoints } from "../../src/git/checkpoint/mod.ts";
import type { System } from "../../src/base/system/mod.ts";
import { inspectRepos } from "../../src/workspace/clones/mod.ts";
import { snapshot } from "../unit/_snapshots.ts";
import { rememberingReporter } from "../unit/_support.ts";
import fc from "../support/fast_check.ts";
import { systemIn } from "../support/in_process.ts";
import { cases, third } from "../support/sample.ts";
import { World } from "../support/world.ts";

/** What may be done in a clone: lines for a shell, in which `$i` is the number of the step. */
const DEEDS = [
  // Files, with and without telling by size or time.
  "printf %04d $i > a.txt",
  "printf %04d $i > a.txt",
  "printf %04d $i > dir/b.txt",
  "touch -r a.txt ../stamp; printf %04d $i > a.txt; touch -r ../stamp a.txt",
  "touch -d '2020-01-01' a.txt",
  "printf %04d 1 > a.txt; touch -d '2020-01-01' a.txt",
  "echo $i >> a.txt",
  "git checkout -q -- .",
  "chmod +x a.txt",
  "chmod -x a.txt",
  "rm -f a.txt",
  "mv a.txt moved.txt",
  "mv moved.txt a.txt",
  "cp a.txt copy.txt && mv copy.txt a.txt",
  "rm -f a.txt; ln -s dir/b.txt a.txt",
  "rm -f a.txt; mkdir -p a.txt; echo > a.txt/in",
  "rm -rf a.txt; printf %04d $i > a.txt",
  "ln -f dir/b.txt ../linked; printf %04d $i > ../linked",
  "echo > new$((i % 3)).txt",
  "rm -f new*.txt",
  "mkdir -p empty/$((i % 3))",
  "mkdir -p deep/er; echo > deep/er/new.txt",
  "rm -rf deep empty",
  "mkdir -p build; echo > build/out.o; echo > out.o",
  "echo > build/kept.txt",
  "rm -rf build out.o",
  "mv dir dir2; mv dir2 dir",
  "rm -rf dir; git checkout -q -- dir",
  "mkfifo pipe; rm -f pipe; echo > pipe",
  "chmod 700 dir",
  // What is ignored, and how files are compared.
  "echo '*.txt' > .gitignore",
  "echo '*.o' > .gitignore",
  "rm -f .gitignore",
  "echo 'new*' > dir/.gitignore; echo > dir/new1",
  "echo 'new*' > .git/info/exclude",
  "rm -f .git/info/exclude",
  "echo 'new*' > ../ignored; git config core.excludesFile ../ignored",
  "echo 'none' > ../ignored",
  "git config --unset core.excludesFile",
  "mkdir -p ~/.config/git; echo 'new*' > ~/.config/git/ignore",
  "rm -f ~/.config/git/ignore",
  "echo '*.txt text eol=crlf' > .gitattributes",
  "echo '*.txt filter=none' > .gitattributes",
  "echo '*.txt -text' > .git/info/attributes",
  "rm -f .gitattributes .git/info/attributes",
  "printf 'line\\r\\n' > a.txt",
  // Settings at every level.
  "git config core.autocrlf true",
  "git config core.fileMode false",
  "git config --unset-all core.fileMode",
  "git config core.ignoreCase true",
  "git config core.trustctime false",
  "git config core.checkStat minimal",
  "git config core.autocrlf false",
  "git config status.showUntrackedFiles no",
  "git config --global core.fileMode false",
  "git config --global --unset-all core.fileMode",
  "git config --global core.excludesFile '~/excluded'; echo 'new*' > ~/excluded",
  "rm -f ~/excluded",
  "git config --global --unset-all core.excludesFile",
  "git config --global include.path more; git config -f ~/more core.fileMode false",
  "git config -f ~/more core.fileMode false",
  "git config -f ~/more core.excludesFile ~/excluded",
  "rm -f ~/more",
  "git config -f $GIT_CONFIG_SYSTEM core.fileMode false",
  "rm -f $GIT_CONFIG_SYSTEM",
  "git config extensions.worktreeConfig true; git config --worktree core.fileMode false",
  "git config --worktree core.fileMode true",
  "git config --worktree core.fileMode false",
  "git config includeIf.onbranch:side.path ../onside; git config -f onside core.fileMode false",
  "git config status.renames false",
  "git config diff.renames copies",
  "git config --unset-all status.renames",
  "echo '[broken' >> .git/config.worktree",
  "rm -f .git/config.worktree",
  // The index.
  "git add -A",
  "git add -N .",
  "git reset -q",
  "git rm -q --cached a.txt",
  "git update-index --assume-unchanged a.txt",
  "git update-index --no-assume-unchanged a.txt",
  "git update-index --skip-worktree dir/b.txt",
  "git update-index --no-skip-worktree dir/b.txt",
  "git update-index --index-version 4",
  "git update-index --split-index",
  "git update-index --no-split-index",
  "git update-index --untracked-cache",
  "git update-index --refresh -q",
  "git status -s",
  "git sparse-checkout set dir",
  "git sparse-checkout disable",
  // Commits and refs.
  "git commit -qam Deed$i",
  "git commit -q --allow-empty -m Deed$i",
  "git commit -q --amend -m Deed$i",
  "git reset -q --soft HEAD~1",
  "git reset -q --hard HEAD~1",
  "git reset -q --hard origin/main",
  "git switch -q -C side",
  "git switch -q main",
  "git switch -q --detach",
  "git switch -q --orphan none$i",
  "git branch -f b$((i % 3)) HEAD",
  "git branch -D b$((i % 3))",
  "git branch -q -u origin/main",
  "git branch -q --unset-upstream",
  "git update-ref refs/remotes/origin/main HEAD",
  "git update-ref -d refs/remotes/origin/main",
  "git fetch -q",
  "git push -q origin HEAD:main --force",
  "git tag -f t$((i % 3))",
  "git pack-refs --all",
  "git gc -q",
  "git repack -adq",
  "git stash push -q",
  "git stash push -qu",
  "git stash pop -q",
  "git stash drop -q",
  "git reflog expire --expire=all refs/stash; true",
  "git merge -q side -m Merge",
  "git rebase -q side",
  "git rebase --abort",
  "git merge --abort",
  "git cherry-pick side",
  "git cherry-pick --abort",
  "git replace -f HEAD HEAD~1",
  "git fetch -q --depth 1 --update-shallow",
  "git commit-graph write --reachable",
  // Whole directories.
  "git worktree add -q --force ../linked$((i % 3))",
  "git init -q nested; rm -rf nested/.git/hooks",
  "rm -rf nested",
  "git -c protocol.file.allow=always submodule add -q ../../remote.git sub",
  "git -C sub commit -q --allow-empty -m Sub",
  "rm -rf sub/.git",
  "here=$PWD; cp -a $here $here.copy && rm -rf $here && mv $here.copy $here",
  "mv .git ../git$$ && mv ../git$$ .git",
  "mv .git ../aside; true",
  "mv ../aside .git",
  "printf '0000' > .git/index; true",
  "rm -f .git/index",
  "rm -f .git/MERGE_HEAD .git/index.lock",
];

/** What is asked of a clone, as plain data. */
type Question = (git: Git, clone: string, system: System) => Promise<unknown>;

/** Everything that a look finds out. */
const inspected: Question = async (git, clone, system) => {
  const { repo } = snapshot({ repo: { path: "one", url: "../../remote.git" } });
  return await inspectRepos(
    { system, git, jobs: 1, report: rememberingReporter() },
    { workspace: dirname(clone), repos: [repo], state: null },
    { others: true },
  );
};

const status: Question = (git, clone) => git.at(clone).status();

const QUESTIONS: readonly Question[] = [
  inspected,
  status,
  (git, clone) => git.at(clone).status("all"),
  (git, clone) => git.at(clone).history.unpushedCount(),
  (git, clone) => git.at(clone).stashes.list(),
  (git, clone) => git.at(clone).refs.list([]),
  (git, clone) => git.at(clone).part(Checkpoints).take(BOUNDS),
];

const BOUNDS: Parameters<Checkpoints["take"]>[0] = {
  ...{ fileBytes: 1_000, allBytes: 1_000, untracked: true },
  isExcluded: () => false,
};

/** Every clone is as it was sealed. */
const SEALED: GitGuard = {
  before: () => Promise.resolve(null),
  suspects: () => Promise.resolve(null),
  holds: () => Promise.resolve(true),
};

async function told(question: Promise<unknown>): Promise<unknown> {
  try {
    return await question;
  } catch (error) {
    return String(error);
  }
}

/** How long after a change another one surely gets another time. */
const REST_MS = 40;

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS));
}

/** A home and a clone with work of every kind. */
class Place {
  readonly directory: string;
  readonly clone: string;
  readonly direct: Git;
  readonly #system: System;
  readonly #env: Readonly<Record<string, string>>;
  readonly #warnings: string[] = [];

  private constructor(directory: string) {
    this.directory = directory;
    this.clone = join(directory, "clones", "one");
    this.#env = {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: join(directory, "home"),
      GIT_CONFIG_SYSTEM: join(directory, "system"),
      GIT_AUTHOR_NAME: "Tester",
      GIT_AUTHOR_EMAIL: "tester@example.invalid",
      GIT_COMMITTER_NAME: "Tester",
      GIT_COMMITTER_EMAIL: "tester@example.invalid",
      GIT_CEILING_DIRECTORIES: directory,
      GIT_EDITOR: "true",
      GIT_DEFAULT_REF_FORMAT: Deno.env.get("GIT_DEFAULT_REF_FORMAT") ?? "files",
    };
    this.#system = systemIn({ cwd: directory, env: this.#env, program: () => ["amof"] });
    this.direct = new Git(this.#system);
  }

  /** The place that all others are copies of. */
  static async first(directory: string): Promise<Place> {
    const place = new Place(directory);
    await Deno.mkdir(join(directory, "home", ".config", "git"), { recursive: true });
    const made = await place.sh(
      `git init -q -b main seed && cd seed && mkdir dir &&
      echo 0000 > a.txt && echo b > dir/b.txt && echo '*.o' > .gitignore &&
      git add -A && git commit -qm Begin && echo 0001 > a.txt && git commit -qam Second &&
      git clone -q --bare . ../remote.git && mkdir ../clones &&
      git clone -q ../remote.git ../clones/one && cd ../clones/one &&
      git config remote.origin.url ../../remote.git &&
      git switch -q -c side && echo 0002 > a.txt && git commit -qam Side && git switch -q main &&
      git branch b1 && git tag t1 &&
      echo > dir/b.txt && git stash push -q && echo new > new1.txt && echo > new2.md &&
      mkdir build && echo > build/out.o && echo > out.o && echo b2 > dir/b.txt &&
      echo none > ~/.config/git/ignore && echo none > ~/excluded &&
      git config -f ~/more core.fileMode true && git config --global include.path more &&
      git config extensions.worktreeConfig true &&
      git config --unset core.fileMode && chmod +x .gitignore &&
      git config --global core.excludesFile '~/excluded' && echo none > .git/info/exclude`,
      directory,
    );
    assertEquals(made, 0);
    return place;
  }

  async copy(name: string): Promise<Place> {
    const directory = join(this.directory, "..", name);
    const { success } = await new Deno.Command("cp", { args: ["-a", this.directory, directory] })
      .output();
    assert(success);
    return new Place(directory);
  }

  async sh(script: string, cwd = this.clone): Promise<number> {
    await Deno.mkdir(cwd, { recursive: true });
    const env = { ...this.#env };
    const bash = new Deno.Command("bash", {
      args: ["-c", script],
      cwd,
      env,
      clearEnv: true,
      stdin: "null",
    });
    return (await bash.output()).code;
  }

  /** Asks as a program of its own, whose clock may be behind; answers how many answers it took from memory. */
  async look(question: Question, why: string, behindMs = 0): Promise<number> {
    const clock = { ...this.#system.clock, now: () => Date.now() - behindMs };
    const books = join(this.directory, "books");
    const world = { ...this.#system, clock };
    const verdicts = new Verdicts(world, () => books, (line) => this.#warnings.push(line));
    const ask = (git: Git) => told(question(git.guarded(SEALED), this.clone, world));
    const said = await ask(this.direct.remembering(verdicts));
    await verdicts.keep();
    assertEquals(said, await ask(this.direct), why);
    assertEquals(this.#warnings, [], why);
    return verdicts.counts.remembered - verdicts.counts.compared;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** Elsewhere nothing is remembered. */
const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "each thing that may be done in a clone is noticed",
  ignore,
  async fn() {
    await using world = await World.make();
    const first = await Place.first(join(world.directory, "first"));
    const deeds = [...new Set(DEEDS)];
    let remembered = 0;
    const chosen = third(deeds, 0);
    await inPool(4, chosen, async (deed) => {
      await using place = await first.copy(`place${deeds.indexOf(deed)}`);
      await rest();
      for (const question of QUESTIONS) await place.look(question, "at first");
      for (const question of QUESTIONS) await place.look(question, "for the second time");
      for (const question of QUESTIONS) {
        remembered += await place.look(question, "nothing was done");
      }
      await place.sh(`i=1; ${deed}`);
      for (const question of QUESTIONS) await place.look(question, deed);
      for (const question of QUESTIONS) await place.look(question, deed);
      await rest();
      for (const question of QUESTIONS) await place.look(question, deed);
      for (const question of QUESTIONS) await place.look(question, deed);
    });
    // At some turns git is asked all the same.
    const all = chosen.length * QUESTIONS.length;
    assert(remembered > all / 4, `${remembered} of ${all} answers were remembered`);
  },
});

const STEP = fc.record({
  deed: fc.constantFrom(...DEEDS),
  rests: fc.integer({ min: 0, max: 3 }).map((one) => one > 0),
  behindMs: fc.integer({ min: 0, max: 30 }).map((one) => one === 0 ? 3_600_000 : 0),
});

Deno.test({
  name: "what is remembered of a clone is what git says of it, whatever was done there before",
  ignore,
  async fn() {
    await using world = await World.make();
    const first = await Place.first(join(world.directory, "first"));
    const histories = fc.sample(
      fc.array(STEP, { minLength: 10, maxLength: 10 }),
      cases(2_000, 8),
    );
    let [steps, remembered] = [0, 0];
    await inPool(2, histories.map((history, index) => ({ history, index })), async (one) => {
      await using place = await first.copy(`place${one.index}`);
      await rest();
      for (const [index, { deed, rests, behindMs }] of one.history.entries()) {
        const why = one.history.slice(0, index + 1).map((step) => JSON.stringify(step)).join("\n");
        const often = (one.index + index) % 13;
        const question = (often < 4 ? inspected : QUESTIONS[often - 4]) ?? status;
        await place.look(question, why);
        await place.look(question, why);
        await place.sh(`i=${index}; ${deed}`);
        if (rests) await rest();
        await place.look(question, why, behindMs);
        await place.look(question, why, behindMs);
        remembered += await place.look(question, why);
        steps++;
      }
    });
    // A memory that never says anything is never wrong.
    assert(remembered > steps / 8, `${remembered} answers were remembered in ${steps} steps`);
  },
});

Deno.test({
  name: "what is written while git looks is not taken for what git saw",
  ignore,
  async fn() {
    await using world = await World.make();
    await using place = await Place.first(join(world.directory, "first"));
    const file = join(place.clone, "a.txt");
    for (let round = 0; round < cases(500, 40); round++) {
      await Deno.writeTextFile(file, "0001\n");
      await rest();
      await place.look(status, `round ${round}`);
      let isLooking = true;
      const looking = place.look(status, `round ${round}`).catch(() => 0)
        .finally(() => isLooking = false);
      await new Promise((resolve) => setTimeout(resolve, round % 8));
      // As large as before.
      if (isLooking) await Deno.writeTextFile(file, `000${round % 10}\n`);
      await looking;
      await place.look(status, `round ${round}`);
      await rest();
      for (let look = 0; look < 3; look++) await place.look(status, `round ${round}`);
    }
  },
});
