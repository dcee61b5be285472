/** Which root a file belongs to (PACK-10). */

import { pathBelow } from "../../../base/paths.ts";
import type { TargetName } from "../names.ts";

/** The root of a target that lies nearest above a path, or null when none does. */
export function rootOf<R extends { readonly target: TargetName; readonly root: string }>(
  roots: readonly R[],
  target: TargetName,
  path: string,
): R | null {
  let nearest: R | null = null;
  for (const candidate of roots) {
    if (candidate.target !== target || pathBelow(candidate.root, path) === null) continue;
    if (nearest === null || candidate.root.length > nearest.root.length) nearest = candidate;
  }
  return nearest;
}

/** One text for a target and a path, for maps. */
export function fileKey(target: TargetName, path: string): string {
  return `${target}\0${path}`;
}
