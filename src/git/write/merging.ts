/**
 * What merges of commits would come to, without making them. They are tried apart from every repository: no setting,
 * hook or merge driver has a say, and no object or ref of a repository changes. Reached as
 * `git.at(directory).part(Merging)`.
 */

import { join } from "@std/path";
import { type Sha, sha, shortSha } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { GIT_HINTS } from "../../base/error_codes.ts";
import type { Apart } from "../call/client.ts";
import { commonDirectory } from "../files/directory.ts";
import { gitFailure } from "../call/error.ts";
import type { Runner } from "../call/runner.ts";
import { RepositoryPart } from "../call/part.ts";
import { takeSnapshotOf } from "../snapshot/capture.ts";
import { readStatus } from "../work_tree/status.ts";
import type { Title } from "../snapshot/stream.ts";
import { mergedTree } from "./joining.ts";
import { type Authorship, commitText } from "./bundles.ts";

/** The most bytes of merges that are read of one repository. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A file in which two commits do not go together. */
export interface Conflict {
  readonly path: string;
  /** In git's words: `content`, `add/add`, `modify/delete`, `rename/rename` and others. */
  readonly kind: string;
}

/** A working copy as a side of merges. */
interface WorkingSide {
  readonly head: Sha;
  /** A commit of its uncommitted work behind `head`. */
  readonly work: Sha | null;
}

/** Two commits; the order does not matter for what a merge comes to. */
export type Pair = readonly [Sha, Sha];

/**
 * What the scratch directory for one repository begins with, so that git can work in it: a git directory for each kind of
 * names.
 */
export const APART_FILES: Readonly<Record<string, string>> = {
  "objects/pack/": "",
  "work/": "",
  "sha1.git/HEAD": "ref: refs/heads/none\n",
  "sha1.git/config": "[core]\n\trepositoryformatversion = 0\n",
  "sha1.git/refs/": "",
  "sha256.git/HEAD": "ref: refs/heads/none\n",
  "sha256.git/config":
    "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n",
  "sha256.git/refs/": "",
};

/** Merges that are looked at beforehand. */
export class Merging extends RepositoryPart {
  /** Where merges of this repository's commits are tried. No process. */
  async #apart(scratch: string, commit: Sha, clones: readonly string[] = []): Promise<Runner> {
    const common = await commonDirectory(this.git.system, this.git.directory);
    if (common === null) {
      throw new AmofError("git_failed", `Cannot find the objects of "${this.git.name}"`, {
        hint: GIT_HINTS.no_repository,
        details: { repo: this.git.label, kind: "no_repository" },
      });
    }
    const apart: Apart = {
      directory: join(scratch, commit.length === 64 ? "sha256.git" : "sha1.git"),
      work: join(scratch, "work"),
      index: join(scratch, "index"),
      objects: join(scratch, "objects"),
      others: [common, ...await this.#commonOf(clones)].map((path) => join(path, "objects")),
      shallow: join(common, "shallow"),
    };
    return this.git.apart(apart);
  }

