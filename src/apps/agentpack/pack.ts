/** What every operation of this domain receives and answers. */

import { AmofError } from "../../base/error.ts";
import { Git } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { AgentpackError, interrupted } from "./error.ts";
import { interruptible } from "./interrupt.ts";
import { withPosix } from "./io.ts";

/** The world an operation works in, and how the program calls itself. */
export interface Pack {
  /** Read-only for operations that change nothing. */
  readonly system: System;
  readonly git: Git;
  /**
   * The world in which git checkouts are fetched. It can be written to even when `system` cannot: reading
   * commands fetch what is missing (PACK-8), and write nowhere else.
   */
  readonly cache: { readonly system: System; readonly git: Git };
  /** Our version, which operator assets and envelopes carry. */
  readonly version: string;
  /** The words a user types before `plan`, `deploy`, …, for next actions. */
  readonly prefix: string;
}

interface PackOptions {
  readonly system: System;
  /** Where checkouts are fetched; `system` when absent. */
  readonly cache?: System;
  readonly version: string;
  readonly prefix: string;
  /** Ends what is under way, where that leaves nothing half done. */
  readonly signal?: AbortSignal;
}

/** Puts a world together. */
export function makePack(options: PackOptions): Pack {
  const cache = options.cache ?? options.system;
  return {
    system: interruptible(options.system, options.signal),
    git: new Git(options.system, options.signal),
    cache: { system: cache, git: new Git(cache, options.signal) },
    version: options.version,
    prefix: options.prefix,
  };
}

/** What a call is about: the global options of PACK-38, as they were given. */
export interface Selection {
  readonly repo?: string | undefined;
  readonly profile?: string | undefined;
  readonly target?: string | undefined;
  readonly machine?: string | undefined;
  /** The project, where it is not the working directory. */
  readonly project?: string | undefined;
}

/** What an operation answers: the `data` of the envelope, and warnings for people. */
export interface Answer<D> {
  readonly data: D;
  readonly warnings: readonly string[];
}

/** Runs git and throws its failures as codes of the contract; `cwd` is where it ran. */
export async function viaGit<T>(cwd: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    if (error.code === "cancelled") throw interrupted();
    if (error.details["kind"] === "no_git") {
      throw new AgentpackError("E_GIT_NOT_FOUND", error.message, {
        ...withPosix("cwd", cwd),
        args: error.details["args"],
        hint: "Install git and make sure that it is on PATH",
      }, { cause: error });
    }
    // This code has no details, so what is to be done about git itself stands in the message.
    const mended = ["unsafe_owner", "too_old"].includes(String(error.details["kind"]));
    const message = mended ? `${error.message}. ${error.hint}` : error.message;
    throw new AgentpackError("E_UNEXPECTED", message, {}, { cause: error });
  }
}
