/**
 * What a repository holds besides branches: other refs, what only they have, and files that git was told not to look
 * at. Reached as `git.at(directory).part(Everything)`.
 */

import { type CommitLine, commitLines } from "./history.ts";
import { hasJj, jjHeads } from "./jj.ts";
import { bytesOf } from "../odd_names.ts";
import type { Runner } from "../call/runner.ts";

/** A ref of whatever kind. */
export interface Ref {
  /** In full, such as `refs/notes/commits`. */
  readonly name: string;
  readonly object: string;
  /** `commit`, `tag`, `tree` or `blob`: what it leads to, tags looked through. */
  readonly leadsTo: string;
  /** Whether it is an object of its own, as an annotated tag is, with a message that nothing else has. */
  readonly annotated: boolean;
  /** The upstream of a branch as `remote/branch`, or null. */
  readonly upstream: string | null;
}

/** A commit and the ref that has it. */
export interface RefCommit extends CommitLine {
  readonly ref: string;
}

/** A file that git was told to take for unchanged, by `skip-worktree` or `assume-unchanged`. */
export interface FlaggedFile {
  readonly path: string;
  readonly mode: string;
  /** What the index holds of it. */
  readonly object: string;
}

/** What an index says that a status does not. */
interface IndexFacts {
  /** Paths where another repository is: submodules, or clones that were added like files. */
  readonly gitlinks: readonly string[];
  readonly flagged: readonly FlaggedFile[];
}

/** Everything else that a repository holds. */
export class Everything {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  /** All refs but those that tell of remotes, or keep what undo would bring back. One process. */
  async refs(): Promise<Ref[]> {
    const output = await this.#git.must(
      [
        "for-each-ref",
        "--format=%(refname)%09%(objectname)%09%(objecttype)%09%(*objecttype)%09%(upstream:short)",
      ],
      { access: "read" },
      `read the refs of "${this.#git.name}"`,
    );
    return output.split("\n").flatMap((line) => {
      const [name = "", object = "", kind = "", behind = "", upstream = ""] = line.split("\t");
      // Git's own background fetches keep what they got under refs/prefetch; what is kept for undo was dropped on purpose.
      // What jj keeps has a question of its own.
      if (name === "" || /^refs\/(?:remotes|prefetch|jj|amof\/keep)\//.test(name)) return [];
      return [{
        name,
        object,
        leadsTo: behind === "" ? kind : behind,
        annotated: kind === "tag",
        upstream: upstream === "" ? null : upstream,
      }];
    });
  }

  /**
   * The newest commits that some refs have and neither a branch, a remote-tracking branch nor one of the commits
   * `known` has: at most `most`, each with the ref that has it. Replacements are not followed. One process.
   */
  async onlyIn(
    { refs, known, most }: {
      readonly refs: readonly Pick<Ref, "name" | "object">[];
      readonly known: readonly string[];
      readonly most: number;
    },
  ): Promise<RefCommit[]> {
    const names = new Map(refs.toReversed().map(({ name, object }) => [object, name]));
    const output = await this.#git.must(
      [
        "log",
        "--no-show-signature",
        `--max-count=${most}`,
        "--source",
        "--format=%H%x09%s%x09%S",
        "-z",
        "--ignore-missing",
        "--stdin",
        // Before 2.42 git takes these only from the command line.
        "--not",
        "--branches",
        "--remotes",
      ],
      {
        access: "read",
        // Git is asked by objects: a name that is no UTF-8 would be missing, and be ignored.
        stdin: [...names.keys(), ...known.map((commit) => `^${commit}`), ""].join("\n"),
      },
      `list what only other refs of "${this.#git.name}" have`,
    );
    return commitLines(output).map(({ commit, subject }) => {
      const at = subject.lastIndexOf("\t");
      return { commit, subject: subject.slice(0, at), ref: names.get(subject.slice(at + 1)) ?? "" };
    });
  }

  /**
   * The newest commits of jj that change files, and that neither a branch, a remote-tracking branch nor one of the commits
   * `known` has: at most `most`; none where no jj works beside git. One process where one does.
   */
  async onlyInJj(known: readonly string[], most: number): Promise<CommitLine[]> {
    const { system, directory } = this.#git;
    if (!await hasJj(system, directory)) return [];
    // Where its files are read in vain, everything that it keeps may be work.
    const heads = await jjHeads(system, directory);
    const output = await this.#git.must(
      [
        "log",
        "--no-show-signature",
        `--max-count=${most}`,
        "--format=%H%x09%s",
        "-z",
        "--ignore-missing",
        "--full-history",
        ...(heads === null ? ["--glob=refs/jj/keep/*"] : heads),
        "--not",
        "--branches",
        "--remotes",
        ...known,
        "--",
        ".",
      ],
      { access: "read" },
      `list what only jj has of "${this.#git.name}"`,
    );
    return commitLines(output);
  }

  /** How many commits only the log of past positions has, besides those that are `known`. One process. */
  async onlyInReflog(known: readonly string[]): Promise<number> {
    const output = await this.#git.must(
      [
        "rev-list",
        "--count",
        "--reflog",
        "--not",
        "--exclude=refs/amof/keep/*",
        "--all",
        ...known,
        "--",
      ],
      { access: "read" },
      `count what only the log of past positions of "${this.#git.name}" has`,
    );
    return Number(output.trim());
  }

  /** What the index says that a status does not. One process. */
  async index(): Promise<IndexFacts> {
    const output = await this.#git.must(
      ["ls-files", "--stage", "-v", "-z"],
      { access: "read" },
      `read the index of "${this.#git.name}"`,
    );
    const gitlinks = new Set<string>();
    const flagged: FlaggedFile[] = [];
    for (const line of output.split("\0")) {
      const at = line.indexOf("\t");
      const [tag = "", mode = "", object = ""] = line.slice(0, at).split(" ");
      const file = line.slice(at + 1);
      if (mode === "160000") gitlinks.add(file);
      // A small letter means assume-unchanged, S skip-worktree.
      else if (/^(?:[a-z]|S)$/.test(tag)) flagged.push({ path: file, mode, object });
    }
    return { gitlinks: [...gitlinks], flagged };
  }

  /** What files would be in a commit as they are on the disk; all must be there. One process. */
  async hash(files: readonly string[]): Promise<string[]> {
    const output = await this.#git.must(
      ["hash-object", "--stdin-paths"],
      { access: "read", stdin: bytesOf(files.map((file) => `${file}\n`).join("")) },
      `read files of "${this.#git.name}"`,
    );
    return output.split("\n").filter((line) => line !== "");
  }
}
