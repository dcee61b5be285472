/** Questions about commits: which are where, and how many. Reached as `git.at(directory).history`. */

import { join } from "@std/path";
import { RepositoryPart } from "../call/part.ts";
import { AmofError } from "../../base/error.ts";
import type { Runner } from "../call/runner.ts";

/** A commit as a person recognises it. */
export interface CommitLine {
  readonly commit: string;
  readonly subject: string;
}

/** Reads `%H%x09%s` of commits that a zero byte ends. */
export function commitLines(output: string): CommitLine[] {
  return output.split("\0").filter((line) => line !== "").map((line) => {
    const at = line.indexOf("\t");
    return { commit: line.slice(0, at), subject: line.slice(at + 1) };
  });
}

/** Lists at most `most` commits as {@linkcode CommitLine}s, each ended by NUL. */
function newest(most: number): string[] {
  return ["log", "--no-show-signature", `--max-count=${most}`, "--format=%H%x09%s", "-z"];
}

/** Questions about commits: which are where, and how many. */
export class History extends RepositoryPart {
  /**
   * How many commits of HEAD, or of another full ref, are unpushed. Those do not count that a remote-tracking
   * branch has, or one of the refs `besides`. Nor does what a remote sent as the beginning of a history that is
   * cut off. One process; 0 in a repository without commits.
   */
  async unpushedCount(ref = "HEAD", besides: readonly string[] = []): Promise<number> {
    const sent = await boundary(this.git);
    const result = await this.git.ask(
      ["rev-list", "--count", ref, "--not", "--remotes", ...sent, ...besides, "--"],
      { access: "read", depends: "names" },
      `count the unpushed commits of "${this.git.name}"`,
      ({ stderr }) => /unknown revision|bad revision/.test(stderr),
    );
    return Number(result?.stdout.trim() ?? 0);
  }

  /**
   * How many commits each of some tips has, by its hash, that no remote-tracking branch has. A tip whose
   * commits are all in `head`, which is counted as well, has 0. `holdsHead` says whether one of the other tips
   * has all commits of `head`. One process; where these are too many to be listed, one for each tip.
   */
  async unpushedOf(
    others: readonly string[],
    head: string | null = null,
  ): Promise<{ readonly counts: ReadonlyMap<string, number>; readonly holdsHead: boolean }> {
    const tips = head === null ? others : [head, ...others];
    const graph = await readUnpushed(this.git, tips);
    if (graph !== null) {
      const held = head === null ? new Set<string>() : reach(graph, head);
      let holdsHead = false;
      const counts = new Map(tips.map((tip) => {
        const found = reach(graph, tip);
        holdsHead ||= tip !== head && head !== null && found.has(head);
        return [tip, tip !== head && found.isSubsetOf(held) ? 0 : found.size];
      }));
      return { counts, holdsHead };
    }
    const counts = new Map<string, number>();
    for (const tip of tips) counts.set(tip, await this.unpushedCount(tip));
    return { counts, holdsHead: false };
  }

  /** Whether a commit is one that the first parents of another lead to: none that was merged into it. One process. */
  async isOnFirstParents(commit: string, from: string): Promise<boolean> {
    const output = await this.git.read([
      "rev-list",
      "--first-parent",
      "--parents",
      from,
      `^${commit}`,
      "--",
    ], `compare the branches of "${this.git.name}"`);
    const oldest = output.trimEnd().split("\n").at(-1) ?? "";
    return oldest === "" ? commit === from : oldest.split(" ")[1] === commit;
  }

  /** The newest commit that two have in common, as far as the history here goes; null where there is none. One process. */
  async meeting(one: string, other: string): Promise<string | null> {
    const result = await this.git.ask(
      ["merge-base", "--end-of-options", one, other],
      { access: "read" },
      `compare ${one} and ${other} of "${this.git.name}"`,
    );
    return result === null ? null : result.stdout.trim();
  }

  /** Whether two commits have an ancestor in common, as far as the history here goes. One process. */
  async meet(one: string, other: string): Promise<boolean> {
    return await this.meeting(one, other) !== null;
  }

