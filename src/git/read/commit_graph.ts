/** The commits that some branches do not all have in common, and how far branches are apart in them. */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { Runner } from "../call/runner.ts";

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
export async function boundary(git: Runner): Promise<readonly string[]> {
  const common = await git.common();
  const path = common === null ? null : join(common, "shallow");
  // Few have it, and to fail to read what is not there takes ten times as long as to see that.
  if (path === null || !await git.system.files.exists(path)) return [];
  return (await git.system.files.readText(path))?.match(/[0-9a-f]{40,64}/g) ?? [];
}

/** What is above all remote-tracking branches. One process; null where that is too much to be read. */
export async function readUnpushed(
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
