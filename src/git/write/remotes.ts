/**
 * Remotes of a repository: their addresses, and what is fetched from them and pushed to them. Reached as
 * `git.at(directory).remotes`.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { type BranchName, type Loose, type Sha, shortSha } from "../../base/ids.ts";
import { commonDirectory, configText, refsAreFiles } from "../files/directory.ts";
import { gitFailure } from "../call/error.ts";
import { isRelativePath } from "../call/address.ts";
import { pull, type PullOptions } from "./pull.ts";
import { type OnLine, PUSH_OPTIONS, type PushOutcome, pushOutcome } from "../call/log.ts";
import { RepositoryPart } from "../call/part.ts";
import { configKeys } from "../files/config_text.ts";
import { Refs } from "../read/refs.ts";
import { addedRefspec, missingRefspec, refspecsOf, trackingRefspecs } from "../read/tracking.ts";

/** A commit and the branch of a remote that it belongs to. */
interface RemoteBranch {
  readonly commit: Sha;
  readonly branch: Loose<BranchName>;
  /** `origin` when absent. */
  readonly remote?: string;
}

/** A commit that is to be sent to a branch of a remote. */
interface Push extends RemoteBranch {
  readonly onLine?: OnLine;
}

/** Keeps `FETCH_HEAD` as it is. */
const UNNOTED = "--no-write-fetch-head";

/** The branch for which a fetch failed because the remote has it no more; null where it failed otherwise. */
function goneBranch(error: unknown): string | null {
  const why = error instanceof AmofError ? String(error.details["reason"]) : "";
  return /couldn't find remote ref refs\/heads\/(\S+)$/.exec(why)?.[1] ?? null;
}

/** The branch that a refspec brings alone to its remote-tracking branch; null for any other. */
function refspecBranch(refspec: string): string | null {
  return /^\+?refs\/heads\/([^*:]+):refs\/remotes\/origin\/\1$/.exec(refspec)?.[1] ?? null;
}

