/** Where a path lies, seen from a directory. Both are absolute and, where it matters, without symbolic links. */

import { isAbsolute, relative } from "@std/path";

/** The way from a directory to a path that is it or lies in it; null when the path lies elsewhere. */
function relativeWithin(directory: string, path: string): string | null {
  const way = relative(directory, path).replaceAll("\\", "/");
  return way === ".." || way.startsWith("../") || isAbsolute(way) ? null : way;
}

/** Whether a path is a directory or lies in it. */
export function isBelow(directory: string, path: string): boolean {
  return relativeWithin(directory, path) !== null;
}

/** The path relative to a directory it lies in, with `/`; null for the directory itself and for what lies elsewhere. */
export function pathBelow(directory: string, path: string): string | null {
  return relativeWithin(directory, path) || null;
}
