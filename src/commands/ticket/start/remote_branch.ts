/**
 * Asks remotes whether they have a branch already: one that was pushed since the last fetch would otherwise be made
 * a second time, with other commits.
 */

import type { Repo } from "../../../workspace/manifest/mod.ts";
import { AmofError, type ErrorCode } from "../../../base/error.ts";
import { hostOf, TransferLimits } from "../../../git/mod.ts";
import type { CommandContext } from "../../../contract/mod.ts";

/** A remote that could not be asked. */
export interface Unasked {
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
