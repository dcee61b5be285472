/** Branches, and which one is checked out. Reached as `git.at(directory).branches`. */

import { AmofError } from "../../base/error.ts";
import { type BranchName, type Loose, type Sha, sha, shortSha } from "../../base/ids.ts";
import { join } from "@std/path";
import { commonDirectory, gitDirectory, headText, refsAreFiles } from "../files/directory.ts";
import { mendFastForward } from "../call/activity.ts";
import { RepositoryPart } from "../call/part.ts";
import { type Elsewhere, elsewhereOf, missingRefspec } from "../read/tracking.ts";
import { configKeys } from "../files/config_text.ts";

/** How git's log of a branch calls the commit of a release, whatever hooks make of its message. */
export const RELEASE_REFLOG = "amof release";

/** A local branch. */
export interface LocalBranch {
  readonly name: string;
  readonly commit: Sha;
  /** The upstream as `remote/branch`, or null when none is set. */
  readonly upstream: string | null;
}

/** Branches, and which one is checked out. */
export class Branches extends RepositoryPart {
  /** All local branches. One process. */
  async list(): Promise<LocalBranch[]> {
    const output = await this.git.read([
      "for-each-ref",
      "--format=%(refname)%09%(objectname)%09%(upstream:lstrip=2)",
      "--end-of-options",
      "refs/heads",
    ], `read the branches of "${this.git.name}"`);
    return output.split("\n").filter((line) => line !== "").map((line) => {
      const [ref = "", commit = "", upstream = ""] = line.split("\t");
      return {
        name: ref.replace(/^refs\/heads\//, ""),
        commit: sha(commit),
        upstream: upstream === "" ? null : upstream,
      };
    });
  }

  /** The local branches whose commits another commit all has. One process. */
  async mergedInto(commit: string): Promise<string[]> {
    const output = await this.git.read([
      "for-each-ref",
      "--format=%(refname)",
      `--merged=${commit}`,
      "--end-of-options",
      "refs/heads",
    ], `compare the branches of "${this.git.name}"`);
    return output.split("\n").filter((line) => line !== "")
      .map((ref) => ref.replace(/^refs\/heads\//, ""));
  }

  /**
   * Notes a branch of `origin` as its default, as it was found to be, even where it was not fetched. One that
   * cannot be noted is found anew. One process.
   */
  async followDefault(branch: Loose<BranchName>): Promise<void> {
    const head = "refs/remotes/origin/HEAD";
    await this.git.run(["symbolic-ref", head, `refs/remotes/origin/${branch}`], {
      access: "internal",
    });
  }

  /** The branch of `origin` that is its default as last noted; null where nobody did, or not in a file. No process. */
  async defaultThere(): Promise<string | null> {
    const { system, directory } = this.git;
    const place = await commonDirectory(system, directory);
    if (place === null) return null;
    const head = await system.files.readText(join(place, "refs/remotes/origin/HEAD"));
    return /^ref: refs\/remotes\/origin\/(.+)\n?$/.exec(head ?? "")?.[1] ?? null;
  }

  /** The branches that the configuration of the clone gives an upstream: what was pushed or taken from there. No process. */
  async tracking(): Promise<ReadonlySet<string>> {
    const directory = await commonDirectory(this.git.system, this.git.directory);
    if (directory === null) return new Set();
    const text = await this.git.system.files.readText(join(directory, "config"));
    return new Set(
      [...configKeys(text ?? "")?.keys() ?? []].flatMap((key) =>
        /^branch\.(.+)\.merge$/.exec(key)?.[1] ?? []
      ),
    );
  }

  /** The branches that follow those of their own names at `origin`, be they there or not. No process. */
  async following(): Promise<ReadonlySet<string>> {
    const directory = await commonDirectory(this.git.system, this.git.directory);
    const text = directory === null
      ? null
      : await this.git.system.files.readText(join(directory, "config"));
    const keys = configKeys(text ?? "");
    return new Set(
      [...keys?.entries() ?? []].flatMap(([key, values]) => {
        const name = /^branch\.(.+)\.merge$/.exec(key)?.[1];
        const isOwn = name !== undefined && values.at(-1) === `refs/heads/${name}` &&
          keys?.get(`branch.${name}.remote`)?.at(-1) === "origin";
        return isOwn ? [name] : [];
      }),
    );
  }

  /** The other remotes than `origin` that local branches follow, each with a branch there. No process. */
  async elsewhere(branches: readonly string[]): Promise<readonly Elsewhere[]> {
    const found = await elsewhereOf(this.git.system, this.git.directory, branches);
    return [...new Map([...found.values()].map((one) => [one.remote, one])).values()];
  }

  /**
   * The refspec without which git lets no local branch follow one of `origin`. A clone of a single other branch
   * lacks it, because it fetches no other. Null where nothing is missing. No process.
   */
  async lacking(branch: string): Promise<string | null> {
    const { system, directory } = this.git;
    return await missingRefspec(system, directory, { remote: "origin", branch });
  }

  /** The branch that is checked out, or null when detached or no repository. No process; one where refs are no files. */
  async current(): Promise<string | null> {
    const { system } = this.git;
    const own = await gitDirectory(system, this.git.directory);
    const common = await commonDirectory(system, this.git.directory);
    if (own === null || common === null) return null;
    if (await refsAreFiles(system, common)) {
      const head = await headText(system, own);
      return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1] ?? null;
    }
    const result = await this.git.run(["branch", "--show-current"], { access: "read" });
    return result.exitCode === 0 ? result.stdout.trim() || null : null;
  }

  /** What git's log says happened to a local branch or `HEAD`, the last first: the commit it came to, and the words. */
  async #deeds(branch: string | null): Promise<(readonly [commit: string, words: string])[]> {
    const { system } = this.git;
    const [own, common] = await Promise.all(
      [gitDirectory, commonDirectory].map((find) => find(system, this.git.directory)),
    );
    if (!own || !common) return [];
    const ref = branch === null ? "HEAD" : `refs/heads/${branch}`;
    if (!await refsAreFiles(system, common)) {
      const result = await this.git.run(
        ["log", "-g", "--format=%H%x09%gs", "--end-of-options", ref, "--"],
        { access: "read" },
      );
      return result.stdout.trimEnd().split("\n").map((line) => {
        const [commit = "", words = ""] = line.split("\t");
        return [commit, words] as const;
      });
    }
    const log = await system.files.readText(join(branch === null ? own : common, "logs", ref));
    return (log ?? "").trimEnd().split("\n").reverse().map((line) => {
      const [, to = "", words = ""] = /^\S+ (\S+) [^\t]*\t(.*)$/.exec(line) ?? [];
      return [to, words] as const;
    });
  }

  /**
   * Where a branch was when it was left last, as git's log of what was checked out tells; null where it does not. It may
   * be gone since. No process; one where refs are no files.
   */
  async leftAt(branch: string): Promise<Sha | null> {
    const deeds = await this.#deeds(null);
    const left = deeds.findIndex(([, said]) =>
      said.startsWith(`checkout: moving from ${branch} to `)
    );
    const [commit = ""] = left < 0 ? [] : deeds[left + 1] ?? [];
    // A log may be damaged.
    return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) ? sha(commit) : null;
  }

