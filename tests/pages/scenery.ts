/**
 * What pages of the server are shown with: ecosystems whose repositories stand in every way, runs, releases, requests.
 *
 * @module
 */

import { join } from "@std/path";
import type { World } from "../support/world.ts";

/** The repositories of the usual ecosystem. */
export const SIX = ["api", "billing", "docs", "gateway", "search", "web"] as const;

/** Commits a file in a clone. */
async function commit(world: World, directory: string, file: string, subject: string) {
  await Deno.writeTextFile(join(directory, file), `${subject}\n`);
  await world.git(directory, "add", file);
  await world.git(directory, "commit", "--quiet", "-m", subject);
}

/** Makes the control repository and an installed ecosystem, nothing of it changed. */
export async function install(world: World, name: string, repos: readonly string[]): Promise<void> {
  await world.makeControl();
  await world.addEcosystem(name, {
    repos,
    readonly: ["docs"].filter((repo) => repos.includes(repo)),
  });
  await world.install(name);
}

/** Makes repositories of an installed ecosystem dirty, ahead, behind, in conflict, detached, and elsewhere. */
export async function disorder(world: World, name: string): Promise<void> {
  const clone = (repo: string) => world.clone(repo, name);
  await Deno.writeTextFile(join(clone("api"), "README.md"), "# Changed\n");
  await Deno.writeTextFile(join(clone("api"), "new.txt"), "new\n");
  await commit(world, clone("billing"), "tax.ts", "Round taxes per line");
  await commit(world, clone("billing"), "tax_test.ts", "Test the rounding of taxes");
  await commit(world, join(world.directory, "seed", "search"), "index.ts", "Index titles first");
  await world.git(
    join(world.directory, "seed", "search"),
    "push",
    "--quiet",
    join(world.remotes, "search.git"),
    "main",
  );
  await world.git(clone("search"), "fetch", "--quiet");
  await Deno.remove(clone("gateway"), { recursive: true });
  await world.git(clone("web"), "checkout", "--quiet", "-b", "feature/SHOP-142");
}

/** Leaves runs of several kinds behind. */
export async function activity(world: World, name: string): Promise<void> {
  await world.amof(["-e", name, "sync", "--quiet", "--repo", "api,billing,search"]);
  await world.amof(["-e", name, "exec", "--quiet", "--", "git", "log", "-1", "--oneline"]);
  await world.amof(["-e", name, "exec", "--quiet", "--repo", "api", "--", "false"]);
}
