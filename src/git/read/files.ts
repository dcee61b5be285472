/** Files of a working copy by what git makes of them. Reached as `git.at(directory).files`. */

import { BESIDE_PATHS } from "../../base/system/temporary.ts";
import type { Runner } from "../call/runner.ts";

/** Files of a working copy by what git makes of them. */
export class Files {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  /** Paths that git does not track in a working copy, ignored ones too; nested repositories end in `/`. One process. */
  async untracked(): Promise<string[]> {
    const output = await this.#git.must(
      ["ls-files", "--others", "-z"],
      { access: "read" },
      "list the untracked files",
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /** The paths that two commits have in different ways, or only one of both. One process. */
  async differing(from: string, to: string): Promise<string[]> {
    const output = await this.#git.must(
      ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--end-of-options", from, to],
      { access: "read", patient: true },
      `compare commits of "${this.#git.name}"`,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /** Temporary files of this program that lie in a working copy, relative to it, unless ignored. One process. */
  async temporary(): Promise<string[]> {
    const output = await this.#git.must(
      ["ls-files", "--others", "--exclude-standard", "-z", "--", BESIDE_PATHS],
      { access: "read" },
      "list the temporary files",
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /**
   * Paths below a directory, relative to it, that the repository around it tracks or would track; what is ignored
   * is left out, what was deleted may be among them. One process.
   */
  async own(): Promise<string[]> {
    const output = await this.#git.must(
      ["ls-files", "--cached", "--others", "--exclude-standard", "-z"],
      { access: "read", upward: true },
      "list the files of a directory",
    );
    return [...new Set(output.split("\0").filter((name) => name !== ""))];
  }

  /** Ignored files and directories, a wholly ignored directory as one entry that ends in `/`. One process. */
  async ignored(): Promise<string[]> {
    const output = await this.#git.must(
      ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"],
      { access: "read" },
      `list the ignored files of "${this.#git.name}"`,
    );
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
      const output = await this.#git.must(
        ["ls-files", "--others", "--ignored", ...excluded, "-z"],
        { access: "read" },
        `list the ignored files of "${this.#git.name}"`,
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

  /** Files that git neither tracks nor ignores. One process. */
  async unknown(): Promise<string[]> {
    const output = await this.#git.must(
      ["ls-files", "--others", "--exclude-standard", "-z"],
      { access: "read" },
      `list the new files of "${this.#git.name}"`,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /** Whether git ignores a path of a working copy. One process. */
  async isIgnored(path: string): Promise<boolean> {
    const result = await this.#git.ask(
      ["check-ignore", "--quiet", "--", path],
      { access: "read" },
      `ask whether git ignores ${path}`,
    );
    return result !== null;
  }
}
