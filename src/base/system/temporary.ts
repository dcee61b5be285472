/**
 * What the temporary files of this program are called and where they lie, so that whoever finds one knows whose it is.
 */

/** The directory inside a git directory in which files of that working copy are prepared. */
export const STAGING = "amof";

/** The file in {@linkcode STAGING} by which processes take turns in a repository. */
export const TURN_LOCK = "turn.lock";

const STAGED = /^(\d+)-[0-9a-f-]{36}$/;
const BESIDE = /^\.amof-(\d+)-[0-9a-f-]{36}\.tmp$/;

/** The number of the process that made a temporary file, told by its name; null for any other file. */
export function writerOf(name: string, where: "staged" | "beside"): number | null {
  const pid = (where === "staged" ? STAGED : BESIDE).exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

/** The pathspec of temporary files that had to lie beside their targets. */
export const BESIDE_PATHS = ":(top,glob)**/.amof-*.tmp";

/** What git must leave out of every commit: the same files. */
export const NEVER_COMMITTED = ":(exclude,top,glob)**/.amof-*.tmp";
