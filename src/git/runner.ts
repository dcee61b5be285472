/**
 * Runs git for all parts of {@linkcode Git}: one world, one way to fail.
 *
 * @module
 */

import type { ProcessResult, System } from "../system/mod.ts";
import { AmofError } from "../error.ts";
import { type GitCall, runGit } from "./client.ts";
import { gitFailure } from "./error.ts";
import { inTurn } from "./turn.ts";

/** Git over one world. */
export class Runner {
  readonly system: System;
  readonly #signal: AbortSignal | undefined;

  constructor(system: System, signal?: AbortSignal) {
    this.system = system;
    this.#signal = signal;
  }

  /** Runs git and resolves to how it ended, also when it failed. */
  run(args: readonly string[], call: GitCall): Promise<ProcessResult> {
    return runGit(this.system, args, call, this.#signal);
  }

  /** Does work on a repository while no other process of this program writes there. */
  inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    return inTurn(this.system, path, work);
  }

  /**
   * Runs git and answers what it printed; throws what {@linkcode gitFailure} makes of a failure to do `what`, and
   * `git_failed` for an answer that was cut.
   */
  async must(
    args: readonly string[],
    call: GitCall,
    what: string,
    repo: string | null,
  ): Promise<string> {
    const result = await this.run(args, call);
    if (result.exitCode !== 0) throw gitFailure(result, what, repo);
    if (result.truncated && call.access === "read") {
      // Half an answer read as a whole one could say that nothing would be lost.
      throw new AmofError("git_failed", `Cannot ${what}: git answered more than can be read`, {
        details: { repo, kind: "too_much" },
      });
    }
    return result.stdout;
  }
}