  /** Whether the history here is cut off, so that commits may meet further back than it goes. No process. */
  async isShallowHere(): Promise<boolean> {
    return (await boundary(this.git)).length > 0;
  }

  /** The commit that is checked out, when it was made, in milliseconds since the epoch, and its subject. One process. */
  async last(): Promise<
    { readonly commit: string; readonly committedMs: number; readonly subject: string }
  > {
    const output = await this.git.read([
      "log",
      "--no-show-signature",
      "--max-count=1",
      "--format=%H%x09%ct%x09%s",
    ], `read the last commit of "${this.git.name}"`);
    const [commit = "", at = "", ...subject] = output.trimEnd().split("\t");
    return { commit, committedMs: Number(at) * 1_000, subject: subject.join("\t") };
  }

  /** How many commits of any local branch no remote-tracking branch has. One process. */
  async localOnlyCount(): Promise<number> {
    const output = await this.git.read([
      "rev-list",
      "--count",
      "--branches",
      "--not",
      "--remotes",
      ...await boundary(this.git),
      "--",
    ], `count the local commits of "${this.git.name}"`);
    return Number(output.trim());
  }

  /**
   * The newest commits of any local branch, and of a detached HEAD, that neither a remote-tracking branch nor one of
   * the commits `known` has: at most `most` of them. One process.
   */
  async localOnlyCommits(
    { head, most, known = [] }: {
      readonly head: string | null;
      readonly most: number;
      readonly known?: readonly string[];
    },
  ): Promise<CommitLine[]> {
    const output = await this.git.read([
      ...newest(most),
      "--branches",
      ...(head === null ? [] : [head]),
      "--not",
      "--remotes",
      ...known,
      "--",
    ], `list the local commits of "${this.git.name}"`);
    return commitLines(output);
  }

  /**
   * How many commits of a branch no other local branch and no remote-tracking branch has, one of the remote
   * with the same name aside. One process.
   */
  async ownCount(branch: string, withoutRemote: boolean): Promise<number> {
    const output = await this.git.read([
      "rev-list",
      "--count",
      `refs/heads/${branch}`,
      "--not",
      `--exclude=${branch}`,
      "--branches",
      ...(withoutRemote ? [`--exclude=*/${branch}`] : []),
      "--remotes",
      ...await boundary(this.git),
      "--",
    ], `count the commits of ${branch}`);
    return Number(output.trim());
  }

  /** How many commits of a branch of `origin` no other remote-tracking branch has. One process. */
  async ownCountThere(branch: string): Promise<number> {
    const there = `origin/${branch}`;
    const output = await this.git.read([
      "rev-list",
      "--count",
      `refs/remotes/${there}`,
      "--not",
      `--exclude=${there}`,
      "--remotes",
      "--",
    ], `count the commits of ${there}`);
    return Number(output.trim());
  }

  /** How many commits some have that others do not; commits unknown here are passed over. One process. */
  async countUncovered(
    commits: readonly string[],
    others: readonly string[],
  ): Promise<number> {
    const output = await this.git.must(
      ["rev-list", "--count", "--ignore-missing", "--stdin"],
      {
        access: "read",
        stdin: [...commits, ...others.map((other) => `^${other}`), ""].join("\n"),
      },
      `count the commits of "${this.git.name}"`,
    );
    return Number(output.trim());
  }

  /** The newest of those commits, at most `most` of them; commits unknown here are passed over. One process. */
  async uncovered(
    commits: readonly string[],
    others: readonly string[],
    most: number,
  ): Promise<CommitLine[]> {
    const output = await this.git.must(
      [
        ...newest(most),
        "--ignore-missing",
        "--stdin",
      ],
      {
        access: "read",
        stdin: [...commits, ...others.map((other) => `^${other}`), ""].join("\n"),
      },
      `list the commits of "${this.git.name}"`,
    );
    return commitLines(output);
  }

  /** How many commits `to` has that `from` does not. One process; null when one of them does not exist. */
  async countBetween(from: string, to: string): Promise<number | null> {
    const result = await this.git.ask(
      ["rev-list", "--count", "--end-of-options", `${from}..${to}`, "--"],
      { access: "read", depends: "names" },
      `count the commits between ${from} and ${to}`,
    );
    return result === null ? null : Number(result.stdout.trim());
  }

