/**
 * Questions about commits that are about to be sent: their subjects, and the files they touch. Reached as
 * `git.at(directory).sending`.
 */

import type { CommitLine } from "./history.ts";
import { RepositoryPart } from "../call/part.ts";

/** Merges that are looked into more closely in one repository; with more of them each counts as a change. */
const MOST_MERGES = 20;

/** Commits that would be sent: those of `head` that the remote-tracking branches of a remote, and a ref, do not have. */
export interface Sent {
  readonly head: string;
  readonly without: { readonly remote: string; readonly ref?: string } | { readonly ref: string };
}

/** A file that a commit touches. */
interface TouchedPath {
  readonly path: string;
  readonly commit: string;
}

function revisions({ head, without }: Sent): string[] {
  const remotes = "remote" in without ? [`--remotes=${without.remote}`] : [];
  return [head, "--not", ...remotes, ...without.ref === undefined ? [] : [without.ref], "--"];
}

/** The paths in which a commit differs from one of its parents; `parent` is null for a root. */
interface Difference {
  readonly commit: string;
  readonly parent: string | null;
  readonly paths: readonly string[];
}

/** Questions about commits that are about to be sent. */
export class Sending extends RepositoryPart {
  /** The newest of the commits, at most `most`. One process. */
  async commits(sent: Sent, most: number): Promise<CommitLine[]> {
    const output = await this.git.read([
      "log",
      "--no-show-signature",
      "--no-patch",
      `--max-count=${most}`,
      "--format=%H%x09%s",
      "-z",
      ...revisions(sent),
    ], `list the commits of "${this.git.name}" that would be pushed`);
    return output.split("\0").filter((line) => line !== "").map((line) => {
      const at = line.indexOf("\t");
      return { commit: line.slice(0, at), subject: line.slice(at + 1) };
    });
  }

  /**
   * The files that any of the commits touches, as far as they are `isWanted`. What was changed and changed back
   * counts, too, and so do both names of a file that was renamed.
   *
   * A merge touches a file when it makes something of it that no parent has, or drops what one of them had
   * changed. Taking over a change that is on the remote already does not count. At most 22 processes.
   */
  async touched(
    sent: Sent,
    isWanted: (path: string) => boolean,
  ): Promise<TouchedPath[]> {
    const found: TouchedPath[] = [];
    const merges = new Map<string, Difference[]>();
    for (const difference of await this.#differences(sent, isWanted)) {
      const others = merges.get(difference.commit);
      if (others === undefined) merges.set(difference.commit, [difference]);
      else others.push(difference);
    }
    let merging = 0;
    for (const [commit, sides] of merges) {
      const [first, ...more] = sides;
      if (more.length === 0) {
        found.push(...(first?.paths ?? []).map((touched) => ({ path: touched, commit })));
        continue;
      }
      for (const touched of new Set(sides.flatMap((side) => side.paths))) {
        const same = sides.find((side) => !side.paths.includes(touched))?.parent ?? null;
        const differing = sides.filter((side) => side.paths.includes(touched));
        let own = same === null;
        for (const { parent } of differing) {
          if (own || parent === null || same === null) break;
          own = ++merging > MOST_MERGES ||
            await this.hasChanged(touched, { side: parent, other: same });
        }
        if (own) found.push({ path: touched, commit });
      }
    }
    return found;
  }

  /** How each commit differs from each of its parents. Two processes. */
  async #differences(
    sent: Sent,
    isWanted: (path: string) => boolean,
  ): Promise<Difference[]> {
    const what = `look at the commits of "${this.git.name}" that would be pushed`;
    const listed = await this.git.read(["rev-list", "--parents", ...revisions(sent)], what);
    const pairs = listed.split("\n").filter((line) => line !== "").flatMap((line) => {
      const [commit = "", ...parents] = line.split(" ");
      return parents.length === 0 ? [[commit]] : parents.map((parent) => [commit, parent]);
    });
    if (pairs.length === 0) return [];
    const output = await this.git.must(
      [
        "diff-tree",
        "--stdin",
        "-r",
        "-z",
        "--root",
        "--always",
        "--raw",
        "--no-renames",
        "--no-ext-diff",
        "--ignore-submodules=none",
      ],
      { access: "read", stdin: `${pairs.map((pair) => pair.join(" ")).join("\n")}\n` },
      what,
    );
    const tokens = output.split("\0");
    const differences: Difference[] = [];
    let paths: string[] = [];
    for (let index = 0; index < tokens.length; index++) {
      const token = tokens[index] ?? "";
      if (token.startsWith(":")) {
        const touched = tokens[++index] ?? "";
        if (isWanted(touched)) paths.push(touched);
      } else if (token !== "") {
        // One line of input, one commit of output, in the same order.
        const [commit = "", parent = null] = pairs[differences.length] ?? [];
        paths = [];
        differences.push({ commit, parent, paths });
      }
    }
    return differences;
  }

  /** Whether commits of `side` that `other` does not have changed a file, a path from the top. One process. */
  async hasChanged(
    file: string,
    { side, other }: { readonly side: string; readonly other: string },
  ): Promise<boolean> {
    const output = await this.git.read([
      "rev-list",
      "--max-count=1",
      "--full-history",
      side,
      "--not",
      other,
      "--",
      `:(top,literal)${file}`,
    ], `look at the commits of "${this.git.name}" that change ${file}`);
    return output.trim() !== "";
  }
}
