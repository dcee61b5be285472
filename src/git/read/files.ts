/** Files of a working copy by what git makes of them. Reached as `git.at(directory).files`. */

import { BESIDE_PATHS } from "../../base/system/layout.ts";
import { RepositoryPart } from "../call/part.ts";
import type { ChangedPath } from "./status_v2.ts";

/** The tree of a repository without a commit, by the length of its object names. */
export const EMPTY_TREES: Readonly<Record<number, string>> = {
  40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** How many of many paths are asked for. */
const MOST_PATHS = 200;

/** Files of a working copy by what git makes of them. */
export class Files extends RepositoryPart {
  /** Paths that git does not track in a working copy, ignored ones too; nested repositories end in `/`. One process. */
  async untracked(): Promise<string[]> {
    const output = await this.git.read(["ls-files", "--others", "-z"], "list the untracked files");
    return output.split("\0").filter((name) => name !== "");
  }

  /** The paths that two commits have in different ways, or only one of both; of null all of the other. One process. */
  async differing(from: string | null, to: string): Promise<string[]> {
    const output = await this.git.must(
      [
        "diff-tree",
        "-r",
        "-z",
        "--no-renames",
        "--name-only",
        "--end-of-options",
        from ?? EMPTY_TREES[to.length] ?? "",
        to,
      ],
      { access: "read", patient: true },
      `compare commits of "${this.git.name}"`,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /** Whether conflicts are what the newest of its stashes met, so that it has all that came with them. One process. */
  async areOfStash(conflicts: readonly ChangedPath[]): Promise<boolean> {
    const paths = conflicts.slice(0, MOST_PATHS).map(({ path }) => path);
    const result = await this.git.ask(
      ["ls-tree", "-z", "--full-tree", "refs/stash", "--", ...paths],
      { access: "read" },
      `read the newest stash of "${this.git.name}"`,
    );
    const kept = new Map(
      (result?.stdout ?? "").split("\0").map((line) => {
        const at = line.indexOf("\t");
        return [line.slice(at + 1), line.slice(0, at).split(" ")[2]] as const;
      }),
    );
    // "u XY sub m1 m2 m3 mW h1 h2 h3 path": what came, which is naught where it was deleted.
    return paths.length > 0 && conflicts.slice(0, MOST_PATHS).every(({ path, raw }) => {
      const came = raw.split(" ")[9] ?? "";
      return /^0+$/.test(came) ? !kept.has(path) : kept.get(path) === came;
    });
  }

  /** Temporary files of this program that lie in a working copy, relative to it, unless ignored. One process. */
  async temporary(): Promise<string[]> {
    const output = await this.git.read([
      "ls-files",
      "--others",
      "--exclude-standard",
      "-z",
      "--",
      BESIDE_PATHS,
    ], "list the temporary files");
    return output.split("\0").filter((name) => name !== "");
  }

  /**
   * Paths below a directory, relative to it, that the repository around it tracks or would track; what is ignored
   * is left out, what was deleted may be among them. One process.
   */
  async own(): Promise<string[]> {
    const output = await this.git.must(
      ["ls-files", "--cached", "--others", "--exclude-standard", "-z"],
      { access: "read", upward: true },
      "list the files of a directory",
    );
    return [...new Set(output.split("\0").filter((name) => name !== ""))];
  }

  /** Ignored files and directories, a wholly ignored directory as one entry that ends in `/`. One process. */
  async ignored(): Promise<string[]> {
    const output = await this.git.read([
      "ls-files",
      "--others",
      "--ignored",
      "--exclude-standard",
      "--directory",
      "-z",
    ], `list the ignored files of "${this.git.name}"`);
    return output.split("\0").filter((name) => name !== "");
  }

  /**
   * Files that git ignores and that match patterns as of `.gitignore`, those of a file of the working copy and further
   * ones; nested repositories end in `/`. Two processes.
   */
  async ignoredMatching(
    { from, patterns }: { readonly from: string | null; readonly patterns: readonly string[] },
  ): Promise<string[]> {
    const list = async (excluded: readonly string[]) => {
      const output = await this.git.read(
        ["ls-files", "--others", "--ignored", ...excluded, "-z"],
        `list the ignored files of "${this.git.name}"`,
      );
      return output.split("\0").filter((name) => name !== "");
    };
    const ignored = new Set(await list(["--exclude-standard"]));
    const wanted = await list([
      ...(from === null ? [] : [`--exclude-from=${from}`]),
      ...patterns.map((pattern) => `--exclude=${pattern}`),
    ]);
    return wanted.filter((name) => ignored.has(name));
  }

  /** The commits that the index has of repositories inside of this one, by path. One process. */
  async gitlinks(): Promise<ReadonlyMap<string, string>> {
    const output = await this.git.read(
      ["ls-files", "--stage", "-z"],
      `list the submodules of "${this.git.name}"`,
    );
    return new Map(
      output.split("\0").flatMap((entry) => {
        const [, commit = "", path = ""] = /^160000 (\S+) \d\t(.+)$/s.exec(entry) ?? [];
        return path === "" ? [] : [[path, commit] as const];
      }),
    );
  }

  /** Files that git neither tracks nor ignores. One process. */
  async unknown(): Promise<string[]> {
    const output = await this.git.read(
      ["ls-files", "--others", "--exclude-standard", "-z"],
      `list the new files of "${this.git.name}"`,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /** Whether git ignores a path of a working copy. One process. */
  async isIgnored(path: string): Promise<boolean> {
    const result = await this.git.ask(
      ["check-ignore", "--quiet", "--", path],
      { access: "read" },
      `ask whether git ignores ${path}`,
    );
    return result !== null;
  }
}
