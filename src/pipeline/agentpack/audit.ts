/** Writes down every call of agentpack that could change something, in the log that `amof audit` reads. */

import type { AgentpackError } from "../../apps/agentpack/mod.ts";
import { type Decision, DECISIONS, type Way } from "../../state/store/mod.ts";
import { maskValue } from "../../base/text/mask.ts";
import { note } from "../audit.ts";
import type { Host, PackCall, Question } from "./call.ts";

/** A call that could have changed something, after it has ended. */
interface Ended {
  readonly call: PackCall;
  /** The command id. */
  readonly id: string;
  readonly error: AgentpackError | null;
  /** What a person was asked; null when nobody was. */
  readonly asked: Question | null;
}

/** How a call got its consent, or would have; `none` where it needed none. */
function wayOf({ call: { consent, caller }, error, asked }: Ended): Way {
  const prompted = caller.door === "cli" ? "prompt" : "elicitation";
  if (asked !== null) return prompted;
  switch (consent.kind) {
    case "token":
      return "token";
    case "given":
      return "flag";
    case "withheld":
    case "ask":
      // A call that changes nothing asks nobody.
      if (error === null) return "none";
      if (caller.door === "mcp") return "flag";
      return error.code === "E_CONFIRM_REQUIRED" ? "prompt" : "none";
  }
}

function decisionOf({ error, asked }: Ended, way: Way): Decision {
  switch (error?.code) {
    case undefined:
      return way === "none" ? "executed" : "accepted";
    case "E_CONFIRM_REQUIRED": {
      const said = DECISIONS.find((one) => one === error?.details?.["decision"]);
      return said ?? (asked !== null ? "declined" : "unsupported");
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
      return asked !== null ? "confirmation_stale" : "failed";
    default:
      return "failed";
  }
}

/** Notes a call. The work is done by now, so that a log that cannot be written is only a warning. */
export async function auditCall(host: Host, ended: Ended): Promise<string[]> {
  const { call: { caller, args, mode, consent }, id, error, asked } = ended;
  const warnings: string[] = [];
  const way = wayOf(ended);
  await note(host, { log: (_level, message) => void warnings.push(message) }, {
    at: host.system.clock.now(),
    ...caller,
    // Assets belong to a home and its projects, and to no control repository.
    root: "",
    ecosystem: "",
    tool: `agentpack ${id}`,
    args: maskValue(args),
    mode,
    decision: decisionOf(ended, way),
    way,
    fingerprint: asked?.fingerprint ?? (consent.kind === "token" ? consent.fingerprint : null),
    outcome: error?.code ?? "ok",
    runId: null,
  });
  return warnings;
}
