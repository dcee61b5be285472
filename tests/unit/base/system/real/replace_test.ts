// Replacing files: where they are prepared, and what others may do to that.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { basename, dirname, join } from "@std/path";
import { replaceFile } from "../../../../../src/base/system/real/replace.ts";
import { writerOf } from "../../../../../src/base/system/layout.ts";
import { World } from "../../../../support/world.ts";
import { temporaryDirectory } from "../../../_support.ts";

async function names(directory: string): Promise<string[]> {
  const found = [];
  for await (const { name } of Deno.readDir(directory)) found.push(name);
  return found.sort();
}

/** Writes a text and remembers where. */
function writer(text: string, places: string[]): (path: string) => Promise<void> {
  return async (path) => {
    places.push(path);
    await Deno.writeTextFile(path, text, { createNew: true });
  };
}

Deno.test("replaceFile() prepares a file of a working copy inside its git directory", async () => {
  await using world = await World.make();
  await world.makeControl();
  const linked = join(world.directory, "linked");
  await world.git(world.control, "worktree", "add", "--quiet", linked);
  for (const directory of [world.control, linked]) {
    const git = await world.git(directory, "rev-parse", "--absolute-git-dir");
    const places: string[] = [];
    await replaceFile(join(directory, "a", "VERSION"), undefined, writer("1\n", places));
    assertEquals(await Deno.readTextFile(join(directory, "a", "VERSION")), "1\n");
    assertEquals(places.map(dirname), [join(git, "amof")]);
    assertEquals(writerOf(basename(places[0] ?? ""), "staged"), Deno.pid);
    assertEquals(await names(join(git, "amof")), []);
  }
});

Deno.test("replaceFile() prepares a file beside its place where there is no usable git directory", async () => {
  await using world = await World.make();
  await world.makeControl();
  await Deno.writeTextFile(join(world.control, ".git", "amof"), "in the way");
  for (const directory of [world.control, join(world.directory, "home")]) {
    const places: string[] = [];
    await replaceFile(join(directory, "VERSION"), 0o600, writer("1\n", places));
    assertEquals(places.map(dirname), [directory]);
    assertEquals(writerOf(basename(places[0] ?? ""), "beside"), Deno.pid);
    assertEquals(await Deno.readTextFile(join(directory, "VERSION")), "1\n");
  }
});

Deno.test("replaceFile() writes anew when somebody removes what it prepares", async () => {
  await using world = await World.make();
  await world.makeControl();
  for (const directory of [world.control, join(world.directory, "home")]) {
    let times = 0;
    await replaceFile(join(directory, "VERSION"), undefined, async (path) => {
      if (++times === 1) return;
      await Deno.writeTextFile(path, "1\n");
    });
    assertEquals([times, await Deno.readTextFile(join(directory, "VERSION"))], [2, "1\n"]);
  }
});

Deno.test("replaceFile() fails in the name of the file, and leaves nothing", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "VERSION");
  await Deno.mkdir(path);
  const error = await assertRejects(() => replaceFile(path, undefined, writer("1\n", [])));
  assert(error instanceof Error && !error.message.includes(".amof-"), String(error));
  assertEquals(await names(directory.path), ["VERSION"]);
});
