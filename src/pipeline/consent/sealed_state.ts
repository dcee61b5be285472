/**
 * What a client without a session carries between a question and its answer (CONFIRM-18): sealed, because whoever is
 * between may change it, and bound to the call that it was made for.
 */

import { hmac } from "../../base/hash.ts";
import { isSame } from "../../base/policy/same.ts";

/** What it holds. */
export interface State {
  /** What finds the stored request, whose row holds only its hash. */
  readonly nonce: string;
  readonly tool: string;
  /** The hash of the arguments as they came. */
  readonly args: string;
  readonly fingerprint: string;
  /** The hash of who asked, and where. */
  readonly principal: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** From 1 to {@linkcode MOST_ROUNDS}. */
  readonly round: number;
  /** The name of the question. */
  readonly question: string;
}

/** The members in the order in which they are sealed. */
const MEMBERS = [
  "nonce",
  "tool",
  "args",
  "fingerprint",
  "principal",
  "expiresAt",
  "round",
  "question",
] as const satisfies readonly (keyof State)[];

/** A longer one is refused unread. */
const LONGEST = 4096;
const FORM = /^amof1\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;

function macOf(key: string, body: string): string {
  return hmac(key, `amof mcp requestState\0amof1.${body}`);
}

/** The state as a client gets it. */
export function seal(key: string, state: State): string {
  const values = MEMBERS.map((member) => state[member]);
  const bytes = new TextEncoder().encode(JSON.stringify(values));
  const body = bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  return `amof1.${body}.${macOf(key, body)}`;
}

/** The state in a text; null unless it was sealed with this key. */
export function unseal(key: string, text: string): State | null {
  const [, body, mac] = text.length > LONGEST ? [] : FORM.exec(text) ?? [];
  if (body === undefined || mac === undefined || !isSame(mac, macOf(key, body))) return null;
  const bytes = Uint8Array.fromBase64(body, { alphabet: "base64url" });
  const values: unknown[] = JSON.parse(new TextDecoder().decode(bytes));
  return Object.fromEntries(MEMBERS.map((member, at) => [member, values[at]])) as unknown as State;
}

/** Whether a state was made for a call. */
export function isFor(
  state: State,
  call: Pick<State, "tool" | "args" | "principal">,
): boolean {
  return state.tool === call.tool && isSame(state.args, call.args) &&
    isSame(state.principal, call.principal);
}
