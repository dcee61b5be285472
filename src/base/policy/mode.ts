/** The three modes and what each allows (MODE-1), and the doors by which calls come in. */

/** The command line, MCP, and the HTTP API of the server. */
export const DOORS = ["cli", "mcp", "http"] as const;
/** One of {@linkcode DOORS}: on `cli` a person types, through the others a program calls. */
export type Door = typeof DOORS[number];

/** The door that a record names; the command line where it names none. */
export function doorOf(value: unknown): Door {
  return DOORS.find((door) => door === value) ?? "cli";
}

/** The modes in rising order: each allows what the one before allows, and more. */
export const MODES = ["ask", "plan", "execute"] as const;
/** One of {@linkcode MODES}. */
export type Mode = typeof MODES[number];

/** What each mode does, for help, tool list and instructions. */
export const MODES_IN_WORDS = "ask explains, plan previews, execute acts";

/** What a command may do to the user's repositories and infrastructure. */
export type Safety = "read-only" | "safe-write" | "dangerous-write";

/** Whether the text names a mode. */
export function isMode(text: string): text is Mode {
  return (MODES as readonly string[]).includes(text);
}

/**
 * Whether `mode` allows at least what `needed` allows.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { allows } from "./mode.ts";
 *
 * assertEquals([allows("execute", "plan"), allows("ask", "plan")], [true, false]);
 * ```
 */
export function allows(mode: Mode, needed: Mode): boolean {
  return MODES.indexOf(mode) >= MODES.indexOf(needed);
}

/** The lowest mode in which a call of this safety has an effect or a preview (MODE-5). */
export function modeRequired(safety: Safety): Mode {
  return safety === "read-only" ? "ask" : safety === "safe-write" ? "plan" : "execute";
}

/** What a refusal says to a program when no call may go that high: raising the mode does not help. */
export const CAPPED = {
  reason: "capped",
  reason_code: "mode_capped",
  next_actions: ["ask_the_person"],
} as const;

// Whose word counts where nobody can be asked at once (CONFIRM-12).

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
