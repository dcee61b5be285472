/** How much is kept of the runs in an ecosystem so that they can be undone (UNDO-8). */

import type { Settings } from "../state/settings/mod.ts";
import type { Manifest } from "./manifest/manifest.ts";

/** Whether anything is kept, for how many days, of how many runs, and how many MB in all. */
export type UndoLimits = Settings["undo"];

/** What the user's settings and the manifest leave together: the less of both, so that a manifest never asks for more. */
export function undoLimits({ undo: own }: Settings, { undo }: Manifest): UndoLimits {
  const less = (a: number, b: number | null) => b === null ? a : Math.min(a, b);
  return {
    on: own.on && undo.on,
    days: less(own.days, undo.days),
    runs: less(own.runs, undo.runs),
    mb: less(own.mb, undo.mb),
  };
}
