/**
 * Brings the commits of another branch into the checked-out one, by a merge or by a rebase, and leads on or back where
 * that stopped. Reached as `git.at(directory).part(Joining)`.
 *
 * No hooks run but for those of the commit that concludes a merge somebody has resolved.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { Loose, Sha } from "../../base/ids.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import { mendFastForward } from "../call/activity.ts";
import { gitDirectory } from "../files/directory.ts";
import type { OnLine } from "../call/log.ts";
import { readStatus } from "../work_tree/status.ts";
import { sameIndex } from "../work_tree/view.ts";
import { refuseOverwriting } from "./pull.ts";
import type { Runner } from "../call/runner.ts";
import { RepositoryPart } from "../call/part.ts";
import { gitFailure } from "../call/error.ts";
import { literal } from "./commits.ts";

/**
 * The tree of a merge, or the files in which both do not go together: no ref and no file changes. Needs git 2.38. `what`
 * is tried with it, for errors. One process.
 */
export async function mergedTree(
  git: Runner,
  { into, other }: { readonly into: string; readonly other: string },
  what: string,
): Promise<{ readonly tree: string } | { readonly conflicts: readonly string[] }> {
  const words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", into, other];
  const merged = await git.run(words, { access: "internal", patient: true });
  const [tree = "", ...files] = merged.stdout.split("\0");
  if (merged.exitCode === 129) {
    throw new AmofError("git_failed", `Cannot ${what}: this needs git 2.38 or later`, {
      hint: "Install a newer git",
      details: { repo: git.name, kind: "too_old" },
    });
  }
  if (merged.exitCode > 1) throw gitFailure(merged, what, git.name);
  return merged.exitCode === 1
    ? { conflicts: [...new Set(files.filter((file) => file !== ""))] }
    : { tree };
}

/** A merge or rebase that waits for somebody to go on. */
export interface Middle {
  readonly doing: "merge" | "rebase";
  /** The commit that is merged, or on which the own commits are put. */
  readonly other: string;
  /** The branch that is rebased; null for a merge, which is on its branch. */
  readonly branch: string | null;
}

/** A rebase that can be taken back without losing anything. */
export interface EmptyRebase {
  /** The branch that is rebased. */
  readonly branch: string;
  /** Its commit before. */
  readonly before: string;
}

const WRITE = { access: "internal", patient: true } as const;

