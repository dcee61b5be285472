/**
 * Effects that programs on an engine have on remotes, and how often they were had.
 *
 * @module
 */

import { join } from "@std/path";
import type { World } from "../support/world.ts";

/** What to run in a shell for an effect that may be had once: who comes second finds it, and is content. */
export const EFFECT = "git -c user.name=A -c user.email=a@example.invalid commit --quiet " +
  '--allow-empty -m "by $$"; git push --quiet --force-with-lease=refs/heads/done: origin ' +
  'HEAD:refs/heads/done || git ls-remote --exit-code "$url" refs/heads/done >/dev/null; ';

/** How many commits the effect of a repository consists of. */
export async function effects(world: World, repo: string): Promise<number> {
  const bare = join(world.remotes, `${repo}.git`);
  return Number(await world.git(bare, "rev-list", "--count", "main..done"));
}
