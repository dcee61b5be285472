/** Git as the rest of the program knows it: typed questions and changes. No other folder spells a git argument. */

import type { AbsPath, Loose, RepoName } from "../base/ids.ts";
import type { System } from "../base/system/mod.ts";
import { overheard } from "./call/log.ts";
import { Repository } from "./repository.ts";
import { type GitGuard, type GitWorld, Runner } from "./call/runner.ts";
import { Verdicts } from "./verdict/memory.ts";
import { Trace } from "./files/signature.ts";

export { gitFailure, isRecentGit, namedByAddress, OLDEST_GIT } from "./call/error.ts";
export { type OnLine, type PushOutcome } from "./call/log.ts";
export {
  classifyGitFailure,
  type GitErrorKind,
  isOvertaken,
  type Lifetime,
  mayHaveArrived,
  reason,
  submodulesNotPushed,
  tail,
} from "./call/failure_kind.ts";
export { type GitCall, halfIdentityText, REPOSITORY_VARIABLES } from "./call/client.ts";
export { type BranchUse, useCommand, useFix, useText, type Worktree } from "./read/branch_use.ts";
export { type BaseTip, branchInUse } from "./read/refs.ts";
export { isRelativePath, isSameRepository, isUnsafeUrl } from "./call/address.ts";
export { bytesOf, isOddName } from "./odd_names.ts";
export { hostOf, localJobs, TransferLimits } from "./call/limits.ts";
export type { FlaggedFile, Ref, RefCommit } from "./read/everything.ts";
export { followsAnew } from "./read/tracking.ts";
export type { Found, LogQuery, SearchQuery } from "./read/looking.ts";
export type { BranchFacts } from "./read/branch_overview.ts";
export type { DifferenceQuery, Differing } from "./read/differences.ts";
export type { Landing } from "./read/integrated.ts";
export type { EmptyRebase, Middle } from "./write/joining.ts";
export type { CommitLine } from "./read/history.ts";
export type { LocalBranch } from "./write/branches.ts";
export type { CloneHistory } from "./write/clones.ts";
export type { Unknown } from "./write/commits.ts";
export type { CommitFacts, Tag } from "./write/releases.ts";
export type { Sent } from "./read/sending.ts";
export { type ChangedPath, changedSubmodules, type PorcelainStatus } from "./read/status_v2.ts";
export { isReadOnlyGit } from "./call/verbs.ts";
export type { Bypass, GitGuard, Untrusted } from "./call/runner.ts";
export type { ConfigKeys } from "./files/config_text.ts";
export { hashOfValues, type Remembered, remembered, type Seal, sealOf } from "./seal/parts.ts";
export { overheard, Trace, Verdicts };
export type { KeptLook } from "./files/signature.ts";
export type { InProgress } from "./call/activity.ts";
export type { Repository } from "./repository.ts";

/** Git over one world. Calls throw an `AmofError` made by {@linkcode gitFailure} unless they say otherwise. */
export class Git {
  readonly #world: GitWorld;

  /**
   * `timeout` is how many seconds one transfer may take; null for as long as it makes progress.
   */
  constructor(
    system: System,
    signal?: AbortSignal,
    timeout: number | null = null,
    { guard, verdicts, trace }: Partial<Pick<GitWorld, "guard" | "verdicts" | "trace">> = {},
  ) {
    this.#world = { system, signal, timeout, guard, verdicts, trace };
  }

  /** The same git, which asks before each call whether the configuration of a repository may count. */
  guarded(guard: GitGuard): Git {
    const { system, signal, timeout, verdicts } = this.#world;
    return new Git(system, signal, timeout, { guard, verdicts });
  }

  /** What it remembers; null where every answer is asked for. */
  get verdicts(): Verdicts | null {
    return this.#world.verdicts ?? null;
  }

  /** The same git, which is not asked again what cannot have changed; without `verdicts` it is. */
  remembering(verdicts: Verdicts | undefined): Git {
    const { system, signal, timeout, guard } = this.#world;
    return new Git(system, signal, timeout, { guard, verdicts });
  }

  /** The same git, of which a trace notes what it goes by. */
  traced(trace: Trace): Git {
    const { system, signal, timeout, ...others } = this.#world;
    return new Git(system, signal, timeout, { ...others, trace });
  }

  /**
   * What can be asked and changed in a directory. `label` is what errors and messages call its repository; without one
   * errors name none, and messages say the directory's name.
   *
   * @example
   * ```ts
   * import type { Sha } from "../base/ids.ts";
   * import { Git } from "./mod.ts";
   *
   * export async function publish(git: Git, directory: string, commit: Sha): Promise<void> {
   *   const repo = git.at(directory, "api");
   *   const { branch } = await repo.status();
   *   if (branch !== null) await repo.remotes.push({ branch, commit });
   * }
   * ```
   */
  at(directory: Loose<AbsPath>, label: Loose<RepoName> | null = null): Repository {
    return new Repository(new Runner(this.#world, directory, label));
  }

  /** The same as {@linkcode Git.at} for a bare repository of ours, which a setting of the user's may forbid elsewhere. */
  bare(directory: Loose<AbsPath>, label: Loose<RepoName> | null = null): Repository {
    return new Repository(new Runner({ ...this.#world, bare: true }, directory, label));
  }

  /** The same git, which writes into a file what it and hosts say to each other over HTTP: headers alone, no credentials. */
  overheard(file: Loose<AbsPath>): Git {
    const { system, signal, timeout, guard } = this.#world;
    return new Git(overheard(system, file), signal, timeout, { guard });
  }

  /** The same git, which only `signal` ends; nothing when it is absent. `timeout` is how many seconds a transfer may take. */
  until(signal?: AbortSignal, timeout: number | null = this.#world.timeout): Git {
    const { system, guard, verdicts } = this.#world;
    return new Git(system, signal, timeout, { guard, verdicts });
  }

  /** Does work that asks many repositories, and then keeps what it remembers of their answers. */
  async keeping<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.verdicts?.keep();
    }
  }

  /**
   * What the user's credential helpers know for a URL; null where they know nothing. Nobody is asked. One process, and
   * those of the helpers.
   */
  async credential(
    url: string,
  ): Promise<{ readonly username: string; readonly password: string } | null> {
    const home = this.#world.system.env.home ?? "/";
    const found = await new Runner(this.#world, home, null).run(
      ["credential", "fill"],
      { access: "read", upward: true, stdin: `url=${url}\n\n` },
    );
    if (found.exitCode !== 0) return null;
    const value = (name: string) =>
      new RegExp(`^${name}=(.*)$`, "m").exec(found.stdout)?.[1]?.trimEnd() ?? "";
    const password = value("password");
    return password === "" ? null : { username: value("username"), password };
  }

  /** The version of the installed git, such as "2.39.5". One process. */
  async version(cwd: string): Promise<string> {
    const output = await new Runner(this.#world, cwd, null).must(
      ["version"],
      { access: "read" },
      "ask git for its version",
    );
    return output.replace(/^git version /, "").trim();
  }
}
export { judge, type Suspects } from "./seal/judge.ts";
