/**
 * Asks the person behind the client through elicitation (MCP-5).
 *
 * Only an accepted form with the required content is a yes; everything else changes nothing.
 */

import type { Approval, ApprovalRequest, Approver } from "../../pipeline/consent/approver.ts";
import type { Clock } from "../../base/system/mod.ts";
import { fieldsOf, isObject } from "../../base/object.ts";
import { plainText } from "../../base/text/parts.ts";

/** How long a person may think: as long as a token would live. */
const PATIENCE_MS = 5 * 60 * 1000;

type FormField =
  | { type: "boolean"; title: string; description: string; default: false }
  | { type: "string"; title: string; description: string };

/** The form that is sent. */
export interface ElicitForm {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: Record<string, FormField>;
    readonly required: string[];
  };
}

/** What a client answered to a form. */
interface FormResult {
  readonly action: unknown;
  readonly content?: unknown;
  /** How long after the question it came, where that is not when it was taken. */
  readonly afterMs?: number;
}

/** Why there is no answer to a form: the client has none, was not in time, is gone, or failed. */
interface Unanswered {
  readonly failed: "unsupported" | "timed_out" | "gone" | "broken";
}

/** Sends the form to the client. */
export type SendForm = (
  form: ElicitForm,
  options: { readonly timeout: number; readonly signal: AbortSignal },
) => Promise<FormResult | Unanswered>;

/** Whether a client that declares this shows forms. Later revisions name the kinds; none named means forms. */
export function showsForms(elicitation: unknown): boolean {
  if (!isObject(elicitation)) return false;
  return elicitation["form"] !== undefined || elicitation["url"] === undefined;
}

/**
 * The form for a request: one required field, a switch or the typed name. Some hosts show three lines: what is asked,
 * what cannot be undone and how much it is about stand in them.
 */
export function formFor(request: ApprovalRequest): ElicitForm {
  const message = [
    `⚠️ ${request.heading}`,
    ...(request.irreversible === null ? [] : [`⚠️ ${request.irreversible}`]),
    request.summary,
    ...(request.details.length === 0 ? [] : ["", plainText(request.details)]),
    "",
    `Proceed with ${request.deed}?`,
  ].join("\n");
  const [name, field] = request.typed === null
    ? ["confirm", {
      type: "boolean" as const,
      title: "Proceed",
      description: "Yes, carry this out",
      default: false as const,
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

/** Nobody reads a question and says no in less. */
const FASTEST_PERSON_MS = 500;

/**
 * How the client's answer counts, which came so long after the question. A no that comes faster than a person
 * could give it is the client's own, so nobody was asked.
 */
export function readForm(
  request: ApprovalRequest,
  result: FormResult,
  afterMs: number,
): Approval {
  const say = (decision: Approval["decision"]): Approval => ({ decision, way: "elicitation" });
  const refused = result.action === "decline" || result.action === "cancel";
  if (refused && afterMs < FASTEST_PERSON_MS) return { ...say("unsupported"), unattended: true };
  if (result.action === "decline") return say("declined");
  if (result.action === "cancel") return say("cancelled");
  // An unknown action is a failure of the client and not a decision.
  if (result.action !== "accept") return say("ask_failed");
  const content = fieldsOf(result.content);
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

/** What becomes of a request whose form was not answered. */
const UNANSWERED: Readonly<Record<Unanswered["failed"], Approval["decision"]>> = {
  unsupported: "unsupported",
  timed_out: "timed_out",
  gone: "cancelled",
  broken: "ask_failed",
};

/**
 * The approver over elicitation. A client that cannot do it after all leaves the way to a token, and is not asked once
 * more when that is spent.
 */
export function elicitingApprover(
  send: SendForm,
  { now }: Pick<Clock, "now">,
  asked: Asked = { unable: false },
): Approver {
  return {
    unable: asked.unable,
    async ask(request): Promise<Approval> {
      const { signal } = request;
      const since = now();
      const answer = await send(formFor(request), { timeout: PATIENCE_MS, signal });
      if (!("failed" in answer)) {
        return readForm(request, answer, answer.afterMs ?? now() - since);
      }
      if (answer.failed === "unsupported") asked.unable = true;
      return { decision: UNANSWERED[answer.failed], way: "elicitation" };
    },
  };
}
