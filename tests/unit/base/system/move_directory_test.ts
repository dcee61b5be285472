// Directories that are renamed to their places, also where that was cut off, or something else has come there.

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { moveDirectory } from "../../../../src/base/system/move_directory.ts";
import { World } from "../../../support/world.ts";
import { hermetic } from "../../_support.ts";

const taken = () => new AmofError("workspace_exists", "Cannot put it there");

for (
  const [what, prepare, goes] of [
    ["nothing", () => Promise.resolve(), true],
    ["an empty directory", (to) => Deno.mkdir(to), true],
    ["a directory that holds something", async (to) => {
      await Deno.mkdir(to);
      await Deno.writeTextFile(join(to, "mine"), "mine\n");
    }, false],
    ["a file", (to) => Deno.writeTextFile(to, "mine\n"), false],
    ["a link to an empty directory", async (to) => {
      await Deno.mkdir(`${to} elsewhere`);
      await Deno.symlink(`${to} elsewhere`, to);
    }, false],
  ] as readonly (readonly [string, (to: string) => Promise<void>, boolean])[]
) {
  Deno.test({
    name: `moveDirectory() ${goes ? "takes a place" : "leaves a place alone"} with ${what}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using world = await World.make();
      const [from, to] = [join(world.directory, "from"), join(world.directory, "to")];
      await Deno.mkdir(from);
      await Deno.writeTextFile(join(from, "it"), "it\n");
      await prepare(to);
      const before = await Deno.lstat(to).catch(() => null);
      const { files } = hermetic(world);
      if (goes) await moveDirectory(files, from, to, taken);
      else await assertRejects(() => moveDirectory(files, from, to, taken), AmofError);
      assertEquals(await Deno.readTextFile(join(goes ? to : from, "it")), "it\n");
      if (!goes) assertEquals((await Deno.lstat(to)).ino, before?.ino);
      // A rename that was followed by a kill is not repeated.
      if (goes) await moveDirectory(files, from, to, taken);
    },
  });
}
