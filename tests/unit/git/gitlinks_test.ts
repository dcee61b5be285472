/**
 * Submodules are read from an index as git tells them, in every version of it.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { gitlinksIn } from "../../../src/git/seal/parts.ts";
import { World } from "../../support/world.ts";

const PATHS = ["a", "a.txt", "dir/sub", "dir/sub-2", `long/${"x".repeat(300)}`, "ä/ö", "z"];
const LINKS = ["dir/sub", `long/${"x".repeat(300)}`, "z", "ä/ö"];

Deno.test("gitlinksIn() finds the submodules of an index of each version, and none in what is no index", async () => {
  await using world = await World.make();
  const at = join(world.directory, "repo");
  for (const format of ["sha1", "sha256"]) {
    await world.git(world.directory, "init", "--quiet", `--object-format=${format}`, at);
    const bytes = format === "sha1" ? 20 : 32;
    const name = "e0".repeat(bytes);
    const infos = PATHS.flatMap((path) => [
      "--cacheinfo",
      `${LINKS.includes(path) ? "160000" : "100644"},${name},${path}`,
    ]);
    await world.git(at, "update-index", "--add", ...infos);
    for (const version of ["2", "3", "4"]) {
      await world.git(at, "update-index", "--index-version", version, "--force-write-index");
      // Only what is more than version 2 can tell makes git write version 3.
      if (version === "3") await world.git(at, "update-index", "--skip-worktree", "a");
      const index = await Deno.readFile(join(at, ".git", "index"));
      assertEquals(gitlinksIn(index, bytes).sort(), LINKS, `${format} version ${version}`);
    }
    assertEquals(gitlinksIn(new TextEncoder().encode("no index at all"), bytes), []);
    await Deno.remove(at, { recursive: true });
  }
});
