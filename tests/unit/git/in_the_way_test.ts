/**
 * Nothing that checks files out writes over an ignored one.
 *
 * @module
 */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../src/base/error.ts";
import { Git } from "../../../src/git/mod.ts";
import { World } from "../../support/world.ts";
import { commit, gitIn, repository } from "./_support.ts";

/** A clone whose branch `other` tracks files that are ignored here, of which some are in the way. */
async function withIgnored(world: World): Promise<string> {
  const path = await repository(world);
  await commit(world, path, ".gitignore", "secret*\nbuild\n");
  await world.git(path, "switch", "--quiet", "-c", "other");
  await Deno.writeTextFile(join(path, "secret.txt"), "theirs\n");
  await Deno.writeTextFile(join(path, "build"), "theirs\n");
  await world.git(path, "add", "--force", ".");
  await world.git(path, "commit", "--quiet", "-m", "Theirs");
  await world.git(path, "switch", "--quiet", "main");
  await Deno.writeTextFile(join(path, "secret.txt"), "mine\n");
  await Deno.mkdir(join(path, "build"));
  await Deno.writeTextFile(join(path, "build", "out"), "mine\n");
  return path;
}

const INTO_OTHER: Readonly<Record<string, (git: Git, path: string) => Promise<unknown>>> = {
  "branches.switchTo": (git, path) => git.at(path, "api").branches.switchTo("other"),
  "branches.create": (git, path) => git.at(path, "api").branches.create("new", { start: "other" }),
  "branches.fastForward": (git, path) => git.at(path, "api").branches.fastForward("other"),
  "commits.checkOut": (git, path) => git.at(path).commits.checkOut("other", "it"),
  "remotes.pull": (git, path) => git.at(path).remotes.pull({ branch: "other", remote: "self" }),
  "remotes.pull with rebase": (git, path) =>
    git.at(path).remotes.pull({ branch: "other", remote: "self", rebase: true }),
};

for (const [method, call] of Object.entries(INTO_OTHER)) {
  Deno.test(`Git.${method}() writes over no ignored file`, async () => {
    await using world = await World.make();
    const path = await withIgnored(world);
    await world.git(path, "remote", "add", "self", path);
    const head = await world.git(path, "rev-parse", "HEAD");
    const error = await assertRejects(() => call(gitIn(world), path), AmofError);
    assertMatch(error.message, /in the way: (?:build|secret\.txt)/);
    assertEquals(error.details["kind"], "in_the_way");
    assertMatch(error.hint ?? "", /move (?:them|these files) away/i);
    assertEquals(await Deno.readTextFile(join(path, "secret.txt")), "mine\n");
    assertEquals(await Deno.readTextFile(join(path, "build", "out")), "mine\n");
    assertEquals(await world.git(path, "rev-parse", "HEAD"), head);
    assertEquals(await world.git(path, "branch", "--show-current"), "main");
  });
}
