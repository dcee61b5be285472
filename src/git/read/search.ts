/** Looks for text in the files of a repository. Reached as `git.at(directory).part(Search)`. */

import { AmofError } from "../../base/error.ts";
import type { ProcessResult } from "../../base/system/mod.ts";
import { gitFailure } from "../call/error.ts";
import { RepositoryPart } from "../call/part.ts";

/** The most bytes of hits that are read of one repository. */
const MOST_BYTES = 4 * 1024 * 1024;

/** A line, or a file, in which something was found. */
interface Hit {
  /** Relative to the top of the repository. */
  readonly path: string;
  /** Counted from 1; null where only files were asked for, and in what is no text. */
  readonly line: number | null;
  readonly text: string;
}

/** What to look for, and where. */
export interface SearchQuery {
  readonly pattern: string;
  /** How the pattern is read: as a regular expression of either kind, or as the text itself. */
  readonly syntax: "basic" | "extended" | "fixed";
  readonly ignoreCase: boolean;
  readonly word: boolean;
  /** Only which files. */
  readonly filesOnly: boolean;
  /** Files that git does not know, too, but for ignored ones. */
  readonly untracked: boolean;
  /** In this commit instead of the files on the disk. */
  readonly at?: string | undefined;
  /** Only in these paths, as git's path patterns; in all where there is none. */
  readonly paths: readonly string[];
}

/** What was found. */
export interface Found {
  readonly hits: readonly Hit[];
  /** Whether there was more than is read. */
  readonly cut: boolean;
}

function argumentsOf(query: SearchQuery): string[] {
  return [
    "grep",
    "--no-color",
    "--no-column",
    "--no-textconv",
    "--no-recurse-submodules",
    "--full-name",
    "--null",
    // Repositories are searched side by side already.
    "--threads=1",
    query.filesOnly ? "--files-with-matches" : "--line-number",
    { basic: "--basic-regexp", extended: "--extended-regexp", fixed: "--fixed-strings" }[
      query.syntax
    ],
    ...(query.ignoreCase ? ["--ignore-case"] : []),
    ...(query.word ? ["--word-regexp"] : []),
    ...(query.untracked ? ["--untracked", "--exclude-standard"] : []),
    "-e",
    query.pattern,
    ...(query.at === undefined ? [] : [query.at]),
    "--",
    ...query.paths,
  ];
}

/** The hits in what git printed; what was cut off in the middle of a line is left out. */
function hitsIn({ stdout, truncated }: ProcessResult, query: SearchQuery): Hit[] {
  // Of another commit every path begins with its name.
  const skip = query.at === undefined ? 0 : query.at.length + 1;
  if (query.filesOnly) {
    return stdout.split("\0").slice(0, -1)
      .map((path) => ({ path: path.slice(skip), line: null, text: "" }));
  }
  const lines = stdout.split("\n");
  return (truncated ? lines.slice(0, -1) : lines).flatMap((line): Hit[] => {
    const [path = "", number, ...text] = line.split("\0");
    if (number !== undefined) {
      return [{ path: path.slice(skip), line: Number(number), text: text.join("\0") }];
    }
    const binary = /^Binary file (.*) matches$/.exec(path)?.[1];
    return binary === undefined
      ? []
      : [{ path: binary.slice(skip), line: null, text: "(not a text file)" }];
  });
}

/** Looks for text in the files of a repository. */
export class Search extends RepositoryPart {
  /**
   * Every line that matches, in git's order; null where the commit to look in is not there. Runs no program that the
   * repository names. Throws `invalid_arguments` for a pattern that is none. One process.
   */
  async find(query: SearchQuery): Promise<Found | null> {
    const result = await this.git.run(argumentsOf(query), {
      access: "read",
      maxOutputBytes: MOST_BYTES,
    });
    if (result.exitCode === 0) return { hits: hitsIn(result, query), cut: result.truncated };
    if (result.exitCode === 1 && result.stderr === "") return { hits: [], cut: false };
    const wrong = /^fatal: (?:-e option|command line), .*?: (.*)$/m.exec(result.stderr)?.[1];
    if (wrong !== undefined) {
      throw new AmofError("invalid_arguments", `Cannot search for this pattern: ${wrong}`, {
        hint: "To look for the text as it is: the same command with --fixed-strings",
        details: { issues: [{ path: "pattern", problem: "is no regular expression" }] },
      });
    }
    if (query.at !== undefined && /unable to resolve revision/.test(result.stderr)) return null;
    throw gitFailure(result, `search "${this.git.name}"`, this.git.label, {
      cwd: this.git.directory,
    });
  }
}