/** Addresses of remotes, and what is fetched from them and pushed to them. */
export class Remotes extends RepositoryPart {
  /**
   * Fetches `from`, which is the name of a remote and the refspecs. Git does not look for what it could tidy up: it does
   * so with every commit and merge, and a fetch without news has nothing to tidy.
   */
  async #fetch(
    options: readonly string[],
    from: readonly string[],
    what: string,
    onLine: OnLine | undefined,
  ): Promise<void> {
    await this.git.must(
      [
        "fetch",
        "--progress",
        "--no-auto-maintenance",
        ...options,
        "--no-recurse-submodules",
        "--refmap=",
        "--end-of-options",
        ...from,
      ],
      { access: "internal", network: true, onLine },
      what,
    );
  }

  /**
   * Brings the remote-tracking branches of `origin` up to date, removes vanished ones, and adds new tags. No other
   * ref is touched, whatever the configuration asks for. `branch` comes along also where the clone is of another branch
   * alone. With `unnoted` git's note of what was fetched last stays as it is, so that without news nothing changes. One
   * process, network; of a branch that the configuration names alone and the remote has no more, up to four besides.
   */
  async fetch(
    branch: Loose<BranchName> | null,
    onLine?: OnLine,
    unnoted = false,
  ): Promise<void> {
    const options = ["--prune", "--no-prune-tags", ...(unnoted ? [UNNOTED] : [])];
    let refspecs = await trackingRefspecs(this.git.system, this.git.directory, branch);
    while (refspecs.length > 0) {
      try {
        return await this.#fetch(
          options,
          ["origin", ...refspecs],
          `fetch "${this.git.name}"`,
          onLine,
        );
      } catch (error) {
        const gone = goneBranch(error);
        const left = refspecs.filter((refspec) => refspecBranch(refspec) !== gone);
        if (gone === null || left.length === refspecs.length) throw error;
        refspecs = left;
        await this.#forget(gone);
      }
    }
  }

  /**
   * Brings the remote-tracking branches of another remote than `origin` up to date. What it has no more is only removed
   * where git is told so, and git's note of what was fetched last stays that of `origin`. One process, network.
   */
  async fetchOther(remote: string, onLine?: OnLine): Promise<void> {
    const refspecs = await refspecsOf(this.git.system, this.git.directory, remote);
    const what = `fetch ${remote} of "${this.git.name}"`;
    await this.#fetch(["--no-prune-tags", UNNOTED], [remote, ...refspecs], what, onLine);
  }

  /** Removes the remote-tracking branch of one that the remote has no more, as `--prune` does. At most three processes. */
  async #forget(branch: string): Promise<void> {
    const refs = new Refs(this.git);
    const ref = `refs/remotes/origin/${branch}`;
    const known = await refs.resolve(ref);
    if (known !== null) await refs.delete(ref, known);
  }

  /**
   * The same from a mirror of `origin` on this machine: what that has counts as what `origin` has. Answers whether a
   * branch went back or away: then the clone knew more than the mirror, or `origin` has it so. One process.
   */
  async fetchFromMirror(mirror: string, unnoted = false): Promise<boolean> {
    const result = await this.git.run(
      [
        "fetch",
        "--prune",
        "--no-prune-tags",
        ...(unnoted ? [UNNOTED] : []),
        "--no-recurse-submodules",
        "--refmap=",
        "--end-of-options",
        mirror,
        "+refs/heads/*:refs/remotes/origin/*",
      ],
      { access: "internal", patient: true },
    );
    if (result.exitCode !== 0) {
      throw gitFailure(result, `fetch "${this.git.name}" from its mirror`, this.git.label);
    }
    return /^ [-+] /m.test(result.stderr);
  }

  /**
   * Brings one branch of `origin` and its remote-tracking branch together, also where it was not tracked before. One
   * process, network.
   */
  async fetchBranch(branch: Loose<BranchName>, onLine?: OnLine): Promise<void> {
    await this.#fetch(
      ["--no-prune", "--no-prune-tags"],
      ["origin", `+refs/heads/${branch}:refs/remotes/origin/${branch}`],
      `fetch ${branch} of "${this.git.name}"`,
      onLine,
    );
  }

  /**
   * Lets a remote's branch be followed, also in a clone of another branch alone, which has no remote-tracking branch for
   * it. No process; one in such a clone.
   */
  async track(branch: Loose<BranchName>, remote = "origin"): Promise<void> {
    const missing = await missingRefspec(this.git.system, this.git.directory, { remote, branch });
    if (missing === null) return;
    await this.git.must(
      ["config", "--local", "--add", `remote.${remote}.fetch`, missing],
      { access: "internal" },
      `let "${this.git.name}" follow ${branch}`,
    );
  }

  /**
   * Takes away what {@linkcode track} has added for a branch, where no branch is left here or of `origin` that goes by it.
   * No process; two in such a clone.
   */
  async untrack(branch: Loose<BranchName>): Promise<void> {
    const added = await addedRefspec(this.git.system, this.git.directory, branch);
    if (added === null) return;
    const names = ["refs/heads/", "refs/remotes/origin/"].map((where) => `${where}${branch}*`);
    const left = await this.git.read(
      ["for-each-ref", "--count=1", ...names.flatMap((name) => [name, `${name}/**`])],
      `read the refs of "${this.git.name}"`,
    );
    if (left !== "") return;
    await this.git.must(
      ["config", "--local", "--unset-all", "--fixed-value", "remote.origin.fetch", added],
      { access: "internal" },
      `let "${this.git.name}" no longer follow ${branch}`,
    );
  }

  /**
   * Brings commits, with all that leads to them, out of another repository on this disk; no ref changes. One process.
   */
  async takeFrom(directory: string, commits: readonly Sha[]): Promise<void> {
    await this.git.must(
      [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-prune",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--refmap=",
        "--end-of-options",
        directory,
        ...commits,
      ],
      { access: "internal", patient: true },
      `bring the work of "${this.git.name}"`,
    );
  }

  /**
   * Brings one commit of `origin` by its name, also where no branch has it any more; false where the remote does not
   * give it out. With `alone` nothing before it comes, too: the history here is cut off. One process, network.
   */
  async fetchCommit(
    commit: Sha,
    { alone, onLine }: { readonly alone: boolean; readonly onLine?: OnLine },
  ): Promise<boolean> {
    const fetched = await this.git.ask(
      [
        "fetch",
        "--progress",
        ...(alone ? ["--depth=1"] : []),
        "--no-tags",
        "--no-prune",
        "--no-recurse-submodules",
        "--refmap=",
        "--end-of-options",
        "origin",
        commit,
      ],
      { access: "internal", network: true, onLine },
      `fetch ${shortSha(commit)} of "${this.git.name}"`,
      ({ stderr }) => /not our ref|unadvertised object/.test(stderr),
    );
    return fetched !== null;
  }

  /**
   * The branch that `origin` checked out when it was cloned, as this clone remembers it; null where it does not. No
   * process; one where refs are no files.
   */
  async rememberedBranch(): Promise<string | null> {
    const { system, directory } = this.git;
    const common = await commonDirectory(system, directory);
    if (common !== null && await refsAreFiles(system, common)) {
      const text = await system.files.readText(join(common, "refs", "remotes", "origin", "HEAD"));
      const ref = /^ref: (refs\/remotes\/origin\/.+)$/m.exec(text ?? "")?.[1];
      if (ref === undefined) return null;
      const { size } = await new Refs(this.git).peek([ref]);
      return size === 0 ? null : ref.slice("refs/remotes/origin/".length);
    }
    const result = await this.git.ask(
      ["rev-parse", "--verify", "--quiet", "--symbolic-full-name", "refs/remotes/origin/HEAD"],
      { access: "read" },
      `look up the default branch of "${this.git.name}"`,
    );
    return /^refs\/remotes\/origin\/(.+)$/.exec(result?.stdout.trim() ?? "")?.[1] ?? null;
  }

  /** The names of all remotes. One process. */
  async names(): Promise<string[]> {
    const result = await this.git.ask(
      ["config", "--get-regexp", "--name-only", "^remote\\..*\\.url$"],
      { access: "read" },
      `list the remotes of "${this.git.name}"`,
    );
    return (result?.stdout ?? "").split("\n").filter((line) => line !== "")
      .map((line) => line.replace(/^remote\./, "").replace(/\.url$/, ""));
  }

  /** The URL a remote is pushed to, or null when there is no such remote. One process. */
  async pushUrl(remote: string): Promise<string | null> {
    return await this.#urlOf(remote, ["--push"]);
  }

  /** The remote that git by itself would push a branch to, where the clone's configuration says so; else null. No process. */
  async pushRemote(branch: string): Promise<string | null> {
    const common = await commonDirectory(this.git.system, this.git.directory);
    const text = common === null ? null : await configText(this.git.system, common);
    const keys = configKeys(text ?? "");
    const last = (key: string) => keys?.get(key)?.at(-1) ?? null;
    const named = last(`branch.${branch}.pushremote`) ?? last("remote.pushdefault");
    // What would be a flag of git is the name of no remote.
    return named?.startsWith("-") === true ? null : named;
  }

  /** Pushes one commit to one branch of a remote, never with force, never with tags. One process, network. */
  async push({ commit, branch, remote = "origin", onLine }: Push): Promise<PushOutcome> {
    const result = await this.git.run(
      [
        "push",
        ...PUSH_OPTIONS,
        "--end-of-options",
        remote,
        `${commit}:refs/heads/${branch}`,
      ],
      { access: "write", network: true, sends: true, onLine },
    );
    const outcome = pushOutcome(result);
    if (outcome.ok && result.stoodIn) await this.#noteSent({ commit, branch, remote });
    return outcome;
  }

  /**
   * Notes what a remote has, as git itself does behind a push that knows the clone. What stands without that is the push;
   * who looks at the clone next is told the same by a fetch. One process.
   */
  async #noteSent({ commit, branch, remote }: Required<RemoteBranch>): Promise<void> {
    try {
      const ref = `refs/remotes/${remote}/${branch}`;
      await this.git.run(["update-ref", ref, commit], { access: "internal" });
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
    }
  }

  /** Adds a remote. One process. */
  async add(name: string, url: string): Promise<void> {
    await this.git.must(
      ["remote", "add", "--end-of-options", name, url],
      { access: "internal" },
      `add the remote ${name}`,
    );
  }

  /** Gives a remote another URL, or adds it. Two processes. */
  async set(name: string, url: string): Promise<void> {
    if (await this.url(name) === null) return await this.add(name, url);
    await this.git.must(
      ["remote", "set-url", "--end-of-options", name, url],
      { access: "internal" },
      `change the remote ${name}`,
    );
  }

  /**
   * Brings a branch of a remote into the checked-out one, which must be clean: by fast-forward, or with
   * `rebase` below the own commits. Refuses to write over files that are not tracked; a rebase that conflicts is
   * taken back. Two processes, with `rebase` at most five; network.
   */
  pull(options: PullOptions): Promise<void> {
    return pull(this.git, options);
  }

  /** Deletes a branch of a remote only if it still points to a commit. One process, network. */
  async deleteBranch({ branch, commit, remote = "origin" }: RemoteBranch): Promise<void> {
    const ref = `refs/heads/${branch}`;
    await this.git.must(
      [
        "push",
        ...PUSH_OPTIONS,
        `--force-with-lease=${ref}:${commit}`,
        "--end-of-options",
        remote,
        `:${ref}`,
      ],
      { access: "write", network: true, sends: true },
      `delete ${branch} on the remote of "${this.git.name}"`,
    );
  }

  /** The URL a remote is fetched from, or null when there is no such remote. One process. */
  async url(remote: string): Promise<string | null> {
    return await this.#urlOf(remote, []);
  }

  /** The address of a remote as it stands in the configuration of the clone; null where none stands there. No process. */
  async configured(remote: string): Promise<string | null> {
    return (await this.allConfigured()).get(remote) ?? null;
  }

  /** The addresses of all remotes as they stand in the configuration of the clone, by name. No process. */
  async allConfigured(): Promise<ReadonlyMap<string, string>> {
    const directory = await this.git.common();
    const text = directory === null ? null : await configText(this.git.system, directory);
    return new Map(
      [...configKeys(text ?? "") ?? []].flatMap(([key, [url]]) => {
        const name = /^remote\.(.+)\.url$/.exec(key)?.[1];
        return name === undefined || url === undefined || url === null ? [] : [[name, url]];
      }),
    );
  }

  /**
   * The URL of a remote in a form that works from anywhere, or null when the remote does not exist. Git takes a
   * relative path from the top of the clone, so this must be asked there. One process.
   */
  async address(remote: string): Promise<string | null> {
    const url = await this.url(remote);
    return url !== null && isRelativePath(url) ? join(this.git.directory, url) : url;
  }

  /** What an address is to git in this clone, where settings of the user let one stand for another. One process. */
  async meaning(url: string): Promise<string> {
    const answer = await this.git.ask(
      ["ls-remote", "--get-url", "--end-of-options", url],
      { access: "read" },
      `look up the address ${url}`,
    );
    return answer?.stdout.trim() || url;
  }

  async #urlOf(remote: string, options: readonly string[]): Promise<string | null> {
    const result = await this.git.ask(
      ["remote", "get-url", ...options, "--end-of-options", remote],
      // Not remembered: there may be a password in it.
      { access: "read" },
      `look up the remote ${remote}`,
    );
    const url = result?.stdout.trim() ?? "";
    return url === "" ? null : url;
  }
}