  /**
   * The one of some local branches that was renamed from another one, which does not exist any more, according
   * to their reflogs. Null where it is none, or more than one. No process; one for each where refs are no
   * files.
   */
  async renamedFrom(before: string, names: readonly string[]): Promise<string | null> {
    const found: string[] = [];
    for (const name of names) {
      const words = `Branch: renamed refs/heads/${before} to `;
      if ((await this.#deeds(name)).some(([, said]) => said.startsWith(words))) found.push(name);
    }
    const [first = null, ...more] = found;
    return more.length === 0 ? first : null;
  }

  /**
   * Whether the last entry in the reflog of a local branch is work that made this commit: a commit, pick,
   * rebase or merge there. No process; one where refs are no files.
   */
  async endsInWork(branch: string, commit: string): Promise<boolean> {
    const [[to, words] = ["", ""]] = await this.#deeds(branch);
    return to === commit &&
      /^(?:(?:commit|cherry-pick|revert|rebase|am)\b|merge .*: Merge made)/.test(words);
  }

  /** Whether the last thing that happened to a local branch was that a release made this commit of it. */
  async endsInRelease(branch: string, commit: string): Promise<boolean> {
    const [[to, words] = ["", ""]] = await this.#deeds(branch);
    return to === commit && words.startsWith(RELEASE_REFLOG);
  }

  /**
   * Carries out what writes the files of a commit. Where a filter ends it half-way, the files are restored,
   * because they would be taken for somebody's work. Git does not check filters before it begins.
   */
  async #checkOut(args: readonly string[], to: string, what: string): Promise<void> {
    try {
      await this.git.must(args, { access: "internal" }, what);
    } catch (error) {
      const isFilter = error instanceof AmofError &&
        (error.code === "program_missing" || error.details["kind"] === "filter");
      if (isFilter) await mendFastForward(this.git, to);
      throw error;
    }
  }

  /**
   * Moves the checked-out branch forward to a commit; refuses anything but a fast-forward, and to write over files
   * that are not tracked, ignored ones too. One process.
   */
  async fastForward(commit: string): Promise<void> {
    await this.#checkOut(
      [
        "merge",
        "--ff-only",
        "--no-squash",
        "--no-overwrite-ignore",
        "--quiet",
        "--end-of-options",
        commit,
      ],
      commit,
      `move "${this.git.name}" forward`,
    );
  }

