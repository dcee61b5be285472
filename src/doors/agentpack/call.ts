/**
 * What a call of agentpack is, through any door: a command with its input, who calls, and how a change gets its
 * consent.
 */

import type {
  Act,
  AgentpackError,
  InputOf,
  Options,
  PackCommand,
  PackContext,
  Person,
  Selection,
} from "../../apps/agentpack/mod.ts";
import type { Mode } from "../../base/policy/mode.ts";
import type { Store } from "../../state/store/mod.ts";
import type { System } from "../../base/system/mod.ts";

/** The program around a call. */
export interface Host {
  readonly system: System;
  readonly version: string;
  /** The words a user types before `plan`, `deploy`, …. */
  readonly prefix: string;
  /** Opens the store with the audit log. */
  readonly store: () => Promise<Store>;
}

interface Caller {
  readonly door: "cli" | "mcp";
  /** Name and version of the program or person. */
  readonly client: string;
  readonly sessionId: string;
}

/** What a person is asked before something changes. */
export interface Question {
  /** The command id. */
  readonly id: string;
  readonly summary: string;
  /** The dry run as text; null where there is none. */
  readonly preview: string | null;
  /** The hash of what the dry run found; null where there is none. */
  readonly fingerprint: string | null;
}

/** Asks a person; throws what to answer when they do not agree. */
export type Ask = (question: Question) => Promise<void>;

/** How a token stands for a consent. */
export interface TokenConsent {
  readonly kind: "token";
  /** The hash of what the token was given for; null for an unknown one. */
  readonly fingerprint: string | null;
  /** Asks a person besides; null where nobody has to be. */
  readonly ask: Ask | null;
  /**
   * Checks the token before a lock is taken, and lets the person see what it stands for, if one has to. Answers
   * what compares that with what is found under the lock.
   */
  readonly check: (place: PackContext, ask: Ask | null) => Promise<Act["approve"]>;
}

/** Whether a call may change something. */
export type Consent =
  | { readonly kind: "given" }
  | { readonly kind: "withheld" }
  | { readonly kind: "ask"; readonly ask: Ask }
  | TokenConsent;

/** A call through any door. */
export interface PackCall {
  readonly command: PackCommand;
  readonly input: InputOf<Options>;
  readonly selection: Selection;
  readonly dryRun: boolean;
  readonly consent: Consent;
  readonly signal: AbortSignal;
  /** The person who sits at a terminal; null where there is none. */
  readonly person: Person | null;
  readonly caller: Caller;
  /** The arguments as they were given, for the log. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The mode that binds the call; `none` where none does. */
  readonly mode: Mode | "none";
  /** Why the door itself refuses it; null where it does not. */
  readonly refusal: AgentpackError | null;
  /** Waits until the call may make its change, where one door has several. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>;
}
