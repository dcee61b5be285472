// Covers Git.mendFastForward(): what a cut-off fast-forward wrote is taken back, what somebody else wrote stays.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Git } from "../../../../src/git/mod.ts";
import { World } from "../../../support/world.ts";
import { hermetic } from "../../_support.ts";

const NEW = "new, and long enough to be cut off\n";

/** A repository at a commit, and the next one, which changes, adds, deletes and links files. */
async function repository(world: World): Promise<{ path: string; next: string }> {
  const path = join(world.directory, "repo");
  const git = (...args: string[]) => world.git(path, ...args);
  await Deno.mkdir(join(path, "deep"), { recursive: true });
  await git("init", "--quiet", "--initial-branch=main");
  await Deno.writeTextFile(join(path, "changed.txt"), "old\n");
  await Deno.writeTextFile(join(path, "deleted.txt"), "old\n");
  await Deno.writeTextFile(join(path, "other.txt"), "other\n");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "Old");
  const old = await git("rev-parse", "HEAD");
  await Deno.writeTextFile(join(path, "changed.txt"), NEW);
  await Deno.writeTextFile(join(path, "deep", "added [1].txt"), NEW);
  await Deno.remove(join(path, "deleted.txt"));
  await Deno.symlink("changed.txt", join(path, "link"));
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "New");
  const next = await git("rev-parse", "HEAD");
  await git("reset", "--quiet", "--hard", old);
  return { path, next };
}

function status(world: World, path: string): Promise<string> {
  return world.git(path, "status", "--porcelain", "--untracked-files=all");
}

Deno.test("Git.mendFastForward() takes back files that git had written, wholly or in part", async () => {
  await using world = await World.make();
  const { path, next } = await repository(world);
  await Deno.writeTextFile(join(path, "changed.txt"), NEW.slice(0, 9));
  await Deno.mkdir(join(path, "deep"), { recursive: true });
  await Deno.writeTextFile(join(path, "deep", "added [1].txt"), "");
  await Deno.symlink("changed.txt", join(path, "link"));
  await Deno.remove(join(path, "deleted.txt"));
  await Deno.writeTextFile(join(path, "mine.txt"), "mine\n");
  const git = new Git(hermetic(world));
  const { mended, left } = await git.at(path).mendFastForward(next);
  assertEquals([...mended].sort(), ["changed.txt", "deep/added [1].txt", "deleted.txt", "link"]);
  assertEquals(left, []);
  assertEquals(await status(world, path), "?? mine.txt");
  await world.git(path, "merge", "--quiet", "--ff-only", next);
});

Deno.test("Git.mendFastForward() takes back an index that was ahead of its branch", async () => {
  await using world = await World.make();
  const { path, next } = await repository(world);
  await world.git(path, "read-tree", "-u", "-m", "HEAD", next);
  const { left } = await new Git(hermetic(world)).at(path).mendFastForward(next);
  assertEquals([left, await status(world, path)], [[], ""]);
});

Deno.test("Git.mendFastForward() leaves alone what somebody has written since", async () => {
  await using world = await World.make();
  const { path, next } = await repository(world);
  await Deno.writeTextFile(join(path, "changed.txt"), "mine\n");
  await Deno.mkdir(join(path, "deep"), { recursive: true });
  await Deno.writeTextFile(join(path, "deep", "added [1].txt"), `${NEW}and mine\n`);
  const { mended, left } = await new Git(hermetic(world)).at(path).mendFastForward(next);
  assertEquals([mended, [...left].sort()], [[], ["changed.txt", "deep/added [1].txt"]]);
  assertEquals(await Deno.readTextFile(join(path, "changed.txt")), "mine\n");
});

Deno.test("Git.mendFastForward() does nothing where nothing was cut off", async () => {
  await using world = await World.make();
  const { path, next } = await repository(world);
  await Deno.writeTextFile(join(path, "other.txt"), "mine\n");
  const found = await new Git(hermetic(world)).at(path).mendFastForward(next);
  assertEquals(found, { mended: [], left: [] });
  assertEquals(await status(world, path), " M other.txt");
});
