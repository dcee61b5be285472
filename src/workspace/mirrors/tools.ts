/**
 * What work on mirrors needs of a command.
 *
 * @module
 */

import type { ExecuteContext } from "../../contract/mod.ts";

/** The part of a command's context that mirrors are made and kept with. */
export type MirrorTools =
  & Pick<
    ExecuteContext,
    "system" | "git" | "layout" | "report" | "signal" | "store"
  >
  & {
    /** What stands beside the mirrors for whoever finds them; absent for those that clones of tickets borrow from. */
    readonly readme?: string;
  };
