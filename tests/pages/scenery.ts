/**
 * What pages of the server are shown with: an ecosystem whose repositories stand in every way, runs, releases.
 *
 * @module
 */

import { join } from "@std/path";
import type { World } from "../support/world.ts";

/** The repositories of the usual ecosystem. */
export const SIX = ["api", "billing", "docs", "gateway", "search", "web"] as const;

/** A text that would be seen if it were taken for markup. */
export const SCRIPT = "<script>document.title='taken'</script><b>bold</b>";

async function commit(world: World, directory: string, file: string, subject: string) {
  await Deno.writeTextFile(join(directory, file), `${subject}\n`);
  await world.git(directory, "add", file);
  await world.git(directory, "commit", "--quiet", "-m", subject);
}

/** Makes the control repository and an installed ecosystem, nothing of it changed. */
export async function install(world: World, name: string, repos: readonly string[]): Promise<void> {
  const readonly = ["docs"].filter((repo) => repos.includes(repo));
  await world.makeControl();
  await world.addEcosystem(name, { repos, readonly });
  await world.install(name);
}

/** Makes repositories of an installed ecosystem dirty, ahead, behind, missing, and leaves some on other branches. */
export async function disorder(world: World, name: string, branch: string): Promise<void> {
  const clone = (repo: string) => world.clone(repo, name);
  await Deno.writeTextFile(join(clone("api"), "README.md"), "# Changed\n");
  await Deno.writeTextFile(join(clone("api"), "new.txt"), "new\n");
  await commit(world, clone("billing"), "tax.ts", "Round taxes per line");
  await commit(world, clone("billing"), "tax_test.ts", "Test the rounding of taxes");
  const seed = join(world.directory, "seed", "search");
  await commit(world, seed, "index.ts", "Index titles first");
  await world.git(seed, "push", "--quiet", join(world.remotes, "search.git"), "main");
  await world.git(clone("search"), "fetch", "--quiet");
  await Deno.remove(clone("gateway"), { recursive: true });
  await world.git(clone("web"), "checkout", "--quiet", "-b", branch);
}

/** Makes releases of the control repository, from alpha to stable and on. */
export async function releases(world: World, subjects: readonly string[]): Promise<void> {
  const tag = (name: string, subject: string) =>
    world.git(world.control, "tag", "-a", "-m", subject, name);
  await tag("v0.1.0", "First release");
  for (const name of ["v0.2.0-alpha.1", "v0.2.0-alpha.2", "v0.2.0-beta.1", "v0.2.0-rc.1"]) {
    await world.git(world.control, "commit", "--quiet", "--allow-empty", "-m", `Work for ${name}`);
    await tag(name, `Release ${name}`);
  }
  await tag("v0.2.0", "Release v0.2.0");
  await world.git(world.control, "commit", "--quiet", "--allow-empty", "-m", "Begin 0.3.0");
  await tag("v0.3.0-alpha.1", "Release v0.3.0-alpha.1");
  for (const subject of subjects) {
    await world.git(world.control, "commit", "--quiet", "--allow-empty", "-m", subject);
  }
}
