/** What stands between a call of git and a clone whose configuration somebody may have changed. */

import type { System } from "../../base/system/mod.ts";
import type { GitCall } from "./client.ts";
import type { Suspects } from "../seal/judge.ts";

/** A way for a call of git round a configuration that must not count. */
export type Detour =
  /** A git directory that stands in for that of the clone. */
  | { readonly sanitized: string }
  /** Starts git in the clone itself, where what it runs can do no more than whoever has written that. */
  | { readonly confine: <T>(system: System, work: (inside: System) => Promise<T>) => Promise<T> };

/** What somebody has to look at in a clone. */
export interface Untrusted extends Suspects {
  /** Whether git can work there all the same, because it does so where whoever wrote that works. */
  readonly confined: boolean;
}

/** Says before each call how git may work in a directory. */
export interface GitGuard {
  /**
   * Null where git may go by the configuration that is there; a way round it where that must not count. Throws where
   * there is none.
   */
  before(
    directory: string,
    call: Pick<GitCall, "access" | "network" | "sends">,
    label: string | null,
  ): Promise<Detour | null>;
  /** What somebody has to look at before the configuration of a repository counts; null where it counts. */
  suspects(directory: string): Promise<Untrusted | null>;
}
