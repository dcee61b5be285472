/**
 * Worlds in which something can be released.
 *
 * @module
 */

import { join } from "@std/path";
import { World } from "./world.ts";

/** The changelog a repository begins with. */
export const CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n- Something new\n";

/** Gives a repository a bare remote named `origin` and sends everything there; answers where it is. */
export async function giveRemote(world: World, directory: string, name: string): Promise<string> {
  const bare = join(world.remotes, `${name}.git`);
  await Deno.mkdir(bare, { recursive: true });
  await world.git(bare, "init", "--quiet", "--bare", "--initial-branch=main");
  await world.git(directory, "remote", "add", "origin", bare);
  await world.git(directory, "push", "--quiet", "--set-upstream", "origin", "main", "--tags");
  return bare;
}

/**
 * A control repository with the release v0.1.0, a package.json, a changelog with news, a README with a status
 * line, one commit since, and a remote that has all of it.
 */
export function releaseWorld(): Promise<World> {
  return World.common("release", prepareRelease);
}

/** Makes out of an empty world what {@linkcode releaseWorld} is. */
export async function prepareRelease(world: World): Promise<void> {
  await world.makeControl();
  await world.addEcosystem("demo", { repos: [] });
  await world.write("control/package.json", '{\n  "name": "shop",\n  "version": "0.1.0"\n}\n');
  await world.write("control/README.md", "# Shop\n\n**Current status:** v0.1.0, in use\n");
  await world.git(world.control, "add", ".");
  await world.git(world.control, "commit", "--quiet", "-m", "Prepare");
  await world.git(world.control, "tag", "--annotate", "-m", "Release v0.1.0", "v0.1.0");
  await world.write("control/CHANGELOG.md", CHANGELOG);
  await world.git(world.control, "add", ".");
  await world.git(world.control, "commit", "--quiet", "-m", "Add a changelog");
  await giveRemote(world, world.control, "control");
}

/**
 * An installed ecosystem whose repositories have a release v1.0.0 with a VERSION file, and a commit since; those
 * in `unchanged` have none. The control repository is clean.
 */
export function trainWorld(
  repos: readonly string[],
  unchanged: readonly string[] = [],
): Promise<World> {
  return World.common(`train ${JSON.stringify({ repos, unchanged })}`, async (world) => {
    await world.makeInstalled({ repos });
    for (const repo of repos) {
      const clone = world.clone(repo);
      await Deno.writeTextFile(join(clone, "VERSION"), "1.0.0\n");
      await world.git(clone, "add", ".");
      await world.git(clone, "commit", "--quiet", "-m", "Carry a version");
      await world.git(clone, "tag", "--annotate", "-m", "Release v1.0.0", "v1.0.0");
      if (!unchanged.includes(repo)) {
        await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", `Work on ${repo}`);
      }
      await world.git(clone, "push", "--quiet", "origin", "main", "v1.0.0");
    }
  });
}
