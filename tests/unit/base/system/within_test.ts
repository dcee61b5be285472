// Covers the world in which no link leads a write out of a directory.

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import type { Files } from "../../../../src/base/system/mod.ts";
import { within } from "../../../../src/base/system/within.ts";
import { realSystem } from "../../../../src/base/system/real/mod.ts";
import { World } from "../../../support/world.ts";

type Write = (files: Files, path: string, other: string) => Promise<unknown>;

/** Everything that writes, with the path it writes to. */
const WRITES: Readonly<Record<string, Write>> = {
  write: (files, path) => files.write(path, "x"),
  create: (files, path) => files.create(path, "x"),
  append: (files, path) => files.append(path, "x"),
  copy: (files, path, other) => files.copy(other, path),
  duplicate: (files, path, other) => files.duplicate(other, path),
  makeDirectory: (files, path) => files.makeDirectory(path),
  rename: (files, path, other) => files.rename(other, path),
  removeTree: (files, path) => files.removeTree(path),
  link: (files, path, other) => files.link(other, path),
  symlink: (files, path, other) => files.symlink(other, path),
};

/** A directory with links of every kind, one beside it that must stay as it is, and the world within the first. */
async function links(world: World): Promise<{ files: Files; at: (path: string) => string }> {
  const root = await Deno.realPath(world.directory);
  const at = (path: string) => join(root, path);
  await Deno.mkdir(at("inside/deep"), { recursive: true });
  await Deno.mkdir(at("outside/there"), { recursive: true });
  await Deno.writeTextFile(at("outside/kept.txt"), "kept");
  await Deno.writeTextFile(at("inside/own.txt"), "own");
  await Deno.symlink(at("outside"), at("inside/out"));
  await Deno.symlink(at("nowhere"), at("inside/lost"));
  await Deno.symlink(at("inside/deep"), at("inside/round"));
  await Deno.symlink(at("outside/kept.txt"), at("inside/leaf"));
  await Deno.symlink(at("outside"), at("inside/.git"));
  return { files: within(realSystem(), at("inside")).files, at };
}

for (const [name, write] of Object.entries(WRITES)) {
  Deno.test(`${name} follows no link out of the directory, and goes on inside of it and elsewhere`, async () => {
    await using world = await World.make();
    const { files, at } = await links(world);
    const before = await world.contents(at("outside"));
    for (const path of ["inside/out/new", "inside/out/there/new", "inside/lost/new"]) {
      const error = await assertRejects(
        () => write(files, at(path), at("inside/own.txt")),
        AmofError,
      );
      assertEquals(error.code, "file_failed");
    }
    assertEquals(await world.contents(at("outside")), before);
    for (const path of ["inside/round/new", "inside/deep/other", "elsewhere"]) {
      await Deno.writeTextFile(at("inside/own.txt"), "own");
      await write(files, at(path), at("inside/own.txt"));
    }
    // What git keeps is its own, wherever it lies.
    await Deno.writeTextFile(at("inside/own.txt"), "own");
    await write(files, at("inside/.git/new"), at("inside/own.txt"));
  });
}

Deno.test("a file that is a link out of the directory is not written through, and can be removed", async () => {
  await using world = await World.make();
  const { files, at } = await links(world);
  for (const name of ["write", "append"]) {
    await assertRejects(
      () => Promise.resolve(WRITES[name]?.(files, at("inside/leaf"), "")),
      AmofError,
    );
  }
  assertEquals(await Deno.readTextFile(at("outside/kept.txt")), "kept");
  assertEquals(await files.remove(at("inside/out/kept.txt")), false);
  assertEquals(await files.remove(at("inside/leaf")), true);
  assertEquals(await Deno.readTextFile(at("outside/kept.txt")), "kept");
});
