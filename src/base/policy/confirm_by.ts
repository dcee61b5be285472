/** Whose word counts where nobody can be asked at once (CONFIRM-12). */

/** The caller's, who spends a token, or only that of a person at a terminal (`amof approve`). */
export const CONFIRM_BY = ["token", "human"] as const;
/** One of {@linkcode CONFIRM_BY}. */
export type ConfirmBy = typeof CONFIRM_BY[number];
