/** How a door asks a person for consent. */

import type { Fields } from "../../base/object.ts";
import type { Mutation, Preview } from "../../contract/mod.ts";
import { blocks, cleanParts, type Details, type Part } from "../../base/text/parts.ts";
import { undoLine } from "../wording.ts";
import { cleanLine, stripUnsafe } from "../../base/text/sanitize.ts";
import { hmac } from "../../base/hash.ts";
import { isSame } from "../../base/policy/consent.ts";

/** What a command does as a noun: "push". */
export function actionNoun(command: Mutation): string {
  return command.asks?.deed ?? command.title.toLowerCase();
}

/**
 * What it is done to: what the preview says, else an ecosystem, a run, a version; null where it is the control
 * repository itself.
 */
function subjectOf(
  { subject, facts }: Preview<Fields, Fields>,
  ecosystem: string,
): string | null {
  if (subject !== undefined) return subject.name;
  if (ecosystem !== "") return ecosystem;
  const { run_id: run, tag } = facts;
  return typeof run === "string" ? `run:${run.slice(0, 8)}` : typeof tag === "string" ? tag : null;
}

/** What has to be typed for a call that asks for a name: that of the subject, else of the ecosystem. */
export function typedFor(
  { subject }: Preview<Fields, Fields>,
  ecosystem: string,
): { readonly what: string; readonly value: string } {
  return subject?.typed ?? { what: "ecosystem name", value: ecosystem };
}

/** What is done, and to what: "push of shop" in a sentence is `of`, "push shop" as a heading is not. */
export function actionPhrase(
  command: Mutation,
  preview: Preview<Fields, Fields>,
  ecosystem: string,
  of = false,
): string {
  const subject = subjectOf(preview, ecosystem);
  const word = of ? actionNoun(command) : command.asks?.verb ?? actionNoun(command);
  return cleanLine(
    [word, ...(subject === null ? [] : [of ? `of ${subject}` : subject])].join(" "),
    120,
  );
}

/** A text as the beginning of a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a person is asked. */
export interface ApprovalRequest {
  /** What it is about, as a question: "Discard shop?" */
  readonly heading: string;
  /** What is asked for as a noun: "discard". */
  readonly deed: string;
  readonly kind: "simple" | "preview" | "type";
  /** "Would push 2 repos." */
  readonly summary: string;
  /** What would happen, for readers. */
  readonly details: readonly Part[];
  readonly irreversible: string | null;
  /** What must be typed, and what it is: "ecosystem name". */
  readonly typed: { readonly what: string; readonly value: string } | null;
  readonly signal: AbortSignal;
}

/** What a person is asked about a call with this preview. `asker` stands before the details. */
export function requestFor(
  command: Mutation,
  preview: Preview<Fields, Fields>,
  { ecosystem, typed, signal, asker = "" }: {
    readonly ecosystem: string;
    readonly typed: string | null;
    readonly signal: AbortSignal;
    readonly asker?: Details | undefined;
  },
): ApprovalRequest {
  return {
    heading: `${capital(actionPhrase(command, preview, ecosystem))}?`,
    deed: actionNoun(command),
    kind: command.confirm === "none" ? "simple" : command.confirm,
    // Previews repeat what others wrote, and none of that may change how the question looks.
    summary: stripUnsafe(preview.summary),
    details: cleanParts(blocks(
      asker,
      preview.details ?? preview.effects,
      undoLine(preview),
    )),
    irreversible: preview.irreversible === undefined ? null : stripUnsafe(preview.irreversible),
    typed: typed === null ? null : { ...typedFor(preview, ecosystem), value: typed },
    signal,
  };
}

/**
 * How it ended. Only `accepted` lets the action start. `unsupported` means that nobody can be asked here,
 * so that a token is handed out instead; `ask_failed` that somebody
 * should have been asked, and the asking broke.
 */
export type ApprovalDecision =
  | "accepted"
  | "declined"
  | "cancelled"
  | "timed_out"
  | "wrong_name"
  | "ask_failed"
  | "unsupported";

/** Whether a typed name is the one that is asked for; blanks around it do not count. */
export function judgeTyped(
  { typed }: Pick<ApprovalRequest, "typed">,
  given: string,
): ApprovalDecision {
  return typed === null || given.trim() === typed.value ? "accepted" : "wrong_name";
}

/** A decision and how it was made, or for `unsupported` how it would have been. */
export interface Approval {
  readonly decision: ApprovalDecision;
  /** Set where the client answered by itself, so that nobody was asked. */
  readonly unattended?: true;
  readonly way: "prompt" | "flag" | "elicitation" | "human";
}

/** What a question that goes out with an answer carries for the one that comes back. */
export type Carried = Omit<State, "tool" | "args" | "principal">;

/** A question that goes out with an answer: in a form, or by the page in which a person decides. */
export interface Question {
  readonly asks:
    | { readonly by: "form"; readonly request: ApprovalRequest }
    | { readonly by: "page"; readonly url: string; readonly message: string };
  /** How things changed since it was put before. */
  readonly changed: readonly string[];
  readonly carried: Carried;
}

/** The way to a person that leads through the client and back with a repeated call. */
export interface Rounds {
  /** Whether the client shows forms, and whether it opens pages. */
  readonly forms: boolean;
  readonly pages: boolean;
  /** What came back, when its seal was good and it was made for this call; null where nothing did. */
  readonly came: Carried | null;
  /** What the person said to this request so long after it was put; null where the client brought no answer. */
  answerTo(request: ApprovalRequest, afterMs: number): Approval | null;
  /** Whether the client agreed to open a page; null where it said nothing of it. */
  opened(): boolean | null;
  /** Puts a question. */
  put(question: Question): void;
}

/** Asks a person. */
export interface Approver {
  /** Whether asking was tried before, and turned out to be impossible. */
  readonly unable?: boolean;
  /** Where questions go out with the answers of calls; absent where they are asked and waited for. */
  readonly rounds?: Rounds;
  ask(request: ApprovalRequest): Promise<Approval>;
}

/** The approver for clients that show no forms. */
export const nobody: Approver = {
  ask: () => Promise.resolve({ decision: "unsupported", way: "elicitation" }),
};

// What a client without a session carries between a question and its answer (CONFIRM-18). It is sealed, because
// whoever is between may change it, and bound to the call that it was made for.

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
