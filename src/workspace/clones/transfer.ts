/**
 * Talks to the remotes of many repositories: in turn, again while the network fails, and no further with a host that
 * wants credentials.
 */

import { AmofError } from "../../base/error.ts";
import { hostOf, TransferLimits } from "../../git/mod.ts";
import { withRetries } from "../../git/changing.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { whyOf } from "../refusal.ts";

/** How many repositories of a host must want credentials, and none let anybody in, before the rest is left untried. */
const REFUSALS = 3;

interface HostSoFar {
  readonly refused: number;
  readonly reached: boolean;
}

/** What the repositories of one install or sync share. */
export class Transfers {
  readonly #limits: TransferLimits;
  readonly #hosts = new Map<string, HostSoFar>();

  /** `jobs` is how many may talk at once, or null for the defaults. */
  constructor(jobs: number | null) {
    this.#limits = new TransferLimits(jobs);
  }

  /**
   * Does work that talks to the remote of a repository when it is its turn, and again while the network fails. What
   * the context's signal ends while it waits for the next try fails as it did before.
   */
  async turn<T>(
    ctx: Pick<ExecuteContext, "system" | "signal" | "report">,
    repo: { readonly name: string; readonly url: string },
    work: () => Promise<T>,
  ): Promise<T> {
    return await this.#limits.turn(repo.url, async () => {
      if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
      const host = hostOf(repo.url);
      this.#insistOnSignIn(host, repo.name);
      try {
        const result = await withRetries(
          ctx.system.clock,
          ctx.signal,
          work,
          (error, delay) =>
            ctx.report.log("warn", `${repo.name}: ${whyOf(error)}; again in ${delay / 1000} s`, {
              type: "progress",
              payload: { repo: repo.name, phase: "trying again" },
            }),
        );
        this.#hosts.set(host, { ...this.#soFar(host), reached: true });
        return result;
      } catch (error) {
        if (error instanceof AmofError && error.code === "auth_failed") {
          const { refused, reached } = this.#soFar(host);
          this.#hosts.set(host, { refused: refused + 1, reached });
        }
        throw error;
      }
    });
  }

  #soFar(host: string): HostSoFar {
    return this.#hosts.get(host) ?? { refused: 0, reached: false };
  }

  /** Throws where a host has only wanted credentials so far: each further try might open a window for them. */
  #insistOnSignIn(host: string, repo: string): void {
    const { refused, reached } = this.#soFar(host);
    if (host === "" || reached || refused < REFUSALS) return;
    const reason = `not tried, because ${host} wanted credentials for ${refused} others`;
    throw new AmofError("auth_failed", `Cannot reach the remote of "${repo}": ${reason}`, {
      hint: "Sign in first: set up a credential helper or an SSH key for this host, then repeat",
      details: { repo, kind: "auth", reason },
    });
  }
}
