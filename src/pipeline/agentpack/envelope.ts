/**
 * The JSON envelope of agentpack, the same through both doors (PACK-39).
 *
 * @module
 */

import type { AgentpackError, Answer } from "../../apps/agentpack/mod.ts";

/** One failure. */
interface EnvelopeError {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An answer as machines read it; the members are in the order of the contract. */
export interface Envelope {
  readonly schema_version: 1;
  readonly ok: boolean;
  /** Dotted words: `evolve.propose`. */
  readonly command: string;
  /** Words and mode flags: `deploy --apply`. */
  readonly command_id: string;
  readonly command_path: readonly string[];
  readonly version: string;
  readonly data: object;
  /** For people; never to be branched on. */
  readonly warnings: readonly string[];
  readonly errors: readonly EnvelopeError[];
}

/** What an envelope is about. */
export interface Subject {
  readonly words: readonly string[];
  readonly id: string;
  readonly version: string;
}

function head(
  subject: Subject,
): Pick<Envelope, "command" | "command_id" | "command_path" | "version"> {
  return {
    command: subject.words.join("."),
    command_id: subject.id,
    command_path: subject.id === "" ? [] : subject.id.split(" "),
    version: subject.version,
  };
}

/** The envelope of a success. */
export function success(subject: Subject, answer: Answer<object>): Envelope {
  return {
    schema_version: 1,
    ok: true,
    ...head(subject),
    data: answer.data,
    warnings: answer.warnings,
    errors: [],
  };
}

/** The envelope of a failure. */
export function failure(subject: Subject, error: AgentpackError): Envelope {
  const { code, message, details } = error;
  return {
    schema_version: 1,
    ok: false,
    ...head(subject),
    data: {},
    warnings: [],
    errors: [{ code, message, ...(details === null ? {} : { details }) }],
  };
}
