/**
 * How a door asks a person for consent.
 *
 * @module
 */

import type { Fields, Mutation, Preview } from "../spec/mod.ts";
import { stripUnsafe } from "../text/sanitize.ts";

/**
 * Whose word counts where nobody can be asked at once (design §4): the caller's, who spends a token, or only
 * that of a person at a terminal (`amof approve`).
 */
export const CONFIRM_BY = ["token", "human"] as const;
/** One of {@linkcode CONFIRM_BY}. */
export type ConfirmBy = typeof CONFIRM_BY[number];

/** What a person is asked. */
export interface ApprovalRequest {
  readonly title: string;
  readonly kind: "simple" | "preview" | "type";
  /** "Would push 2 repos." */
  readonly summary: string;
  readonly details: string;
  readonly irreversible: string | null;
  /** What must be typed, and what it is: "ecosystem name". */
  readonly typed: { readonly what: string; readonly value: string } | null;
  readonly signal: AbortSignal;
}

/** What a person is asked about a call with this preview. `asker` stands before the details. */
export function requestFor(
  command: Mutation,
  preview: Preview<Fields, Fields>,
  typed: string | null,
  signal: AbortSignal,
  asker = "",
): ApprovalRequest {
  const details = preview.details ?? preview.effects.join("\n");
  return {
    title: command.title,
    kind: command.confirm === "none" ? "simple" : command.confirm,
    // Previews repeat what others wrote, and none of that may change how the question looks.
    summary: stripUnsafe(preview.summary),
    details: stripUnsafe([asker, details].filter((part) => part !== "").join("\n\n")),
    irreversible: preview.irreversible === undefined ? null : stripUnsafe(preview.irreversible),
    typed: typed === null ? null : { what: "ecosystem name", value: typed },
    signal,
  };
}

/**
 * How it ended. Only `accepted` lets the action start. `unsupported` means that nobody can be asked here,
 * so that a token is handed out instead.
 */
export type ApprovalDecision =
  | "accepted"
  | "declined"
  | "cancelled"
  | "timed_out"
  | "wrong_name"
  | "unsupported";

/** A decision and how it was made, or for `unsupported` how it would have been. */
export interface Approval {
  readonly decision: ApprovalDecision;
  readonly way: "prompt" | "flag" | "elicitation" | "human";
}

/** Asks a person. */
export interface Approver {
  ask(request: ApprovalRequest): Promise<Approval>;
}

/** The approver for clients that show no forms. */
export const nobody: Approver = {
  ask: () => Promise.resolve({ decision: "unsupported", way: "elicitation" }),
};
