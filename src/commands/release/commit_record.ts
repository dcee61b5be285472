/** Commits the record of what was released, alone and on its branch. */

import { dirname, join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { logLines, OF_HOOKS } from "../../git/changing.ts";
import { Releases } from "../../git/write/mod.ts";
import { recordProblem } from "./record.ts";

/** A record that is committed on a branch; a type alias, so that it counts as plain JSON. */
type Recorded = {
  readonly repo: string;
  readonly directory: string;
  readonly branch: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly text: string;
  readonly subject: string;
};

/**
 * Writes a record and commits it alone. What it tells of has happened already, so that nothing here may fail it:
 * a record that cannot be committed stays as a file, and the log says so. Answers the commit, or null.
 */
export async function commitRecord(ctx: ExecuteContext, record: Recorded): Promise<string | null> {
  const { repo, directory, branch, file, text, subject } = record;
  // The record of what was done is written also after an interrupt.
  const git = ctx.git.until();
  const warn = (why: string) => {
    ctx.report.log("warn", `${repo}: ${file} was written but not committed: ${why}`);
    return null;
  };
  const path = join(directory, file);
  const misplaced = await recordProblem(ctx.system, directory, dirname(file));
  if (misplaced !== null || (await ctx.system.files.lstat(path))?.kind === "symlink") {
    ctx.report.log("error", `${repo}: ${file} was not written: ${misplaced ?? "it is a link"}`);
    return null;
  }
  if (await ctx.system.files.readText(path) !== text) await ctx.system.files.write(path, text);
  const repository = git.at(directory, repo);
  if (await repository.branches.current() !== branch) {
    return warn(`${branch} is not checked out`);
  }
  try {
    const committed = await repository.commits.fileAt("HEAD", file);
    if (committed !== null && new TextDecoder().decode(committed) === text) {
      return await repository.refs.resolve("HEAD");
    }
    if (committed === null) return await repository.commits.paths([file], `${subject}\n`);
    await repository.part(Releases).commitFiles(
      [file],
      `${subject}\n`,
      logLines(ctx.report.log, repo, OF_HOOKS),
    );
    return await repository.refs.resolve("HEAD");
  } catch (error) {
    if (error instanceof AmofError) return warn(error.message);
    throw error;
  }
}