  /** How many commits each of two has that the other does not. One process; null when one of them does not exist. */
  async apart(
    one: string,
    other: string,
  ): Promise<{ readonly one: number; readonly other: number } | null> {
    const result = await this.git.ask(
      ["rev-list", "--left-right", "--count", "--end-of-options", `${one}...${other}`, "--"],
      { access: "read" },
      `compare ${one} with ${other}`,
    );
    if (result === null) return null;
    const [left = "", right = ""] = result.stdout.trim().split("\t");
    return { one: Number(left), other: Number(right) };
  }

  /** How many commits a commit has that none of the others has. One process. */
  async countBeyond(
    commit: string,
    others: readonly string[],
  ): Promise<number> {
    const output = await this.git.read([
      "rev-list",
      "--count",
      "--end-of-options",
      commit,
      ...others.map((other) => `^${other}`),
      "--",
    ], `count the commits of "${this.git.name}"`);
    return Number(output.trim());
  }

  /** Whether one commit is an ancestor of another, or the same. One process. */
  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    const result = await this.git.ask(
      ["merge-base", "--is-ancestor", "--end-of-options", ancestor, descendant],
      { access: "read" },
      `compare ${ancestor} with ${descendant}`,
    );
    return result !== null;
  }
}

// The commits that some branches do not all have in common, and how far branches are apart in them.

/** The parents of every commit that is listed; a parent that is not belongs to everybody. */
export type CommitGraph = ReadonlyMap<string, readonly string[]>;

/**
 * Everything above what tips and base have in common. Two processes; null where they have nothing in common, or too
 * much lies in between to be read.
 */
export async function readGraph(
  git: Runner,
  tips: readonly string[],
  base: string,
): Promise<CommitGraph | null> {
  const what = `compare the branches of "${git.name}"`;
  const common = await git.ask(
    ["merge-base", "--octopus", base, ...tips],
    { access: "read" },
    what,
    ({ exitCode }) => exitCode === 1,
  );
  if (common === null) return null;
  const without = common.stdout.trim().split("\n").map((commit) => `^${commit}`);
  return await read(git, [], [base, ...tips, ...without], what);
}

/** The commits that a history which is cut off begins with, which only a remote can have sent. No process. */
async function boundary(git: Runner): Promise<readonly string[]> {
  const common = await git.common();
  const path = common === null ? null : join(common, "shallow");
  // Few have it, and to fail to read what is not there takes ten times as long as to see that.
  if (path === null || !await git.system.files.exists(path)) return [];
  return (await git.system.files.readText(path))?.match(/[0-9a-f]{40,64}/g) ?? [];
}

/** What is above all remote-tracking branches. One process; null where that is too much to be read. */
async function readUnpushed(
  git: Runner,
  tips: readonly string[],
): Promise<CommitGraph | null> {
  const what = `look for commits of "${git.name}" that were not pushed`;
  return await read(git, ["--not", "--remotes", ...await boundary(git), "--not"], tips, what);
}

async function read(
  git: Runner,
  options: readonly string[],
  commits: readonly string[],
  what: string,
): Promise<CommitGraph | null> {
  try {
    const output = await git.must(
      ["rev-list", "--parents", ...options, "--stdin"],
      { access: "read", depends: "names", stdin: [...commits, ""].join("\n") },
      what,
    );
    return new Map(
      output.split("\n").filter((line) => line !== "").map((line) => {
        const [commit = "", ...parents] = line.split(" ");
        return [commit, parents] as const;
      }),
    );
  } catch (error) {
    if (error instanceof AmofError && error.details["kind"] === "too_much") return null;
    throw error;
  }
}

/** The listed commits that lead to a tip, itself included. */
export function reach(graph: CommitGraph, tip: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [tip];
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    const parents = graph.get(commit);
    if (parents === undefined || seen.has(commit)) continue;
    seen.add(commit);
    open.push(...parents);
  }
  return seen;
}
