/**
 * Where the branch of a repository comes from. Its remote is asked whether it has the branch already. One that
 * was pushed since the last fetch would otherwise be made a second time, with other commits.
 */

import type { Repo } from "../../../workspace/manifest/mod.ts";
import { AmofError, type ErrorCode } from "../../../base/error.ts";
import { hostOf, TransferLimits } from "../../../git/mod.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { shellWord } from "../../../base/text/words.ts";
import type { RepoSnapshot } from "../../../workspace/clones/mod.ts";
import type { Refusal } from "../../../workspace/mod.ts";

/** What the full names of local branches begin with. */
export const LOCAL_BRANCHES = "refs/heads/";
/** What the full names of the remote's branches begin with. */
export const THERE = "refs/remotes/origin/";

/** A remote that could not be asked. */
interface Unasked {
  readonly name: string;
  readonly code: ErrorCode;
  /** Why, one sentence. */
  readonly reason: string;
}

/** What a remote says: the commit of its branch, or null when it has none; or why it could not be asked. */
type RemoteBranch = { readonly commit: string | null } | { readonly unasked: Unasked };

/** Questions to the remotes of one command: a few per host at once, and none to a host that failed to answer. */
export class RemoteBranches {
  readonly #ctx: CommandContext;
  readonly #limits: TransferLimits;
  readonly #silent = new Map<string, AmofError>();

  constructor(ctx: CommandContext) {
    this.#ctx = ctx;
    this.#limits = new TransferLimits(ctx.transfers);
  }

  /** Asks for a branch. At most one git process, network. */
  async ask(repo: Repo, directory: string, branch: string): Promise<RemoteBranch> {
    const host = hostOf(repo.url);
    try {
      return await this.#limits.turn(repo.url, async () => {
        const known = this.#silent.get(host);
        if (known !== undefined) throw known;
        return { commit: await this.#ctx.git.at(directory, repo.name).remoteRefs.tipOf(branch) };
      });
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      // An error about one repository does not mean that the host is unreachable for the others.
      const concernsHost = host !== "" && error.code !== "git_failed";
      if (concernsHost) this.#silent.set(host, error);
      return { unasked: { name: repo.name, code: error.code, reason: error.message } };
    }
  }
}

/** What is said of a remote that could not be asked, and what it means. */
export function describeUnasked({ name, reason }: Unasked, branch: string): string {
  return `${name}: its remote could not be asked whether it has ${branch} (${reason}); one pushed there since the last fetch is overlooked`;
}

/** How a branch comes to be. */
export interface Origin {
  /** `create` it, `track` the remote's, `reuse` the local one, or `stay` because it is checked out. */
  readonly action: "create" | "track" | "reuse" | "stay";
  /** The commit a new branch begins at. */
  readonly start: string;
  /** Whether it begins at what was not fetched yet: the remote's branch of its name, or of a new one the base branch. */
  readonly fetch: boolean;
  /** Why the remote could not be asked, or null. */
  readonly unasked: Unasked | null;
}

/** Where a branch comes from that is not there yet: the remote, or the branch it begins at; or why from neither. */
export async function originOf(
  remotes: Pick<RemoteBranches, "ask"> | null,
  { repo, directory }: Pick<RepoSnapshot, "repo" | "directory">,
  { branch, source, shared }: {
    readonly branch: string;
    readonly source: string;
    readonly shared: boolean;
  },
  refs: {
    readonly remote: string | undefined;
    /** The base branch at its remote, or what is to be taken along of it. */
    readonly base: string | undefined;
    readonly localBase: string | undefined;
  },
): Promise<Origin | Refusal> {
  const fetched = refs.remote ?? null;
  const answer = await remotes?.ask(repo, directory, branch);
  const unasked = answer !== undefined && "unasked" in answer ? answer.unasked : null;
  const remote = answer !== undefined && "commit" in answer ? answer.commit : fetched;
  if (remote !== null) {
    return { action: "track", start: remote, fetch: remote !== fetched, unasked };
  }
  if (shared) {
    return {
      repo: repo.name,
      code: "git_failed",
      problem: `has no branch ${branch} to share`,
      fix: "fetch it: amof sync",
    };
  }
  if (refs.base !== undefined) {
    return { action: "create", start: refs.base, fetch: false, unasked };
  }
  // A clone of few branches does not know this one, however often it is fetched.
  const asked = unasked === null ? await remotes?.ask(repo, directory, source) : undefined;
  if (asked !== undefined && "commit" in asked && asked.commit !== null) {
    return { action: "create", start: asked.commit, fetch: true, unasked };
  }
  if (refs.localBase !== undefined) {
    return { action: "create", start: refs.localBase, fetch: false, unasked };
  }
  const isKnown = asked !== undefined && "commit" in asked;
  return {
    repo: repo.name,
    code: "git_failed",
    problem: `has no branch ${source} to begin at${isKnown ? ", and neither has its remote" : ""}`,
    fix: [
      ...(isKnown ? [] : [
        remotes === null
          ? "ask its remote: the same command without --offline"
          : "fetch it: amof sync",
      ]),
      `name another base: the same command with --base ${repo.name}=BRANCH`,
    ].join("\n"),
  };
}

/** The full names of branches under which git can make no branch of this name, here or at the remote. */
export function conflictingBranches(branch: string): string[] {
  const parts = branch.split("/");
  return parts.slice(1).flatMap((_, at) => {
    const above = parts.slice(0, at + 1).join("/");
    return [`${LOCAL_BRANCHES}${above}`, `${THERE}${above}`];
  });
}

/** Why a new branch cannot have its name: git keeps no branch below another one. */
export function nameTaken({ repo, directory }: RepoSnapshot, branch: string, ref: string): Refusal {
  const at = `git -C ${shellWord(directory)}`;
  const name = ref.slice((ref.startsWith(LOCAL_BRANCHES) ? LOCAL_BRANCHES : THERE).length);
  const other = name.startsWith(`${branch}/`) ? name.replaceAll("/", "-") : `${name}-old`;
  return {
    repo: repo.name,
    code: "git_failed",
    problem: `cannot have ${branch}: ${
      ref.startsWith(LOCAL_BRANCHES) ? "it has" : "its remote has"
    } a branch ${name}, and git keeps none below another`,
    fix: ref.startsWith(LOCAL_BRANCHES)
      ? `rename it: ${at} branch -m ${shellWord(name)} ${shellWord(other)}`
      : `have it renamed there, and then: amof sync --repo ${repo.name}`,
  };
}