/** What may stand first in a line of what a rebase has left to do: it moves commits, and starts no program. */
const MOVES_COMMITS =
  /^(?:#|$|(?:pick|reword|edit|squash|fixup|drop|label|reset|merge|[presfdltm])(?:\s|$)|(?:noop|break|b)\s*$)/;

/** Bringing another branch into the checked-out one. */
export class Joining extends RepositoryPart {
  /**
   * Merges a commit, forward where that is possible. Refuses to write over files that are not tracked, ignored ones
   * too. Throws where it stopped: then `middle` tells, or nothing was changed. One process.
   */
  async merge(commit: string, message: string, onLine?: OnLine): Promise<void> {
    await this.git.must(
      [
        "merge",
        "--ff",
        "--commit",
        "--no-squash",
        "--no-edit",
        "--no-overwrite-ignore",
        "-m",
        message,
        "--end-of-options",
        commit,
      ],
      { ...WRITE, onLine },
      `merge into "${this.git.name}"`,
    );
  }

  /**
   * The commit of a merge into a commit that is not checked out, or the files in conflict. No ref and no file
   * changes. Signed where the user's commits are. Needs git 2.38. Two processes, a third where it is signed.
   */
  async mergeApart(
    { into, other, message }: {
      readonly into: Loose<Sha>;
      readonly other: Loose<Sha>;
      readonly message: string;
    },
  ): Promise<{ readonly commit: string } | { readonly conflicts: readonly string[] }> {
    const what = `merge into "${this.git.name}"`;
    const merged = await mergedTree(this.git, { into, other }, what);
    if ("conflicts" in merged) return merged;
    return { commit: await this.#commit(merged.tree, [into, other], message) };
  }

  /**
   * A commit that says that the base branch has a commit of another branch, in whatever form. Both are its
   * parents, and its files are those of the base branch. A later merge through it does not conflict with what
   * is in the base branch already. No ref and no file changes. Two processes, a third where it is signed.
   */
  async joint(
    { landed, base, message }: {
      readonly landed: string;
      readonly base: string;
      readonly message: string;
    },
  ): Promise<string> {
    return await this.#commit(`${base}^{tree}`, [landed, base], message);
  }

  /** Makes a commit, signed where the user's commits are. */
  async #commit(tree: string, parents: readonly string[], message: string): Promise<string> {
    const signs = await this.git.run(["config", "--get", "--type=bool", "commit.gpgSign"], {
      access: "read",
    });
    const sign = signs.stdout.trim() === "true" ? ["-S"] : [];
    const made = await this.git.must(
      ["commit-tree", ...sign, ...parents.flatMap((id) => ["-p", id]), "-m", message, tree],
      WRITE,
      `merge into "${this.git.name}"`,
    );
    return made.trim();
  }

  /**
   * Puts the own commits, only those behind `after` where one is named, on top of another commit. Refuses to write over
   * files that are not tracked. Throws where it stopped: then `middle` tells, or nothing was changed. Three processes.
   */
  async rebase(onto: string, after: string | null, onLine?: OnLine): Promise<void> {
    const what = `rebase "${this.git.name}"`;
    await refuseOverwriting(this.git, what, onto);
    await this.git.must(
      [
        "rebase",
        "--quiet",
        "--merge",
        "--no-fork-point",
        ...(after === null ? [] : ["--onto", onto]),
        "--end-of-options",
        after ?? onto,
      ],
      { ...WRITE, onLine },
      what,
    );
  }

  /**
   * What a rebase in progress has left to do besides moving commits: the first such line of its list. Null
   * where there is none. Whoever works in the clone can write that list, and git runs each `exec` in it as a
   * line for the shell (SEAL-7). No process.
   */
  async programInList(): Promise<string | null> {
    const directory = await gitDirectory(this.git.system, this.git.directory);
    if (directory === null) return null;
    const { files } = this.git.system;
    for (const state of ["rebase-merge", "rebase-apply"]) {
      const path = join(directory, state, "git-rebase-todo");
      const info = await files.lstat(path);
      if (info === null) continue;
      if (info.kind !== "file") return `its list is a ${info.kind}`;
      const lines = (await files.readText(path) ?? "").split(/\r?\n/).map((line) => line.trim());
      const program = lines.find((line) => !MOVES_COMMITS.test(line));
      if (program !== undefined) return cleanLine(program, 120);
    }
    return null;
  }

  /** Those of some files that still have the marks of a conflict, as they are staged. One process; none for no file. */
  async withMarks(files: readonly string[]): Promise<readonly string[]> {
    if (files.length === 0) return [];
    const found = await this.git.ask(
      [
        "grep",
        "--cached",
        "--basic-regexp",
        "--name-only",
        "-z",
        "-I",
        "-e",
        "^<<<<<<< ",
        "--",
        ...literal(files),
      ],
      { access: "read" },
      `look for conflicts in "${this.git.name}"`,
    );
    return (found?.stdout ?? "").split("\0").filter((name) => name !== "");
  }

  /**
   * Goes on behind conflicts that were resolved. Throws where it stopped again, and `clone_untrusted` where what is left
   * to do would start a program. One process.
   */
  async goOn(doing: Middle["doing"], onLine?: OnLine): Promise<void> {
    const program = doing === "rebase" ? await this.programInList() : null;
    if (program !== null) {
      throw new AmofError(
        "clone_untrusted",
        `Cannot go on with the rebase of "${this.git.name}": its list has a line that amof did not write: ${program}`,
        {
          hint: `Look at it, and go on or back there: git -C ${
            shellWord(this.git.directory)
          } rebase --edit-todo`,
          details: { repo: this.git.name, reason: program },
        },
      );
    }
    // Concluding a merge makes a commit of the user's work, so the user's hooks run.
    const call = doing === "merge" ? { access: "write", onLine } as const : { ...WRITE, onLine };
    await this.git.must([doing, "--continue"], call, `go on with the ${doing}`);
  }

  /**
   * The tracked files from which going back takes what somebody did since it stopped. A merge leaves those alone of which
   * nothing is staged. All that are changed count where git did not note how it left them. Two processes.
   */
  async changedSince(doing: Middle["doing"]): Promise<ReadonlySet<string>> {
    const { records } = await readStatus(this.git);
    const left = await this.git.run(
      ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "AUTO_MERGE", "--"],
      { access: "read" },
    );
    const since = left.exitCode === 0 ? new Set(left.stdout.split("\0")) : null;
    const taken = records.filter(({ path, head, index, untracked, repository }) =>
      !untracked && !repository && since?.has(path) !== false &&
      (doing === "rebase" || head === undefined || !sameIndex(head, index))
    );
    return new Set(taken.map(({ path }) => path));
  }

  /**
   * Goes back to before it began; what was changed since in tracked files is gone. `kept` are files that are kept
   * elsewhere, past which a merge does not go back by itself. At most three processes.
   */
  async abort(
    doing: Middle["doing"],
    { onLine, kept = new Set() }: {
      readonly onLine?: OnLine;
      readonly kept?: ReadonlySet<string>;
    } = {},
  ): Promise<void> {
    if (doing === "merge" && kept.size > 0) {
      const paths = literal([...kept]);
      await this.git.must(["add", "--update", "--", ...paths], WRITE, "take the merge back");
    }
    // A file with another time and the same content counts as changed there, until git has looked into it.
    if (doing === "merge") await this.git.run(["update-index", "-q", "--refresh"], WRITE);
    await this.git.must([doing, "--abort"], { ...WRITE, onLine }, `take the ${doing} back`);
  }

  /**
   * The rebase in progress where it holds nothing of its own, as one that was cut off. No file differs, no untracked
   * one is in the way of going back, and each commit it has made is one it began with. Null otherwise. At most four
   * processes.
   */
  async emptyRebase(): Promise<EmptyRebase | null> {
    const middle = await this.middle();
    const directory = await gitDirectory(this.git.system, this.git.directory);
    if (middle?.doing !== "rebase" || middle.branch === null || directory === null) return null;
    const { files } = this.git.system;
    const before = (await files.readText(join(directory, "rebase-merge", "orig-head")))?.trim();
    if (before === undefined || before === "" || middle.other === "") return null;
    const ask = (...args: string[]) => this.git.run(args, { access: "read" });
    const changed = await ask("status", "--porcelain", "--untracked-files=no");
    if (changed.exitCode !== 0 || changed.stdout !== "") return null;
    if (await this.#madeSince(before, middle.other) !== 0) return null;
    try {
      await refuseOverwriting(this.git, `take the rebase of "${this.git.name}" back`, before);
    } catch {
      return null;
    }
    return { branch: middle.branch, before };
  }

  /**
   * How many commits going back would lose. Those are the commits of a rebase in progress that it did not begin
   * with, as where conflicts were resolved. With `before` it is the same for a rebase that is complete. At most
   * one process.
   */
  async lostByAbort(other: string, before?: string): Promise<number> {
    if (before !== undefined) return await this.#madeSince(before, other) ?? 0;
    const directory = await gitDirectory(this.git.system, this.git.directory);
    if (directory === null) return 0;
    for (const state of ["rebase-merge", "rebase-apply"]) {
      const text = await this.git.system.files.readText(join(directory, state, "orig-head"));
      if (text !== null) return await this.#madeSince(text.trim(), other) ?? 0;
    }
    return 0;
  }

  /** Commits of HEAD whose changes another commit does not have, but for those of `other`; null where git cannot tell. */
  async #madeSince(before: string, other: string): Promise<number | null> {
    const range = [`${before}...HEAD`, `^${other}`, "--"];
    const found = await this.git.run(
      ["rev-list", "--count", "--no-merges", "--cherry-pick", "--right-only", ...range],
      { access: "read" },
    );
    return found.exitCode === 0 ? Number(found.stdout.trim()) : null;
  }

  /**
   * The base branch's commit where a commit is one of {@linkcode Joining.joint}: its second parent, whose files it has;
   * null where it is another. One process.
   */
  async jointBase(commit: string): Promise<string | null> {
    const names = [`${commit}^2`, `${commit}^{tree}`, `${commit}^2^{tree}`];
    const found = await this.git.run(["rev-parse", "--end-of-options", ...names], {
      access: "read",
    });
    const [base = "", tree, same] = found.stdout.trim().split("\n").slice(-3);
    return found.exitCode === 0 && tree === same ? base : null;
  }

  /** Forgets a merge that is committed already, which a git notes that is cut off behind the commit. One process. */
  async forgetMerge(): Promise<void> {
    await this.git.must(["merge", "--quit"], WRITE, "forget the finished merge");
  }

  /** The merge or rebase that waits; null where none does. No process. */
  async middle(): Promise<Middle | null> {
    const directory = await gitDirectory(this.git.system, this.git.directory);
    if (directory === null) return null;
    const read = async (...parts: string[]) =>
      (await this.git.system.files.readText(join(directory, ...parts)))?.trim() ?? null;
    for (const state of ["rebase-merge", "rebase-apply"]) {
      const name = await read(state, "head-name");
      if (name === null) continue;
      const other = await read(state, "onto") ?? "";
      return { doing: "rebase", other, branch: name.replace(/^refs\/heads\//, "") };
    }
    const merged = await read("MERGE_HEAD");
    // More than one line is a merge of several branches, which nobody began here.
    return merged === null || merged.includes("\n")
      ? null
      : { doing: "merge", other: merged, branch: null };
  }

  /**
   * Restores the files that a merge of a ref was writing when it was cut off, before git noted that it is in
   * the middle of it. Files with other content stay. Answers how many were restored. Needs git 2.38 where it
   * was more than a fast-forward; an older one leaves everything. At least two processes.
   */
  async mendMerge(ref: string, forward: boolean): Promise<number> {
    const target = forward ? ref : await this.#mergedTree(ref);
    return target === null ? 0 : (await mendFastForward(this.git, target)).mended.length;
  }

  /** The tree that a merge writes, conflicts and all; null where this git cannot tell. */
  async #mergedTree(ref: string): Promise<string | null> {
    const result = await this.git.run(
      ["merge-tree", "--write-tree", "--no-messages", "HEAD", ref],
      WRITE,
    );
    const tree = /^[0-9a-f]{40,64}/.exec(result.stdout)?.[0];
    return result.exitCode <= 1 ? tree ?? null : null;
  }
}
