/**
 * Worlds in which the mutating commands have something to do.
 *
 * @module
 */

import { join } from "@std/path";
import { World } from "../support/world.ts";
import { must } from "./victim.ts";

/** The repositories of the ecosystem. */
export const REPOS = { repos: ["api", "web"] };

/** Puts all kinds of unfinished work into a clone: staged, changed, new, new and staged, deleted, ignored. */
export async function litter(world: World, repo: string, ecosystem = "demo"): Promise<void> {
  const clone = world.clone(repo, ecosystem);
  const write = (name: string, text: string) => Deno.writeTextFile(join(clone, name), text);
  await write("README.md", `# ${repo}, changed\n`);
  await world.git(clone, "add", "README.md");
  await write("README.md", `# ${repo}, changed twice\n`);
  await write("new.txt", "new\n");
  await write("staged.txt", "staged\n");
  await world.git(clone, "add", "staged.txt");
  await Deno.remove(join(clone, "gone.txt"));
}

/** An installed ecosystem whose repositories have three files. */
export async function plainWorld(): Promise<World> {
  const world = await World.withEcosystem(REPOS);
  for (const repo of REPOS.repos) {
    const seed = join(world.directory, "seed", repo);
    await Deno.writeTextFile(join(seed, "gone.txt"), "to be deleted\n");
    await world.git(seed, "add", ".");
    await world.git(seed, "commit", "--quiet", "-m", "Add a file");
    await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
  }
  await world.install();
  return world;
}

/** The same with a ticket on which there is a commit that is nowhere else. */
export async function atWork(): Promise<World> {
  const world = await plainWorld();
  await must(world, "ticket", "start", "T-1");
  await Deno.writeTextFile(join(world.clone("api"), "work.txt"), "work\n");
  await world.git(world.clone("api"), "add", ".");
  await world.git(world.clone("api"), "commit", "--quiet", "-m", "Work");
  return world;
}

/** Others push a new file to every base branch. */
export async function news(world: World): Promise<void> {
  for (const repo of REPOS.repos) {
    const seed = join(world.directory, "seed", repo);
    await Deno.writeTextFile(join(seed, "news.txt"), "news\n");
    await world.git(seed, "add", ".");
    await world.git(seed, "commit", "--quiet", "-m", "News");
    await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
  }
}

/** Repositories with news on the remotes and a new file of the user. */
export async function behind(): Promise<World> {
  const world = await plainWorld();
  await news(world);
  await Deno.writeTextFile(join(world.clone("web"), "mine.txt"), "mine\n");
  return world;
}
