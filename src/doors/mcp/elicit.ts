/**
 * Asks the person behind the client through elicitation (MCP-5).
 *
 * Only an accepted form with the required content is a yes; everything else changes nothing.
 *
 * @module
 */

import type { Approval, ApprovalRequest, Approver } from "../../pipeline/consent/approver.ts";
import { plainText } from "../../base/text/parts.ts";
import { type ElicitResult, ErrorCode, McpError } from "./sdk.ts";

/** How long a person may think: as long as a token would live. */
const PATIENCE_MS = 5 * 60 * 1000;

/** The one field of a form. */
type FormField =
  | { type: "boolean"; title: string; description: string }
  | { type: "string"; title: string; description: string };

/** The form that is sent. */
interface ElicitForm {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: Record<string, FormField>;
    readonly required: string[];
  };
}

/** Sends the form to the client. */
export type SendForm = (
  form: ElicitForm,
  options: { readonly timeout: number; readonly signal: AbortSignal },
) => Promise<ElicitResult>;

/** The form for a request: one required field, a switch or the typed name. */
function formFor(request: ApprovalRequest): ElicitForm {
  const message = [
    `⚠️ ${request.heading}`,
    "",
    request.summary,
    ...(request.details.length === 0 ? [] : ["", plainText(request.details)]),
    ...(request.irreversible === null ? [] : ["", `⚠️ ${request.irreversible}`]),
    "",
    `Proceed with ${request.deed}?`,
  ].join("\n");
  const [name, field] = request.typed === null
    ? ["confirm", {
      type: "boolean" as const,
      title: "Proceed",
      description: "Yes, carry this out",
    }] as const
    : ["name", {
      type: "string" as const,
      title: `Type the ${request.typed.what}`,
      description: `Type the ${request.typed.what} to proceed`,
    }] as const;
  return {
    message,
    requestedSchema: { type: "object", properties: { [name]: field }, required: [name] },
  };
}

/** How the client's answer counts. */
function readForm(request: ApprovalRequest, result: ElicitResult): Approval {
  const say = (decision: Approval["decision"]): Approval => ({ decision, way: "elicitation" });
  if (result.action === "decline") return say("declined");
  if (result.action === "cancel") return say("cancelled");
  // An unknown action is a failure of the client and not a decision.
  if (result.action !== "accept") return say("ask_failed");
  const content = result.content ?? {};
  if (request.typed !== null) {
    const typed = content["name"];
    if (typeof typed !== "string" || typed === "") return say("declined");
    return say(typed === request.typed.value ? "accepted" : "wrong_name");
  }
  return say(content["confirm"] === true ? "accepted" : "declined");
}

/** What is known of a client that says it shows forms. */
export interface Asked {
  /** Whether it ever could not, so that tokens of that time may be about. */
  unable: boolean;
}

/**
 * The approver over elicitation. A client that cannot do it after all leaves the way to a token, and is not asked once
 * more when that is spent.
 */
export function elicitingApprover(send: SendForm, asked: Asked = { unable: false }): Approver {
  return {
    unable: asked.unable,
    async ask(request): Promise<Approval> {
      try {
        return readForm(
          request,
          await send(formFor(request), { timeout: PATIENCE_MS, signal: request.signal }),
        );
      } catch (error) {
        const code = error instanceof McpError ? error.code : null;
        if (request.signal.aborted || code === ErrorCode.ConnectionClosed) {
          return { decision: "cancelled", way: "elicitation" };
        }
        if (code === ErrorCode.RequestTimeout) return { decision: "timed_out", way: "elicitation" };
        if (code === ErrorCode.MethodNotFound) {
          asked.unable = true;
          return { decision: "unsupported", way: "elicitation" };
        }
        return { decision: "ask_failed", way: "elicitation" };
      }
    },
  };
}
