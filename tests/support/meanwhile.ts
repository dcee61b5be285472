/**
 * Somebody who commits while a command is at work.
 *
 * @module
 */

import { join } from "@std/path";
import type { World } from "./world.ts";

/** An environment in which somebody commits once in a clone, right before the first call of git that has a word in it. */
export async function commitBefore(
  world: World,
  { clone, word }: { readonly clone: string; readonly word: string },
): Promise<Record<string, string>> {
  const once = join(world.directory, "committed-meanwhile");
  return await world.wrapGit(`case "$*" in *"${word}"*)
  if mkdir '${once}' 2>/dev/null; then
    command -p git -C '${clone}' commit -q --allow-empty -m Mine >&2 || exit 99
  fi ;;
esac`);
}
