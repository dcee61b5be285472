/** All branches of a repository, each compared with the base branch. Reached as `git.at(directory).part(BranchOverview)`. */

import type { System } from "../../base/system/mod.ts";
import { type CommitGraph, reach, readGraph } from "./history.ts";
import { Refs } from "./refs.ts";
import { gitFailure } from "../call/error.ts";
import { RepositoryPart } from "../call/part.ts";

/** How many commits one side has that the other has not. */
interface Distance {
  readonly ahead: number;
  readonly behind: number;
}

/** A branch, and where it stands. */
export interface BranchFacts {
  /** Without `refs/heads/`, or without `refs/remotes/` and the remote. */
  readonly name: string;
  /** Whether it is here, at `origin` as it was last fetched, or both. */
  readonly local: boolean;
  readonly remote: boolean;
  /** Of the local branch where there is one. */
  readonly commit: string;
  /** When that was committed, in milliseconds since the epoch. */
  readonly at: number;
  readonly current: boolean;
  readonly isBase: boolean;
  /** Compared with the base branch; null where there is none, or nothing in common could be found. */
  readonly distance: Distance | null;
}

interface Overview {
  readonly branches: readonly BranchFacts[];
  /** The full ref that the branches are compared with, or null where the base branch is nowhere. */
  readonly base: string | null;
}

/** The worlds whose git compares branches while it lists them, as 2.41 and later do, or does not. */
const COMPARES = new WeakMap<System["env"], Promise<boolean>>();

interface Listed {
  readonly ref: string;
  readonly commit: string;
  readonly at: number;
  readonly current: boolean;
  readonly distance: Distance | null;
}

const HEADS = "refs/heads/";
const ORIGIN = "refs/remotes/origin/";

/** All branches of a repository. */
export class BranchOverview extends RepositoryPart {
  /**
   * Every local branch, with `remote` also those of `origin`, compared with the base branch: at its remote where it is
   * known, else the local one. One process; before git 2.41 two more where a branch is not at its base.
   */
  async compared(base: string, { remote }: { readonly remote: boolean }): Promise<Overview> {
    const { ref: there } = await new Refs(this.git).base(base);
    const wanted = [HEADS, there, ...(remote ? [ORIGIN] : [])];
    const compared = await this.#comparing(there, wanted);
    const listed = compared ?? await this.#list("", wanted);
    const found =
      [there, `${HEADS}${base}`].flatMap((ref) => listed.find((each) => each.ref === ref) ?? [])[0];
    const isNeeded = compared === null && found !== undefined &&
      listed.some(({ commit }) => commit !== found.commit);
    const graph = isNeeded
      ? await readGraph(this.git, [...new Set(listed.map(({ commit }) => commit))], found.commit)
      : null;
    return {
      base: found?.ref ?? null,
      branches: fold(listed, base, remote).map(({ distance, ...branch }) => ({
        ...branch,
        distance: found === undefined
          ? null
          : branch.commit === found.commit
          ? { ahead: 0, behind: 0 }
          : distance ?? (graph === null ? null : countsIn(graph, branch.commit, found.commit)),
      })),
    };
  }

  /** The refs compared with one of them; null where this git cannot, or where that one is not there. */
  async #comparing(base: string, wanted: readonly string[]): Promise<readonly Listed[] | null> {
    const { env } = this.git.system;
    const known = COMPARES.get(env);
    if (known !== undefined && !await known) return null;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    // The first question finds out whether this git can compare; those asked meanwhile use what it found.
    if (known === undefined) COMPARES.set(env, promise);
    let compares = true;
    try {
      return await this.#list(`%00%(ahead-behind:${base})`, wanted);
    } catch (error) {
      const why = error instanceof NotListed ? error.why : "";
      compares = !/unknown field name|unrecognized %\(/.test(why);
      if (compares && !/failed to find/.test(why)) {
        throw error instanceof NotListed ? error.failure : error;
      }
      return null;
    } finally {
      resolve(compares);
    }
  }

  async #list(more: string, wanted: readonly string[]): Promise<readonly Listed[]> {
    const result = await this.git.run(
      [
        "for-each-ref",
        `--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(HEAD)%00%(symref)${more}`,
        "--end-of-options",
        ...wanted,
      ],
      { access: "read" },
    );
    if (result.exitCode !== 0 || result.truncated) {
      const failure = gitFailure(
        result,
        `read the branches of "${this.git.name}"`,
        this.git.label,
        { cwd: this.git.directory },
      );
      if (more === "") throw failure;
      throw new NotListed(result.stderr, failure);
    }
    return result.stdout.split("\n").flatMap((line) => {
      const [ref = "", commit = "", seconds = "", head, symbolic, counts = ""] = line.split("\0");
      // The remote's own HEAD is another name of one of its branches.
      if (ref === "" || symbolic !== "") return [];
      const [ahead, behind] = counts.split(" ").map(Number);
      return [{
        ref,
        commit,
        at: Number(seconds) * 1_000,
        current: head === "*",
        distance: counts === "" ? null : { ahead: ahead ?? 0, behind: behind ?? 0 },
      }];
    });
  }
}

/** A list that git did not give, with its words. */
class NotListed extends Error {
  readonly why: string;
  readonly failure: Error;

  constructor(why: string, failure: Error) {
    super(why);
    this.why = why;
    this.failure = failure;
  }
}

/** How many commits a tip has that the base has not, and the other way round. */
function countsIn(
  graph: CommitGraph,
  tip: string,
  base: string,
): { readonly ahead: number; readonly behind: number } {
  const [mine, theirs] = [reach(graph, tip), reach(graph, base)];
  return { ahead: mine.difference(theirs).size, behind: theirs.difference(mine).size };
}

/** One entry per name: a branch of `origin` is the same as the local one that is called so. */
function fold(
  listed: readonly Listed[],
  base: string,
  remote: boolean,
): BranchFacts[] {
  const names = new Map<string, { local?: Listed; remote?: Listed }>();
  for (const each of listed) {
    const isLocal = each.ref.startsWith(HEADS);
    // That of another remote is only what the others are compared with.
    if (!isLocal && !each.ref.startsWith(ORIGIN)) continue;
    const name = each.ref.slice(isLocal ? HEADS.length : ORIGIN.length);
    const known = names.get(name) ?? {};
    names.set(name, isLocal ? { ...known, local: each } : { ...known, remote: each });
  }
  return [...names].flatMap(([name, at]): BranchFacts[] => {
    const shown = at.local ?? (remote ? at.remote : undefined);
    if (shown === undefined) return [];
    return [{
      name,
      local: at.local !== undefined,
      remote: at.remote !== undefined,
      commit: shown.commit,
      at: shown.at,
      current: shown.current,
      isBase: name === base,
      distance: shown.distance,
    }];
  });
}