  /** Where other clones keep their objects; those that are none have none. */
  async #commonOf(clones: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(
      clones.map((clone) => commonDirectory(this.git.system, clone)),
    );
    return found.filter((path) => path !== null);
  }

  /**
   * What is checked out, and the uncommitted work on top of it as a commit. Only {@linkcode conflicts} with the
   * same scratch directory knows that commit. `work` is null where there is none; the answer is null where
   * nothing was ever committed. One process where nothing is changed, else at most three. Throws where it
   * cannot be read.
   */
  async standing(scratch: string, title: Title): Promise<WorkingSide | null> {
    const status = await readStatus(this.git);
    if (status.head === null) return null;
    const head = sha(status.head);
    const apart = await this.#apart(scratch, head);
    const taken = await takeSnapshotOf(this.git, status, title, apart);
    return { head, work: taken?.commit ?? null };
  }

  /**
   * The conflicts of each pair, in the order of the pairs; none where a merge is clean. Null where `isCut` and the
   * pair has no commit in common as far as the history goes: git would tell of conflicts that are none. `like` is the
   * commit whose `.gitattributes` say how files are merged. Two processes, one for each pair besides where `isCut`,
   * and another before git 2.39. `scratch` is a directory that began with {@linkcode APART_FILES}, for this repository
   * alone; `clones` are other clones of it whose commits are among the pairs.
   */
  async conflicts(
    pairs: readonly Pair[],
    { scratch, like, clones = [], isCut = false }: {
      readonly scratch: string;
      readonly like: Sha;
      readonly clones?: readonly string[];
      /** Whether the history of a clone is cut off. */
      readonly isCut?: boolean;
    },
  ): Promise<readonly (readonly Conflict[] | null)[]> {
    const apart = await this.#apart(scratch, like, clones);
    const meets = async ([a, b]: Pair) =>
      !isCut || (await apart.run(["merge-base", a, b], { access: "read" })).exitCode === 0;
    const known: Pair[] = [];
    for (const pair of pairs) if (await meets(pair)) known.push(pair);
    const found = await this.#merged(known, apart, like);
    return pairs.map((pair) => found[known.indexOf(pair)] ?? null);
  }

  /** The conflicts of each pair. */
  async #merged(
    pairs: readonly Pair[],
    apart: Runner,
    like: Sha,
  ): Promise<readonly (readonly Conflict[])[]> {
    if (pairs.length === 0) return [];
    await apart.ask(
      ["checkout", "--quiet", like, "--", ":(top,glob)**/.gitattributes"],
      { access: "read", patient: true },
      `read the attributes of "${this.git.name}"`,
      // Most repositories have none.
      ({ stderr }) => /did not match any file/.test(stderr),
    );
    const call = { access: "read", patient: true, maxOutputBytes: MOST_BYTES } as const;
    const what = `compare the branches of "${this.git.name}"`;
    const words = ["merge-tree", "--write-tree", "--name-only", "--messages"];
    // Where histories have nothing in common, every file that both have is a conflict.
    const together = [...words, "--allow-unrelated-histories", "--stdin"];
    const stdin = pairs.map(([a, b]) => `${a} ${b}\n`).join("");
    const result = await apart.run(together, { ...call, stdin });
    if (result.exitCode === 0 && !result.truncated) {
      const found = readMerges(result.stdout);
      if (found.length === pairs.length) return found.map(withoutMarks);
    }
    if (!isUnknownOption(result)) {
      throw gitFailure(result, what, this.git.label, { ...call, cwd: this.git.directory });
    }
    const found: (readonly Conflict[])[] = [];
    for (const [a, b] of pairs) {
      const one = await apart.run([...words, "--allow-unrelated-histories", "-z", a, b], call);
      if (isUnknownOption(one)) throw tooOldToCompare(what, this.git.label);
      if (one.exitCode > 1 || one.truncated) {
        throw gitFailure(one, what, this.git.label, { ...call, cwd: this.git.directory });
      }
      found.push(...readMerges(`${one.exitCode === 0 ? 1 : 0}\0${one.stdout}\0`));
    }
    return found.map(withoutMarks);
  }
}

/** Conflicts by the files that people know: git tells one that is in the way of another by its commit, too. */
function withoutMarks(conflicts: readonly Conflict[]): readonly Conflict[] {
  const known = new Map<string, Conflict>();
  for (const { path, kind } of conflicts) {
    const plain = path.replace(/~(?:[0-9a-f]{64}|[0-9a-f]{40})(?:_\d+)?$/, "");
    if (!known.has(plain) || known.get(plain)?.kind === "content") {
      known.set(plain, { path: plain, kind });
    }
  }
  return [...known.values()];
}

/** Whether a git does not know what it was asked for. */
function isUnknownOption({ exitCode }: { readonly exitCode: number }): boolean {
  return exitCode === 129;
}

