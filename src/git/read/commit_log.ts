/** The commits of a repository as a log shows them. Reached as `git.at(directory).part(CommitLog)`. */

import { RepositoryPart } from "../call/part.ts";

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
