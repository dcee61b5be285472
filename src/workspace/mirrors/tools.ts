/** What work on mirrors needs of a command. */

import type { ExecuteContext } from "../../contract/mod.ts";
import type { Borrower } from "../../state/store/mod.ts";

/** The part of a command's context that mirrors are made and kept with. */
export type MirrorTools =
  & Pick<
    ExecuteContext,
    "system" | "git" | "layout" | "report" | "signal"
  >
  & {
    /** Who is known to borrow. */
    readonly store: () => Promise<
      { readonly borrowers: { readonly of: (mirror: string) => readonly Borrower[] } }
    >;
    /** What stands beside the mirrors for whoever finds them; absent for those that clones of tickets borrow from. */
    readonly readme?: string;
  };