function tooOldToCompare(what: string, repo: string | null): AmofError {
  return new AmofError("git_failed", `Cannot ${what}: this needs git 2.38 or later`, {
    hint: "Install a newer git",
    details: { repo, kind: "too_old" },
  });
}

/** The conflicts of each merge in what `git merge-tree` says of them, with names that end in a zero byte. */
function readMerges(output: string): (readonly Conflict[])[] {
  const parts = output.split("\0");
  const merges: (readonly Conflict[])[] = [];
  let at = 0;
  // Behind the last one nothing is left but the end of its list.
  while (at < parts.length && /^[01]$/.test(parts[at] ?? "")) {
    const isClean = parts[at] === "1";
    at += 2;
    const files: string[] = [];
    for (; (parts[at] ?? "") !== ""; at++) files.push(parts[at] ?? "");
    at++;
    const kinds = new Map<string, string>();
    for (; /^\d+$/.test(parts[at] ?? "");) {
      const count = Number(parts[at]);
      const paths = parts.slice(at + 1, at + 1 + count);
      const kind = /^CONFLICT \(([^)]+)\)/.exec(parts[at + 2 + count] ?? "")?.[1];
      for (const path of kind === undefined ? [] : paths) {
        if (!kinds.has(path)) kinds.set(path, kind ?? "");
      }
      at += 3 + count;
    }
    at++;
    const names = [...new Set(files)];
    merges.push(isClean ? [] : names.map((path) => ({ path, kind: kinds.get(path) ?? "content" })));
  }
  return merges;
}

// Commits that take back what other commits have brought, made without a working copy. Reached as
// `git.bare(directory).part(Reverting)`.

/** What is taken back, on top of what, in which words. */
interface Reversal {
  /** The tip of the branch that it is taken back from. */
  readonly base: Sha;
  /** The commit that brought it, an ancestor of `base`, and the one before. */
  readonly after: Sha;
  readonly before: Sha;
  readonly author: Authorship;
  readonly message: string;
}

/** A commit; null where nothing of it is left to take back. Or the files in which others have changed the same since. */
type Reversed = { readonly commit: Sha | null } | { readonly conflicts: readonly string[] };

const WHAT = "make a commit that takes back what was merged";

/** Commits that take back others. */
export class Reverting extends RepositoryPart {
  async #resolve(name: string): Promise<string> {
    const output = await this.git.read(
      ["rev-parse", "--verify", "--end-of-options", name],
      `look up ${name}`,
    );
    return output.trim();
  }

  /** The parents of a commit. One process. */
  async parents(commit: Sha): Promise<readonly Sha[]> {
    const output = await this.git.read(
      ["rev-list", "--parents", "--max-count=1", commit, "--"],
      `look up ${shortSha(commit)}`,
    );
    return output.trim().split(" ").slice(1).map(sha);
  }

  /** The commit so many first parents before another one. One process. */
  async ancestor(commit: Sha, steps: number): Promise<Sha> {
    return sha(await this.#resolve(`${commit}~${steps}`));
  }

  /**
   * A commit on top of `base` that takes back what came between `before` and `after`. It is made as a merge
   * with a commit that leads from `after` back to the files of `before`. Needs git 2.38. At most five
   * processes.
   */
  async takeBack({ base, after, before, author, message }: Reversal): Promise<Reversed> {
    const back = await this.#commit(await this.#resolve(`${before}^{tree}`), {
      parent: after,
      author,
      message,
    });
    const merged = await mergedTree(this.git, { into: base, other: back }, WHAT);
    if ("conflicts" in merged) return merged;
    const { tree } = merged;
    if (tree === await this.#resolve(`${base}^{tree}`)) return { commit: null };
    return { commit: await this.#commit(tree, { parent: base, author, message }) };
  }

  async #commit(tree: string, words: Parameters<typeof commitText>[1]): Promise<Sha> {
    const output = await this.git.must(
      ["hash-object", "-t", "commit", "-w", "--stdin"],
      { access: "internal", stdin: commitText(tree, words) },
      WHAT,
    );
    return sha(output.trim());
  }
}
