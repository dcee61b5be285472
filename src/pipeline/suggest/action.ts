/** The shape of a suggested next step (NEXT-1). */

import type { Mode, Safety } from "../../base/policy/mode.ts";

/** A next step offered with an answer. */
export interface SuggestedAction {
  readonly id: string;
  /** At most 30 characters. */
  readonly label: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The directory in which it has to be called, where the one of this program would be in its way. */
  readonly from?: string;
  readonly scope: "global" | "ecosystem" | "run" | "release" | "server";
  readonly mode_required: Mode;
  readonly safety: Safety;
  readonly confirm: boolean;
  /** 1 is the highest, 5 the lowest. */
  readonly priority: number;
  readonly description: string;
  readonly condition?: string;
}
