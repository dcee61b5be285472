/**
 * Repositories for the tests of git, made by the installed one.
 *
 * @module
 */

import { join } from "@std/path";
import { Git } from "../../../src/git/mod.ts";
import { World } from "../../support/world.ts";
import { hermetic } from "../_support.ts";

/** Passes over every line. */
export const nothing = (): void => {};

/** The git of a world, with more in its environment. */
export const gitIn = (world: World, extra: Record<string, string> = {}): Git =>
  new Git(hermetic(world, extra));

/** Commits a file; answers the commit. */
export async function commit(
  world: World,
  path: string,
  file = "file.txt",
  text = "one\n",
): Promise<string> {
  await Deno.writeTextFile(join(path, file), text);
  await world.git(path, "add", "--all");
  await world.git(path, "commit", "--quiet", "-m", `Write ${file}`);
  return await world.git(path, "rev-parse", "HEAD");
}

/** A repository on main with one commit of `file.txt`, and its path. */
export async function repository(world: World, name = "repo"): Promise<string> {
  const path = join(world.directory, name);
  await Deno.mkdir(path, { recursive: true });
  await world.git(path, "init", "--quiet", "--initial-branch=main");
  await commit(world, path);
  return path;
}

/** A clone of a remote with one commit on main; answers its path. */
export async function clone(world: World, name = "clone"): Promise<string> {
  await world.addRemote("api");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), name);
  return join(world.directory, name);
}

/** The remote of {@linkcode clone}. */
export const bare = (world: World): string => join(world.remotes, "api.git");