  /** Makes a local branch follow a branch of a remote. One process. */
  async setUpstream(branch: Loose<BranchName>, upstream: string): Promise<void> {
    await this.git.must(
      ["branch", `--set-upstream-to=${upstream}`, "--end-of-options", branch],
      { access: "internal" },
      `set the upstream of "${this.git.name}"`,
    );
  }

  /**
   * Makes a branch at a commit-ish, HEAD when absent, and switches to it. `track` makes it follow that remote branch; else
   * it follows nothing. Refuses to write over files that are not tracked, ignored ones too. One process; two where the
   * configuration still has what a deleted branch of that name followed, which would make the new one merged or gone.
   */
  async create(
    branch: Loose<BranchName>,
    { start = "HEAD", track = false }: { readonly start?: string; readonly track?: boolean } = {},
  ): Promise<void> {
    await this.#checkOut(
      [
        "switch",
        "--quiet",
        "--no-overwrite-ignore",
        track ? "--track" : "--no-track",
        "--create",
        branch,
        "--end-of-options",
        start,
      ],
      start,
      `make the branch ${branch}`,
    );
    if (track || !(await this.following()).has(branch)) return;
    await this.git.must(
      ["branch", "--unset-upstream", "--end-of-options", branch],
      { access: "internal" },
      `make the branch ${branch}`,
    );
  }

  /**
   * Puts the checked-out branch at another commit; what it follows stays. Refuses where changes or files not tracked
   * would be lost. Where `from` is given and somebody has committed since, the branch gets that commit back, and
   * `repo_changed` is thrown; null takes whatever it has. At most three processes.
   */
  async putAt(branch: Loose<BranchName>, commit: Sha, from: Sha | null): Promise<void> {
    const put = (at: Sha) =>
      this.git.must(
        [
          "switch",
          "--quiet",
          "--no-overwrite-ignore",
          "--no-track",
          "--force-create",
          branch,
          "--end-of-options",
          at,
        ],
        { access: "internal" },
        `put ${branch} of "${this.git.name}" at ${shortSha(at)}`,
      );
    await put(commit);
    if (from === null) return;
    // Git has no move of a checked-out branch that is tied to where it was; its log says where that had been.
    const { stdout } = await this.git.run(
      ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}@{1}`],
      { access: "read" },
    );
    const left = stdout.trim();
    if (left === "" || left === from) return;
    await put(sha(left));
    throw new AmofError(
      "repo_changed",
      `"${this.git.name}" has a new commit on ${branch}, ${shortSha(left)}, which stays there`,
      { hint: "Repeat the command", details: { repo: this.git.name, changed: [branch] } },
    );
  }

  /** Switches to a local branch that exists; refuses where changes or files not tracked would be lost. One process. */
  async switchTo(branch: Loose<BranchName>): Promise<void> {
    await this.#checkOut(
      ["switch", "--quiet", "--no-overwrite-ignore", "--no-guess", "--end-of-options", branch],
      `refs/heads/${branch}`,
      `switch "${this.git.name}" to ${branch}`,
    );
  }
}
