/**
 * Writes down every call of agentpack that could change something, in the log that `amof audit` reads.
 *
 * @module
 */

import type { AgentpackError } from "../../agentpack/mod.ts";
import type { Mode } from "../../policy/mode.ts";
import { type Decision, DECISIONS, type Way } from "../../store/mod.ts";
import { maskValue } from "../../text/mask.ts";
import { note } from "../audit.ts";
import type { Consent, Host, Question } from "./carry_out.ts";

/** Who calls. */
export interface Caller {
  readonly door: "cli" | "mcp";
  /** Name and version of the program or person. */
  readonly client: string;
  readonly sessionId: string;
}

/** A call that could have changed something, after it has ended. */
export interface Ended {
  readonly caller: Caller;
  /** The command id. */
  readonly id: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** How it got its consent, or would have; `none` where it needed none. */
  readonly way: Way;
  /** Whether a person was asked. */
  readonly asked: boolean;
  /** The hash of what was shown beforehand; null when nothing was. */
  readonly fingerprint: string | null;
  readonly error: AgentpackError | null;
  /** The mode that bound it; `none` where none did. */
  readonly mode: Mode | "none";
}

/** A consent, and what a person was asked for it so far. */
export interface Watched {
  readonly consent: Consent;
  asked(): Question | null;
}

/** Keeps in mind what is asked for a consent. */
export function watch(consent: Consent): Watched {
  let asked: Question | null = null;
  return {
    consent: consent.kind !== "ask" ? consent : {
      kind: "ask",
      ask(question) {
        asked = question;
        return consent.ask(question);
      },
    },
    asked: () => asked,
  };
}

function decisionOf({ error, way, asked }: Ended): Decision {
  switch (error?.code) {
    case undefined:
      return way === "none" ? "executed" : "accepted";
    case "E_CONFIRM_REQUIRED": {
      const said = DECISIONS.find((one) => one === error?.details?.["decision"]);
      return said ?? (asked ? "declined" : "unsupported");
    }
    case "E_MODE_INSUFFICIENT":
      return "refused_mode";
    case "E_CONFIRM_TOKEN_EXPIRED":
      return "timed_out";
    case "E_CONFIRM_TOKEN_REQUIRED":
      return "unsupported";
    case "E_CONFIRM_TOKEN_MISMATCH":
      return error?.details?.["confirm_plan_hash"] === undefined
        ? "confirmation_invalid"
        : "confirmation_stale";
    case "E_PLAN_STALE":
      return asked ? "confirmation_stale" : "failed";
    default:
      return "failed";
  }
}

/** Notes a call. The work is done by now, so that a log that cannot be written is only a warning. */
export async function auditCall(host: Host, ended: Ended): Promise<string[]> {
  const warnings: string[] = [];
  await note(host, { log: (_level, message) => void warnings.push(message) }, {
    at: host.system.clock.now(),
    ...ended.caller,
    // Assets belong to a home and its projects, and to no control repository.
    root: "",
    ecosystem: "",
    tool: `agentpack ${ended.id}`,
    args: maskValue(ended.args),
    mode: ended.mode,
    decision: decisionOf(ended),
    way: ended.way,
    fingerprint: ended.fingerprint,
    outcome: ended.error?.code ?? "ok",
    runId: null,
  });
  return warnings;
}
