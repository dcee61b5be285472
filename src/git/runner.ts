/**
 * Runs git for all parts of {@linkcode Git}: one world, one way to fail.
 *
 * @module
 */

import type { ProcessResult, System } from "../system/mod.ts";
import { AmofError } from "../error.ts";
import { type GitCall, runGit } from "./client.ts";
import { gitFailure, isRecentGit, isUnanswered, tooOld } from "./error.ts";
import { inTurn } from "./turn.ts";

/** The worlds whose git is known to be recent enough. */
const RECENT = new WeakSet<System["env"]>();

/** Git over one world. */
export class Runner {
  readonly system: System;
  /** How many seconds one transfer may take, or null. */
  readonly timeout: number | null;
  readonly #signal: AbortSignal | undefined;

  constructor(system: System, signal?: AbortSignal, timeout: number | null = null) {
    this.system = system;
    this.timeout = timeout;
    this.#signal = signal;
  }

  /** Runs git and resolves to how it ended, also when it failed. */
  run(args: readonly string[], call: GitCall): Promise<ProcessResult> {
    const limit = call.network === true ? this.timeout : null;
    return runGit(
      this.system,
      args,
      limit === null ? call : { ...call, timeoutMs: limit * 1_000 },
      this.#signal,
    );
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
    if (result.exitCode !== 0) throw await this.#failure(result, call, what, repo);
    if (result.truncated && call.access === "read") throw cut(what, repo);
    return result.stdout;
  }

  /** The same as bytes. */
  async mustBytes(
    args: readonly string[],
    call: GitCall,
    what: string,
    repo: string | null,
  ): Promise<Uint8Array> {
    const result = await this.run(args, { ...call, binary: true });
    if (result.exitCode !== 0) throw await this.#failure(result, call, what, repo);
    if (result.truncated) throw cut(what, repo);
    return result.bytes ?? new Uint8Array();
  }

  /**
   * Asks git something that may have no answer: null then. A git that is missing, too old, interrupted, or that
   * refuses the repository has not said no: that throws, as {@linkcode must} does. `isNo` tells which failures are a
   * no; all others are when it is absent.
   */
  async ask(
    args: readonly string[],
    call: GitCall,
    what: string,
    repo: string | null,
    isNo: (result: ProcessResult) => boolean = () => true,
  ): Promise<ProcessResult | null> {
    const result = await this.run(args, call);
    if (result.truncated) throw cut(what, repo);
    if (result.exitCode === 0) return result;
    if (isUnanswered(result) || !isNo(result)) throw await this.#failure(result, call, what, repo);
    // An old git also answers "no" to options it does not know, so its version is checked.
    await this.#requireRecent(call, what);
    return null;
  }

  async #failure(
    result: ProcessResult,
    call: GitCall,
    what: string,
    repo: string | null,
  ): Promise<AmofError> {
    const error = gitFailure(result, what, repo, call);
    if (error.details["kind"] === "other") await this.#requireRecent(call, what);
    return error;
  }

  /** Throws when git is too old. One process, the first time in a world. */
  async #requireRecent(call: GitCall, what: string): Promise<void> {
    if (RECENT.has(this.system.env)) return;
    const result = await this.run(["version"], { cwd: call.cwd, access: "read" });
    const version = /^git version (\S+)/.exec(result.stdout)?.[1] ?? "";
    if (!isRecentGit(version)) throw tooOld(version, what);
    RECENT.add(this.system.env);
  }
}

/** Half an answer read as a whole one could say that nothing would be lost. */
function cut(what: string, repo: string | null): AmofError {
  return new AmofError("git_failed", `Cannot ${what}: git answered more than can be read`, {
    details: { repo, kind: "too_much" },
  });
}
