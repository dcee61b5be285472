/**
 * What stands between a call of git and a clone whose configuration somebody may have changed.
 *
 * @module
 */

import type { GitCall } from "./client.ts";
import type { Suspects } from "./seal/judge.ts";

/** Says before each call how git may work in a directory. */
export interface GitGuard {
  /**
   * Null where git may go by the configuration that is there; a git directory that stands in for it where that must
   * not count and the call only reads. Throws where the call would need it.
   */
  before(
    directory: string,
    call: Pick<GitCall, "access" | "network">,
    label: string | null,
  ): Promise<string | null>;
  /** What somebody has to look at before the configuration of a repository counts; null where it counts. */
  suspects(directory: string): Promise<Suspects | null>;
}
