/** What is looked up in repositories for people: commits, and text in files. */

import { RepositoryPart } from "../call/part.ts";
import { AmofError } from "../../base/error.ts";
import type { ProcessResult } from "../../base/system/mod.ts";
import { gitFailure } from "../call/error.ts";

// The commits of a repository as a log shows them. Reached as `git.at(directory).part(CommitLog)`.

interface LoggedCommit {
  readonly commit: string;
  /** When it was committed, in milliseconds since the epoch. */
  readonly at: number;
  readonly author: string;
  readonly subject: string;
  /** The ref by which it was reached, without `refs/heads/` or `refs/remotes/`; null where only HEAD was asked for. */
  readonly branch: string | null;
}

/** Which commits are wanted. */
export interface LogQuery {
  /** Where to begin: at HEAD, at all branches, or at one ref, without what other refs have. */
  readonly from: "head" | "branches" | {
    readonly tip: string;
    readonly without: readonly string[];
  };
  /** At most so many, the newest. */
  readonly most: number;
  /** Committed since, and until, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** A part of the author's name or address, in any case; no pattern. */
  readonly author?: string | undefined;
  /** Whether merge commits count. */
  readonly merges: boolean;
  /** Only what touches these paths, as git's path patterns; all where there is none. */
  readonly paths: readonly string[];
}

function starts(from: LogQuery["from"]): string[] {
  if (from === "head") return ["HEAD", "--"];
  if (from === "branches") return ["--source", "--branches", "--remotes", "HEAD", "--"];
  return [from.tip, ...from.without.map((ref) => `^${ref}`), "--"];
}

/** The commits of a repository as a log shows them. */
export class CommitLog extends RepositoryPart {
  /**
   * The newest commits, in the order of git: what is not there, such as the first commit or a ref, has none. Runs no
   * program that the repository names. One process.
   */
  async newest(query: LogQuery): Promise<LoggedCommit[]> {
    const day = (ms: number) => new Date(ms).toISOString();
    const output = await this.git.read([
      "log",
      "--no-show-signature",
      "--no-patch",
      "--no-ext-diff",
      "--no-textconv",
      "--no-color",
      `--max-count=${query.most}`,
      "--format=%H%x00%ct%x00%aN%x00%S%x00%s",
      "-z",
      "--ignore-missing",
      ...(query.since === undefined ? [] : [`--since=${day(query.since)}`]),
      ...(query.until === undefined ? [] : [`--until=${day(query.until)}`]),
      ...(query.author === undefined
        ? []
        : ["--fixed-strings", "--regexp-ignore-case", `--author=${query.author}`]),
      ...(query.merges ? [] : ["--no-merges"]),
      ...starts(query.from),
      ...query.paths,
    ], `read the log of "${this.git.name}"`);
    const fields = output.split("\0");
    const commits: LoggedCommit[] = [];
    for (let at = 0; at + 4 < fields.length; at += 5) {
      const [commit = "", seconds = "", author = "", ref = "", subject = ""] = fields.slice(
        at,
        at + 5,
      );
      commits.push({
        commit,
        at: Number(seconds) * 1_000,
        author,
        subject,
        branch: query.from === "branches" ? ref.replace(/^refs\/(?:heads|remotes)\//, "") : null,
      });
    }
    return commits;
  }
}

// Looks for text in the files of a repository. Reached as `git.at(directory).part(Search)`.

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
