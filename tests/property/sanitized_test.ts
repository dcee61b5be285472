/**
 * What is read by the stand-in of a clone is what is read in the clone (SEAL-3).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Git, type GitGuard } from "../../src/git/mod.ts";
import { writeSanitized } from "../../src/git/changing.ts";
import { Everything } from "../../src/git/read/mod.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import fc from "../support/fast_check.ts";
import { World } from "../support/world.ts";

/** What may have been done in a repository, as lines for a shell. */
const DEEDS = fc.constantFrom(
  "echo $i > a.txt",
  "mkdir -p dir; echo $i > dir/b.txt",
  "echo $i > 'odd \"name'",
  "git add -A",
  "git add -N .",
  "git commit -qm Deed$i",
  "git stash push -q",
  "git stash push -qu",
  "git branch b$i",
  "git branch -q b/c$i",
  "git tag t$i",
  "git tag -am Tag v$i",
  "git switch -q -c s$i",
  "git switch -q --detach",
  "git switch -q main",
  "git pack-refs --all",
  "git rm -q --cached a.txt",
  "git mv a.txt moved$i.txt",
  "rm -f a.txt",
  "git update-index --assume-unchanged dir/b.txt",
  "git branch -q --set-upstream-to=main",
  "git merge -q b$((i - 2)) -m Merge",
  "git update-index --split-index",
  "git update-index --index-version 4",
);

/** Everything that is asked of repositories, as plain data. */
async function answers(git: Git, directory: string): Promise<unknown> {
  const repository = git.at(directory);
  const told = async (question: Promise<unknown>) => {
    try {
      return await question;
    } catch (error) {
      return String(error);
    }
  };
  return [
    await told(repository.status("all")),
    await told(repository.stashes.list()),
    await told(repository.refs.list([])),
    await told(repository.refs.resolve("HEAD")),
    await told(repository.part(Everything).index()),
    await told(repository.history.unpushedCount()),
  ];
}

Deno.test({
  name: "every question is answered by the stand-in of a clone as by the clone itself",
  ignore: Deno.build.os === "windows", // a script
  async fn() {
    await using world = await World.make();
    const system = realSystem();
    const histories = fc.sample(fc.array(DEEDS, { minLength: 4, maxLength: 16 }), 12);
    for (const [index, deeds] of histories.entries()) {
      const clone = join(world.directory, `clone${index}`);
      const sanitized = join(world.directory, `sanitized${index}`);
      const lines = deeds.map((deed, at) => `i=${at}; ${deed}`).join("\n");
      const script = `git init -q -b main '${clone}' && cd '${clone}' || exit 1
        echo begin > a.txt; git add -A; git commit -qm Begin\n${lines}\nexit 0`;
      const made = await world.command("bash", ["-c", script]);
      assertEquals(made.code, 0, made.stderr);
      const direct = new Git(system);
      const keys = await direct.at(world.directory).configFile(join(clone, ".git", "config"));
      await writeSanitized(system, { clone, sanitized, keys: keys ?? new Map() });
      const guard: GitGuard = {
        before: () => Promise.resolve({ sanitized }),
        suspects: () => Promise.resolve(null),
        holds: () => Promise.resolve(false),
      };
      assertEquals(
        await answers(direct.guarded(guard), clone),
        await answers(direct, clone),
        deeds.join("\n"),
      );
    }
  },
});
