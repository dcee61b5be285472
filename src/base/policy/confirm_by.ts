/** Whose word counts where nobody can be asked at once (CONFIRM-12). */

/** The caller's, who spends a token, or only that of a person at a terminal (`amof approve`). */
export const CONFIRM_BY = ["token", "human"] as const;
/** One of {@linkcode CONFIRM_BY}. */
export type ConfirmBy = typeof CONFIRM_BY[number];

/** Whether a client that declares forms is asked by them: some declare them and never show one. */
export const ELICITATION = ["auto", "off"] as const;

/** Whether a value of `AMOF_READ_ONLY` leaves out what changes anything: any that does not clearly mean "no". */
export function saysReadOnly(value: string | undefined): boolean {
  return !/^(?:0|false|no|off)?$/i.test(value ?? "");
}
