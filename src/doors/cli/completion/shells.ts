/** The shells that command lines are completed in. */

/** The shells there is a script for. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
/** One of {@linkcode SHELLS}. */
export type Shell = typeof SHELLS[number];
