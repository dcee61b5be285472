/**
 * A world in which nothing below a directory is written through a link that leads out of it (WORKSPACE-31).
 *
 * A control repository thus cannot redirect what is written to somewhere else, even when the link appears
 * between look and write. The program ensures that, so no command has to.
 */

import { dirname } from "@std/path";
import { AmofError } from "../error.ts";
import { isBelow, pathBelow } from "../paths.ts";
import { cleanLine } from "../text/sanitize.ts";
import type { Files, System } from "./mod.ts";

/**
 * The first place on the way from a directory down to a path that is not really below it, or null. The directory has no
 * links in it. What is not there yet leads nowhere.
 */
export async function linkOut(
  files: Pick<Files, "realPath" | "lstat">,
  directory: string,
  path: string,
): Promise<string | null> {
  for (let at = path; at !== directory && isBelow(directory, at); at = dirname(at)) {
    const real = await files.realPath(at);
    if (real !== null) return real === at || isBelow(directory, real) ? null : at;
    // A link that leads nowhere yet may lead anywhere later.
    if ((await files.lstat(at))?.kind === "symlink") return at;
  }
  return null;
}

/** Whether a path lies where git keeps what is its own, which may be a link for good reasons. */
function isOfGit(directory: string, path: string): boolean {
  return pathBelow(directory, path)?.split("/").includes(".git") ?? true;
}

/** Wraps a world so that every write below a directory that a link would lead out of it throws `file_failed`. */
export function within(system: System, directory: string): System {
  if (directory === "") return system;
  const { files } = system;
  const leadsOut = async (path: string) =>
    isBelow(directory, path) && !isOfGit(directory, path)
      ? await linkOut(files, directory, path)
      : null;
  async function check(path: string, place: string): Promise<void> {
    const out = await leadsOut(place);
    if (out === null) return;
    const shown = cleanLine(pathBelow(directory, out) ?? out, 200);
    throw new AmofError(
      "file_failed",
      `Cannot write ${
        cleanLine(pathBelow(directory, path) ?? path, 200)
      }: the link ${shown} leads out of the control repository`,
      {
        hint: "Put a directory or file in the place of that link, then repeat",
        details: { link: shown },
      },
    );
  }
  /** What is written to where a link may lead, too. */
  const through = (path: string) => check(path, path);
  /** What takes or frees the name alone. */
  const beside = (path: string) => check(path, dirname(path));
  const guarded: Files = {
    ...files,
    write: async (path, ...rest) => (await through(path), await files.write(path, ...rest)),
    create: async (path, ...rest) => (await through(path), await files.create(path, ...rest)),
    append: async (path, ...rest) => (await through(path), await files.append(path, ...rest)),
    copy: async (
      from,
      path,
      ...rest
    ) => (await through(path), await files.copy(from, path, ...rest)),
    duplicate: async (from, path) => (await through(path), await files.duplicate(from, path)),
    makeDirectory: async (path, ...rest) => (
      await through(path), await files.makeDirectory(path, ...rest)
    ),
    rename: async (from, to) => (
      await beside(from), await beside(to), await files.rename(from, to)
    ),
    // Nothing of this directory can be there, so there is nothing to take back either.
    remove: async (path) => await leadsOut(dirname(path)) ? false : await files.remove(path),
    removeTree: async (path) => (await beside(path), await files.removeTree(path)),
    link: async (file, path) => (await beside(path), await files.link(file, path)),
    symlink: async (target, path) => (await beside(path), await files.symlink(target, path)),
  };
  return { ...system, files: guarded };
}
