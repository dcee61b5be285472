/** Bare copies of remotes from which clones borrow. Reached as `git.bare(directory).part(Mirrors)`. */

import type { OnLine } from "../call/log.ts";
import { RepositoryPart } from "../call/part.ts";

/** More names of files that were left out are not read: those of two million. */
const MOST_NAMES = 128 * 1024 * 1024;

/** Bare copies of remotes. */
export class Mirrors extends RepositoryPart {
  /**
   * Copies every branch and tag of a URL into a bare repository that does not exist yet, with the hash, the default
   * branch and no hooks of anybody. One process, network.
   */
  async make(
    { url, directory, blobless = false, onLine }: {
      readonly url: string;
      readonly directory: string;
      /** Leaves contents of files out until they are needed. */
      readonly blobless?: boolean;
      readonly onLine?: OnLine;
    },
  ): Promise<void> {
    await this.git.must(
      [
        "clone",
        "--bare",
        "--progress",
        "--template=",
        "--no-recurse-submodules",
        "--origin",
        "origin",
        ...(blobless ? ["--filter=blob:none"] : []),
        "--end-of-options",
        url,
        directory,
      ],
      { access: "internal", network: true, onLine },
      `copy "${this.git.name}"`,
    );
  }

  /**
   * Takes from a clone on this machine what it knows of its remote: the remote-tracking branches become branches, and
   * nothing that is only in the clone comes along. One process.
   */
  async takeFrom(clone: string): Promise<void> {
    await this.git.must(
      [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--refmap=",
        "--end-of-options",
        clone,
        "+refs/remotes/origin/*:refs/heads/*",
        "^refs/remotes/origin/HEAD",
      ],
      { access: "internal", patient: true },
      `copy what the clone of "${this.git.name}" has`,
    );
  }

  /**
   * Makes the branches those of the remote, and adds new tags. What the remote has dropped loses its name here and
   * stays. One process, network.
   */
  async fetch(onLine?: OnLine): Promise<void> {
    await this.git.must(
      [
        "fetch",
        "--progress",
        "--prune",
        "--no-prune-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--refmap=",
        "--end-of-options",
        "origin",
        "+refs/heads/*:refs/heads/*",
      ],
      { access: "internal", network: true, onLine },
      `refresh the mirror of "${this.git.name}"`,
    );
  }

  /**
   * Fetches the contents that were left out of all files of HEAD and a branch, in one request. So a checkout
   * there needs no transfer of its own. Three processes, two where nothing was left out; network.
   */
  async completeFiles(branch: string, onLine?: OnLine): Promise<void> {
    const what = `fetch the files of "${this.git.name}"`;
    const missing = new Set<string>();
    for (const ref of ["HEAD", `refs/heads/${branch}`]) {
      const listed = await this.git.ask(
        ["rev-list", "--objects", "--quiet", "--missing=print", "--no-walk", ref, "--"],
        { access: "read", patient: true, maxOutputBytes: MOST_NAMES },
        what,
      );
      for (const line of (listed?.stdout ?? "").split("\n")) {
        if (line.startsWith("?")) missing.add(line.slice(1));
      }
    }
    if (missing.size === 0) return;
    await this.git.must(
      [
        "fetch",
        "--progress",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--refmap=",
        "--filter=blob:none",
        "--stdin",
        "--end-of-options",
        "origin",
      ],
      {
        access: "internal",
        network: true,
        // A remote that is told which commits are there would take their files for there, too.
        settings: ["fetch.negotiationAlgorithm=noop"],
        stdin: `${[...missing].join("\n")}\n`,
        onLine,
      },
      what,
    );
  }

  /**
   * Fetches what git-lfs keeps apart of the files of a branch, to where the configuration says. One process, which starts
   * git-lfs; network.
   */
  async fetchLarge(branch: string, onLine?: OnLine): Promise<void> {
    await this.git.must(
      ["lfs", "fetch", "origin", `refs/heads/${branch}`],
      { access: "internal", network: true, onLine },
      `fetch the large files of "${this.git.name}"`,
    );
  }

  /** The names under which git-lfs keeps the large files of a commit. One process, which starts git-lfs. */
  async largeFiles(commit: string): Promise<string[]> {
    const listed = await this.git.must(
      ["lfs", "ls-files", "--long", commit],
      { access: "internal", patient: true, maxOutputBytes: MOST_NAMES },
      `list the large files of "${this.git.name}"`,
    );
    return listed.split("\n").flatMap((line) => /^([0-9a-f]{64}) [-*] /.exec(line)?.[1] ?? []);
  }

  /**
   * What keeps git from checking out large files, which git-lfs has to do; null where nothing does. Two processes.
   */
  async largeProblem(): Promise<"missing" | "off" | null> {
    const call = { access: "read" } as const;
    if (await this.git.ask(["lfs", "version"], call, "look for git-lfs") === null) {
      return "missing";
    }
    const filter = await this.git.ask(
      ["config", "--get", "filter.lfs.process"],
      call,
      "read the settings of git-lfs",
    );
    return filter === null ? "off" : null;
  }

  /** Writes its branches and tags into one file. One process. */
  async packRefs(): Promise<void> {
    await this.git.must(
      ["pack-refs", "--all"],
      { access: "internal" },
      `tidy up the mirror of "${this.git.name}"`,
    );
  }

  /** Puts all objects into one pack; every one stays, whether anything needs it or not. One process. */
  async pack(): Promise<void> {
    await this.git.must(
      ["repack", "-a", "-d", "-q", "--keep-unreachable"],
      { access: "internal", patient: true },
      `pack the mirror of "${this.git.name}"`,
    );
  }

  /** Whether everything its branches and tags need is there. One process. */
  async isWhole(): Promise<boolean> {
    const result = await this.git.ask(
      ["rev-list", "--objects", "--all", "--quiet", "--exclude-promisor-objects"],
      { access: "read", patient: true },
      `check the mirror of "${this.git.name}"`,
    );
    return result !== null;
  }
}
