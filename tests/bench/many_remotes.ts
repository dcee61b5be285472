/**
 * Thousands of bare repositories, made in a few seconds: they share the files of one.
 *
 * @module
 */

import { join } from "@std/path";
import { World } from "../support/world.ts";

/** How many files each repository has, as small as those of most. */
const FILES = 20;
/** Every so many repositories one has a commit of its own. */
const OWN = 10;

/** The names of the repositories of {@linkcode manyRemotes}. */
export function namesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `repo${String(index).padStart(4, "0")}`);
}

/** Makes the repository that all others are copies of; answers where it lies. */
async function first(world: World): Promise<string> {
  const [seed, bare] = [join(world.directory, "seed"), join(world.directory, "first.git")];
  await world.git(world.directory, "init", "--quiet", "--initial-branch=main", seed);
  for (let index = 0; index < FILES; index++) {
    await Deno.writeTextFile(join(seed, `file${index}.txt`), `line of file ${index}\n`.repeat(20));
  }
  await world.git(seed, "add", ".");
  await world.git(seed, "commit", "--quiet", "-m", "Begin");
  await world.git(world.directory, "clone", "--quiet", "--bare", "--template=", seed, bare);
  await world.git(bare, "repack", "-adq");
  return bare;
}

/** Gives repositories a commit that no other has, each in one shell. */
async function ownCommits(world: World, names: readonly string[]): Promise<void> {
  const line = 'cd "$1" && commit=$(git commit-tree -p main -m "Own $1" "main^{tree}") && ' +
    'git update-ref refs/heads/main "$commit"';
  const ran = await world.command(
    "xargs",
    ["-P", "4", "-I{}", "sh", "-c", line, "sh", "{}.git"],
    { cwd: world.remotes, stdin: `${names.join("\n")}\n` },
  );
  if (ran.code !== 0) throw new Error(`Cannot make commits: ${ran.stderr}`);
}

/** A world with an ecosystem `demo` over so many bare repositories, which nobody has installed. */
export async function manyRemotes(count: number): Promise<World> {
  const world = await World.make();
  await world.makeControl();
  const names = namesOf(count);
  const bare = await first(world);
  const list = `${names.map((name) => `${name}.git`).join("\n")}\n`;
  await Deno.mkdir(world.remotes);
  // Hard links: git never writes into a file that it has.
  const copied = await world.command("xargs", ["-I{}", "cp", "-al", bare, "{}"], {
    cwd: world.remotes,
    stdin: list,
  });
  if (copied.code !== 0) throw new Error(`Cannot copy ${bare}: ${copied.stderr}`);
  await ownCommits(world, names.filter((_, index) => index % OWN === 0));
  const lines = names.flatMap((name) => [
    `  - name: ${name}`,
    `    url: ${world.url(name)}`,
    "    branch: main",
  ]);
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    `name: demo\ndescription: Many\nrepos:\n${lines.join("\n")}\n`,
  );
  await world.git(world.control, "add", ".");
  await world.git(world.control, "commit", "--quiet", "-m", "Add demo");
  return world;
}
